/**
 * One document, bytes in, entries out: classified by its content, never by its name or type.
 *
 * @module
 */

import { detectEncoding } from "../bytes/detect_encoding.ts";
import type { HashSet64 } from "../bytes/hash_set.ts";
import { isWhiteSpace } from "../bytes/sniff.ts";
import { Transcoder } from "../bytes/transcode.ts";
import { HeldBytes, wholeCharacters } from "../bytes/window.ts";
import type { WarningCode } from "../codes.ts";
import type { CutError } from "../errors.ts";
import type { SitemapType } from "../events.ts";
import { DEFAULT_LIMITS, type DocumentLimits } from "../limits.ts";
import { AddressReader } from "./address_reader.ts";
import { Entries, type EntryDigest } from "./entries.ts";
import { type LineFormat, LineReader } from "./lines.ts";
import { ROBOTS_FORMAT } from "./robots.ts";
import type { EntrySink } from "./sink.ts";
import { TEXT_FORMAT } from "./text.ts";
import { type DocumentOutcome, ReaderPool, type XmlDocument } from "./xml_document.ts";

/** What is known of a document before it is read. */
export interface DocumentOptions {
  /** Its final URL: relative addresses are resolved against it. */
  readonly url: string;
  /** Whether it was requested as robots.txt. */
  readonly isRobots: boolean;
  /** The charset of its Content-Type. */
  readonly charset?: string | undefined;
  /** Its limits. */
  readonly limits?: DocumentLimits;
  /** What reading it takes. */
  readonly readers?: ReaderPool;
  /** Entries of an earlier reading that broke off. */
  readonly skipped?: EntryDigest | undefined;
}

/** White space and byte order marks, which JavaScript counts as white space. */
const CONTENT_REGEXP = /[^\s\u0085]/;
/** Control characters do not tell kinds apart either. */
// deno-lint-ignore no-control-regex -- XML forbids most of them, the others are white space
const TELLING_REGEXP = /[^\s\u0085\0-\x1f]/;

/** How much leading white space is kept at least. */
const MAX_LEADING_SPACE = 64 * 1024;
/** The encoding is known after so many bytes in any case. */
const MAX_HEAD = MAX_LEADING_SPACE + 2048;
/** Invalid sequences that are reported. */
const MAX_REPLACED_WARNINGS = 1000;

const LF = 0x0a, LT = 0x3c;
const EMPTY = new Uint8Array(0);
const DECODER = new TextDecoder("utf-8", { ignoreBOM: true });

/** Reads one document. */
export class DocumentReader {
  readonly #options: DocumentOptions;
  readonly #limits: DocumentLimits;
  readonly #sink: EntrySink;
  readonly #readers: ReaderPool;
  readonly #seen: HashSet64;
  readonly #entries: Entries;
  readonly #addresses: AddressReader;
  /** The first bytes, until they tell the encoding. */
  #head: HeldBytes | undefined = new HeldBytes();
  /** Makes UTF-8 of the bytes, unless that is what they are. */
  #transcoder: Transcoder | undefined;
  /** UTF-8 that does not tell the kind of document yet, */
  readonly #leading = new HeldBytes();
  /** how much of it was looked at, */
  #examined = 0;
  /** and the line that it begins with. */
  #firstLine = 1;
  #xml: XmlDocument | undefined;
  #lines: LineReader | undefined;
  #lineFormat: LineFormat | undefined;
  #replaced = 0;

