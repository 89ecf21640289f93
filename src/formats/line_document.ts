/**
 * Documents that are read line by line: plain text and robots.txt.
 *
 * @module
 */

import type { SitemapType } from "../events.ts";
import type { Entries } from "./entries.ts";
import { LineSplitter } from "./lines.ts";
import type { DocumentOutcome, TextReader } from "./reader.ts";

/** What lines mean in a format. */
export interface LineFormat {
  /** The kind of sitemap. */
  readonly type: SitemapType;
  /** Why a document without entries is no sitemap; absent where it is one all the same. */
  readonly withoutEntries?: string;
  /** Takes a line. */
  take(line: string, number: number, entries: Entries): void;
}

/** Reads a document line by line. */
export class LineDocumentReader implements TextReader {
  readonly #format: LineFormat;
  readonly #entries: Entries;
  readonly #lines: LineSplitter;
  #isCut = false;

  constructor(format: LineFormat, entries: Entries, maxValueLength: number) {
    this.#format = format;
    this.#entries = entries;
    this.#lines = new LineSplitter((line, number) => this.#take(line, number), maxValueLength);
  }

  get type(): SitemapType {
    return this.#format.type;
  }

  get settled(): boolean {
    return this.#entries.full;
  }

  write(text: string): void {
    this.#lines.write(text);
  }

  end(cut: boolean): DocumentOutcome {
    this.#isCut = cut;
    this.#lines.end();
    const { type, withoutEntries } = this.#format;
    if (withoutEntries !== undefined && this.#entries.count === 0) {
      return { code: "not-a-sitemap", reason: withoutEntries };
    }
    return { type, complete: !cut && !this.#entries.full };
  }

  #take(line: string | undefined, number: number): void {
    if (this.#entries.full) return;
    if (line === undefined) {
      this.#entries.warn("value-too-long", "Overlong line skipped", number);
    } else if (!this.#isCut) {
      // a line that was cut may hold an address and still not the one that was meant
      this.#format.take(line, number, this.#entries);
    }
  }
}
