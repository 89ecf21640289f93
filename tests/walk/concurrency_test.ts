import { assert, assertEquals } from "@std/assert";
import { collect, walk, type WalkOptions } from "../../mod.ts";
import type { TreeEvent } from "../../src/data/events.ts";
import { walkWith } from "../../src/walk/walk.ts";
import { FakeClock } from "../http/fake_clock.ts";
import { serveRoutes } from "../support/fixture_server.ts";
import { type LargeDocument, LargeSite, largeUrlset } from "./large_site.ts";
import {
  finishedOf,
  HOME,
  index,
  ORDERS,
  robots,
  treeData,
  untilIdle,
  urlset,
} from "./walk_support.ts";

/** More bytes than are kept of a prefetched body. */
const LARGE = 300 * 1024;

function document(text: string): LargeDocument {
  return { text };
}

function allOf(site: LargeSite, options: WalkOptions): Promise<TreeEvent[]> {
  const walked = Array.fromAsync(
    walk(HOME, { fetch: site.fetch, retryDelay: 0, useKnownPaths: false, ...options }),
  );
  return unlessStuck(walked, () => `open: ${site.open}`);
}

/** Fails instead of hanging. */
async function unlessStuck<T>(promise: Promise<T>, state: () => string): Promise<T> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const stuck = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`The walk is stuck, ${state()}`)), 30_000);
  });
  return await Promise.race([promise, stuck]).finally(() => clearTimeout(timer));
}

/** Returns the names of the sitemaps with pages, in order, with their numbers of pages. */
function pagesByName(events: readonly TreeEvent[]): Record<string, number> {
  const counts: Record<string, number> = {};
  const urls = new Set<string>();
  for (const event of events) {
    if (event.type !== "page") continue;
    const name = new URL(event.page.url).pathname.split("/")[1]!;
    counts[name] = (counts[name] ?? 0) + 1;
    urls.add(event.page.url);
  }
  assertEquals(urls.size, finishedOf(events).stats.pages, "no page comes twice");
  return counts;
}

for (const order of ORDERS) {
  for (const concurrency of [1, 2, 8]) {
    Deno.test(`walk() makes up to ${concurrency} concurrent requests, in ${order} order`, async () => {
      const names = Array.from({ length: 40 }, (_, at) => `s${at}`);
      await using server = serveRoutes({
        "/robots.txt": () => new Response(robots(...names.map((name) => `${server.url}${name}`))),
        ...Object.fromEntries(
          names.map((name) => [`/${name}`, () => new Response(urlset(`https://a.test/${name}`))]),
        ),
        // long enough for all of them to start
      }, { delay: 6 * concurrency });
      const events = await Array.fromAsync(walk(server.url, { order, concurrency }));
      assertEquals(server.maxUnderWay, concurrency);
      assertEquals(finishedOf(events).stats.pages, 40);
      const asked = Object.values(server.counts);
      assert(asked.every((count) => count === 1), "nothing is asked for twice");
    });
  }
}

/** Returns a tree of indexes with three levels, every leaf too large to be prefetched whole. */
function nestedSite(): LargeSite {
  const documents: Record<string, LargeDocument> = {
    "/robots.txt": document(robots("/top")),
    "/top": document(index("/a", "/leaf0", "/b", "/leaf1")),
    "/leaf0": largeUrlset("leaf0", LARGE),
    "/leaf1": largeUrlset("leaf1", LARGE),
  };
  for (const branch of ["a", "b"]) {
    documents[`/${branch}`] = document(index(`/${branch}1`, `/${branch}2`, `/${branch}leaf`));
    documents[`/${branch}leaf`] = largeUrlset(`${branch}leaf`, LARGE);
    for (const twig of [`${branch}1`, `${branch}2`]) {
      documents[`/${twig}`] = document(index(`/${twig}x`, `/${twig}y`, `/${twig}z`));
      for (const leaf of ["x", "y", "z"]) {
        documents[`/${twig}${leaf}`] = largeUrlset(`${twig}${leaf}`, LARGE);
      }
    }
  }
  return new LargeSite(documents);
}

