import { assert, assertEquals, assertInstanceOf, assertRejects } from "@std/assert";
import type { SitemapPage } from "../../src/data/page.ts";
import { FleetError } from "../../src/fleet/mod.ts";
import { toCsv, toReadableStream, toSitemapXml } from "../../src/write/mod.ts";
import { type Answer, ScriptedFetch, silence, status } from "../http/scripted_fetch.ts";
import { FULL_PAGE, PLAIN_PAGE } from "../write/samples.ts";
import { robots, siteOf } from "./documents.ts";
import { startWorker, testFleets, until, walkAll } from "./with_fleets.ts";

/** Pages with dates at every precision, and at the ends of the years that sitemaps have. */
const PAGES: readonly SitemapPage[] = [
  FULL_PAGE,
  PLAIN_PAGE,
  ...[
    ...["2005", "2005-02", "2005-02-03", "2005-02-03T04:05:06.789Z"],
    ...["0001-01-01T00:00:00.000Z", "0001-01-01", "9999-12-31T23:59:59.999Z"],
  ].map((lastModified) => ({ url: `https://a.test/${lastModified}`, lastModified })),
  { url: "https://a.test/priority", priority: 0.5, changeFrequency: "never" },
];

async function textOf(
  pages: readonly SitemapPage[],
  writer: TransformStream<SitemapPage, Uint8Array<ArrayBuffer>>,
): Promise<string> {
  return await new Response(toReadableStream(pages).pipeThrough(writer)).text();
}

