/**
 * The status of a run, read once for all who ask for it.
 *
 * @module
 */

import {
  type FleetCounts,
  type FleetProgress,
  type FleetVerdict,
  Rates,
} from "../../fleet/rates.ts";
import type { ActiveHost, FleetSite, FleetSitesOptions } from "../../fleet/reports.ts";
import { escapeControlsInJson } from "../../write/escape.ts";

/** Parts of a fleet that the status is read from. */
export interface StatusSource {
  progress(run: string): AsyncIterable<FleetCounts>;
  active(run: string, limit?: number): Promise<ActiveHost[]>;
  sites(run: string, options: FleetSitesOptions): AsyncIterable<FleetSite>;
}

export interface RunStatus {
  /** Time at which it was read. */
  readonly time: Date;
  readonly progress: FleetProgress;
  /** Hosts that are being walked, the longest first. */
  readonly hosts: readonly ActiveHost[];
  /** First sites that nothing could be read of. */
  readonly unread: readonly FleetSite[];
  /** Reason why it is not up to date, if it is not. */
  readonly problem?: string;
}

/** Verdicts of sites that nothing could be read of. */
const UNREAD: readonly FleetVerdict[] = ["failed", "blocked"];

export function unreadCount({ verdicts }: FleetCounts): number {
  return UNREAD.reduce((sum, verdict) => sum + verdicts[verdict], 0);
}

export async function readUnread(
  source: StatusSource,
  { run, verdicts }: FleetCounts,
  limit: number,
): Promise<FleetSite[]> {
  const sites: FleetSite[] = [];
  for (const verdict of UNREAD) {
    if (verdicts[verdict] === 0 || sites.length >= limit) continue;
    for await (const site of source.sites(run, { verdict })) if (sites.push(site) >= limit) break;
  }
  return sites;
}

export function statusJson({ progress, ...rest }: RunStatus, indent?: number): string {
  return `${escapeControlsInJson(JSON.stringify({ ...progress, ...rest }, undefined, indent))}\n`;
}

/** Whether a run does not exist, or no longer. */
export function isUnknownRun(error: unknown): boolean {
  return Object(error).code === "unknown-run";
}

/** Milliseconds for which a status is current. */
const MAX_AGE = 900;
/** Milliseconds after which unread sites are read again, even if their number is the same. */
const UNREAD_INTERVAL = 30_000;
const LIMITS = { hosts: 20, unread: 50 } as const;

/** Reads the status of a run when it is asked for, once for all who ask within a second. */
export class StatusReader {
  readonly #source: StatusSource;
  readonly #run: string;
  readonly #rates = new Rates();
  #current: Promise<RunStatus> | undefined;
  /** Time at which it was read; infinite while it is. */
  #time = -Infinity;
  /** The last one that could be read. */
  #latest: RunStatus | undefined;
  #unread: { readonly time: number; readonly count: number; readonly sites: FleetSite[] } = {
    time: 0,
    count: 0,
    sites: [],
  };

  constructor(source: StatusSource, run: string) {
    this.#source = source;
    this.#run = run;
  }

  /** Returns the status, or the last one with a problem. Rejects if there has been none. */
  read(): Promise<RunStatus> {
    if (performance.now() - this.#time < MAX_AGE) return this.#current!;
    this.#time = Infinity;
    return this.#current = this.#read().finally(() => this.#time = performance.now());
  }

  async #read(): Promise<RunStatus> {
    try {
      return this.#latest = await this.#readNow();
    } catch (error) {
      if (this.#latest === undefined) throw error;
      const problem = isUnknownRun(error)
        ? "The run was removed"
        : "Cannot read the database; trying again";
      return { ...this.#latest, problem };
    }
  }

  async #readNow(): Promise<RunStatus> {
    for await (const counts of this.#source.progress(this.#run)) {
      const hosts = await this.#source.active(this.#run, LIMITS.hosts);
      const time = performance.now(), count = unreadCount(counts);
      if (this.#unread.count !== count || time - this.#unread.time > UNREAD_INTERVAL) {
        const sites = await readUnread(this.#source, counts, LIMITS.unread);
        this.#unread = { time, count, sites };
      }
      const progress = this.#rates.add(counts, time);
      return { time: new Date(), progress, hosts, unread: this.#unread.sites };
    }
    throw new Error(`Cannot read the progress of "${this.#run}"`);
  }
}
