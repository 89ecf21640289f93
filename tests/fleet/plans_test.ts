import { assertEquals } from "@std/assert";
import { sync } from "../../src/sync/mod.ts";
import { execute } from "../sync/stores.ts";
import { LOG_PLANS, loggedStatements, type Scan, WITHOUT_PLANS } from "./plans.ts";
import { testFleets, until } from "./with_fleets.ts";

/** Sites that are walked, and those besides them in the run. */
const WALKED = 40, OTHERS = 4000;
/** Runs of each site before. */
const ROUNDS = 25;
/** Most rows that a scan reads. */
const MAX_ROWS = 300;

const LEASE = 4;
/** Finds leases that were extended. */
const EXTENDED = `select from sitetree.lease where until > since + interval '${LEASE + 0.5} s'`;

/** Tables whose rows are as many as those of workers, runs and settings. */
const SMALL = ["setting", "fleet_run", "lease", "tally", "change_number", "pg_namespace"];

const home = (at: number) => `http://site${at}.test/`;

/** Sitemaps of a site; some have more than come with a claim. */
const sitemapsOf = (at: number) => at % 10 === 3 ? 60 : 2;

/** Pages of each sitemap; some sites are much larger than most. */
const pagesOf = (at: number) => at % 10 === 2 ? 1000 : 5;

/** Returns a `fetch` for sites of all kinds, some of which have changed, or fail, in a later round. */
function sites(round: number): (url: string, init: RequestInit) => Promise<Response> {
  return (address, init) => {
    const { hostname, origin, pathname } = new URL(address);
    const at = Number(/\d+/.exec(hostname));
    const isRobots = pathname === "/robots.txt";
    if (round > 1 && at % 10 === 1 && !isRobots) {
      return Promise.resolve(new Response(null, { status: 503 }));
    }
    const version = round > 1 && at % 10 === 2 && !isRobots ? round : 1;
    const headers: HeadersInit = at % 2 === 0 ? {} : { etag: `"${version}"` };
    if (at % 2 === 1 && new Headers(init.headers).get("if-none-match") === `"${version}"`) {
      return Promise.resolve(new Response(null, { status: 304, headers }));
    }
    const lines = isRobots
      ? Array.from({ length: sitemapsOf(at) }, (_, n) => `Sitemap: ${origin}/${n}`)
      : Array.from(
        { length: pagesOf(at) },
        (_, n) => `${origin}${pathname}/${n < 5 ? version : 1}/${n}`,
      );
    return Promise.resolve(new Response(lines.join("\n"), { headers }));
  };
}

/** Adds as many sites, like the first one, and as many rounds, to what a run has. */
const GROW = `
${WITHOUT_PLANS};
create temp table clone as
  select n, n + 10000 as id, 'clone' || n || '.test' as host from generate_series(1, ${OTHERS}) n;

insert into sitetree.stored_site
select (jsonb_populate_record(s, jsonb_build_object('id', c.id, 'homepage', 'http://' || host || '/'))).*
from sitetree.stored_site s, clone c where s.id = 1;

insert into sitetree.stored_sitemap
select (jsonb_populate_record(m, jsonb_build_object('site', c.id))).*
from sitetree.stored_sitemap m, clone c where m.site = 1;

insert into sitetree.stored_listing
select c.id, l.sitemap, l.part, l.hashes, l.pages
from sitetree.stored_listing l, clone c where l.site = 1;

insert into sitetree.stored_page (id, site, sitemap, key, url)
select 1000000 + row_number() over (), c.id, p.sitemap, p.key + c.n, p.url
from sitetree.stored_page p, clone c where p.site = 1;

insert into sitetree.other_listing (site, page, sitemap)
select site, id, sitemap + 1 from sitetree.stored_page where site > 10000;

insert into sitetree.lost_listing select site, page, sitemap from sitetree.other_listing;

insert into sitetree.stored_change
select 2000000 + row_number() over (), c.id, 'removed', p.url, '', '{}', null
from sitetree.stored_page p, clone c where p.site = 1;

insert into sitetree.stored_run
select (jsonb_populate_record(r, jsonb_build_object('id', 100000 + k * 20000 + s.id, 'site', s.id))).*
from sitetree.stored_run r, sitetree.stored_site s, generate_series(1, ${ROUNDS}) k
where r.id = (select min(id) from sitetree.stored_run);
insert into sitetree.stored_commit select id * 4, id, started from sitetree.stored_run
on conflict do nothing;
update sitetree.stored_site s set last_run = (select max(id) from sitetree.stored_run where site = s.id);

insert into sitetree.host select host, now() - interval '1 h' from clone;

-- half of the sites have a verdict of this round, others wait for a time
update sitetree.fleet_run set round = ${ROUNDS}, total = total + ${OTHERS} where name = 'run';
update sitetree.fleet_site set round = ${ROUNDS} - 1;
insert into sitetree.fleet_site (run, site, authority, host, entered, round, verdict, tries, due)
select key, c.id, host, host, 1, ${ROUNDS} - (n % 2), 'complete', (n % 4 = 1)::int,
  case when n % 4 = 1 then now() + interval '1 h' end
from sitetree.fleet_run, clone c where name = 'run';
delete from sitetree.tally;
insert into sitetree.tally (run, worker, complete, waiting)
select key, 'before', ${OTHERS} / 2, ${OTHERS} / 4 from sitetree.fleet_run where name = 'run';

-- a run whose next round is due
insert into sitetree.fleet_run (name, total, every, due)
values ('other', ${OTHERS}, 3600000, now() - interval '1 min');
insert into sitetree.fleet_site (run, site, authority, host, entered, round, verdict)
select key, c.id, host, host, 1, 1, 'complete' from sitetree.fleet_run, clone c where name = 'other';
insert into sitetree.tally (run, worker, complete)
select key, 'before', ${OTHERS} from sitetree.fleet_run where name = 'other';

-- sites that are late, that may have stopped their workers, and whose worker has stopped just now
update sitetree.fleet_site set due = now() - interval '1 s', tries = 1
where host in ('site11.test', 'site12.test');
update sitetree.fleet_site set crashes = 1, due = '-infinity' where host in ('site20.test', 'site21.test');
update sitetree.fleet_site set due = 'infinity' where host = 'site30.test';
insert into sitetree.lease
select host, 0, run, site, 0, 'stopped', true, now(), now() - interval '1 s'
from sitetree.fleet_site where host = 'site30.test';

select setval('sitetree.site_number', 1000000), setval('sitetree.run_number', 10000000),
  setval('sitetree.change_number', 100000000);
analyze;
`;

