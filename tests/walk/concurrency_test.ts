import { assert, assertEquals } from "@std/assert";
import { type TreeEvent, walk, type WalkOptions } from "../../mod.ts";
import { walkWith } from "../../src/walk/walk.ts";
import { FakeClock } from "../http/fake_clock.ts";
import { serveRoutes } from "../support/fixture_server.ts";
import { type LargeDocument, largeSite, largeUrlset, type MemorySite } from "./memory_site.ts";
import { HOME, index, numbered, robots, sitemapsAt, urlset } from "./site.ts";
import { untilIdle, Walked, walkedFrom } from "./walked.ts";

/** More bytes than are kept of a prefetched body. */
const LARGE = 300 * 1024;

/** Returns large sitemaps by path, each named after its path. */
function largeAt(...paths: string[]): Record<string, string> {
  return Object.fromEntries(paths.map((path) => [path, largeUrlset(path.slice(1), LARGE)]));
}

/** Walks a site, and fails instead of hanging; `onEvent` is awaited. */
async function allOf(
  site: MemorySite,
  options: WalkOptions,
  onEvent: (event: TreeEvent) => unknown = () => {},
): Promise<Walked> {
  const defaults = { fetch: site.fetch, retryDelay: 0, useKnownPaths: false };
  const events: TreeEvent[] = [];
  const loop = async () => {
    for await (const event of walk(HOME, { ...defaults, ...options })) {
      events.push(event);
      await onEvent(event);
    }
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stuck = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`The walk is stuck, open: ${site.open}`)), 30_000);
  });
  await Promise.race([loop(), stuck]).finally(() => clearTimeout(timer));
  return new Walked(events);
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, milliseconds));
}

/** Returns the names of the sitemaps with pages, in order, with their numbers of pages. */
function pagesByName({ pages, stats }: Walked): Record<string, number> {
  assertEquals(new Set(pages).size, stats.pages, "no page comes twice");
  const byName = Map.groupBy(pages, (page) => page.split("/")[1]!);
  return Object.fromEntries([...byName].map(([name, { length }]) => [name, length]));
}

for (const concurrency of [1, 2, 8]) {
  Deno.test(`walk() makes up to ${concurrency} concurrent requests`, async () => {
    const paths = numbered(40, (at) => `/s${at}`);
    await using server = serveRoutes({
      "/robots.txt": () => new Response(robots(...paths.map((path) => server.origin + path))),
      "*": (_, path) => paths.includes(path) ? new Response(urlset(path)) : undefined,
      // long enough for all of them to start
    }, { delay: 6 * concurrency });
    const { stats } = await walkedFrom(server.url, { concurrency });
    assertEquals([stats.pages, server.maxUnderWay], [40, concurrency]);
    const asked = Object.values(server.counts);
    assert(asked.every((count) => count === 1), "nothing is asked for twice");
  });
}

/** Returns a tree of indexes with three levels, every leaf too large to be prefetched whole. */
function nestedSite(): MemorySite {
  const documents: Record<string, LargeDocument> = {
    "/robots.txt": robots("/top"),
    "/top": index("/a", "/leaf0", "/b", "/leaf1"),
    ...largeAt(...LEAVES_IN_ORDER.map((name) => `/${name}`)),
  };
  for (const branch of ["/a", "/b"]) {
    documents[branch] = index(`${branch}1`, `${branch}2`, `${branch}leaf`);
    for (const twig of [`${branch}1`, `${branch}2`]) {
      documents[twig] = index(`${twig}x`, `${twig}y`, `${twig}z`);
    }
  }
  return largeSite(documents);
}

const LEAVES_IN_ORDER = [
  ...["a1x", "a1y", "a1z", "a2x", "a2y", "a2z", "aleaf", "leaf0"],
  ...["b1x", "b1y", "b1z", "b2x", "b2y", "b2z", "bleaf", "leaf1"],
];

function assertAllLeaves(result: Walked): void {
  assertEquals(result.verdict, "complete");
  const counts = pagesByName(result);
  assertEquals(new Set(Object.values(counts)).size, 1, "each gave all of its pages");
  const names = Object.keys(counts);
  assertEquals(names, LEAVES_IN_ORDER);
}

for (const concurrency of [1, 2, 3, 8]) {
  Deno.test(`nested indexes of large sitemaps do not deadlock, with ${concurrency} requests`, async () => {
    const site = nestedSite();
    assertAllLeaves(await allOf(site, { concurrency }));
    assertEquals(site.open, []);
    assert(site.maxOpen <= concurrency, `${site.maxOpen} were open at once`);
    if (concurrency < 4) assertEquals(site.maxOpen, concurrency, "there is enough to do");
  });
}

Deno.test("walk() reads nested indexes of large sitemaps on a real network", async () => {
  const site = nestedSite();
  await using server = serveRoutes({
    "*": async (_request, path) => {
      const response = await site.fetch(HOME.slice(0, -1) + path, {});
      return new Response(response.body, { status: response.status });
    },
  });
  for (const concurrency of [1, 2, 3]) {
    const fetch = (url: string, init: RequestInit) =>
      globalThis.fetch(new URL(new URL(url).pathname, server.url), init);
    assertAllLeaves(await allOf(site, { concurrency, fetch }));
    await untilIdle(server);
  }
});

Deno.test("an evicted sitemap is requested again, and no page is lost or repeated", async () => {
  const site = largeSite({
    "/robots.txt": robots("/top"),
    "/top": index("/inner", "/large"),
    "/inner": largeIndex("/x", "/y", "/z"),
    ...largeAt("/x", "/y", "/z", "/large"),
  });
  const result = await allOf(site, { concurrency: 2 });
  assertEquals(Object.keys(pagesByName(result)), ["x", "y", "z", "large"]);
  assertEquals([result.verdict, site.counts["/large"]], ["complete", 2]);
  assertEquals([site.maxOpen, site.open], [2, []]);
  assertEquals(result.stats.retries, 0, "it is not a failure");
});

