/**
 * The fast lane: complete records of the common form, read straight from their bytes.
 *
 * Nine of ten records in the world are a `<url>` with `loc`, `lastmod`, `changefreq`, `priority`,
 * perhaps images, a news story or alternates, in exactly these spellings, or a `<sitemap>` with the
 * first two. Those are read here, several times as fast as by the tokenizer. Whatever else turns up,
 * be it an attribute, a comment, a CDATA section, an unreadable date, a duplicate or a bare `&`, is
 * none of this lane's business: it stops in front of the record, and the general lane reads that one
 * and tells what there is to tell. So the rules stand in one place, and nobody can see which lane a
 * record took.
 *
 * Where the time goes (50,000 plain records of 218 bytes, about 360 ns each):
 * - Bytes and text share one offset: the chunk is also there as a string of the same length. 35 ns to
 *   make it; slices of it cost little, and `indexOf("<")` finds the end of a long value in 22 ns,
 *   where a byte loop takes 2.2 ns a byte.
 * - What stands between the values is learned, then compared eight bytes at a time (`fast_glue.ts`).
 *   90 ns with all that leads from one value to the next.
 * - What leaves is copied, because a slice would keep its whole chunk alive: 60 ns (`text.ts`).
 * - Duplicates are found by a hash of the bytes, in one go with the end of the address, 50 ns
 *   (`address_hash.ts`), looked up in batches, 35 ns (`page_batch.ts`); a `Set` takes 600.
 * - Dates are read by words of four bytes and stay numbers: 30 ns, where `new Date(text)` takes 400.
 * - The page itself is 30 ns, and the garbage collector 20.
 *
 * @module
 */

import { parseIsoBytes } from "../date_bytes.ts";
import { CHANGE_FREQUENCIES, DEFAULT_PRIORITY, SitemapPage } from "../page.ts";
import type { ChangeFrequency, SitemapPageFields } from "../page.ts";
import { joinedCopy } from "../text.ts";
import type { HashedBeginning } from "./address_hash.ts";
import { BytePattern } from "./byte_pattern.ts";
import type { Entries } from "./entries.ts";
import { type FastChunk, NO_CHUNK } from "./fast_chunk.ts";
import { CHILD_FORM, ExtensionDraft } from "./fast_elements.ts";
import type { FastElement, RecordForm, UsualPrefixes } from "./fast_elements.ts";
import { type Places, placesOf } from "./fast_glue.ts";
import { PageBatch } from "./page_batch.ts";
import { parsePriority } from "./urlset.ts";

/** A page while it is put together. */
type PageDraft = { -readonly [K in keyof SitemapPageFields]: SitemapPageFields[K] };

/** What the fast lane must know of a document. */
export interface FastRecordsOptions extends UsualPrefixes {
  /** What its records look like. */
  readonly form: RecordForm;
  /** Bytes of one value. */
  readonly maxValueLength: number;
}

/** What a record may weigh has a ceiling, which nothing shorter than this can reach. */
const MAX_LENGTH = 64 * 1024;

const TAB = 0x09, LF = 0x0a, CR = 0x0d, SPACE = 0x20, POINT = 0x2e, ZERO = 0x30, LESS = 0x3c;

/** The priorities with one digit behind the point. */
const TENTHS: readonly number[] = Array.from({ length: 11 }, (_, tenths) => tenths / 10);

/** What may follow `<changefreq>`, by its first letter; those of the seven words differ. */
const FREQUENCIES: readonly (Frequency | undefined)[] = byLetter(CHANGE_FREQUENCIES);

interface Frequency {
  readonly word: ChangeFrequency;
  /** The word and what ends it, as far as eight bytes reach, read as a number. */
  readonly eight: number;
}

function byLetter(words: readonly ChangeFrequency[]): Frequency[] {
  const table: Frequency[] = [];
  for (const word of words) {
    const bytes = new DataView(new TextEncoder().encode(`${word}</c`).buffer);
    table[word.charCodeAt(0)] = { word, eight: bytes.getFloat64(0, true) };
  }
  return table;
}

/** One for all: nobody reads two documents at the same moment. */
const BATCH = new PageBatch();

/** What an address begins with: every address that does is valid. */
interface KnownAuthority {
  readonly text: string;
  readonly pattern: BytePattern;
}

/** The authority that was looked into last: most sitemaps of a site have the same. */
let lastAuthority: KnownAuthority | undefined;

/** Reads records of the common form. */
export class FastRecords {
  readonly #entries: Entries;
  readonly #maxValueLength: number;
  readonly #places: Places;
  readonly #isIndex: boolean;
  readonly #extensions = new ExtensionDraft();
  #chunk: FastChunk = NO_CHUNK;
  #known: KnownAuthority | undefined;
  /** What need not be hashed again of its addresses. */
  #beginning: HashedBeginning = { text: "", length: 0, high: 0, low: 0 };
  #lines = 0;
  /** How long the last date was; the next one will be the same. */
  #dateLength = 10;
  // where the value just trimmed begins and ends
  #start = 0;
  #end = 0;

