import { assert, assertEquals, assertMatch } from "@std/assert";
import type { WorkEvent } from "../../src/fleet/mod.ts";
import { claimSites, type ClaimTerms } from "../../src/fleet/queue.ts";
import { openSnapshot, sync } from "../../src/sync/mod.ts";
import { Postgres } from "../../src/sync/postgres.ts";
import { type Answer, ScriptedFetch, silence } from "../http/scripted_fetch.ts";
import { index, robots, siteOf, urlset } from "./documents.ts";
import {
  checkRun,
  delay,
  pagesOf,
  startWorker,
  type TestDatabase,
  testFleets,
  until,
  verdictsOf,
  WALK,
  walkAll,
  within,
} from "./with_fleets.ts";

const HOME = "http://a.test/";

/** Ends the leases of a run, as time does. */
const EXPIRE = "update sitetree.lease set until = clock_timestamp() - interval '1 s'";

/** Responds when it is let go, even if its request is aborted, as a process that was stopped. */
class Gate {
  readonly #opened = Promise.withResolvers<void>();
  readonly #asked = Promise.withResolvers<AbortSignal>();

  /** Resolves to the signal of the request when there is one. */
  readonly asked: Promise<AbortSignal> = this.#asked.promise;

  answer(answer: Answer): Answer {
    return async (url, init) => {
      this.#asked.resolve(init.signal!);
      await this.#opened.promise;
      return await answer(url, init);
    };
  }

  open(): void {
    this.#opened.resolve();
  }
}

/** Returns the sites whose leases were lost, with the reasons. */
function lostLeases(events: readonly WorkEvent[]): (readonly [site: string, reason: string])[] {
  return events.flatMap((event) =>
    event.type === "lease-lost" ? [[event.site, event.reason] as const] : []
  );
}

/** A site of two pages, whose responses at one path wait. */
function siteBehind(gate: Gate, path: string, page: string): ScriptedFetch {
  const script: Record<string, Answer> = {
    ...siteOf(HOME, { s: [page], t: [`${page}/t`] }),
    [`${HOME}robots.txt`]: robots(`${HOME}i`),
    [`${HOME}i`]: index(`${HOME}s`, `${HOME}t`),
  };
  return new ScriptedFetch({ ...script, [HOME + path]: gate.answer(script[HOME + path]!) });
}

/** Paths at which a worker is stopped, by what it writes when it wakes up. */
const LATE: Readonly<Record<string, string>> = {
  "in the middle of a walk": "s",
  "before its first page": "i",
  "at the end, without any page": "robots.txt",
};

/** Claims sites as a worker does that is stopped then. */
async function withClaims(
  { url }: TestDatabase,
  body: (claim: (terms?: Partial<ClaimTerms>) => Promise<string[]>) => Promise<void>,
): Promise<void> {
  const server = await Postgres.open(url, { connections: 2 });
  const defaults = { worker: "w", perHost: 1, leaseSeconds: 60, mayBeSuspect: true };
  try {
    const { rows: [row] } = await server.query("select key from sitetree.fleet_run");
    await body(async (terms) => {
      const { claims } = await claimSites(server, row!.key, 10, { ...defaults, ...terms });
      return claims.map(({ site }) => site.homepage);
    });
  } finally {
    await server.close();
  }
}

