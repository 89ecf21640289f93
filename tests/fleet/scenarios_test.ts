import { assert, assertEquals, assertRejects } from "@std/assert";
import type { Database } from "../../src/fleet/database.ts";
import { openFleetOn } from "../../src/fleet/fleet.ts";
import { type Fleet, FleetError, type FleetOptions } from "../../src/fleet/mod.ts";
import type { SiteEntry } from "../../src/fleet/mod.ts";
import {
  type Answer,
  redirect,
  type Script,
  ScriptedFetch,
  silence,
  status,
  text,
} from "../http/scripted_fetch.ts";
import { all, testOnPostgres } from "./with_database.ts";
import { findInconsistencies } from "./consistency.ts";

const OPTIONS = { slots: 4, leaseSeconds: 10, retrySeconds: 0, splitAbove: 3 } as const;
const WALK = { useKnownPaths: false, retries: 0, retryDelay: 0 } as const;

/** Opens a fleet on a database that stays open. */
function openOn(
  database: Database,
  script: ScriptedFetch,
  { walk, ...options }: FleetOptions = {},
): Promise<Fleet> {
  const shared = Object.assign(Object.create(database), { close: () => Promise.resolve() });
  return openFleetOn(shared, {
    ...OPTIONS,
    ...options,
    walk: { ...WALK, ...walk, fetch: script.fetch },
  });
}

/** Returns a database that refuses a statement of transactions for its values. */
function refusing(database: Database, statement: string): Database {
  const refusal = Object.assign(new Error("invalid byte sequence"), { code: "22021" });
  const transaction: Database["transaction"] = (work) =>
    database.transaction((session) =>
      work({
        query: (sql, values) =>
          sql.includes(statement) ? Promise.reject(refusal) : session.query(sql, values),
      })
    );
  return Object.assign(Object.create(database), { transaction });
}

function urlset(...urls: string[]): Answer {
  return text(`<urlset>${urls.map((url) => `<url><loc>${url}</loc></url>`).join("")}</urlset>`);
}

function index(...urls: string[]): Answer {
  const sitemaps = urls.map((url) => `<sitemap><loc>${url}</loc></sitemap>`);
  return text(`<sitemapindex>${sitemaps.join("")}</sitemapindex>`);
}

function robots(...urls: string[]): Answer {
  return text(urls.map((url) => `Sitemap: ${url}\n`).join(""));
}

/** Returns the pages of a run as `sitemap page`, sorted. */
async function pagesOf(fleet: Fleet, run: string): Promise<string[]> {
  return (await all(fleet.pages(run))).map(({ sitemap, url }) => `${sitemap} ${url}`).sort();
}

/** Returns the verdicts of a run by homepage. */
async function verdictsOf(fleet: Fleet, run: string): Promise<Record<string, string | undefined>> {
  const sites = await all(fleet.sites(run));
  return Object.fromEntries(sites.map(({ homepage, verdict }) => [homepage, verdict]));
}

// --------------------------------------------------------------------------------------- verdicts

/** A site with what a fleet finds there. */
interface SiteCase {
  readonly name: string;
  /** Responses by path. */
  readonly site: Readonly<Record<string, (origin: string) => Answer | readonly Answer[]>>;
  readonly verdict: string;
  /** Pages as `sitemap page`, both paths. */
  readonly pages: readonly string[];
  /** Sitemaps of its units. */
  readonly units?: readonly string[];
  readonly options?: Omit<SiteEntry, "url">;
}

const child = (path: string) => (origin: string) => urlset(`${origin}${path}/page`);
const CHILDREN = ["/a", "/b", "/c", "/d"] as const;
const indexOf = (...paths: readonly string[]) => (origin: string) =>
  index(...paths.map((path) => origin + path));
const robotsOf = (...paths: readonly string[]) => (origin: string) =>
  robots(...paths.map((path) => origin + path));

