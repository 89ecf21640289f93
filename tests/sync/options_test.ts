/** Options of `sync()` that do not change what a site has: runs, several sites, and dry runs. @module */

import { assert, assertEquals, assertRejects } from "@std/assert";
import type { SyncEvent } from "../../src/sync/events.ts";
import { openSnapshot, sync } from "../../src/sync/mod.ts";
import {
  type Child,
  declared,
  index,
  robots,
  ScriptedSite,
  type Site,
  urlset,
} from "./scripted_site.ts";
import { outline, pageLines, type RunOptions, SyncHistory } from "./sync_history.ts";

/** Calls a function with the path of a snapshot that does not exist yet. */
async function withPath(test: (path: string) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  try {
    await test(`${folder}/site.db`);
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

function many(count: number): Site {
  return declared({ "/s.xml": urlset(...Array.from({ length: count }, (_, at) => `/${at}`)) });
}

Deno.test("sync() with dryRun reports the changes and writes nothing", () =>
  withPath(async (path) => {
    using history = new SyncHistory({ path });
    const first = declared({ "/s.xml": urlset("/a", "/b"), "/t.xml": urlset("/c") });
    const dry = await history.run(first, { dryRun: true });
    assertEquals(dry.content.count, undefined, "not even the site");
    const { events, content } = await history.run(first);
    assertEquals(outline(dry.events), outline(events));
    const second = declared({
      "/s.xml": urlset("/b", ["/d", "<priority>0.1</priority>"]),
      "/t.xml": { status: 404 },
    });
    const again = await history.run(second, { dryRun: true });
    assertEquals(again.content, content);
    assertEquals(outline(again.events), [
      "added /d in /s.xml",
      "invalid http-status /t.xml",
      "removed /a in /s.xml",
      "partial +1 -1 =1 ?1",
    ]);
    assertEquals(outline((await history.run(second)).events), outline(again.events));
  }));

Deno.test("sync() with dryRun that is left early writes nothing", () =>
  withPath(async (path) => {
    using history = new SyncHistory({ path });
    const { content } = await history.run(many(3));
    history.scripted.site = many(5);
    for (let count = 1; count < 6; count++) {
      let left = count;
      for await (const _ of history.sync({ dryRun: true })) if (--left === 0) break;
      assertEquals(history.content(), content);
    }
    assertEquals(outline((await history.run(many(5))).events).at(-1), "complete +2 =3");
  }));

Deno.test("sync() with keepRuns keeps the changes of the last runs", () =>
  withPath(async (path) => {
    using history = new SyncHistory({ path });
    for (const count of [2, 3, 4, 5]) await history.run(many(count), { keepRuns: 2 });
    const { changes, pages } = history.content();
    assertEquals(changes.map(({ run, type, url }) => `${run} ${type} ${url}`), [
      "3 added https://site.test/3",
      "4 added https://site.test/4",
    ]);
    assertEquals(pages.length, 5);
  }));

Deno.test("openSnapshot() with keepRuns does so for every site", () =>
  withPath(async (path) => {
    const scripted = new ScriptedSite();
    const options = { useKnownPaths: false, fetch: scripted.fetch };
    {
      using snapshot = openSnapshot(path, { keepRuns: 1 });
      for (const count of [1, 2, 3]) {
        scripted.site = many(count);
        await Array.fromAsync(sync("https://site.test/", { ...options, snapshot }));
      }
    }
    using history = new SyncHistory({ path });
    assertEquals(history.content().changes.map(({ url }) => url), ["https://site.test/2"]);
  }));

Deno.test("sync() with keepRuns keeps what pages still refer to", () =>
  withPath(async (path) => {
    const options: RunOptions = { keepRuns: 1 };
    using history = new SyncHistory({ path });
    const both: Child[] = ["/s.xml", "/t.xml"];
    const site = (...children: Child[]): Site => ({
      "/robots.txt": robots("/i.xml"),
      "/i.xml": index(...children),
      "/s.xml": urlset(...Array.from({ length: 150 }, (_, at) => `/${at}`)),
      "/t.xml": urlset("/t"),
    });
    await history.run(site(...both), options);
    for (const expected of ["?150", "?150", "?150", "?150"]) {
      const { events, content } = await history.run(site("/t.xml"), options);
      assertEquals(outline(events).at(-1)!.split(" ").at(-1), expected);
      assertEquals(content.pages.length, 151, "each has its sitemap");
    }
    const allowed = { ...options, allowMassRemoval: true };
    const { events } = await history.run(site("/t.xml"), allowed);
    assertEquals(outline(events).at(-1), "complete -150 =1");
    for (let run = 0; run < 3; run++) {
      const { content } = await history.run(site("/t.xml"), options);
      assertEquals(pageLines(content), ["/t in /t.xml"]);
    }
    assertEquals(
      outline((await history.run(site(...both), options)).events).at(-1),
      "complete +150 =1",
    );
  }));

Deno.test("sync() keeps several sites of one snapshot apart", () =>
  withPath(async (path) => {
    const host = "https://other.test";
    const other: Site = {
      [`${host}/robots.txt`]: `Sitemap: ${host}/s.xml`,
      [`${host}/s.xml`]: urlset(...Array.from({ length: 300 }, (_, at) => `${host}/${at}`), "/0"),
    };
    const scripted = new ScriptedSite();
    const run = async (homepage: string, site: Site): Promise<SyncEvent[]> => {
      scripted.site = site;
      using snapshot = openSnapshot(path);
      const options = { snapshot, useKnownPaths: false, retries: 0, fetch: scripted.fetch };
      return await Array.fromAsync(sync(homepage, options));
    };
    const total = (events: readonly SyncEvent[]) => {
      const last = events.at(-1);
      if (last?.type !== "finished") throw new Error("No last event");
      const { added, changed, removed, unchanged, unconfirmed } = last.stats;
      return [last.verdict, added, changed, removed, unchanged, unconfirmed].join(" ");
    };
    assertEquals(total(await run("https://site.test/", many(120))), "complete 120 0 0 0 0");
    // the URL of a page may be in both
    assertEquals(total(await run(`${host}/`, other)), "complete 301 0 0 0 0");
    assertEquals(total(await run("https://site.test/", many(120))), "complete 0 0 0 120 0");
    // more than half of one site, although not of both
    assertEquals(total(await run("https://site.test/", many(10))), "partial 0 0 0 10 110");
    assertEquals(total(await run(`${host}/`, other)), "complete 0 0 0 301 0");
    using one = new SyncHistory({ path });
    using second = new SyncHistory({ path, homepage: `${host}/` });
    assertEquals(one.content().runs.map(({ id }) => id), [1, 3, 4]);
    assertEquals(second.content().runs.map(({ id }) => id), [2, 5]);
    assertEquals(one.content().pages.length, 120);
    assertEquals(second.content().pages.length, 301);
  }));

Deno.test("sync() confirms a missing sitemap by the next run of its own site", () =>
  withPath(async (path) => {
    using one = new SyncHistory({ path });
    const site = declared({ "/s.xml": urlset("/a"), "/t.xml": urlset("/b") });
    const without = declared({ "/s.xml": { status: 404 }, "/t.xml": urlset("/b") });
    await one.run(site);
    await one.run(without);
    one[Symbol.dispose]();
    {
      const other = new ScriptedSite({ "https://other.test/robots.txt": "" });
      using snapshot = openSnapshot(path);
      const options = { snapshot, useKnownPaths: false, fetch: other.fetch };
      await Array.fromAsync(sync("https://other.test/", options));
    }
    const { events } = await one.run(without);
    assertEquals(outline(events).at(-1), "partial -1 =1");
  }));

Deno.test("sync() knows a site by its homepage, whatever path and user info are given", () =>
  withPath(async (path) => {
    const homepages = [
      "https://site.test",
      "https://ann:pw@site.test/shop?page=2",
      "HTTPS://SITE.test/",
    ];
    const totals: string[] = [];
    for (const homepage of homepages) {
      const scripted = new ScriptedSite(many(2));
      using snapshot = openSnapshot(path);
      const options = { snapshot, useKnownPaths: false, fetch: scripted.fetch };
      for await (const event of sync(homepage, options)) {
        if (event.type === "finished") totals.push(`${event.stats.added} ${event.stats.unchanged}`);
      }
    }
    assertEquals(totals, ["2 0", "0 2", "0 2"]);
    using history = new SyncHistory({ path });
    assertEquals(history.content().runs.length, 3);
  }));

Deno.test("sync() refuses to run twice at a time on one snapshot", () =>
  withPath(async (path) => {
    using history = new SyncHistory({ path });
    history.scripted.site = many(3);
    const events: SyncEvent[] = [];
    for await (const event of history.sync()) {
      events.push(event);
      await assertRejects(() => history.sync().next(), Error, "in use");
      await assertRejects(() => history.sync({ dryRun: true }).next(), Error, "in use");
    }
    history.check(events.map((event) => history.plain(event)), {});
    const { events: again } = await history.run(many(3));
    assertEquals(outline(again).at(-1), "complete =3");
  }));

Deno.test("sync() yields the same events in batches", () =>
  withPath(async (path) => {
    using history = new SyncHistory({ path });
    history.scripted.site = many(2500);
    const events: SyncEvent[] = [];
    for await (const batch of history.sync().batches()) {
      assert(batch.length > 0 && batch.length <= 1000);
      events.push(...batch);
    }
    const { finished } = history.check(events.map((event) => history.plain(event)), {});
    assertEquals(finished.stats.added, 2500);
    assertEquals(finished.stats.pages, 2500);
  }));

Deno.test("sync() rejects options that it cannot use", async () => {
  using snapshot = openSnapshot(":memory:");
  const rejected: [string, unknown][] = [
    ["snapshot", undefined],
    ["snapshot", {}],
    ["trustLastmod", 1],
    ["allowMassRemoval", "yes"],
    ["resumeWithin", -1],
    ["keepRuns", 0],
    ["full", null],
    ["dryRun", 0],
    ["maxPages", 0],
    ["includePage", () => true],
  ];
  for (const [name, value] of rejected) {
    if (value === null) continue;
    const options = { snapshot, [name]: value } as never;
    await assertRejects(() => sync("https://site.test/", options).next(), Error, `"${name}"`);
  }
  await assertRejects(() => sync("site.test", { snapshot }).next(), TypeError, '"site.test"');
});
