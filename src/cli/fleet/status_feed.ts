/**
 * The status of a run for any number of viewers, read from the database once for all of them.
 *
 * @module
 */

import type { FleetProgress, ProgressOptions } from "../../fleet/progress.ts";
import type { ActiveHost, DeadSite } from "../../fleet/reports.ts";
import { sleep, SYSTEM_CLOCK } from "../../http/clock.ts";
import type { ReplyStream } from "../../platform/http_server.ts";

/** Parts of a fleet that the status is read from. */
export interface StatusSource {
  progress(run: string, options?: ProgressOptions): AsyncGenerator<FleetProgress, void, void>;
  active(run: string, limit?: number): Promise<ActiveHost[]>;
  dead(run: string): AsyncGenerator<DeadSite, void, void>;
}

/** Status of a run. */
export interface RunStatus {
  /** Time at which it was read. */
  readonly time: Date;
  readonly progress: FleetProgress;
  /** Hosts that are being walked, the longest first. */
  readonly hosts: readonly ActiveHost[];
  /** First sites that were given up. */
  readonly dead: readonly DeadSite[];
  /** Reason why it is not up to date, if it is not. */
  readonly problem?: string;
}

/** Milliseconds between two looks at a run, and at one that is done or cannot be read. */
const INTERVAL = { running: 1000, idle: 2000 } as const;
/** Milliseconds for which a status is served to others that ask for it once. */
const MAX_AGE = 1000;
/** Milliseconds between two signs of life to viewers. */
const PING_INTERVAL = 15_000;
/** Milliseconds after which sites that were given up are read again, even if none was added. */
const DEAD_INTERVAL = 30_000;
/** Maximum numbers of hosts and sites. */
const LIMITS = { hosts: 20, dead: 50 } as const;

const PING = "event: ping\ndata:\n\n";

/** Reads the status while there are viewers, and sends it to each. */
export class StatusFeed {
  readonly #source: StatusSource;
  readonly #run: string;
  readonly #toText: (status: RunStatus) => string;
  /** Viewers, each with whether it has missed the last frame. */
  readonly #viewers = new Map<ReplyStream, boolean>();
  #stop: AbortController | undefined;
  #status: RunStatus | undefined;
  #frame = "";
  #asked: { readonly time: number; readonly status: Promise<RunStatus> } | undefined;
  #dead: { readonly time: number; readonly count: number; readonly sites: DeadSite[] } | undefined;

  /** @param toText returns the text of a frame, without line breaks */
  constructor(source: StatusSource, run: string, toText: (status: RunStatus) => string) {
    this.#source = source;
    this.#run = run;
    this.#toText = toText;
  }

  /** Number of viewers. */
  get viewers(): number {
    return this.#viewers.size;
  }

  /** Sends the status to a viewer now and whenever it changes, until the viewer has gone. */
  add(viewer: ReplyStream): void {
    this.#viewers.set(viewer, false);
    viewer.onClose(() => this.#remove(viewer));
    viewer.onReady(() => {
      if (this.#viewers.get(viewer)) this.#send(viewer, this.#frame);
    });
    viewer.send("retry: 2000\n\n");
    if (this.#stop === undefined) this.#start();
    else if (this.#frame !== "") this.#send(viewer, this.#frame);
  }

  #remove(viewer: ReplyStream): void {
    this.#viewers.delete(viewer);
    if (this.#viewers.size > 0) return;
    this.#stop?.abort();
    this.#stop = undefined;
    this.#status = undefined;
    this.#frame = "";
  }

  /** Returns the status, for those who ask for it once. */
  async current(): Promise<RunStatus> {
    if (this.#status !== undefined) return this.#status;
    const time = performance.now();
    if (this.#asked === undefined || time - this.#asked.time > MAX_AGE) {
      this.#asked = { time, status: this.#read() };
    }
    return await this.#asked.status;
  }

  async #read(): Promise<RunStatus> {
    for await (const progress of this.#source.progress(this.#run)) return this.#complete(progress);
    throw new Error(`Cannot read the progress of "${this.#run}"`);
  }

  async #complete(progress: FleetProgress): Promise<RunStatus> {
    const hosts = await this.#source.active(this.#run, LIMITS.hosts);
    return { time: new Date(), progress, hosts, dead: await this.#readDead(progress.dead) };
  }

  /** Returns sites that were given up, as of the last time that there was another number of them. */
  async #readDead(count: number): Promise<DeadSite[]> {
    const time = performance.now();
    if (this.#dead?.count === count && time - this.#dead.time < DEAD_INTERVAL) {
      return this.#dead.sites;
    }
    const sites: DeadSite[] = [];
    for await (const site of this.#source.dead(this.#run)) {
      if (sites.push(site) === LIMITS.dead) break;
    }
    this.#dead = { time, count, sites };
    return sites;
  }

  #start(): void {
    const stop = new AbortController();
    this.#stop = stop;
    const pings = setInterval(() => this.#ping(), PING_INTERVAL);
    stop.signal.addEventListener("abort", () => clearInterval(pings), { once: true });
    void this.#poll(stop.signal);
  }

  async #poll(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const options = { signal, interval: INTERVAL.running };
        for await (const progress of this.#source.progress(this.#run, options)) {
          const status = await this.#complete(progress);
          if (signal.aborted) return;
          this.#publish(status);
        }
      } catch (error) {
        if (signal.aborted) return;
        this.#fail(error);
      }
      await sleep(INTERVAL.idle, SYSTEM_CLOCK, [signal]).catch(() => {});
    }
  }

  #fail(error: unknown): void {
    if (this.#status === undefined) return;
    const problem = isUnknownRun(error)
      ? "The run was removed"
      : "Cannot read the database; trying again";
    this.#publish({ ...this.#status, problem });
  }

  #publish(status: RunStatus): void {
    this.#status = status;
    const frame = `data: ${this.#toText(status)}\n\n`;
    if (frame === this.#frame) return;
    this.#frame = frame;
    for (const viewer of this.#viewers.keys()) this.#send(viewer, frame);
  }

  /** Sends a frame, or remembers that a slow viewer has missed one: only the last is of use. */
  #send(viewer: ReplyStream, frame: string): void {
    const { isReady } = viewer;
    this.#viewers.set(viewer, !isReady);
    if (isReady) viewer.send(frame);
  }

  #ping(): void {
    for (const viewer of this.#viewers.keys()) if (viewer.isReady) viewer.send(PING);
  }
}

/** Whether a run does not exist, or no longer. */
export function isUnknownRun(error: unknown): boolean {
  return Object(error).code === "unknown-run";
}
