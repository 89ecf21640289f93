import { assert, assertEquals, assertRejects } from "@std/assert";
import { type Fleet, FleetError, openFleet, type SiteEntry } from "../../src/fleet/mod.ts";
import { ScriptedFetch, status } from "../http/scripted_fetch.ts";
import { conditional, robots, siteOf, urlset } from "./documents.ts";
import {
  checkRun,
  delay,
  pagesOf,
  type TestDatabase,
  testFleets,
  until,
  verdictsOf,
  walkAll,
} from "./with_fleets.ts";

/** Sites that change between rounds, all with robots.txt and one sitemap. */
class ChangingSites {
  /** Number of each response by status. */
  statuses: Record<number, number> = {};
  /** Paths of the pages by host. */
  pages: Record<string, readonly string[]> = {};
  /** Called before each response. */
  onRequest: (url: URL) => void | Promise<void> = () => {};

  constructor(...hosts: readonly string[]) {
    for (const host of hosts) this.pages[host] = ["a", "b"];
  }

  readonly fetch = async (address: string, init: RequestInit): Promise<Response> => {
    const url = new URL(address);
    await this.onRequest(url);
    const { origin, hostname, pathname } = url;
    const pages = this.pages[hostname];
    const body = pages === undefined
      ? status(404)
      : pathname === "/robots.txt"
      ? conditional('"robots"', robots(`${origin}/s`))
      : conditional(`"${pages}"`, urlset(...pages.map((page) => `${origin}/${page}`)));
    const response = await body(address, init);
    this.statuses[response.status] = (this.statuses[response.status] ?? 0) + 1;
    return response;
  };

  /** Returns the statuses since the last call. */
  take(): Record<number, number> {
    const { statuses } = this;
    this.statuses = {};
    return statuses;
  }
}

async function openFor(database: TestDatabase, ...hosts: readonly string[]) {
  const sites = new ChangingSites(...hosts);
  return { sites, fleet: await database.open({ walk: { fetch: sites.fetch } }) };
}

/** Holds responses back until the gate opens; `asked` resolves at the first request to a host. */
function held(sites: ChangingSites, host?: string) {
  const gate = Promise.withResolvers<void>();
  const asked = Promise.withResolvers<void>();
  sites.onRequest = async ({ hostname }) => {
    if (host === undefined || hostname === host) asked.resolve();
    await gate.promise;
  };
  return { gate, asked };
}

const home = (host: string) => `http://${host}/`;

/** Returns what a run has of the changes so far, as `type page`. */
async function changesOf(fleet: Fleet): Promise<string[]> {
  const changes = await Array.fromAsync(fleet.snapshot.changes());
  return changes.map(({ type, page }) => `${type} ${page.url}`).sort();
}

/** Begins the next round of a run now. */
const DUE = "update sitetree.fleet_run set due = now() - interval '1 ms'";

