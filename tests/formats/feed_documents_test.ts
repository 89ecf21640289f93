import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { DEFAULT_LIMITS } from "../../src/data/limits.ts";
import { documentBytes } from "./document_bytes.ts";
import { ATOM, RSS, TEXT } from "./feed_documents.ts";
import { assertReadsAlike } from "./reading.ts";

const SIZES = [[700, 3], [64, 65, 66]];
const KINDS = { RSS, ATOM, TEXT };
const RUNS = 100;

for (const [kind, document] of Object.entries(KINDS)) {
  Deno.test(`${kind} reads alike in all chunks, with few entries allowed and with many`, () => {
    let pages = 0;
    fc.assert(
      fc.property(document, fc.constantFrom(0, 3, 33, 1000), (text, maxEntries) => {
        const limits = { ...DEFAULT_LIMITS, maxEntries };
        pages += assertReadsAlike(documentBytes(text), SIZES, { limits }).pages.length;
      }),
      { numRuns: RUNS, seed: 20240506 },
    );
    assertEquals(pages > RUNS, true, "pages are read too");
  });
}
