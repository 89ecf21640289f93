/** Runs that were interrupted, and what the next run makes of them. @module */

import { assert, assertEquals } from "@std/assert";
import { DAY, HOUR, MINUTE } from "../../src/data/calendar.ts";
import type { SyncEvent } from "../../src/sync/mod.ts";
import { type Content, declared, rated, short, type Site, urlset } from "./scripted_site.ts";
import { inEachStore } from "./stores.ts";
import { outline, pageLines, withHistory } from "./sync_history.ts";

const test = inEachStore("sync() is interrupted");

/** Whether a sitemap was left, to be used as the last event of a run. */
function isLeft(path: string): (event: SyncEvent) => boolean {
  return (event) => event.type === "sitemap-left" && short(event.sitemap.url) === path;
}

function two(a: Content, b: Content): Site {
  return declared({ "/a.xml": a, "/b.xml": b });
}

const START = two(["/1", "/2"], ["/3", "/4"]);

/** Outline without sitemaps that are unchanged. */
function changes(events: readonly SyncEvent[]): string[] {
  return outline(events).filter((line) => !line.startsWith("unchanged"));
}

test("sync() begins a new run after one that was interrupted", (location) =>
  withHistory(location, async (history) => {
    await history.interrupt(START, isLeft("/a.xml"));
    const before = await history.content();
    assertEquals(before.runs.map(({ isFinished }) => isFinished), [false]);
    await history.run(START, { dryRun: true }, 0);
    assertEquals(await history.content(), before, "a dry run changes nothing");
    const { finished, content } = await history.run(START, {}, 0);
    assertEquals(content.runs.map(({ isFinished }) => isFinished), [false, true]);
    assertEquals(content.pages.length, 4);
    assertEquals(finished.stats.added, 4 - before.pages.length);
  }));

for (const [name, after] of [["at once", 0], ["ten minutes later", 10 * MINUTE]] as const) {
  test(`sync() after an interruption, ${name}, removes no page that moved meanwhile`, (location) =>
    withHistory(location, async (history) => {
      await history.run(START);
      const site = two(["/0", "/1", "/2"], ["/3", "/4"]);
      await history.interrupt(site, isLeft("/a.xml"));
      // to the sitemap that was read before the interruption
      const moved = two(["/0", "/1", "/2", "/3"], ["/4"]);
      const { events } = await history.run(moved, {}, after);
      assertEquals(changes(events).filter((line) => /^(?:added \/3|removed)/.test(line)), []);
      const { events: last } = await history.run(moved);
      assertEquals(changes(last), ["complete =5"]);
      const pages = ["/0", "/1", "/2", "/3"].map((path) => `${path} in /a.xml`);
      assertEquals(pageLines(await history.content()), [...pages, "/4 in /b.xml"]);
    }));

  test(`sync() after an interruption, ${name}, removes what was added in vain`, (location) =>
    withHistory(location, async (history) => {
      await history.run(START);
      await history.interrupt(two(["/1", "/2", "/x"], ["/3", "/4"]), isLeft("/a.xml"));
      assert(pageLines(await history.content()).includes("/x in /a.xml"));
      await history.run(START, {}, after);
      // the consumer of the history saw it come and go
      const { content } = await history.run(START);
      assertEquals(content.pages.length, 4);
      const types = content.changes.filter(({ page }) => short(page.url) === "/x")
        .map(({ type }) => type);
      assertEquals(types, ["added", "removed"]);
    }));
}

test("sync() asks again for what it had read, with its validators", (location) =>
  withHistory(location, async (history) => {
    const site = two({ body: urlset("/1"), etag: '"a"' }, { body: urlset("/2"), etag: '"b"' });
    await history.interrupt(site, isLeft("/a.xml"));
    const { requests } = await history.run(site, {}, 5 * MINUTE);
    const asked = requests.filter(({ path }) => path.endsWith(".xml"))
      .map(({ path, status, headers }) => `${path} ${status} ${headers.get("if-none-match")}`);
    assertEquals(asked, ['/a.xml 304 "a"', "/b.xml 200 null"]);
  }));

test("sync() judges what an interrupted run has committed", (location) =>
  withHistory(location, async (history) => {
    await history.run(START);
    const site = two(["/1", "/5"], ["/3", "/4"]);
    await history.interrupt(site, isLeft("/a.xml"));
    const { events, content } = await history.run(site, {}, DAY);
    assertEquals(changes(events).at(-1), "complete -1 =4");
    const [, interrupted] = content.runs;
    assertEquals(interrupted!.isFinished, false);
    assertEquals(
      content.changes.filter(({ run }) => run === interrupted!.id).map(({ type, page }) =>
        `${type} ${short(page.url)}`
      ),
      ["added /5"],
    );
  }));

test("sync() that is interrupted after any event loses nothing", (location) =>
  withHistory(location, async (history) => {
    const sites = [
      START,
      two(["/1", rated("/2", 0.1)], ["/3", "/5", "/2"]),
      two(["/5", "/2"], ["/4", "/6", "/1"]),
    ];
    await history.run(START);
    let isInterrupted = true;
    for (let count = 1; isInterrupted; count++) {
      const site = sites[count % sites.length]!;
      let left = count;
      const events = await history.interrupt(site, () => --left === 0);
      isInterrupted = events.at(-1)?.type !== "finished";
      if (isInterrupted) await history.run(site, {}, count % 2 === 0 ? MINUTE : 2 * HOUR);
      const { content } = await history.run(site);
      const expected = new Set(JSON.stringify(site).match(/(?<=")\/\d(?=")/g));
      assertEquals(new Set(content.pages.map(({ page }) => short(page.url))), expected);
    }
  }));