const LEAVES_IN_ORDER = [
  ...["a1x", "a1y", "a1z", "a2x", "a2y", "a2z", "aleaf", "leaf0"],
  ...["b1x", "b1y", "b1z", "b2x", "b2y", "b2z", "bleaf", "leaf1"],
];

for (const order of ORDERS) {
  for (const concurrency of [1, 2, 3, 8]) {
    Deno.test(`nested indexes of large sitemaps do not deadlock, with ${concurrency} requests in ${order} order`, async () => {
      const site = nestedSite();
      const events = await allOf(site, { order, concurrency });
      const counts = pagesByName(events);
      assertEquals(finishedOf(events).verdict, "complete");
      assertEquals(new Set(Object.values(counts)).size, 1, "each gave all of its pages");
      const names = Object.keys(counts);
      assertEquals(
        order === "document" ? names : names.sort(),
        order === "document" ? LEAVES_IN_ORDER : LEAVES_IN_ORDER.toSorted(),
      );
      assertEquals(site.open, []);
      assert(site.maxOpen <= concurrency, `${site.maxOpen} were open at once`);
      if (concurrency < 4) assertEquals(site.maxOpen, concurrency, "there is enough to do");
      if (order === "arrival") {
        assertEquals(
          Object.values(site.counts).filter((count) => count > 1),
          [],
          "nothing gives way",
        );
      }
    });
  }
}

Deno.test("walk() reads nested indexes of large sitemaps on a real network", async () => {
  const site = nestedSite();
  await using server = serveRoutes({
    "*": async (_request, path) => {
      const response = await site.fetch(HOME.slice(0, -1) + path, {});
      return new Response(response.body, { status: response.status });
    },
  });
  for (const order of ORDERS) {
    for (const concurrency of [1, 2, 3]) {
      const fetch = (url: string, init: RequestInit) =>
        globalThis.fetch(new URL(new URL(url).pathname, server.url), init);
      const options = { order, concurrency, fetch, useKnownPaths: false };
      const events = await Array.fromAsync(walk(HOME, options));
      const counts = pagesByName(events);
      assertEquals(Object.keys(counts).toSorted(), LEAVES_IN_ORDER.toSorted());
      assertEquals(new Set(Object.values(counts)).size, 1);
      assertEquals(finishedOf(events).verdict, "complete");
      await untilIdle(server);
    }
  }
});

Deno.test("an evicted sitemap is requested again, and no page is lost or repeated", async () => {
  const site = new LargeSite({
    "/robots.txt": document(robots("/top")),
    "/top": document(index("/inner", "/large")),
    "/inner": largeIndex("/x", "/y", "/z"),
    "/x": largeUrlset("x", LARGE),
    "/y": largeUrlset("y", LARGE),
    "/z": largeUrlset("z", LARGE),
    "/large": largeUrlset("large", LARGE),
  });
  const events = await allOf(site, { concurrency: 2 });
  assertEquals(Object.keys(pagesByName(events)), ["x", "y", "z", "large"]);
  assertEquals(finishedOf(events).verdict, "complete");
  assertEquals(site.counts["/large"], 2);
  assertEquals([site.maxOpen, site.open], [2, []]);
  assertEquals(finishedOf(events).stats.retries, 0, "it is not a failure");
});

/** An index that arrives so slowly that its siblings are held back. */
function largeIndex(...urls: string[]): LargeDocument {
  return document(
    index(...urls).replace("</sitemapindex>", `<!--${" ".repeat(LARGE)}--></sitemapindex>`),
  );
}

