/**
 * What `fleet work` and `sync --from` report without being asked to: a log of their start, once a minute of
 * how far they are, and of what an operator may have to know; and what `--serve` serves.
 *
 * @module
 */

import { MINUTE } from "../../data/calendar.ts";
import { count, excerpt } from "../../data/text.ts";
import { duration } from "../../data/words.ts";
import { VERSION } from "../../data/version.ts";
import type { Health } from "../../fleet/health.ts";
import { Metrics, type MetricSample } from "../../fleet/metrics.ts";
import { progressText, type WorkProgress } from "../../fleet/open_runs.ts";
import type { WorkEvent } from "../../fleet/work_event.ts";
import { SLOTS } from "../../sync/options.ts";
import type { ListenAddress } from "../values.ts";
import type { Log, LogLevel } from "./log.ts";
import { serve } from "./serve.ts";

/** What an entry of the log is about, with its details. */
interface LoggedEvent {
  readonly type: string;
  readonly [field: string]: string | number | boolean | undefined;
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
    const message = `serving /healthz and /metrics at ${url}`;
    this.#write("info", { type: "serving", url }, message, true);
  }

  /** Logs the start, and how far the command is from now on. */
  start(database: string, progress: () => WorkProgress, interval: number = MINUTE): void {
    const { slots } = this;
    const message = `started: sitetree ${VERSION}, ${database}, ${count(slots, "slot")}`;
    this.#write("info", { type: "started", version: VERSION, database, slots }, message);
    this.#timer = setInterval(() => {
      const now = progress();
      const pagesPerSecond = Math.round(now.pagesPerSecond * 10) / 10;
      this.#write("info", { type: "progress", ...now, pagesPerSecond }, progressText(now));
    }, interval);
  }

  add(event: WorkEvent): void {
    this.#health?.add(event);
    this.metrics.add(event);
    switch (event.type) {
      case "database-lost": {
        this.#lostAt = performance.now();
        const message = `lost the connection to the database: ${excerpt(event.reason)}`;
        return this.#write("warn", event, message, true);
      }
      case "database-found": {
        const seconds = Math.round((performance.now() - this.#lostAt) / 100) / 10;
        const message = `connected to the database again after ${duration(seconds * 1000)}`;
        return this.#write("info", { ...event, seconds }, message, true);
      }
      case "lease-lost":
        return this.#write("warn", event, `lost the lease of ${event.site}: ${event.reason}`, true);
      case "fault": {
        const { site, reason } = event;
        const message = excerpt(site === undefined ? reason : `${site}: ${reason}`);
        return this.#write("warn", event, message);
      }
      case "walked": {
        if (!event.isGivenUp) return;
        const { site, verdict, code, reason = "no reason" } = event;
        const message = `gave up ${site} (${verdict}): ${excerpt(reason)}`;
        const fields = { site, verdict, code, reason: event.reason };
        return this.#write("warn", { type: "given-up", ...fields }, message);
      }
    }
  }

  /** A terminal, which has a progress line and a summary, shows only what `isShown` says. */
  #write(
    level: LogLevel,
    { type, ...fields }: LoggedEvent,
    message: string,
    isShown = false,
  ): void {
    this.#log.announce({ level, event: type, message, ...fields }, isShown);
  }

  [Symbol.dispose](): void {
    this.#closing.abort();
    clearInterval(this.#timer);
  }
}