const SITES: readonly SiteCase[] = [
  {
    name: "an index of few sitemaps is walked at once",
    site: {
      "/robots.txt": robotsOf("/i"),
      "/i": indexOf("/a", "/b", "/c"),
      ...Object.fromEntries(["/a", "/b", "/c"].map((path) => [path, child(path)])),
    },
    verdict: "complete",
    pages: ["/a /a/page", "/b /b/page", "/c /c/page"],
  },
  {
    name: "a huge index is split into units",
    site: {
      "/robots.txt": robotsOf("/i"),
      "/i": indexOf(...CHILDREN),
      ...Object.fromEntries(CHILDREN.map((path) => [path, child(path)])),
    },
    verdict: "complete",
    pages: CHILDREN.map((path) => `${path} ${path}/page`),
    units: CHILDREN,
  },
  {
    name: "one unit that is missing leaves the site partial",
    site: {
      "/robots.txt": robotsOf("/i", "/e"),
      "/i": indexOf(...CHILDREN),
      "/e": child("/e"),
      ...Object.fromEntries(CHILDREN.slice(1).map((path) => [path, child(path)])),
    },
    verdict: "partial",
    pages: [...CHILDREN.slice(1), "/e"].map((path) => `${path} ${path}/page`),
    units: CHILDREN,
  },
  {
    name: "one unit that fails for ever leaves the site partial",
    site: {
      "/robots.txt": robotsOf("/i"),
      "/i": indexOf(...CHILDREN),
      ...Object.fromEntries(CHILDREN.map((path) => [path, child(path)])),
      "/b": () => status(503),
    },
    verdict: "partial",
    pages: ["/a", "/c", "/d"].map((path) => `${path} ${path}/page`),
    units: CHILDREN,
  },
  {
    name: "a unit that is a huge index itself is split as well",
    site: {
      "/robots.txt": robotsOf("/i"),
      "/i": indexOf("/j", "/x", "/y", "/z"),
      "/j": indexOf(...CHILDREN),
      ...Object.fromEntries([...CHILDREN, "/x", "/y", "/z"].map((path) => [path, child(path)])),
    },
    verdict: "complete",
    pages: [...CHILDREN, "/x", "/y", "/z"].map((path) => `${path} ${path}/page`),
    units: ["/j", "/x", "/y", "/z", ...CHILDREN],
  },
  {
    name: "a sitemap that is listed twice is stored once",
    site: {
      "/robots.txt": robotsOf("/i", "/j"),
      "/i": indexOf("/a", "/b", "/a"),
      "/j": indexOf("/b", "/c"),
      ...Object.fromEntries(["/a", "/b", "/c"].map((path) => [path, child(path)])),
    },
    verdict: "complete",
    pages: ["/a /a/page", "/b /b/page", "/c /c/page"],
  },
  {
    name: "a sitemap that was redirected has its final URL",
    site: {
      "/robots.txt": robotsOf("/old"),
      "/old": (origin) => redirect(`${origin}/new`),
      "/new": child("/new"),
    },
    verdict: "complete",
    pages: ["/new /new/page"],
  },
  { name: "a site without sitemaps", site: {}, verdict: "none", pages: [] },
  {
    name: "a site that fails three times is given up",
    site: { "/robots.txt": () => status(503) },
    verdict: "dead",
    pages: [],
  },
  {
    name: "a site that fails twice is not",
    site: {
      "/robots.txt": (origin) => [status(503), status(503), robots(`${origin}/a`)],
      "/a": child("/a"),
    },
    verdict: "complete",
    pages: ["/a /a/page"],
  },
  {
    name: "a site with options of its own",
    site: { "/sitemap.xml": child("/sitemap.xml") },
    options: { useKnownPaths: true, headers: { "x-own": "1" } },
    verdict: "complete",
    pages: ["/sitemap.xml /sitemap.xml/page"],
  },
];

/** Walks all of {@linkcode SITES} in one run, and checks each. */
async function checkSites(t: Deno.TestContext, database: Database): Promise<void> {
  const origin = (at: number) => `http://s${at}.test`;
  const script = new ScriptedFetch(Object.fromEntries(
    SITES.flatMap(({ site }, at) =>
      Object.entries(site).map(([path, answer]) => [origin(at) + path, answer(origin(at))])
    ),
  ));
  await using fleet = await openOn(database, script);
  const entries = SITES.map(({ options = {} }, at) => ({ url: origin(at), ...options }));
  assertEquals(await fleet.enqueue("run", entries), SITES.length);
  await fleet.work({ drain: true });
  assertEquals(await findInconsistencies(database, "run"), []);
  const verdicts = await verdictsOf(fleet, "run");
  const pages = await pagesOf(fleet, "run");
  const { rows: units } = await database.query<{ sitemap_url: string }>(
    "select sitemap_url from sitetree.unit order by id",
  );
  for (const [at, expected] of SITES.entries()) {
    await t.step(expected.name, () => {
      const home = origin(at);
      assertEquals(verdicts[`${home}/`], expected.verdict);
      assertEquals(
        pages.filter((page) => page.startsWith(`${home}/`)).map((page) =>
          page.replaceAll(home, "")
        ),
        [...expected.pages].sort(),
      );
      assertEquals(
        units.map(({ sitemap_url }) => sitemap_url).filter((url) => url.startsWith(`${home}/`))
          .map((url) => url.slice(home.length)),
        [...expected.units ?? []],
      );
      const own = script.requests.filter(({ url }) => url.startsWith(`${home}/`));
      const isOwn = expected.options?.headers !== undefined;
      assert(own.every(({ headers }) => headers.has("x-own") === isOwn));
      if (expected.verdict === "complete" && !expected.name.includes("twice")) {
        const asked = own.map(({ url }) => url).filter((url) => !url.endsWith("/robots.txt"));
        assertEquals(new Set(asked).size, asked.length, "each URL is requested once");
      }
    });
  }
}

