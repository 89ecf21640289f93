/**
 * The columns that a CSV table of pages can have.
 *
 * @module
 */

import { closestString } from "@std/text/closest-string";
import type { DatePrecision } from "../data/calendar.ts";
import { isoDate } from "../data/date.ts";
import type { SitemapRef } from "../data/events.ts";
import { publishPrecision } from "../data/news_story.ts";
import { isPriorityGiven, lastModifiedPrecision, type SitemapPage } from "../data/page.ts";
import {
  expirationPrecision,
  publicationPrecision,
  type SitemapVideo,
  type VideoRestriction,
} from "../data/sitemap_video.ts";
import { escapeControlsInCell } from "./escape.ts";
import {
  byteWriterStream,
  pageOf,
  sitemapOf,
  type TextFormat,
  type WriterChunk,
  type WriterInput,
} from "./text_stream.ts";

/** What stands in a cell before quoting. A list becomes one cell, its items joined. */
export type CsvValue = string | number | boolean | undefined | readonly CsvValue[];

/** Gets the cell of a page; `sitemap` is the one that lists it, where events tell. */
export type CellReader = (page: SitemapPage, sitemap: SitemapRef | undefined) => CsvValue;

/** The name of a column. Those of images, videos and alternates hold a list each. */
export type CsvColumn =
  | "url"
  | "priority"
  | "lastModified"
  | "changeFrequency"
  | `newsStory.${
    | "title"
    | "publishDate"
    | "publicationName"
    | "publicationLanguage"
    | "access"
    | "genres"
    | "keywords"
    | "stockTickers"}`
  | `images.${"loc" | "caption" | "geoLocation" | "title" | "license"}`
  | `videos.${
    | "thumbnailLoc"
    | "title"
    | "description"
    | "contentLoc"
    | "playerLoc"
    | "duration"
    | "expirationDate"
    | "rating"
    | "viewCount"
    | "publicationDate"
    | "familyFriendly"
    | "restriction"
    | "platform"
    | "requiresSubscription"
    | "uploader"
    | "uploaderInfo"
    | "live"
    | "tags"}`
  | `alternates.${"hreflang" | "href"}`
  | "sitemap"
  | `sitemap.${keyof SitemapRef}`;

const COLUMNS: Readonly<Record<CsvColumn, CellReader>> = {
  "url": (page) => page.url,
  "priority": (page) => isPriorityGiven(page) ? page.priority : undefined,
  "lastModified": (page) => date(page.lastModifiedTime, lastModifiedPrecision(page)),
  "changeFrequency": (page) => page.changeFrequency,
  "newsStory.title": (page) => page.newsStory?.title,
  "newsStory.publishDate": ({ newsStory }) =>
    newsStory && date(newsStory.publishTime, publishPrecision(newsStory)),
  "newsStory.publicationName": (page) => page.newsStory?.publicationName,
  "newsStory.publicationLanguage": (page) => page.newsStory?.publicationLanguage,
  "newsStory.access": (page) => page.newsStory?.access,
  "newsStory.genres": (page) => page.newsStory?.genres,
  "newsStory.keywords": (page) => page.newsStory?.keywords,
  "newsStory.stockTickers": (page) => page.newsStory?.stockTickers,
  "images.loc": (page) => page.images?.map((image) => image.loc),
  "images.caption": (page) => page.images?.map((image) => image.caption),
  "images.geoLocation": (page) => page.images?.map((image) => image.geoLocation),
  "images.title": (page) => page.images?.map((image) => image.title),
  "images.license": (page) => page.images?.map((image) => image.license),
  "videos.thumbnailLoc": videoColumn((video) => video.thumbnailLoc),
  "videos.title": videoColumn((video) => video.title),
  "videos.description": videoColumn((video) => video.description),
  "videos.contentLoc": videoColumn((video) => video.contentLoc),
  "videos.playerLoc": videoColumn((video) => video.playerLoc),
  "videos.duration": videoColumn((video) => video.duration),
  "videos.expirationDate": videoColumn((video) =>
    date(video.expirationTime, expirationPrecision(video))
  ),
  "videos.rating": videoColumn((video) => video.rating),
  "videos.viewCount": videoColumn((video) => video.viewCount),
  "videos.publicationDate": videoColumn((video) =>
    date(video.publicationTime, publicationPrecision(video))
  ),
  "videos.familyFriendly": videoColumn((video) => video.familyFriendly),
  "videos.restriction": videoColumn((video) => restriction(video.restriction)),
  "videos.platform": videoColumn((video) => restriction(video.platform)),
  "videos.requiresSubscription": videoColumn((video) => video.requiresSubscription),
  "videos.uploader": videoColumn((video) => video.uploader?.name),
  "videos.uploaderInfo": videoColumn((video) => video.uploader?.info),
  "videos.live": videoColumn((video) => video.live),
  "videos.tags": videoColumn((video) => video.tags?.join(", ")),
  "alternates.hreflang": (page) => page.alternates?.map((alternate) => alternate.hreflang),
  "alternates.href": (page) => page.alternates?.map((alternate) => alternate.href),
  "sitemap": (_page, sitemap) => sitemap?.url,
  "sitemap.id": (_page, sitemap) => sitemap?.id,
  "sitemap.type": (_page, sitemap) => sitemap?.type,
  "sitemap.url": (_page, sitemap) => sitemap?.url,
  "sitemap.requestedUrl": (_page, sitemap) => sitemap?.requestedUrl,
  "sitemap.level": (_page, sitemap) => sitemap?.level,
  "sitemap.parent": (_page, sitemap) => sitemap?.parent ?? undefined,
  "sitemap.index": (_page, sitemap) => sitemap?.index,
  "sitemap.lastModified": (_page, sitemap) => sitemap?.lastModified,
};

