/**
 * Rows as a table, NDJSON, JSON or CSV, by the list of their columns.
 *
 * @module
 */

import { excerpt, grouped } from "../data/text.ts";
import type { CsvValue } from "./columns.ts";
import { csvRowWriter } from "./csv.ts";
import { escapeControls, escapeFormatControls } from "./escape.ts";
import { jsonFormat } from "./json.ts";
import { objectJson } from "./json_text.ts";
import { table } from "./table.ts";
import type { TextFormat } from "./text_stream.ts";

/** The digits of a `count` are grouped, unlike those of a `number` that is a name, as of a run. */
export type RowColumn<Row> = readonly [
  name: string,
  read: (row: Row) => CsvValue,
  kind?: "count" | "number",
];

export interface RowSpec<Row> {
  readonly columns: readonly RowColumn<Row>[];
  /** Columns that a narrow table lacks, in this order. Default: all but the first, the last first. */
  readonly drop?: readonly string[];
  /** Returns what JSON has of a row. Default: its columns. */
  readonly object?: (row: Row) => object;
  /** Returns a row as text. Default: that of a table. */
  readonly line?: (row: Row) => string;
}

/** `width` is that of the terminal, infinite elsewhere. */
export function rowFormat<Row>(
  name: "text" | "ndjson" | "json" | "csv",
  spec: RowSpec<Row>,
  width: number,
): TextFormat<Row> {
  const { columns, line } = spec;
  const {
    object = (row: Row) => Object.fromEntries(columns.map(([name, read]) => [name, read(row)])),
  } = spec;
  switch (name) {
    case "text":
      return line === undefined ? tableFormat(spec, width) : { write: (row) => `${line(row)}\n` };
    case "ndjson":
      return { write: (row) => objectJson(object(row), "\n") };
    case "json":
      return jsonFormat((row) => objectJson(object(row)));
    case "csv": {
      const cells = csvRowWriter();
      const write = (row: Row) => cells(columns.map(([, read]) => read(row)));
      return forTerminal({ head: cells(columns.map(([name]) => name)), write }, width);
    }
  }
}

/** Escapes what CSV keeps in files, and other formats escape everywhere. */
export function forTerminal<Row>(csv: TextFormat<Row>, width: number): TextFormat<Row> {
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
  const cells = rows.map((row) => columns.map(([, read, kind]) => cell(read(row), kind)));
  return table([heads, ...cells], {
    numbers: columns.flatMap(([, , kind], at) => kind === undefined ? [] : [at]),
    width,
    drop: (drop ?? names.slice(1).reverse()).map((name) => names.indexOf(name)),
  });
}

function cell(value: CsvValue, kind: RowColumn<unknown>[2]): string {
  if (value === undefined) return "-";
  return kind === "count" ? grouped(value as number) : escapeControls(excerpt(String(value)));
}
