/** Sitemaps that are larger than what is compared at once, in any order. @module */

import { assertEquals } from "@std/assert";
import { HOUR, MINUTE } from "../../src/data/calendar.ts";
import { inFolder } from "../support/in_folder.ts";
import { Random } from "../support/random.ts";
import { at, declared, type Entry, type Site, urlset } from "./scripted_site.ts";
import type { SnapshotContent } from "./snapshot_content.ts";
import { SyncHistory } from "./sync_history.ts";

const SITEMAPS = ["/s.xml", "/t.xml", "/u.xml"] as const;
const SIZE = 2400;
const RUNS = 6;

/** Versions of pages by path, in the order of a sitemap. */
type Pages = Map<string, number>;

/** Returns a first version: each sitemap shares a third of its pages with the one before it. */
function firstSite(size = SIZE): Pages[] {
  return SITEMAPS.map((_, sitemap) =>
    new Map(Array.from({ length: size }, (_, page) => [`/${sitemap * size * 2 / 3 + page}`, 0]))
  );
}

/** Changes, drops, adds and moves some pages. */
function edited(sitemaps: readonly Pages[], run: number, random: Random): Pages[] {
  const edits = sitemaps.map((pages) => new Map(pages));
  for (const [number, pages] of edits.entries()) {
    for (const path of [...pages.keys()]) {
      const chance = random.below(100);
      if (chance === 0) pages.delete(path);
      else if (chance === 1) pages.set(path, 1 + random.below(9));
      else if (chance === 2) {
        pages.delete(path);
        edits[random.below(edits.length)]!.set(path, random.below(2));
      }
    }
    for (let count = random.below(700); count > 0; count--) {
      pages.set(`/${run}/${number}/${count}`, 0);
    }
  }
  return edits.map((pages) => run % 3 === 0 ? pages : shuffled(pages, run, random));
}

/** Returns all pages with one version. */
function restyled(pages: Pages, version: number): Pages {
  return new Map([...pages.keys()].map((path) => [path, version]));
}

/** Returns pages in reverse, in blocks or in any order. */
function shuffled(pages: Pages, run: number, random: Random): Pages {
  const entries = [...pages];
  if (run % 3 === 1) return new Map(entries.reverse());
  const keyed = entries.map((entry) => [random.fraction(), entry] as const);
  return new Map(keyed.sort(([one], [other]) => one - other).map(([, entry]) => entry));
}

/** Returns a site; one of its sitemaps may break off at a fraction of its body. */
function siteOf(
  sitemaps: readonly Pages[],
  broken?: { readonly path: string; readonly cut: number },
): Site {
  const entry = ([path, version]: [string, number]): Entry =>
    version === 0 ? path : [path, `<priority>0.${version}</priority>`];
  return declared(Object.fromEntries(
    SITEMAPS.map((path, number) => {
      const body = urlset(...[...sitemaps[number]!].map(entry));
      return [path, path === broken?.path ? { body, cut: broken.cut } : body];
    }),
  ));
}

/** Returns the priorities of pages by URL; one that got or lost the default priority is unchanged. */
function prioritiesOf({ pages }: SnapshotContent): Map<string, number> {
  return new Map(pages.map(({ page }) => [page.url, page.priority ?? 0.5]));
}

function expectedPriorities(pages: Pages): Map<string, number> {
  return new Map(
    [...pages].map(([path, version]) => [at(path), version === 0 ? 0.5 : version / 10] as const),
  );
}

/** Returns the versions of all pages; the first sitemap counts. */
function merged(sitemaps: readonly Pages[]): Pages {
  return new Map(sitemaps.toReversed().flatMap((pages) => [...pages]));
}

/** Returns what distinguishes two versions of a site, by URL. */
function difference(before: Pages, after: Pages): Record<string, string> {
  const changes: [string, string][] = [];
  const shown = (version: number | undefined) => version === 5 ? 0 : version;
  for (const [path, version] of after) {
    const known = before.get(path);
    if (known === undefined) changes.push([at(path), "added"]);
    else if (shown(known) !== shown(version)) changes.push([at(path), "changed"]);
  }
  for (const path of before.keys()) if (!after.has(path)) changes.push([at(path), "removed"]);
  return Object.fromEntries(changes);
}

Deno.test(`sync() finds every change among ${SIZE * SITEMAPS.length} pages in any order`, () =>
  inFolder(async (folder) => {
    const random = new Random(18);
    await using history = new SyncHistory({ path: `${folder}/site.db` });
    let sitemaps = firstSite();
    let before: Pages = new Map();
    for (let run = 0; run < RUNS; run++) {
      if (run > 0) sitemaps = edited(sitemaps, run, random);
      const after = merged(sitemaps);
      const { events, content } = await history.run(siteOf(sitemaps));
      const changes = events.flatMap((event) =>
        event.type === "added" || event.type === "changed" || event.type === "removed"
          ? [[event.page.url, event.type]]
          : []
      );
      assertEquals(Object.fromEntries(changes), difference(before, after), `run ${run + 1}`);
      assertEquals(changes.length, new Set(changes.map(([url]) => url)).size);
      assertEquals(prioritiesOf(content), expectedPriorities(after), `pages after run ${run + 1}`);
      before = after;
    }
  }));

Deno.test("sync() loses no page of large sitemaps that are truncated, or left while they are read", () =>
  inFolder(async (folder) => {
    const random = new Random(81);
    await using history = new SyncHistory({ path: `${folder}/site.db` });
    let sitemaps = firstSite(1200);
    let { pages } = (await history.run(siteOf(sitemaps))).content;
    for (let run = 1; run < 6; run++) {
      sitemaps = edited(sitemaps, run, random);
      // sometimes, so many change that they are not written at once
      if (run % 3 === 2) sitemaps = sitemaps.map((pages) => restyled(pages, run));
      const path = SITEMAPS[random.below(SITEMAPS.length)]!;
      const site = siteOf(sitemaps, { path, cut: 0.2 + 0.7 * random.fraction() });
      let left = 1 + random.below(1500);
      await history.interrupt(site, () => --left === 0, {}, 10 * MINUTE);
      const { content } = await history.run(site, {}, run % 2 === 0 ? MINUTE : 10 * MINUTE);
      const current = new Set(content.pages.map(({ page }) => page.url));
      const present = new Set([...merged(sitemaps).keys()].map(at));
      const lost = pages.filter(({ page }) => present.has(page.url) && !current.has(page.url));
      assertEquals(lost, [], `pages that are on the site after run ${run + 1}`);
      ({ pages } = content);
    }
    let content: SnapshotContent | undefined;
    for (let run = 0; run < 3; run++) {
      ({ content } = await history.run(siteOf(sitemaps), {}, 2 * HOUR));
    }
    assertEquals(prioritiesOf(content!), expectedPriorities(merged(sitemaps)));
  }));
