/**
 * Documents: bytes in, entries out. A document is classified by its content, never by its name or
 * media type.
 *
 * @module
 */

import { detectEncoding, isWhiteSpace } from "../bytes/detect_encoding.ts";
import { HashTable } from "../bytes/hash_table.ts";
import { Transcoder } from "../bytes/transcode.ts";
import { type HashKey, randomKey, ValueScan } from "../bytes/value_scan.ts";
import { HeldBytes, wholeCharacters } from "../bytes/window.ts";
import type { WarningCode } from "../data/codes.ts";
import type { TruncatedError } from "../data/errors.ts";
import type { SitemapType } from "../data/events.ts";
import { DEFAULT_LIMITS, type ReaderLimits } from "../data/limits.ts";
import { isAbsoluteHttp } from "../data/url.ts";
import { type DocumentOutcome, Entries, type EntryDigest, type EntrySink } from "./entries.ts";
import { hasSitemapLine, LineReader, ROBOTS_FORMAT, TEXT_FORMAT, withoutTags } from "./lines.ts";
import { XmlDocument } from "./xml_document.ts";
import { hasRootElement, MAX_JUNK } from "./xml_formats.ts";

export type { DocumentOutcome } from "./entries.ts";

interface ReaderParts {
  readonly xml: XmlDocument;
  readonly seen: HashTable;
}

/**
 * Reader parts for one document after another. The sitemaps of a site are alike, so the names and tags
 * learned from one are known in the next.
 */
export class ReaderPool {
  /** Hashes the addresses of all documents. */
  readonly scan: ValueScan;
  readonly limits: ReaderLimits;
  readonly #notes: boolean;
  readonly #idle: ReaderParts[] = [];

  constructor(limits: ReaderLimits, notes = false, key: HashKey = randomKey()) {
    this.limits = limits;
    this.#notes = notes;
    this.scan = new ValueScan(key);
  }

  take(): ReaderParts {
    return this.#idle.pop() ??
      { xml: new XmlDocument(this.scan, this.limits, this.#notes), seen: new HashTable() };
  }

  give(parts: ReaderParts): void {
    parts.seen.clear();
    this.#idle.push(parts);
  }
}

interface DocumentOptions {
  /** Final URL, against which relative addresses are resolved. */
  readonly url: string;
  /** Whether it was requested as robots.txt. */
  readonly isRobots: boolean;
  /** Charset of its Content-Type. */
  readonly charset?: string | undefined;
  /** Default: a new one, with {@linkcode DEFAULT_LIMITS}. */
  readonly readers?: ReaderPool;
  /** Entries of an earlier, truncated reading. */
  readonly skipped?: EntryDigest | undefined;
}

/** Anything but whitespace, byte order marks included. */
const CONTENT_REGEXP = /[^\s\u0085]/;
/** Anything but whitespace and control characters, which both XML and text may begin with. */
// deno-lint-ignore no-control-regex -- XML forbids most of them, the others are whitespace
const VISIBLE_REGEXP = /[^\s\u0085\0-\x1f]/;

/** Minimum length of leading whitespace that is kept. */
const MAX_LEADING_SPACE = 64 * 1024;
/** Bytes after which the encoding is decided in any case. */
const MAX_HEAD = MAX_LEADING_SPACE + 2048;

/** Bytes of the start of a root element, up to the end of its name. */
const MAX_ROOT_START = 128;

const LF = 0x0a;
const LT = 0x3c;
const EMPTY = new Uint8Array(0);
const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });
const ENCODER = new TextEncoder();

/** Whether the first line is a URL: the text is a sitemap, whose pages are not held back. */
function beginsWithUrl(text: string): boolean {
  const [line = ""] = text.split("\n", 1);
  const address = line.trimEnd();
  return !/\s/.test(address) && isAbsoluteHttp(address);
}

/**
 * Reads one document.
 *
 * ```text
 * bytes ─► #writeHead ─► #writeText ─► #writeLeading ─► XmlDocument or LineReader
 *          until the     UTF-8 from    until the kind
 *          encoding is   here on       of document
 *          known                       is known
 * ```
 */