Deno.test("later sitemaps are not evicted repeatedly while a long list is read slowly", async () => {
  const small = Array.from({ length: 40 }, (_, at) => `/small${at}`);
  const site = new LargeSite({
    "/robots.txt": document(robots("/top")),
    "/top": document(index("/inner", "/large1", "/large2", "/large3")),
    "/inner": document(index(...small)),
    "/large1": largeUrlset("large1", LARGE),
    "/large2": largeUrlset("large2", LARGE),
    "/large3": largeUrlset("large3", LARGE),
    ...Object.fromEntries(small.map((path) => [path, document(urlset(HOME + path))])),
  });
  const options = { fetch: site.fetch, useKnownPaths: false, concurrency: 4 };
  for await (const event of walk(HOME, options)) {
    if (event.type === "sitemap-entered") await new Promise((resolve) => setTimeout(resolve, 3));
  }
  for (const path of ["/large1", "/large2", "/large3"]) {
    assert(site.counts[path]! <= 2, `${path} was asked for ${site.counts[path]} times`);
  }
  assert(small.every((path) => site.counts[path] === 1));
  assertEquals(site.maxOpen, 4);
});

Deno.test("large sitemaps are prefetched up to the last one", async () => {
  const names = Array.from({ length: 8 }, (_, at) => `large${at}`);
  const site = new LargeSite({
    "/robots.txt": document(robots(...names.map((name) => `/${name}`))),
    ...Object.fromEntries(names.map((name) => [`/${name}`, largeUrlset(name, LARGE)])),
  });
  const asked: string[] = [];
  for await (
    const event of walk(HOME, { fetch: site.fetch, useKnownPaths: false, concurrency: 3 })
  ) {
    if (event.type !== "sitemap-entered" || event.sitemap.level < 1) continue;
    await new Promise((resolve) => setTimeout(resolve, 5));
    asked.push(`${event.sitemap.index}: ${site.open}`);
  }
  const paths = names.map((name) => `/${name}`);
  assertEquals(asked, paths.map((_, at) => `${at}: ${paths.slice(at, at + 3)}`));
  assertEquals(Object.values(site.counts).every((count) => count === 1), true);
});

Deno.test("a held-back body that breaks off is requested again", async () => {
  const whole = largeUrlset("second", LARGE);
  const site = new LargeSite({
    "/robots.txt": document(robots("/first", "/second")),
    "/first": largeUrlset("first", LARGE),
    "/second": { ...whole, breaksAt: 64 * 1024 },
  });
  const events: TreeEvent[] = [];
  for await (const event of walk(HOME, { fetch: site.fetch, useKnownPaths: false })) {
    events.push(event);
    // until the second body is held back
    if (event.type === "page" && events.length < 20) {
      await new Promise((done) => setTimeout(done, 2));
    }
  }
  assertEquals(site.counts["/second"], 2);
  assertEquals(finishedOf(events).verdict, "complete");
  assertEquals(pagesByName(events)["second"], whole.text.split("<url>").length - 1);
});

Deno.test("a body that breaks off is truncated without retries, prefetched or not", async () => {
  for (const concurrency of [1, 2]) {
    const site = new LargeSite({
      "/robots.txt": document(robots("/first", "/second")),
      "/first": largeUrlset("first", LARGE),
      "/second": { ...largeUrlset("second", LARGE), breaksAt: 32 * 1024 },
    });
    const events = await allOf(site, { concurrency, retries: 0 });
    assertEquals(site.counts["/second"], 1);
    const warnings = events.flatMap((event) => event.type === "warning" ? [event.code] : []);
    assertEquals(warnings, ["body-cut"]);
    assertEquals(finishedOf(events).verdict, "partial");
    assert(pagesByName(events)["second"]! > 10);
  }
});