testFleets("a lease", {
  "of a site that is synchronised without a claim is handed back": async (database) => {
    const gate = new Gate(), opened = new Gate();
    opened.open();
    const events: WorkEvent[] = [];
    const fleet = await database.open({
      onEvent: (event) => events.push(event),
      walk: { fetch: siteBehind(gate, "s", "late").fetch, concurrency: 1 },
    });
    await fleet.enqueue("run", [HOME]);
    const stop = startWorker(fleet);
    await gate.asked;
    await using snapshot = await openSnapshot(database.url);
    const { fetch } = siteBehind(opened, "s", "new");
    await Array.fromAsync(sync(HOME, { snapshot, fetch, ...WALK }));
    gate.open();
    await until(() => lostLeases(events).length > 0);
    await stop();
    const [row] = await database.query(
      `select crashes, due between clock_timestamp() and clock_timestamp() + interval '1 min' as later,
         (select count(*)::int from sitetree.lease) as leases from sitetree.fleet_site`,
    );
    assertEquals(row, { crashes: 0, later: true, leases: 0 });
    const pages = await Array.fromAsync(snapshot.pages(HOME));
    assertEquals(pages.map(({ page }) => page.url), [`${HOME}new`, `${HOME}new/t`]);
  },
  ...Object.fromEntries(
    Object.entries(LATE).map(([when, path]) => [
      `that has passed to another worker keeps the first from writing, ${when}`,
      async (database: TestDatabase) => {
        const gate = new Gate();
        const isNone = path === "robots.txt";
        const script = isNone
          ? new ScriptedFetch({ [`${HOME}robots.txt`]: gate.answer(robots()) })
          : siteBehind(gate, path, "late");
        const events: WorkEvent[] = [];
        const first = await database.open({
          leaseSeconds: 600,
          onEvent: (event) => events.push(event),
          walk: { fetch: script.fetch, concurrency: 1 },
        });
        const opened = new Gate();
        opened.open();
        const second = await database.open({
          walk: { fetch: siteBehind(opened, "s", "new").fetch },
        });
        await first.enqueue("run", [HOME]);
        const stop = startWorker(first);
        await gate.asked;
        await database.query(EXPIRE);
        await second.work({ drain: true });
        const tables = async () =>
          await database.query(
            `select (select json_agg(r) from sitetree.stored_run r) as runs,
               (select json_agg(p) from sitetree.stored_page p) as pages,
               (select json_agg(f) from sitetree.fleet_site f) as sites,
               (select json_agg(s) from sitetree.stored_sitemap s) as sitemaps`,
          );
        const before = await tables();
        gate.open();
        await until(() => lostLeases(events).length > 0);
        assertEquals(await tables(), before);
        assertEquals(lostLeases(events), [[HOME, "another run of the site has begun"]]);
        await stop();
        assertEquals(await verdictsOf(first), { [HOME]: "complete" });
        assertEquals((await pagesOf(first)).length, 2);
        await checkRun(database);
      },
    ]),
  ),

  "that has ended passes to the same worker when its walk has ended too": async (database) => {
    const gate = new Gate();
    const events: WorkEvent[] = [];
    const fleet = await database.open({
      leaseSeconds: 600,
      onEvent: (event) => events.push(event),
      walk: { fetch: siteBehind(gate, "s", "page").fetch, concurrency: 1 },
    });
    await fleet.enqueue("run", [HOME]);
    const working = fleet.work({ drain: true });
    await gate.asked;
    const fence = async () => (await database.query("select fence from sitetree.stored_site"))[0]!;
    const before = await fence();
    await database.query(EXPIRE);
    await until(async () => (await fence()).fence !== before.fence);
    gate.open();
    await working;
    assertEquals(await verdictsOf(fleet), { [HOME]: "complete" });
    assertEquals((await pagesOf(fleet)).length, 2);
    assertEquals(lostLeases(events)[0], [HOME, "another run of the site has begun"]);
  },

  "that is lost ends the walk, which is repeated": async (database) => {
    const events: WorkEvent[] = [];
    let signal: AbortSignal | undefined;
    const fetch = new ScriptedFetch({
      ...siteOf(HOME, { s: ["page"] }),
      [`${HOME}s`]: [
        (url, init) => {
          signal = init.signal!;
          return silence()(url, init);
        },
        urlset(`${HOME}page`),
      ],
    }).fetch;
    const fleet = await database.open({
      leaseSeconds: 8,
      onEvent: (event) => events.push(event),
      walk: { fetch },
    });
    await fleet.enqueue("run", [HOME]);
    const working = fleet.work({ drain: true });
    await until(() => signal !== undefined);
    await database.query("delete from sitetree.lease");
    await working;
    assertEquals(signal!.aborted, true);
    assertEquals(lostLeases(events), [[HOME, "the lease was lost"]]);
    assertEquals(await pagesOf(fleet), [`${HOME}s ${HOME}page`]);
    await checkRun(database);
  },

  "is extended for as long as the walk lasts": async (database) => {
    const gate = new Gate();
    const script = siteBehind(gate, "s", "page");
    const fleet = await database.open({ leaseSeconds: 3, walk: { fetch: script.fetch } });
    const other = await database.open({ leaseSeconds: 3, walk: { fetch: script.fetch } });
    await fleet.enqueue("run", [HOME]);
    const working = fleet.work({ drain: true });
    await gate.asked;
    const waiting = other.work({ drain: true });
    const start = performance.now();
    await until(() => performance.now() - start > 6000);
    await checkRun(database, { isSettled: false });
    gate.open();
    await Promise.all([working, waiting]);
    assertEquals(script.counts[`${HOME}robots.txt`], 1, "one walk");
    const [site] = await database.query("select crashes from sitetree.fleet_site");
    assertEquals(site!.crashes, 0);
  },

  "of a worker that ends is handed back at once": async (database) => {
    const gate = new Gate();
    const script = siteBehind(gate, "s", "page");
    const first = await database.open({ leaseSeconds: 600, walk: { fetch: script.fetch } });
    await first.enqueue("run", [HOME]);
    const stop = new AbortController();
    const working = first.work({ signal: stop.signal });
    const signal = await gate.asked;
    stop.abort();
    gate.open();
    await working;
    assertEquals(signal.aborted, true);
    const [site] = await database.query(
      `select crashes, due <= clock_timestamp() as is_due,
         (select count(*)::int from sitetree.lease) as leases from sitetree.fleet_site`,
    );
    assertEquals(site, { crashes: 0, is_due: true, leases: 0 });
    await first.work({ drain: true });
    assertEquals((await pagesOf(first)).length, 2);
    await checkRun(database);
  },
});

