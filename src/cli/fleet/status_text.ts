import { count, duration, grouped } from "../../data/text.ts";
import type { ActiveHost, FleetProgress, FleetSite } from "../../fleet/mod.ts";
import { type FleetVerdict, isDone } from "../../fleet/rates.ts";
import { padStart } from "../terminal.ts";
import { verdictCounts } from "./progress.ts";

/** Verdicts of sites that nothing could be read of. */
export const UNREAD: readonly FleetVerdict[] = ["failed", "blocked"];

export interface RunStatus {
  /** When it was read. */
  readonly time: Date;
  readonly progress: FleetProgress;
  /** Hosts that are being walked, the longest first. */
  readonly hosts: readonly ActiveHost[];
  /** First sites that nothing could be read of. */
  readonly unread: readonly FleetSite[];
}

/** Returns the status as lines, headings without indentation. */
export function statusLines({ time, progress, hosts, unread }: RunStatus): string[] {
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
  const text = (rate: number) => rate < 10 ? rate.toFixed(1) : grouped(Math.round(rate));
  return [
    `${text(sitesPerSecond)} sites/s`,
    `${text(pagesPerSecond)} pages/s`,
    ...(etaMs > 0 ? [`${duration(etaMs)} left`] : []),
  ];
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