Deno.test("time in which the consumer is busy counts for no timeout", async () => {
  const site = new LargeSite({
    "/robots.txt": document(robots("/first", "/second")),
    "/first": largeUrlset("first", LARGE),
    "/second": largeUrlset("second", LARGE),
  });
  const clock = new FakeClock();
  const options = {
    fetch: site.fetch,
    useKnownPaths: false,
    timeout: 1000,
    maxRequestTime: 5000,
    concurrency: 2,
  };
  const events = walkWith(HOME, options, { clock });
  const all: TreeEvent[] = [];
  for await (const event of events) {
    all.push(event);
    if (event.type !== "page") continue;
    await clock.settle();
    assertEquals(clock.pending, 0, "no timer runs while the consumer is busy");
    clock.skip(10_000);
  }
  assertEquals(finishedOf(all).verdict, "complete");
  assert(finishedOf(all).stats.durationMs > 1_000_000);
  assertEquals(site.counts, { "/robots.txt": 1, "/first": 1, "/second": 1 });
});

Deno.test("held-back known paths are evicted in favour of the children of a known path", async () => {
  for (const order of ORDERS) {
    for (const concurrency of [2, 3]) {
      const site = new LargeSite({
        "/sitemap_index.xml": largeIndex("/x", "/y", "/z", "/sitemap.txt"),
        "/sitemap-index.xml": largeUrlset("guess1", LARGE),
        "/sitemap_index.xml.gz": largeUrlset("guess2", LARGE),
        "/sitemap.txt": document(
          Array.from({ length: 300 }, (_, at) => `${HOME}listed/${at}`).join("\n"),
        ),
        "/x": largeUrlset("x", LARGE),
        "/y": largeUrlset("y", LARGE),
        "/z": largeUrlset("z", LARGE),
      });
      const events = await allOf(site, {
        order,
        concurrency,
        useKnownPaths: true,
        useRobots: false,
      });
      assertEquals(Object.keys(pagesByName(events)).toSorted(), [
        ...["guess1", "guess2", "listed", "x", "y", "z"],
      ]);
      assertEquals([finishedOf(events).verdict, site.open], ["complete", []]);
      assert(site.maxOpen <= concurrency, `${site.maxOpen} were open at once`);
      assert(site.counts["/sitemap-index.xml"]! <= 2);
    }
  }
});

Deno.test("no more sitemaps are prefetched than maxSitemaps allows", async () => {
  const names = Array.from({ length: 20 }, (_, at) => `/s${at}`);
  for (const order of ORDERS) {
    const site = new LargeSite({
      "/robots.txt": document(robots(...names)),
      ...Object.fromEntries(names.map((name) => [name, document(urlset(HOME + name))])),
    });
    const events = await allOf(site, { order, concurrency: 8, maxSitemaps: 3 });
    assertEquals(Object.keys(site.counts), ["/robots.txt", "/s0", "/s1", "/s2"]);
    assertEquals(finishedOf(events).stats.pages, 3);
  }
});

Deno.test("a wide and deep tree in arrival order is not opened all at once", async () => {
  const documents: Record<string, LargeDocument> = { "/robots.txt": document(robots("/t")) };
  const grow = (path: string, depth: number) => {
    if (depth === 0) return void (documents[path] = document(urlset(`${HOME}p${path}`)));
    const children = ["0", "1", "2"].map((digit) => path + digit);
    documents[path] = document(index(...children));
    for (const child of children) grow(child, depth - 1);
  };
  grow("/t", 5);
  const site = new LargeSite(documents);
  let open = 0, most = 0;
  const events: TreeEvent[] = [];
  const options = {
    fetch: site.fetch,
    useKnownPaths: false,
    order: "arrival",
    concurrency: 3,
  } as const;
  for await (const event of walk(HOME, options)) {
    events.push(event);
    if (event.type === "sitemap-entered") most = Math.max(most, ++open);
    if (event.type === "sitemap-left") open--;
  }
  assertEquals(finishedOf(events).stats.pages, 3 ** 5);
  assert(most <= 3 + 3 * 7, `${most} sitemaps were open at once`);
  assertEquals(site.maxOpen, 3);
  const document2 = await collect(walk(HOME, { fetch: site.fetch, useKnownPaths: false }));
  assertEquals(treeData(await collect(events)), treeData(document2));
});