testFleets("rounds", {
  "cost 304s and write no pages if nothing has changed": async (database) => {
    const { sites, fleet } = await openFor(database, "a.test", "b.test");
    const homes = ["a.test", "b.test"].map(home);
    assertEquals(await fleet.enqueue("run", homes), 2);
    await fleet.work({ drain: true });
    assertEquals(sites.take(), { 200: 4 });
    const rows = () =>
      database.query(
        "select p.*, xmin::text from sitetree.stored_page p order by id",
      );
    const before = await rows();
    assertEquals(await fleet.enqueue("run", homes), 2);
    assertEquals(await verdictsOf(fleet), { [homes[0]!]: undefined, [homes[1]!]: undefined });
    await checkRun(database, { isSettled: false });
    await fleet.work({ drain: true });
    assertEquals(sites.take(), { 304: 4 });
    assertEquals(await rows(), before);
    assertEquals((await fleet.runs())[0]!.round, 2);
    assertEquals(Object.values(await verdictsOf(fleet)), ["complete", "complete"]);
    await checkRun(database);
  },

  "find what has changed": async (database) => {
    const { sites, fleet } = await openFor(database, "a.test", "b.test");
    await walkAll(fleet, ["a.test", "b.test"].map(home));
    sites.pages["a.test"] = ["b", "c"];
    sites.take();
    await walkAll(fleet, ["a.test", "b.test"].map(home));
    assertEquals(sites.take(), { 200: 1, 304: 3 });
    assertEquals(await changesOf(fleet), [
      "added http://a.test/a",
      "added http://a.test/b",
      "added http://a.test/c",
      "added http://b.test/a",
      "added http://b.test/b",
      "removed http://a.test/a",
    ]);
    await checkRun(database);
  },

  "have exactly the sites that they are given, with their options": async (database) => {
    const { fleet } = await openFor(database, "a.test", "b.test", "c.test");
    await walkAll(fleet, ["a.test", "b.test"].map(home));
    const entry = { url: home("b.test"), userAgent: "second" };
    assertEquals(await fleet.enqueue("run", [entry, home("c.test")]), 2);
    await checkRun(database, { isSettled: false });
    await fleet.work({ drain: true });
    assertEquals(Object.keys(await verdictsOf(fleet)).sort(), ["b.test", "c.test"].map(home));
    const [options] = await database.query(
      "select options from sitetree.fleet_site where host = 'b.test'",
    );
    assertEquals(options!.options, { userAgent: "second" });
    assertEquals((await fleet.runs())[0]!.total, 2);
    // what is known of the one that was left out stays
    const known = await Array.fromAsync(fleet.snapshot.sites());
    assertEquals(known.map(({ homepage, pages }) => [homepage, pages]), [
      [home("a.test"), 2],
      [home("b.test"), 2],
      [home("c.test"), 2],
    ]);
    await checkRun(database);
  },

  "add sites that are missing while they run": async (database) => {
    const { sites, fleet } = await openFor(database, "a.test", "b.test");
    assertEquals(await fleet.enqueue("run", [home("a.test")]), 1);
    assertEquals(await fleet.enqueue("run", ["a.test", "b.test"].map(home)), 1);
    assertEquals((await fleet.runs())[0]!.round, 1);
    await fleet.work({ drain: true });
    assertEquals(sites.take(), { 200: 4 });
    await checkRun(database);
  },

  "begin by themselves, once for all workers": async (database) => {
    const { sites, fleet: one } = await openFor(database, "a.test");
    const other = await database.open({ walk: { fetch: sites.fetch } });
    await one.enqueue("run", [home("a.test")], { every: 3_600_000 });
    await one.work({ drain: true });
    assertEquals(sites.take(), { 200: 2 });
    const before = await one.runs();
    assertEquals([before[0]!.every, before[0]!.round], [3_600_000, 1]);
    assert(before[0]!.due!.getTime() > Date.now() + 3_500_000);
    await one.work({ drain: true });
    assertEquals(sites.take(), {}, "it is not due");
    const stop = new AbortController();
    const working = [one, other].map((fleet) => fleet.work({ signal: stop.signal }));
    await database.query(DUE);
    await until(async () => (await one.runs())[0]!.round === 2);
    for await (const { done } of one.progress("run", { interval: 50 })) if (done === 1) break;
    // workers look for rounds each second
    await delay(1500);
    stop.abort();
    await Promise.all(working);
    const [after] = await one.runs();
    assertEquals(after!.round, 2);
    assertEquals(sites.take(), { 304: 2 });
    assert(after!.due!.getTime() > Date.now());
    await checkRun(database);
  },

  "are not doubled if one is still running": async (database) => {
    const { sites, fleet } = await openFor(database, "a.test");
    const { gate, asked } = held(sites);
    await fleet.enqueue("run", [home("a.test")], { every: 3_600_000 });
    const working = fleet.work({ drain: true });
    await asked.promise;
    await database.query(DUE);
    await until(async () => (await fleet.runs())[0]!.due!.getTime() > Date.now());
    assertEquals((await fleet.runs())[0]!.round, 1);
    gate.resolve();
    await working;
    assertEquals((await fleet.runs())[0]!.round, 1);
    assertEquals(sites.take(), { 200: 2 });
    await checkRun(database);
  },

  "are skipped, not caught up, if they were missed": async (database) => {
    const fleet = await database.open({ walk: { fetch: new ChangingSites("a.test").fetch } });
    await fleet.enqueue("run", [home("a.test")], { every: 60_000 });
    await fleet.work({ drain: true });
    await database.query("update sitetree.fleet_run set due = now() - interval '1 h'");
    await fleet.work({ drain: true });
    const [run] = await fleet.runs();
    assertEquals(run!.round, 2);
    const wait = run!.due!.getTime() - Date.now();
    assert(wait > 0 && wait <= 60_000, `${wait} ms`);
  },

  "wait while their run is paused": async (database) => {
    const { sites, fleet } = await openFor(database, "a.test");
    await fleet.enqueue("run", [home("a.test")], { every: 3_600_000 });
    await fleet.pause("run");
    await fleet.work({ drain: true });
    assertEquals(sites.take(), {});
    await fleet.resume("run");
    await fleet.work({ drain: true });
    assertEquals(sites.take(), { 200: 2 });
  },
});

