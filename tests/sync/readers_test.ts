/** Readers of a snapshot, consumers of its changes, and what is forgotten or pruned. @module */

import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { collect, type TreeEvent, walk } from "../../mod.ts";
import { DAY, HOUR } from "../../src/data/calendar.ts";
import { openSnapshot, type RecordedChange, type Snapshot, sync } from "../../src/sync/mod.ts";
import { numbered } from "../walk/site.ts";
import {
  at,
  declared,
  DEFAULTS,
  HOME,
  index,
  rated,
  robots,
  ScriptedSite,
  short,
  type Site,
  START_TIME,
} from "./scripted_site.ts";
import { inEachStore, type NewLocation } from "./stores.ts";
import { pageLines, type SyncHistory, withHistory } from "./sync_history.ts";

const test = inEachStore("snapshots are read");

const FIRST = declared({
  "/s.xml": [["/a", "<lastmod>2024-05-01</lastmod>"], "/b"],
  "/t.xml": ["/b", "/c"],
});
const SECOND = declared({
  "/s.xml": [["/a", "<lastmod>2024-06-01</lastmod>"]],
  "/t.xml": ["/c", "/d"],
});

function line({ sequence, type, run, page, previous }: RecordedChange): string {
  const before = previous === undefined ? "" : ` was ${previous.lastModified}`;
  return `${sequence} ${type} ${short(page.url)} in run ${run}${before}`;
}

async function lines(changes: AsyncIterable<RecordedChange>): Promise<string[]> {
  return (await Array.fromAsync(changes)).map(line);
}

/** Changes of both runs; a page is removed after the others have changed. */
const CHANGES = [
  "1 added /a in run 1",
  "2 added /b in run 1",
  "3 added /c in run 1",
  "4 changed /a in run 2 was 2024-05-01",
  "5 added /d in run 2",
  "6 removed /b in run 2",
];

async function withChanges(
  location: NewLocation,
  test: (snapshot: Snapshot, history: SyncHistory) => Promise<void>,
): Promise<void> {
  await withHistory(location, async (history, snapshot) => {
    await history.run(FIRST);
    await history.run(SECOND, {}, DAY);
    await test(snapshot, history);
  });
}

async function syncOther(snapshot: Snapshot, site: Site): Promise<void> {
  const { fetch } = new ScriptedSite(site);
  await Array.fromAsync(sync("https://other.test/", { ...DEFAULTS, snapshot, fetch }));
}

const OTHER: Site = {
  "https://other.test/robots.txt": "Sitemap: https://other.test/s.xml",
  "https://other.test/s.xml": ["https://other.test/a"],
};

test("sites() and runs() have the figures of each run", (location) =>
  withChanges(location, async (snapshot) => {
    await syncOther(snapshot, { "https://other.test/robots.txt": { status: 500 } });
    const sites = await Array.fromAsync(snapshot.sites());
    assertEquals(
      sites.map(({ homepage, pages, lastRun }) => [homepage, pages, lastRun?.id, lastRun?.verdict]),
      [[HOME, 3, 2, "complete"], ["https://other.test/", 0, 3, "blocked"]],
    );
    const blocked = await Array.fromAsync(snapshot.sites({ verdict: "blocked" }));
    assertEquals(blocked.map(({ homepage }) => homepage), ["https://other.test/"]);
    const [, second] = await Array.fromAsync(snapshot.runs(HOME));
    assertEquals(second!.started, new Date(START_TIME + DAY));
    assertEquals(second!.finished, new Date(START_TIME + DAY));
    const { added, changed, removed, unchanged, unconfirmed } = second!;
    assertEquals([added, changed, removed, unchanged, unconfirmed], [1, 1, 1, 1, 0]);
    assertEquals((await Array.fromAsync(snapshot.runs())).length, 3);
    await assertRejects(() => Array.fromAsync(snapshot.runs("https://no.test/")), RangeError);
  }));

