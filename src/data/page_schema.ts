/**
 * Fields of a page and its extensions, listed once.
 *
 * The interfaces hold the types and documentation of the fields, the tables everything else. Reader,
 * page store, JSON, CSV, XML and strict mode derive from the tables. A field that is in an interface
 * but not in its table, or the other way round, or in both with different types, is a type error.
 *
 * A value is an element of its own (`video:title`), an attribute (`@info`), or the text of the
 * element that has the attributes (`#text`).
 *
 * The file is long because the interfaces, with the documentation of each field, are next to their
 * tables.
 *
 * @module
 */

import {
  type DatePrecision,
  PRECISION_MASK,
  precisionOf,
  type Time,
  toMilliseconds,
} from "./calendar.ts";
import type { WarningCode } from "./codes.ts";

// ----------------------------------------------------------------------------------------- interfaces

/** Change frequency of a page: the seven words of `changefreq`. */
export type ChangeFrequency =
  | "always"
  | "hourly"
  | "daily"
  | "weekly"
  | "monthly"
  | "yearly"
  | "never";

/** Image of a page, by the image extension. */
export interface SitemapImage {
  /** URL of the image. */
  readonly loc: string;
  /** Caption of the image. */
  readonly caption?: string;
  /** Place where it was taken, such as `Limerick, Ireland`. */
  readonly geoLocation?: string;
  /** Title of the image. */
  readonly title?: string;
  /** URL of its license. */
  readonly license?: string;
}

/** The same page in another language, by `xhtml:link`. */
export interface SitemapAlternate {
  /** Language and region, or `x-default`. */
  readonly hreflang: string;
  /** URL of the page in that language. */
  readonly href: string;
}

/** Fields of a {@linkcode NewsStory}. */
export interface NewsStoryFields {
  /** Title of the story. */
  readonly title: string;
  /** Date of publication. */
  readonly publishDate?: Time | undefined;
  /** Name of the publication. */
  readonly publicationName?: string;
  /** Language of the publication. */
  readonly publicationLanguage?: string;
  /** `Subscription` or `Registration` if access is restricted. */
  readonly access?: string;
  /** Genres, such as `PressRelease`. */
  readonly genres?: readonly string[];
  /** Keywords. */
  readonly keywords?: readonly string[];
  /** Stock tickers, such as `NASDAQ:AMAT`. */
  readonly stockTickers?: readonly string[];
}

/** Countries or platforms in which a video may or may not be shown. */
export interface VideoRestriction {
  /** Whether the listed values are allowed or denied. */
  readonly relationship: "allow" | "deny";
  /** Country codes, or `web`, `mobile`, `tv`. */
  readonly values: readonly string[];
}

/** Uploader of a video. */
export interface VideoUploader {
  /** Name of the uploader. */
  readonly name: string;
  /** URL of a page about the uploader. */
  readonly info?: string;
}

/** Gallery that contains a video. */
export interface VideoGallery {
  /** URL of the gallery. */
  readonly loc: string;
  /** Title of the gallery. */
  readonly title?: string;
}

/** Price of a video. */
export interface VideoPrice {
  /** Amount in units of the currency. */
  readonly amount: number;
  /** Currency by ISO 4217, such as `EUR`. */
  readonly currency: string;
  /** Purchase option: `rent` or `purchase`. */
  readonly type?: string;
  /** Resolution: `HD` or `SD`. */
  readonly resolution?: string;
}

/** Fields of a {@linkcode SitemapVideo}. */
export interface SitemapVideoFields {
  /** URL of a thumbnail. */
  readonly thumbnailLoc?: string;
  /** Title of the video. */
  readonly title?: string;
  /** Description of the video. */
  readonly description?: string;
  /** URL of the video file. */
  readonly contentLoc?: string;
  /** URL of a player. */
  readonly playerLoc?: string;
  /** Duration in seconds. */
  readonly duration?: number;
  /** Date after which the video is unavailable. */
  readonly expirationDate?: Time | undefined;
  /** Rating from 0 to 5. */
  readonly rating?: number;
  /** Number of views. */
  readonly viewCount?: number;
  /** Date of publication. */
  readonly publicationDate?: Time | undefined;
  /** Whether it may be shown with safe search. */
  readonly familyFriendly?: boolean;
  /** Countries in which it may or may not be shown. */
  readonly restriction?: VideoRestriction;
  /** Platforms on which it may or may not be shown. */
  readonly platform?: VideoRestriction;
  /** Whether it requires a subscription. */
  readonly requiresSubscription?: boolean;
  /** Uploader of the video. */
  readonly uploader?: VideoUploader;
  /** Whether it is a live stream. */
  readonly live?: boolean;
  /** Tags. */
  readonly tags?: readonly string[];
  /** Gallery that contains the video. */
  readonly gallery?: VideoGallery;
  /** Prices to download or view the video. */
  readonly prices?: readonly VideoPrice[];
}

