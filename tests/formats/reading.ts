/** Documents as bytes, and what is passed to the sink when they are read in chunks. @module */

import { assertEquals } from "@std/assert";
import type { TruncatedError } from "../../src/data/errors.ts";
import { type DocumentOutcome, DocumentReader, ReaderPool } from "../../src/formats/document.ts";
import type { EntrySink } from "../../src/formats/entries.ts";
import { DEFAULT_LIMITS, type ReaderLimits } from "../../src/data/limits.ts";
import { concatenated } from "../bytes/read_all.ts";

/** Private-use characters for single bytes, U+F780 for 0x80 and so on: invalid UTF-8 in a text. */
const RAW_BYTES_REGEXP = /([\uf780-\uf7ff]+)/;
const RAW_BYTE = 0xf700;

/** Encodes a text in UTF-8, and the characters of `raw()` as single bytes. */
export function documentBytes(text: string): Uint8Array {
  const encoder = new TextEncoder();
  return concatenated(
    ...text.split(RAW_BYTES_REGEXP).map((part, at) =>
      at % 2 === 0
        ? encoder.encode(part)
        : Uint8Array.from(part, (character) => character.charCodeAt(0) - RAW_BYTE)
    ),
  );
}

/** Returns the characters for these bytes, each at least 0x80. */
export function raw(...bytes: number[]): string {
  return String.fromCharCode(...bytes.map((byte) => RAW_BYTE + byte));
}

export type ReportedWarning = readonly [code: string, message: string, line: number | undefined];

export interface Reading {
  /** Pages as JSON, so that the order of keys is compared too. */
  readonly pages: string[];
  readonly children: string[];
  dropped: number;
  readonly warnings: ReportedWarning[];
  /**
   * Number of warnings about invalid bytes; `NaN` if reading stopped early, where it depends on the
   * chunks. Their order always does, since they are reported when a chunk is decoded.
   */
  replaced: number;
  /** One letter for each entry and warning, in order. */
  order: string;
  outcome?: DocumentOutcome;
}

type DocumentOptions = ConstructorParameters<typeof DocumentReader>[0];

export interface ReadingOptions extends Partial<DocumentOptions> {
  readonly cut?: TruncatedError;
  readonly limits?: ReaderLimits;
}

export const NO_SINK: EntrySink = { page() {}, child() {}, childDropped() {}, warning() {} };

/** Returns a new pool with a fixed key, so that runs are reproducible. */
export function newPool(limits: ReaderLimits = DEFAULT_LIMITS): ReaderPool {
  return new ReaderPool(limits, false, [20240506, 70809]);
}

export function trainedPool(
  documents: Iterable<Uint8Array>,
  limits: ReaderLimits = DEFAULT_LIMITS,
): ReaderPool {
  const readers = newPool(limits);
  for (const bytes of documents) readingOf([bytes], { readers });
  return readers;
}

/** Reads a document, by default with a new pool. */
export function readingOf(chunks: Iterable<Uint8Array>, options: ReadingOptions = {}): Reading {
  const reading: Reading = {
    pages: [],
    children: [],
    dropped: 0,
    warnings: [],
    replaced: 0,
    order: "",
  };
  const { cut, limits, ...rest } = options;
  const document: DocumentOptions = {
    url: "https://site.test/dir/sitemap.xml",
    isRobots: false,
    readers: newPool(limits),
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
    childDropped() {
      reading.dropped++;
      reading.order += "d";
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
  let copy = new Uint8Array();
  for (const chunk of chunks) {
    // the memory of a chunk is reused
    if (copy.length === chunk.length) copy.set(chunk);
    else copy = chunk.slice();
    reader.write(copy);
    copy.fill(0x26);
  }
  reading.outcome = reader.end(cut);
  if (reader.settled) reading.replaced = NaN;
  return reading;
}

/** Splits bytes into chunks of the given sizes, taken in turn. */
export function* cutInto(bytes: Uint8Array, sizes: readonly number[]): Generator<Uint8Array> {
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const end = at + sizes[turn % sizes.length]!;
    yield bytes.subarray(at, end);
    at = end;
  }
}

const EVERY_SIZE: readonly (readonly number[])[] = [[Infinity], [7], [1]];
const MAX_BYTEWISE = 64 * 1024;

/**
 * Asserts that a document reads the same whole, in 7-byte chunks, byte by byte and in chunks of the
 * given sizes, by a new reader and by one that has read it or other documents before.
 */
export function assertReadsAlike(
  bytes: Uint8Array,
  sizes: readonly (readonly number[])[] = [],
  { readers: given, ...options }: ReadingOptions = {},
): Reading {
  const expected = readingOf([bytes], options);
  const text = JSON.stringify(expected);
  const readers = given ?? newPool(options.limits);
  const all = bytes.length > MAX_BYTEWISE ? [[Infinity], [8191], ...sizes] : [
    ...EVERY_SIZE,
    ...sizes,
  ];
  for (const turn of all) {
    for (const pool of [{}, { readers }]) {
      const actual = readingOf(cutInto(bytes, turn), { ...options, ...pool });
      // whether reading stopped before the end depends on the chunks, too
      if (Number.isNaN(actual.replaced + expected.replaced)) actual.replaced = expected.replaced;
      // comparing strings is faster than comparing objects
      if (JSON.stringify(actual) !== text) {
        const reader = "readers" in pool ? "a reused reader" : "a new reader";
        assertEquals(actual, expected, `In chunks of ${turn} bytes, by ${reader}`);
      }
    }
  }
  return expected;
}