test("sitemaps() has the state of each sitemap in document order", (location) =>
  withHistory(location, async (history, snapshot) => {
    const site = {
      "/robots.txt": robots("/i.xml", "/u.xml"),
      "/i.xml": index("/t.xml", ["/s.xml", "2024-05-01"]),
      "/s.xml": { redirect: "/v1/s.xml" },
      "/v1/s.xml": ["/a", "/b"],
      "/t.xml": ["/c"],
      "/u.xml": { status: 500 },
    };
    await history.run(site);
    const sitemaps = await Array.fromAsync(snapshot.sitemaps(HOME));
    assertEquals(
      sitemaps.map(({ url, requestedUrl, type, state, pages }) => [
        short(url),
        requestedUrl && short(requestedUrl),
        type,
        state,
        pages,
      ]),
      [
        ["/robots.txt", undefined, "IndexRobotsTxtSitemap", "listing", 0],
        ["/i.xml", undefined, "IndexXmlSitemap", "listing", 0],
        ["/t.xml", undefined, "PagesXmlSitemap", "listing", 1],
        ["/v1/s.xml", "/s.xml", "PagesXmlSitemap", "listing", 2],
        ["/u.xml", undefined, "InvalidSitemap", "unknown", 0],
      ],
    );
    await assertRejects(() => Array.fromAsync(snapshot.sitemaps("https://no.test/")), RangeError);
  }));

test("pages() has those of a site, of a sitemap, of all sites, or unconfirmed ones", (location) =>
  withHistory(location, async (history, snapshot) => {
    await history.run(FIRST);
    await syncOther(snapshot, OTHER);
    const site = declared({ "/s.xml": ["/a"], "/t.xml": { status: 500 } });
    await history.run({ ...site, "/s.xml": ["/e"] });
    const paths = async (...[site, options]: Parameters<Snapshot["pages"]>) =>
      (await Array.fromAsync(snapshot.pages(site, options))).map(({ page, sitemap }) =>
        `${short(page.url)} in ${short(sitemap)}`
      ).sort();
    // page b is still in the last listing of /t.xml
    const all = ["/a in /s.xml", "/b in /t.xml", "/c in /t.xml", "/e in /s.xml"];
    assertEquals(await paths(HOME), all);
    assertEquals(await paths(HOME, { unconfirmed: true }), ["/a in /s.xml"]);
    assertEquals(await paths(HOME, { unconfirmed: false }), all.slice(1));
    assertEquals(await paths(HOME, { sitemap: at("/t.xml") }), ["/b in /t.xml", "/c in /t.xml"]);
    const other = "https://other.test/a in https://other.test/s.xml";
    assertEquals(await paths(), [...all, other]);
  }));

test("events() is the site as a walk would find it", (location) =>
  withHistory(location, async (history, snapshot) => {
    const site = declared({
      "/i.xml": { "/s.xml": ["/a", rated("/b", 0.1)], "/t.xml": [rated("/b", 0.2), "/c"] },
      "/u.xml": ["/d"],
    });
    await history.run(site);
    const essence = (events: readonly TreeEvent[]) =>
      JSON.parse(JSON.stringify(events.flatMap((event) => {
        if (event.type === "page") return { page: event.page, in: event.sitemap.url };
        if (event.type === "finished") return { verdict: event.verdict };
        const { type, level, index, url } = event.sitemap;
        return { event: event.type, type, level, index, url };
      })));
    const walked = await Array.fromAsync(walk(HOME, history.options() as object));
    const events = await Array.fromAsync(snapshot.events(HOME));
    assertEquals(essence(events), essence(walked));
    const [run] = await Array.fromAsync(snapshot.runs());
    const last = events.at(-1)!;
    assertEquals(last.type === "finished" && last.endedAt, run!.finished!.toISOString());
    const tree = await collect(snapshot.events(HOME));
    assertEquals([...tree.allPages()].length, 5);
  }));

test("readers yield in batches as well", (location) =>
  withHistory(location, async (history, snapshot) => {
    await history.run(declared({ "/s.xml": numbered(2500, (at) => `/${at}`) }));
    for (const stream of [snapshot.pages(HOME), snapshot.changes(), snapshot.events(HOME)]) {
      let count = 0;
      for await (const batch of stream.batches()) {
        assert(batch.length > 0 && batch.length <= 1000);
        count += batch.length;
      }
      assert(count >= 2500);
    }
    for await (const _ of snapshot.pages(HOME)) break;
  }));

