/** What must hold between the tables of a fleet, at any time and after a round. @module */

import type { Connection } from "../../src/sync/postgres.ts";

/** Queries by condition, for the rows that break it, each as text in `fault`. `$1` is the run. */
type Conditions = Readonly<Record<string, string>>;

/** Sites of the run, with what is known of them. */
const SITES = `
  select f.*, r.key, r.round as current, f.round >= r.round as is_done, s.homepage, s.pages, s.fence
  from sitetree.fleet_run r join sitetree.fleet_site f on f.run = r.key
  left join sitetree.stored_site s on s.id = f.site
  where r.name = $1`;

/** Conditions that hold whenever no transaction is open. */
const ALWAYS: Conditions = {
  "the total is the number of sites": `
    select r.total || ' <> ' || count(f.site) as fault
    from sitetree.fleet_run r left join sitetree.fleet_site f on f.run = r.key
    where r.name = $1 group by r.total having r.total <> count(f.site)`,
  "the counters are those of the sites": `
    select t::text || ' <> ' || s::text as fault
    from (
      select coalesce(sum(complete), 0) as complete, coalesce(sum(partial), 0) as partial,
        coalesce(sum(none), 0) as none, coalesce(sum(blocked), 0) as blocked,
        coalesce(sum(failed), 0) as failed, coalesce(sum(waiting), 0) as waiting
      from sitetree.tally t join sitetree.fleet_run r on r.key = t.run where r.name = $1
    ) as t, (
      select count(*) filter (where is_done and verdict = 'complete') as complete,
        count(*) filter (where is_done and verdict = 'partial') as partial,
        count(*) filter (where is_done and verdict = 'none') as none,
        count(*) filter (where is_done and verdict = 'blocked') as blocked,
        count(*) filter (where is_done and verdict = 'failed') as failed,
        count(*) filter (where not is_done and tries > 0) as waiting
      from (${SITES}) f
    ) as s
    where row(t.*) is distinct from row(s.*)`,
  "a site is out of the queue while it has one lease, and only then": `
    select f.homepage || ': ' || l.count || ' leases, due ' || coalesce(f.due::text, '') as fault
    from (${SITES}) f cross join lateral (
      select count(*) as count from sitetree.lease l
      where l.run = f.key and l.site = f.site and l.is_own
    ) l
    where l.count <> (f.due is not distinct from 'infinity')::int`,
  "a site with a verdict is not in the queue": `
    select f.homepage || ': ' || row(f.due, f.tries, f.crashes)::text as fault from (${SITES}) f
    where f.is_done and (f.due is not null or f.tries > 0 or f.crashes > 0)`,
  "a lease is for a run of its site that may write": `
    select l.host || ' by ' || l.owner as fault
    from sitetree.lease l join sitetree.fleet_run r on r.key = l.run
    left join sitetree.stored_site s on s.id = l.site
    where r.name = $1 and l.until > clock_timestamp() and s.fence is distinct from l.fence`,
  "a site has as many pages as it counts": `
    select f.homepage || ': ' || f.pages || ' <> ' || p.count as fault
    from (${SITES}) f cross join lateral (
      select count(*) as count from sitetree.stored_page p where p.site = f.site
    ) p where f.pages is distinct from p.count`,
  "a page belongs to a sitemap, and is there once": `
    select p.url as fault
    from (${SITES}) f join sitetree.stored_page p on p.site = f.site
    left join sitetree.stored_sitemap m on m.site = p.site and m.id = p.sitemap
    group by p.site, p.url having count(*) <> 1 or count(m.id) <> 1 limit 10`,
  "no change has a number that is not given yet": `
    select 'change ' || c.sequence as fault from sitetree.change c
    where c.sequence > (select last_value from sitetree.change_number) and $1 <> '' limit 10`,
  "a change belongs to a run of its site": `
    select c.url || ': ' || coalesce(c.run::text, 'no run') as fault from sitetree.change c
    left join sitetree.run r on r.run = c.run
    where r.site is distinct from c.site and $1 <> '' limit 10`,
};

/** Conditions that hold once every site has a verdict. */
const SETTLED: Conditions = {
  "every site has a verdict": `
    select homepage || ': ' || coalesce(reason, 'without reason') as fault from (${SITES}) f
    where not is_done or verdict is null or finished is null`,
  "no lease is left": `
    select l.host || ' by ' || l.owner as fault
    from sitetree.lease l join sitetree.fleet_run r on r.key = l.run
    where r.name = $1 and l.until > clock_timestamp()`,
  "the last run of a site that was walked to its end has ended": `
    select f.homepage as fault from (${SITES}) f cross join lateral (
      select * from sitetree.stored_run r where r.site = f.site order by id desc limit 1
    ) r
    where f.verdict not in ('failed', 'blocked') and r.finished is null`,
};

export async function findInconsistencies(
  session: Pick<Connection, "query">,
  run: string,
  { isSettled = true }: { readonly isSettled?: boolean } = {},
): Promise<string[]> {
  const faults: string[] = [];
  const conditions = isSettled ? { ...ALWAYS, ...SETTLED } : ALWAYS;
  for (const [name, sql] of Object.entries(conditions)) {
    const { rows } = await session.query<{ fault: string }>(sql, [run]);
    if (rows.length > 0) {
      const some = rows.slice(0, 5).map(({ fault }) => fault).join("; ");
      faults.push(`Not true that ${name}, ${rows.length} times: ${some}`);
    }
  }
  return faults;
}
