/**
 * Documents that are read line by line: plain text and robots.txt.
 *
 * @module
 */

import { CONTROL, REFERENCE, WIDE } from "../bytes/value_scan.ts";
import { HeldBytes, wholeCharacters, Window } from "../bytes/window.ts";
import type { SitemapType } from "../data/events.ts";
import { ownCopy, trimmed, trimSpace } from "../data/text.ts";
import { isAbsoluteHttp } from "../data/url.ts";
import { type DocumentOutcome, type Entries, quoted } from "./entries.ts";

interface LineFormat {
  readonly type: SitemapType;
  /** Reason why a document without entries is invalid. Default: it is valid. */
  readonly withoutEntries?: string;
  /** Whether a line is the address of a page. */
  readonly hasAddressLines?: true;
  take(line: string, number: number, entries: Entries): void;
  /** Reads the start of an overlong line. */
  takeOverlong?(start: string, entries: Entries): void;
}

/** LF, CR, CRLF, and, as in USP, VT, FF, FS, GS, RS, NEL, LS and PS. */
// deno-lint-ignore no-control-regex -- they end lines
const LINE_END_REGEXP = /\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/;
const SPACE_REGEXP = /[\s\x85]/;

const LF = 0x0a;
const CR = 0x0d;
const MAX_OVERLONG_START = 256;

export class LineReader {
  readonly #format: LineFormat;
  readonly #entries: Entries;
  readonly #maxLength: number;
  readonly #window = new Window();
  readonly #held = new HeldBytes();
  /** Number of the line that begins the window. */
  #number: number;
  /** Whether the start of the current line was dropped, as it is too long. */
  #isOverlong = false;
  #isTruncated = false;

  constructor(
    format: LineFormat,
    entries: Entries,
    options: { readonly firstLine: number; readonly maxLength: number },
  ) {
    this.#format = format;
    this.#entries = entries;
    this.#number = options.firstLine;
    this.#maxLength = options.maxLength;
  }

  get type(): SitemapType {
    return this.#format.type;
  }

  get isSettled(): boolean {
    return this.#entries.isFull;
  }

  write(chunk: Uint8Array): void {
    const end = endOfLines(chunk);
    const held = this.#held;
    if (end === 0) {
      held.add(chunk);
      if (held.length > 3 * this.#maxLength + 4 && !this.#readHeld()) this.#dropStart();
      return;
    }
    if (held.length === 0) this.#read(chunk.subarray(0, end));
    else {
      held.add(chunk.subarray(0, end));
      this.#read(held.bytes);
    }
    held.reset(chunk.subarray(end));
  }

  /** Reads complete lines that are held back: their ends were split between chunks. */
  catchUp(): void {
    this.#readHeld();
  }

  #readHeld(): boolean {
    const held = this.#held;
    const end = endOfLines(held.bytes);
    if (end === 0) return false;
    const rest = held.bytes.slice(end);
    this.#read(held.bytes.subarray(0, end));
    held.reset(rest);
    return true;
  }

  /** Ends the document; the last line of a truncated one is dropped. */
  end(isTruncated: boolean): DocumentOutcome {
    const entries = this.#entries, { type, withoutEntries } = this.#format;
    this.#isTruncated = isTruncated;
    if (this.#held.length > 0) this.#read(this.#held.bytes);
    // all of an overlong line may have been dropped
    if (this.#isOverlong && !entries.isFull) this.#takeLine("", isTruncated);
    return withoutEntries !== undefined && entries.count === 0
      ? { code: "not-a-sitemap", reason: withoutEntries }
      : { type, complete: !isTruncated && !entries.isFull };
  }

  /** Reads complete lines. */
  #read(bytes: Uint8Array): void {
    const window = this.#window;
    this.#entries.reportReplaced(window.load(bytes));
    const { text } = window, end = text.length;
    for (let at = 0; at < end && !this.#entries.isFull;) {
      const found = text.indexOf("\n", at);
      const stop = found < 0 ? end : found;
      if (!this.#takeAddress(at, stop)) this.#takeLines(at, found < 0 ? end : found + 1);
      at = stop + 1;
    }
    this.#entries.flush();
  }

  /** Reads a line that is only the URL of a page, as nearly all are; returns whether it is. */
  #takeAddress(start: number, end: number): boolean {
    const window = this.#window, { scan, addresses } = this.#entries;
    if (this.#format.hasAddressLines !== true || this.#isOverlong || this.#isTruncated) {
      return false;
    }
    const stop = end > start && window.bytes[end - 1] === CR ? end - 1 : end;
    if (stop - start > this.#maxLength || stop === start) return false;
    scan.range(window.view, start, stop);
    if ((scan.flags & CONTROL) !== 0 || window.text.slice(start, stop).includes(" ")) return false;
    // text has no references
    const url = addresses.read(window, start, stop, scan.flags & ~REFERENCE);
    if (url === undefined || ((scan.flags & WIDE) !== 0 && SPACE_REGEXP.test(url))) return false;
    this.#entries.page({ url }, scan.high, scan.low, this.#number);
    this.#number++;
    return true;
  }

  /** Reads all other lines, up to an LF or the end of the document. */
  #takeLines(start: number, end: number): void {
    const lines = this.#window.slice(start, end, true).split(LINE_END_REGEXP);
    // the empty string after the last line end
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
      if (!this.#isOverlong) this.#takeStart(line);
    } else if (!isTruncated) this.#format.take(line, this.#number, this.#entries);
    this.#isOverlong = false;
  }

  #dropStart(): void {
    const { bytes } = this.#held;
    if (!this.#isOverlong) {
      const start = bytes.subarray(0, MAX_OVERLONG_START);
      this.#takeStart(new TextDecoder().decode(start.subarray(0, wholeCharacters(start))));
    }
    this.#isOverlong = true;
    const whole = wholeCharacters(bytes);
    const rest = bytes.slice(bytes[whole - 1] === CR ? whole - 1 : whole);
    this.#entries.reportReplaced(this.#window.load(bytes.subarray(0, whole)));
    this.#held.reset(rest);
  }

