/**
 * The status of a run: what belongs to it, as lines of text and as rows.
 *
 * @module
 */

import { count, grouped, quotedWord } from "../data/text.ts";
import { duration, namedCounts, rate } from "../data/words.ts";
import type { RowSpec } from "../write/rows.ts";
import { padStart } from "../write/layout.ts";
import type { Fleet } from "./fleet.ts";
import { type FleetProgress, type FleetVerdict, isDone } from "./progress.ts";
import type { ActiveHost, FleetRun, FleetSite } from "./reports.ts";

/** Verdicts of sites that nothing could be read of. */
const UNREAD: readonly FleetVerdict[] = ["failed", "blocked"];
/** Hosts, sites and codes that the status names: it has to fit a terminal of 24 lines. */
const MAX_HOSTS = 8;
const MAX_UNREAD = 5;
const MAX_CODES = 5;
/** Milliseconds between two counts of failures, and how much of the time these take at most. */
const MIN_COUNT_INTERVAL = 10_000, MAX_COUNT_SHARE = 0.05;

export interface RunStatus {
  /** When it was read. */
  readonly time: Date;
  readonly progress: FleetProgress;
  /** Hosts that are being walked, the longest first. */
  readonly hosts: readonly ActiveHost[];
  /** Why sites are not complete, the most frequent code first. */
  readonly failures: readonly { readonly code: string; readonly sites: number }[];
  /** First sites that nothing could be read of. */
  readonly unread: readonly FleetSite[];
}

export class StatusReader {
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
      unread: await this.#readUnread(progress),
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

  async #readUnread({ run, verdicts }: FleetProgress): Promise<FleetSite[]> {
    const sites: FleetSite[] = [];
    for (const verdict of UNREAD) {
      if (verdicts[verdict] === 0 || sites.length >= MAX_UNREAD) continue;
      for await (const site of this.#fleet.sites(run, { verdict })) {
        if (sites.push(site) >= MAX_UNREAD) break;
      }
    }
    return sites;
  }
}

export async function progressNow(fleet: Fleet, run: string): Promise<FleetProgress> {
  return (await fleet.progress(run).next()).value as FleetProgress;
}

// -------------------------------------------------------------------------------------------- text

function verdictCounts({ verdicts, waiting }: FleetProgress): string[] {
  return namedCounts({ ...verdicts, waiting });
}

function stateOf(progress: FleetProgress): string {
  if (isDone(progress)) return "done";
  if (progress.paused) return "paused";
  return progress.active > 0 ? "active" : "idle";
}

function timeLeft({ etaMs = 0 }: FleetProgress): string[] {
  return etaMs > 0 ? [`${duration(etaMs)} left`] : [];
}

/** Returns the parts of the progress line, the most important first. */
export function progressParts(progress: FleetProgress): string[] {
  const { run, round, total, done, active, pages, pagesPerSecond } = progress;
  return [
    run,
    `${grouped(done)}/${count(total, "site")}`,
    count(pages, "page"),
    ...timeLeft(progress),
    rate(pagesPerSecond),
    `${grouped(active)} active`,
    ...verdictCounts(progress),
    `round ${round}`,
  ];
}

/** Returns a line such as `complete: 10 sites (9 complete, 1 none), 1,234 pages, 0.4 s`. */
export function summaryOf(progress: FleetProgress, elapsed: number): string {
  const { run, round, total, done, pages } = progress;
  const ending = isDone(progress) ? endingOf(progress) : progress.paused ? "paused" : "interrupted";
  const sites = (isDone(progress) ? "" : `${grouped(done)} of `) + count(total, "site");
  const counts = verdictCounts(progress).join(", ");
  // "complete: 10 sites" are all complete
  const isOne = counts === `${grouped(total)} ${ending}` || counts === "";
  return `${run}, round ${round}: ${ending}: ${sites}${isOne ? "" : ` (${counts})`}, ` +
    `${count(pages, "page")}, ${duration(elapsed)}`;
}

