/**
 * Formats of rows: a table for people, and the same as JSON and CSV.
 *
 * @module
 */

import { excerpt, grouped } from "../data/text.ts";
import { escapeControls, escapeControlsInJson } from "../write/escape.ts";
import type { TextFormat } from "../write/text_stream.ts";
import type { Arguments } from "./arguments.ts";
import { csvTable, jsonFormats } from "./change_formats.ts";
import type { FormatName } from "./format_names.ts";
import { table } from "./terminal.ts";

/** A column: its name, how to read its value, and whether that is a count or the number of something. */
export type RowColumn<T> = readonly [
  name: string,
  read: (row: T) => string | number | undefined,
  kind?: "count" | "number",
];

/** Returns the format of rows that the options ask for. */
export function rowFormat<T>(
  args: Arguments,
  columns: readonly RowColumn<T>[],
  isTerminal: boolean,
): TextFormat<T> {
  const toJson = (row: T) =>
    escapeControlsInJson(
      JSON.stringify(Object.fromEntries(columns.map(([name, read]) => [name, read(row)]))),
    );
  const formats: Readonly<Record<FormatName<"rows">, () => TextFormat<T>>> = {
    text: () => tableFormat(columns),
    ...jsonFormats(toJson),
    csv: () => csvTable(columns.map(([name, read]) => [name, read]), isTerminal),
  };
  const { head = "", ...rest } = formats[args.format<FormatName<"rows">>()]();
  return { head: args.byteOrderMark() + head, ...rest };
}

/** Returns a format that writes all rows at the end, since the longest cell widens its column. */
function tableFormat<T>(columns: readonly RowColumn<T>[]): TextFormat<T> {
  const rows: string[][] = [];
  const numbers = columns.flatMap(([, , kind], at) => kind === undefined ? [] : [at]);
  return {
    write(row) {
      rows.push(columns.map(([, read, kind]) => cell(read(row), kind)));
      return "";
    },
    end: () =>
      rows.length === 0
        ? ""
        : table([columns.map(([name]) => name.toUpperCase()), ...rows], numbers),
  };
}

function cell(value: string | number | undefined, kind: RowColumn<unknown>[2]): string {
  if (value === undefined) return "-";
  if (typeof value === "string") return escapeControls(excerpt(value));
  return kind === "count" ? grouped(value) : String(value);
}
