/**
 * `sitetree fleet status`: the progress of a run, once or repeatedly, and the list of runs.
 *
 * @module
 */

import { count, grouped } from "../../data/text.ts";
import type { ActiveHost, DeadSite, Fleet, FleetProgress, FleetRun } from "../../fleet/mod.ts";
import { isTerminal } from "../../platform/host.ts";
import { escapeControls, escapeControlsInJson } from "../../write/escape.ts";
import { type Arguments, fixedOperands } from "../arguments.ts";
import { EXIT_CODES, UsageError } from "../failure.ts";
import { deadLine } from "./formats.ts";
import { requiredDatabase, requiredRun } from "./open.ts";
import { figureParts, isDone, progressNow, verdictCounts } from "./progress.ts";
import { serveStatusPage } from "./serve.ts";
import type { FleetSession } from "./session.ts";
import type { FormatName } from "../format_names.ts";
import { openOutput, printText } from "../output.ts";
import {
  cutMiddle,
  duration,
  padStart,
  paint,
  table,
  terminalColumns,
  usesColor,
} from "../terminal.ts";

type StatusFormat = FormatName<"fleetStatus">;

/** Hosts and sites that the status names: it has to fit a terminal of 24 lines. */
const MAX_HOSTS = 8;
const MAX_DEAD = 5;
/** Columns of the name of a run in the list. */
const MAX_NAME_WIDTH = 30;

/** Status of a run. */
interface RunStatus {
  readonly progress: FleetProgress;
  /** Hosts that are being walked, the longest first. */
  readonly hosts: readonly ActiveHost[];
  /** First sites that were given up. */
  readonly dead: readonly DeadSite[];
}

/** `fleet status`. */
export async function status(args: Arguments, session: FleetSession): Promise<number> {
  const [run] = fixedOperands(args);
  const format = args.format<StatusFormat>();
  const repeating = ["watch", "serve"].find((name) => args.has(name));
  if (run === undefined && repeating !== undefined) {
    throw new UsageError(`Missing run for "--${repeating}"`);
  }
  return await session.withFleet(requiredDatabase(args), {}, async (fleet) => {
    if (run === undefined) {
      await printRuns(fleet, format);
      return EXIT_CODES.complete;
    }
    await requiredRun(fleet, run);
    const ended = new AbortController();
    session.signal.addEventListener("abort", () => ended.abort());
    const page = await serveStatusPage(fleet, run, args, session, ended.signal);
    try {
      if (args.has("watch")) await watch(fleet, run, format, session);
      else if (page === undefined) await printStatus(fleet, run, format, session);
      // the page is served until Ctrl-C, also once the run is done
      await page?.closed;
    } finally {
      ended.abort();
      await page?.closed;
    }
    return session.interruption ?? EXIT_CODES.complete;
  });
}

async function statusOf(fleet: Fleet, progress: FleetProgress): Promise<RunStatus> {
  const hosts = progress.active > 0 ? await fleet.active(progress.run, MAX_HOSTS) : [];
  const dead: DeadSite[] = [];
  if (progress.dead > 0) {
    for await (const site of fleet.dead(progress.run)) if (dead.push(site) === MAX_DEAD) break;
  }
  return { progress, hosts, dead };
}

async function printStatus(
  fleet: Fleet,
  run: string,
  format: StatusFormat,
  session: FleetSession,
): Promise<void> {
  let latest: FleetProgress | undefined;
  for await (const progress of fleet.progress(run, { signal: session.signal })) {
    // rates need two values
    const isFirst = latest === undefined;
    latest = progress;
    if (!isFirst || progress.active === 0) break;
  }
  session.signal.throwIfAborted();
  const found = await statusOf(fleet, latest!);
  const isColored = usesColor(session.when, isTerminal("stdout"));
  const columns = isTerminal("stdout") ? terminalColumns() : Infinity;
  await printText(
    format === "json"
      ? `${statusJson(found, 2)}\n`
      : textOf(statusLines(found, Date.now()), columns, isColored),
  );
}

/** Prints the status repeatedly: in place on a terminal, and line by line elsewhere. */
async function watch(
  fleet: Fleet,
  run: string,
  format: StatusFormat,
  session: FleetSession,
): Promise<void> {
  const isInPlace = isTerminal("stdout") && format === "text";
  const isColored = usesColor(session.when, true);
  const output = await openOutput(undefined, session);
  const print = (text: string) => output.write(new TextEncoder().encode(text));
  let height = 0;
  let last = "";
  for await (const progress of fleet.progress(run, { signal: session.signal })) {
    const found = await statusOf(fleet, progress);
    if (isInPlace) {
      const lines = statusLines(found, Date.now());
      const up = height === 0 ? "" : `\x1b[${height}A\x1b[J`;
      await print(up + textOf(lines, terminalColumns() - 1, isColored));
      height = lines.length;
      continue;
    }
    const line = format === "json" ? statusJson(found) : figureParts(progress).join("  ");
    if (line !== last) await print(`${line}\n`);
    last = line;
  }
}

