/**
 * What must hold between the tables of a fleet, at any time and after the end of a run.
 *
 * @module
 */

import type { Session } from "../../src/fleet/database.ts";

/** A condition: a query for the rows that break it, each as text in `fault`. `$1` is the run. */
interface Condition {
  readonly name: string;
  readonly sql: string;
}

/** Tasks that are not settled, by the site and the unit that they are for. */
const PENDING = `
  select (j.data->>'site')::bigint as site, (j.data->>'unit')::bigint as unit, count(*) as jobs
  from sitetree_queue.job j join sitetree.run r on j.name = 'site_' || r.key
  where r.id = $1 and j.state < 'completed'
  group by 1, 2`;

/** Conditions that hold whenever no transaction is open. */
const ALWAYS: readonly Condition[] = [
  {
    name: "the total is the number of sites",
    sql: `select r.total || ' <> ' || count(s.id) as fault
      from sitetree.run r left join sitetree.site s on s.run = r.id
      where r.id = $1 group by r.total having r.total <> count(s.id)`,
  },
  {
    name: "the counters are those of the sites",
    sql: `select t::text || ' <> ' || s::text as fault
      from (
        select coalesce(sum(sites), 0) as sites, coalesce(sum(complete), 0) as complete,
          coalesce(sum(partial), 0) as partial, coalesce(sum(none), 0) as none,
          coalesce(sum(dead), 0) as dead, coalesce(sum(failed), 0) as failed,
          coalesce(sum(pages), 0) as pages
        from sitetree.tally where run = $1
      ) as t, (
        select count(*) filter (where verdict <> 'dead')::numeric as sites,
          count(*) filter (where verdict = 'complete')::numeric as complete,
          count(*) filter (where verdict = 'partial')::numeric as partial,
          count(*) filter (where verdict = 'none')::numeric as none,
          count(*) filter (where verdict = 'dead')::numeric as dead,
          count(*) filter (where verdict is null and failures > 0)::numeric as failed,
          coalesce(sum(pages), 0)::numeric as pages
        from sitetree.site where run = $1
      ) as s
      where row(t.*) is distinct from row(s.*)`,
  },
  {
    name: "a site or unit that waits or is walked has one task",
    sql: `with task as (
        select id as site, 0::bigint as unit from sitetree.site
        where run = $1 and verdict is null and outcome is null
        union all
        select u.site, u.id
        from sitetree.unit u join sitetree.site s on s.run = u.run and s.id = u.site
        where u.run = $1 and u.state = 'queued' and s.verdict is null
      )
      select 'site ' || t.site || ', unit ' || t.unit || ': ' || coalesce(p.jobs, 0) as fault
      from task t left join (${PENDING}) p on p.site = t.site and p.unit = t.unit
      where coalesce(p.jobs, 0) <> 1`,
  },
  {
    name: "a task is for a site",
    sql: `select 'site ' || p.site as fault from (${PENDING}) p
      where not exists (select from sitetree.site s where s.run = $1 and s.id = p.site)`,
  },
  {
    name: "a site with waiting units has one that is queued",
    sql: `select 'site ' || s.id as fault from sitetree.site s
      where s.run = $1 and s.verdict is null
        and exists (select from sitetree.unit u where u.site = s.id and u.state = 'waiting')
        and not exists (select from sitetree.unit u where u.site = s.id and u.state = 'queued')`,
  },
  {
    name: "a site knows the number of its units without a verdict",
    sql: `select 'site ' || s.id || ': ' || s.units || ' <> ' || count(u.id) as fault
      from sitetree.site s left join sitetree.unit u
        on u.run = s.run and u.site = s.id and u.verdict is null
      where s.run = $1 group by s.id, s.units having s.units <> count(u.id)`,
  },
  {
    name: "a dead site has a reason, in one task of the dead queue",
    sql: `select s.authority || ': ' || coalesce(s.error, 'without error') || ', '
          || count(j.id) as fault
      from sitetree.run r join sitetree.site s on s.run = r.id
      left join sitetree_queue.job j on j.name = 'dead_' || r.key
        and (j.data->>'site')::bigint = s.id and j.data->>'reason' <> ''
      where r.id = $1 and s.verdict = 'dead'
      group by s.authority, s.error having count(j.id) <> 1 or coalesce(s.error, '') = ''`,
  },
  {
    name: "a task of the dead queue is for a dead site",
    sql: `select j.data::text as fault
      from sitetree.run r join sitetree_queue.job j on j.name = 'dead_' || r.key
      where r.id = $1 and not exists (
        select from sitetree.site s
        where s.run = r.id and s.id = (j.data->>'site')::bigint and s.verdict = 'dead'
      )`,
  },
  {
    name: "a sitemap belongs to a site",
    sql: `select m.url as fault from sitetree.sitemap m
      where m.run = $1 and not exists (
        select from sitetree.site s where s.run = m.run and s.id = m.site
      )`,
  },
  {
    name: "a page belongs to a sitemap",
    sql: `select p.url as fault from sitetree.page p
      where p.run = $1 and not exists (
        select from sitetree.sitemap m where m.run = p.run and m.id = p.sitemap
      ) limit 10`,
  },
  {
    name: "the pages of a sitemap that was read to its end are numbered from 0, and counted",
    sql: `select m.url || ': ' || m.pages || ' <> ' || count(p.seq) || ', up to '
          || coalesce(max(p.seq), -1) as fault
      from sitetree.sitemap m left join sitetree.page p on p.run = m.run and p.sitemap = m.id
      where m.run = $1 and m.complete group by m.id, m.url, m.pages
      having m.pages <> count(p.seq) or max(p.seq) <> m.pages - 1`,
  },
  {
    name: "every unit of a site that is finished has a verdict",
    sql: `select u.sitemap_url as fault
      from sitetree.unit u join sitetree.site s on s.run = u.run and s.id = u.site
      where u.run = $1 and (u.verdict is null or u.state <> 'done') and s.verdict <> 'dead'`,
  },
  {
    name: "no task of a site that is finished is left",
    sql: `select 'site ' || p.site || ', unit ' || p.unit as fault from (${PENDING}) p
      join sitetree.site s on s.run = $1 and s.id = p.site where s.verdict <> 'dead'`,
  },
  {
    name: "a sitemap of a site that is finished was written by its last attempt",
    sql: `select m.url || ': ' || m.fence || ' <> ' || coalesce(u.fence, s.fence) as fault
      from sitetree.sitemap m join sitetree.site s on s.run = m.run and s.id = m.site
      left join sitetree.unit u on u.run = m.run and u.id = m.unit
      where m.run = $1 and s.verdict <> 'dead' and m.fence <> coalesce(u.fence, s.fence)`,
  },
  {
    name: "the counts of a site that is finished are those of its sitemaps and pages",
    sql: `select s.authority || ': ' || s.pages || ', ' || s.sitemaps || ' <> '
          || coalesce(sum(m.found), 0) || ', ' || count(m.id) as fault
      from sitetree.site s left join (
        select m.run, m.site, m.id, count(p.seq) as found
        from sitetree.sitemap m left join sitetree.page p on p.run = m.run and p.sitemap = m.id
        where m.run = $1 group by m.run, m.site, m.id
      ) m on m.run = s.run and m.site = s.id
      where s.run = $1 and s.verdict <> 'dead'
      group by s.id, s.authority, s.pages, s.sitemaps
      having s.pages <> coalesce(sum(m.found), 0) or s.sitemaps <> count(m.id)`,
  },
];

/** Conditions that hold once every site has a verdict. */
const SETTLED: readonly Condition[] = [
  {
    name: "every site has a verdict",
    sql: `select authority || ': ' || coalesce(error, 'without error') as fault from sitetree.site
      where run = $1 and (verdict is null or finished is null)`,
  },
  {
    name: "no lease is left",
    sql: `select host || ' by ' || owner as fault from sitetree.lease
      where run = $1 and until > clock_timestamp()`,
  },
];

/** Returns what is inconsistent in a run. */
export async function findInconsistencies(
  session: Session,
  run: string,
  { isSettled = true }: { readonly isSettled?: boolean } = {},
): Promise<string[]> {
  const faults: string[] = [];
  for (const { name, sql } of isSettled ? [...ALWAYS, ...SETTLED] : ALWAYS) {
    const { rows } = await session.query<{ fault: string }>(sql, [run]);
    if (rows.length > 0) {
      const some = rows.slice(0, 5).map(({ fault }) => fault).join("; ");
      faults.push(`Not true that ${name}, ${rows.length} times: ${some}`);
    }
  }
  return faults;
}