// --------------------------------------------------------------------------------------- attempts

/** A promise, and the function that resolves it. */
type Gate = PromiseWithResolvers<void>;

/** Responds when a gate is opened, unless the request is aborted before. */
function behind(gate: Gate, answer: Answer, onAsked: () => void = () => {}): Answer {
  return async (url, init) => {
    onAsked();
    const { promise, reject } = Promise.withResolvers<never>();
    const onAbort = () => reject(init.signal!.reason);
    init.signal?.addEventListener("abort", onAbort);
    try {
      await Promise.race([gate.promise, promise]);
    } finally {
      init.signal?.removeEventListener("abort", onAbort);
    }
    return await answer(url, init);
  };
}

/** Ends the work when it is requested. */
function endWork(stop: AbortController): Answer {
  return (url, init) => {
    setTimeout(() => stop.abort());
    return silence()(url, init);
  };
}

testOnPostgres("a fleet", async (t, database) => {
  await t.step("finds the pages and the verdict of sites", (t) => checkSites(t, database));

  await t.step("continues after the last checkpoint, without counting an attempt", async () => {
    const stop = new AbortController();
    const script = new ScriptedFetch({
      "http://a.test/robots.txt": robots("http://a.test/1", "http://a.test/2"),
      "http://a.test/1": urlset("http://a.test/1/page"),
      "http://a.test/2": [
        endWork(stop),
        urlset("http://a.test/2/page"),
      ],
    });
    const options = { walk: { concurrency: 1 } };
    await using first = await openOn(database, script, options);
    await first.enqueue("checkpoint", ["http://a.test/"]);
    await first.work({ signal: stop.signal });
    const { rows } = await database.query(
      "select crashes, failures, verdict from sitetree.site where run = 'checkpoint'",
    );
    assertEquals(rows, [{ crashes: 0, failures: 0, verdict: null }]);
    assertEquals(await findInconsistencies(database, "checkpoint", { isSettled: false }), []);
    assertEquals(await all(first.pages("checkpoint")), [], "it has no verdict yet");
    await using second = await openOn(database, script, options);
    await second.work({ drain: true });
    assertEquals(script.counts, {
      "http://a.test/robots.txt": 2,
      "http://a.test/1": 1,
      "http://a.test/2": 2,
    });
    assertEquals(await pagesOf(second, "checkpoint"), [
      "http://a.test/1 http://a.test/1/page",
      "http://a.test/2 http://a.test/2/page",
    ]);
    assertEquals(await findInconsistencies(database, "checkpoint"), []);
  });

  await t.step("keeps nothing of a site that has changed since", async () => {
    const stop = new AbortController();
    const page = (name: string) => (_: unknown, at: number) => `http://b.test/${name}/${at}`;
    const pages = (name: string, length: number) => Array.from({ length }, page(name));
    const script = new ScriptedFetch({
      "http://b.test/robots.txt": [
        robots("http://b.test/large", "http://b.test/gone", "http://b.test/last"),
        robots("http://b.test/large", "http://b.test/new"),
      ],
      // more than is written at once, and cut
      "http://b.test/large": [
        () => {
          const body = `<urlset>${
            pages("old", 1500).map((url) => `<url><loc>${url}</loc></url>`).join("")
          }`;
          return new Response(body);
        },
        urlset(...pages("new", 3)),
      ],
      "http://b.test/gone": urlset("http://b.test/gone/page"),
      "http://b.test/last": endWork(stop),
      "http://b.test/new": urlset("http://b.test/new/page"),
    });
    await using fleet = await openOn(database, script, { walk: { concurrency: 1 } });
    await fleet.enqueue("changed", ["http://b.test/"]);
    await fleet.work({ signal: stop.signal });
    const { rows: [row] } = await database.query(
      "select count(*) as pages from sitetree.page where run = 'changed'",
    );
    assert(Number(row!.pages) > 1000, "there is something to remove");
    await fleet.work({ drain: true });
    assertEquals(await pagesOf(fleet, "changed"), [
      ...pages("new", 3).map((url) => `http://b.test/large ${url}`),
      "http://b.test/new http://b.test/new/page",
    ]);
    assertEquals(await findInconsistencies(database, "changed"), []);
  });

  for (const perHost of [1, 2]) {
    await t.step(`has ${perHost} workers on a host with "perHost" ${perHost}`, async () => {
      let open = 0;
      let most = 0;
      const met = Promise.withResolvers<void>();
      const respond: Answer = async () => {
        most = Math.max(most, ++open);
        if (most === perHost) met.resolve();
        // with one worker per host, the others get time to come
        await met.promise;
        await new Promise((resolve) => setTimeout(resolve, perHost === 1 ? 100 : 0));
        open--;
        return new Response(null, { status: 404 });
      };
      const homes = [1, 2, 3, 4].map((port) => `http://c.test:${port}/`);
      const script = new ScriptedFetch(
        Object.fromEntries(homes.map((home) => [`${home}robots.txt`, respond])),
      );
      const run = `perHost ${perHost}`;
      await using first = await openOn(database, script, { perHost });
      await using second = await openOn(database, script, { perHost });
      await first.enqueue(run, homes);
      await Promise.all([first.work({ drain: true }), second.work({ drain: true })]);
      assertEquals(most, perHost);
      assertEquals(await findInconsistencies(database, run), []);
    });
  }

  await t.step("obeys Retry-After with all its workers", async () => {
    const script = new ScriptedFetch({
      "http://d.test:1/robots.txt": [
        status(429, { "retry-after": "2" }),
        robots("http://d.test:1/a"),
      ],
      "http://d.test:1/a": urlset("http://d.test:1/a/page"),
      "http://d.test:2/robots.txt": robots("http://d.test:2/a"),
      "http://d.test:2/a": urlset("http://d.test:2/a/page"),
    }, () => performance.now());
    // the walk does not wait for so long, so that the host is left to others
    const options = { slots: 1, walk: { maxRetryDelay: 100 } };
    await using first = await openOn(database, script, options);
    await using second = await openOn(database, script, options);
    await first.enqueue("busy", ["http://d.test:1/", "http://d.test:2/"]);
    await Promise.all([first.work({ drain: true }), second.work({ drain: true })]);
    const [busy] = script.requests.filter(({ url }) => url === "http://d.test:1/robots.txt");
    const early = script.requests.filter(({ at }) => at > busy!.at && at < busy!.at + 1990);
    assertEquals(early.map(({ url }) => url), []);
    assertEquals(await verdictsOf(first, "busy"), {
      "http://d.test:1/": "complete",
      "http://d.test:2/": "complete",
    });
    assertEquals(await findInconsistencies(database, "busy"), []);
  });

  await t.step("spaces the requests of all workers to a host by wait", async () => {
    const times: number[] = [];
    const script = new ScriptedFetch(Object.fromEntries(
      [1, 2, 3, 4].map((port) => [`http://paced.test:${port}/robots.txt`, robots()]),
    ));
    const walk = { wait: 400, onRequest: () => void times.push(performance.now()) };
    await using one = await openOn(database, script, { perHost: 2, walk });
    await using other = await openOn(database, script, { perHost: 2, walk });
    await one.enqueue("paced", [1, 2, 3, 4].map((port) => `http://paced.test:${port}/`));
    await Promise.all([one, other].map((fleet) => fleet.work({ drain: true })));
    assertEquals(script.requests.length, 4);
    const { rows: [host] } = await database.query<{ ahead: number }>(
      `select extract(epoch from not_before - s.first)::float8 as ahead
      from sitetree.host, (select min(started) as first from sitetree.site where run = 'paced') s
      where host = 'paced.test'`,
    );
    // each request has reserved its time after all others, whichever worker made it
    assert(host!.ahead >= 4 * 0.4, `${host!.ahead} s`);
    assert(times.at(-1)! - times[0]! >= 2 * 400, `${times}`);
    await one.drop("paced");
  });

  await t.step("has one site for homepages that share host and port", async () => {
    const script = new ScriptedFetch({});
    await using fleet = await openOn(database, script);
    const homes = ["http://e.test/a", "https://e.test/b", "http://e.test:80/", "http://E.test"];
    assertEquals(await fleet.enqueue("same", [...homes, "http://e.test:81/"]), 2);
    assertEquals(await fleet.enqueue("same", homes), 0, "again");
    assertEquals(await fleet.enqueue("same", ["http://f.test/", ...homes]), 1);
    assertEquals((await all(fleet.sites("same"))).map(({ homepage }) => homepage), [
      "http://e.test/",
      "http://e.test:81/",
      "http://f.test/",
    ]);
    assertEquals((await fleet.runs()).find(({ id }) => id === "same")!.total, 3);
    await fleet.drop("same");
  });

  await t.step("gives a site up whose pages the database refuses, with the reason", async () => {
    const script = new ScriptedFetch({
      "http://refused.test/robots.txt": robots("http://refused.test/s"),
      "http://refused.test/s": urlset("http://refused.test/page"),
    });
    await using fleet = await openOn(refusing(database, "insert into sitetree.page"), script);
    await fleet.enqueue("refused", ["http://refused.test/"]);
    await fleet.work({ drain: true });
    const dead = await all(fleet.dead("refused"));
    assertEquals(dead.map(({ reason, failures }) => ({ reason, failures })), [
      { reason: "invalid byte sequence", failures: 3 },
    ]);
    await fleet.drop("refused");
  });

  await t.step("adds all sites or none", async () => {
    await using fleet = await openOn(database, new ScriptedFetch({}));
    const sites = function* () {
      for (let at = 0; at < 6000; at++) yield `http://g${at}.test/`;
      yield "not a URL";
      yield "http://h.test/";
    };
    const error = await assertRejects(() => fleet.enqueue("invalid", sites()), FleetError);
    assertEquals(error.code, "invalid-input");
    assertEquals((await fleet.runs()).some(({ id }) => id === "invalid"), false);
    await fleet.enqueue("invalid", ["http://g.test/"]);
    await assertRejects(() => fleet.enqueue("invalid", sites()), FleetError);
    assertEquals((await all(fleet.sites("invalid"))).length, 1);
    assertEquals(await findInconsistencies(database, "invalid", { isSettled: false }), []);
    await fleet.drop("invalid");
  });

  await t.step("walks nothing of a paused run, and walks the dead again", async () => {
    const script = new ScriptedFetch({
      "http://i.test/robots.txt": [
        status(503),
        status(503),
        status(503),
        robots("http://i.test/a"),
      ],
      "http://i.test/a": urlset("http://i.test/a/page"),
    });
    await using fleet = await openOn(database, script);
    await fleet.enqueue("paused", ["http://i.test/"]);
    await fleet.pause("paused");
    await fleet.work({ drain: true });
    assertEquals(script.urls, []);
    await fleet.resume("paused");
    await fleet.work({ drain: true });
    assertEquals(await verdictsOf(fleet, "paused"), { "http://i.test/": "dead" });
    const [dead] = await all(fleet.dead("paused"));
    assertEquals([dead!.homepage, dead!.failures], ["http://i.test/", 3]);
    assert(dead!.reason.includes("503"), dead!.reason);
    assertEquals(await fleet.redrive("paused"), 1);
    assertEquals(await all(fleet.dead("paused")), []);
    assertEquals(await findInconsistencies(database, "paused", { isSettled: false }), []);
    await fleet.work({ drain: true });
    assertEquals(await verdictsOf(fleet, "paused"), { "http://i.test/": "complete" });
    assertEquals(await fleet.redrive("paused"), 0);
    assertEquals(await findInconsistencies(database, "paused"), []);
  });

  await t.step("drops a run that is walked, and goes on with another one", async () => {
    const asked = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    const script: Script = {
      "http://j.test/robots.txt": behind(gate, robots("http://j.test/a"), asked.resolve),
      "http://j.test/a": urlset("http://j.test/a/page"),
      "http://k.test/robots.txt": behind(gate, robots("http://k.test/a")),
      "http://k.test/a": urlset("http://k.test/a/page"),
    };
    await using fleet = await openOn(database, new ScriptedFetch(script));
    await fleet.enqueue("dropped", ["http://j.test/"]);
    await fleet.enqueue("kept", ["http://k.test/"]);
    const work = fleet.work({ drain: true });
    await asked.promise;
    await fleet.drop("dropped");
    gate.resolve();
    await work;
    assertEquals(await pagesOf(fleet, "kept"), ["http://k.test/a http://k.test/a/page"]);
    await assertRejects(() => all(fleet.pages("dropped")), FleetError);
    const { rows } = await database.query(
      `select (select count(*) from sitetree.site where run = 'dropped') as sites,
        (select count(*) from sitetree.page where run = 'dropped') as pages,
        (select count(*) from sitetree.tally where run = 'dropped') as tallies`,
    );
    assertEquals(rows, [{ sites: 0, pages: 0, tallies: 0 }]);
    assertEquals(await findInconsistencies(database, "kept"), []);
  });
});
