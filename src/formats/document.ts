/**
 * One document, bytes in, entries out: told apart by its content, never by its name or type.
 *
 * @module
 */

import { detectEncoding, StreamDecoder } from "../bytes/decode.ts";
import { isWhiteSpace } from "../bytes/sniff.ts";
import type { CutError } from "../errors.ts";
import type { SitemapType } from "../events.ts";
import { DEFAULT_LIMITS, type DocumentLimits } from "../limits.ts";
import { type AddressSet, AddressSets } from "./address_set.ts";
import { DeferredXmlReader } from "./deferred_xml.ts";
import { Entries } from "./entries.ts";
import { LineDocumentReader } from "./line_document.ts";
import type { DocumentOutcome, TextReader } from "./reader.ts";
import { ROBOTS_FORMAT } from "./robots.ts";
import type { Warn } from "./record_format.ts";
import type { EntrySink } from "./sink.ts";
import { TEXT_FORMAT } from "./text.ts";
import { TwoLanes } from "./two_lanes.ts";
import { XmlDocumentReader } from "./xml_document.ts";

/** What is known of a document before it is read. */
export interface DocumentOptions {
  /** Where it came from in the end: relative addresses are resolved against it. */
  readonly url: string;
  /** Whether it was asked for as robots.txt. */
  readonly isRobots: boolean;
  /** The charset that HTTP names. */
  readonly charset?: string | undefined;
  /** Its ceilings. */
  readonly limits?: DocumentLimits;
  /** Where a set of addresses is to be had. */
  readonly addressSets?: AddressSets;
}

/** White space and byte order marks, which JavaScript counts as white space. */
const CONTENT_REGEXP = /[^\s\u0085]/;
/** What XML leaves out does not tell kinds apart either. */
// deno-lint-ignore no-control-regex -- XML forbids most of them, the others are white space
const TELLING_REGEXP = /[^\s\u0085\0-\x1f]/;

const LESS = 0x3c;

/** How much leading white space is kept, for the line numbers of what follows. */
const MAX_LEADING_SPACE = 64 * 1024;
/** So many first bytes tell the encoding in any case. */
const MAX_HEAD = MAX_LEADING_SPACE + 2048;

/** Reads one document. */
export class DocumentReader {
  readonly #options: DocumentOptions;
  readonly #limits: DocumentLimits;
  readonly #sink: EntrySink;
  readonly #addressSets: AddressSets;
  readonly #seen: AddressSet;
  readonly #entries: Entries;
  /** The first bytes, in the pieces they came in, until they tell the encoding. */
  #head: Uint8Array[] | undefined = [];
  #headLength = 0;
  #decoder: StreamDecoder | undefined;
  #leading = "";
  #reader: TextReader | undefined;
  #lanes: TwoLanes | undefined;
  #isUtf8 = false;

