/**
 * What `fleet work` and `sync --from` report without being asked to: a log of their start, once a minute of
 * how far they are, and of what an operator may have to know; and what `--serve` serves.
 *
 * @module
 */

import { MINUTE } from "../../data/calendar.ts";
import { count, excerpt, grouped } from "../../data/text.ts";
import { duration, rate } from "../../data/words.ts";
import { VERSION } from "../../data/version.ts";
import type { Health } from "../../fleet/health.ts";
import { Metrics, type MetricSample } from "../../fleet/metrics.ts";
import type { WorkProgress } from "../../fleet/open_runs.ts";
import type { WorkEvent } from "../../fleet/work_event.ts";
import { SLOTS } from "../../sync/options.ts";
import type { ListenAddress } from "../values.ts";
import type { Log, LogLevel } from "./log.ts";
import { serve } from "./serve.ts";

/** What a command works on, and how much at a time. */
interface WorkTerms {
  readonly version: string;
  /** A file, or a connection string without password. */
  readonly database: string;
  readonly slots: number;
}

type Logged =
  | Exclude<WorkEvent, { readonly type: "walked" | "database-found" }>
  | { readonly type: "started" } & WorkTerms
  | { readonly type: "serving"; readonly url: string }
  | { readonly type: "progress" } & WorkProgress
  | { readonly type: "database-found"; readonly seconds: number }
  | { readonly type: "given-up" }
    & Pick<
      WorkEvent & { readonly type: "walked" },
      "site" | "verdict" | "code" | "reason"
    >;

type Line<E extends Logged> = readonly [
  level: LogLevel,
  /** Whether a terminal shows it, which has a progress line and a summary. */
  isShown: boolean,
  message: (event: E) => string,
];

/** Lines by event; pulses and claims have none. */
const LINES: {
  readonly [T in Logged["type"]]?: Line<Extract<Logged, { readonly type: T }>>;
} = {
  "started": ["info", false, startText],
  "serving": ["info", true, ({ url }) => `serving /healthz and /metrics at ${url}`],
  "progress": ["info", false, progressText],
  "database-lost": [
    "warn",
    true,
    ({ reason }) => `lost the connection to the database: ${excerpt(reason)}`,
  ],
  "database-found": [
    "info",
    true,
    ({ seconds }) => `connected to the database again after ${duration(seconds * 1000)}`,
  ],
  "lease-lost": ["warn", true, ({ site, reason }) => `lost the lease of ${site}: ${reason}`],
  "given-up": [
    "warn",
    false,
    ({ site, verdict, reason }) =>
      `gave up ${site} (${verdict}): ${excerpt(reason ?? "no reason")}`,
  ],
  "fault": [
    "warn",
    false,
    ({ reason, site }) => excerpt(site === undefined ? reason : `${site}: ${reason}`),
  ],
};

function startText({ version, database, slots }: WorkTerms): string {
  return `started: sitetree ${version}, ${database}, ${count(slots, "slot")}`;
}

function progressText(
  { run, round, runs, sites, total, pages, pagesPerSecond, waiting, suspects }: WorkProgress,
): string {
  if (runs === 0) return "waiting for sites";
  const name = run === undefined ? count(runs ?? 0, "run") : `${run}, round ${round}`;
  return (runs === undefined ? "" : `${name}: `) + [
    `${grouped(sites)} of ${count(total, "site")}`,
    count(pages, "page"),
    rate(pagesPerSecond, "page"),
    `${grouped(waiting)} waiting`,
    ...(suspects === undefined ? [] : [count(suspects, "suspect")]),
  ].join(", ");
}

/** Log, health and metrics of a command that works as a service. */
export class Monitor implements Disposable {
  readonly slots: number;
  readonly metrics: Metrics = new Metrics();
  /** Returns metrics besides those of events and requests. */
  samples: () => readonly MetricSample[] = () => [];
  readonly #log: Log;
  readonly #health: Health | undefined;
  readonly #closing = new AbortController();
  #timer: ReturnType<typeof setInterval> | undefined;
  #lostAt = 0;

  constructor(log: Log, slots: number = SLOTS.default, health?: Health) {
    this.#log = log;
    this.slots = slots;
    this.#health = health;
  }

  /** Throws a `Failure` if it cannot listen. */
  async serve(address: ListenAddress | undefined): Promise<void> {
    if (address === undefined) return;
    const url = await serve({
      ...address,
      problem: () => this.#health?.problem,
      metrics: () => this.metrics.text([["slots", this.slots], ...this.samples()]),
      signal: this.#closing.signal,
    });
    this.write({ type: "serving", url });
  }

  /** Logs the start, and how far the command is from now on. */
  start(database: string, progress: () => WorkProgress, interval: number = MINUTE): void {
    this.write({ type: "started", version: VERSION, database, slots: this.slots });
    this.#timer = setInterval(() => {
      const now = progress();
      const pagesPerSecond = Math.round(now.pagesPerSecond * 10) / 10;
      this.write({ type: "progress", ...now, pagesPerSecond });
    }, interval);
  }

  add(event: WorkEvent): void {
    this.#health?.add(event);
    this.metrics.add(event);
    if (event.type === "database-lost") this.#lostAt = performance.now();
    if (event.type === "database-found") {
      const seconds = Math.round((performance.now() - this.#lostAt) / 100) / 10;
      this.write({ type: "database-found", seconds });
    } else if (event.type !== "walked") {
      this.write(event);
    } else if (event.isGivenUp) {
      const { site, verdict, code, reason } = event;
      this.write({
        ...{ type: "given-up", site, verdict },
        ...(code !== undefined && { code }),
        ...(reason !== undefined && { reason }),
      });
    }
  }

  write(event: Logged): void {
    const line = LINES[event.type] as Line<Logged> | undefined;
    if (line === undefined) return;
    const [level, isShown, message] = line;
    const { type, ...fields } = event;
    this.#log.announce({ level, event: type, message: message(event), ...fields }, isShown);
  }

  [Symbol.dispose](): void {
    this.#closing.abort();
    clearInterval(this.#timer);
  }
}
