/** htmlparser2: the forgiving parser under cheerio, in its XML mode. @module */

import { Parser } from "htmlparser2";
import type { Contender } from "../contender.ts";
import { decodeEach, PageBuilder, XML_KINDS } from "./page_builder.ts";

/** htmlparser2 with pages made of its events. */
export const contender: Contender = {
  name: "htmlparser2",
  kinds: XML_KINDS,
  read(_kind, chunks, sink) {
    const builder = new PageBuilder(sink);
    const parser = new Parser({
      onopentag: (name, attributes) => builder.open(name, attributes),
      ontext: (text) => builder.text(text),
      onclosetag: (name) => builder.close(name),
      onerror: (error) => {
        throw error;
      },
    }, { xmlMode: true });
    decodeEach(chunks, (text) => parser.write(text));
    parser.end();
  },
};