testFleets("a run", {
  "walks sites again by verdict, by site, or those that failed": async (database) => {
    const { sites, fleet } = await openFor(database, "a.test", "b.test");
    const homes = ["a.test", "b.test", "none.test"].map(home);
    await walkAll(fleet, homes);
    sites.take();
    assertEquals(await fleet.retry("run"), 0);
    assertEquals(await fleet.retry("run", { verdict: "none" }), 1);
    await checkRun(database, { isSettled: false });
    await fleet.work({ drain: true });
    assertEquals(sites.take(), { 404: 1 });
    assertEquals(await fleet.retry("run", { site: homes[0]! }), 1);
    await fleet.work({ drain: true });
    assertEquals(sites.take(), { 304: 2 });
    assertEquals(await fleet.retry("run", { site: homes[0]!, verdict: "none" }), 0);
    assertEquals(await fleet.retry("run", { verdict: "complete" }), 2);
    await checkRun(database, { isSettled: false });
    await fleet.work({ drain: true });
    assertEquals((await fleet.runs())[0]!.round, 1);
    for await (const progress of fleet.progress("run")) {
      assertEquals([progress.done, progress.pages, progress.waiting], [3, 4, 0]);
    }
    await checkRun(database);
  },

  "that is paused while it is walked finishes what is in progress": async (database) => {
    const { sites, fleet } = await openFor(database, "a.test", "b.test");
    const { gate, asked } = held(sites);
    await fleet.enqueue("run", ["a.test", "b.test"].map(home));
    const working = fleet.work({ slots: 1, drain: true });
    await asked.promise;
    await fleet.pause("run");
    // workers list the runs each second
    await delay(1200);
    gate.resolve();
    await working;
    const verdicts = Object.values(await verdictsOf(fleet));
    assertEquals(verdicts.filter((verdict) => verdict === "complete").length, 1);
    await checkRun(database, { isSettled: false });
    await fleet.resume("run");
    await fleet.work({ drain: true });
    assertEquals(Object.values(await verdictsOf(fleet)), ["complete", "complete"]);
    await checkRun(database);
  },

  "that is dropped while it is walked leaves nothing but what is known": async (database) => {
    const { sites, fleet } = await openFor(database, "a.test", "b.test");
    const { gate, asked } = held(sites, "a.test");
    await fleet.enqueue("dropped", [home("a.test")]);
    await fleet.enqueue("run", [home("b.test")]);
    const working = fleet.work({ drain: true });
    await asked.promise;
    await fleet.drop("dropped");
    gate.resolve();
    await working;
    await assertRejects(() => Array.fromAsync(fleet.sites("dropped")), FleetError);
    assertEquals((await fleet.runs()).map(({ id }) => id), ["run"]);
    const [left] = await database.query(
      `select (select count(*)::int from sitetree.fleet_site f
           where not exists (select from sitetree.fleet_run r where r.key = f.run)) as sites,
         (select count(*)::int from sitetree.tally t
           where not exists (select from sitetree.fleet_run r where r.key = t.run)) as tallies,
         (select count(*)::int from sitetree.lease) as leases`,
    );
    assertEquals(left, { sites: 0, tallies: 0, leases: 0 });
    assertEquals((await Array.fromAsync(fleet.snapshot.pages())).length, 4);
    await checkRun(database);
    // the name is free
    await fleet.enqueue("dropped", [home("a.test")]);
    await fleet.work({ drain: true });
    await checkRun(database, { run: "dropped" });
  },

  "may have the sites of another one, which are walked one after the other": async (database) => {
    const { sites, fleet: one } = await openFor(database, "a.test");
    let open = 0, most = 0;
    sites.onRequest = async () => {
      most = Math.max(most, ++open);
      await delay(100);
      open--;
    };
    const other = await database.open({ walk: { fetch: sites.fetch } });
    await one.enqueue("run", [home("a.test")]);
    await one.enqueue("other", [home("a.test")]);
    await Promise.all([one, other].map((fleet) => fleet.work({ drain: true })));
    assertEquals(most, 1);
    assertEquals(sites.take(), { 200: 2, 304: 2 });
    for (const run of ["run", "other"]) {
      assertEquals(Object.values(await verdictsOf(one, run)), ["complete"]);
      assertEquals((await pagesOf(one, run)).length, 2);
      await checkRun(database, { run });
    }
    assertEquals((await changesOf(one)).length, 2);
  },

  "is the only one whose sites are walked if work() names it": async (database) => {
    const { sites, fleet } = await openFor(database, "a.test", "b.test");
    await fleet.enqueue("run", [home("a.test")]);
    await fleet.enqueue("other", [home("b.test")]);
    await fleet.work({ run: "other", drain: true });
    assertEquals(sites.take(), { 200: 2 });
    assertEquals(await verdictsOf(fleet), { [home("a.test")]: undefined });
    await checkRun(database, { run: "other" });
    await fleet.work({ run: "other", drain: true });
    assertEquals(sites.take(), {}, "it is done");
    await fleet.work({ run: "run", drain: true });
    await checkRun(database);
    const error = await assertRejects(() => fleet.work({ run: "none" }), FleetError);
    assertEquals(error.code, "unknown-run");
  },

  "has one site for homepages that share host and port": async (database) => {
    const fleet = await database.open();
    const homes = ["http://e.test/a", "https://e.test/b", "http://e.test:80/", "http://E.test"];
    assertEquals(await fleet.enqueue("run", [...homes, "http://e.test:81/"]), 2);
    assertEquals(await fleet.enqueue("run", homes), 0, "again");
    assertEquals(await fleet.enqueue("run", ["http://f.test/", ...homes]), 1);
    assertEquals(Object.keys(await verdictsOf(fleet)).sort(), [
      "http://e.test/",
      "http://e.test:81/",
      "http://f.test/",
    ]);
    await checkRun(database, { isSettled: false });
  },

  "is refused if an entry is invalid, and has all sites or none": async (database) => {
    const fleet = await database.open();
    const sites = function* () {
      for (let at = 0; at < 6000; at++) yield home(`g${at}.test`);
      yield "not a URL";
    };
    const error = await assertRejects(() => fleet.enqueue("run", sites()), FleetError);
    assertEquals(error.code, "invalid-input");
    assertEquals(await fleet.runs(), []);
    await fleet.enqueue("run", [home("g.test")]);
    await assertRejects(() => fleet.enqueue("run", sites()), FleetError);
    assertEquals(Object.keys(await verdictsOf(fleet)).length, 1);
    await checkRun(database, { isSettled: false });
  },
});

