import type { Fleet, FleetProgress, FleetRun, FleetSite } from "../../../fleet/mod.ts";
import { isDone } from "../../../fleet/rates.ts";
import { isTerminal } from "../../../platform/host.ts";
import { eraseLines, painter } from "../../../write/ansi.ts";
import { escapeControls } from "../../../write/escape.ts";
import { documentJson, objectJson } from "../../../write/json_text.ts";
import { type RowSpec, tableText } from "../../../write/rows.ts";
import { widthOf } from "../../../write/table.ts";
import { type Arguments, fixedOperands } from "../../arguments.ts";
import { UsageError } from "../../run/failure.ts";
import type { FormatName } from "../../format_names.ts";
import { openOutput, printText } from "../../run/output.ts";
import { type ColorName, outputColumns, terminalColumns, usesColor } from "../../run/terminal.ts";
import { paragraph } from "../../../write/layout.ts";
import { requiredRun } from "./open.ts";
import { progressNow, progressParts } from "./progress.ts";
import { FleetSession, withFleet } from "./session.ts";
import { type RunStatus, stateOf, statusLines, UNREAD } from "./status_text.ts";

type StatusFormat = FormatName<"fleetStatus">;

/** Hosts and sites that the status names: it has to fit a terminal of 24 lines. */
const MAX_HOSTS = 8;
const MAX_UNREAD = 5;
/** Milliseconds between two counts of failures, and how much of the time these take at most. */
const MIN_COUNT_INTERVAL = 10_000, MAX_COUNT_SHARE = 0.05;

export async function status(args: Arguments): Promise<number> {
  const [run] = fixedOperands(args);
  const format = args.format<StatusFormat>();
  if (run === undefined && args.has("watch")) throw new UsageError('Missing run for "--watch"');
  const session = new FleetSession(args);
  return await withFleet(args, session, async (fleet) => {
    if (run === undefined) return await printRuns(fleet, format);
    await requiredRun(fleet, run);
    if (args.has("watch")) await watch(fleet, run, format, session);
    else await printStatus(fleet, run, format, session);
  });
}

class StatusReader {
  readonly #fleet: Fleet;
  #failures: RunStatus["failures"] = [];
  /** When failures are counted again, by `performance.now()`. */
  #next = 0;

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
  }

  async read(progress: FleetProgress): Promise<RunStatus> {
    return {
      time: new Date(),
      progress,
      hosts: progress.active > 0 ? await this.#fleet.active(progress.run, MAX_HOSTS) : [],
      failures: await this.#readFailures(progress),
      unread: await readUnread(this.#fleet, progress),
    };
  }

  /** A million of them take a moment to count. */
  async #readFailures(progress: FleetProgress): Promise<RunStatus["failures"]> {
    const { run, done, verdicts } = progress;
    if (done === verdicts.complete) return this.#failures = [];
    const started = performance.now();
    if (started < this.#next && !isDone(progress)) return this.#failures;
    this.#failures = await this.#fleet.failures(run);
    const ended = performance.now();
    this.#next = ended + Math.max(MIN_COUNT_INTERVAL, (ended - started) / MAX_COUNT_SHARE);
    return this.#failures;
  }
}

async function readUnread(fleet: Fleet, { run, verdicts }: FleetProgress): Promise<FleetSite[]> {
  const sites: FleetSite[] = [];
  for (const verdict of UNREAD) {
    if (verdicts[verdict] === 0 || sites.length >= MAX_UNREAD) continue;
    for await (const site of fleet.sites(run, { verdict })) {
      if (sites.push(site) >= MAX_UNREAD) break;
    }
  }
  return sites;
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

function minutes(date: Date | undefined): string | undefined {
  return date?.toISOString().slice(0, 16).replace("T", " ");
}

const RUNS: RowSpec<FleetRun & FleetProgress> = {
  columns: [
    ["run", ({ id }) => id],
    ["round", ({ round }) => round, "count"],
    ["sites", ({ total }) => total, "count"],
    ["done", ({ done }) => done, "count"],
    ["waiting", ({ waiting }) => waiting, "count"],
    ["pages", ({ pages }) => pages, "count"],
    ["state", stateOf],
    ["created", ({ created }) => minutes(created)],
    ["next", ({ due }) => minutes(due)],
  ],
  // name, sites, those that are done and the state stay
  drop: ["created", "next", "round", "waiting", "pages"],
};

async function printRuns(fleet: Fleet, format: StatusFormat): Promise<void> {
  const all: (FleetRun & FleetProgress)[] = [];
  for (const run of await fleet.runs()) all.push({ ...run, ...await progressNow(fleet, run.id) });
  if (format === "json") return await printText(documentJson(all));
  await printText(all.length === 0 ? "no runs\n" : tableText(RUNS, all, outputColumns()));
}
