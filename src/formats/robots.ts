/**
 * robots.txt: the sitemaps it declares.
 *
 * @module
 */

import { ownCopy } from "../text.ts";
import { trimSpace } from "../url.ts";
import type { Entries } from "./entries.ts";
import { LineSplitter } from "./lines.ts";
import type { DocumentOutcome, TextReader } from "./reader.ts";

/** As Google reads it: RFC 9309 §2.2.4 lets the line stand anywhere, tied to no group. */
const SITEMAP_LINE_REGEXP = /^[\s\u0085\ufeff]*site-?map\s*:(.*)$/is;
const COMMENT_REGEXP = /(?:^|\s)#.*$/s;

/** Reads the `Sitemap:` lines of a robots.txt. */
export class RobotsReader implements TextReader {
  /** The kind of sitemap. */
  readonly type = "IndexRobotsTxtSitemap";
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
    // an address that was cut is not the one that was meant
    this.#lastLine = cut;
    this.#lines.end();
    return { type: "IndexRobotsTxtSitemap", complete: !cut && !this.#entries.full };
  }

  #take(line: string | undefined, number: number): void {
    if (this.#entries.full) return;
    if (line === undefined) {
      return this.#entries.warn("value-too-long", "Overlong line skipped", number);
    }
    if (this.#lastLine) return;
    const value = SITEMAP_LINE_REGEXP.exec(line)?.[1];
    if (value === undefined) return;
    this.#entries.child(ownCopy(trimSpace(value.replace(COMMENT_REGEXP, ""))), number);
  }
}
