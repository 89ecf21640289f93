/**
 * Reads documents in chunks and tells all that a sink can see of it, in a form to be compared.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import type { CutError } from "../../src/errors.ts";
import { AddressSets } from "../../src/formats/address_set.ts";
import { type DocumentOptions, DocumentReader } from "../../src/formats/document.ts";
import type { DocumentOutcome } from "../../src/formats/reader.ts";

/** A warning: code, message, line. */
export type ToldWarning = readonly [code: string, message: string, line: number | undefined];

/** What came of a document. */
export interface Reading {
  /** The pages as JSON, by which the order of keys counts too. */
  readonly pages: string[];
  readonly children: string[];
  readonly warnings: ToldWarning[];
  /**
   * Warnings of bytes that make no sense. They are told when a chunk is decoded, so in no order, and
   * where reading stops early they depend on the chunk: then they are not counted.
   */
  replaced: number;
  /** Kinds of entries and warnings in the order they came in. */
  order: string;
  outcome?: DocumentOutcome;
}

/** Options of a reading; all of them have defaults. */
export interface ReadingOptions extends Partial<DocumentOptions> {
  readonly cut?: CutError;
}

/** Used for one reading after another, as in a walk; the seed makes every run the same. */
const ADDRESS_SETS = new AddressSets([20240506, 70809]);

/** What `DocumentReader` makes of a document. */
export function readingOf(chunks: Iterable<Uint8Array>, options: ReadingOptions = {}): Reading {
  const reading: Reading = { pages: [], children: [], warnings: [], replaced: 0, order: "" };
  const { cut, ...rest } = options;
  const document: DocumentOptions = {
    url: "https://site.test/dir/sitemap.xml",
    isRobots: false,
    addressSets: ADDRESS_SETS,
    ...rest,
  };
  const reader = new DocumentReader(document, {
    page(page) {
      reading.pages.push(JSON.stringify(page));
      reading.order += "p";
    },
    child(url) {
      reading.children.push(url);
      reading.order += "c";
    },
    warning(code, message, line) {
      if (code === "encoding-replaced") {
        reading.replaced++;
      } else {
        reading.warnings.push([code, message, line]);
        reading.order += "w";
      }
    },
  });
  for (const chunk of chunks) {
    // bodies are read into memory that is used again
    const copy = chunk.slice();
    reader.write(copy);
    copy.fill(0x26);
  }
  reading.outcome = reader.end(cut);
  if (reader.settled) reading.replaced = NaN;
  return reading;
}

/** Cuts bytes into chunks of the sizes given, which are taken in turn. */
export function* cutInto(bytes: Uint8Array, sizes: readonly number[]): Generator<Uint8Array> {
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const end = at + sizes[turn % sizes.length]!;
    yield bytes.subarray(at, end);
    at = end;
  }
}

/** Chunks so small that only the general lane reads them. */
export const SMALL_CHUNKS: readonly number[] = [512];

/** Demands that a document reads the same in small chunks and in chunks of each of these sizes. */
export function assertReadsAlike(
  bytes: Uint8Array,
  sizes: readonly (readonly number[])[],
  options: ReadingOptions = {},
): Reading {
  const expected = readingOf(cutInto(bytes, SMALL_CHUNKS), options);
  const text = JSON.stringify(expected);
  for (const turn of sizes) {
    const actual = readingOf(cutInto(bytes, turn), options);
    // strings compare faster than trees, and these are many
    if (JSON.stringify(actual) !== text) {
      assertEquals(actual, expected, `In chunks of ${turn} bytes`);
    }
  }
  return expected;
}
