/**
 * A fleet whose status is set by a test.
 *
 * @module
 */

import type { StatusSource } from "../../src/cli/fleet/status_page.ts";
import type { FleetProgress } from "../../src/fleet/progress.ts";
import type { ActiveHost, DeadSite } from "../../src/fleet/reports.ts";

/** A fleet with one run. */
export class ScriptedFleet implements StatusSource {
  /** Current progress; generators yield it once for each change, and end when it is done. */
  progressNow: FleetProgress;
  hosts: ActiveHost[] = [];
  deadSites: DeadSite[] = [];
  /** Error of the next look at the progress. */
  failure: Error | undefined;
  /** Number of generators that are running, and of all that were started. */
  readonly pollers: { running: number; started: number } = { running: 0, started: 0 };
  #changed: PromiseWithResolvers<void> = Promise.withResolvers();

  constructor(progress: Partial<FleetProgress> = {}) {
    this.progressNow = progressOf(progress);
  }

  /** Changes the progress. */
  update(progress: Partial<FleetProgress>): void {
    this.progressNow = progressOf({ ...this.progressNow, ...progress });
    this.#changed.resolve();
    this.#changed = Promise.withResolvers();
  }

  async *progress(
    _run: string,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<FleetProgress, void, void> {
    this.pollers.running++;
    this.pollers.started++;
    const aborted = new Promise((resolve) => signal?.addEventListener("abort", resolve));
    try {
      while (!signal?.aborted) {
        if (this.failure !== undefined) throw this.failure;
        const { progressNow } = this;
        yield progressNow;
        if (progressNow.done + progressNow.dead === progressNow.total) return;
        if (this.progressNow === progressNow) await Promise.race([this.#changed.promise, aborted]);
      }
    } finally {
      this.pollers.running--;
    }
  }

  active(_run: string, limit = 20): Promise<ActiveHost[]> {
    return Promise.resolve(this.hosts.slice(0, limit));
  }

  async *dead(): AsyncGenerator<DeadSite, void, void> {
    yield* this.deadSites;
  }
}

/** Returns a progress with some values. */
export function progressOf(progress: Partial<FleetProgress>): FleetProgress {
  return {
    ...{ run: "news", paused: false, total: 10, done: 0, failed: 0, dead: 0, active: 0, pages: 0 },
    verdicts: { complete: 0, partial: 0, none: 0, dead: 0 },
    ...{ pagesPerSecond: 0, sitesPerSecond: 0, etaMs: undefined },
    ...progress,
  };
}

/** Returns a host that has been walked for some seconds. */
export function activeHost(host: string, seconds: number, waitSeconds = 0): ActiveHost {
  const now = Date.now();
  return {
    host,
    homepage: `https://${host}/`,
    worker: "crawler-1/3",
    since: new Date(now - seconds * 1000),
    notBefore: waitSeconds > 0 ? new Date(now + waitSeconds * 1000) : undefined,
  };
}

/** Returns a site that was given up some seconds ago. */
export function deadSite(homepage: string, reason: string, seconds = 60): DeadSite {
  return {
    ...{ homepage, reason, failures: 3, crashes: 0 },
    since: new Date(Date.now() - seconds * 1000),
  };
}
