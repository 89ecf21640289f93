/**
 * Writers without any test for clean text: every value is searched and replaced. What they write is
 * what the writers of the module must write, byte for byte.
 *
 * @module
 */

import type { TreeEvent } from "../../src/data/events.ts";
import { cellReader, type CellValue, type Column, type PageRow } from "../../src/write/columns.ts";
import type { CsvOptions } from "../../src/write/mod.ts";

const FORMAT_CONTROLS = String.raw`\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff`;
const CONTROLS_REGEXP = new RegExp(`[\\p{Cc}\\p{Cs}${FORMAT_CONTROLS}]`, "gu");
const NOT_IN_URLS_REGEXP = new RegExp(`[\\s\\0-\\x1f\\x7f-\\x9f${FORMAT_CONTROLS}]`, "g");
// deno-lint-ignore no-control-regex
const NOT_IN_CELLS_REGEXP = /[\0-\x08\x0b-\x1f\x7f-\x9f]/g;
const NOT_IN_JSON_REGEXP = new RegExp(`[\\x7f-\\x9f${FORMAT_CONTROLS}]`, "g");

function hexEscape(character: string): string {
  const code = character.charCodeAt(0);
  return code < 256 ? `\\x${code.toString(16).padStart(2, "0")}` : jsonEscape(character);
}

function jsonEscape(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

/** A value as a line of NDJSON: that of `JSON.stringify()`, with terminal controls escaped. */
export function ndjsonLine(value: unknown): string {
  return JSON.stringify(value).replace(NOT_IN_JSON_REGEXP, jsonEscape) + "\n";
}

/** Values as one JSON array, each in a line. */
export function jsonText(values: readonly unknown[]): string {
  if (values.length === 0) return "[]\n";
  return `[\n${values.map((value) => ndjsonLine(value).trimEnd()).join(",\n")}\n]\n`;
}

export function urlLine(url: string): string {
  return url.replace(NOT_IN_URLS_REGEXP, encodeURIComponent) + "\n";
}

export function safeText(text: string): string {
  return text.replace(CONTROLS_REGEXP, hexEscape);
}

/** The sitemaps and pages of events, a tab deeper than their parents. */
export function tabtreeText(events: readonly TreeEvent[]): string {
  let root: number | undefined;
  return events.map((event) => {
    if (event.type === "sitemap-entered" || event.type === "invalid") root ??= event.sitemap.level;
    else if (event.type !== "page") return "";
    const { level, url } = event.sitemap;
    const [depth, shown] = event.type === "page" ? [level + 1, event.page.url] : [level, url];
    return `${"\t".repeat(Math.max(0, depth - root!))}${safeText(shown)}\n`;
  }).join("");
}

const FORMULA_START = String.raw`[=+\-@\uff0b\uff0d\uff1d\uff20]`;
const FORMULA_REGEXP = new RegExp(`^(?:[\\t\\n]|\\s*${FORMULA_START})`);
const QUOTED_REGEXP = /["\n,;|\t]/;

export function csvRow(
  values: readonly CellValue[],
  { separator = "," }: CsvOptions = {},
): string {
  const innerFormula = new RegExp(
    `(?<=[\\n${",;|\t".replace(separator, "")}][\\s"]*)${FORMULA_START}`,
    "g",
  );
  const quoted = (cell: string) =>
    QUOTED_REGEXP.test(cell) || cell.includes(separator) ? `"${cell.replaceAll('"', '""')}"` : cell;
  return values.map((value, column) => {
    if (value === undefined) return "";
    if (typeof value === "number" || typeof value === "boolean") return quoted(String(value));
    const joined = typeof value === "string" ? value : value.join("|");
    const lines = joined.replace(/\r\n?/g, "\n");
    const shown = lines.replace(NOT_IN_CELLS_REGEXP, hexEscape);
    const text = FORMULA_REGEXP.test(shown) ? `'${shown}` : shown;
    const isSplit = column > 0 && QUOTED_REGEXP.test(text);
    return quoted(isSplit ? text.replace(innerFormula, "'$&") : text);
  }).join(separator) + "\r\n";
}

export function csvPage(
  row: PageRow,
  columns: readonly Column<PageRow>[],
  options?: CsvOptions,
): string {
  return csvRow(columns.map((column) => cellReader(column)(row)), options);
}