  #takeStart(line: string): void {
    this.#format.takeOverlong?.(trimSpace(line.slice(0, MAX_OVERLONG_START)), this.#entries);
  }
}

/** Offset after the last line end; a CR at the end may belong to an LF that follows. */
function endOfLines(bytes: Uint8Array): number {
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

/** Plain text: one URL per line, at least one in all. */
export const TEXT_FORMAT: LineFormat = {
  type: "PagesTextSitemap",
  withoutEntries: "Text without a URL",
  hasAddressLines: true,
  take(line, number, entries) {
    const address = trimSpace(line);
    if (address === "" || address.startsWith("#")) return;
    if (!isAbsoluteHttp(address) || SPACE_REGEXP.test(address)) {
      return entries.warn("bad-line", `Invalid URL ${quoted(address)}: expected http(s)`, number);
    }
    const { scan } = entries;
    scan.text(address);
    entries.page({ url: address }, scan.high, scan.low, number);
  },
};

/**
 * Line with a sitemap key. Google accepts every key that begins like this, and RFC 9309 §2.2.4 accepts
 * it anywhere in the file, in any group.
 */
const SITEMAP_REGEXP = /^\s*site-?map/i;
/**
 * Key and colons: `Sitemap:`, `Sitemaps ::`. The first colon after a key of several words has whitespace
 * next to it (`Sitemap index: x`); otherwise it is part of the address (`Sitemap https://site.test/`).
 */
const KEY_REGEXP = /^\s*site-?map(?:[^\s:]*\s*:|[^:]*(?:\s:|:+(?=\s|$)))[\s:]*/i;
/** Key and address without a colon between them: exactly two words. */
const TWO_WORDS_REGEXP = /^\s*site-?map\S*\s+(\S+)\s*$/i;
/** Comment; a `#` without whitespace before it is part of the address. */
const COMMENT_REGEXP = /\s#.*$/s;
/** Whitespace and control characters, which are removed at the ends of a value. */
const BLANK_REGEXP = /[\s\p{Cc}]/u;
/** Characters that are removed at the ends of one of several URLs. */
const WORD_EDGE_REGEXP = /[,\p{Cc}]/u;
/** Whitespace, or a comma before another URL; any other comma is part of an address. */
const SEPARATOR_REGEXP = /[\s\x85]+|,(?=["'`<“„‘«]?https?:)/i;

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
    const { addresses, isQuoted } = addressesIn(value);
    if (isQuoted) {
      entries.warn("address-repaired", "Quotes around the address of a sitemap removed", number);
    }
    for (const address of addresses) entries.child(ownCopy(address), number);
  },
  takeOverlong(line, entries) {
    if (SITEMAP_REGEXP.test(line)) entries.dropChild();
  },
};

/** Returns the value of a sitemap line, whose comment is removed; `undefined` for any other line. */
function valueOf(line: string): string | undefined {
  const key = KEY_REGEXP.exec(line)?.[0];
  const value = key === undefined ? TWO_WORDS_REGEXP.exec(line)?.[1] : line.slice(key.length);
  return value === undefined ? undefined : trimmed(value, BLANK_REGEXP);
}

/** A value is split only if all its words are absolute URLs. */
function addressesIn(value: string): { readonly addresses: string[]; readonly isQuoted: boolean } {
  const whole = withoutQuotes(value);
  for (const text of [value, whole]) {
    const words = text.split(SEPARATOR_REGEXP).map((word) => trimmed(word, WORD_EDGE_REGEXP))
      .filter((word) => word !== "");
    const addresses = words.map(withoutQuotes);
    if (addresses.length > 1 && addresses.every(isAbsoluteHttp)) {
      const isQuoted = text !== value || addresses.some((address, at) => address !== words[at]);
      return { addresses, isQuoted };
    }
  }
  return { addresses: [whole], isQuoted: whole !== value && whole !== "" };
}

/** Tags of HTML in a row; an address in angle brackets is none. */
const TAGS_REGEXP = /(?:<[!/]?[a-z][a-z0-9]*(?:\s[^<>]*)?\/?>)+/gi;
/** A line end, or the place before the first or behind the last character. */
const EDGES: readonly (string | undefined)[] = ["\n", "\r", undefined];

/** Returns HTML in the place of robots.txt as lines of text: tags within a line end it. */
export function withoutTags(html: string): string {
  return html.replace(TAGS_REGEXP, (tags, at: number) => {
    const isAtEnd = EDGES.includes(html[at - 1]) || EDGES.includes(html[at + tags.length]);
    return isAtEnd ? "" : "\n";
  });
}

export function hasSitemapLine(text: string): boolean {
  return text.split(LINE_END_REGEXP).some((line) =>
    SITEMAP_REGEXP.test(line) && valueOf(line.replace(COMMENT_REGEXP, "")) !== undefined
  );
}

function withoutQuotes(value: string): string {
  const closing = QUOTES[value.charAt(0)];
  const isQuoted = closing !== undefined && value.length > 1 && value.endsWith(closing);
  return trimmed(isQuoted ? value.slice(1, -1) : value, BLANK_REGEXP);
}