testFleets("a walk that is ended early", {
  ...Object.fromEntries(["robots.txt", "i", "s", "t"].map((path) => [
    `has no verdict, at /${path}`,
    async (database: TestDatabase) => {
      const gate = new Gate();
      const script = siteBehind(gate, path, "page");
      const stop = new AbortController();
      const fetch: typeof script.fetch = async (url, init) => {
        // the response arrives all the same
        if (url === HOME + path) setTimeout(() => stop.abort());
        return await script.fetch(url, init);
      };
      const fleet = await database.open({ walk: { fetch, concurrency: 1 } });
      await fleet.enqueue("run", [HOME]);
      const working = fleet.work({ signal: stop.signal });
      await gate.asked;
      await until(() => stop.signal.aborted);
      gate.open();
      await working;
      assertEquals(await verdictsOf(fleet), { [HOME]: undefined });
      const finished = await database.query(
        "select from sitetree.stored_run where finished is not null",
      );
      assertEquals(finished.length, 0);
      await checkRun(database, { isSettled: false });
      const other = await database.open({ walk: { fetch: script.fetch } });
      await other.work({ drain: true });
      assertEquals((await pagesOf(fleet)).length, 2);
      await checkRun(database);
    },
  ])),

  "by the end of its lease sends no request, and has no verdict": async (database) => {
    for (const path of ["robots.txt", "s"]) {
      const home = `http://${path}.test/`;
      let isFirst = true;
      // as a process that was stopped: timers do not fire
      const blocked = (answer: Answer): Answer => (url, init) => {
        const end = performance.now() + (isFirst ? 2200 : 0);
        isFirst = false;
        while (performance.now() < end);
        return answer(url, init);
      };
      const site: Record<string, Answer> = siteOf(home, { s: ["1"], t: ["2"], u: ["3"], v: ["4"] });
      const script = new ScriptedFetch({ ...site, [home + path]: blocked(site[home + path]!) });
      // those after the first one are sent in the same turn of the event loop
      const fleet = await database.open({ leaseSeconds: 2, walk: { fetch: script.fetch } });
      await walkAll(fleet, [home], path);
      assertEquals(await verdictsOf(fleet, path), { [home]: "complete" });
      assertEquals((await pagesOf(fleet, path)).length, 4);
      const asked = script.urls.indexOf(home + path);
      assertEquals(script.urls[asked + 1], `${home}robots.txt`, "no request after its lease");
    }
  },
});

