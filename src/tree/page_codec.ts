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
 * | `lastModified` | varint zigzag distance in seconds or ms; or in days with two bits of        |
 * |                | precision; or a byte of precision and a double                              |
 * | `priority`     | hundredths; or 255 and a double; absent unless given                        |
 * | extensions     | varint length, then a record: a mask of the fields that it has, then those  |
 *
 * @module
 */

import { type DatePrecision, DAY, PRECISION_MASK, TO_TIME } from "../data/calendar.ts";
import {
  createExtension,
  createPage,
  DEFAULT_PRIORITY,
  hasExtensions,
  type Mutable,
  pageFlags,
  type PageValues,
  PRIORITY_GIVEN,
  type SitemapPage,
} from "../data/page.ts";
import {
  CHANGE_FREQUENCIES,
  type ChangeFrequency,
  type Data,
  EXTENSIONS,
  type Field,
  flagsIn,
  type Kind,
} from "../data/page_schema.ts";
import { utf8Reader } from "../platform/text.ts";
import { ByteReader, ByteWriter, MAX_UNIT_BYTES, readWtf8, writeWtf8 } from "./byte_codec.ts";

/** Encoding of a value. */
interface Codec<T> {
  write(writer: ByteWriter, value: T): void;
  read(reader: ByteReader): T;
}

const TEXT: Codec<string> = {
  write: (writer, value) => writer.text(value),
  read: (reader) => reader.text(),
};

const NUMBER: Codec<number> = {
  write: (writer, value) => writer.double(value),
  read: (reader) => reader.double(),
};

const FLAG: Codec<boolean> = {
  write: (writer, value) => writer.byte(value ? 1 : 0),
  read: (reader) => reader.byte() === 1,
};

const CODECS: Readonly<Record<Exclude<Kind, "record">, Codec<unknown>>> = {
  text: TEXT,
  url: TEXT,
  word: TEXT,
  number: NUMBER,
  priority: NUMBER,
  date: NUMBER,
  flag: FLAG,
};

function listCodec<T>(item: Codec<T>): Codec<readonly T[]> {
  return {
    write(writer, values) {
      writer.varint(values.length);
      for (const value of values) item.write(writer, value);
    },
    read(reader) {
      const values: T[] = [];
      for (let left = reader.varint(); left > 0; left--) values.push(item.read(reader));
      return values;
    },
  };
}

/** Encodes at most 31 fields, as many as the mask has bits. */
function recordCodec(fields: readonly Field[]): Codec<Data> {
  const members = fields.map((field, index) => ({
    name: field.name,
    property: field.property,
    codec: codecOf(field),
    bit: 1 << index,
  }));
  return {
    write(writer, data) {
      let mask = 0;
      for (const { property, bit } of members) if (data[property] !== undefined) mask |= bit;
      writer.varint(mask);
      for (const { property, codec, bit } of members) {
        if (mask & bit) codec.write(writer, data[property]);
      }
    },
    read(reader) {
      const mask = reader.varint();
      const data: Record<string, unknown> = {};
      for (const { name, codec, bit } of members) if (mask & bit) data[name] = codec.read(reader);
      return data;
    },
  };
}

function codecOf(field: Field): Codec<unknown> {
  const item = field.kind === "record" ? nestedCodec(field) : CODECS[field.kind];
  return field.isList ? listCodec(item) : item;
}

/** Encodes a record, after its flags if it has dates. */
function nestedCodec(field: Field): Codec<unknown> {
  const { fields, dates } = field.record!;
  const codec = recordCodec(fields);
  if (dates.length === 0) return codec;
  return {
    write(writer, record: Data) {
      writer.varint(flagsIn(record) ?? 0);
      codec.write(writer, record);
    },
    read(reader) {
      const flags = reader.varint();
      return createExtension(field, codec.read(reader), flags);
    },
  };
}

const EXTENSIONS_CODEC = recordCodec(EXTENSIONS);

// Flags: three bits of change frequency, three of presence, two of the unit of the date.
const FREQUENCY_MASK = 0b0000_0111;
const HAS_TIME = 0b0000_1000;
const HAS_PRIORITY = 0b0001_0000;
const HAS_EXTENSIONS = 0b0010_0000;
const UNIT_SHIFT = 6;

/** Milliseconds of the units in which dates are counted; the fourth unit is a double. */
const UNITS = [DAY, 1000, 1] as const;
const DAY_UNIT = 0;
const DOUBLE_UNIT = 3;
/** Number of precisions, which take two bits after a number of days. */
const PRECISIONS = 4;
/** Integers up to this limit have an exact zigzag distance. */
const MAX_EXACT_TIME = 2 ** 51;

const HUNDREDTHS = 100;
const DOUBLE_PRIORITY = 255;

/** Change frequencies by their code. */
const FREQUENCIES: readonly (ChangeFrequency | undefined)[] = [undefined, ...CHANGE_FREQUENCIES];

function isExactTime(time: number): boolean {
  return Number.isInteger(time) && Math.abs(time) <= MAX_EXACT_TIME && !Object.is(time, -0);
}

/** Returns the index of the largest unit that divides `time`. */
function unitOf(time: number | undefined): number {
  if (time === undefined || !isExactTime(time)) return DOUBLE_UNIT;
  if (time % UNITS[0] === 0) return DAY_UNIT;
  return time % UNITS[1] === 0 ? 1 : 2;
}

/** Rounds a time down to a multiple of a unit. */
function floorTo(time: number, unit: number): number {
  return Math.floor(time / unit) * unit;
}

/** Encodes pages into a run. */
export class PageEncoder {
  readonly #writer = new ByteWriter();
  readonly #extensions = new ByteWriter();
  /** Bytes of the last URL. */
  #url: Uint8Array = new Uint8Array(256);
  #urlLength = 0;
  #time = 0;

