/** sax: the SAX parser under most others on npm. @module */

import sax from "sax";
import type { Contender } from "../contender.ts";
import { type Attributes, decodeEach, PageBuilder, XML_KINDS } from "./page_builder.ts";

/** sax with pages made of its events. */
export const contender: Contender = {
  name: "sax",
  kinds: XML_KINDS,
  read(_kind, chunks, sink) {
    const builder = new PageBuilder(sink);
    const parser = sax.parser(true);
    parser.onopentag = (tag: { name: string; attributes: unknown }) =>
      builder.open(tag.name, tag.attributes as Attributes);
    parser.ontext = (text: string) => builder.text(text);
    parser.oncdata = (text: string) => builder.text(text);
    parser.onclosetag = (name: string) => builder.close(name);
    parser.onerror = (error: Error) => {
      throw error;
    };
    decodeEach(chunks, (text) => void parser.write(text));
    parser.close();
  },
};
