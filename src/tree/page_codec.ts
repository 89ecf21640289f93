/**
 * How what the extensions say about a page becomes bytes: records of optional fields, each a mask
 * of the fields that are there, followed by them.
 *
 * @module
 */

import { type DatePrecision, DAY, TO_TIME } from "../data/calendar.ts";
import { createStory, type NewsStory, publishPrecision } from "../data/news_story.ts";
import {
  CHANGE_FREQUENCIES,
  type ChangeFrequency,
  createPage,
  DEFAULT_PRIORITY,
  isPriorityGiven,
  lastModifiedPrecision,
  PRIORITY_GIVEN,
  type SitemapAlternate,
  type SitemapImage,
  type SitemapPage,
  type SitemapPageFields,
} from "../data/page.ts";
import {
  createVideo,
  type SitemapVideo,
  videoFlags,
  type VideoRestriction,
  type VideoUploader,
} from "../data/sitemap_video.ts";
import { utf8Reader } from "../platform/text.ts";
import { ByteReader, ByteWriter, MAX_UNIT_BYTES, readWtf8, writeWtf8 } from "./byte_codec.ts";

/** How values of one kind are written and read. */
interface Shape<T> {
  write(writer: ByteWriter, value: T): void;
  read(reader: ByteReader): T;
}

/** A shape for each field, so that a field that is added to a page cannot be forgotten here. */
type Shapes<T> = { readonly [K in keyof T]-?: Shape<NonNullable<T[K]>> };

const TEXT: Shape<string> = {
  write: (writer, value) => writer.text(value),
  read: (reader) => reader.text(),
};

const NUMBER: Shape<number> = {
  write: (writer, value) => writer.double(value),
  read: (reader) => reader.double(),
};

const FLAG: Shape<boolean> = {
  write: (writer, value) => writer.byte(value ? 1 : 0),
  read: (reader) => reader.byte() === 1,
};