/** The names of all columns. */
export const CSV_COLUMNS: readonly CsvColumn[] = Object.keys(COLUMNS) as CsvColumn[];

/** Gets the reader of a column, `undefined` if there is no such column. */
export function cellReader(column: string): CellReader | undefined {
  return Object.hasOwn(COLUMNS, column) ? COLUMNS[column as CsvColumn] : undefined;
}

function videoColumn(read: (video: SitemapVideo) => CsvValue): CellReader {
  return (page) => page.videos?.map(read);
}

function date(milliseconds: number | undefined, precision: DatePrecision): string | undefined {
  return milliseconds === undefined ? undefined : isoDate(milliseconds, precision);
}

/** Such as `allow: DE FR`. */
function restriction(restriction: VideoRestriction | undefined): string | undefined {
  return restriction && `${restriction.relationship}: ${restriction.values.join(" ")}`;
}

// MERGED: A row of CSV, quoted and safe for spreadsheets.

/** Options of {@linkcode csvRowWriter}. */
export interface CsvRowOptions {
  /** Whether formulas and control characters are made harmless. Default: true. */
  readonly neutralize?: boolean;
  /** Text between columns. Default: a comma. */
  readonly separator?: string;
  /** Text between the items of a list within a cell. Default: `|`. */
  readonly listSeparator?: string;
}

/** Separators that spreadsheets split rows at, depending on the locale and on the user. */
const SEPARATORS = ",;|\t";

const QUOTED_REGEXP = new RegExp(`["\\n${SEPARATORS}]`);

/** OWASP's list for CSV injection, full-width forms included. */
const FORMULA_START = String.raw`[=+\-@\uff0b\uff0d\uff1d\uff20]`;
const FORMULA_REGEXP = new RegExp(`^(?:[\\t\\n]|\\s*${FORMULA_START})`);

/** Some readers take a lone CR for the end of a row, even in quotes. */
const CARRIAGE_RETURN_REGEXP = /\r\n?/g;

/**
 * Returns a function that writes the values of a row.
 *
 * @throws {TypeError} If the separator is unusable.
 */
