/**
 * Rows as a table, NDJSON, JSON, CSV or Markdown, by the list of their columns.
 *
 * @module
 */

import { excerpt, grouped } from "../data/text.ts";
import { cellReader, type CellValue, type Column, type ColumnKind } from "./columns.ts";
import { csvFormat } from "./csv.ts";
import { escapeControls, escapeFormatControls } from "./escape.ts";
import { jsonFormat } from "./json.ts";
import { objectJson } from "./json_text.ts";
import { padEnd, padStart, widthOf } from "./layout.ts";
import { codeSpan, inertText } from "./markdown.ts";
import type { TextFormat } from "./text_stream.ts";

export interface RowSpec<Row> {
  readonly columns: readonly Column<Row>[];
  /** Columns that a narrow table lacks, in this order. Default: all but the first, the last first. */
  readonly drop?: readonly string[];
  /** Returns the JSON of a row, and the text `after` behind it. Default: that of its columns. */
  readonly json?: (row: Row, after: string) => string;
  /** Returns a row as text. Default: that of a table. */
  readonly line?: (row: Row, width: number) => string;
}

/** `width` is that of the terminal, infinite elsewhere. */
export function rowFormat<Row>(
  name: "text" | "ndjson" | "json" | "csv" | "markdown",
  spec: RowSpec<Row>,
  width: number,
): TextFormat<Row> {
  const { columns, line } = spec;
  const objectOf = (row: Row) =>
    Object.fromEntries(columns.map(([name, read]) => [name, read(row)]));
  const { json = (row: Row, after: string) => objectJson(objectOf(row), after) } = spec;
  switch (name) {
    case "text":
      return line === undefined
        ? tableFormat(spec, width)
        : { write: (row) => `${line(row, width)}\n` };
    case "ndjson":
      return { write: (row) => json(row, "\n") };
    case "json":
      return jsonFormat((row) => json(row, ""));
    case "csv":
      return forTerminal(csvFormat(columns), width);
    case "markdown":
      return markdownFormat(columns);
  }
}

/** Escapes what CSV keeps in files, and other formats escape everywhere. */
function forTerminal<Row>(csv: TextFormat<Row>, width: number): TextFormat<Row> {
  return width < Infinity ? { ...csv, write: (row) => escapeFormatControls(csv.write(row)) } : csv;
}

/** Writes all rows at the end, since the longest cell widens its column. */
function tableFormat<Row>(spec: RowSpec<Row>, width: number): TextFormat<Row> {
  const rows: Row[] = [];
  return {
    write(row) {
      rows.push(row);
      return "";
    },
    end: () => rows.length === 0 ? "" : tableText(spec, rows, width),
  };
}

/** Columns of the first cell, at least, for which others are left out. */
const MIN_FIRST = 20;

/** A first cell that does not fit, such as a long URL, has a line of its own. */
export function tableText<Row>(
  { columns, drop }: RowSpec<Row>,
  rows: readonly Row[],
  width: number,
): string {
  const names = columns.map(([name]) => name);
  const heads = names.map((name) => name.toUpperCase().replace("_", " "));
  const lines = [
    heads,
    ...rows.map((row) => columns.map((column) => textCell(cellReader(column)(row), column[2]))),
  ];
  const widths = columns.map((_, at) =>
    lines.reduce((widest, cells) => Math.max(widest, widthOf(cells[at]!)), 0)
  );
  const [whole = 0] = widths;
  let others = names.slice(1);
  const widthAt = (name: string) => widths[names.indexOf(name)]!;
  const left = () => others.reduce((left, name) => left - 2 - widthAt(name), width);
  for (const name of drop ?? names.slice(1).reverse()) {
    if (left() < Math.min(whole, MIN_FIRST)) others = others.filter((other) => other !== name);
  }
  const first = Math.max(0, Math.min(whole, left()));
  const pad = (text: string, name: string, width: number) =>
    (isNumber(columns[names.indexOf(name)]![2]) ? padStart : padEnd)(text, width);
  return lines.map((cells) => {
    const [head = ""] = cells;
    const rest = others.map((name) => `  ${pad(cells[names.indexOf(name)]!, name, widthAt(name))}`)
      .join("").trimEnd();
    return widthOf(head) <= first || rest === ""
      ? `${(pad(head, names[0]!, first) + rest).trimEnd()}\n`
      : `${head}\n${" ".repeat(first)}${rest}\n`;
  }).join("");
}

function textCell(value: CellValue, kind: ColumnKind | undefined): string {
  if (value === undefined) return "-";
  return kind === "count" ? grouped(value as number) : escapeControls(excerpt(String(value)));
}

function isNumber(kind: ColumnKind | undefined): boolean {
  return kind === "count" || kind === "number";
}

function markdownFormat<Row>(columns: readonly Column<Row>[]): TextFormat<Row> {
  const line = (cells: readonly string[]) => `| ${cells.join(" | ")} |\n`;
  return {
    head: line(columns.map(([name]) => name)) +
      line(columns.map(([, , kind]) => isNumber(kind) ? "---:" : "---")),
    write: (row) => line(columns.map((column) => markdownCell(cellReader(column)(row), column[2]))),
  };
}

function markdownCell(value: CellValue, kind: ColumnKind | undefined): string {
  if (value === undefined) return "";
  if (kind === "count") return grouped(value as number);
  const text = String(value);
  if (kind === "markdown") return text;
  return kind === "code" ? codeSpan(text) : inertText(text);
}
