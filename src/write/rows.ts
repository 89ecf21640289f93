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
import { codeSpan, inertText } from "./markdown.ts";
import { table } from "./table.ts";
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
  const { json = (row: Row, after: string) => objectJson(objectOf(columns, row), after) } = spec;
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

function objectOf<Row>(columns: readonly Column<Row>[], row: Row): object {
  return Object.fromEntries(columns.map(([name, read]) => [name, read(row)]));
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

export function tableText<Row>(
  { columns, drop }: RowSpec<Row>,
  rows: readonly Row[],
  width: number,
): string {
  const names = columns.map(([name]) => name);
  const heads = names.map((name) => name.toUpperCase().replace("_", " "));
  const cells = rows.map((row) =>
    columns.map((column) => textCell(cellReader(column)(row), column[2]))
  );
  return table([heads, ...cells], {
    numbers: columns.flatMap(([, , kind], at) => isNumber(kind) ? [at] : []),
    width,
    drop: (drop ?? names.slice(1).reverse()).map((name) => names.indexOf(name)),
  });
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
