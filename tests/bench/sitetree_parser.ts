/**
 * The parser of sitetree alone: pages by callback, as the peers give them, no events and no `await`.
 *
 * @module
 */

import { DocumentReader } from "../../src/formats/document.ts";
import type { Contender } from "./contender.ts";
import { DOCUMENT_KINDS } from "./generate.ts";

/** What stands behind `parseSitemap()`. */
export const contender: Contender = {
  name: "sitetree, parser alone",
  kinds: DOCUMENT_KINDS,
  read(_kind, chunks, sink) {
    const reader = new DocumentReader({ url: "", isRobots: false }, {
      page: sink,
      child() {},
      warning() {},
    });
    for (const chunk of chunks) reader.write(chunk);
    reader.end();
  },
};