export class DocumentReader {
  readonly #options: DocumentOptions;
  readonly #sink: EntrySink;
  readonly #pool: ReaderPool;
  readonly #parts: ReaderParts;
  readonly #entries: Entries;
  /** First bytes, until the encoding is known. */
  #head: HeldBytes | undefined = new HeldBytes();
  /** `undefined` if the bytes are UTF-8. */
  #transcoder: Transcoder | undefined;
  /** UTF-8 that does not show the kind of document so far. */
  readonly #leading = new HeldBytes();
  /** Bytes of `#leading` that were searched for a visible character, which is the last of them. */
  #searched = 0;
  /** First visible character. */
  #first = "";
  /** Whether the line that it begins is complete. */
  #hasLine = false;
  /** Line that `#leading` begins with. */
  #firstLine = 1;
  #body: XmlDocument | LineReader | undefined;

  constructor(options: DocumentOptions, sink: EntrySink) {
    this.#options = options;
    this.#sink = sink;
    this.#pool = options.readers ?? new ReaderPool(DEFAULT_LIMITS);
    this.#parts = this.#pool.take();
    this.#entries = new Entries(options.url, sink, {
      maxEntries: this.#pool.limits.maxEntries,
      seen: this.#parts.seen,
      scan: this.#pool.scan,
      typeOf: () => this.type,
      skipped: options.skipped,
    });
  }

  get type(): SitemapType | undefined {
    return this.#body?.type;
  }

  get digest(): EntryDigest {
    return this.#entries.digest;
  }

  get isSkipping(): boolean {
    return this.#entries.isSkipping;
  }

  /** Whether the rest of the document is ignored. */
  get settled(): boolean {
    return this.#body?.isSettled ?? false;
  }

  write(chunk: Uint8Array): void {
    if (this.settled) return;
    if (this.#head !== undefined) this.#writeHead(chunk, false);
    else this.#writeText(this.#transcoder?.transcode(chunk) ?? chunk);
  }

  /** Reads complete constructs that are held back, before something after them is reported. */
  catchUp(): void {
    if (!this.settled) this.#body?.catchUp();
  }

  /** Ends the document; `cut` is why it is truncated, and is reported unless muted. */
  end(cut?: TruncatedError, muted = false): DocumentOutcome {
    if (this.#head !== undefined) this.#writeHead(EMPTY, true);
    if (this.#transcoder !== undefined && !this.settled) this.#writeText(this.#transcoder.end());
    // a tag that is held back may end the document before the cut does
    if (cut !== undefined) this.catchUp();
    const outcome = this.#outcome(this.settled ? undefined : cut, muted);
    this.#pool.give(this.#parts);
    return outcome;
  }

  #outcome(cut: TruncatedError | undefined, muted: boolean): DocumentOutcome {
    if (this.#body === undefined) this.#readRest();
    if (cut !== undefined && !muted) this.#entries.warn(cut.code, cut.message);
    const outcome = this.#body?.end(cut !== undefined) ?? { code: "empty", reason: "No content" };
    return cut?.code === "too-large" && this.#entries.count === 0
      ? { code: "too-large", reason: cut.message }
      : outcome;
  }

  #writeHead(chunk: Uint8Array, atEnd: boolean): void {
    const held = this.#head!;
    const isFirst = held.length === 0;
    if (!isFirst) held.add(chunk);
    const head = isFirst ? chunk : held.bytes;
    // whitespace does not determine the encoding: detecting only after it keeps the cost linear
    const isUndecided = !atEnd && head.length < MAX_HEAD && chunk.every(isWhiteSpace);
    const warn = (code: WarningCode, message: string) => this.#sink.warning(code, message);
    const { charset } = this.#options;
    const encoding = isUndecided ? undefined : detectEncoding(head, { charset, atEnd, warn });
    if (encoding === undefined) {
      if (isFirst) held.add(chunk);
      return;
    }
    this.#head = undefined;
    const { label, bomLength, unconfirmedCharset } = encoding;
    if (label !== "utf-8") this.#sink.note?.("encoding", `Encoding is "${label}"`);
    else if (bomLength > 0) this.#sink.note?.("bom", "Document begins with a byte order mark", 1);
    if (label !== "utf-8") this.#transcoder = new Transcoder(label, warn, unconfirmedCharset);
    const text = head.subarray(bomLength);
    this.#writeText(this.#transcoder?.transcode(text) ?? text);
  }

  #writeText(chunk: Uint8Array): void {
    const isXml = chunk[0] === LT && this.#leading.length === 0 && !this.#options.isRobots;
    if (this.#body !== undefined) this.#body.write(chunk);
    else if (isXml) this.#begin(true).write(chunk);
    else this.#writeLeading(chunk);
  }

  #writeLeading(chunk: Uint8Array): void {
    const leading = this.#leading;
    leading.add(chunk);
    if (this.#first === "") {
      const { bytes } = leading;
      const end = wholeCharacters(bytes);
      const text = DECODER.decode(bytes.subarray(this.#searched, end));
      this.#first = VISIBLE_REGEXP.exec(text)?.[0] ?? "";
      if (this.#first === "") {
        this.#searched = end;
        return this.#trimLeading();
      }
    }
    const isMarkup = this.#first === "<", { isRobots } = this.#options;
    const isUnclear = isMarkup === isRobots && leading.length - this.#searched <= MAX_JUNK;
    // a root element begins in the last bytes, or shortly before them
    const end = isUnclear && isMarkup && leading.bytes.slice(-chunk.length - MAX_ROOT_START);
    if (!isUnclear || end && hasRootElement(DECODER.decode(end))) this.#decide();
    else if (!isMarkup && !this.#hasLine && chunk.includes(LF)) {
      const text = DECODER.decode(leading.bytes).trimStart();
      this.#hasLine = text.includes("\n");
      if (this.#hasLine && beginsWithUrl(text)) this.#decide();
    }
  }

  /**
   * Begins to read what was collected. Text may be junk before XML, and HTML in the place of robots.txt
   * may contain its lines.
   */
  #decide(): void {
    const leading = this.#leading, { isRobots } = this.#options;
    const { bytes } = leading;
    const text = DECODER.decode(bytes).trimStart();
    const isMarkup = this.#first === "<";
    const isXml = isMarkup === isRobots ? hasRootElement(text) && !beginsWithUrl(text) : isMarkup;
    leading.length = 0;
    if (isXml || !isMarkup) this.#begin(isXml).write(bytes);
    else if (!hasSitemapLine(withoutTags(text))) this.#begin(true).write(bytes);
    else this.#begin(false).write(ENCODER.encode(withoutTags(text)));
  }

  /** Drops the start of overlong whitespace, one block at a time to keep the cost linear. */
  #trimLeading(): void {
    const { bytes } = this.#leading;
    const dropped = bytes.length - MAX_LEADING_SPACE;
    if (dropped < MAX_LEADING_SPACE) return;
    for (let at = 0; at < dropped; at++) if (bytes[at] === LF) this.#firstLine++;
    this.#leading.reset(bytes.slice(dropped));
    this.#searched -= dropped;
  }

  /** Reads a short document, which may be without a visible character: as text, unless it is empty. */
  #readRest(): void {
    if (this.#first !== "") return this.#decide();
    const { bytes } = this.#leading;
    const isText = this.#options.isRobots || CONTENT_REGEXP.test(DECODER.decode(bytes));
    if (isText) this.#begin(false).write(bytes);
  }

  #begin(isXml: boolean): XmlDocument | LineReader {
    const { url, isRobots } = this.#options;
    if (isXml) {
      this.#parts.xml.begin(this.#entries, url, this.#firstLine);
      return this.#body = this.#parts.xml;
    }
    return this.#body = new LineReader(isRobots ? ROBOTS_FORMAT : TEXT_FORMAT, this.#entries, {
      firstLine: this.#firstLine,
      maxLength: this.#pool.limits.maxValueLength,
    });
  }
}