function list<T>(item: Shape<T>): Shape<readonly T[]> {
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

function record<T extends object>(shapes: Shapes<T>): Shape<T> {
  const fields = (Object.entries(shapes) as [keyof T, Shape<unknown>][])
    .map(([name, shape], position) => ({ name, shape, bit: 1 << position }));
  return {
    write(writer, value) {
      let mask = 0;
      for (const { name, bit } of fields) if (value[name] !== undefined) mask |= bit;
      writer.varint(mask);
      for (const { name, shape, bit } of fields) if (mask & bit) shape.write(writer, value[name]);
    },
    read(reader) {
      const mask = reader.varint();
      const value: { [K in keyof T]?: unknown } = {};
      for (const { name, shape, bit } of fields) if (mask & bit) value[name] = shape.read(reader);
      return value as T;
    },
  };
}

/** A shape that writes `U` as its flags and the `T` it is, and makes a `U` of what it reads. */
function flagged<U extends T, T>(
  shape: Shape<T>,
  flagsOf: (value: U) => number,
  revive: (value: T, flags: number) => U,
): Shape<U> {
  return {
    write(writer, value) {
      writer.byte(flagsOf(value));
      shape.write(writer, value);
    },
    read(reader) {
      const flags = reader.byte();
      return revive(shape.read(reader), flags);
    },
  };
}

/** The dates of stories and videos are written as the numbers that they are kept as. */
type StoryData = Omit<NewsStory, "publishDate" | "toJSON">;
type VideoData = Omit<SitemapVideo, "expirationDate" | "publicationDate" | "toJSON">;

const STORY = flagged(
  record<StoryData>({
    title: TEXT,
    publishTime: NUMBER,
    publicationName: TEXT,
    publicationLanguage: TEXT,
    access: TEXT,
    genres: list(TEXT),
    keywords: list(TEXT),
    stockTickers: list(TEXT),
  }),
  publishPrecision,
  ({ publishTime = NaN, ...rest }, precision) =>
    createStory({ ...rest, publishDate: publishTime }, precision as DatePrecision),
);

const IMAGE = record<SitemapImage>({
  loc: TEXT,
  caption: TEXT,
  geoLocation: TEXT,
  title: TEXT,
  license: TEXT,
});

const ALTERNATE = record<SitemapAlternate>({ hreflang: TEXT, href: TEXT });

const RESTRICTION = record<VideoRestriction>({
  relationship: TEXT as Shape<VideoRestriction["relationship"]>,
  values: list(TEXT),
});

const VIDEO = flagged(
  record<VideoData>({
    thumbnailLoc: TEXT,
    title: TEXT,
    description: TEXT,
    contentLoc: TEXT,
    playerLoc: TEXT,
    duration: NUMBER,
    expirationTime: NUMBER,
    rating: NUMBER,
    viewCount: NUMBER,
    publicationTime: NUMBER,
    familyFriendly: FLAG,
    restriction: RESTRICTION,
    platform: RESTRICTION,
    requiresSubscription: FLAG,
    uploader: record<VideoUploader>({ name: TEXT, info: TEXT }),
    live: FLAG,
    tags: list(TEXT),
  }),
  videoFlags,
  ({ expirationTime = NaN, publicationTime = NaN, ...rest }, flags) =>
    createVideo(
      { ...rest, expirationDate: expirationTime, publicationDate: publicationTime },
      flags,
    ),
);

/** The fields of a page that extensions give. */
export type PageExtensions = Pick<
  SitemapPage,
  "newsStory" | "images" | "videos" | "alternates"
>;

/** Writes and reads the fields of a page that extensions give. */
export const EXTENSIONS: Shape<PageExtensions> = record<PageExtensions>({
  newsStory: STORY,
  images: list(IMAGE),
  videos: list(VIDEO),
  alternates: list(ALTERNATE),
});

// MERGED: How a page becomes bytes: flags, the address, then what the flags announce.  Pages are encoded in runs. Within a run an address is written as how much of it the page before has too and what differs, and a date as the distance from the one before, which leaves some 20 bytes of a plain page. Runs stand alone: one is decoded without any other.  | part            | bytes                                                             | | --------------- | ----------------------------------------------------------------- | | flags           | 1                                                                 | | address         | varint shared bytes, varint other bytes, the other bytes          | | `lastModified`  | varint zigzag distance in seconds or ms; or that in days and two  | |                 | bits of precision; or a byte of precision and a double            | | `priority`      | hundredths; or 255 and a double; absent where none was given      | | extensions      | varint length, then a record                                      |

// The flags: three bits of change frequency, two of the unit of the date, and three of presence.
const FREQUENCY_MASK = 0b0000_0111;
const HAS_TIME = 0b0000_1000;
const HAS_PRIORITY = 0b0001_0000;
const HAS_EXTENSIONS = 0b0010_0000;
const UNIT_SHIFT = 6;

/** Milliseconds of the units that dates are counted in; the fourth unit is "a double". */
const UNITS = [DAY, 1000, 1] as const;
const DAY_UNIT = 0;
const DOUBLE_UNIT = 3;
/** The two bits of precision after a number of days. */
const PRECISIONS = 4;
/** Integers up to here have an exact distance, and twice that is exact too. */
const MAX_EXACT_TIME = 2 ** 51;

const HUNDREDTHS = 100;
const DOUBLE_PRIORITY = 255;

/** Position 0 stands for none. */
const FREQUENCIES: readonly (ChangeFrequency | undefined)[] = [undefined, ...CHANGE_FREQUENCIES];

function isExactTime(time: number): boolean {
  return Number.isInteger(time) && Math.abs(time) <= MAX_EXACT_TIME && !Object.is(time, -0);
}

/** The position in {@linkcode UNITS} of the largest unit that divides `time`. */
function unitOf(time: number | undefined): number {
  if (time === undefined || !isExactTime(time)) return DOUBLE_UNIT;
  if (time % UNITS[0] === 0) return DAY_UNIT;
  return time % UNITS[1] === 0 ? 1 : 2;
}

/** Rounds a time down to a multiple of a unit. */
function floorTo(time: number, unit: number): number {
  return Math.floor(time / unit) * unit;
}

/** Encodes pages, one after the other, into a run. */
export class PageEncoder {
  readonly #writer = new ByteWriter();
  readonly #extensions = new ByteWriter();
  /** The bytes of the address before. */
  #url: Uint8Array = new Uint8Array(256);
  #urlLength = 0;
  #time = 0;

  /** The bytes of the run so far; they change when the next run begins. */
  get bytes(): Uint8Array {
    return this.#writer.bytes.subarray(0, this.#writer.length);
  }

  /** How many bytes the run has so far. */
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
    const hasPriority = isPriorityGiven(page);
    const extended = page.newsStory !== undefined || page.images !== undefined ||
      page.videos !== undefined || page.alternates !== undefined;
    const writer = this.#writer;
    writer.byte(
      Math.max(FREQUENCIES.indexOf(changeFrequency), 0) |
        (time === undefined ? 0 : HAS_TIME | (unit << UNIT_SHIFT)) |
        (hasPriority ? HAS_PRIORITY : 0) |
        (extended ? HAS_EXTENSIONS : 0),
    );
    this.#encodeUrl(page.url);
    if (time !== undefined) this.#encodeTime(time, unit, lastModifiedPrecision(page));
    if (hasPriority) this.#encodePriority(priority);
    if (extended) this.#encodeExtensions(page);
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
    const room = url.length * MAX_UNIT_BYTES;
    if (room > this.#url.length) this.#growUrl(room);
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
      // What ASCII had in common stays in common; the rest is not looked at again.
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
    EXTENSIONS.write(extensions, page);
    this.#writer.varint(extensions.length);
    this.#writer.raw(extensions.bytes.subarray(0, extensions.length));
  }
}

/** Decodes runs, one after the other, page by page. */
export class PageDecoder {
  #reader = new ByteReader(new Uint8Array());
  #url = new Uint8Array(0);
  #decodeUrl = utf8Reader(this.#url);
  #urlLength = 0;
  #time = 0;
  #lastModified = NaN;
  #precision: number = TO_TIME;
  #priority = DEFAULT_PRIORITY;

  /** Goes to the first page of a run. */
  start(run: Uint8Array): void {
    this.#reader = new ByteReader(run);
    this.#time = 0;
    // Every byte of an address is written once in its run, so none is longer than the run.
    if (run.length > this.#url.length) {
      this.#url = new Uint8Array(run.length * 2);
      this.#decodeUrl = utf8Reader(this.#url);
    }
  }

  /** The next page. The caller knows how many there are. */
  next(): SitemapPage {
    const flags = this.#readPlainFields();
    const fields: { -readonly [K in keyof SitemapPageFields]: SitemapPageFields[K] } = {
      url: readWtf8(this.#url, 0, this.#urlLength, this.#decodeUrl),
      priority: this.#priority,
      lastModified: this.#lastModified,
    };
    const frequency = FREQUENCIES[flags & FREQUENCY_MASK];
    if (frequency !== undefined) fields.changeFrequency = frequency;
    if (flags & HAS_EXTENSIONS) {
      this.#reader.varint();
      Object.assign(fields, EXTENSIONS.read(this.#reader));
    }
    const given = flags & HAS_PRIORITY ? PRIORITY_GIVEN : 0;
    return createPage(fields, given | this.#precision);
  }

  /** Passes over the next page. */
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