  constructor(entries: Entries, options: FastRecordsOptions) {
    this.#entries = entries;
    this.#maxValueLength = options.maxValueLength;
    this.#places = placesOf(options.form, options);
    this.#isIndex = options.form === CHILD_FORM;
    if (lastAuthority !== undefined) this.#know(lastAuthority);
  }

  /**
   * Reads records from `from` on, none that ends behind `last`, the place of a `RECORD_END`. The
   * answer is the place behind the last record that it could read; `onLines` is told how many lines
   * end in them.
   */
  scan(chunk: FastChunk, from: number, last: number, onLines: (count: number) => void): number {
    this.#chunk = chunk;
    chunk.begin(from);
    const batch = BATCH;
    let at = from, lines = 0, { drift } = chunk;
    for (;;) {
      batch.beginAt(at, lines, drift);
      const end = batch.isFull || at >= last ? -1 : this.#record(at, last);
      if (end >= 0) {
        at = end;
        lines += this.#lines;
        drift = chunk.drift;
        continue;
      }
      const mayGoOn = batch.isFull;
      const taken = this.#entries.takeBatch(batch);
      const isAll = taken === batch.length;
      const place = batch.placeOf(taken);
      batch.clear(taken);
      if (mayGoOn && isAll) continue;
      chunk.end(place.at, place.drift);
      if (place.lines > 0) onLines(place.lines);
      return place.at;
    }
  }

  /**
   * Reads one record: the place behind it, or −1, with nothing done, where it is not of the common
   * form. All in one function over local variables: taken apart into methods over a cursor, the same
   * work takes twice the time. What it calls is short, or has a loop of its own: of long functions V8
   * makes calls, which is 4 ns each.
   */
  #record(from: number, last: number): number {
    const chunk = this.#chunk;
    const { bytes, view } = chunk;
    const extensions = this.#extensions;
    const { hash } = this.#entries;
    let place = this.#places.outside;
    this.#lines = 0;
    let at = from, lines = 0;
    let url: string | undefined;
    let priority = DEFAULT_PRIORITY, lastModified = NaN;
    let changeFrequency: ChangeFrequency | undefined;
    let isExtended = false;
    for (;;) {
      let glue = place.glue;
      if (glue === undefined || !glue.pattern.standsAt(view, at)) {
        glue = this.#places.follow(place, chunk, at);
        if (glue === undefined) return -1;
      }
      at += glue.pattern.length;
      if (glue.ended !== undefined && !glue.ended.end!(extensions, at)) return -1;
      if (glue.begun !== undefined) {
        if (!isExtended) extensions.clear();
        isExtended = true;
        glue.begun.begin!(extensions, at);
      }
      lines += glue.lines;
      place = glue.to;
      switch (place.kind) {
        case "address": {
          // of several the last counts: general business
          if (url !== undefined) return -1;
          const { drift } = chunk;
          const known = this.#known;
          // most are of the same site as the one before, and nothing else stands with them
          if (known !== undefined && known.pattern.standsAt(view, at)) {
            const end = hash.takeToTag(view, at, this.#beginning);
            const start = at + known.pattern.length;
            if (end <= last && this.#isPlain(at, start, end)) {
              chunk.pass("<", at, end);
              const rest = chunk.rest(start, end, drift);
              if (rest === undefined) return -1;
              url = joinedCopy(known.text, rest);
              at = end;
              break;
            }
          }
          const end = chunk.find("<", at);
          if (end < at || end > last || !this.#trims(at, end)) return -1;
          url = this.#otherAddress(this.#start, this.#end, drift);
          if (url === undefined) return -1;
          at = end;
          break;
        }
        case "lastmod": {
          let end = at + this.#dateLength;
          if (bytes[end] !== LESS) end = this.#endOfDate(at);
          lastModified = parseIsoBytes(view, at, end);
          if (lastModified !== lastModified) {
            lastModified = this.#trims(at, end) ? parseIsoBytes(view, this.#start, this.#end) : NaN;
            if (lastModified !== lastModified) return -1;
          }
          at = end;
          break;
        }
        case "changefreq": {
          const choice = FREQUENCIES[bytes[at]!];
          if (choice === undefined || at + 8 > last || view.getFloat64(at, true) !== choice.eight) {
            return -1;
          }
          changeFrequency = choice.word;
          at += changeFrequency.length;
          break;
        }
        case "priority": {
          if (bytes[at + 1] === POINT && bytes[at + 3] === LESS) {
            const whole = bytes[at]! - ZERO, tenths = bytes[at + 2]! - ZERO;
            if (whole < 0 || tenths < 0 || tenths > 9 || whole * 10 + tenths > 10) return -1;
            priority = TENTHS[whole * 10 + tenths]!;
            at += 3;
            break;
          }
          const end = chunk.text.indexOf("<", at);
          priority = this.#priority(at, end);
          if (priority !== priority) return -1;
          at = end;
          break;
        }
        case "outside": {
          if (url === undefined || at - from > MAX_LENGTH) return -1;
          if (this.#isIndex) {
            if (!this.#entries.takeChild(url)) return -1;
          } else {
            const fields: PageDraft = { url, priority, lastModified, changeFrequency };
            if (isExtended) extend(fields, extensions);
            BATCH.add(new SitemapPage(fields), hash);
          }
          this.#lines += lines;
          return at;
        }
        default:
          at = this.#extensionValue(place.element!, at);
          if (at < 0) return -1;
      }
    }
  }

  /** Reads a value of an extension: the place behind it, −1 where there is something to be told. */
  #extensionValue(element: FastElement, at: number): number {
    const chunk = this.#chunk;
    const { kind } = element;
    const { drift } = chunk;
    const end = chunk.find(kind === "attribute" ? '"' : "<", at);
    if (end < at || !this.#trims(at, end)) return -1;
    const start = this.#start, behind = this.#end;
    if (kind === "date") {
      const time = parseIsoBytes(chunk.view, start, behind);
      if (time !== time) return -1;
      element.setTime!(this.#extensions, time);
      return end;
    }
    const value = chunk.value(start, behind, drift);
    if (value === undefined) return -1;
    // attributes are another matter with white space, or what looks like a tag
    if (kind === "attribute" && (behind - start < end - at || value.includes("<"))) return -1;
    return element.set!(this.#extensions, value) ? end : -1;
  }

  /** Whether an address whose authority is known ends at a place, as it stands. */
  #isPlain(from: number, start: number, end: number): boolean {
    const chunk = this.#chunk;
    return end >= start && end - from <= this.#maxValueLength && !this.#entries.hash.hasControl &&
      chunk.bytes[end - 1]! > SPACE && !chunk.hasReference(from, end);
  }

  /**
   * A copy of the address between two places, with `drift` before it; `undefined` where there is
   * something to be told of it, or where it is none.
   */
  #otherAddress(start: number, end: number, drift: number): string | undefined {
    const chunk = this.#chunk;
    const { hash } = this.#entries;
    const known = this.#known;
    const isKnown = known !== undefined && known.pattern.standsAt(chunk.view, start) &&
      end >= start + known.pattern.length;
    if (isKnown && !chunk.hasReference(start, end)) {
      hash.take(chunk.view, start, end);
      if (hash.hasControl) return undefined;
      const rest = chunk.rest(start + known.pattern.length, end, drift);
      return rest === undefined ? undefined : joinedCopy(known.text, rest);
    }
    const url = chunk.value(start, end, drift);
    if (url !== undefined) hash.takeText(url);
    if (url === undefined || isKnown) return url;
    const text = this.#entries.authorityOf(url);
    if (text === undefined) return undefined;
    lastAuthority = { text, pattern: new BytePattern(text) };
    this.#know(lastAuthority);
    return url;
  }

  #know(authority: KnownAuthority): void {
    this.#known = authority;
    this.#beginning = this.#entries.hash.behind(authority.text);
  }

  /** Where a date ends that is not as long as the last. */
  #endOfDate(at: number): number {
    const end = this.#chunk.text.indexOf("<", at);
    this.#dateLength = end - at;
    return end;
  }