/** Fields of a {@linkcode SitemapPage}, as its `toJSON()` writes them. */
export interface SitemapPageFields {
  /** URL of the page, as the sitemap writes it. */
  readonly url: string;
  /** Priority from 0 to 1. Default: 0.5. */
  readonly priority?: number;
  /** Date of the last change. Writers keep the precision of a string such as `2024-05`. */
  readonly lastModified?: Time | undefined;
  /** Change frequency. */
  readonly changeFrequency?: ChangeFrequency | undefined;
  /** News story, by the news extension or a feed. */
  readonly newsStory?: NewsStoryFields;
  /** Images on the page. */
  readonly images?: readonly SitemapImage[];
  /** Videos on the page. */
  readonly videos?: readonly SitemapVideoFields[];
  /** The page in other languages. */
  readonly alternates?: readonly SitemapAlternate[];
}

// ----------------------------------------------------------------------------------------- table types

/** Kind of a value. A `word` is one of `words`; a `record` has fields. */
export type Kind = "text" | "url" | "number" | "priority" | "flag" | "date" | "word" | "record";

/**
 * Place of a required field. Without one, a record is never valid (`always`), is neither read from nor
 * written as XML (`xml`), or is not written in strict mode (`strict`); each includes the next.
 */
type Requirement = "always" | "xml" | "strict";

/** Properties of a field that few fields have. */
interface FieldOptions {
  readonly required?: Requirement;
  /** Element around the element of the field. */
  readonly inside?: string;
  /** Name of the field that it follows in XML. Default: the one before it in the table. */
  readonly after?: string;
  /** Column of CSV. Default: the name of the field. */
  readonly column?: string;
  /** Warning about an invalid value, and what the value is called. Default: by the record. */
  readonly invalid?: readonly [code: WarningCode, name: string];
  /** Sites escape it twice, so references in it are decoded twice. */
  readonly isEscapedTwice?: true;
  /** Values that strict mode keeps; those that exist, of a `word`. */
  readonly words?: readonly string[];
  /** Pattern of the text that strict mode keeps. */
  readonly pattern?: RegExp;
  /** Whether strict mode writes it in lower case. */
  readonly isLowerCase?: true;
  /** Limits of strict mode. Numbers are at least 0. */
  readonly max?: number;
  readonly min?: number;
  readonly isInteger?: true;
  readonly maxLength?: number;
  readonly maxItems?: number;
  /** Whether strict mode drops a list that has an invalid item, as the rest would not mean the same. */
  readonly isWhole?: true;
}

/** A row of a table. */
interface Row<K extends Kind = Kind, Many extends boolean = boolean> extends FieldOptions {
  readonly kind: K;
  /** Name in XML: an element with its prefix, `@` and an attribute, or `#text`. */
  readonly xml: string;
  /** Description of the column of CSV. */
  readonly about: string;
  readonly isList: Many;
  /** Separator of a list that is one value; a list without one has an element for each item. */
  readonly separator?: "," | " ";
  /** Property with the milliseconds of a date. */
  readonly time?: string;
  readonly record?: RecordSchema;
  /** Text of a record that has one column of CSV. */
  readonly cell?: (record: never) => string;
}

/** A field with its place in the record. */
export interface Field extends Row {
  readonly name: string;
  /** Property of the value. */
  readonly property: string;
  /** Offset of the precision of a date among the flags of the record. */
  readonly shift: number;
}

/** A record: a page, or an element or list of elements with fields. */
export interface RecordSchema {
  readonly fields: readonly Field[];
  /** The fields that are dates. */
  readonly dates: readonly Field[];
  /** The fields in the order in which XML has them. */
  readonly inXmlOrder: readonly Field[];
  /** Warning about an invalid record or field, and what the record is called. */
  readonly invalid?: readonly [code: WarningCode, noun: string];
  /** Message about a record dropped by the reader. */
  readonly incomplete?: string;
  /** Attributes with a fixed value. */
  readonly fixed?: readonly (readonly [attribute: string, value: string])[];
  /** Fields of which strict mode requires one. */
  readonly oneOf?: readonly string[];
}

