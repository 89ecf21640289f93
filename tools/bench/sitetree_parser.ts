/**
 * The parser of sitetree alone: pages by callback like the peers, without events and `await`.
 *
 * @module
 */

import { DocumentReader } from "../../src/formats/document.ts";
import { ReaderPool } from "../../src/formats/document.ts";
import { DEFAULT_LIMITS } from "../../src/data/limits.ts";
import type { Contender } from "./contender.ts";
import { DOCUMENT_KINDS } from "./generate.ts";

/** Reused for all documents, as in a walk. */
const readers = new ReaderPool(DEFAULT_LIMITS);

/** Parser behind `walk()` and `parseSitemap()`. */
export const contender: Contender = {
  name: "sitetree, parser alone",
  kinds: DOCUMENT_KINDS,
  read(_kind, chunks, sink) {
    const reader = new DocumentReader({ url: "", isRobots: false, readers }, {
      page: sink,
      child() {},
      childDropped() {},
      warning() {},
    });
    for (const chunk of chunks) reader.write(chunk);
    reader.end();
  },
};
