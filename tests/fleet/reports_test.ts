import { assert, assertEquals, assertInstanceOf, assertRejects } from "@std/assert";
import type { SitemapPage } from "../../src/data/page.ts";
import type { Database } from "../../src/fleet/database.ts";
import { FleetError } from "../../src/fleet/errors.ts";
import {
  activeHosts,
  deadSites,
  fleetPages,
  fleetSites,
  listRuns,
  requireRun,
} from "../../src/fleet/reports.ts";
import { PRECISIONS } from "../../src/fleet/schema.ts";
import { listedPage } from "../../src/data/page_row.ts";
import { toCsv, toNdjson, toReadableStream } from "../../src/write/mod.ts";
import { FULL_PAGE, PLAIN_PAGE } from "../write/samples.ts";
import { addRows, addRun, all, testOnPostgres } from "./with_database.ts";
import { progressSteps, runSteps } from "./run_steps.ts";

/** Pages with dates at every precision, and at the ends of the years that sitemaps have. */
const PAGES: readonly SitemapPage[] = [
  FULL_PAGE,
  PLAIN_PAGE,
  ...[
    "2005",
    "2005-02",
    "2005-02-03",
    "2005-02-03T04:05:06.789Z",
    "0001-01-01T00:00:00.000Z",
    "0001-01-01",
    "9999-12-31T23:59:59.999Z",
    "1969-12-31T23:59:59.999Z",
  ].map((lastModified) => ({ url: `https://a.test/${lastModified}`, lastModified })),
  { url: "https://a.test/priority", priority: 0.5, changeFrequency: "never" },
];

/** Adds a site with one sitemap for each list of pages. */
async function addSite(
  database: Database,
  run: string,
  site: Readonly<Record<string, unknown>>,
  sitemaps: readonly (readonly SitemapPage[])[],
): Promise<number> {
  const [{ id }] = await addRows(database, "site", [{ run, ...site }]);
  for (const [at, pages] of sitemaps.entries()) {
    const url = `https://${site["host"]}/sitemap-${at}.xml`;
    const [sitemap] = await addRows(database, "sitemap", [
      { run, site: id, url, type: "PagesXmlSitemap", fence: 1 },
    ]);
    for (const [seq, page] of pages.entries()) {
      const { url, lastmod, priority, changefreq, extensions } = listedPage(page);
      await database.query(
        `insert into sitetree.page(
          run, sitemap, seq, url, lastmod, precision, priority, changefreq, data
        ) values ($1, $2, $3, $4, to_timestamp($5::float8 / 1000), $6, $7, $8, $9::text::jsonb)`,
        [
          ...[run, sitemap.id, seq, url, lastmod === null ? null : Date.parse(lastmod)],
          lastmod === null ? null : PRECISIONS.indexOf(lastmod.length) || null,
          ...[priority, changefreq, extensions],
        ],
      );
    }
  }
  return id;
}

function site(host: string): Record<string, unknown> {
  return { homepage: `https://${host}/`, host, authority: host };
}

async function ndjson(pages: readonly SitemapPage[]): Promise<unknown[]> {
  const text = await new Response(toReadableStream(pages).pipeThrough(toNdjson())).text();
  // jsonb orders the members of objects
  return text.trim().split("\n").map((line) => JSON.parse(line));
}

async function csv(pages: readonly SitemapPage[]): Promise<string> {
  return await new Response(toReadableStream(pages).pipeThrough(toCsv())).text();
}