type KindOf<T> = Date extends T ? "date"
  : [T] extends [boolean] ? "flag"
  : [T] extends [number] ? "number" | "priority"
  : [T] extends [string] ? (string extends T ? "text" | "url" : "word")
  : "record";

type RowOf<T> = [T] extends [readonly (infer Item)[]] ? Row<KindOf<Item>, true>
  : Row<KindOf<T>, false>;

/** A row for each field of an interface. */
type Rows<T> = { readonly [K in keyof T]-?: RowOf<Exclude<T[K], undefined>> };

function record<T>(
  rows: Rows<T>,
  options: Pick<RecordSchema, "invalid" | "incomplete" | "fixed"> & {
    oneOf?: readonly (keyof T & string)[];
  } = {},
): RecordSchema {
  const fields: Field[] = [], dates: Field[] = [], inXmlOrder: Field[] = [];
  for (const [name, row] of Object.entries<Row>(rows)) {
    const field: Field = { ...row, name, property: row.time ?? name, shift: 2 * dates.length };
    fields.push(field);
    if (row.kind === "date") dates.push(field);
    if (row.after === undefined) inXmlOrder.push(field);
  }
  function place(field: Field): void {
    const before = fields.find(({ name }) => name === field.after);
    if (before === undefined || inXmlOrder.includes(field)) return;
    place(before);
    inXmlOrder.splice(inXmlOrder.indexOf(before) + 1, 0, field);
  }
  fields.forEach(place);
  return { fields, dates, inXmlOrder, ...options };
}

function row<K extends Kind>(
  kind: K,
): (xml: string, about: string, options?: FieldOptions) => Row<K, false> {
  return (xml, about, options) => ({ kind, xml, about, isList: false, ...options });
}

const text = row("text"), url = row("url"), number = row("number"), flag = row("flag");
const word = row("word"), priority = row("priority");

function date(
  xml: string,
  time: string,
  about: string,
  options: FieldOptions = {},
): Row<"date", false> {
  return { kind: "date", xml, time, about, isList: false, ...options };
}

/** A list: an element for each item, or one value that is split. */
function list<K extends Kind>(row: Row<K, false>, separator?: "," | " "): Row<K, true> {
  return { ...row, isList: true, ...(separator && { separator }) };
}

/** A field that is a record; its fields are columns of CSV unless it is written as one `cell`. */
function nested(
  xml: string,
  record: RecordSchema,
  options: FieldOptions & Pick<Row, "cell"> & { readonly about?: string } = {},
): Row<"record", false> {
  return { kind: "record", xml, record, about: "", isList: false, ...options };
}

// ---------------------------------------------------------------------------------------------- tables

/** Change frequencies, from the most to the least frequent. */
export const CHANGE_FREQUENCIES: readonly ChangeFrequency[] = [
  "always",
  "hourly",
  "daily",
  "weekly",
  "monthly",
  "yearly",
  "never",
];

/** Conventional prefix of an extension. */
export type ExtensionPrefix = "xhtml" | "news" | "image" | "video";

/** Namespaces of a `urlset` by prefix. */
export const NAMESPACES: Readonly<Record<"" | ExtensionPrefix, string>> = {
  "": "http://www.sitemaps.org/schemas/sitemap/0.9",
  xhtml: "http://www.w3.org/1999/xhtml",
  news: "http://www.google.com/schemas/sitemap-news/0.9",
  image: "http://www.google.com/schemas/sitemap-image/1.1",
  video: "http://www.google.com/schemas/sitemap-video/1.1",
};

const IMAGE = record<SitemapImage>({
  loc: url("image:loc", "URLs of the images", { required: "always" }),
  caption: text("image:caption", "captions of the images"),
  geoLocation: text("image:geo_location", "places of the images"),
  title: text("image:title", "titles of the images"),
  license: url("image:license", "URLs of the licenses of the images"),
}, { invalid: ["bad-image", "image"], incomplete: "Image without address dropped" });

const ALTERNATE = record<SitemapAlternate>({
  hreflang: text("@hreflang", "languages of the page in other languages", { required: "always" }),
  href: url("@href", "URLs of the page in other languages", { required: "always" }),
}, { fixed: [["rel", "alternate"]] });

