import type { SitemapRef } from "../data/events.ts";
import { checkNames } from "../data/option_rules.ts";
import type { NewsStory, SitemapImage, SitemapPage, SitemapVideo } from "../data/page.ts";
import { suggestion } from "../data/suggestion.ts";
import { numberText } from "../data/text.ts";
import {
  cellReader,
  type CellValue,
  type Column,
  DEFAULT_COLUMNS,
  PAGE_COLUMNS,
} from "./columns.ts";
import { escapeControlsInCell } from "./escape.ts";
import { byteWriterStream, isEvent, type TextFormat, type WriterChunk } from "./text_stream.ts";

/** Separators at which spreadsheets split rows, depending on the locale and on the user. */
const SEPARATORS = ",;|\t";

const QUOTED_REGEXP = new RegExp(`["\\n${SEPARATORS}]`);

/** OWASP's list for CSV injection, full-width forms included. */
const FORMULA_START = String.raw`[=+\-@\uff0b\uff0d\uff1d\uff20]`;
const FORMULA_REGEXP = new RegExp(`^(?:[\\t\\n]|\\s*${FORMULA_START})`);

/**
 * A cell that is written as it is, whatever the options, unless a separator of another kind is in it.
 * Such cells are most of all, and recognised by one test.
 */
const CLEAN_REGEXP = /^\w[ !#-+\--:<-{}~]*$/;

/** Some readers end a row at a lone CR, even in quotes. */
const CARRIAGE_RETURN_REGEXP = /\r\n?/g;

const ROW_END = "\r\n";
/** Between the items of a list in a cell. */
const LIST_SEPARATOR = "|";

/** Throws a `TypeError` if the separator is invalid. */
function csvCellWriter(separator: string): (value: CellValue, column: number) => string {
  if (separator === "" || /["\r\n]/.test(separator)) {
    throw new TypeError(`Cannot write CSV: invalid separator ${JSON.stringify(separator)}`);
  }
  const foreignSeparators = SEPARATORS.replace(separator, "");
  const innerCell = new RegExp(`([\\n${foreignSeparators}][\\s"]*)(${FORMULA_START}?)`, "g");
  // whether a clean cell, or a number, may contain the separator
  const isUnusual = CLEAN_REGEXP.test(`a${separator}`);
  return (value, column) => {
    if (value === undefined) return "";
    if (typeof value === "number" || typeof value === "boolean") {
      const text = typeof value === "number" ? numberText(value) : String(value);
      return isUnusual ? quoted(text, separator) : text;
    }
    if (typeof value === "string" && !isUnusual && CLEAN_REGEXP.test(value)) return value;
    const joined = typeof value === "string" ? value : value.join(LIST_SEPARATOR);
    const text = joined.includes("\r") ? joined.replace(CARRIAGE_RETURN_REGEXP, "\n") : joined;
    return quoted(neutralized(text, column === 0 ? undefined : innerCell), separator);
  };
}

/** Escapes what spreadsheets take for a formula, also in the cells that they may split a cell into. */
function neutralized(cell: string, innerCell: RegExp | undefined): string {
  const shown = escapeControlsInCell(cell);
  const text = FORMULA_REGEXP.test(shown) ? "'" + shown : shown;
  if (innerCell === undefined || !QUOTED_REGEXP.test(text)) return text;
  return text.replace(
    innerCell,
    (_, before: string, start: string) => start === "" ? before : `${before}'${start}`,
  );
}

function quoted(cell: string, separator: string): string {
  return QUOTED_REGEXP.test(cell) || cell.includes(separator)
    ? `"${cell.replaceAll('"', '""')}"`
    : cell;
}

/** Options of {@linkcode toCsv}. */
export interface CsvOptions {
  /**
   * Columns, in their order; those of images, videos and alternates contain a list each. Default: `url`,
   * `priority`, `lastModified`, `changeFrequency`.
   */
  readonly columns?: readonly (
    | Exclude<keyof SitemapPage, "newsStory" | "images" | "videos" | "alternates">
    | `newsStory.${keyof NewsStory}`
    | `images.${keyof SitemapImage}`
    | `videos.${keyof SitemapVideo | "uploaderInfo" | "galleryTitle"}`
    | `alternates.${keyof NonNullable<SitemapPage["alternates"]>[number]}`
    | "sitemap"
    | `sitemap.${keyof SitemapRef}`
  )[];
  /** Whether the first row names the columns. Default: true. */
  readonly header?: boolean;
  /** Text between columns. Default: a comma. */
  readonly separator?: string;
  /** Whether to start with a byte order mark, by which Excel detects UTF-8. Default: false. */
  readonly bom?: boolean;
}

/**
 * Writes pages as CSV by RFC 4180, as UTF-8. Line breaks within a cell are written as LF. The items of a
 * list are joined by `|`. Cells that contain a comma, semicolon, tab or `|` are quoted, whichever of them
 * separates the columns, since spreadsheets split at the separator of their locale.
 *
 * Formulas and control characters are escaped. An apostrophe is inserted before the start of a formula,
 * which is `=`, `+`, `-` or `@` after any white space: at the start of a cell, and in all cells but the
 * first of a row also after line breaks and the separators of other locales, since a spreadsheet that
 * splits there ignores the quotes. It is also inserted before a leading tab or line break. Control
 * characters are written as `\x1b`. Numbers are unchanged.
 *
 * @example
 * ```ts
 * import { toCsv, toReadableStream } from "@sitetree/sitetree/write";
 * import { assertEquals } from "@std/assert";
 *
 * const pages = [
 *   {
 *     url: "https://example.com/",
 *     images: [{ loc: "https://example.com/1.png" }, { loc: "https://example.com/2.png" }],
 *   },
 * ];
 * const csv = toReadableStream(pages).pipeThrough(toCsv({ columns: ["url", "images.loc"] }));
 * assertEquals(
 *   await new Response(csv).text(),
 *   "url,images.loc\r\n" +
 *     'https://example.com/,"https://example.com/1.png|https://example.com/2.png"\r\n',
 * );
 * ```
 *
 * @param options Columns and their format.
 * @returns A stream of pages or events in, one by one or in batches, bytes out.
 * @throws {TypeError} If an option is unknown, columns are empty or unknown, or the separator is
 * invalid.
 */
export function toCsv(
  options: CsvOptions = {},
): TransformStream<WriterChunk, Uint8Array<ArrayBuffer>> {
  checkNames({ columns: true, header: true, separator: true, bom: true }, options);
  const { columns = DEFAULT_COLUMNS } = options;
  if (columns.length === 0) throw new TypeError("Cannot write CSV: no columns");
  const { write, ...format } = csvFormat(chosenColumns(columns, PAGE_COLUMNS), options);
  return byteWriterStream({
    ...format,
    write(input) {
      if (!isEvent(input)) return write({ page: input });
      return input.type === "page" ? write(input) : "";
    },
  });
}

/** Columns that mostly have the value of the row before: those of a sitemap, or of a site. */
const REPEATED_REGEXP = /^site/;

/** Throws a `TypeError` if the separator is invalid. */
export function csvFormat<Row>(
  columns: readonly Column<Row>[],
  { header = true, bom = false, separator = "," }: Omit<CsvOptions, "columns"> = {},
): TextFormat<Row> {
  const cell = csvCellWriter(separator);
  const reads = columns.map(cellReader);
  const isRepeated = columns.map(([name]) => REPEATED_REGEXP.test(name));
  const values: CellValue[] = columns.map(() => undefined);
  const cells = columns.map(() => "");
  const names = columns.map(([name], at) => cell(name, at)).join(separator) + ROW_END;
  return {
    head: (bom ? "\ufeff" : "") + (header ? names : ""),
    write(row) {
      let line = "";
      for (let at = 0; at < reads.length; at++) {
        const value = reads[at]!(row);
        if (at > 0) line += separator;
        if (!isRepeated[at]) line += cell(value, at);
        else if (value === values[at]) line += cells[at];
        else line += cells[at] = cell(values[at] = value, at);
      }
      return line + ROW_END;
    },
  };
}

/** Returns the columns of some names, in their order; throws a `TypeError` if one is unknown. */
export function chosenColumns<Row>(
  names: readonly string[],
  known: readonly Column<Row>[],
): Column<Row>[] {
  return names.map((name) => {
    const column = known.find(([known]) => known === name);
    if (column !== undefined) return column;
    const meant = suggestion(name, known.map(([name]) => name));
    throw new TypeError(`Cannot write CSV: unknown column "${name}"${meant}`);
  });
}
