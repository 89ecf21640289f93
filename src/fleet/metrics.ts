/**
 * What a command has done since it started, and how far it is, in the text format of Prometheus. Labels
 * have the values of tables in the code; only runs are named by users, of which there are 20 at most.
 *
 * @module
 */

import { VERDICTS } from "../data/words.ts";
import type { FleetProgress } from "./progress.ts";
import type { WorkEvent } from "./work_event.ts";
import { type RequestReport, slowedFor } from "../http/request_report.ts";

/** Metrics with their meanings: counters end with `_total`, everything else is a gauge. */
const METRICS = {
  slots: "Sites to walk at a time.",
  active_walks: "Sites that are being walked.",
  sites_total: "Sites that got a verdict.",
  site_retries_total: "Walks that failed for a reason that may pass, and are repeated.",
  pages_total: "Pages that sites listed when they were walked.",
  read_bytes_total: "Decompressed bytes that were read.",
  requests_total: "Requests that were answered, by class of the status.",
  request_failures_total: "Requests without a whole response, by code.",
  request_retries_total: "Requests that were repeated.",
  rate_limited_hosts: "Hosts that are asked more slowly, since they have refused requests.",
  repeated_commits_total: "Commits that were repeated, since the database had rolled them back.",
  database_up: "Whether the database can be reached.",
  lease_losses_total: "Walks that were given up, since another worker may have the site.",
  last_claim_age_seconds: "Time since sites were claimed; before the first claim, since the start.",
  run_sites: "Sites of runs that are not done, by verdict of the round.",
  run_suspects: "Sites of runs that are not done which were on a worker when it died.",
} as const;

type Labels = Readonly<Record<string, string | number>>;
export type MetricSample = readonly [name: keyof typeof METRICS, value: number, labels?: Labels];

const MAX_RUNS = 20, MAX_HOSTS = 10_000;

export class Metrics {
  /** By name and labels. */
  readonly #counts = new Map<string, number>();
  /** When sites were claimed, by `performance.now()`. */
  lastClaim: number = performance.now();
  activeWalks = 0;
  /** Until when hosts are asked more slowly, by `performance.now()`. */
  readonly #slow = new Map<string, number>();

  /** Counters are there from the start, so that their first increase is one. */
  constructor() {
    for (const verdict of [...Object.keys(VERDICTS), "failed"]) {
      this.count("sites_total", 0, { verdict });
    }
    for (const status of ["2xx", "3xx", "4xx", "5xx"]) this.count("requests_total", 0, { status });
    this.count("site_retries_total", 0);
    this.count("pages_total", 0);
    this.count("read_bytes_total", 0);
    this.count("request_retries_total", 0);
  }

  count(name: keyof typeof METRICS, number: number, labels?: Labels): void {
    const key = name + labelText(labels);
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + number);
  }

  add(event: WorkEvent): void {
    if (event.type === "lease-lost") this.count("lease_losses_total", 1);
    if (event.type === "claimed") this.lastClaim = performance.now();
    if (event.type === "pulse") this.activeWalks = event.walks;
    if (event.type !== "walked") return;
    const { verdict, pages, bytes, retryAfter } = event;
    if (retryAfter === undefined) this.count("sites_total", 1, { verdict });
    else this.count("site_retries_total", 1);
    this.count("pages_total", pages);
    this.count("read_bytes_total", bytes);
  }

  addRequest(report: RequestReport): void {
    const { phase, status = 300, code = "network", url } = report;
    if (phase === "redirect" || phase === "response") {
      this.count("requests_total", 1, { status: `${Math.floor(status / 100)}xx` });
    } else if (phase === "failure") this.count("request_failures_total", 1, { code });
    else if (phase === "retry") this.count("request_retries_total", 1);
    else if (phase === "slow-down" && this.#slow.size < MAX_HOSTS) {
      this.#slow.set(new URL(url).host, performance.now() + slowedFor(report));
    }
  }

  get #slowHosts(): number {
    const now = performance.now();
    for (const [host, until] of this.#slow) if (until < now) this.#slow.delete(host);
    return this.#slow.size;
  }

  text(more: readonly MetricSample[]): string {
    const values = new Map(this.#counts);
    values.set("rate_limited_hosts", this.#slowHosts).set("active_walks", this.activeWalks);
    for (const [name, value, labels] of more) values.set(name + labelText(labels), value);
    return Object.entries(METRICS).map(([name, help]) => {
      const lines = [...values].filter(([key]) => key.split("{", 1)[0] === name)
        .map(([key, value]) => `sitetree_${key} ${value}\n`);
      if (lines.length === 0) return "";
      const type = name.endsWith("_total") ? "counter" : "gauge";
      return `# HELP sitetree_${name} ${help}\n# TYPE sitetree_${name} ${type}\n${lines.join("")}`;
    }).join("");
  }
}

/** Of each run, the sum is the number of its sites. */
export function runSamples(runs: readonly FleetProgress[]): MetricSample[] {
  return runs.slice(0, MAX_RUNS).flatMap((progress): MetricSample[] => {
    const { run, round, total, done, waiting, suspects, verdicts } = progress;
    const pending = Math.max(0, total - done - waiting);
    const all = Object.entries({ ...verdicts, waiting, pending });
    return [
      ...all.map(([verdict, sites]): MetricSample => ["run_sites", sites, { run, round, verdict }]),
      ["run_suspects", suspects, { run, round }],
    ];
  });
}

function labelText(labels: Labels = {}): string {
  const parts = Object.entries(labels).map(([name, value]) =>
    // without other control characters, which names of runs cannot have, JSON escapes the same
    `${name}=${JSON.stringify(String(value))}`
  );
  return parts.length === 0 ? "" : `{${parts.join(",")}}`;
}
