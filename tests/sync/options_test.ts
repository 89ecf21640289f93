/** Options of `sync()` that do not change what a site has: runs, several sites, and dry runs. @module */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { HOUR } from "../../src/data/calendar.ts";
import { openSnapshot, sync, type SyncEvent, type SyncFinishedEvent } from "../../src/sync/mod.ts";
import { numbered } from "../walk/site.ts";
import {
  declared,
  DEFAULTS,
  HOME,
  rated,
  ScriptedSite,
  type Site,
  urlset,
} from "./scripted_site.ts";
import { readContent } from "./snapshot_content.ts";
import { inEachStore, withoutStore } from "./stores.ts";
import { outline, SyncHistory, total } from "./sync_history.ts";

const test = inEachStore("sync() has options");

function many(count: number): Site {
  return declared({ "/s.xml": numbered(count, (at) => `/${at}`) });
}

test("sync() with dryRun reports the changes and writes nothing", async (location) => {
  await using history = new SyncHistory({ path: await location() });
  const first = declared({ "/s.xml": ["/a", "/b"], "/t.xml": ["/c"] });
  const dry = await history.run(first, { dryRun: true });
  assertEquals(dry.content.count, undefined, "not even the site");
  const { events, content } = await history.run(first);
  assertEquals(outline(dry.events), outline(events));
  assertEquals(await (await history.snapshot()).head(), 3);
  const second = declared({ "/s.xml": ["/b", rated("/d", 0.1)], "/t.xml": { status: 404 } });
  const again = await history.run(second, { dryRun: true });
  assertEquals(again.content, content);
  assertEquals(outline(again.events), [
    "added /d in /s.xml",
    "invalid http-status /t.xml",
    "partial +1 =2 ?1",
  ]);
  // nor is anything confirmed by it
  const { events: third } = await history.run(second);
  assertEquals(outline(third), outline(again.events));
});

test("sync() with dryRun that is left early writes nothing", async (location) => {
  await using history = new SyncHistory({ path: await location() });
  const { content } = await history.run(many(3));
  history.scripted.site = many(5);
  for (let count = 1; count < 6; count++) {
    let left = count;
    for await (const _ of await history.sync({ dryRun: true })) if (--left === 0) break;
    assertEquals(await history.content(), content);
  }
  assertEquals(outline((await history.run(many(5))).events).at(-1), "complete +2 =3");
});

test("sync() keeps several sites of one snapshot apart", async (location) => {
  const host = "https://other.test";
  const other: Site = {
    [`${host}/robots.txt`]: `Sitemap: ${host}/s.xml`,
    [`${host}/s.xml`]: [...numbered(300, (at) => `${host}/${at}`), "/0"],
  };
  const scripted = new ScriptedSite();
  await using snapshot = await openSnapshot(await location());
  const run = async (homepage: string, site: Site): Promise<string> => {
    scripted.site = site;
    const options = { ...DEFAULTS, snapshot, fetch: scripted.fetch };
    const last = (await Array.fromAsync(sync(homepage, options))).at(-1);
    return total(last as SyncFinishedEvent);
  };
  assertEquals(await run(HOME, many(120)), "complete +120");
  // the URL of a page may be in both
  assertEquals(await run(`${host}/`, other), "complete +301");
  assertEquals(await run(HOME, many(120)), "complete =120");
  // more than half of one site, although not of both
  assertEquals(await run(HOME, many(10)), "partial =10 ?110");
  assertEquals(await run(`${host}/`, other), "complete =301");
  const first = await readContent(snapshot, HOME);
  const second = await readContent(snapshot, `${host}/`);
  assertEquals(first.runs.map(({ id }) => id), [1, 3, 4]);
  assertEquals(second.runs.map(({ id }) => id), [2, 5]);
  assertEquals([first.pages.length, second.pages.length], [120, 301]);
  assertEquals((await Array.fromAsync(snapshot.pages())).length, 421);
  assertEquals((await Array.fromAsync(snapshot.changes())).length, 421);
});

test("sync() walks several sites of one snapshot at the same time", async (location) => {
  const hosts = Array.from({ length: 5 }, (_, at) => `https://site${at}.test`);
  const scripted = new ScriptedSite(
    Object.fromEntries(hosts.flatMap((host, at) => [
      [`${host}/robots.txt`, `Sitemap: ${host}/s.xml\nSitemap: ${host}/t.xml`],
      [`${host}/s.xml`, urlset(...Array.from({ length: 50 + at }, (_, at) => `${host}/${at}`))],
      [`${host}/t.xml`, urlset(`${host}/0`, `${host}/t`, "/shared")],
    ])),
  );
  await using snapshot = await openSnapshot(await location());
  for (const expected of ["+", "="]) {
    await Promise.all(hosts.map(async (host, at) => {
      const options = { ...DEFAULTS, snapshot, fetch: scripted.fetch };
      const last = (await Array.fromAsync(sync(host, options))).at(-1);
      assertEquals(total(last as SyncFinishedEvent), `complete ${expected}${52 + at}`);
    }));
  }
  for (const [at, host] of hosts.entries()) {
    const { pages, changes } = await readContent(snapshot, `${host}/`);
    assertEquals([pages.length, changes.length], [52 + at, 52 + at]);
  }
  const sequences = (await Array.fromAsync(snapshot.changes())).map(({ sequence }) => sequence);
  assertEquals(sequences, sequences.toSorted((one, other) => one - other));
  assertEquals(new Set(sequences).size, 270);
});

