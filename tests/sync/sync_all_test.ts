/** Many sites side by side: how many at a time, which are walked again, and their events. @module */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { openSnapshot, type SiteEvent, syncAll, type SyncAllOptions } from "../../src/sync/mod.ts";
import { DEFAULTS, ScriptedSite, type Site, urlset } from "./scripted_site.ts";

const HOSTS = ["a", "b", "c", "d", "e"].map((name) => `https://${name}.test/`);

function sites(more: Site = {}): Site {
  return {
    ...Object.fromEntries(HOSTS.flatMap((home) => [
      [`${home}robots.txt`, `Sitemap: ${home}s.xml`],
      [`${home}s.xml`, urlset(`${home}1`, `${home}2`)],
    ])),
    ...more,
  };
}

/** Synchronises sites; returns the events, and how many requests were under way at most. */
async function runAll(
  homepages: readonly string[],
  scripted: ScriptedSite,
  options: Partial<SyncAllOptions> = {},
): Promise<{ readonly events: readonly SiteEvent[]; readonly most: Record<string, number> }> {
  await using snapshot = await openSnapshot(":memory:");
  const underWay = new Map<string, number>();
  const most: Record<string, number> = {};
  const add = (name: string, change: number) => {
    const count = (underWay.get(name) ?? 0) + change;
    underWay.set(name, count);
    most[name] = Math.max(most[name] ?? 0, count);
  };
  const fetch: SyncAllOptions["fetch"] = async (url, init) => {
    const names = ["all", new URL(url).host];
    for (const name of names) add(name, 1);
    try {
      // long enough for others to begin
      await new Promise((resolve) => setTimeout(resolve, 5));
      return await scripted.fetch(url, init);
    } finally {
      for (const name of names) add(name, -1);
    }
  };
  const settings = { ...DEFAULTS, concurrency: 1, snapshot, fetch, ...options };
  return { events: await Array.fromAsync(syncAll(homepages, settings)), most };
}

function verdicts(events: readonly SiteEvent[]): string[] {
  return events.flatMap((event) =>
    event.type === "finished" ? `${event.site} ${event.verdict}${event.passing ? " ?" : ""}` : []
  );
}

Deno.test("syncAll() walks as many sites as there are slots, one at a time of each host", async () => {
  const [first] = HOSTS;
  const { events, most } = await runAll([...HOSTS, first!, first!], new ScriptedSite(sites()), {
    slots: 3,
  });
  assertEquals(
    verdicts(events).sort(),
    [...HOSTS, first, first].map((home) => `${home} complete`).sort(),
  );
  assertEquals(most["all"], 3);
  assertEquals(most["a.test"], 1);
  const added = events.filter(({ type }) => type === "added");
  assertEquals(added.length, 2 * HOSTS.length, "another run of a site has nothing new");
});

Deno.test("syncAll() names the site of each event, and asks for its options", async () => {
  const scripted = new ScriptedSite(sites());
  const asked: string[] = [];
  const { events } = await runAll(["https://user:secret@a.test/x", HOSTS[1]!], scripted, {
    optionsOf: (site) => {
      asked.push(site.host);
      return site.host === "b.test" ? { userAgent: "other" } : {};
    },
  });
  for (const event of events) {
    if (event.type === "added") assert(event.page.url.startsWith(event.site), event.site);
    else assert(HOSTS.includes(event.site), event.site);
  }
  assertEquals(asked.sort(), ["a.test", "b.test"]);
  const agents = new Map(
    scripted.take().map(({ path, headers }) => [new URL(path).host, headers.get("user-agent")]),
  );
  assertEquals(agents.get("b.test"), "other");
  assert(agents.get("a.test") !== "other");
});

Deno.test("syncAll() walks a site again at the end if it failed for a reason that may pass", async () => {
  const broken = { status: 503 }, gone = { status: 404 };
  const scripted = new ScriptedSite(
    sites({ "https://b.test/s.xml": broken, "https://c.test/s.xml": gone }),
  );
  const { events } = await runAll(HOSTS, scripted, {
    slots: 1,
    optionsOf: (site) => {
      // it is well when the others are done
      if (site.host === "e.test") scripted.site = sites({ "https://c.test/s.xml": gone });
      return {};
    },
  });
  assertEquals(verdicts(events), [
    "https://a.test/ complete",
    "https://b.test/ blocked ?",
    "https://c.test/ partial",
    "https://d.test/ complete",
    "https://e.test/ complete",
    "https://b.test/ complete",
  ]);
});

Deno.test("syncAll() rejects what it cannot use", async () => {
  const scripted = new ScriptedSite(sites());
  await assertRejects(() => runAll(["nowhere"], scripted), TypeError, "nowhere");
  await assertRejects(() => runAll(HOSTS, scripted, { slots: 0 }), RangeError, "slots");
  const failure = new Error("no options");
  const optionsOf = () => Promise.reject(failure);
  assertEquals(await runAll(HOSTS, scripted, { optionsOf }).catch((error) => error), failure);
});
