/**
 * Pages as CSV.
 *
 * @module
 */

import { closestString } from "@std/text/closest-string";
import { byteWriterStream, type TextFormat } from "./byte_writer_stream.ts";
import { type CellReader, cellReader, CSV_COLUMNS, type CsvColumn } from "./csv_columns.ts";
import { csvRowWriter } from "./csv_row.ts";
import { pageOf, sitemapOf, type WriterChunk, type WriterInput } from "./input.ts";

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