// ---------------------------------------------------------------------------------------- changes

test("changes() has the changes in the order of their numbers", (location) =>
  withChanges(location, async (snapshot) => {
    assertEquals(await lines(snapshot.changes()), CHANGES);
    assertEquals(await snapshot.head(), 6);
    for (const after of [0, 2, 5, 6]) {
      assertEquals(await lines(snapshot.changes({ after })), CHANGES.slice(after));
    }
    assertEquals(await lines(snapshot.changes({ site: HOME })), CHANGES);
    const [first] = await Array.fromAsync(snapshot.changes());
    assertEquals(first, {
      sequence: 1,
      type: "added",
      run: 1,
      time: new Date(START_TIME),
      site: HOME,
      sitemap: at("/s.xml"),
      page: { url: at("/a"), lastModified: "2024-05-01" },
    });
  }));

test("changes() since a time compares that of the commit", (location) =>
  withChanges(location, async (snapshot) => {
    const since = (time: number) => lines(snapshot.changes({ since: new Date(time) }));
    assertEquals(await since(START_TIME), CHANGES);
    assertEquals(await since(START_TIME + 1), CHANGES.slice(3));
    assertEquals(await since(START_TIME + DAY), CHANGES.slice(3));
    assertEquals(await since(START_TIME + DAY + 1), []);
  }));

test("a consumer gets what it has not acknowledged, again and again", (location) =>
  withChanges(location, async (snapshot, history) => {
    const consumer = "indexer";
    assertEquals(await lines(snapshot.changes({ consumer })), CHANGES);
    assertEquals(await lines(snapshot.changes({ consumer })), CHANGES);
    await snapshot.ack(consumer, 4);
    assertEquals(await lines(snapshot.changes({ consumer })), CHANGES.slice(4));
    // never back
    await snapshot.ack(consumer, 2);
    assertEquals(await lines(snapshot.changes({ consumer })), CHANGES.slice(4));
    await assertRejects(() => snapshot.ack(consumer, 7), RangeError);
    await snapshot.ack(consumer, await snapshot.head());
    assertEquals(await lines(snapshot.changes({ consumer })), []);
    await history.run(FIRST);
    assertEquals((await lines(snapshot.changes({ consumer }))).length, 3);
    assertEquals((await lines(snapshot.changes({ consumer: "other" }))).length, 9);
  }));

test("a consumer may begin with the present state", (location) =>
  withChanges(location, async (snapshot, history) => {
    const head = await snapshot.head();
    const pages = new Set((await Array.fromAsync(snapshot.pages())).map(({ page }) => page.url));
    await snapshot.ack("late", head);
    await history.run(FIRST);
    for await (const { type, page } of snapshot.changes({ consumer: "late" })) {
      if (type === "removed") assert(pages.delete(page.url));
      else if (type === "added") assert(!pages.has(page.url) && pages.add(page.url));
    }
    const current = (await Array.fromAsync(snapshot.pages())).map(({ page }) => page.url);
    assertEquals([...pages].sort(), current.sort());
  }));

test("the numbers of changes grow over all sites and runs", (location) =>
  withChanges(location, async (snapshot, history) => {
    await syncOther(snapshot, OTHER);
    await history.run(FIRST);
    const changes = await Array.fromAsync(snapshot.changes({ after: 6 }));
    assertEquals(changes.map(({ sequence, site, type }) => [sequence, site, type]), [
      [7, "https://other.test/", "added"],
      [8, HOME, "changed"],
      [9, HOME, "added"],
      [10, HOME, "removed"],
    ]);
    const own = await Array.fromAsync(snapshot.changes({ after: 6, site: "https://other.test" }));
    assertEquals(own.map(({ sequence }) => sequence), [7]);
  }));

