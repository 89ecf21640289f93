/**
 * The parser of sitetree alone: pages by callback, as the peers give them, no events and no `await`.
 *
 * @module
 */

import { AddressSets } from "../../src/formats/address_set.ts";
import { DocumentReader } from "../../src/formats/document.ts";
import type { Contender } from "./contender.ts";
import { DOCUMENT_KINDS } from "./generate.ts";

/** Used for one document after another, as in a walk. */
const addressSets = new AddressSets();

/** What stands behind `walk()` and `parseSitemap()`. */
export const contender: Contender = {
  name: "sitetree, parser alone",
  kinds: DOCUMENT_KINDS,
  read(_kind, chunks, sink) {
    const reader = new DocumentReader({ url: "", isRobots: false, addressSets }, {
      page: sink,
      child() {},
      warning() {},
    });
    for (const chunk of chunks) reader.write(chunk);
    reader.end();
  },
};
