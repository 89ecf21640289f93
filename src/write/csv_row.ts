/**
 * A row of CSV, quoted and safe for spreadsheets.
 *
 * @module
 */

import type { CsvValue } from "./csv_columns.ts";
import { escapeControlsInCell } from "./escape.ts";

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
