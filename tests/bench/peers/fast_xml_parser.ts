/** fast-xml-parser: whole documents to plain objects. @module */

import { XMLParser } from "fast-xml-parser";
import type { Contender } from "../contender.ts";
import { objectPages, type ObjectStyle } from "./object_pages.ts";
import { decodeAll, XML_KINDS } from "./page_builder.ts";

const STYLE: ObjectStyle = {
  attribute: "@",
  text: (element) => typeof element === "object" ? element["#text"] : element,
};

/** fast-xml-parser with pages made of its objects. */
export const contender: Contender = {
  name: "fast-xml-parser",
  kinds: XML_KINDS,
  read(kind, chunks, sink) {
    const parser = new XMLParser({
      ignoreAttributes: false,
      attributeNamePrefix: "@",
      parseTagValue: false,
    });
    objectPages(parser.parse(decodeAll(chunks)), kind, STYLE, sink);
  },
};
