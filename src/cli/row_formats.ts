import { rowFormat as formatOf, type RowSpec } from "../write/rows.ts";
import type { TextFormat } from "../write/text_stream.ts";
import type { Arguments } from "./arguments.ts";
import { terminalColumns } from "./run/terminal.ts";

/** Returns the format of rows that the arguments ask for. */
export function rowFormat<Row>(
  args: Arguments,
  spec: RowSpec<Row>,
  isTerminal: boolean,
): TextFormat<Row> {
  const width = isTerminal ? terminalColumns() : Infinity;
  const { head = "", ...rest } = formatOf(args.format(), spec, width);
  return { head: args.byteOrderMark() + head, ...rest };
}