testFleets("a site whose workers stop", {
  "is given up after five without progress": async (database) => {
    const fleet = await database.open();
    await fleet.enqueue("run", [HOME]);
    await withClaims(database, async (claim) => {
      for (let crash = 1; crash <= 5; crash++) {
        assertEquals(await claim(), [HOME], `claim ${crash}`);
        assertEquals(await claim(), [], "it is leased");
        await database.query(EXPIRE);
        await database.query("select sitetree.recover()");
      }
      assertEquals(await claim(), []);
    });
    const [site] = await Array.fromAsync(fleet.sites("run", { verdict: "failed" }));
    assertEquals([site!.homepage, site!.code], [HOME, "stopped"]);
    assertMatch(site!.reason!, /5 times without progress/);
    await fleet.work({ drain: true });
    await checkRun(database);
    // it may be walked again
    assertEquals(await fleet.retry("run"), 1);
    await checkRun(database, { isSettled: false });
    await withClaims(database, async (claim) => assertEquals(await claim(), [HOME]));
  },

  "comes before others when it is returned": async (database) => {
    const fleet = await database.open();
    const homes = ["a", "b", "c"].map((name) => `http://${name}.test/`);
    await fleet.enqueue("run", homes.slice(2));
    await withClaims(database, async (claim) => {
      assertEquals(await claim(), homes.slice(2));
      await fleet.enqueue("run", homes.slice(0, 2));
      await database.query(EXPIRE);
      await database.query("select sitetree.recover()");
      const rows = await database.query(
        `select s.homepage from sitetree.fleet_site f join sitetree.stored_site s on s.id = f.site
         order by f.due limit 1`,
      );
      assertEquals(rows, [{ homepage: homes[2] }]);
    });
  },

  "begins to count anew when there is progress": async (database) => {
    const gate = new Gate();
    const script = siteBehind(gate, "t", "page");
    const fleet = await database.open({ walk: { fetch: script.fetch, concurrency: 1 } });
    await fleet.enqueue("run", [HOME]);
    await database.query("update sitetree.fleet_site set crashes = 4, due = '-infinity'");
    const working = fleet.work({ drain: true });
    await gate.asked;
    // before the request is given up, which ends the walk
    await within(15_000, "count anew", () =>
      until(async () => {
        const [site] = await database.query("select crashes from sitetree.fleet_site");
        return site!.crashes === 0;
      }));
    gate.open();
    await working;
    assertEquals(await verdictsOf(fleet), { [HOME]: "complete" });
    const [site] = await database.query("select crashes from sitetree.fleet_site");
    assertEquals(site!.crashes, 0);
  },

  "is isolated from others of its kind": async (database) => {
    const fleet = await database.open();
    const homes = ["a", "b", "c", "d"].map((name) => `http://${name}.test/`);
    await fleet.enqueue("run", homes);
    await database.query(
      `update sitetree.fleet_site set crashes = 1, due = '-infinity'
       where host in ('a.test', 'b.test')`,
    );
    await withClaims(database, async (claim) => {
      const first = await claim({ mayBeSuspect: false });
      assertEquals(first, homes.slice(2), "no suspect");
      assertEquals((await claim()).length, 1, "one suspect");
      assertEquals((await claim()).length, 1, "the other one");
      assertEquals(await claim(), []);
    });
  },

  "is claimed by a worker without another suspect": async (database) => {
    let open = 0, most = 0;
    const homes = ["a", "b"].map((name) => `http://${name}.test/`);
    const fetch = async () => {
      most = Math.max(most, ++open);
      // longer than it takes to claim the other one
      await delay(4000);
      open--;
      return new Response(null, { status: 404 });
    };
    const fleet = await database.open({ walk: { fetch } });
    await fleet.enqueue("run", homes);
    await database.query("update sitetree.fleet_site set crashes = 3, due = '-infinity'");
    await fleet.work({ drain: true });
    assertEquals(most, 1);
    assertEquals(Object.values(await verdictsOf(fleet)), ["none", "none"]);
    assert(open === 0);
  },
});
