import { count, grouped, quotedWord } from "../../../data/text.ts";
import { duration, rate } from "../../../data/words.ts";
import type { ActiveHost, FleetProgress, FleetSite } from "../../../fleet/mod.ts";
import { type FleetVerdict, isDone } from "../../../fleet/rates.ts";
import { padStart } from "../../../write/table.ts";
import { verdictCounts } from "./progress.ts";

/** Verdicts of sites that nothing could be read of. */
export const UNREAD: readonly FleetVerdict[] = ["failed", "blocked"];

/** Codes that a line names. */
const MAX_CODES = 5;

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

/** Returns the status as lines, headings without indentation. */
export function statusLines({ time, progress, hosts, failures, unread }: RunStatus): string[] {
  const { run, round, total, done, pages, active, verdicts } = progress;
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
    ...suspectLines(progress),
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

export function stateOf(progress: FleetProgress): string {
  if (isDone(progress)) return "done";
  if (progress.paused) return "paused";
  return progress.active > 0 ? "active" : "idle";
}

function rateParts({ sitesPerSecond, pagesPerSecond, etaMs = 0 }: FleetProgress): string[] {
  if (sitesPerSecond + pagesPerSecond === 0) return [];
  return [
    rate(sitesPerSecond, "site"),
    rate(pagesPerSecond, "page"),
    ...(etaMs > 0 ? [`${duration(etaMs)} left`] : []),
  ];
}

function suspectLines({ suspects }: FleetProgress): string[] {
  if (suspects === 0) return [];
  return [`Suspects: ${grouped(suspects)}, on a worker when it died, walked one at a time`];
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
