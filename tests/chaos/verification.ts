/**
 * Compares a run with what the server has sent.
 *
 * @module
 */

import type { Session } from "../../src/fleet/database.ts";
import { findInconsistencies } from "../fleet/consistency.ts";
import { expectationOf, lastDocuments } from "./expectations.ts";
import {
  type Disturbance,
  findEarlyRequests,
  findInterleavings,
  findOverlaps,
  type LoggedRequest,
} from "./request_log.ts";
import type { ChaosSite, Document } from "./sites.ts";

/** What happened during a run. */
export interface Evidence {
  readonly sites: readonly ChaosSite[];
  readonly log: readonly LoggedRequest[];
  readonly disturbances: readonly Disturbance[];
}

/** A site of the run. */
interface SiteRow {
  readonly authority: string;
  readonly verdict: string | null;
  readonly error: string | null;
  readonly fence: number;
  readonly crashes: number;
}

/** A sitemap with its pages in order. */
interface SitemapRow {
  readonly authority: string;
  readonly url: string;
  readonly pages: readonly string[];
}

/** Returns what is wrong. */
export async function verify(
  session: Session,
  run: string,
  { sites, log, disturbances }: Evidence,
): Promise<string[]> {
  return [
    ...await findInconsistencies(session, run),
    ...await compareSites(session, run, sites, lastDocuments(log, disturbances)),
    ...impoliteRequests(log, disturbances),
  ];
}

/** Returns what is wrong already, while workers are busy. */
export async function verifyMeanwhile(
  session: Session,
  run: string,
  { log, disturbances }: Evidence,
): Promise<string[]> {
  return [
    ...await findInconsistencies(session, run, { isSettled: false }),
    ...impoliteRequests(log, disturbances),
  ];
}

function impoliteRequests(
  log: readonly LoggedRequest[],
  disturbances: readonly Disturbance[],
): string[] {
  return [
    ...findOverlaps(log, disturbances).map((fault) => `Two workers on a host: ${fault}`),
    ...findInterleavings(log).map((fault) => `Two workers on a host: ${fault}`),
    ...findEarlyRequests(log, disturbances).map((fault) => `Retry-After ignored: ${fault}`),
  ];
}

/** Joins site, sitemap and page, and compares the result with the documents that were sent. */
async function compareSites(
  session: Session,
  run: string,
  sites: readonly ChaosSite[],
  documents: ReadonlyMap<string, ReadonlyMap<string, Document>>,
): Promise<string[]> {
  const { rows: found } = await session.query<SiteRow>(
    "select authority, verdict, error, fence, crashes from sitetree.site where run = $1",
    [run],
  );
  const { rows: sitemaps } = await session.query<SitemapRow>(
    `select s.authority, m.url,
      coalesce(array_agg(p.url order by p.seq) filter (where p.seq is not null), '{}') as pages
    from sitetree.site s
    join sitetree.sitemap m on m.run = s.run and m.site = s.id and m.type not like 'Index%'
    left join sitetree.page p on p.run = m.run and p.sitemap = m.id
    where s.run = $1 group by s.authority, m.id, m.url`,
    [run],
  );
  const rows = new Map(found.map((row) => [row.authority, row]));
  const sitemapsOf = Map.groupBy(sitemaps, ({ authority }) => authority);
  const faults = [];
  if (rows.size !== sites.length) faults.push(`${rows.size} sites instead of ${sites.length}`);
  for (const site of sites) {
    const { authority } = site;
    const expected = expectationOf(site, documents.get(authority) ?? new Map());
    const row = rows.get(authority);
    if (row?.verdict !== expected.verdict) {
      const { verdict, error, fence, crashes } = row ?? {};
      const reason = `${error ?? "without error"}, ${fence} attempts, ${crashes} crashes`;
      faults.push(
        `${authority} (${site.shape}): ${verdict} instead of ${expected.verdict} (${reason})`,
      );
    } else if (!site.isDead) {
      faults.push(
        ...comparePages(sitemapsOf.get(authority) ?? [], expected.sitemaps)
          .map((fault) => `${authority} (${site.shape}): ${fault}`),
      );
    }
  }
  return faults;
}

function comparePages(
  found: readonly SitemapRow[],
  expected: ReadonlyMap<string, readonly string[]>,
): string[] {
  const faults: string[] = [];
  const urls = new Set(found.map(({ url }) => url));
  for (const url of expected.keys()) {
    if (!urls.has(url)) faults.push(`sitemap "${url}" is missing`);
  }
  for (const { url, pages } of found) {
    const wanted = expected.get(url);
    if (wanted === undefined) faults.push(`sitemap "${url}" is stale`);
    else if (wanted.join() !== pages.join()) {
      const stale = pages.filter((page) => !wanted.includes(page)).length;
      faults.push(`"${url}" has ${pages.length} of ${wanted.length} pages, ${stale} of them stale`);
    }
  }
  return faults;
}
