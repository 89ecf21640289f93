/**
 * Lines of a text sitemap that are nothing but an address, as nearly all of them are.
 *
 * A chunk of ASCII is written down as bytes once, and a line then takes a search for its end, a few
 * words to compare, a hash and a copy. Whatever is odd about a line is left to others.
 *
 * @module
 */

import { SitemapPage } from "../page.ts";
import { joinedCopy, ownCopy } from "../text.ts";
import { AsciiBytes } from "../xml/ascii_bytes.ts";
import { NextPlace } from "../xml/next_place.ts";
import { Pattern } from "../xml/pattern.ts";
import type { Entries } from "./entries.ts";
import { PageBatch } from "./page_batch.ts";

const CR = 0x0d;

/** The least that can be hashed as bytes. */
const MIN_HASHED = 8;

/** How far lines were read. */
export interface LinesRead {
  /** The place behind them. */
  readonly at: number;
  /** How many. */
  readonly count: number;
}

/** Reads such lines. */
export class AddressLines {
  readonly #entries: Entries;
  readonly #maxLength: number;
  readonly #bytes = new AsciiBytes();
  readonly #blank = new NextPlace(" ");
  readonly #batch = new PageBatch();
  /** Scheme and authority of the last address; any other that begins with them is valid too. */
  #authority = new Pattern("");

  constructor(entries: Entries, maxLength: number) {
    this.#entries = entries;
    this.#maxLength = maxLength;
  }

  /** Takes a chunk in the place of the last one: whether it can be read here. */
  take(chunk: string): boolean {
    this.#bytes.take(chunk);
    this.#blank.begin(chunk);
    return this.#bytes.view !== undefined;
  }

  /** Reads whole lines of the chunk from a place on, up to the first that is odd. */
  read(from: number): LinesRead {
    const batch = this.#batch;
    const { text } = this.#bytes;
    let at = from;
    let count = 0;
    for (;;) {
      const end = text.indexOf("\n", at);
      const page = end < 0 ? undefined : this.#pageBetween(at, end);
      batch.beginAt(at, count, 0);
      if (page !== undefined) {
        batch.add(page, this.#entries.hash);
        at = end + 1;
        count++;
        if (!batch.isFull) continue;
        batch.beginAt(at, count, 0);
      } else if (batch.length === 0) {
        return { at, count };
      }
      const { length } = batch;
      const taken = this.#entries.takeBatch(batch);
      const { at: place, lines } = batch.placeOf(taken);
      batch.clear(taken);
      if (page === undefined || taken < length) return { at: place, count: lines };
    }
  }

  /** The page of a line that is nothing but an address, which is hashed then. */
  #pageBetween(start: number, lineEnd: number): SitemapPage | undefined {
    const { text, view } = this.#bytes;
    const { hash } = this.#entries;
    const end = text.charCodeAt(lineEnd - 1) === CR ? lineEnd - 1 : lineEnd;
    const length = end - start;
    if (view === undefined || length < MIN_HASHED || length > this.#maxLength) return undefined;
    if (!this.#isKnown(start, end)) return undefined;
    hash.take(view, start, end);
    if (hash.hasControl || this.#blank.isBetween(start, end)) return undefined;
    const authority = this.#authority.text;
    return new SitemapPage({
      url: joinedCopy(authority, text.slice(start + authority.length, end)),
    });
  }

  /** Whether what stands between two places begins as a valid address does. */
  #isKnown(start: number, end: number): boolean {
    const { length } = this.#authority.text;
    if (length > 0 && length <= end - start && this.#authority.isAt(this.#bytes, start)) {
      return true;
    }
    // a copy, for what is kept of it
    const authority = this.#entries.authorityOf(ownCopy(this.#bytes.text.slice(start, end)));
    if (authority === undefined) return false;
    this.#authority = new Pattern(authority);
    return true;
  }
}
