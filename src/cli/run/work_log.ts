/**
 * What `fleet work` and `sync --from` log without being asked to: their start, once a minute how far they
 * are, and what an operator may have to know.
 *
 * @module
 */

import { MINUTE } from "../../data/calendar.ts";
import { count, excerpt, grouped } from "../../data/text.ts";
import { duration, rate } from "../../data/words.ts";
import type { WorkEvent } from "../../fleet/work_event.ts";
import type { Log, LogLevel } from "./log.ts";

/** How far a command is. */
export interface WorkProgress {
  /** Name of the run, if there is only one that is not done; of a fleet. */
  readonly run?: string | undefined;
  readonly round?: number | undefined;
  /** Number of runs that are not done; of a fleet. */
  readonly runs?: number;
  /** Sites with a verdict. */
  readonly sites: number;
  readonly total: number;
  readonly pages: number;
  readonly pagesPerSecond: number;
  /** Sites that are walked again. */
  readonly waiting: number;
  /** Sites that were on a worker when it died; of a fleet. */
  readonly suspects?: number;
}

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

export class WorkLog implements Disposable {
  readonly #log: Log;
  readonly #interval: number;
  #timer: ReturnType<typeof setInterval> | undefined;
  #lostAt = 0;

  constructor(log: Log, interval: number = MINUTE) {
    this.#log = log;
    this.#interval = interval;
  }

  /** Writes how far the command is from now on. */
  start(terms: WorkTerms, progress: () => WorkProgress): void {
    this.write({ type: "started", ...terms });
    this.#timer = setInterval(() => {
      const now = progress();
      const pagesPerSecond = Math.round(now.pagesPerSecond * 10) / 10;
      this.write({ type: "progress", ...now, pagesPerSecond });
    }, this.#interval);
  }

  add(event: WorkEvent): void {
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
    clearInterval(this.#timer);
  }
}
