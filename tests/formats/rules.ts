/** Tables of documents and what must be read of them. @module */

import { assertEquals } from "@std/assert";
import { assertReadsAlike, documentBytes, type Reading, type ReadingOptions } from "./reading.ts";

/** Expectation about a document. */
export interface Expected {
  /** Addresses of pages and children. */
  readonly urls?: readonly string[];
  /** Fields of the first page, without its URL. */
  readonly page?: unknown;
  /** Codes of warnings, in order. */
  readonly warnings?: readonly string[];
}

/** A sentence about a document, the document, and what must be read of it. */
export type Rule = readonly [sentence: string, document: string, expected: Expected];

/** Addresses of the entries of a document. */
export function urlsOf({ pages, children }: Reading): string[] {
  return [...pages.map((page) => JSON.parse(page).url), ...children];
}

/** The first page as data. */
export function firstPage({ pages: [page = "{}"] }: Reading): unknown {
  const { url: _, ...rest } = JSON.parse(page);
  return rest;
}

/** Registers a test for each rule; `wrap` makes a document of what the rule gives. */
export function testRules(
  subject: string,
  rules: readonly Rule[],
  wrap: (content: string) => string = (content) => content,
  options: ReadingOptions = {},
): void {
  for (const [sentence, content, { urls, page, warnings = [] }] of rules) {
    Deno.test(`${subject}: ${sentence}`, () => {
      const reading = assertReadsAlike(documentBytes(wrap(content)), [], options);
      if (urls !== undefined) assertEquals(urlsOf(reading), urls);
      if (page !== undefined) assertEquals(firstPage(reading), page);
      assertEquals(reading.warnings.map(([code]) => code), warnings);
    });
  }
}
