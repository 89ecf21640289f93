import { assert, assertEquals } from "@std/assert";
import type { FleetOptions, SiteEntry } from "../../src/fleet/mod.ts";
import {
  type Answer,
  broken,
  redirect,
  refused,
  ScriptedFetch,
  silence,
  status,
} from "../http/scripted_fetch.ts";
import { conditional, index, robots, urlset } from "./documents.ts";
import { checkRun, pagesOf, testFleets, verdictsOf, walkAll } from "./with_fleets.ts";

interface SiteCase {
  /** Responses by path. */
  readonly site: Readonly<Record<string, Answer | readonly Answer[]>>;
  /** Default: "complete". */
  readonly verdict?: string;
  /** Pages as `sitemap page`, both paths. Default: those of all sitemaps. */
  readonly pages?: readonly string[];
  /** Requests for robots.txt, one for each walk. Default: 1. */
  readonly walks?: number;
  readonly code?: string;
  readonly options?: Omit<SiteEntry, "url">;
}

const HOST = "http://site.test";
const ROBOTS = robots(`${HOST}/i`);
const INDEX = index(`${HOST}/a`, `${HOST}/b`);
const page = (path: string) => urlset(`${HOST}${path}/page`);
const ALL = ["/a /a/page", "/b /b/page"];
/** A body that breaks off after its first page. */
const truncated: Answer = (url, init) =>
  broken(`<urlset><url><loc>${HOST}/a/page</loc></url>`).answer(url, init);
const OK = { "/robots.txt": ROBOTS, "/i": INDEX, "/a": page("/a"), "/b": page("/b") };
const LOOKUP = "dns error: failed to lookup address information: Name or service not known";

const SITES: Readonly<Record<string, SiteCase>> = {
  "an index of two sitemaps": { site: OK },
  "a sitemap that is missing": {
    site: { ...OK, "/a": status(404) },
    verdict: "partial",
    pages: ["/b /b/page"],
  },
  "a sitemap that was redirected": {
    site: { ...OK, "/a": redirect(`${HOST}/c`), "/c": page("/a") },
  },
  "a site without sitemaps": { site: {}, verdict: "none", pages: [] },
  "a site with options of its own": {
    site: { "/sitemap.xml": page("/a") },
    options: { useKnownPaths: true, headers: { "x-own": "1" } },
    pages: ["/sitemap.xml /a/page"],
  },
  "a child that answers 429 twice": {
    site: { ...OK, "/a": [status(429), status(429), page("/a")] },
    walks: 3,
  },
  "a child that answers 503 in four walks": {
    site: { ...OK, "/a": status(503) },
    verdict: "partial",
    pages: ["/b /b/page"],
    walks: 4,
  },
  "a child that answers 403": {
    site: { ...OK, "/a": status(403) },
    verdict: "partial",
    pages: ["/b /b/page"],
  },
  "a truncated body": { site: { ...OK, "/a": [truncated, truncated, page("/a")] }, walks: 3 },
  "a truncated body in every walk": {
    site: { ...OK, "/a": truncated },
    verdict: "partial",
    walks: 4,
  },
  "a timeout": {
    site: { ...OK, "/a": [silence(), page("/a")] },
    options: { timeout: 50 },
    walks: 2,
  },
  "a connection that is refused": {
    site: { ...OK, "/robots.txt": [refused(), refused(), ROBOTS] },
    walks: 3,
  },
  "connections that are refused in every walk": {
    site: { "/robots.txt": refused() },
    verdict: "blocked",
    pages: [],
    walks: 4,
  },
  "a host that does not exist": {
    site: { "/robots.txt": refused(LOOKUP) },
    verdict: "blocked",
    pages: [],
  },
  "a host that is down": {
    site: {
      "/robots.txt": robots(...["a", "b", "c", "d", "e", "f"].map((name) => `${HOST}/${name}`)),
      ...Object.fromEntries(
        ["a", "b", "c", "d", "e", "f"].map((name) => [`/${name}`, [refused(), page(`/${name}`)]]),
      ),
    },
    options: { concurrency: 1 },
    pages: ["a", "b", "c", "d", "e", "f"].map((name) => `/${name} /${name}/page`),
    walks: 3,
  },
  "a site that is refused for longer than a walk waits": {
    site: { ...OK, "/robots.txt": [status(429, { "retry-after": "1" }), ROBOTS] },
    options: { maxRetryDelay: 100 },
    walks: 2,
  },
  "a child that has to wait for longer than maxWait": {
    site: { ...OK, "/a": [status(429, { "retry-after": "1" }), page("/a")] },
    options: { retries: 2, maxWait: 50 },
    walks: 2,
  },
  "a login page": { site: { ...OK, "/robots.txt": status(401) }, verdict: "blocked", pages: [] },
};

