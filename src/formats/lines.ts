/**
 * Documents that are read line by line: plain text and robots.txt.
 *
 * @module
 */

import { CONTROL, REFERENCE, WIDE } from "../bytes/value_scan.ts";
import { HeldBytes, wholeCharacters, Window } from "../bytes/window.ts";
import type { SitemapType } from "../data/events.ts";
import { SitemapPage } from "../data/page.ts";
import { ownCopy } from "../data/text.ts";
import { trimSpace } from "../data/url.ts";
import { type Entries, quoted } from "./entries.ts";
import type { AddressReader } from "./record.ts";

/** What lines mean in a format. */
export interface LineFormat {
  /** The kind of sitemap. */
  readonly type: SitemapType;
  /** Reason why a document without entries is invalid; absent if it is valid. */
  readonly withoutEntries?: string;
  /** Whether a line is the address of a page. */
  readonly hasAddressLines?: true;
  /** Takes a line. */
  take(line: string, number: number, entries: Entries): void;
  /** A line is too long; this is its beginning. */
  takeOverlong?(line: string, entries: Entries): void;
}

/** LF, CR, CRLF, and, as in USP, VT, FF, FS, GS, RS, NEL, LS and PS. */
// deno-lint-ignore no-control-regex -- they are line ends here
const LINE_END_REGEXP = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/;

/** White space, of which an address has none; some of it ends lines. */
const SPACE_REGEXP = /[\s\x85]/;

const LF = 0x0a;
const CR = 0x0d;
/** How much of an overlong line is looked at. */
const MAX_OVERLONG_HEAD = 256;

/** Reads a document line by line. */
export class LineReader {
  readonly #format: LineFormat;
  readonly #entries: Entries;
  readonly #addresses: AddressReader;
  readonly #maxLength: number;
  readonly #window = new Window();
  readonly #held = new HeldBytes();
  readonly #onReplaced: (count: number) => void;
  /** Line that begins the window. */
  #number: number;
  /** Whether the beginning of the line was dropped, as it is too long. */
  #isOverlong = false;
  #isTruncated = false;

  constructor(
    format: LineFormat,
    entries: Entries,
    addresses: AddressReader,
    options: {
      readonly firstLine: number;
      readonly maxLength: number;
      readonly onReplaced: (count: number) => void;
    },
  ) {
    this.#format = format;
    this.#entries = entries;
    this.#addresses = addresses;
    this.#number = options.firstLine;
    this.#maxLength = options.maxLength;
    this.#onReplaced = options.onReplaced;
  }