/** The fields of a news story. */
export const NEWS_STORY: RecordSchema = record<NewsStoryFields>({
  title: text("news:title", "title of the news story", {
    required: "always",
    isEscapedTwice: true,
    after: "publishDate",
  }),
  publishDate: date("news:publication_date", "publishTime", "date of the story", {
    required: "xml",
    invalid: ["bad-date", "publication date"],
    after: "genres",
  }),
  publicationName: text("news:name", "name of the newspaper or site", {
    required: "strict",
    inside: "news:publication",
  }),
  publicationLanguage: text("news:language", "language of the publication", {
    required: "strict",
    inside: "news:publication",
    pattern: /^(?:[a-z]{2,3}|zh-cn|zh-tw)$/,
    isLowerCase: true,
  }),
  access: text("news:access", "Subscription or Registration", {
    words: ["Subscription", "Registration"],
  }),
  genres: list(text("news:genres", "genres of the story"), ","),
  keywords: list(text("news:keywords", "keywords of the story"), ","),
  stockTickers: list(
    text("news:stock_tickers", "stock tickers of companies in the story", {
      pattern: /^\w+:\w+$/,
      maxItems: 5,
    }),
    ",",
  ),
}, {
  invalid: ["bad-news", "news"],
  incomplete: "News story without title or readable date dropped",
});

const COUNTRIES = restriction({ pattern: /^[A-Z]{2}$/ });
const PLATFORMS = restriction({ words: ["web", "mobile", "tv"] });

function restriction(options: FieldOptions): RecordSchema {
  return record<VideoRestriction>({
    relationship: word("@relationship", "", { required: "always", words: ["allow", "deny"] }),
    values: list(text("#text", "", { required: "always", isWhole: true, ...options }), " "),
  });
}

function restrictionCell({ relationship, values }: VideoRestriction): string {
  return `${relationship}: ${values.join(" ")}`;
}

const UPLOADER = record<VideoUploader>({
  name: text("#text", "names of the uploaders of the videos", {
    required: "always",
    column: "uploader",
  }),
  info: url("@info", "URLs about the uploaders of the videos", { column: "uploaderInfo" }),
});

const GALLERY = record<VideoGallery>({
  loc: url("#text", "URLs of the galleries of the videos", {
    required: "always",
    column: "gallery",
  }),
  title: text("@title", "titles of the galleries of the videos", { column: "galleryTitle" }),
});

const PRICE = record<VideoPrice>({
  amount: number("#text", "", { required: "always" }),
  currency: text("@currency", "", { required: "always", pattern: /^[A-Z]{3}$/ }),
  type: text("@type", "", { words: ["rent", "purchase"] }),
  resolution: text("@resolution", "", { words: ["HD", "SD"] }),
});

function priceCell({ amount, currency, type, resolution }: VideoPrice): string {
  return [amount, currency, type, resolution].filter((part) => part !== undefined).join(" ");
}

/** The fields of a video. */
export const VIDEO: RecordSchema = record<SitemapVideoFields>({
  thumbnailLoc: url("video:thumbnail_loc", "URLs of the thumbnails of the videos", {
    required: "strict",
  }),
  title: text("video:title", "titles of the videos", { required: "strict" }),
  description: text("video:description", "descriptions of the videos", {
    required: "strict",
    maxLength: 2048,
  }),
  contentLoc: url("video:content_loc", "URLs of the video files"),
  playerLoc: url("video:player_loc", "URLs of the video players"),
  duration: number("video:duration", "durations of the videos in seconds", {
    min: 1,
    max: 28_800,
    isInteger: true,
  }),
  expirationDate: date(
    "video:expiration_date",
    "expirationTime",
    "dates after which the videos are gone",
  ),
  rating: number("video:rating", "ratings of the videos from 0 to 5", { max: 5 }),
  viewCount: number("video:view_count", "number of views of the videos", {
    max: Number.MAX_SAFE_INTEGER,
    isInteger: true,
  }),
  publicationDate: date(
    "video:publication_date",
    "publicationTime",
    "dates of publication of the videos",
  ),
  familyFriendly: flag("video:family_friendly", "whether the videos are for all ages"),
  restriction: nested("video:restriction", COUNTRIES, {
    about: "countries where the videos are shown or not",
    cell: restrictionCell,
  }),
  platform: nested("video:platform", PLATFORMS, {
    about: "platforms where the videos are shown or not",
    cell: restrictionCell,
    after: "uploader",
  }),
  requiresSubscription: flag(
    "video:requires_subscription",
    "whether the videos require a subscription",
  ),
  uploader: nested("video:uploader", UPLOADER),
  live: flag("video:live", "whether the videos are live streams"),
  tags: list(
    text("video:tag", "tags of the videos", { after: "publicationDate", maxItems: 32 }),
  ),
  gallery: nested("video:gallery_loc", GALLERY, { after: "restriction" }),
  prices: list(
    nested("video:price", PRICE, {
      about: "prices of the videos",
      cell: priceCell,
      after: "gallery",
    }),
  ),
}, { invalid: ["bad-video", "video"], oneOf: ["contentLoc", "playerLoc"] });

