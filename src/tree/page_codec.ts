/**
 * Encoding of pages as bytes.
 *
 * Pages are encoded in runs, and a run is decoded without any other. Within a run, a URL is written
 * as the number of bytes that it shares with the one before and the rest, and a date as the distance
 * from the one before.
 *
 * | part           | bytes                                                                       |
 * | -------------- | --------------------------------------------------------------------------- |
 * | flags          | 1                                                                           |
 * | URL            | varint shared bytes, varint other bytes, the other bytes                    |
 * | `lastModified` | varint zigzag distance in seconds, ms, or days with two bits of the form    |
 * | `priority`     | hundredths; or 255 and its text                                             |
 * | extensions     | JSON, as text: varint length, then the bytes                                |
 *
 * UTF-8 has no lone surrogates: a URL that contains them is in the JSON, where they are escaped.
 *
 * @module
 */

import { DAY } from "../data/calendar.ts";
import { DATE_LENGTHS, isoTime, timeOfDate } from "../data/date.ts";
import {
  type ChangeFrequency,
  definePage,
  hasExtensions,
  type PageValues,
  type SitemapPage,
} from "../data/page.ts";
import { checkPage, type Fault } from "../data/page_json.ts";
import { CHANGE_FREQUENCIES } from "../data/page_schema.ts";
import { utf8Reader } from "../platform/text.ts";
import { ByteReader, ByteWriter } from "./byte_codec.ts";

// Flags: three bits of change frequency, three of presence, two of the unit of the date.
const FREQUENCY_MASK = 0b0000_0111;
const HAS_TIME = 0b0000_1000;
const HAS_PRIORITY = 0b0001_0000;
const HAS_JSON = 0b0010_0000;
const UNIT_SHIFT = 6;

const UNITS = [DAY, 1000, 1] as const;
const DAY_UNIT = 0;
/** Lengths of the forms of a date; those without time take two bits after a number of days. */
const FORMS: readonly number[] = Object.values(DATE_LENGTHS);
const TIME_FORM = FORMS.indexOf(DATE_LENGTHS.time);

const HUNDREDTHS = 100;
const OTHER_PRIORITY = 255;

/** UTF-8 bytes of one UTF-16 unit. */
const MAX_UNIT_BYTES = 3;
const ENCODER = new TextEncoder();

const FREQUENCIES: readonly (ChangeFrequency | undefined)[] = [undefined, ...CHANGE_FREQUENCIES];

function unitOf(time: number): number {
  if (time % UNITS[0] === 0) return DAY_UNIT;
  return time % UNITS[1] === 0 ? 1 : 2;
}

function floorTo(time: number, unit: number): number {
  return Math.floor(time / unit) * unit;
}

export class PageEncoder {
  readonly #writer = new ByteWriter();
  #url: Uint8Array = new Uint8Array(256);
  #urlLength = 0;
  #time = 0;

  /** The next run overwrites them. */
  get bytes(): Uint8Array {
    return this.#writer.bytes.subarray(0, this.#writer.length);
  }

  get length(): number {
    return this.#writer.length;
  }

  restart(): void {
    this.#writer.length = 0;
    this.#urlLength = 0;
    this.#time = 0;
  }

  /**
   * Takes extensions as they are: callers check pages that no walk has made. Returns the first
   * invalid value if the data is not a page; nothing is added then.
   */
  encode(page: SitemapPage): Fault | undefined {
    if (typeof page !== "object" || page === null) return checkPage(page);
    const { url, lastModified, priority, changeFrequency } = page;
    const time = typeof lastModified === "string" ? timeOfDate(lastModified) : NaN;
    const frequency = FREQUENCIES.indexOf(changeFrequency);
    const isExtended = hasExtensions(page);
    const isPlain = typeof url === "string" && frequency >= 0 &&
      (lastModified === undefined || time === time) &&
      (priority === undefined || typeof priority === "number");
    const fault = isPlain ? undefined : checkPage(page);
    if (fault !== undefined) return fault;
    const writer = this.#writer, unit = unitOf(time);
    const isWellFormed = url.isWellFormed(), hasJson = isExtended || !isWellFormed;
    writer.byte(
      frequency |
        (lastModified === undefined ? 0 : HAS_TIME | (unit << UNIT_SHIFT)) |
        (priority === undefined ? 0 : HAS_PRIORITY) |
        (hasJson ? HAS_JSON : 0),
    );
    this.#encodeUrl(url);
    if (lastModified !== undefined) {
      this.#encodeTime(time, unit, FORMS.indexOf(lastModified.length));
    }
    if (priority !== undefined) this.#encodePriority(priority);
    if (hasJson) {
      const { newsStory, images, videos, alternates } = page;
      const extensions = { newsStory, images, videos, alternates };
      writer.text(JSON.stringify(isWellFormed ? extensions : { url, ...extensions }));
    }
    return undefined;
  }

