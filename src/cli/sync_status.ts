/**
 * The status of `sync --serve`, from the events of its walks.
 *
 * @module
 */

import type { FleetCounts, FleetVerdict } from "../fleet/rates.ts";
import type { ActiveHost, FleetSite, FleetSitesOptions } from "../fleet/reports.ts";
import type { StatusSource } from "./fleet/run_status.ts";

/** Sites of a verdict that are remembered for the page. */
const MAX_SITES = 50;

/** Progress of the sites of one process. */
export class SyncStatus implements StatusSource {
  /** Name of the snapshot. */
  readonly name: string;
  readonly #total: number;
  readonly #verdicts = { complete: 0, partial: 0, none: 0, blocked: 0, failed: 0 };
  /** Sites being walked, by homepage. */
  readonly #active = new Map<string, ActiveHost>();
  /** Homepages of sites that are walked again. */
  readonly #waiting = new Set<string>();
  /** First sites of each verdict but `complete`. */
  readonly #sites: FleetSite[] = [];
  #pages = 0;

  /** Creates the status of a number of sites. */
  constructor(name: string, total: number) {
    this.name = name;
    this.#total = total;
  }

  /** Notes that the walk of a site begins. */
  begin(homepage: string): void {
    const { hostname: host } = new URL(homepage);
    const since = new Date();
    this.#active.set(homepage, { host, homepage, worker: "", since, notBefore: undefined });
  }

  /** Notes that a site has a verdict, or is walked again. */
  end(
    homepage: string,
    verdict: FleetVerdict | "waiting",
    { pages = 0, reason }: { readonly pages?: number; readonly reason?: string | undefined },
  ): void {
    this.#active.delete(homepage);
    if (verdict === "waiting") return void this.#waiting.add(homepage);
    this.#waiting.delete(homepage);
    this.#pages += pages;
    if (this.#verdicts[verdict]++ >= MAX_SITES || verdict === "complete") return;
    const site = { homepage, verdict, pages, tries: 0, code: undefined, reason };
    this.#sites.push({ ...site, finished: new Date() });
  }

  async *progress(run: string): AsyncGenerator<FleetCounts, void, void> {
    const verdicts = { ...this.#verdicts };
    yield {
      ...{ run, paused: false, round: 0, total: this.#total, pages: this.#pages, verdicts },
      done: Object.values(verdicts).reduce((sum, sites) => sum + sites),
      waiting: this.#waiting.size,
      active: this.#active.size,
    };
  }

  active(_run: string, limit: number = Infinity): Promise<ActiveHost[]> {
    return Promise.resolve([...this.#active.values()].slice(0, limit));
  }

  async *sites(
    _run: string,
    { verdict }: FleetSitesOptions,
  ): AsyncGenerator<FleetSite, void, void> {
    yield* this.#sites.filter((site) => site.verdict === verdict);
  }
}