testOnPostgres("reports and changes of runs", async (t, database) => {
  await t.step("fleetPages() yields what was stored, with its site and sitemap", async () => {
    await addRun(database, "exact");
    await addSite(database, "exact", { ...site("a.test"), verdict: "complete" }, [PAGES]);
    const pages = await all(fleetPages(database, "exact"));
    const place = { site: "https://a.test/", sitemap: "https://a.test/sitemap-0.xml" };
    assertEquals(pages, PAGES.map((page) => ({ ...page, ...place })));
    assertEquals(await ndjson(pages), pages);
    assertEquals(await csv(pages), await csv(PAGES));
  });

  await t.step("fleetPages() yields pages of sites with a verdict only, by sitemap", async () => {
    const page = (path: string) => ({ url: `https://x.test/${path}` });
    await addRun(database, "verdicts");
    await addRun(database, "other");
    await addSite(database, "verdicts", { ...site("a.test"), verdict: "partial" }, [
      [page("a0"), page("a1")],
      [],
      [page("a2")],
    ]);
    await addSite(database, "other", { ...site("o.test"), verdict: "complete" }, [[page("o")]]);
    await addSite(database, "verdicts", site("b.test"), [[page("b")]]);
    await addSite(database, "verdicts", { ...site("c.test"), verdict: "dead" }, [[page("c")]]);
    const pages = await all(fleetPages(database, "verdicts"));
    assertEquals(pages.map(({ url, sitemap }) => [new URL(url).pathname, sitemap]), [
      ["/a0", "https://a.test/sitemap-0.xml"],
      ["/a1", "https://a.test/sitemap-0.xml"],
      ["/a2", "https://a.test/sitemap-2.xml"],
      ["/c", "https://c.test/sitemap-0.xml"],
    ]);
  });

  await t.step("fleetPages() and fleetSites() yield every row of many chunks once", async () => {
    await addRun(database, "many");
    // every third site is unfinished, and sitemaps have 0 to 6 pages
    await database.query(`
      insert into sitetree.site(run, id, homepage, host, authority, verdict)
      select 'many', 1000000 + n, 'https://' || n || '.test/', n || '.test', n || '.test',
        case when n % 3 > 0 then 'complete' end
      from generate_series(1, 4000) n;
      insert into sitetree.sitemap(run, id, site, url, type, fence)
      select 'many', 1000000 + n, 1000000 + n, 's' || n, 'PagesXmlSitemap', 1
      from generate_series(1, 4000) n;
      insert into sitetree.page(run, sitemap, seq, url)
      select 'many', 1000000 + n, seq, n || '/' || seq
      from generate_series(1, 4000) n, generate_series(0, n % 7 - 1) seq`);
    const { rows } = await database.query(
      `select p.url from sitetree.page p where run = 'many' and (sitemap - 1000000) % 3 > 0
      order by sitemap, seq`,
    );
    assert(rows.length > 6000);
    const urls = (await all(fleetPages(database, "many"))).map(({ url }) => url);
    assertEquals(urls, rows.map(({ url }) => url));
    const sites = await all(fleetSites(database, "many"));
    assertEquals(
      sites.map(({ host }) => host),
      Array.from({ length: 4000 }, (_, at) => `${at + 1}.test`),
    );
  });

  await t.step("fleetPages() can be left early", async () => {
    for await (const page of fleetPages(database, "many")) {
      assertEquals(page.url, "1/0");
      break;
    }
  });

  await t.step("fleetPages() fails if the run is removed while it is read", async () => {
    const key = await addRun(database, "removed");
    await database.query(`
      insert into sitetree.site(run, id, homepage, host, authority, verdict)
      values ('removed', 1, 'https://a.test/', 'a.test', 'a.test', 'complete');
      insert into sitetree.sitemap(run, id, site, url, type, fence)
      values ('removed', 1, 1, 's', 'PagesXmlSitemap', 1);
      insert into sitetree.page(run, sitemap, seq, url)
      select 'removed', 1, n, n from generate_series(0, 500) n`);
    const pages = fleetPages(database, "removed");
    await pages.next();
    await database.query(`
      drop table sitetree.page_${key}; drop table sitetree.sitemap_${key};
      drop table sitetree.site_${key}; delete from sitetree.run where id = 'removed'`);
    await assertRejects(() => all(pages), FleetError, 'Unknown run "removed"');
  });

  await t.step("fleetSites() yields sites as they were added, with their results", async () => {
    const run = "sites";
    const enqueued = new Date("2024-05-01T10:20:30.456Z");
    await addRun(database, run, 2);
    await addRows(database, "site", [
      { ...site("b.test"), run, enqueued },
    ]);
    await addRows(database, "site", [{
      ...site("a.test"),
      ...{ run, enqueued, verdict: "partial", pages: 5_000_000_000, sitemaps: 7, failures: 1 },
      ...{ error: "503 Service Unavailable", finished: enqueued },
    }]);
    assertEquals(await all(fleetSites(database, run)), [
      {
        homepage: "https://b.test/",
        host: "b.test",
        verdict: undefined,
        pages: 0,
        sitemaps: 0,
        failures: 0,
        error: undefined,
        enqueued,
        finished: undefined,
      },
      {
        homepage: "https://a.test/",
        host: "a.test",
        verdict: "partial",
        pages: 5_000_000_000,
        sitemaps: 7,
        failures: 1,
        error: "503 Service Unavailable",
        enqueued,
        finished: enqueued,
      },
    ]);
  });

  await t.step("deadSites() yields those that were given up, with the reason", async () => {
    const run = "dead";
    const finished = new Date("2024-05-01T10:20:30.456Z");
    await addRun(database, run, 3);
    await addRows(database, "site", [
      { ...site("a.test"), run, verdict: "complete", error: null, failures: 0, finished },
      { ...site("b.test"), run, verdict: "dead", error: "timed out", failures: 3, finished },
      { ...site("c.test"), run, verdict: null, error: "timed out", failures: 2, finished: null },
    ]);
    assertEquals(await all(deadSites(database, run)), [{
      homepage: "https://b.test/",
      reason: "timed out",
      failures: 3,
      crashes: 0,
      since: finished,
    }]);
  });

  await t.step("activeHosts() returns the live leases of a run, the oldest first", async () => {
    const run = "active";
    await addRun(database, run);
    const rows = await addRows(
      database,
      "site",
      ["a.test", "b.test", "c.test"].map((host) => ({
        ...site(host),
        run,
      })),
    );
    const [now, hour] = [Date.now(), 3_600_000];
    const lease = (at: number, since: number, until: number) => ({
      ...{ host: rows[at].host, slot: 0, run, site: rows[at].id, fence: 1, owner: `w/${at}` },
      ...{ since: new Date(since), until: new Date(until) },
    });
    await addRows(database, "lease", [
      lease(0, now - 2000, now + hour),
      lease(1, now - 3000, now + hour),
      lease(2, now - 9000, now - 1000),
    ]);
    await addRows(database, "host", [
      { host: "a.test", not_before: new Date(now + hour) },
      { host: "b.test", not_before: new Date(now - hour) },
    ]);
    const [oldest, other] = [
      {
        ...{ host: "b.test", homepage: "https://b.test/", worker: "w/1" },
        ...{ since: new Date(now - 3000), notBefore: undefined },
      },
      {
        ...{ host: "a.test", homepage: "https://a.test/", worker: "w/0" },
        ...{ since: new Date(now - 2000), notBefore: new Date(now + hour) },
      },
    ];
    assertEquals(await activeHosts(database, run), [oldest, other]);
    assertEquals(await activeHosts(database, run, 1), [oldest]);
    assertEquals(await activeHosts(database, "sites"), []);
  });

  await t.step("listRuns() returns all runs, the oldest first", async () => {
    await database.query(
      "update sitetree.run set created = now() - interval '1h' where id = 'dead'",
    );
    const runs = await listRuns(database);
    assertEquals(runs[0]!.id, "dead");
    assertEquals(runs.length, 7);
    const { id, total, paused } = runs.find(({ id }) => id === "sites")!;
    assertEquals({ id, total, paused }, { id: "sites", total: 2, paused: false });
    assertInstanceOf(runs[0]!.created, Date);
  });

  await t.step("reports of a run that does not exist fail", async () => {
    const reports = [
      () => all(fleetPages(database, "x")),
      () => all(fleetSites(database, "x")),
      () => all(deadSites(database, "x")),
      () => activeHosts(database, "x"),
      () => requireRun(database, "x"),
    ];
    for (const report of reports) {
      const error = await assertRejects(report, FleetError, 'Unknown run "x"');
      assertEquals(error.code, "unknown-run");
    }
  });

  await progressSteps(t, database);
  await runSteps(t, database);
});
