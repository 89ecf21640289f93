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
    const place = { site: "https://a.test/", sitemap: "https://a.test/s", unconfirmed: false };
    const rows = await Array.fromAsync(fleet.snapshot.pages());
    assertEquals(rows, PAGES.map((page) => ({ page, ...place })));
    const pages = rows.map(({ page }) => page);
    assertEquals(await textOf(pages, toCsv()), await textOf(PAGES, toCsv()));
  },

  "have the sites of all chunks, each once, in the order in which they were added": async (
    database,
  ) => {
    const homes = Array.from({ length: 2500 }, (_, at) => `http://${at}.test/`);
    const fleet = await database.open();
    await fleet.enqueue("run", homes);
    const sites = await Array.fromAsync(fleet.sites("run"));
    assertEquals(sites.map(({ homepage }) => homepage), homes);
  },

  "have the sites with a verdict, with the number of their pages": async (database) => {
    const script = new ScriptedFetch({
      ...siteOf("http://a.test/", { "1": ["b", "a"], "2": ["c"] }),
      ...siteOf("http://b.test/", { s: ["a"] }),
      ...siteOf("http://waiting.test/", { "1": ["page"], "2": [] }),
      "http://waiting.test/2": status(503),
    });
    const fleet = await database.open({ retryDelays: [3_600_000], walk: { fetch: script.fetch } });
    await fleet.enqueue("run", ["a", "b", "waiting"].map((name) => `http://${name}.test/`));
    const stop = startWorker(fleet);
    for await (const { done, waiting } of fleet.progress("run", { interval: 20 })) {
      if (done === 2 && waiting === 1) break;
    }
    await stop();
    const sites = await Array.fromAsync(fleet.sites("run", { verdict: "complete" }));
    assertEquals(sites.map(({ homepage, pages }) => [homepage, pages]), [
      ["http://a.test/", 3],
      ["http://b.test/", 1],
    ]);
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