  /** Takes a chunk of UTF-8. */
  write(chunk: Uint8Array): void {
    const end = endOfLines(chunk);
    const held = this.#held;
    if (end === 0) {
      held.add(chunk);
      if (held.length > 3 * this.#maxLength + 4 && !this.catchUp()) this.#dropHead();
      return;
    }
    if (held.length === 0) this.#read(chunk.subarray(0, end));
    else {
      held.add(chunk.subarray(0, end));
      this.#read(held.bytes);
    }
    held.reset(chunk.subarray(end));
  }

  /**
   * Reads the whole lines among those that are held: such as do not end with LF, or with a CR that ended
   * a chunk. Returns whether there are any.
   */
  catchUp(): boolean {
    const held = this.#held;
    const end = endOfAnyLine(held.bytes);
    if (end === 0) return false;
    const rest = held.bytes.slice(end);
    this.#read(held.bytes.subarray(0, end));
    held.reset(rest);
    return true;
  }

  /** Takes the end of the document; a line that is truncated does not count. */
  end(isTruncated: boolean): void {
    this.#isTruncated = isTruncated;
    if (this.#held.length > 0) this.#read(this.#held.bytes);
    // nothing may be left of an overlong line
    if (this.#isOverlong && !this.#entries.isFull) this.#takeLine("", isTruncated);
  }

  /** Reads whole lines. */
  #read(bytes: Uint8Array): void {
    const window = this.#window;
    const replaced = window.load(bytes);
    if (replaced > 0) this.#onReplaced(replaced);
    const { text } = window, end = text.length;
    for (let at = 0; at < end && !this.#entries.isFull;) {
      const found = text.indexOf("\n", at);
      const stop = found < 0 ? end : found;
      if (!this.#isAddress(at, stop)) this.#takeLines(at, found < 0 ? end : found + 1);
      at = stop + 1;
    }
    this.#entries.flush();
  }

  /** Takes a line that is nothing but the address of a page, as nearly all are. */
  #isAddress(start: number, end: number): boolean {
    const window = this.#window, { scan } = this.#entries;
    if (this.#format.hasAddressLines !== true || this.#isOverlong || this.#isTruncated) {
      return false;
    }
    const stop = end > start && window.bytes[end - 1] === CR ? end - 1 : end;
    if (stop - start > this.#maxLength || stop === start) return false;
    scan.range(window.view, start, stop);
    if ((scan.flags & CONTROL) !== 0 || window.text.slice(start, stop).includes(" ")) return false;
    // nothing is decoded in text
    const url = this.#addresses.read(window, start, stop, scan.flags & ~REFERENCE);
    if (url === undefined || ((scan.flags & WIDE) !== 0 && SPACE_REGEXP.test(url))) return false;
    this.#entries.page(new SitemapPage({ url }), scan.high, scan.low, this.#number);
    this.#number++;
    return true;
  }

  /** Takes any other lines, up to an LF or the end of the document. */
  #takeLines(start: number, end: number): void {
    const lines = this.#window.slice(start, end, true).split(LINE_END_REGEXP);
    // an empty rest behind the last line end does not count as a line
    if (lines.at(-1) === "") lines.pop();
    for (const [at, line] of lines.entries()) {
      const isLast = at === lines.length - 1 && this.#isTruncated;
      if (!this.#entries.isFull) this.#takeLine(line, isLast);
      this.#number++;
    }
  }

  #takeLine(line: string, isTruncated: boolean): void {
    const isOverlong = this.#isOverlong || line.length > this.#maxLength;
    if (isOverlong) {
      this.#entries.warn("value-too-long", "Overlong line skipped", this.#number);
      if (!this.#isOverlong) this.#takeHead(line);
    } else if (!isTruncated) this.#format.take(line, this.#number, this.#entries);
    this.#isOverlong = false;
  }

  /** Drops the beginning of a line that is too long already. */
  #dropHead(): void {
    const held = this.#held;
    const { bytes } = held;
    if (!this.#isOverlong) {
      const head = bytes.subarray(0, MAX_OVERLONG_HEAD);
      this.#takeHead(new TextDecoder().decode(head.subarray(0, wholeCharacters(head))));
    }
    this.#isOverlong = true;
    const whole = wholeCharacters(bytes);
    const rest = bytes.slice(bytes[whole - 1] === CR ? whole - 1 : whole);
    const replaced = this.#window.load(bytes.subarray(0, whole));
    if (replaced > 0) this.#onReplaced(replaced);
    held.reset(rest);
  }

  #takeHead(line: string): void {
    this.#format.takeOverlong?.(trimSpace(line.slice(0, MAX_OVERLONG_HEAD)), this.#entries);
  }
}

/** Offset behind the last line end of a chunk; a CR at its end may belong to an LF. */
function endOfLines(chunk: Uint8Array): number {
  const lf = chunk.lastIndexOf(LF) + 1;
  const cr = chunk.lastIndexOf(CR) + 1;
  return Math.max(lf, cr < chunk.length ? cr : 0);
}

/** The same for line ends of every kind. */
function endOfAnyLine(bytes: Uint8Array): number {
  for (let at = bytes.length - 1; at >= 0; at--) {
    const byte = bytes[at]!;
    const isEnd = (byte >= LF && byte <= CR) || (byte >= 0x1c && byte <= 0x1e)
      ? byte !== CR || at < bytes.length - 1
      : byte === 0x85
      ? bytes[at - 1] === 0xc2
      : (byte === 0xa8 || byte === 0xa9) && bytes[at - 1] === 0x80 && bytes[at - 2] === 0xe2;
    if (isEnd) return at + 1;
  }
  return 0;
}

// MERGED: Plain text: one URL a line.

const SPACE_INSIDE_REGEXP = /\s/;

/** A text sitemap: it is one if it holds at least one URL. */
export const TEXT_FORMAT: LineFormat = {
  type: "PagesTextSitemap",
  withoutEntries: "Text without a URL",
  hasAddressLines: true,
  take(line, number, entries) {
    const address = trimSpace(line);
    if (address === "" || address.startsWith("#")) return;
    if (!entries.resolver.isAbsoluteHttp(address) || SPACE_INSIDE_REGEXP.test(address)) {
      return entries.warn("bad-line", `Invalid URL ${quoted(address)}: expected http(s)`, number);
    }
    entries.scan.text(address);
    entries.page(
      new SitemapPage({ url: address }),
      entries.scan.high,
      entries.scan.low,
      number,
    );
  },
};

// MERGED: robots.txt: the sitemaps it declares.

/**
 * Line with a sitemap key. Google accepts every key that begins like this, anywhere in the file: RFC
 * 9309 §2.2.4 does not tie the line to a group.
 */
const SITEMAP_REGEXP = /^\s*site-?map/i;
/**
 * Key and colon: `Sitemap:`, `Sitemaps :`. The colon behind a key of several words has whitespace next
 * to it (`Sitemap index: x`); otherwise it is part of the address (`Sitemap https://site.test/`).
 */
const KEY_REGEXP = /^\s*site-?map(?:[^\s:]*\s*:|[^:]*(?:\s:|:(?=\s|$)))/i;
/** Key and address without a colon: exactly two words. */
const TWO_WORDS_REGEXP = /^\s*site-?map\S*\s+(\S+)\s*$/i;
/** A `#` elsewhere is part of the address. */
const COMMENT_REGEXP = /\s#.*$/s;

/** Characters around an address, in pairs. */
const QUOTES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  "`": "`",
  "<": ">",
  "“": "”",
  "„": "“",
  "‘": "’",
  "«": "»",
};

/** The `Sitemap:` lines of a robots.txt. */
export const ROBOTS_FORMAT: LineFormat = {
  type: "IndexRobotsTxtSitemap",
  take(line, number, entries) {
    if (!SITEMAP_REGEXP.test(line)) return;
    const value = valueOf(line.replace(COMMENT_REGEXP, ""));
    if (value === undefined) return;
    const address = withoutQuotes(value);
    if (address !== value && address !== "") {
      entries.warn("address-repaired", "Quotes around the address of a sitemap removed", number);
    }
    entries.child(ownCopy(address), number);
  },
  takeOverlong(line, entries) {
    if (SITEMAP_REGEXP.test(line)) entries.dropChild();
  },
};

/** Value of a sitemap line without its comment; `undefined` for any other line. */
function valueOf(line: string): string | undefined {
  const key = KEY_REGEXP.exec(line)?.[0];
  const value = key === undefined ? TWO_WORDS_REGEXP.exec(line)?.[1] : line.slice(key.length);
  return value === undefined ? undefined : trimSpace(value);
}

/** Value without quotes or angle brackets around all of it. */
function withoutQuotes(value: string): string {
  const closing = QUOTES[value.charAt(0)];
  return closing !== undefined && value.length > 1 && value.endsWith(closing)
    ? trimSpace(value.slice(1, -1))
    : value;
}
