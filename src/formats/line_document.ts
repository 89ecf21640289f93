/**
 * Documents that are read line by line: plain text and robots.txt.
 *
 * @module
 */

import type { SitemapType } from "../events.ts";
import { AddressLines } from "./address_lines.ts";
import type { Entries } from "./entries.ts";
import { LineSplitter } from "./lines.ts";
import type { DocumentOutcome, TextReader } from "./reader.ts";

/** What lines mean in a format. */
export interface LineFormat {
  /** The kind of sitemap. */
  readonly type: SitemapType;
  /** Why a document without entries is no sitemap; absent where it is one all the same. */
  readonly withoutEntries?: string;
  /** Whether nearly all lines are nothing but the address of a page. */
  readonly hasAddressLines?: true;
  /** Takes a line. */
  take(line: string, number: number, entries: Entries): void;
}

/** After so many odd lines in a row, the rest of the chunk is read line by line. */
const MAX_MISSES = 8;

/** Reads a document line by line. */
export class LineDocumentReader implements TextReader {
  readonly #format: LineFormat;
  readonly #entries: Entries;
  readonly #lines: LineSplitter;
  readonly #addressLines: AddressLines | undefined;
  #isCut = false;

  constructor(format: LineFormat, entries: Entries, maxValueLength: number) {
    this.#format = format;
    this.#entries = entries;
    this.#lines = new LineSplitter((line, number) => this.#take(line, number), maxValueLength);
    this.#addressLines = format.hasAddressLines && new AddressLines(entries, maxValueLength);
  }

  get type(): SitemapType {
    return this.#format.type;
  }

  get settled(): boolean {
    return this.#entries.full;
  }

  write(text: string): void {
    const addressLines = this.#addressLines;
    const at = addressLines?.take(text) ? this.#readAddresses(text, addressLines) : 0;
    if (at < text.length) this.#lines.write(text.slice(at));
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

  /** Reads a chunk as far as its lines are addresses, more or less: the place behind that. */
  #readAddresses(text: string, addressLines: AddressLines): number {
    let at = 0;
    for (let misses = 0; misses < MAX_MISSES && !this.#entries.full; misses++) {
      if (this.#lines.isBetweenLines) {
        const read = addressLines.read(at);
        if (read.count > 0) misses = 0;
        this.#lines.pass(read.count);
        at = read.at;
      }
      const end = text.indexOf("\n", at) + 1;
      if (end === 0) break;
      this.#lines.write(text.slice(at, end));
      at = end;
    }
    return at;
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