  constructor(options: DocumentOptions, sink: EntrySink) {
    this.#options = options;
    this.#limits = options.limits ?? DEFAULT_LIMITS;
    this.#sink = sink;
    this.#addressSets = options.addressSets ?? new AddressSets();
    this.#seen = this.#addressSets.take();
    this.#entries = new Entries(options.url, sink, {
      maxEntries: this.#limits.maxEntries,
      seen: this.#seen,
    });
  }

  /** The kind of sitemap, as soon as it is known. */
  get type(): SitemapType | undefined {
    return this.#reader?.type;
  }

  /** Whether nothing that follows can matter. */
  get settled(): boolean {
    return this.#reader?.settled ?? false;
  }

  /** Takes a chunk of bytes. */
  write(chunk: Uint8Array): void {
    if (this.settled) return;
    if (this.#lanes !== undefined) this.#lanes.write(chunk);
    else if (this.#decoder === undefined) this.#writeHead(chunk, false);
    else this.#writeText(this.#decoder.decode(chunk));
  }

  /** Reads what was put off until more is known: something is to be told that stands behind it. */
  catchUp(): void {
    if (!this.settled) this.#lanes?.catchUp();
  }

  /** Takes the end of the document; `cut` says why more did not come, and is told unless muted. */
  end(cut?: CutError, muted = false): DocumentOutcome {
    if (this.#head !== undefined) this.#writeHead(new Uint8Array(0), true);
    this.catchUp();
    if (this.#decoder !== undefined && !this.settled) this.#writeText(this.#decoder.end());
    if (cut !== undefined && !muted && !this.settled) {
      this.#sink.warning(cut.code, cut.message);
    }
    const outcome = this.#outcome(cut !== undefined && !this.settled ? cut : undefined);
    this.#addressSets.give(this.#seen);
    return outcome;
  }

  #outcome(cut: CutError | undefined): DocumentOutcome {
    if (this.#reader === undefined) this.#beginLate();
    const nothing = this.#entries.count === 0 && cut?.code === "too-large";
    if (nothing) return { code: "too-large", reason: cut.message };
    if (this.#reader === undefined) return { code: "empty", reason: "No content" };
    return this.#reader.end(cut !== undefined);
  }

  /** Gathers the first bytes until they tell the encoding. */
  #writeHead(chunk: Uint8Array, atEnd: boolean): void {
    this.#headLength += chunk.length;
    // white space tells nothing new, so it costs no more byte by byte than at once
    if (!atEnd && this.#headLength < MAX_HEAD && chunk.every(isWhiteSpace)) {
      this.#head!.push(chunk.slice());
      return;
    }
    const head = this.#head!.length === 0 ? chunk : joined([...this.#head!, chunk]);
    // named first, see `XmlDocumentReader`
    const warn: Warn = (code, message) => this.#sink.warning(code, message);
    const encoding = detectEncoding(head, { charset: this.#options.charset, atEnd, warn });
    if (encoding === undefined) {
      this.#head = [head.slice()];
      return;
    }
    this.#head = undefined;
    this.#decoder = new StreamDecoder(encoding.label, warn);
    this.#isUtf8 = encoding.label === "utf-8";
    this.#writeFirst(head.subarray(encoding.bomLength));
  }

  /** The first bytes, behind a byte order mark, in a known encoding. */
  #writeFirst(bytes: Uint8Array): void {
    const content = bytes[0] === LESS ? 0 : bytes.findIndex((byte) => !isWhiteSpace(byte));
    if (this.#isUtf8 && bytes[content] === LESS) {
      const reader = new DeferredXmlReader(this.#entries, this.#limits);
      this.#reader = reader;
      this.#lanes = new TwoLanes(reader, this.#decoder!, this.#entries, this.#limits);
      this.#lanes.write(withoutExcess(bytes, content));
    } else {
      this.#writeText(this.#decoder!.decode(bytes));
    }
  }

  #writeText(text: string): void {
    if (this.#reader !== undefined) return this.#reader.write(text);
    const found = text.search(TELLING_REGEXP);
    const content = found < 0 ? text.length : found;
    this.#leading += text.slice(0, Math.min(content, MAX_LEADING_SPACE - this.#leading.length));
    if (found < 0) return;
    this.#begin(text.charAt(content));
    this.#reader!.write(this.#leading + text.slice(content));
    this.#leading = "";
  }

  /** At the end, with nothing that tells kinds apart: control characters are text, if anything. */
  #beginLate(): void {
    const leading = this.#leading;
    if (!this.#options.isRobots && !CONTENT_REGEXP.test(leading)) return;
    this.#begin("");
    this.#reader!.write(leading);
  }

  #begin(first: string): void {
    if (first === "<") {
      this.#reader = new XmlDocumentReader(this.#entries, this.#limits);
      return;
    }
    const format = this.#options.isRobots ? ROBOTS_FORMAT : TEXT_FORMAT;
    this.#reader = new LineDocumentReader(format, this.#entries, this.#limits.maxValueLength);
  }
}

/** The bytes without the leading white space that is more than anybody counts. */
function withoutExcess(bytes: Uint8Array, content: number): Uint8Array {
  return content <= MAX_LEADING_SPACE
    ? bytes
    : joined([bytes.subarray(0, MAX_LEADING_SPACE), bytes.subarray(content)]);
}

function joined(pieces: readonly Uint8Array[]): Uint8Array {
  if (pieces.length === 1) return pieces[0]!;
  const bytes = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}