function statusJson({ progress, hosts, dead }: RunStatus, indent?: number): string {
  const fields = { ...progress, hosts, deadSites: dead };
  return escapeControlsInJson(JSON.stringify(fields, undefined, indent));
}

/** Returns lines cut to a width, with headings in bold. */
function textOf(lines: readonly string[], columns: number, isColored: boolean): string {
  return lines.map((line) => {
    const text = cutMiddle(escapeControls(line), columns);
    return `${isColored && !line.startsWith(" ") ? paint("bold", text) : text}\n`;
  }).join("");
}

/** Returns the status as lines, headings without indentation. */
export function statusLines({ progress, hosts, dead }: RunStatus, now: number): string[] {
  const { run, total, done, pages, active } = progress;
  const walked = `${grouped(done + progress.dead)} of ${count(total, "site")}`;
  const lines = [
    `${run}: ${stateOf(progress)}, ${walked}, ${count(pages, "page")}`,
    ...[countParts(progress), rateParts(progress)].filter((parts) => parts.length > 0)
      .map((parts) => `  ${parts.join(", ")}`),
  ];
  if (hosts.length > 0) {
    lines.push(`Active: ${grouped(active)}`, ...hosts.map((host) => hostLine(host, now)));
    if (active > hosts.length) lines.push(`  and ${grouped(active - hosts.length)} more`);
  }
  if (dead.length > 0) {
    const left = progress.dead - dead.length;
    lines.push(`Given up: ${grouped(progress.dead)}`);
    lines.push(...dead.map((site) => `  ${deadLine(site)}`));
    if (left > 0) lines.push(`  and ${grouped(left)} more; "sitetree fleet dead" lists them all`);
  }
  return lines;
}

function stateOf(progress: FleetProgress): string {
  if (isDone(progress)) return "done";
  if (progress.paused) return "paused";
  return progress.active > 0 ? "active" : "idle";
}

function countParts(progress: FleetProgress): string[] {
  const { done, dead, failed } = progress;
  return [
    ...(done + dead > 0 ? [verdictCounts(progress)] : []),
    ...(failed > 0 ? [`${grouped(failed)} to retry`] : []),
  ];
}

function rateParts({ sitesPerSecond, pagesPerSecond, etaMs = 0 }: FleetProgress): string[] {
  if (sitesPerSecond + pagesPerSecond === 0) return [];
  return [
    `${perSecond(sitesPerSecond)} sites/s`,
    `${perSecond(pagesPerSecond)} pages/s`,
    ...(etaMs > 0 ? [`${duration(etaMs)} left`] : []),
  ];
}

function perSecond(rate: number): string {
  return rate < 10 ? rate.toFixed(1) : grouped(Math.round(rate));
}

/** Returns a line such as `  0:12  example.com, waits 0:30 (host-1-ab12/3)`. */
function hostLine({ host, since, worker, notBefore }: ActiveHost, now: number): string {
  const wait = notBefore === undefined ? 0 : notBefore.getTime() - now;
  const waits = wait > 0 ? `, waits ${duration(wait)}` : "";
  return `  ${
    padStart(duration(Math.max(0, now - since.getTime())), 7)
  }  ${host}${waits} (${worker})`;
}

const HEADINGS = ["RUN", "SITES", "DONE", "DEAD", "PAGES", "STATE", "CREATED"] as const;
const NUMBERS = [1, 2, 3, 4];

async function printRuns(fleet: Fleet, format: StatusFormat): Promise<void> {
  const all: (FleetProgress & Pick<FleetRun, "created">)[] = [];
  for (const { id, created } of await fleet.runs()) {
    all.push({ ...await progressNow(fleet, id), created });
  }
  if (format === "json") return await printText(`${JSON.stringify(all, undefined, 2)}\n`);
  if (all.length === 0) return await printText("no runs\n");
  const rows = all.map((progress) => {
    const { run, total, done, dead, pages, created } = progress;
    const numbers = [total, done, dead, pages].map(grouped);
    const name = cutMiddle(escapeControls(run), MAX_NAME_WIDTH);
    return [
      name,
      ...numbers,
      stateOf(progress),
      created.toISOString().slice(0, 16).replace("T", " "),
    ];
  });
  await printText(table([HEADINGS, ...rows], NUMBERS));
}
