import { closestString } from "@std/text/closest-string";
import type { SitemapRef } from "../data/events.ts";
import { checkNames } from "../data/option_rules.ts";
import { numberText } from "../data/text.ts";
import {
  type Column,
  COLUMNS,
  type CsvColumn,
  type CsvOptions,
  type CsvValue,
  DEFAULT_COLUMNS,
} from "./columns.ts";
import { escapeControlsInCell } from "./escape.ts";
import {
  byteWriterStream,
  pageOf,
  sitemapOf,
  type TextFormat,
  type WriterChunk,
  type WriterInput,
} from "./text_stream.ts";

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

/** Throws a `TypeError` if the separator is invalid. */
export function csvRowWriter(
  options: Omit<CsvOptions, "columns"> = {},
): (values: readonly CsvValue[]) => string {
  const { separator = "," } = options;
  const cell = csvCellWriter(options);
  return (values) => values.map(cell).join(separator) + ROW_END;
}

const ROW_END = "\r\n";
/** Between the items of a list in a cell. */
const LIST_SEPARATOR = "|";

function csvCellWriter(
  { separator = "," }: Omit<CsvOptions, "columns">,
): (value: CsvValue, column: number) => string {
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
  return byteWriterStream(csvFormat(options));
}

/** `known` are the columns to choose from. */
export function csvFormat<Name extends string = CsvColumn>(
  options: Omit<CsvOptions, "columns"> & { readonly columns?: readonly Name[] },
  known: readonly Column<string>[] = COLUMNS,
): TextFormat<WriterInput> {
  const { columns: names = DEFAULT_COLUMNS, header = true, bom = false, separator = "," } = options;
  const columns = names.map((name) => columnOf(name, known));
  if (columns.length === 0) throw new TypeError("Cannot write CSV: no columns");
  const cell = csvCellWriter(options);
  let lastSitemap: SitemapRef | undefined;
  let shared: readonly (string | undefined)[] = columns.map(() => undefined);
  return {
    head: (bom ? "\ufeff" : "") + (header ? csvRowWriter(options)(names) : ""),
    write(input) {
      const page = pageOf(input);
      if (page === undefined) return "";
      const sitemap = sitemapOf(input);
      if (sitemap !== lastSitemap) {
        lastSitemap = sitemap;
        shared = columns.map(({ isShared, read }, at) =>
          isShared ? cell(read(page, sitemap, input), at) : undefined
        );
      }
      let row = "";
      for (let at = 0; at < columns.length; at++) {
        if (at > 0) row += separator;
        row += shared[at] ?? cell(columns[at]!.read(page, sitemap, input), at);
      }
      return row + ROW_END;
    },
  };
}

function columnOf(name: string, known: readonly Column<string>[]): Column<string> {
  const column = known.find((column) => column.name === name);
  if (column !== undefined) return column;
  const nearest: string = closestString(name, known.map(({ name }) => name));
  throw new TypeError(`Cannot write CSV: unknown column "${name}"; did you mean "${nearest}"?`);
}