function endingOf({ verdicts, total }: FleetProgress): FleetVerdict {
  const names = Object.keys(verdicts) as FleetVerdict[];
  const only = names.find((name) => verdicts[name] === total);
  const { complete, none } = verdicts;
  return only ?? (complete + none === total ? "complete" : "partial");
}

/** Returns the status as lines, headings without indentation. */
export function statusLines({ time, progress, hosts, failures, unread }: RunStatus): string[] {
  const { run, round, total, done, pages, active, suspects, verdicts } = progress;
  const section = (name: string, all: number, lines: readonly string[], hint = "") =>
    lines.length === 0 ? [] : [
      `${name}: ${grouped(all)}`,
      ...lines.map((line) => `  ${line}`),
      ...(all > lines.length ? [`  and ${grouped(all - lines.length)} more${hint}`] : []),
    ];
  return [
    `${run}: ${stateOf(progress)}, round ${round}, ${grouped(done)} of ${count(total, "site")}, ` +
    count(pages, "page"),
    ...[verdictCounts(progress), rateParts(progress)].filter((parts) => parts.length > 0)
      .map((parts) => `  ${parts.join(", ")}`),
    ...(suspects === 0
      ? []
      : [`Suspects: ${grouped(suspects)}, on a worker when it died, walked one at a time`]),
    ...failureLines(run, failures),
    ...section("Active", active, hosts.map((host) => hostLine(host, time.getTime()))),
    ...section(
      "Blocked or failed",
      UNREAD.reduce((sum, verdict) => sum + verdicts[verdict], 0),
      unread.map(siteLine),
      '; "sitetree fleet sites" lists them',
    ),
  ];
}

function rateParts(progress: FleetProgress): string[] {
  const { sitesPerSecond, pagesPerSecond } = progress;
  if (sitesPerSecond + pagesPerSecond === 0) return [];
  return [rate(sitesPerSecond, "site"), rate(pagesPerSecond, "page"), ...timeLeft(progress)];
}

/** Returns a line such as `Failures: 12 http-status, 3 timeout; "…" lists them`. */
function failureLines(run: string, failures: RunStatus["failures"]): string[] {
  if (failures.length === 0) return [];
  const parts = failures.slice(0, MAX_CODES).map(({ code, sites }) => `${grouped(sites)} ${code}`);
  const more = failures.length > MAX_CODES ? ", …" : "";
  const command = `sitetree fleet sites ${quotedWord(run)} --code CODE`;
  return [`Failures: ${parts.join(", ")}${more}; "${command}" lists them`];
}

/** Returns a line such as `   0:12  example.com, waits 0:30 (host-1-ab12)`. */
function hostLine({ host, since, worker, notBefore }: ActiveHost, now: number): string {
  const wait = notBefore === undefined ? 0 : notBefore.getTime() - now;
  const waits = wait > 0 ? `, waits ${duration(wait)}` : "";
  const age = duration(Math.max(0, now - since.getTime()));
  return `${padStart(age, 7)}  ${host}${waits} (${worker})`;
}

function siteLine({ homepage, reason = "unknown reason" }: FleetSite): string {
  // a reason may begin with a URL of the site
  return reason.startsWith(homepage) ? reason : `${homepage}: ${reason}`;
}

// -------------------------------------------------------------------------------------------- rows

function minutes(date: Date | undefined): string | undefined {
  return date?.toISOString().slice(0, 16).replace("T", " ");
}

export const RUN_ROWS: RowSpec<FleetRun & FleetProgress> = {
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

export const SITE_ROWS: RowSpec<FleetSite> = {
  columns: [
    ["site", ({ homepage }) => homepage],
    ["verdict", ({ verdict }) => verdict],
    ["pages", ({ pages }) => pages, "count"],
    ["tries", ({ tries }) => tries, "count"],
    ["code", ({ code }) => code],
    ["finished", ({ finished }) => finished?.toISOString()],
    ["reason", ({ reason }) => reason],
  ],
};
