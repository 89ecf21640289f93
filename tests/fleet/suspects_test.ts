import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Fleet, WorkEvent } from "../../src/fleet/mod.ts";
import { claimSites } from "../../src/fleet/queue.ts";
import { Postgres } from "../../src/sync/postgres.ts";
import { ScriptedFetch, silence } from "../http/scripted_fetch.ts";
import { siteOf } from "./documents.ts";
import {
  checkRun,
  startWorker,
  type TestDatabase,
  testFleets,
  until,
  verdictsOf,
} from "./with_fleets.ts";

const HOME = "http://a.test/";
const NONE = { status: 404 };

/** Claims so many sites as a worker does that is killed then, and whose leases have ended. */
async function crash({ url, query }: TestDatabase, count = 1): Promise<string[]> {
  const server = await Postgres.open(url, { connections: 1 });
  try {
    const [run] = await query("select key from sitetree.fleet_run");
    const terms = { worker: "killed", perHost: 1, leaseSeconds: 60, mayBeSuspect: true };
    const { claims } = await claimSites(server, run!.key, count, terms);
    await endLeases({ query });
    return claims.map(({ site }) => site.homepage);
  } finally {
    await server.close();
  }
}

/** Ends all leases, as time does, and returns their sites to the queue. */
async function endLeases({ query }: Pick<TestDatabase, "query">): Promise<void> {
  await query("update sitetree.lease set until = clock_timestamp() - interval '1 s'");
  await query("select sitetree.recover()");
}

async function crashesOf({ query }: TestDatabase): Promise<number[]> {
  const rows = await query("select crashes from sitetree.fleet_site order by site");
  return rows.map(({ crashes }) => crashes);
}

/** A walk that reads a sitemap, and whose worker is killed then. */
async function crashWithProgress(database: TestDatabase): Promise<void> {
  const hanging = siteOf(HOME, { s: ["1"], t: [] });
  const { fetch } = new ScriptedFetch({ ...hanging, [`${HOME}t`]: silence() });
  const fleet = await database.open({ leaseSeconds: 600, walk: { fetch, concurrency: 1 } });
  const stop = startWorker(fleet);
  const pages = async () => await Array.fromAsync(fleet.snapshot.pages(HOME));
  await until(async () => (await pages()).length > 0);
  await endLeases(database);
  // what it does afterwards changes nothing
  const before = await crashesOf(database);
  await stop();
  assertEquals(await crashesOf(database), before);
}

/** What happens to a site, and how the next walk of it ends. */
interface History {
  /** Walks whose worker was killed, some of them after they had read a sitemap. */
  readonly walks: readonly ("crash" | "progress")[];
  readonly crashes: number;
  readonly verdict: "none" | "failed";
}

const CRASHES = (count: number) => new Array<"crash">(count).fill("crash");

const HISTORIES: Readonly<Record<string, History>> = {
  "is walked after four workers were stopped": {
    walks: CRASHES(4),
    crashes: 4,
    verdict: "none",
  },
  "is given up after five workers were stopped": {
    walks: CRASHES(5),
    crashes: 5,
    verdict: "failed",
  },
  "is counted anew after progress": {
    walks: [...CRASHES(4), "progress", ...CRASHES(3)],
    crashes: 4,
    verdict: "none",
  },
  "is given up after progress and five workers": {
    walks: [...CRASHES(2), "progress", ...CRASHES(4)],
    crashes: 5,
    verdict: "failed",
  },
};

testFleets(
  "a suspect",
  Object.fromEntries(
    Object.entries(HISTORIES).map(([name, { walks, crashes, verdict }]) => [
      name,
      async (database: TestDatabase) => {
        const events: WorkEvent[] = [];
        const fleet: Fleet = await database.open({
          onEvent: (event) => void events.push(event),
          walk: { fetch: () => Promise.resolve(new Response(null, NONE)) },
        });
        await fleet.enqueue("run", [HOME]);
        for (const walk of walks) {
          if (walk === "progress") await crashWithProgress(database);
          else assertEquals(await crash(database), [HOME]);
        }
        assertEquals(await crashesOf(database), [crashes]);
        await checkRun(database, { isSettled: false });
        await fleet.work({ drain: true });
        const ends = events.filter(({ type }) => type === "walked");
        assertEquals(ends.map((event) => event.type === "walked" && event.verdict), [verdict]);
        assertEquals(await verdictsOf(fleet), { [HOME]: verdict });
        assertEquals(await crashesOf(database), [0]);
        await checkRun(database);
        if (verdict !== "failed") return;
        const [site] = await Array.fromAsync(fleet.sites("run", { verdict: "failed" }));
        assertEquals(site!.code, "stopped");
        assertMatch(site!.reason!, /stopped 5 times without progress/);
        assertEquals(ends, [{
          type: "walked",
          site: HOME,
          verdict: "failed",
          code: "stopped",
          reason: site!.reason!,
          pages: 0,
          bytes: 0,
          isGivenUp: true,
        }]);
      },
    ]),
  ),
);

const home = (host: string) => `http://${host}/`;

testFleets("sites whose worker was killed", {
  "are walked one at a time, while others go on": async (database) => {
    const suspects = ["a.test", "b.test", "c.test"];
    const others = ["d.test", "e.test", "f.test", "g.test"];
    const open = new Set<string>(), ended = new Set<string>();
    const together: string[][] = [];
    const fleet = await database.open({
      walk: {
        fetch: async (url) => {
          const { hostname } = new URL(url);
          open.add(hostname);
          together.push([...open].filter((host) => suspects.includes(host)));
          // the first suspect lasts as long as the walks of all others
          if (suspects.includes(hostname)) {
            await until(() => others.every((host) => ended.has(host)));
          }
          open.delete(hostname);
          ended.add(hostname);
          return new Response(null, NONE);
        },
      },
    });
    await fleet.enqueue("run", suspects.map(home));
    assertEquals((await crash(database, 3)).sort(), suspects.map(home));
    assertEquals(await crashesOf(database), [1, 1, 1]);
    await fleet.enqueue("run", others.map(home));
    await fleet.work({ drain: true });
    assert(together.every((hosts) => hosts.length <= 1), JSON.stringify(together));
    const verdicts = [...suspects, ...others].map((host) => [home(host), "none"]);
    assertEquals(await verdictsOf(fleet), Object.fromEntries(verdicts));
    await checkRun(database);
  },
});
