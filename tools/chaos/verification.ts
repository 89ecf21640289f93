/**
 * Compares a round with what the sites have.
 *
 * @module
 */

import type { Fleet } from "../../src/fleet/mod.ts";
import type { Connection } from "../../src/sync/postgres.ts";
import type { Expectation } from "./expectations.ts";
import {
  countDisturbedWalks,
  type Disturbance,
  findEarlyRequests,
  findInterleavings,
  findOverlaps,
  findUnspacedRequests,
  historyOf,
  type LoggedRequest,
} from "./request_log.ts";
import type { ChaosSite } from "./sites.ts";

/**
 * Walks in a row, as the server saw them, after whose disturbances a site may be `failed`: of the five
 * that are allowed, some may be disturbed before their first request.
 */
const MIN_DISTURBED_WALKS = 4;

/** What happened during a round. */
export interface Evidence {
  readonly sites: readonly ChaosSite[];
  readonly log: readonly LoggedRequest[];
  readonly disturbances: readonly Disturbance[];
  readonly perHost: number;
  /** Authorities of sites that were given up in this round or before, and may be: what is known is old. */
  readonly excused: Set<string>;
}

/** What must be known of sites after a round, and was known before, by authority. */
export interface Truth {
  readonly before: ReadonlyMap<string, Expectation>;
  readonly after: ReadonlyMap<string, Expectation>;
  /** Last change before the round. */
  readonly head: number;
}

/** A condition: a query for the rows that break it, each as text in `fault`. `$1` is the run. */
interface Condition {
  readonly name: string;
  readonly sql: string;
}

/** Sites that are explained: that of a request, and that of an earlier one. */
const MAX_EXPLAINED = 2;

/** Conditions that hold whenever no transaction is open. */
const ALWAYS: readonly Condition[] = [
  {
    name: "the total is the number of sites",
    sql: `select r.total || ' <> ' || count(f.site) as fault
      from sitetree.fleet_run r left join sitetree.fleet_site f on f.run = r.key
      where r.name = $1 group by r.key, r.total having r.total <> count(f.site)`,
  },
  {
    name: "the counters are those of the sites",
    sql: `select t::text || ' <> ' || s::text as fault
      from sitetree.fleet_run r cross join lateral (
        select coalesce(sum(complete), 0) as complete, coalesce(sum(partial), 0) as partial,
          coalesce(sum(none), 0) as none, coalesce(sum(blocked), 0) as blocked,
          coalesce(sum(failed), 0) as failed, coalesce(sum(waiting), 0) as waiting
        from sitetree.tally where run = r.key
      ) as t cross join lateral (
        select count(*) filter (where is_done and verdict = 'complete') as complete,
          count(*) filter (where is_done and verdict = 'partial') as partial,
          count(*) filter (where is_done and verdict = 'none') as none,
          count(*) filter (where is_done and verdict = 'blocked') as blocked,
          count(*) filter (where is_done and verdict = 'failed') as failed,
          count(*) filter (where not is_done and tries > 0) as waiting
        from (
          select *, round = r.round as is_done from sitetree.fleet_site where run = r.key
        ) as f
      ) as s where r.name = $1 and row(t.*) is distinct from row(s.*)`,
  },
  {
    name: "a site is out of the queue while it is being walked, and only then",
    sql: `select f.authority || ': due ' || coalesce(f.due::text, '') as fault
      from sitetree.fleet_run r join sitetree.fleet_site f on f.run = r.key
      where r.name = $1 and (f.due is not distinct from 'infinity') <> exists (
        select from sitetree.lease l where l.run = r.key and l.site = f.site and l.is_own
      )`,
  },
  {
    name: "the pages of a site are counted",
    sql: `select s.homepage || ': ' || s.pages || ' <> ' || count(p.id) as fault
      from sitetree.stored_site s left join sitetree.stored_page p on p.site = s.id
      where $1 <> '' group by s.id, s.homepage, s.pages having s.pages <> count(p.id)`,
  },
  {
    name: "a page belongs to a sitemap",
    sql: `select p.url as fault from sitetree.page p
      where $1 <> '' and p.sitemap is null and p.unconfirmed = 0 limit 10`,
  },
];

