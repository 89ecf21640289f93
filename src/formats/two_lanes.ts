/**
 * Leads the bytes of a UTF-8 document through two lanes: whole records of the common form through
 * the fast one, everything else through the general one. What comes out is the same.
 *
 * @module
 */

import type { StreamDecoder } from "../bytes/decode.ts";
import type { SitemapType } from "../events.ts";
import type { DocumentLimits } from "../limits.ts";
import { CarriedBytes } from "./carried_bytes.ts";
import type { DeferredXmlReader } from "./deferred_xml.ts";
import type { Entries } from "./entries.ts";
import { FastChunk } from "./fast_chunk.ts";
import { CHILD_FORM, PAGE_FORM, type RecordForm } from "./fast_elements.ts";
import { FastRecords } from "./fast_records.ts";

/** Smaller chunks are not worth the fast lane. */
const MIN_FAST_CHUNK = 1024;

/** A record that is longer than this when its chunk ends goes through the general lane. */
const MAX_CARRIED = 64 * 1024;

/** After so many records in a row that are not for the fast lane, it is left for this chunk. */
const MAX_MISSES = 8;

/** The fast lane opens no more elements and reads no more attributes than this. */
const FAST_DEPTH = 5;
const FAST_ATTRIBUTES = 3;

/**
 * All attributes of the open elements together have a ceiling, and the fast lane reads none of more
 * than 8 KiB a tag; behind a head this long it reads none at all.
 */
const MAX_FAST_HEAD = 512 * 1024;

const CR = 0x0d;

/** Reads an XML document in UTF-8. */
export class TwoLanes {
  readonly #general: DeferredXmlReader;
  readonly #decoder: StreamDecoder;
  readonly #entries: Entries;
  readonly #limits: DocumentLimits;
  readonly #passLines: (count: number) => void;
  #fast: FastRecords | undefined;
  /** What records look like, as far as is known. */
  #form = PAGE_FORM;
  #isFastAllowed: boolean;
  /** The beginning of a record whose end has not come yet. */
  readonly #carried = new CarriedBytes();
  /** Whether the general lane stands between two characters. */
  #betweenCharacters = true;
  /** Bytes that were read, or put off, before the first record of the fast lane. */
  #headLength = 0;

  constructor(
    general: DeferredXmlReader,
    decoder: StreamDecoder,
    entries: Entries,
    limits: DocumentLimits,
  ) {
    this.#general = general;
    this.#decoder = decoder;
    this.#entries = entries;
    this.#limits = limits;
    // named first, see `XmlDocumentReader`
    const passLines = (count: number) => general.passLines(count);
    this.#passLines = passLines;
    this.#isFastAllowed = limits.maxElementDepth >= FAST_DEPTH &&
      limits.maxAttributes >= FAST_ATTRIBUTES;
  }

  /** Takes a chunk of bytes. */
  write(chunk: Uint8Array): void {
    if (!this.#isFastAllowed || chunk.length < MIN_FAST_CHUNK || !this.#mayHaveRecords()) {
      this.catchUp();
      this.#slow(chunk);
      return;
    }
    const fast = new FastChunk(chunk);
    this.#form = formOf(this.#general.type, fast.text);
    const from = this.#carried.length > 0 ? this.#completeCarried(fast) : 0;
    this.#lead(fast, from);
  }

