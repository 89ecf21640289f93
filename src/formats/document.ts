/**
 * An XML document: a scanner, and a reader of the records that it finds.
 *
 * @module
 */

import { detectEncoding, isWhiteSpace } from "../bytes/detect_encoding.ts";
import { HashSet64 } from "../bytes/hash_set.ts";
import { Transcoder } from "../bytes/transcode.ts";
import { type HashKey, randomKey, ValueScan } from "../bytes/value_scan.ts";
import { HeldBytes, wholeCharacters } from "../bytes/window.ts";
import type { InvalidCode, WarningCode } from "../data/codes.ts";
import type { CutError } from "../data/errors.ts";
import type { SitemapType } from "../data/events.ts";
import { DEFAULT_LIMITS, type DocumentLimits } from "../data/limits.ts";
import { excerpt } from "../data/text.ts";
import { trimSpace } from "../data/url.ts";
import { Scanner } from "../xml/scanner.ts";
import { Entries, type EntryDigest, type EntrySink, quoted } from "./entries.ts";
import { type LineFormat, LineReader, ROBOTS_FORMAT, TEXT_FORMAT } from "./lines.ts";
import { AddressReader, RecordReader } from "./record.ts";

/** How reading a document ended. */
export type DocumentOutcome =
  | {
    /** The kind of sitemap it is. */
    readonly type: SitemapType;
    /** Whether it was read to its end. */
    readonly complete: boolean;
  }
  | {
    /** Why it cannot be used. */
    readonly code: InvalidCode;
    /** The same for people. */
    readonly reason: string;
  };

/** Reads one XML document after the other. */
export class XmlDocument {
  readonly #records: RecordReader;
  readonly #scanner: Scanner<RecordReader["noMeaning"]>;
  #entries!: Entries;

  constructor(scan: ValueScan, limits: DocumentLimits) {
    const records = new RecordReader(limits.maxValueLength);
    this.#records = records;
    this.#scanner = records.scanner = new Scanner(records, scan, limits);
  }

  /** Begins a document, at a line. */
  begin(entries: Entries, addresses: AddressReader, url: string, line: number): void {
    this.#entries = entries;
    this.#records.begin(entries, addresses, url);
    this.#scanner.reset(line);
  }

  /** The kind of sitemap, once it is known. */
  get type(): SitemapType | undefined {
    return this.#records.format?.type;
  }

  /** Whether nothing that follows matters. */
  get isSettled(): boolean {
    return this.#scanner.stopped !== undefined || this.#scanner.isDone || this.#entries.isFull;
  }

  /** Takes a chunk of UTF-8; returns the number of invalid sequences in it. */
  write(chunk: Uint8Array): number {
    this.#scanner.write(chunk);
    this.#entries.flush();
    return this.#scanner.takeReplaced();
  }

  /** Number of invalid sequences since the last call. */
  takeReplaced(): number {
    return this.#scanner.takeReplaced();
  }

  /** Reads what is held back because it is long. */
  catchUp(): void {
    this.#scanner.catchUp();
    this.#entries.flush();
  }

  /** Takes the end of the document; `isCut` if there should have been more. */
  end(isCut: boolean): DocumentOutcome {
    const isClosed = !this.#entries.isFull && this.#scanner.end();
    this.#entries.flush();
    const { stopped } = this.#scanner, { format, root } = this.#records;
    if (stopped === "xml-dtd") {
      return { code: "xml-dtd", reason: "DOCTYPE with an internal subset" };
    }
    if (format === undefined) return { code: "not-a-sitemap", reason: this.#whyNot() };
    if (stopped !== undefined) {
      this.#records.warn(stopped, `Truncated: ${stopped}`);
    } else if (!isClosed && !isCut) {
      this.#records.warn("xml-cut", `Document ends inside "${excerpt(root?.name.name ?? "")}"`);
    }
    return { type: format.type, complete: isClosed && !isCut && !this.#entries.isFull };
  }

  #whyNot(): string {
    const name = this.#records.root?.name;
    if (name === undefined) return "XML without a root element";
    if (name.lowerLocal !== "html") return `Unknown root element ${quoted(name.name)}`;
    const title = trimSpace(this.#records.title.replace(/\s+/g, " "));
    return title === "" ? "HTML page" : `HTML page ${quoted(title)}`;
  }
}

/**
 * What reading documents takes, to be used for one after another: the sitemaps of a site are alike, and
 * what was learned of the names and tags of one is known in the next.
 */
export class ReaderPool {
  /** Hashes addresses; all documents hash alike. */
  readonly scan: ValueScan;
  readonly #limits: DocumentLimits;
  readonly #documents: XmlDocument[] = [];
  readonly #sets: HashSet64[] = [];

  constructor(limits: DocumentLimits, key: HashKey = randomKey()) {
    this.#limits = limits;
    this.scan = new ValueScan(key);
  }

  /** Returns an empty set of hashes. */
  takeSet(): HashSet64 {
    return this.#sets.pop() ?? new HashSet64();
  }

  /** Takes back a set. */
  giveSet(set: HashSet64): void {
    set.clear();
    this.#sets.push(set);
  }

  /** Returns a reader of XML. */
  takeXml(): XmlDocument {
    return this.#documents.pop() ?? new XmlDocument(this.scan, this.#limits);
  }

  /** Takes back a reader of XML. */
  giveXml(document: XmlDocument): void {
    this.#documents.push(document);
  }
}

// MERGED: One document, bytes in, entries out: classified by its content, never by its name or type.

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

const LF = 0x0a;
const LT = 0x3c;
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
