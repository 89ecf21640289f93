/** A fleet whose status is set by a test. @module */

import type { StatusSource } from "../../src/cli/fleet/run_status.ts";
import type { FleetProgress } from "../../src/fleet/rates.ts";
import type { ActiveHost, FleetSite, FleetSitesOptions } from "../../src/fleet/reports.ts";

/** A fleet with one run. */
export class ScriptedFleet implements StatusSource {
  progressNow: FleetProgress;
  hosts: ActiveHost[] = [];
  failedSites: FleetSite[] = [];
  /** Error of the next look at the progress. */
  failure: Error | undefined;
  /** Number of looks at the progress. */
  looks = 0;

  constructor(progress: Partial<FleetProgress> = {}) {
    this.progressNow = progressOf(progress);
  }

  update(progress: Partial<FleetProgress>): void {
    this.progressNow = progressOf({ ...this.progressNow, ...progress });
  }

  async *progress(): AsyncGenerator<FleetProgress, void, void> {
    this.looks++;
    await new Promise((resolve) => setTimeout(resolve));
    if (this.failure !== undefined) throw this.failure;
    yield this.progressNow;
  }

  active(_run: string, limit = 20): Promise<ActiveHost[]> {
    return Promise.resolve(this.hosts.slice(0, limit));
  }

  async *sites(
    _run: string,
    { verdict }: FleetSitesOptions,
  ): AsyncGenerator<FleetSite, void, void> {
    yield* this.failedSites.filter((site) => site.verdict === verdict);
  }
}

export function progressOf(progress: Partial<FleetProgress>): FleetProgress {
  return {
    run: "news",
    paused: false,
    round: 1,
    total: 10,
    done: 0,
    waiting: 0,
    active: 0,
    pages: 0,
    verdicts: { complete: 0, partial: 0, none: 0, blocked: 0, failed: 0 },
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

/** Returns a site that failed some seconds ago. */
export function failedSite(homepage: string, reason: string, seconds = 60): FleetSite {
  return {
    ...{ homepage, reason, verdict: "failed", pages: 0, tries: 0, code: "stopped" },
    finished: new Date(Date.now() - seconds * 1000),
  };
}