/** An index that arrives so slowly that its siblings are held back. */
function largeIndex(...urls: string[]): string {
  return index(...urls).replace("</sitemapindex>", `<!--${" ".repeat(LARGE)}-->$&`);
}

Deno.test("later sitemaps are not evicted repeatedly while a long list is read slowly", async () => {
  const small = numbered(40, (at) => `/small${at}`);
  const large = ["/large1", "/large2", "/large3"];
  const site = largeSite({
    "/robots.txt": robots("/top"),
    "/top": index("/inner", ...large),
    "/inner": index(...small),
    ...largeAt(...large),
    ...sitemapsAt(small),
  });
  await allOf(site, { concurrency: 4 }, ({ type }) => type === "sitemap-entered" && pause(3));
  for (const path of large) {
    assert(site.counts[path]! <= 2, `${path} was asked for ${site.counts[path]} times`);
  }
  assert(small.every((path) => site.counts[path] === 1));
  assertEquals(site.maxOpen, 4);
});

Deno.test("large sitemaps are prefetched up to the last one", async () => {
  const paths = numbered(8, (at) => `/large${at}`);
  const site = largeSite({ "/robots.txt": robots(...paths), ...largeAt(...paths) });
  const asked: string[] = [];
  await allOf(site, { concurrency: 3 }, async (event) => {
    if (event.type !== "sitemap-entered" || event.sitemap.level < 1) return;
    await pause(5);
    asked.push(`${event.sitemap.index}: ${site.open}`);
  });
  assertEquals(asked, paths.map((_, at) => `${at}: ${paths.slice(at, at + 3)}`));
  assertEquals(Object.values(site.counts).every((count) => count === 1), true);
});

/** Returns a site of two large sitemaps, of which the second breaks off. */
function breakingSite(breaksAt: number): MemorySite {
  const { "/second": text, ...first } = largeAt("/first", "/second");
  const second = { text: text!, breaksAt };
  return largeSite({ "/robots.txt": robots("/first", "/second"), ...first, "/second": second });
}

Deno.test("a held-back body that breaks off is requested again", async () => {
  const site = breakingSite(64 * 1024);
  let events = 0;
  const result = await allOf(site, {}, async ({ type }) => {
    // until the second body is held back
    if (++events < 20 && type === "page") await pause(2);
  });
  assertEquals([site.counts["/second"], result.verdict], [2, "complete"]);
  const { first, second } = pagesByName(result);
  assertEquals(second, first);
});

Deno.test("a body that breaks off is truncated without retries, prefetched or not", async () => {
  for (const concurrency of [1, 2]) {
    const site = breakingSite(32 * 1024);
    const result = await allOf(site, { concurrency, retries: 0 });
    assertEquals(site.counts["/second"], 1);
    assertEquals([result.warnings, result.verdict], [["body-cut /second"], "partial"]);
    assert(pagesByName(result)["second"]! > 10);
  }
});

Deno.test("time in which the consumer is busy counts for no timeout", async () => {
  const site = largeSite({
    "/robots.txt": robots("/first", "/second"),
    ...largeAt("/first", "/second"),
  });
  const clock = new FakeClock();
  const limits = { timeout: 1000, maxRequestTime: 5000, concurrency: 2 };
  const options = { fetch: site.fetch, useKnownPaths: false, ...limits };
  const all: TreeEvent[] = [];
  for await (const event of walkWith(HOME, options, { clock })) {
    all.push(event);
    if (event.type !== "page") continue;
    await clock.settle();
    assertEquals(clock.pending, 0, "no timer runs while the consumer is busy");
    clock.skip(10_000);
  }
  const { verdict, stats } = new Walked(all);
  assertEquals(verdict, "complete");
  assert(stats.durationMs > 1_000_000);
  assertEquals(site.counts, { "/robots.txt": 1, "/first": 1, "/second": 1 });
});

Deno.test("held-back known paths are evicted in favour of the children of a known path", async () => {
  for (const concurrency of [2, 3]) {
    const site = largeSite({
      "/sitemap_index.xml": largeIndex("/x", "/y", "/z", "/sitemap.txt"),
      "/sitemap-index.xml": largeUrlset("guess1", LARGE),
      "/sitemap_index.xml.gz": largeUrlset("guess2", LARGE),
      "/sitemap.txt": numbered(300, (at) => `${HOME}listed/${at}`).join("\n"),
      ...largeAt("/x", "/y", "/z"),
    });
    const options = { concurrency, useKnownPaths: true, useRobots: false };
    const result = await allOf(site, options);
    const names = Object.keys(pagesByName(result)).toSorted();
    assertEquals(names, ["guess1", "guess2", "listed", "x", "y", "z"]);
    assertEquals([result.verdict, site.open], ["complete", []]);
    assert(site.maxOpen <= concurrency, `${site.maxOpen} were open at once`);
    assert(site.counts["/sitemap-index.xml"]! <= 2);
  }
});

Deno.test("no more sitemaps are prefetched than maxSitemaps allows", async () => {
  const names = numbered(20, (at) => `/s${at}`);
  const site = largeSite({ "/robots.txt": robots(...names), ...sitemapsAt(names) });
  const { stats } = await allOf(site, { concurrency: 8, maxSitemaps: 3 });
  assertEquals(Object.keys(site.counts), ["/robots.txt", "/s0", "/s1", "/s2"]);
  assertEquals(stats.pages, 3);
});