/** Conditions that hold once every site has a verdict. */
const SETTLED: readonly Condition[] = [
  {
    name: "every site has a verdict, that of its last run",
    sql: `select f.authority || ': ' || coalesce(f.verdict, '') || ' <> ' || coalesce(s.verdict, '')
        as fault
      from sitetree.fleet_run r join sitetree.fleet_site f on f.run = r.key
      join sitetree.stored_site t on t.id = f.site join sitetree.site s on s.site = t.homepage
      where r.name = $1 and f.verdict is distinct from 'failed'
        and (f.round <> r.round or f.finished is null or s.finished is null
          or f.verdict is distinct from s.verdict)`,
  },
  {
    name: "the pages of the run are counted",
    sql: `select t.pages || ' <> ' || s.pages as fault
      from sitetree.fleet_run r cross join lateral (
        select coalesce(sum(pages), 0) as pages from sitetree.tally where run = r.key
      ) as t cross join lateral (
        select coalesce(sum(s.pages), 0) as pages from sitetree.fleet_site f
        join sitetree.stored_site s on s.id = f.site where f.run = r.key
      ) as s where r.name = $1 and t.pages <> s.pages`,
  },
  {
    name: "no lease is left",
    sql: `select host || ' by ' || owner as fault from sitetree.lease
      where $1 <> '' and until > clock_timestamp()`,
  },
];

/** Returns what is known of the first sites that something is wrong with, to explain it. */
export async function explain(
  session: Connection,
  { sites, log, disturbances }: Evidence,
  faults: readonly string[],
): Promise<string[]> {
  const named = sites.filter(({ authority }) =>
    faults.some((fault) => fault.includes(`${authority} (`) || fault.includes(`of ${authority},`))
  );
  const lines: string[] = [];
  for (const { authority, entry } of named.slice(0, MAX_EXPLAINED)) {
    const { rows } = await session.query<{ row: string }>(
      `select row_to_json(m)::text as row from sitetree.stored_sitemap m
         join sitetree.stored_site s on s.id = m.site where s.homepage = $1
       union all select row_to_json(r)::text from sitetree.run r where r.site = $1`,
      [entry.url],
    );
    const history = historyOf(authority, log);
    const pids = new Set(history.map((line) => /process (\d+)/.exec(line)![1]));
    lines.push(
      ...history,
      ...rows.map(({ row }) => row),
      ...disturbances.filter(({ pid }) => pid === undefined || pids.has(String(pid)))
        .map((event) =>
          JSON.stringify({ ...event, at: new Date(event.from).toISOString().slice(11, -1) })
        ),
    );
  }
  return lines;
}

/** Returns what is wrong already, while workers are busy. */
export async function verifyMeanwhile(
  session: Connection,
  run: string,
  evidence: Evidence,
): Promise<string[]> {
  return [...await findInconsistencies(session, run, ALWAYS), ...impoliteRequests(evidence)];
}

/** Returns what is wrong after a round. */
export async function verify(
  session: Connection,
  fleet: Fleet,
  run: string,
  evidence: Evidence,
  truth: Truth,
): Promise<string[]> {
  const verdicts = await compareVerdicts(fleet, run, evidence, truth);
  const comparable = evidence.sites.filter(({ authority, shape }) =>
    // it is not known how far walks of a poisonous site get
    shape !== "poison" && !evidence.excused.has(authority)
  );
  return [
    ...await findInconsistencies(session, run, [...ALWAYS, ...SETTLED]),
    ...verdicts,
    ...await comparePages(session, comparable, truth),
    ...await compareChanges(fleet, comparable, truth),
    ...impoliteRequests(evidence),
  ];
}

async function findInconsistencies(
  session: Connection,
  run: string,
  conditions: readonly Condition[],
): Promise<string[]> {
  const faults: string[] = [];
  for (const { name, sql } of conditions) {
    const { rows } = await session.query<{ fault: string }>(sql, [run]);
    if (rows.length === 0) continue;
    const some = rows.slice(0, 5).map(({ fault }) => fault).join("; ");
    faults.push(`Not true that ${name}, ${rows.length} times: ${some}`);
  }
  return faults;
}