export function csvRowWriter(
  { neutralize = true, separator = ",", listSeparator = "|" }: CsvRowOptions = {},
): (values: readonly CsvValue[]) => string {
  if (separator === "" || /["\r\n]/.test(separator)) {
    throw new TypeError(`Cannot write CSV: invalid separator ${JSON.stringify(separator)}`);
  }
  const foreignSeparators = SEPARATORS.replace(separator, "");
  const innerFormula = new RegExp(`(?<=[\\n${foreignSeparators}][\\s"]*)${FORMULA_START}`, "g");
  function cell(value: CsvValue, column: number): string {
    if (value === undefined) return "";
    if (typeof value === "number" || typeof value === "boolean") {
      return quoted(String(value), separator);
    }
    const text = cellText(value, listSeparator);
    const shown = neutralize ? harmless(text, column === 0 ? undefined : innerFormula) : text;
    return quoted(shown, separator);
  }
  return (values) => values.map(cell).join(separator) + "\r\n";
}

function cellText(value: string | readonly CsvValue[], listSeparator: string): string {
  const text = typeof value === "string" ? value : value.join(listSeparator);
  return text.includes("\r") ? text.replace(CARRIAGE_RETURN_REGEXP, "\n") : text;
}

function harmless(cell: string, innerFormula: RegExp | undefined): string {
  const shown = escapeControlsInCell(cell);
  const text = FORMULA_REGEXP.test(shown) ? "'" + shown : shown;
  return innerFormula !== undefined && QUOTED_REGEXP.test(text)
    ? text.replace(innerFormula, "'$&")
    : text;
}

function quoted(cell: string, separator: string): string {
  return QUOTED_REGEXP.test(cell) || cell.includes(separator)
    ? `"${cell.replaceAll('"', '""')}"`
    : cell;
}

// MERGED: Pages as CSV.

/** Options of {@linkcode toCsv}. */
export interface CsvOptions {
  /** The columns, in their order. Default: `url`, `priority`, `lastModified`, `changeFrequency`. */
  readonly columns?: readonly CsvColumn[];
  /** Whether the first row names the columns. Default: true. */
  readonly header?: boolean;
  /**
   * Whether cells are made harmless. What a spreadsheet would take for a formula, `=`, `+`, `-` or
   * `@` after any white space, gets an apostrophe in front: at the start of a cell, and in all cells
   * but the first of a row also after line breaks and the separators of other locales, since a
   * spreadsheet that splits there does not see the quotes. A leading tab or line break gets an
   * apostrophe too, and control characters are shown as `\x1b`. Numbers are left alone.
   * Default: true.
   */
  readonly neutralize?: boolean;
  /** What stands between columns. Default: a comma. */
  readonly separator?: string;
  /** What stands between the items of a list within a cell. Default: `|`. */
  readonly listSeparator?: string;
  /** Whether a byte order mark goes first, by which Excel knows UTF-8. Default: false. */
  readonly bom?: boolean;
}

const DEFAULT_COLUMNS: readonly CsvColumn[] = [
  "url",
  "priority",
  "lastModified",
  "changeFrequency",
];

/**
 * Writes pages as CSV by RFC 4180, as UTF-8. Line breaks within a cell are written as LF. Cells that
 * hold a comma, semicolon, tab or `|` are quoted, whichever of them separates the columns, since
 * spreadsheets split at the separator of their locale.
 *
 * @example
 * ```ts
 * import { SitemapPage } from "@sitetree/sitetree";
 * import { toCsv, toReadableStream } from "@sitetree/sitetree/write";
 * import { assertEquals } from "@std/assert";
 *
 * const pages = [
 *   new SitemapPage({
 *     url: "https://example.com/",
 *     images: [{ loc: "https://example.com/1.png" }, { loc: "https://example.com/2.png" }],
 *   }),
 * ];
 * const csv = toReadableStream(pages).pipeThrough(toCsv({ columns: ["url", "images.loc"] }));
 * assertEquals(
 *   await new Response(csv).text(),
 *   "url,images.loc\r\n" +
 *     'https://example.com/,"https://example.com/1.png|https://example.com/2.png"\r\n',
 * );
 * ```
 *
 * @param options Which columns, and how they are written.
 * @returns A stream of pages or events in, one by one or in batches, bytes out.
 * @throws {TypeError} If there is no column, one that is unknown, or an unusable separator.
 */
export function toCsv(
  options: CsvOptions = {},
): TransformStream<WriterChunk, Uint8Array<ArrayBuffer>> {
  return byteWriterStream(csvFormat(options));
}

/** How {@linkcode toCsv} writes. */
export function csvFormat(options: CsvOptions): TextFormat<WriterInput> {
  const { columns = DEFAULT_COLUMNS, header = true, bom = false } = options;
  const readers = columns.map(readerOf);
  if (readers.length === 0) throw new TypeError("Cannot write CSV: no columns");
  const row = csvRowWriter(options);
  return {
    head: (bom ? "\ufeff" : "") + (header ? row(columns) : ""),
    write(input) {
      const page = pageOf(input);
      if (page === undefined) return "";
      const sitemap = sitemapOf(input);
      return row(readers.map((read) => read(page, sitemap)));
    },
  };
}

function readerOf(column: string): CellReader {
  const reader = cellReader(column);
  if (reader !== undefined) return reader;
  const nearest: string = closestString(column, CSV_COLUMNS);
  throw new TypeError(
    `Cannot write CSV: no column is named "${column}", the nearest is "${nearest}"`,
  );
}
