/**
 * The queue of a run is the table of its sites: those that are due are claimed, and leased, in one
 * transaction. A claimed site is due again when its lease ends, if its worker stops.
 *
 * @module
 */

import type { Postgres } from "../sync/postgres.ts";
import type { KnownSite, StoredSite } from "../sync/store.ts";
import type { SiteOptions } from "./site_entry.ts";

/** A site that a worker may walk, with the lease of its host. */
export interface Claim {
  readonly site: StoredSite;
  readonly host: string;
  readonly options: SiteOptions | null;
  /** Walks in a row that ended without a word and without progress. */
  readonly crashes: number;
  /** Walks of this round that failed for a reason that may pass. */
  readonly tries: number;
  /** What is known of it, unless that is much. */
  readonly known: KnownSite | null;
  /** Milliseconds before the first request. */
  readonly delay: number;
  readonly run: number;
}

export interface ClaimTerms {
  readonly worker: string;
  readonly perHost: number;
  readonly leaseSeconds: number;
  /** Whether a site may be claimed that may be what stops its workers. */
  readonly mayBeSuspect: boolean;
}

/** A site whose workers were stopped by it too often. */
interface FailedSite {
  readonly homepage: string;
  readonly failed: string;
}

interface Claimed {
  /** Sites that were due. */
  readonly due: number;
  /** Those that need not wait for their host. */
  readonly claims: readonly Claim[];
  readonly failed: readonly FailedSite[];
}

export async function claimSites(
  server: Postgres,
  run: number,
  count: number,
  { worker, perHost, leaseSeconds, mayBeSuspect }: ClaimTerms,
): Promise<Claimed> {
  const { rows } = await server.query<{ claim: Omit<Claim, "run"> | FailedSite | null }>(
    "select sitetree.claim($1, $2, $3, $4, $5, $6) as claim",
    [run, count, worker, perHost, leaseSeconds, mayBeSuspect],
  );
  const claims: Claim[] = [], failed: FailedSite[] = [];
  for (const { claim } of rows) {
    if (claim === null) continue;
    if ("failed" in claim) failed.push(claim);
    else claims.push({ ...claim, run });
  }
  return { due: rows.length, claims, failed };
}
