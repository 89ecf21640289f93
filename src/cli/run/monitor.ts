import { VERSION } from "../../data/version.ts";
import type { WorkEvent } from "../../fleet/work_event.ts";
import type { Arguments } from "../arguments.ts";
import type { Log } from "./log.ts";
import { Metrics, type MetricSample } from "./metrics.ts";
import { SLOTS } from "../../sync/options.ts";
import { type Health, serve } from "./serve.ts";
import type { ListenAddress } from "../values.ts";
import { WorkLog, type WorkProgress } from "./work_log.ts";

/** Log, health and metrics of a command that works as a service. */
export class Monitor implements Disposable {
  readonly slots: number;
  readonly metrics: Metrics = new Metrics();
  /** Returns metrics besides those of events and requests. */
  samples: () => readonly MetricSample[] = () => [];
  readonly #log: WorkLog;
  readonly #health: Health | undefined;
  readonly #closing = new AbortController();

  constructor(args: Arguments, log: Log, health?: Health) {
    this.slots = args.value<number>("slots") ?? SLOTS.default;
    this.#log = new WorkLog(log);
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
    this.#log.write({ type: "serving", url });
  }

  /** Logs the start, and how far the command is from now on. */
  start(database: string, progress: () => WorkProgress): void {
    this.#log.start({ version: VERSION, database, slots: this.slots }, progress);
  }

  add(event: WorkEvent): void {
    this.#health?.add(event);
    this.metrics.add(event);
    this.#log.add(event);
  }

  [Symbol.dispose](): void {
    this.#closing.abort();
    this.#log[Symbol.dispose]();
  }
}