function scriptOf({ site }: SiteCase): ScriptedFetch {
  return new ScriptedFetch(
    Object.fromEntries(Object.entries(site).map(([path, answer]) => [HOST + path, answer])),
  );
}

testFleets(
  "a fleet gives each site one verdict",
  Object.fromEntries(
    Object.entries(SITES).map(([name, expected]) => [name, async (database) => {
      const script = scriptOf(expected);
      const fleet = await database.open({ walk: { fetch: script.fetch } });
      await walkAll(fleet, [{ url: HOST, ...expected.options }]);
      assertEquals(await verdictsOf(fleet), { [`${HOST}/`]: expected.verdict ?? "complete" });
      assertEquals(
        (await pagesOf(fleet)).map((line) => line.replaceAll(HOST, "")),
        [...expected.pages ?? ALL],
      );
      assertEquals(script.counts[`${HOST}/robots.txt`], expected.walks ?? 1);
      const headers = script.requests.map(({ headers }) => headers.has("x-own"));
      assert(headers.every((has) => has === (expected.options?.headers !== undefined)));
      await checkRun(database);
    }]),
  ),
);

/** Delays of walks by options of a fleet. */
const DELAYS: readonly (readonly [FleetOptions["retryDelays"], number])[] = [[[], 1], [[0], 2]];

testFleets("a site that failed for a passing reason", {
  "is walked again as often as there are delays": async (database) => {
    for (const [retryDelays, walks] of DELAYS) {
      const script = scriptOf({ site: { "/robots.txt": refused() } });
      const fleet = await database.open({
        retryDelays: retryDelays!,
        walk: { fetch: script.fetch },
      });
      await walkAll(fleet, [HOST], `${walks}`);
      assertEquals(script.requests.length, walks);
      const [site] = await Array.fromAsync(fleet.sites(`${walks}`));
      assertEquals([site!.verdict, site!.tries], ["blocked", 0]);
      assert(site!.reason?.includes("onnection refused"), site!.reason);
    }
  },

  "waits for its delay, is counted as waiting, and is not done": async (database) => {
    const script = scriptOf({ site: { "/robots.txt": refused() } });
    const fleet = await database.open({ retryDelays: [3_600_000], walk: { fetch: script.fetch } });
    await fleet.enqueue("run", [HOST]);
    const stop = new AbortController();
    const working = fleet.work({ signal: stop.signal, drain: true });
    for await (const { waiting, done, active } of fleet.progress("run", { interval: 20 })) {
      assertEquals(done, 0);
      if (waiting === 1 && active === 0) break;
    }
    const [site] = await Array.fromAsync(fleet.sites("run"));
    assertEquals([site!.verdict, site!.tries, site!.finished], [undefined, 1, undefined]);
    await checkRun(database, { isSettled: false });
    const [row] = await database.query(
      "select extract(epoch from due - now())::float as wait from sitetree.fleet_site",
    );
    assert(row!.wait > 0.7 * 3600 && row!.wait < 1.3 * 3600, `${row!.wait} s`);
    stop.abort();
    await working;
    assertEquals(script.requests.length, 1);
  },

  "pays for what it had settled with a 304": async (database) => {
    const etag = '"1"';
    const script = scriptOf({
      site: {
        "/robots.txt": conditional(etag, ROBOTS),
        "/i": conditional(etag, INDEX),
        "/a": [status(503), status(503), page("/a")],
        "/b": conditional(etag, page("/b")),
      },
    });
    const fleet = await database.open({ walk: { fetch: script.fetch } });
    await walkAll(fleet, [HOST]);
    assertEquals(await verdictsOf(fleet), { [`${HOST}/`]: "complete" });
    const again = script.requests.filter(({ url }) => url === `${HOST}/b`).slice(1);
    assertEquals(again.map(({ headers }) => headers.get("if-none-match")), [etag, etag]);
    assertEquals((await pagesOf(fleet)).length, 2);
  },
});
