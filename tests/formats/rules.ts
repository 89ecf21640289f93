/** Tables of documents and what must be read of them. @module */

import { assertEquals } from "@std/assert";
import { assertReadsAlike, documentBytes, type Reading } from "./reading.ts";

export interface Expected {
  /** Addresses of pages and children. */
  readonly urls?: readonly string[];
  /** Fields of the first page, without its URL. */
  readonly page?: unknown;
  /** Codes of warnings, in order. */
  readonly warnings?: readonly string[];
}

/** A document, and what must be read of it: addresses alone if there is nothing to warn about. */
type Rule = readonly [document: string, expected: readonly string[] | Expected];

/** Rules by a sentence about each. */
export type Rules = Readonly<Record<string, Rule>>;

export function urlsOf({ pages, children }: Reading): string[] {
  return [...pages.map((page) => JSON.parse(page).url), ...children];
}

function firstPage({ pages: [page = "{}"] }: Reading): unknown {
  const { url: _, ...rest } = JSON.parse(page);
  return rest;
}

/** Registers a test for each rule; `wrap` makes a document of what the rule gives. */
export function testRules(
  subject: string,
  rules: Rules,
  wrap: (content: string) => string = (content) => content,
): void {
  for (const [sentence, [content, expected]] of Object.entries(rules)) {
    const { urls, page, warnings = [] } = "length" in expected ? { urls: expected } : expected;
    Deno.test(`${subject}: ${sentence}`, () => {
      const reading = assertReadsAlike(documentBytes(wrap(content)));
      if (urls !== undefined) assertEquals(urlsOf(reading), urls);
      if (page !== undefined) assertEquals(firstPage(reading), page);
      assertEquals(reading.warnings.map(([code]) => code), warnings);
    });
  }
}
