/** @libs/xml: whole documents to plain objects, by a parser in WebAssembly. @module */

import { parse } from "@libs/xml";
import type { Contender } from "../contender.ts";
import { objectPages, type ObjectStyle } from "./object_pages.ts";
import { decodeAll, XML_KINDS } from "./page_builder.ts";

const STYLE: ObjectStyle = {
  attribute: "@",
  text: (element) =>
    typeof element === "object" && element !== null ? element["#text"] : element ?? undefined,
};

/** @libs/xml with pages made of its objects. */
export const contender: Contender = {
  name: "@libs/xml",
  kinds: XML_KINDS,
  read(kind, chunks, sink) {
    objectPages(parse(decodeAll(chunks)), kind, STYLE, sink);
  },
};