  #mayHaveRecords(): boolean {
    const { type } = this.#general;
    return type === undefined || type === PAGE_FORM.type || type === CHILD_FORM.type;
  }

  /** Reads what was carried over, in which no record is complete. */
  catchUp(): void {
    if (this.#carried.length > 0) this.#slow(this.#carried.take());
  }

  /**
   * Reads a chunk from a place on; what is left of a record at its end is carried over.
   */
  #lead(chunk: FastChunk, from: number): void {
    const { bytes, text } = chunk;
    const to = bytes.length;
    const last = text.lastIndexOf(this.#form.end);
    let at = this.#headLength > 0 ? from : this.#leadHead(chunk);
    let misses = 0;
    while (at < to && !this.#general.settled) {
      if (this.#isBetweenRecords()) {
        const behind = this.#lane().scan(chunk, at, last, this.#passLines);
        if (behind > at) misses = 0;
        at = behind;
        if (at > last) {
          const isTail = chunk.isAscii && this.#general.putsOffTail(text.slice(at));
          if (!isTail && at < to) this.#carried.add(bytes.subarray(at));
          return;
        }
        if (++misses > MAX_MISSES) return this.#slowIn(chunk, at, to);
      }
      const end = this.#endOfStretch(text, at);
      this.#slowIn(chunk, at, end);
      at = end;
    }
  }

  /** Leads the head of a document through the general lane, unless it is known: the place behind it. */
  #leadHead(chunk: FastChunk): number {
    const { text, isAscii } = chunk;
    const first = text.indexOf(this.#form.start);
    if (first <= 0) return 0;
    if (this.#general.putsOff(text, first)) {
      this.#headLength = first;
      return first;
    }
    this.#slowIn(chunk, 0, first);
    if (isAscii && this.#isBetweenRecords()) this.#general.remember(text.slice(0, first));
    return first;
  }

  /** How far the general lane goes: to the first record, or to the end of the one it is in. */
  #endOfStretch(text: string, at: number): number {
    const { start, end } = this.#form;
    const first = this.#general.type === undefined ? text.indexOf(start, at) : -1;
    if (first > at) return first;
    const found = text.indexOf(end, at);
    return found < 0 ? text.length : found + end.length;
  }

  /**
   * Reads what was carried over, up to the first end of a record in this chunk: the place behind it.
   * An end tag that the edge between the chunks cuts in two is in there somewhere.
   */
  #completeCarried(chunk: FastChunk): number {
    const found = chunk.text.indexOf(this.#form.end);
    const end = found + this.#form.end.length;
    const isWorthIt = found >= 0 && this.#carried.length + end <= MAX_CARRIED;
    if (isWorthIt) {
      this.#carried.add(chunk.bytes.subarray(0, end));
      // what is left of it is carried over again
      this.#lead(new FastChunk(this.#carried.take()), 0);
    }
    this.catchUp();
    return isWorthIt ? end : 0;
  }

  #isBetweenRecords(): boolean {
    return this.#betweenCharacters && this.#general.betweenRecords &&
      (this.#fast !== undefined ||
        (this.#general.type === this.#form.type && this.#general.hasUsualNames));
  }

  /** The fast lane, for what names mean in this document. */
  #lane(): FastRecords {
    if (this.#fast !== undefined) return this.#fast;
    const { hasUsualImages, hasUsualNews, hasUsualAlternates } = this.#general.usualPrefixes;
    return this.#fast = new FastRecords(this.#entries, {
      form: this.#form,
      maxValueLength: this.#limits.maxValueLength,
      hasUsualImages,
      hasUsualNews,
      hasUsualAlternates: hasUsualAlternates && this.#headLength <= MAX_FAST_HEAD,
    });
  }

  /** The general lane reads a part of a chunk. */
  #slowIn(chunk: FastChunk, from: number, to: number): void {
    const bytes = chunk.bytes.subarray(from, to);
    const isText = chunk.isAscii && this.#decoder.isAsciiSoFar;
    this.#slow(bytes, isText ? chunk.text.slice(from, to) : undefined);
  }

  /** The general lane reads some bytes, which may have been decoded already. */
  #slow(bytes: Uint8Array, decoded?: string): void {
    if (bytes.length === 0) return;
    if (this.#fast === undefined) this.#headLength += bytes.length;
    this.#general.write(decoded ?? this.#decoder.decode(bytes));
    const last = bytes[bytes.length - 1]!;
    this.#betweenCharacters = last < 0x80 && last !== CR;
  }
}

/** What the records of a document look like, by its kind or, before that is known, its text. */
function formOf(type: SitemapType | undefined, text: string): RecordForm {
  if (type !== undefined) return type === CHILD_FORM.type ? CHILD_FORM : PAGE_FORM;
  const page = text.indexOf(PAGE_FORM.start);
  const isIndex = page < 0
    ? text.includes(CHILD_FORM.start)
    : text.lastIndexOf(CHILD_FORM.start, page) >= 0;
  return isIndex ? CHILD_FORM : PAGE_FORM;
}