test("changes() rejects what it cannot use", (location) =>
  withChanges(location, async (snapshot) => {
    const rejected = [{ after: -1 }, { after: 1, consumer: "a" }, { since: "now" }, {
      consumer: "",
    }];
    for (const options of rejected) {
      const read = async () => await Array.fromAsync(snapshot.changes(options as never));
      await assertRejects(read, Error);
    }
    await assertRejects(
      async () => await Array.fromAsync(snapshot.changes({ site: "https://no.test/" })),
      RangeError,
    );
  }));

// --------------------------------------------------------------------------------- forget and prune

test("forget() of a site records its pages as removed", (location) =>
  withChanges(location, async (snapshot, history) => {
    await syncOther(snapshot, OTHER);
    await snapshot.forget(HOME);
    const sites = await Array.fromAsync(snapshot.sites());
    assertEquals(sites.map(({ homepage }) => homepage), ["https://other.test/"]);
    assertEquals((await Array.fromAsync(snapshot.pages())).length, 1);
    const changes = await Array.fromAsync(snapshot.changes({ after: 7 }));
    assertEquals(
      changes.map(({ type, site, page }) => `${type} ${short(page.url)} of ${site}`).sort(),
      ["/a", "/c", "/d"].map((path) => `removed ${path} of ${HOME}`),
    );
    const runs = await Array.fromAsync(snapshot.runs());
    assertEquals(runs.at(-1)!.verdict, "forgotten");
    await assertRejects(() => Array.fromAsync(snapshot.pages(HOME)), RangeError);
    await assertRejects(() => snapshot.forget(HOME), RangeError);
    await history.checkContent();
    const { finished } = await history.run(SECOND);
    assertEquals(finished.stats.added, 3);
  }));

test("forget() of a sitemap records the pages that only it lists as removed", (location) =>
  withHistory(location, async (history, snapshot) => {
    await history.run(FIRST);
    await snapshot.forget(HOME, { sitemap: at("/s.xml") });
    const content = await history.checkContent();
    assertEquals(pageLines(content), ["/b in /t.xml", "/c in /t.xml"]);
    assertEquals(content.runs.at(-1)!.verdict, "forgotten");
    // it is still declared
    const { finished } = await history.run(FIRST);
    assertEquals(finished.stats.added, 1);
    await assertRejects(() => snapshot.forget(HOME, { sitemap: at("/no.xml") }), RangeError);
  }));

/** Runs `sync()` some time after the run before, without the consumers of a history. */
async function runAfter(history: SyncHistory, site: Site, after: number): Promise<void> {
  history.scripted.site = site;
  history.now += after;
  await Array.fromAsync(await history.sync());
}

test("prune() keeps what is known of sites, and the changes of the last runs", (location) =>
  withHistory(location, async (history, snapshot) => {
    const many = (count: number) => declared({ "/s.xml": numbered(count, (at) => `/${at}`) });
    for (const count of [2, 3, 4, 5]) await runAfter(history, many(count), HOUR);
    await snapshot.prune({ keepRuns: 2 });
    assertEquals(await lines(snapshot.changes()), ["4 added /3 in run 3", "5 added /4 in run 4"]);
    assertEquals((await Array.fromAsync(snapshot.pages(HOME))).length, 5);
    assertEquals((await Array.fromAsync(snapshot.runs(HOME))).map(({ id }) => id), [3, 4]);
    await assertRejects(() => lines(snapshot.changes({ after: 1 })), RangeError);
    assertEquals((await lines(snapshot.changes({ after: 3 }))).length, 2);
    // pages whose added is not kept can change and be removed
    await runAfter(history, many(1), HOUR);
    const after = await lines(snapshot.changes({ after: 5 }));
    assertEquals(after.length, 4);
    assert(after.every((line) => line.includes("removed")));
  }));

