/** saxes without namespaces, its fastest mode. @module */

import { SaxesParser } from "saxes";
import type { Contender } from "../contender.ts";
import { decodeEach, PageBuilder, XML_KINDS } from "./page_builder.ts";

/** saxes with pages made of its events. */
export const contender: Contender = {
  name: "saxes without namespaces",
  kinds: XML_KINDS,
  read(_kind, chunks, sink) {
    const builder = new PageBuilder(sink);
    const parser = new SaxesParser();
    parser.on("opentag", (tag) => builder.open(tag.name, tag.attributes));
    parser.on("text", (text) => builder.text(text));
    parser.on("cdata", (text) => builder.text(text));
    parser.on("closetag", (tag) => builder.close(tag.name));
    parser.on("error", (error) => {
      throw error;
    });
    decodeEach(chunks, (text) => void parser.write(text));
    parser.close();
  },
};