function impoliteRequests({ log, disturbances, perHost }: Evidence): string[] {
  return [
    ...findOverlaps(log, disturbances, perHost).map((fault) => `Too many on a host: ${fault}`),
    ...(perHost === 1 ? findInterleavings(log) : []).map((fault) => `Two on a host: ${fault}`),
    ...findEarlyRequests(log, disturbances).map((fault) => `Retry-After ignored: ${fault}`),
    ...findUnspacedRequests(log).map((fault) => `Wait ignored: ${fault}`),
  ];
}

async function compareVerdicts(
  fleet: Fleet,
  run: string,
  { sites, log, disturbances, excused }: Evidence,
  { after }: Truth,
): Promise<string[]> {
  const found = new Map(
    (await Array.fromAsync(fleet.sites(run))).map((site) => [site.homepage, site]),
  );
  const faults = [];
  if (found.size !== sites.length) faults.push(`${found.size} sites instead of ${sites.length}`);
  for (const { authority, shape, entry } of sites) {
    const { verdict, reason = "no reason", tries } = found.get(entry.url) ?? {};
    const expected = after.get(authority)!.verdict;
    if (verdict === expected) continue;
    const isExcused = verdict === "failed" &&
      countDisturbedWalks(authority, log, disturbances) >= MIN_DISTURBED_WALKS;
    if (isExcused) {
      excused.add(authority);
      continue;
    }
    const why = `${reason}, ${tries} tries`;
    faults.push(`${authority} (${shape}): ${verdict} instead of ${expected} (${why})`);
  }
  return faults;
}

/** Joins site, sitemap and page, and compares the result with what the sites have. */
async function comparePages(
  session: Connection,
  sites: readonly ChaosSite[],
  { after }: Truth,
): Promise<string[]> {
  const { rows } = await session.query<
    { site: string; url: string; sitemap: string; lastmod: string; unconfirmed: number }
  >("select site, url, sitemap, lastmod, unconfirmed::int from sitetree.page");
  const pagesOf = Map.groupBy(rows, ({ site }) => site);
  return sites.flatMap(({ authority, shape, entry }) => {
    const found = (pagesOf.get(entry.url) ?? []).map(({ url, sitemap, lastmod, unconfirmed }) =>
      `${url} ${lastmod} in ${sitemap}${unconfirmed === 1 ? ", unconfirmed" : ""}`
    );
    const wanted = Array.from(
      after.get(authority)!.pages,
      ([url, { lastmod, sitemap }]) => `${url} ${lastmod} in ${sitemap}`,
    );
    return differences(found, wanted).map((fault) => `${authority} (${shape}): page ${fault}`);
  });
}

/** Compares the changes of a round with the difference of the sites before and after. */
async function compareChanges(
  fleet: Fleet,
  sites: readonly ChaosSite[],
  { before, after, head }: Truth,
): Promise<string[]> {
  const changes = await Array.fromAsync(fleet.snapshot.changes({ after: head }));
  const changesOf = Map.groupBy(changes, ({ site }) => site);
  return sites.flatMap(({ authority, shape, entry }) => {
    const found = (changesOf.get(entry.url) ?? []).map(({ type, page }) => `${type} ${page.url}`);
    const wanted = [...changesBetween(before.get(authority), after.get(authority)!)];
    return differences(found, wanted).map((fault) => `${authority} (${shape}): change ${fault}`);
  });
}

function* changesBetween(
  before: Expectation | undefined,
  after: Expectation,
): Generator<string, void, void> {
  const known = before?.pages ?? new Map<string, never>();
  for (const [url, { lastmod }] of after.pages) {
    const old = known.get(url);
    if (old === undefined) yield `added ${url}`;
    else if (old.lastmod !== lastmod) yield `changed ${url}`;
  }
  for (const url of known.keys()) if (!after.pages.has(url)) yield `removed ${url}`;
}

/** Returns what is missing, and what is there although it should not be, or twice. */
function differences(found: readonly string[], wanted: readonly string[]): string[] {
  const missing = new Set(wanted);
  const extra = found.filter((item) => !missing.delete(item));
  return [
    ...(missing.size > 0 ? [`is missing, ${missing.size} times: ${[...missing][0]}`] : []),
    ...(extra.length > 0 ? [`is one too many, ${extra.length} times: ${extra[0]}`] : []),
  ];
}