test("prune() keeps the changes of a time", (location) =>
  withHistory(location, async (history, snapshot) => {
    await runAfter(history, FIRST, 0);
    await runAfter(history, SECOND, DAY);
    await snapshot.prune({ keepChanges: DAY });
    assertEquals(await lines(snapshot.changes()), CHANGES);
    await snapshot.prune({ keepChanges: DAY - 1 });
    assertEquals(await lines(snapshot.changes()), CHANGES.slice(3));
    assertEquals((await Array.fromAsync(snapshot.pages())).length, 3);
    history.now += DAY;
    await snapshot.prune({ keepChanges: HOUR });
    assertEquals(await lines(snapshot.changes()), []);
    assertEquals(await snapshot.head(), 6);
  }));

test("prune() keeps what a consumer has not acknowledged", (location) =>
  withHistory(location, async (history, snapshot) => {
    const consumer = "indexer";
    await runAfter(history, FIRST, 0);
    await runAfter(history, SECOND, DAY);
    await snapshot.ack(consumer, 2);
    history.now += 30 * DAY;
    await snapshot.prune({ keepChanges: DAY });
    assertEquals(await lines(snapshot.changes({ consumer })), CHANGES.slice(2));
    await snapshot.ack(consumer, 6);
    await snapshot.prune({ keepChanges: DAY });
    assertEquals(await lines(snapshot.changes({ consumer })), []);
    // a new one begins at the oldest change that is kept
    assertEquals(await lines(snapshot.changes({ consumer: "other" })), []);
    await assertRejects(() => lines(snapshot.changes({ after: 0 })), RangeError);
    await assertRejects(() => snapshot.prune({}), TypeError);
  }));

test("a snapshot is read while another one writes to it", (location) =>
  withHistory(location, async (history) => {
    await history.run(FIRST);
    await using reader = await openSnapshot(history.path, { readOnly: true });
    assertEquals((await Array.fromAsync(reader.pages(HOME))).length, 3);
    await history.run(SECOND);
    assertEquals(await lines(reader.changes()), CHANGES);
    await reader.ack("a", 1);
    assertEquals(await lines(reader.changes({ consumer: "a" })), CHANGES.slice(1));
    await assertRejects(() => reader.forget(HOME), Error);
    const { fetch } = history.scripted;
    const run = sync(HOME, { ...DEFAULTS, fetch, snapshot: reader });
    await assertRejects(() => run.next(), Error);
  }));

/** Texts that no homepage and no name is, and which databases take differently. */
const UNSTORABLE = ["a\0b", "\0", "\ud800", "a\udc00b"];

test("a text that a database cannot store is refused by every reader", async (location) => {
  await withChanges(location, async (snapshot) => {
    for (const text of UNSTORABLE) {
      for (
        const read of [
          () => snapshot.runs(text),
          () => snapshot.sitemaps(text),
          () => snapshot.pages(text),
          () => snapshot.events(text),
          () => snapshot.changes({ site: text }),
        ]
      ) await assertRejects(() => Array.fromAsync<unknown>(read()), RangeError, "Unknown site");
      await assertRejects(() => snapshot.forget(text), RangeError, "Unknown site");
      const message = `Cannot use option "consumer": ${JSON.stringify(text)} is not a name`;
      assertThrows(() => snapshot.changes({ consumer: text }), TypeError, message);
      await assertRejects(() => snapshot.ack(text, 1), TypeError, message);
    }
    assertEquals(await lines(snapshot.changes()), CHANGES);
  });
});

test("changes after the last one are an error: the snapshot may be an older copy", async (location) => {
  await withChanges(location, async (snapshot) => {
    const head = await snapshot.head();
    assertEquals(await lines(snapshot.changes({ after: head })), []);
    for (const after of [head + 1, 2 ** 60, 1e300, Infinity]) {
      await assertRejects(
        () => lines(snapshot.changes({ after })),
        RangeError,
        `the last one is ${head}`,
      );
    }
  });
});

test("a number that a database cannot store is the nearest that it can", async (location) => {
  await withChanges(location, async (snapshot) => {
    for (
      const keep of [{ keepChanges: 1e300 }, { keepChanges: Infinity }, { keepRuns: Infinity }]
    ) {
      await snapshot.prune(keep);
    }
    await snapshot.prune({ keepChanges: 100 * DAY + 0.5 });
    assertEquals(await lines(snapshot.changes()), CHANGES);
  });
});