/** The fields of a page. */
export const PAGE: RecordSchema = record<SitemapPageFields>({
  url: url("loc", "URL of the page", { required: "always" }),
  priority: priority("priority", "priority from 0 to 1", {
    max: 1,
    invalid: ["bad-priority", "priority"],
    after: "changeFrequency",
  }),
  lastModified: date("lastmod", "lastModifiedTime", "date of the last change", {
    invalid: ["bad-date", "date"],
  }),
  changeFrequency: word("changefreq", "how often it changes, from always to never", {
    words: CHANGE_FREQUENCIES,
    invalid: ["bad-changefreq", "change frequency"],
  }),
  newsStory: nested("news:news", NEWS_STORY),
  images: list({ ...nested("image:image", IMAGE), maxItems: 1000 }),
  videos: list(nested("video:video", VIDEO)),
  alternates: list(nested("xhtml:link", ALTERNATE, { after: "priority" })),
});

/** The date of a page. */
export const LAST_MODIFIED: Field = PAGE.dates[0]!;

/** The fields of a page other than those of the sitemap protocol itself. */
export const EXTENSIONS: readonly Field[] = PAGE.fields.filter(({ xml }) => xml.includes(":"));

// ---------------------------------------------------------------------------------------------- values

/**
 * Method that returns the flags of a page, story or video: the precision of its dates, two bits each at
 * their `shift`, and what the class adds. The symbol is registered, so that writers read the flags of
 * objects of another copy of this module.
 */
const FLAGS = Symbol.for("@sitetree/sitetree/flags");

/** An object whose fields a table lists. */
export type Data = Readonly<Record<string | symbol, unknown>>;

/** An object with flags; without an argument, the method returns them. */
interface Flagged {
  [FLAGS]?(flags?: number): number | undefined;
}

/** Lets {@linkcode flagsIn} and {@linkcode setFlags} access the private flags of a class. */
export function defineFlags<T>(
  { prototype }: { readonly prototype: T & object },
  access: (this: T, flags?: number) => number | undefined,
): void {
  Object.defineProperty(prototype, FLAGS, { value: access });
}

/** Returns the flags of a page, story or video; `undefined` for any other object. */
export function flagsIn(data: object): number | undefined {
  return (data as Flagged)[FLAGS]?.();
}

/** Sets the flags of a story or video that the reader has filled. */
export function setFlags(data: object, flags: number): void {
  (data as Flagged)[FLAGS]?.(flags);
}

/** Returns the precision of a date of a page, story or video. */
export function precisionAt(data: object, { shift }: Field): DatePrecision {
  return (((flagsIn(data) ?? 0) >> shift) & PRECISION_MASK) as DatePrecision;
}

/** Returns the flags for the dates among the fields of a record. */
export function dateFlags(fields: object, { dates }: RecordSchema): number {
  let flags = 0;
  for (const { name, shift } of dates) {
    flags |= precisionOf((fields as Data)[name] as Time | undefined) << shift;
  }
  return flags;
}

/** Assigns the fields of a record to its object, dates as milliseconds. */
export function assignFields(target: object, fields: object, { dates }: RecordSchema): void {
  for (const name in fields) {
    const value = (fields as Data)[name];
    if (value === undefined) continue;
    let property = name, stored = value;
    for (const date of dates) {
      if (date.name !== name) continue;
      property = date.property;
      stored = toMilliseconds(value as Time);
    }
    if (stored === stored) (target as Record<string, unknown>)[property] = stored;
  }
}

/**
 * Returns the fields of a page, story or video in the order of the table, and then any others. Dates
 * are as `show` returns them.
 */
export function plainFields<Fields>(
  data: object,
  { fields, dates }: RecordSchema,
  show: (time: number, precision: DatePrecision) => unknown,
): Fields {
  const plain = Object.fromEntries(fields.map(({ name }) => [name, undefined as unknown]));
  Object.assign(plain, data);
  for (const date of dates) {
    const time = plain[date.property];
    if (time !== undefined) plain[date.name] = show(time as number, precisionAt(data, date));
    plain[date.property] = undefined;
  }
  const present = Object.entries(plain).filter(([, value]) => value !== undefined);
  return Object.fromEntries(present) as Fields;
}
