/**
 * The pages of a feed: an address each, with a title and a date that make a news story.
 *
 * @module
 */

import { NewsStory } from "../news_story.ts";
import { SitemapPage } from "../page.ts";
import { ownCopy } from "../text.ts";
import { AsciiBytes } from "../xml/ascii_bytes.ts";
import { Pattern } from "../xml/pattern.ts";
import { type Entries, quoted } from "./entries.ts";
import { PageBatch } from "./page_batch.ts";
import type { Warn } from "./record_format.ts";

/** The story of a page, which needs a title. */
function storyOf(title: string | undefined, date: number | undefined): NewsStory | undefined {
  if (title === undefined || title === "") return undefined;
  return new NewsStory(date === undefined ? { title } : { title, publishDate: date });
}

/** So many pages are handed on together. */
const MAX_HELD = 32;

/** The least that can be hashed as bytes. */
const MIN_HASHED = 8;

/**
 * Takes the pages of one document, and hands them on some at a time: their addresses are written
 * down as bytes together, as the call for that takes 200 ns, be it for one or for all.
 */
export class FeedPages {
  readonly #entries: Entries;
  readonly #line: () => number;
  readonly #batch = new PageBatch();
  readonly #bytes = new AsciiBytes();
  /** The pages held back, the lines they end on, and their addresses, one behind the other. */
  #pages: SitemapPage[] = [];
  #lines: number[] = [];
  #addresses = "";
  /** Scheme and authority of the last address; any other that begins with them is valid too. */
  #authority = new Pattern("");

  /** `line` tells the line that is being read. */
  constructor(entries: Entries, line: () => number) {
    this.#entries = entries;
    this.#line = line;
  }

  /** Takes a page, which ends here. */
  add(address: string | undefined, title: string | undefined, date: number | undefined): void {
    if (address === undefined) {
      this.flush();
      if (!this.#entries.full) this.#entries.page(address, {}, this.#line());
      return;
    }
    const newsStory = storyOf(title, date);
    const fields = newsStory === undefined ? { url: address } : { url: address, newsStory };
    this.#pages.push(new SitemapPage(fields));
    this.#lines.push(this.#line());
    this.#addresses += address;
    if (this.#pages.length === MAX_HELD) this.flush();
  }

  /** Hands on what is held back: before anything else is told, and at the end of each chunk. */
  flush(): void {
    const pages = this.#pages, bytes = this.#bytes;
    if (pages.length === 0) return;
    const { hash } = this.#entries;
    bytes.take(this.#addresses);
    let start = 0;
    for (let at = 0; at < pages.length; at++) {
      const page = pages[at]!;
      const end = start + page.url.length;
      if (bytes.view !== undefined && this.#isKnown(start, end)) {
        hash.take(bytes.view, start, end);
        this.#batch.add(page, hash);
        if (this.#batch.isFull) this.#handBatch(at + 1);
      } else {
        this.#handBatch(at);
        this.#handOne(at);
      }
      start = end;
    }
    this.#handBatch(pages.length);
    this.#pages = [];
    this.#lines = [];
    this.#addresses = "";
  }

  #isKnown(start: number, end: number): boolean {
    const authority = this.#authority;
    return end - start >= Math.max(authority.text.length, MIN_HASHED) &&
      authority.text !== "" && authority.isAt(this.#bytes, start);
  }

  /** Hands on the pages of the batch, which end before one of those held back. */
  #handBatch(end: number): void {
    const batch = this.#batch;
    const start = end - batch.length;
    const taken = this.#entries.takeBatch(batch);
    batch.clear(taken);
    // there is something to be told of one, and the others come behind it
    for (let at = start + taken; at < end; at++) this.#handOne(at);
  }

  #handOne(at: number): void {
    const entries = this.#entries;
    const { url, newsStory } = this.#pages[at]!;
    if (entries.full) return;
    entries.page(url, newsStory === undefined ? {} : { newsStory }, this.#lines[at]!);
    const authority = entries.authorityOf(url) ?? "";
    if (authority !== this.#authority.text) this.#authority = new Pattern(authority);
  }
}

/** Tells of a date that cannot be read; the message keeps nothing else alive. */
export function warnOfDate(value: string, warn: Warn): void {
  warn("bad-date", `Date ${quoted(ownCopy(value))} cannot be read`);
}
