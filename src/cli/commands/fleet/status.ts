import type { Fleet, FleetProgress, FleetRun } from "../../../fleet/mod.ts";
import {
  progressNow,
  progressParts,
  RUN_ROWS,
  type RunStatus,
  statusLines,
  StatusReader,
} from "../../../fleet/run_status.ts";
import { isTerminal } from "../../../platform/process.ts";
import { eraseLines, painter } from "../../../write/ansi.ts";
import { escapeControls } from "../../../write/escape.ts";
import { documentJson, objectJson } from "../../../write/json_text.ts";
import { paragraph } from "../../../write/layout.ts";
import { tableText } from "../../../write/rows.ts";
import { widthOf } from "../../../write/table.ts";
import type { Arguments } from "../../arguments.ts";
import type { FormatName } from "../../format_names.ts";
import { openOutput } from "../../run/output.ts";
import { printText } from "../../run/print.ts";
import { type ColorName, outputColumns, terminalColumns, usesColor } from "../../run/terminal.ts";
import { FleetSession, withFleet } from "./fleet.ts";
import { requiredRun } from "./open.ts";

type StatusFormat = FormatName<"fleetStatus">;

export async function status(args: Arguments): Promise<number> {
  const [run] = args.operands;
  const format = args.format<StatusFormat>();
  const session = new FleetSession(args);
  return await withFleet(args, session, async (fleet) => {
    if (run === undefined) return await printRuns(fleet, format);
    await requiredRun(fleet, run);
    if (args.has("watch")) await watch(fleet, run, format, session);
    else await printStatus(fleet, run, format, session);
  });
}

async function printRuns(fleet: Fleet, format: StatusFormat): Promise<void> {
  const all: (FleetRun & FleetProgress)[] = [];
  for (const run of await fleet.runs()) all.push({ ...run, ...await progressNow(fleet, run.id) });
  if (format === "json") return await printText(documentJson(all));
  await printText(all.length === 0 ? "no runs\n" : tableText(RUN_ROWS, all, outputColumns()));
}

async function printStatus(
  fleet: Fleet,
  run: string,
  format: StatusFormat,
  { signal, when }: FleetSession,
): Promise<void> {
  let latest: FleetProgress | undefined;
  for await (const progress of fleet.progress(run, { signal })) {
    // rates need two values
    const isFirst = latest === undefined;
    latest = progress;
    if (!isFirst || progress.active === 0) break;
  }
  signal.throwIfAborted();
  const { progress, ...rest } = await new StatusReader(fleet).read(latest!);
  await printText(
    format === "json"
      ? documentJson({ ...progress, ...rest })
      : textOf(linesOf({ progress, ...rest }, outputColumns()), when),
  );
}

async function watch(
  fleet: Fleet,
  run: string,
  format: StatusFormat,
  session: FleetSession,
): Promise<void> {
  const isInPlace = isTerminal("stdout") && format === "text";
  const output = await openOutput(undefined, session);
  const reader = new StatusReader(fleet);
  let height = 0, last = "";
  for await (const progress of fleet.progress(run, { signal: session.signal })) {
    const found = await reader.read(progress);
    let text = format === "json"
      ? objectJson({ ...progress, ...found, progress: undefined }, "\n")
      : `${progressParts(progress).join("  ")}\n`;
    if (isInPlace) {
      const columns = terminalColumns() - 1;
      const lines = linesOf(found, columns);
      text = eraseLines(height) + textOf(lines, session.when);
      // the terminal breaks long words
      height = lines.reduce((sum, line) => sum + Math.ceil(widthOf(line) / columns), 0);
    }
    if (text !== last || isInPlace) await output.write(new TextEncoder().encode(text));
    last = text;
  }
}

function linesOf(status: RunStatus, columns: number): string[] {
  return statusLines(status).flatMap((line) => paragraph(escapeControls(line), columns));
}

function textOf(lines: readonly string[], when: ColorName): string {
  const paint = painter(usesColor(when, isTerminal("stdout")));
  return lines.map((line) => `${line.startsWith(" ") ? line : paint("bold", line)}\n`).join("");
}