test("sync() confirms a missing sitemap by the next run of its own site", async (location) => {
  await using history = new SyncHistory({ path: await location() });
  const without = declared({ "/s.xml": { status: 404 }, "/t.xml": ["/b"] });
  await history.run(declared({ "/s.xml": ["/a"], "/t.xml": ["/b"] }));
  const first = await history.run(without);
  const other = new ScriptedSite({ "https://other.test/robots.txt": "" });
  const options = { ...DEFAULTS, snapshot: await history.snapshot(), fetch: other.fetch };
  history.now += 2 * HOUR;
  await Array.fromAsync(sync("https://other.test/", options));
  assertEquals((await history.content()).pages, first.content.pages);
  const { events } = await history.run(without);
  assertEquals(outline(events).at(-1), "partial -1 =1");
});

test("sync() knows a site by its homepage, whatever path and user info are given", async (location) => {
  const homepages = [
    "https://site.test",
    "https://ann:pw@site.test/shop?page=2",
    "HTTPS://SITE.test/",
  ];
  await using snapshot = await openSnapshot(await location());
  const totals: string[] = [];
  for (const homepage of homepages) {
    const { fetch } = new ScriptedSite(many(2));
    for await (const event of sync(homepage, { ...DEFAULTS, snapshot, fetch })) {
      if (event.type === "finished") totals.push(total(event));
    }
  }
  assertEquals(totals, ["complete +2", "complete =2", "complete =2"]);
  assertEquals((await readContent(snapshot, HOME)).runs.length, 3);
});

test("sync() refuses to run twice at a time on one site", async (location) => {
  await using history = new SyncHistory({ path: await location() });
  history.scripted.site = many(3);
  history.now += 1;
  const events: SyncEvent[] = [];
  for await (const event of await history.sync()) {
    events.push(event);
    for (const dryRun of [false, true]) {
      const second = await history.sync({ dryRun });
      await assertRejects(() => second.next(), Error, "in progress");
    }
  }
  await history.check(events.map((event) => history.plain(event)), {});
  const { events: again } = await history.run(many(3));
  assertEquals(outline(again).at(-1), "complete =3");
});

test("sync() yields the same events in batches", async (location) => {
  await using history = new SyncHistory({ path: await location() });
  history.scripted.site = many(2500);
  const events: SyncEvent[] = [];
  for await (const batch of (await history.sync()).batches()) {
    assert(batch.length > 0 && batch.length <= 1000);
    events.push(...batch);
  }
  const { finished } = await history.check(events.map((event) => history.plain(event)), {});
  assertEquals(finished.stats.added, 2500);
  assertEquals(finished.stats.pages, 2500);
});

withoutStore("sync() rejects options that it cannot use", async () => {
  await using snapshot = await openSnapshot(":memory:");
  const rejected: [string, unknown][] = [
    ["snapshot", undefined],
    ["snapshot", {}],
    ["trustLastmod", 1],
    ["allowMassRemoval", "yes"],
    ["confirmAfter", -1],
    ["acceptAfter", NaN],
    ["full", null],
    ["dryRun", 0],
    ["maxPages", 0],
    ["includePage", () => true],
    ["maxEntries", 10],
    ["keepRuns", 3],
  ];
  for (const [name, value] of rejected) {
    const options = { snapshot, [name]: value } as never;
    await assertRejects(() => sync("https://site.test/", options).next(), Error, `"${name}"`);
  }
  await assertRejects(() => sync("site.test", { snapshot }).next(), TypeError, '"site.test"');
});

test("sync() is limited by maxPages, unless a mass removal was refused too", async (location) => {
  await using history = new SyncHistory({ path: await location() });
  const pages = (count: number) => numbered(count, (at) => `/${at}`);
  const end = async (site: Site, options = {}) => {
    const { verdict, limited } = (await history.run(site, options)).events.at(-1) as SyncEvent & {
      type: "finished";
    };
    return [verdict, limited];
  };
  assertEquals(await end(declared({ "/s.xml": pages(300) })), ["complete", undefined]);
  const less = declared({ "/s.xml": pages(50), "/t.xml": ["/x", "/y", "/z"] });
  assertEquals(await end(less, { maxPages: 52 }), ["partial", undefined]);
  assertEquals(await end(less, { maxPages: 52, allowMassRemoval: true }), ["partial", true]);
});