/** Statements that the plans must be of, by a part of their texts. */
const STATEMENTS: readonly string[] = [
  "sitetree.claim(",
  "WITH suspect AS",
  "sitetree.lease_host(",
  "json_build_object('sitemaps'",
  "sitetree.hold(",
  "sitetree.settle(",
  "sitetree.count_site(",
  "insert into sitetree.stored_site",
  "insert into sitetree.stored_run",
  "insert into sitetree.stored_sitemap",
  "FROM sitetree.stored_sitemap WHERE site",
  "FROM sitetree.stored_listing",
  "sitetree.stored_page",
  "sitetree.recover()",
  "DELETE FROM sitetree.lease WHERE (host",
  "SET crashes = crashes + 1",
  "sitetree.begin_rounds()",
  "update sitetree.lease l set until",
];

testFleets("the statements of workers and of syncs", {
  "read few rows, however many sites and rounds there are": async (database) => {
    const first = await database.open({ walk: { fetch: sites(1) } });
    await first.enqueue("run", Array.from({ length: WALKED }, (_, at) => home(at)));
    await first.work({ drain: true });
    await execute(database.url, GROW);
    const [row] = await database.query("select clock_timestamp() as now");

    const faults: string[] = [];
    let walks = 0, isExtended = false;
    const stop = new AbortController();
    const fleet = await database.open({
      leaseSeconds: LEASE,
      walk: {
        fetch: async (url, init) => {
          // as long as it takes to extend the leases
          if (url === `${home(5)}robots.txt`) {
            await until(async () => (await database.query(EXTENDED)).length > 0);
            isExtended = true;
          }
          return await sites(2)(url, init);
        },
      },
      onEvent: (event) => {
        if (event.type === "fault") faults.push(event.reason);
        if (event.type === "walked" && ++walks >= WALKED && isExtended) stop.abort();
      },
    });
    await fleet.work({ run: "run", slots: 4, signal: stop.signal });
    assertEquals(faults, []);
    assertEquals((await fleet.runs()).map(({ round }) => round), [ROUNDS, 2]);
    // a process without a fleet
    const { snapshot } = fleet;
    for (let time = 0; time < 7; time++) {
      for (const at of [2, 3]) {
        const options = { snapshot, fetch: sites(time + 3), useKnownPaths: false };
        await Array.fromAsync(sync(home(at), options));
      }
      // which reads the last run of a site, and its pages
      await Array.fromAsync(snapshot.events(home(3)));
    }

    const statements = await loggedStatements(database, row!.now);
    const missing = STATEMENTS.filter((part) =>
      !statements.some(({ text }) => text.includes(part))
    );
    assertEquals(missing, []);
    const large = statements.flatMap(({ scans }) => scans).filter(isLarge);
    assertEquals(describe(large), []);
  },
}, LOG_PLANS);

function isLarge({ table, type, rows }: Scan): boolean {
  return !SMALL.includes(table) && (type === "Seq Scan" || rows > MAX_ROWS);
}

function describe(scans: readonly Scan[]): string[] {
  const lines = scans.map(({ type, table, index, rows, statement }) =>
    `${type} of ${rows} rows of ${table} ${index ?? ""}: ${
      statement.replace(/\s+/g, " ").slice(0, 300)
    }`
  );
  return [...new Set(lines)];
}
