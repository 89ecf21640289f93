/**
 * An attempt at a site or at a unit of it, which both have a row with the state of their attempts.
 *
 * @module
 */

import type { Holder } from "./lease.ts";
import type { Job, RunKey } from "./queue.ts";
import type { SiteOptions } from "./site_entry.ts";

/** Attempt at a site or at a unit of it, with the lease of its host. */
export interface Claim extends Holder {
  readonly key: RunKey;
  readonly job: Job;
  readonly homepage: string;
  readonly host: string;
  /** Options of its walk. */
  readonly options: SiteOptions | null;
  /** Attempts in a row without a word and without progress, with this one. */
  readonly crashes: number;
  /** Attempts in a row that failed. */
  readonly failures: number;
  /** Milliseconds before the first request. */
  readonly delay: number;
  /** Name of the worker and slot. */
  readonly owner: string;
  /** Sitemap of a unit, and its level in the tree. */
  readonly part: { readonly url: string; readonly level: number } | undefined;
}

/** Table with the row of a task. */
export function tableOf({ unit }: Pick<Holder, "unit">): "site" | "unit" {
  return unit === 0 ? "site" : "unit";
}

/** Id of the row of a task. */
export function idOf({ site, unit }: Pick<Holder, "site" | "unit">): number {
  return unit === 0 ? site : unit;
}