  constructor(options: DocumentOptions, sink: EntrySink) {
    this.#options = options;
    this.#limits = options.limits ?? DEFAULT_LIMITS;
    this.#sink = sink;
    this.#readers = options.readers ?? new ReaderPool(this.#limits);
    this.#seen = this.#readers.takeSet();
    const { scan } = this.#readers;
    const { maxEntries } = this.#limits;
    this.#entries = new Entries(options.url, sink, {
      maxEntries,
      seen: this.#seen,
      scan,
      typeOf: () => this.type,
      skipped: options.skipped,
    });
    this.#addresses = new AddressReader(this.#entries.resolver, scan);
  }

  /** The kind of sitemap, once it is known. */
  get type(): SitemapType | undefined {
    return this.#xml?.type ?? this.#lineFormat?.type;
  }

  /** Entries that were handed on, in this reading or an earlier one. */
  get digest(): EntryDigest {
    return this.#entries.digest;
  }

  /** Whether entries of an earlier reading are still skipped. */
  get isSkipping(): boolean {
    return this.#entries.isSkipping;
  }

  /** Whether nothing that follows matters. */
  get settled(): boolean {
    return this.#xml?.isSettled ?? this.#entries.isFull;
  }

  /** Takes a chunk of bytes. */
  write(chunk: Uint8Array): void {
    if (this.settled) return;
    if (this.#head !== undefined) this.#writeHead(chunk, false);
    else this.#writeText(this.#transcoder?.transcode(chunk) ?? chunk);
  }

  /** Reads what is held back although it is complete: something is reported that comes after it. */
  catchUp(): void {
    if (this.settled) return;
    this.#xml?.catchUp();
    this.#lines?.catchUp();
  }

  /** Takes the end of the document; `cut` is why more did not come, and is reported unless muted. */
  end(cut?: CutError, muted = false): DocumentOutcome {
    if (this.#head !== undefined) this.#writeHead(EMPTY, true);
    if (this.#transcoder !== undefined && !this.settled) this.#writeText(this.#transcoder.end());
    // a tag that is held back may end the document before the cut does
    if (cut !== undefined) this.catchUp();
    const isCut = cut !== undefined && !this.settled;
    const outcome = this.#outcome(isCut ? cut : undefined, muted);
    this.#readers.giveSet(this.#seen);
    if (this.#xml !== undefined) this.#readers.giveXml(this.#xml);
    return outcome;
  }

  #outcome(cut: CutError | undefined, muted: boolean): DocumentOutcome {
    if (this.#xml === undefined && this.#lines === undefined) this.#beginLate();
    if (cut !== undefined && !muted) this.#entries.warn(cut.code, cut.message);
    const outcome = this.#xml?.end(cut !== undefined) ?? this.#endOfLines(cut !== undefined);
    if (this.#xml !== undefined) this.#reportReplaced(this.#xml.takeReplaced());
    const isNothing = this.#entries.count === 0 && cut?.code === "too-large";
    return isNothing ? { code: "too-large", reason: cut.message } : outcome;
  }

  #endOfLines(isCut: boolean): DocumentOutcome {
    const format = this.#lineFormat;
    if (format === undefined) return { code: "empty", reason: "No content" };
    this.#lines!.end(isCut);
    const { type, withoutEntries } = format;
    if (withoutEntries !== undefined && this.#entries.count === 0) {
      return { code: "not-a-sitemap", reason: withoutEntries };
    }
    return { type, complete: !isCut && !this.#entries.isFull };
  }

  /** Gathers the first bytes until they tell the encoding. */
  #writeHead(chunk: Uint8Array, atEnd: boolean): void {
    const held = this.#head!;
    const isFirst = held.length === 0;
    if (!isFirst) held.add(chunk);
    const head = isFirst ? chunk : held.bytes;
    // white space tells nothing new, so it costs no more byte by byte than at once
    const isSilent = !atEnd && head.length < MAX_HEAD && chunk.every(isWhiteSpace);
    const warn = (code: WarningCode, message: string) => this.#sink.warning(code, message);
    const { charset } = this.#options;
    const encoding = isSilent ? undefined : detectEncoding(head, { charset, atEnd, warn });
    if (encoding === undefined) {
      if (isFirst) held.add(chunk);
      return;
    }
    this.#head = undefined;
    const { label, bomLength, unconfirmedCharset } = encoding;
    if (label !== "utf-8") this.#transcoder = new Transcoder(label, warn, { unconfirmedCharset });
    const text = head.subarray(bomLength);
    this.#writeText(this.#transcoder?.transcode(text) ?? text);
  }

  /** Takes UTF-8. */
  #writeText(chunk: Uint8Array): void {
    if (this.#xml !== undefined) this.#reportReplaced(this.#xml.write(chunk));
    else if (this.#lines !== undefined) this.#lines.write(chunk);
    else if (chunk[0] === LT && this.#leading.length === 0) {
      this.#beginXml();
      this.#writeText(chunk);
    } else this.#writeLeading(chunk);
  }

  /** Takes UTF-8 that may be nothing but white space. */
  #writeLeading(chunk: Uint8Array): void {
    const leading = this.#leading;
    leading.add(chunk);
    const { bytes } = leading;
    const end = wholeCharacters(bytes);
    const text = DECODER.decode(bytes.subarray(this.#examined, end));
    const content = text.search(TELLING_REGEXP);
    this.#examined = end;
    if (content < 0) return this.#dropLeading();
    leading.length = 0;
    if (text[content] === "<") this.#beginXml();
    else this.#beginLines();
    this.#writeText(bytes);
  }

  /** Drops the beginning of white space that is too long, seldom enough to cost little. */
  #dropLeading(): void {
    const { bytes } = this.#leading;
    const dropped = bytes.length - MAX_LEADING_SPACE;
    if (dropped < MAX_LEADING_SPACE) return;
    for (let at = 0; at < dropped; at++) if (bytes[at] === LF) this.#firstLine++;
    this.#leading.reset(bytes.slice(dropped));
    this.#examined -= dropped;
  }

  /** Classifies a document of white space and control characters, at its end: as text, if at all. */
  #beginLate(): void {
    const { bytes } = this.#leading;
    if (!this.#options.isRobots && !CONTENT_REGEXP.test(DECODER.decode(bytes))) return;
    this.#beginLines();
    this.#lines!.write(bytes);
  }

  #beginXml(): void {
    this.#xml = this.#readers.takeXml();
    this.#xml.begin(this.#entries, this.#addresses, this.#options.url, this.#firstLine);
  }

  #beginLines(): void {
    this.#lineFormat = this.#options.isRobots ? ROBOTS_FORMAT : TEXT_FORMAT;
    this.#lines = new LineReader(this.#lineFormat, this.#entries, this.#addresses, {
      firstLine: this.#firstLine,
      maxLength: this.#limits.maxValueLength,
      onReplaced: (count) => this.#reportReplaced(count),
    });
  }

  #reportReplaced(count: number): void {
    for (let i = 0; i < count && this.#replaced < MAX_REPLACED_WARNINGS; i++) {
      this.#replaced++;
      this.#entries.warn("encoding-replaced", "Invalid UTF-8 replaced by U+FFFD");
    }
  }
}