  /** Bytes of the run so far; the next run overwrites them. */
  get bytes(): Uint8Array {
    return this.#writer.bytes.subarray(0, this.#writer.length);
  }

  /** Number of bytes in the run so far. */
  get length(): number {
    return this.#writer.length;
  }

  /** Begins a new run. */
  restart(): void {
    this.#writer.length = 0;
    this.#urlLength = 0;
    this.#time = 0;
  }

  /** Adds a page to the run. */
  encode(page: SitemapPage): void {
    const { lastModifiedTime: time, priority, changeFrequency } = page;
    const unit = unitOf(time);
    const flags = pageFlags(page);
    const hasPriority = (flags & PRIORITY_GIVEN) !== 0;
    const isExtended = hasExtensions(page);
    const writer = this.#writer;
    writer.byte(
      Math.max(FREQUENCIES.indexOf(changeFrequency), 0) |
        (time === undefined ? 0 : HAS_TIME | (unit << UNIT_SHIFT)) |
        (hasPriority ? HAS_PRIORITY : 0) |
        (isExtended ? HAS_EXTENSIONS : 0),
    );
    this.#encodeUrl(page.url);
    if (time !== undefined) this.#encodeTime(time, unit, (flags & PRECISION_MASK) as DatePrecision);
    if (hasPriority) this.#encodePriority(priority);
    if (isExtended) this.#encodeExtensions(page);
  }

  #encodeTime(time: number, unit: number, precision: DatePrecision): void {
    if (unit === DOUBLE_UNIT) {
      this.#writer.byte(precision);
      return this.#writer.double(time);
    }
    const length = UNITS[unit as 0 | 1 | 2];
    const count = (time - floorTo(this.#time, length)) / length;
    const zigzag = count < 0 ? -2 * count - 1 : 2 * count;
    this.#writer.varint(unit === DAY_UNIT ? zigzag * PRECISIONS + precision : zigzag);
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
    if (end < url.length) end = writeWtf8(previous, end, url, end);
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
      hundredths >= 0 && hundredths < DOUBLE_PRIORITY &&
      Object.is(hundredths / HUNDREDTHS, priority)
    ) return this.#writer.byte(hundredths);
    this.#writer.byte(DOUBLE_PRIORITY);
    this.#writer.double(priority);
  }

  #encodeExtensions(page: SitemapPage): void {
    const extensions = this.#extensions;
    extensions.length = 0;
    EXTENSIONS_CODEC.write(extensions, page as unknown as Data);
    this.#writer.varint(extensions.length);
    this.#writer.raw(extensions.bytes.subarray(0, extensions.length));
  }
}

/** Decodes the pages of one run after the other. */
export class PageDecoder {
  #reader = new ByteReader(new Uint8Array());
  #url = new Uint8Array(0);
  #decodeUrl = utf8Reader(this.#url);
  #urlLength = 0;
  #time = 0;
  #lastModified = NaN;
  #precision: number = TO_TIME;
  #priority = DEFAULT_PRIORITY;

  /** Starts with the first page of a run. */
  start(run: Uint8Array): void {
    this.#reader = new ByteReader(run);
    this.#time = 0;
    // every byte of a URL is written once in its run, so no URL is longer than the run
    if (run.length > this.#url.length) {
      this.#url = new Uint8Array(run.length * 2);
      this.#decodeUrl = utf8Reader(this.#url);
    }
  }

  /** Returns the next page. The caller knows how many there are. */
  next(): SitemapPage {
    const flags = this.#readPlainFields();
    const url = readWtf8(this.#url, 0, this.#urlLength, this.#decodeUrl);
    const fields: Mutable<PageValues> = {
      priority: this.#priority,
      lastModified: this.#lastModified,
    };
    const frequency = FREQUENCIES[flags & FREQUENCY_MASK];
    if (frequency !== undefined) fields.changeFrequency = frequency;
    if (flags & HAS_EXTENSIONS) {
      this.#reader.varint();
      Object.assign(fields, EXTENSIONS_CODEC.read(this.#reader));
    }
    const given = flags & HAS_PRIORITY ? PRIORITY_GIVEN : 0;
    return createPage(url, fields, this.#precision | given);
  }

  /** Skips the next page. */
  skip(): void {
    const flags = this.#readPlainFields();
    if (flags & HAS_EXTENSIONS) {
      const length = this.#reader.varint();
      this.#reader.at += length;
    }
  }

  #readPlainFields(): number {
    const reader = this.#reader;
    const flags = reader.byte();
    this.#readUrl();
    this.#lastModified = flags & HAS_TIME ? this.#readTime(flags >> UNIT_SHIFT) : NaN;
    this.#priority = flags & HAS_PRIORITY ? this.#readPriority() : DEFAULT_PRIORITY;
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

  #readTime(unit: number): number {
    if (unit === DOUBLE_UNIT) {
      this.#precision = this.#reader.byte();
      return this.#reader.double();
    }
    const number = this.#reader.varint();
    this.#precision = unit === DAY_UNIT ? number % PRECISIONS : TO_TIME;
    const zigzag = unit === DAY_UNIT ? Math.floor(number / PRECISIONS) : number;
    const count = zigzag % 2 === 0 ? zigzag / 2 : -(zigzag + 1) / 2;
    const length = UNITS[unit as 0 | 1 | 2];
    this.#time = floorTo(this.#time, length) + count * length;
    return this.#time;
  }

  #readPriority(): number {
    const hundredths = this.#reader.byte();
    return hundredths === DOUBLE_PRIORITY ? this.#reader.double() : hundredths / HUNDREDTHS;
  }
}