  #encodeTime(time: number, unit: number, form: number): void {
    const length = UNITS[unit as 0 | 1 | 2];
    const count = (time - floorTo(this.#time, length)) / length;
    const zigzag = count < 0 ? -2 * count - 1 : 2 * count;
    this.#writer.varint(unit === DAY_UNIT ? zigzag * FORMS.length + form : zigzag);
    this.#time = time;
  }

  #encodeUrl(url: string): void {
    const maxLength = url.length * MAX_UNIT_BYTES;
    if (maxLength > this.#url.length) this.#growUrl(maxLength);
    const previous = this.#url;
    const common = Math.min(url.length, this.#urlLength);
    let shared = 0;
    for (; shared < common; shared++) {
      const unit = url.charCodeAt(shared);
      if (unit !== previous[shared] || unit > 0x7f) break;
    }
    let end = shared;
    for (; end < url.length; end++) {
      const unit = url.charCodeAt(end);
      if (unit > 0x7f) break;
      previous[end] = unit;
    }
    if (end < url.length) end += ENCODER.encodeInto(url.slice(end), previous.subarray(end)).written;
    this.#urlLength = end;
    const writer = this.#writer;
    writer.varint(shared);
    writer.varint(end - shared);
    writer.reserve(end - shared);
    const { bytes } = writer;
    let at = writer.length;
    for (let i = shared; i < end; i++) bytes[at++] = previous[i]!;
    writer.length = at;
  }

  #growUrl(length: number): void {
    const grown = new Uint8Array(length * 2);
    grown.set(this.#url.subarray(0, this.#urlLength));
    this.#url = grown;
  }

  #encodePriority(priority: number): void {
    const hundredths = Math.round(priority * HUNDREDTHS);
    if (
      hundredths >= 0 && hundredths < OTHER_PRIORITY &&
      Object.is(hundredths / HUNDREDTHS, priority)
    ) return this.#writer.byte(hundredths);
    this.#writer.byte(OTHER_PRIORITY);
    this.#writer.text(String(priority));
  }
}

export class PageDecoder {
  #reader = new ByteReader(new Uint8Array());
  #url = new Uint8Array(0);
  #decodeUrl = utf8Reader(this.#url);
  #urlLength = 0;
  #time = 0;
  /** Length of the date that was read last; 0 without one. */
  #dateLength = 0;
  #priority: number | undefined;

  start(run: Uint8Array): void {
    this.#reader = new ByteReader(run);
    this.#time = 0;
    // every byte of a URL is written once in its run, so no URL is longer than the run
    if (run.length > this.#url.length) {
      this.#url = new Uint8Array(run.length * 2);
      this.#decodeUrl = utf8Reader(this.#url);
    }
  }

  /** The caller knows how many pages there are. */
  next(): SitemapPage {
    const flags = this.#readPlainFields();
    const url = this.#decodeUrl(0, this.#urlLength);
    const values: PageValues = {
      lastModified: this.#dateLength === 0
        ? undefined
        : isoTime(this.#time).slice(0, this.#dateLength),
      changeFrequency: FREQUENCIES[flags & FREQUENCY_MASK],
      priority: this.#priority,
    };
    if (!(flags & HAS_JSON)) return definePage(url, values);
    const json = JSON.parse(this.#reader.text());
    return definePage(json.url ?? url, { ...values, ...json });
  }

  skip(): void {
    if ((this.#readPlainFields() & HAS_JSON) === 0) return;
    const length = this.#reader.varint();
    this.#reader.at += length;
  }

  #readPlainFields(): number {
    const flags = this.#reader.byte();
    this.#readUrl();
    this.#dateLength = flags & HAS_TIME ? this.#readTime(flags >> UNIT_SHIFT) : 0;
    this.#priority = flags & HAS_PRIORITY ? this.#readPriority() : undefined;
    return flags;
  }

  #readUrl(): void {
    const reader = this.#reader;
    const shared = reader.varint();
    const length = shared + reader.varint();
    const { bytes } = reader;
    let { at } = reader;
    const url = this.#url;
    for (let i = shared; i < length; i++) url[i] = bytes[at++]!;
    reader.at = at;
    this.#urlLength = length;
  }

  /** Returns the length of its form. */
  #readTime(unit: number): number {
    const number = this.#reader.varint();
    const form = unit === DAY_UNIT ? number % FORMS.length : TIME_FORM;
    const zigzag = unit === DAY_UNIT ? Math.floor(number / FORMS.length) : number;
    const count = zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
    const length = UNITS[unit as 0 | 1 | 2];
    this.#time = floorTo(this.#time, length) + count * length;
    return FORMS[form]!;
  }

  #readPriority(): number {
    const hundredths = this.#reader.byte();
    return hundredths === OTHER_PRIORITY ? Number(this.#reader.text()) : hundredths / HUNDREDTHS;
  }
}
