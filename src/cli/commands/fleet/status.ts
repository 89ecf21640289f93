import type { Fleet, FleetProgress, FleetRun } from "../../../fleet/mod.ts";
import {
  progressNow,
  progressParts,
  RUN_ROWS,
  type RunStatus,
  statusLines,
  StatusReader,
} from "../../../fleet/run_status.ts";
import { eraseLines, painter } from "../../../write/ansi.ts";
import { escapeControls } from "../../../write/escape.ts";
import { documentJson, objectJson } from "../../../write/json_text.ts";
import { paragraph } from "../../../write/layout.ts";
import { tableText } from "../../../write/rows.ts";
import { widthOf } from "../../../write/layout.ts";
import type { Arguments } from "../../arguments.ts";
import type { FormatName } from "../../format_names.ts";
import type { Session } from "../../run/session.ts";
import { outputColumns, terminalColumns } from "../../run/terminal.ts";
import { withFleet } from "./fleet.ts";
import { requireRun } from "./open.ts";

type StatusFormat = FormatName<"fleetStatus">;

export async function status(args: Arguments): Promise<number> {
  const [run] = args.operands;
  const format = args.format<StatusFormat>();
  return await withFleet(args, async (fleet, session) => {
    if (run === undefined) return await printRuns(fleet, format, session);
    await requireRun(fleet, run);
    if (args.has("watch")) await watch(fleet, run, format, session);
    else await printStatus(fleet, run, format, session);
  });
}

async function printRuns(
  fleet: Fleet,
  format: StatusFormat,
  session: Session,
): Promise<void> {
  const all: (FleetRun & FleetProgress)[] = [];
  for (const run of await fleet.runs()) all.push({ ...run, ...await progressNow(fleet, run.id) });
  if (format === "json") return await session.print(documentJson(all));
  await session.print(all.length === 0 ? "no runs\n" : tableText(RUN_ROWS, all, outputColumns()));
}

async function printStatus(
  fleet: Fleet,
  run: string,
  format: StatusFormat,
  session: Session,
): Promise<void> {
  let latest: FleetProgress | undefined;
  for await (const progress of fleet.progress(run, { signal: session.signal })) {
    // rates need two values
    const isFirst = latest === undefined;
    latest = progress;
    if (!isFirst || progress.active === 0) break;
  }
  session.signal.throwIfAborted();
  const { progress, ...rest } = await new StatusReader(fleet).read(latest!);
  await session.print(
    format === "json"
      ? documentJson({ ...progress, ...rest })
      : textOf(linesOf({ progress, ...rest }, outputColumns()), session.color),
  );
}

async function watch(
  fleet: Fleet,
  run: string,
  format: StatusFormat,
  session: Session,
): Promise<void> {
  const isInPlace = session.output.isTerminal && format === "text";
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
      text = eraseLines(height) + textOf(lines, session.color);
      // the terminal breaks long words
      height = lines.reduce((sum, line) => sum + Math.ceil(widthOf(line) / columns), 0);
    }
    if (text !== last || isInPlace) await session.print(text);
    last = text;
  }
}

function linesOf(status: RunStatus, columns: number): string[] {
  return statusLines(status).flatMap((line) => paragraph(escapeControls(line), columns));
}

function textOf(lines: readonly string[], color: boolean): string {
  const paint = painter(color);
  return lines.map((line) => `${line.startsWith(" ") ? line : paint("bold", line)}\n`).join("");
}