  /** A priority, `NaN` where it cannot be read. */
  #priority(from: number, to: number): number {
    if (!this.#trims(from, to)) return NaN;
    return parsePriority(this.#chunk.text.slice(this.#start, this.#end)) ?? NaN;
  }

  /** Notes where a value stands without the white space around it: false where it is too long. */
  #trims(from: number, to: number): boolean {
    const { bytes } = this.#chunk;
    if (to - from > this.#maxValueLength) return false;
    let start = from;
    let end = to;
    for (let code = 0; start < end && (code = bytes[start]!) <= SPACE; start++) {
      if (code === LF) this.#lines++;
      else if (code !== SPACE && !this.#isSpaceAt(start)) return false;
    }
    for (let code = 0; start < end && (code = bytes[end - 1]!) <= SPACE; end--) {
      if (code === LF) this.#lines++;
      else if (code !== SPACE && !this.#isSpaceAt(end - 1)) return false;
    }
    this.#start = start;
    this.#end = end;
    return start < end;
  }

  /** Whether the rarer white space stands at a place: a tab, or a CR before an LF. */
  #isSpaceAt(at: number): boolean {
    const { bytes } = this.#chunk;
    return bytes[at] === TAB || (bytes[at] === CR && bytes[at + 1] === LF);
  }
}

function extend(fields: PageDraft, { newsStory, images, alternates }: ExtensionDraft): void {
  if (newsStory !== undefined) fields.newsStory = newsStory;
  if (images !== undefined) fields.images = images;
  if (alternates !== undefined) fields.alternates = alternates;
}