/** Entries that are refused, and the message. */
const INVALID: readonly (readonly [string | SiteEntry, string])[] = [
  ["", 'Invalid site ""'],
  ["ftp://a.test/", 'Invalid site "ftp://a.test/": expected http(s)'],
  [home(`${"a".repeat(60)}.`.repeat(5) + "test"), "the host name is too long"],
  [{ url: home("a.test"), userAgent: "a\0b" }, "Invalid site"],
  [{ url: home("a.test"), headers: { "x-a": "a\0b" } }, "Invalid site"],
  [{ url: home("a.test"), sitemaps: ["http://a.test/\0"] }, "Invalid site"],
  [{ url: home("a.test"), extraKnownPaths: ["a\0b"] }, "Invalid site"],
  [{ url: home("a.test"), extraKnownPaths: ["a\ud800b"] }, "Invalid site"],
  [{ url: home("a.test"), hosts: () => true }, 'Cannot use option "hosts"'],
  [{ url: home("a.test"), wait: -1 }, 'Invalid site "http://a.test/"'],
  [{ url: home("a.test"), wiat: 1 } as unknown as SiteEntry, "wiat"],
  [{ url: home("a.test"), order: "document" } as unknown as SiteEntry, "order"],
];

testFleets("enqueue()", {
  "refuses what it cannot store, as an error of the input": async (database) => {
    const fleet = await database.open();
    for (const [entry, message] of INVALID) {
      const name = JSON.stringify(entry);
      const enqueue = () => fleet.enqueue("run", [entry]);
      const error = await assertRejects(enqueue, FleetError, message, name);
      assertEquals(error.code, "invalid-input", name);
    }
    for (const name of ["", "a\0b", "\ud800", "x".repeat(201)]) {
      await assertRejects(() => fleet.enqueue(name, [home("a.test")]), FleetError, "name of a run");
    }
    for (const name of ["a\0b", "\udc00x"]) {
      for (
        const use of [
          () => fleet.pause(name),
          () => fleet.retry(name),
          () => fleet.drop(name),
          () => fleet.active(name),
          () => fleet.sites(name).next(),
          () => fleet.progress(name).next(),
        ]
      ) await assertRejects(use, RangeError, "in a database");
    }
    await assertRejects(() => fleet.enqueue("run", [], { every: 10 }), RangeError, "every");
    assertEquals(await fleet.runs(), []);
  },

  "stores options without limit": async (database) => {
    const entry = { url: home("a.test"), maxPages: Infinity, maxSitemaps: Infinity, maxWait: 5000 };
    const { fetch } = new ScriptedFetch(siteOf(home("a.test"), { s: ["1", "2"], t: ["3", "4"] }));
    const fleet = await database.open({ walk: { maxPages: 1, fetch } });
    await walkAll(fleet, [entry]);
    assertEquals(await verdictsOf(fleet), { "http://a.test/": "complete" });
    assertEquals((await pagesOf(fleet)).length, 4);
  },

  "stores headers of every kind": async (database) => {
    const script = new ScriptedFetch({});
    const fleet = await database.open({ walk: { fetch: script.fetch } });
    const kinds = [
      { "x-a": "1" },
      [["x-a", "1"]] as [string, string][],
      new Headers({ "x-a": "1" }),
    ];
    await walkAll(fleet, kinds.map((headers, at) => ({ url: home(`${at}.test`), headers })));
    assertEquals(script.requests.map(({ headers }) => headers.get("x-a")), ["1", "1", "1"]);
  },

  "keeps passwords out of homepages": async (database) => {
    const script = new ScriptedFetch(siteOf(home("a.test"), { s: ["1"] }));
    const fleet = await database.open({ walk: { fetch: script.fetch } });
    await walkAll(fleet, ["http://user:secret@a.test/"]);
    assertEquals(Object.keys(await verdictsOf(fleet)), ["http://a.test/"]);
    assertEquals(
      script.requests.map(({ headers }) => headers.get("authorization")),
      [`Basic ${btoa("user:secret")}`, `Basic ${btoa("user:secret")}`],
    );
  },
});

testFleets("openFleet()", {
  "refuses options that are unknown or invalid": async ({ url }: TestDatabase) => {
    for (
      const [options, error, message] of [
        [{ slots: 1 }, TypeError, "slots"],
        [{ perHost: 0 }, RangeError, "perHost"],
        [{ leaseSeconds: 0 }, RangeError, "leaseSeconds"],
        [{ retryDelays: [-1] }, TypeError, "retryDelays"],
        [{ connections: 1 }, RangeError, "connections"],
        [{ walk: { wiat: 1 } }, TypeError, "wiat"],
        [{ walk: { wait: -1 } }, RangeError, "wait"],
        [{ walk: { includePage: () => true } }, TypeError, "includePage"],
      ] as const
    ) {
      const open = () => openFleet(url, options as never);
      await assertRejects(open, error as ErrorConstructor, message);
    }
  },
});