testFleets("reports", {
  "have pages as they were listed, with site and sitemap": async (database) => {
    const xml = await textOf(PAGES, toSitemapXml());
    const script = new ScriptedFetch({
      "https://a.test/robots.txt": robots("https://a.test/s"),
      "https://a.test/s": () => new Response(xml),
    });
    const fleet = await database.open({ walk: { fetch: script.fetch } });
    await walkAll(fleet, ["https://a.test/"]);
    const place = { site: "https://a.test/", sitemap: "https://a.test/s" };
    const pages = await Array.fromAsync(fleet.pages("run"));
    assertEquals(pages, PAGES.map((page) => ({ ...page, ...place })));
    assertEquals(await textOf(pages, toCsv()), await textOf(PAGES, toCsv()));
  },

  "have the sites and pages of all chunks, each once": async (database) => {
    const homes = Array.from({ length: 2500 }, (_, at) => `http://${at}.test/`);
    const fleet = await database.open();
    await fleet.enqueue("run", homes);
    // every third one is unfinished, and they have 0 to 6 pages
    await database.query(
      `update sitetree.fleet_site f set round = 1, verdict = 'complete', finished = now()
       where site % 3 > 0`,
    );
    await database.query("update sitetree.stored_site set pages = id % 7");
    await database.query(
      `insert into sitetree.stored_sitemap (site, id, url, final_url, type, position, children,
         parents, state, pages, is_root, is_confirmed, is_forgotten, listed_at)
       select id, 1, 's' || id, '', '', 0, '[]', '[]', '', 0, 0, 0, 0, 0 from sitetree.stored_site`,
    );
    await database.query(
      `insert into sitetree.stored_page (id, site, sitemap, key, url)
       select row_number() over (order by id, n), id, 1, 0, 'http://' || id || '/' || n
       from sitetree.stored_site, generate_series(1, pages) n`,
    );
    const sites = await Array.fromAsync(fleet.sites("run"));
    assertEquals(new Set(sites.map(({ homepage }) => homepage)), new Set(homes));
    assertEquals(sites.length, homes.length);
    const expected = await database.query(
      "select url from sitetree.stored_page where site % 3 > 0 order by id",
    );
    assert(expected.length > 4500);
    const pages = await Array.fromAsync(fleet.pages("run"));
    assertEquals(pages.map(({ url }) => url), expected.map(({ url }) => url));
    for await (const page of fleet.pages("run")) {
      assertEquals(page.url, expected[0]!.url);
      break;
    }
  },

  "have pages of sites with a verdict only, also of large ones": async (database) => {
    const large = Array.from({ length: 6000 }, (_, at) => `${at}`);
    const script = new ScriptedFetch({
      ...siteOf("http://a.test/", { "1": ["b", "a"], "2": ["c"] }),
      ...siteOf("http://large.test/", { s: large }),
      ...siteOf("http://waiting.test/", { "1": ["page"], "2": [] }),
      "http://waiting.test/2": status(503),
    });
    const fleet = await database.open({ retryDelays: [3_600_000], walk: { fetch: script.fetch } });
    await fleet.enqueue("run", ["a", "large", "waiting"].map((name) => `http://${name}.test/`));
    const stop = startWorker(fleet);
    for await (const { done, waiting } of fleet.progress("run", { interval: 20 })) {
      if (done === 2 && waiting === 1) break;
    }
    await stop();
    const pages = await Array.fromAsync(fleet.pages("run"));
    const urls = (host: string) =>
      pages.map(({ url }) => url).filter((url) => url.startsWith(`http://${host}/`));
    assertEquals(urls("a.test"), ["b", "a", "c"].map((path) => `http://a.test/${path}`));
    assertEquals(urls("large.test"), large.map((path) => `http://large.test/${path}`));
    assertEquals(pages.length, 3 + large.length);
    const sites = await Array.fromAsync(fleet.sites("run", { verdict: "complete" }));
    assertEquals(sites.map(({ pages }) => pages).sort(), [3, 6000]);
    assert(sites.every(({ finished }) => finished instanceof Date));
  },

  "have the hosts that are walked, the longest first": async (database) => {
    const asked: string[] = [];
    const respond: Answer = (url, init) => {
      asked.push(url);
      return silence()(url, init);
    };
    const script = new ScriptedFetch({
      "http://a.test/robots.txt": respond,
      "http://b.test/robots.txt": respond,
    });
    const fleet = await database.open({ walk: { fetch: script.fetch } });
    await fleet.enqueue("run", ["http://a.test/"]);
    const stop = startWorker(fleet);
    await until(() => asked.length === 1);
    await fleet.enqueue("run", ["http://b.test/"]);
    await until(() => asked.length === 2);
    await database.query(
      "insert into sitetree.host values ('b.test', now() + interval '1 h'), ('a.test', now())",
    );
    const hosts = await fleet.active("run");
    assertEquals(hosts.map(({ host, homepage }) => [host, homepage]), [
      ["a.test", "http://a.test/"],
      ["b.test", "http://b.test/"],
    ]);
    assertInstanceOf(hosts[0]!.since, Date);
    assertEquals(hosts[0]!.notBefore, undefined);
    assert(hosts[1]!.notBefore!.getTime() > Date.now());
    assertEquals((await fleet.active("run", 1)).map(({ host }) => host), ["a.test"]);
    await fleet.enqueue("other", ["http://c.test/"]);
    await stop();
    assertEquals(await fleet.active("run"), []);
    assertEquals(await fleet.active("other"), []);
  },

  "have all runs, the oldest first": async (database) => {
    const fleet = await database.open();
    await fleet.enqueue("first", ["http://a.test/", "http://b.test/"]);
    await fleet.enqueue("second", ["http://a.test/"], { every: 60_000 });
    await fleet.pause("second");
    const runs = await fleet.runs();
    assertEquals(
      runs.map(({ created: _, due, ...run }) => ({ ...run, hasDue: due !== undefined })),
      [
        { id: "first", total: 2, paused: false, round: 1, every: undefined, hasDue: false },
        { id: "second", total: 1, paused: true, round: 1, every: 60_000, hasDue: true },
      ],
    );
    assertInstanceOf(runs[0]!.created, Date);
  },

  "of a run that does not exist fail": async (database) => {
    const fleet = await database.open();
    const reports = [
      () => Array.fromAsync(fleet.pages("x")),
      () => Array.fromAsync(fleet.sites("x")),
      () => Array.fromAsync(fleet.progress("x")),
      ...(["active", "pause", "resume", "retry", "drop"] as const)
        .map((method) => async () => void await fleet[method]("x")),
    ];
    for (const report of reports) {
      const error = await assertRejects(report, FleetError, 'Unknown run "x"');
      assertEquals(error.code, "unknown-run");
    }
  },
});
