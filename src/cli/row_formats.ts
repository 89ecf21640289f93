import { excerpt, grouped } from "../data/text.ts";
import { escapeControls, escapeControlsInJson } from "../write/escape.ts";
import type { TextFormat } from "../write/text_stream.ts";
import type { Arguments } from "./arguments.ts";
import { csvTable, jsonFormats } from "./change_formats.ts";
import type { FormatName } from "./format_names.ts";
import { table, terminalColumns } from "./terminal.ts";

/** The kind tells a count from the number of something, such as of a run. */
export type RowColumn<T> = readonly [
  name: string,
  read: (row: T) => string | number | undefined,
  kind?: "count" | "number",
];

/** `drop` are the columns that a table on a narrow terminal lacks, in this order. */
export function rowFormat<T>(
  args: Arguments,
  columns: readonly RowColumn<T>[],
  isTerminal: boolean,
  drop: readonly string[] = columns.map(([name]) => name).slice(1).reverse(),
): TextFormat<T> {
  const { head = "", ...rest } = rowFormatOf(args.format(), columns, isTerminal, drop);
  return { head: args.byteOrderMark() + head, ...rest };
}

export function rowFormatOf<T>(
  name: FormatName<"rows">,
  columns: readonly RowColumn<T>[],
  isTerminal: boolean,
  drop: readonly string[],
): TextFormat<T> {
  const toJson = (row: T) =>
    escapeControlsInJson(
      JSON.stringify(Object.fromEntries(columns.map(([name, read]) => [name, read(row)]))),
    );
  const formats: Readonly<Record<FormatName<"rows">, () => TextFormat<T>>> = {
    text: () => tableFormat(columns, isTerminal ? terminalColumns() : Infinity, drop),
    ...jsonFormats(toJson),
    csv: () => csvTable(columns.map(([name, read]) => [name, read]), isTerminal),
  };
  return formats[name]();
}

/** Writes all rows at the end, since the longest cell widens its column. */
function tableFormat<T>(
  columns: readonly RowColumn<T>[],
  width: number,
  drop: readonly string[],
): TextFormat<T> {
  const rows: string[][] = [];
  const names = columns.map(([name]) => name);
  const numbers = columns.flatMap(([, , kind], at) => kind === undefined ? [] : [at]);
  return {
    write(row) {
      rows.push(columns.map(([, read, kind]) => cell(read(row), kind)));
      return "";
    },
    end: () =>
      rows.length === 0
        ? ""
        : table([names.map((name) => name.toUpperCase().replace("_", " ")), ...rows], {
          numbers,
          width,
          drop: drop.map((name) => names.indexOf(name)),
        }),
  };
}

function cell(value: string | number | undefined, kind: RowColumn<unknown>[2]): string {
  if (value === undefined) return "-";
  if (typeof value === "string") return escapeControls(excerpt(value));
  return kind === "count" ? grouped(value) : String(value);
}
