/**
 * Plain text: one URL a line.
 *
 * @module
 */

import { ownCopy } from "../text.ts";
import { trimSpace } from "../url.ts";
import { type Entries, quoted } from "./entries.ts";
import { LineSplitter } from "./lines.ts";
import type { DocumentOutcome, TextReader } from "./reader.ts";

const SPACE_INSIDE_REGEXP = /\s/;

const NO_FIELDS = {};

/** Reads a text sitemap: it is one if it holds at least one URL. */
export class TextSitemapReader implements TextReader {
  /** The kind of sitemap. */
  readonly type = "PagesTextSitemap";
  readonly #entries: Entries;
  readonly #lines: LineSplitter;
  #lastLine = false;

  constructor(entries: Entries, maxValueLength: number) {
    this.#entries = entries;
    this.#lines = new LineSplitter((line, number) => this.#take(line, number), maxValueLength);
  }

  get settled(): boolean {
    return this.#entries.full;
  }

  write(text: string): void {
    this.#lines.write(text);
  }

  end(cut: boolean): DocumentOutcome {
    // a line that was cut may be a URL and still not the one that was meant
    this.#lastLine = cut;
    this.#lines.end();
    if (this.#entries.count === 0) {
      return { code: "not-a-sitemap", reason: "Text without a URL" };
    }
    return { type: "PagesTextSitemap", complete: !cut && !this.#entries.full };
  }

  #take(line: string | undefined, number: number): void {
    if (this.#entries.full) return;
    if (line === undefined) {
      return this.#entries.warn("value-too-long", "Overlong line skipped", number);
    }
    const address = ownCopy(trimSpace(line));
    if (address === "" || address.startsWith("#") || this.#lastLine) return;
    if (this.#entries.isAbsoluteHttp(address) && !SPACE_INSIDE_REGEXP.test(address)) {
      this.#entries.page(address, NO_FIELDS, number);
    } else {
      this.#entries.warn("bad-line", `Line ${quoted(address)} is no URL`, number);
    }
  }
}
