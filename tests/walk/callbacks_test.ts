import { assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { walk, type WalkOptions } from "../../mod.ts";
import { walkWith } from "../../src/walk/walk.ts";
import { FakeClock } from "../http/fake_clock.ts";
import { silence } from "../http/scripted_fetch.ts";
import { serveSite } from "../support/fixture_server.ts";
import { fixtureSite } from "./memory_site.ts";
import {
  at,
  HOME,
  index,
  numbered,
  type Pages,
  robots,
  short,
  siteFetch,
  sitemapsAt,
  urlset,
} from "./site.ts";
import { DONE, outline, searched, untilError, untilIdle, walked } from "./walked.ts";

const SITE: Pages = {
  "/robots.txt": robots("/i", "/z"),
  "/i": index("/a", "/b", "/c"),
  "/a": urlset("/1"),
  "/b": urlset("/2"),
  "/c": urlset("/3"),
  "/z": urlset("/4"),
};

Deno.test("callbacks get the level of the listing sitemap and the URLs above it", async () => {
  const asked: unknown[] = [], listed: unknown[] = [];
  await walked(SITE, {
    recurseListCallback(urls, level, parents) {
      listed.push([urls, level, parents]);
      return urls;
    },
    recurseCallback(address, level, parents) {
      asked.push([address, level, parents]);
      return true;
    },
    concurrency: 1,
  });
  const below = [at("/robots.txt")], deeper = [at("/robots.txt"), at("/i")];
  assertEquals(listed, [
    [["/i", "/z"].map(at), 0, below],
    [["/a", "/b", "/c"].map(at), 1, deeper],
  ]);
  assertEquals(asked, [
    [at("/i"), 0, below],
    ...["/a", "/b", "/c"].map((path) => [at(path), 1, deeper]),
    [at("/z"), 0, below],
  ]);
});

Deno.test("sitemaps refused by a callback are not requested and leave no gap", async () => {
  const isWanted = (url: string) => !/[bz]$/.test(url);
  const refuse: Readonly<Record<string, WalkOptions>> = {
    "one by one": { recurseCallback: isWanted },
    "one by one, later": { recurseCallback: (url) => Promise.resolve(isWanted(url)) },
    "as a list": { recurseListCallback: (urls) => urls.filter(isWanted) },
    "as a list, later": {
      recurseListCallback: (urls) => Promise.resolve(new Set(urls.filter(isWanted))),
    },
  };
  for (const [how, options] of Object.entries(refuse)) {
    const result = await walked(SITE, { ...options });
    assertEquals(result.paths.toSorted(), ["/a", "/c", "/i", "/robots.txt"], how);
    assertEquals(result.verdict, "complete", "a filtered sitemap is not a loss");
    const indexes = result.refs().map(({ url, index }) => [short(url), index]);
    const expected = { "/": 0, "/robots.txt": 0, "/i": 0, "/a": 0, "/c": 1 };
    assertEquals(Object.fromEntries(indexes), expected);
  }
});

Deno.test("recurseListCallback may reorder, and recurseCallback is called after it", async () => {
  const asked: string[] = [];
  const { pages } = await walked(SITE, {
    recurseListCallback: (urls) => [...urls].reverse(),
    recurseCallback: (url) => asked.push(short(url)) > 0,
    concurrency: 1,
  });
  assertEquals(asked, ["/z", "/i", "/c", "/b", "/a"]);
  assertEquals(pages, ["/4", "/3", "/2", "/1"]);
});

Deno.test("callbacks may change their arguments", async () => {
  const { outline, stats, verdict } = await walked(SITE, {
    recurseListCallback(urls, _level, parents) {
      const copy = [...urls];
      (urls as string[]).length = 0;
      (parents as string[]).length = 0;
      return copy;
    },
    recurseCallback(_url, _level, parents) {
      (parents as string[]).push("https://nonsense.test/");
      return true;
    },
  });
  assertEquals([stats.pages, verdict], [4, "complete"]);
  assertEquals(outline, (await walked(SITE)).outline);
});

Deno.test("callbacks are not called for known paths, but for their children", async () => {
  const asked: string[] = [];
  const site = { "/sitemap.xml": index("/a", "/b"), "/a": urlset("/1"), "/b": urlset("/2") };
  const { pages } = await searched(site, {
    recurseCallback: (url, level) => {
      asked.push(`${short(url)} ${level}`);
      return url.endsWith("a");
    },
  });
  assertEquals([asked, pages], [["/a 0", "/b 0"], ["/1"]]);
});

Deno.test("callbacks are called once per sitemap, in order, with prefetching too", async () => {
  const asked: string[] = [];
  const paths = numbered(30, (at) => `/${at}`);
  await walked({ "/robots.txt": robots(...paths), ...sitemapsAt(paths) }, {
    concurrency: 5,
    recurseCallback: async (url) => {
      asked.push(short(url));
      await new Promise((resolve) => setTimeout(resolve, 0));
      return true;
    },
  });
  assertEquals(asked, paths);
});

Deno.test("walk() throws the error of a callback after all earlier events", async () => {
  const mine = new Error("mine");
  let calls = 0;
  const recurseCallback = (url: string) => {
    // only the first call fails: a second call would hide the error
    if (url.endsWith("/c") && ++calls === 1) throw mine;
    return true;
  };
  const options = { fetch: siteFetch(SITE).fetch, recurseCallback, useKnownPaths: false };
  const { events, error } = await untilError(walk(HOME, options));
  assertStrictEquals(error, mine);
  assertEquals(calls, 1);
  assertEquals(outline(events), [
    ...["entered /", "entered /robots.txt", "entered /i"],
    ...["entered /a", "page /1", "left /a", "entered /b", "page /2", "left /b"],
  ]);
});

function failing(mine: Error): Readonly<Record<string, WalkOptions>> {
  let asked = 0;
  return {
    "recurseCallback, later": {
      async recurseCallback(_url, level) {
        await new Promise((resolve) => setTimeout(resolve, 1));
        if (level > 0 && ++asked > 1) throw mine;
        return true;
      },
    },
    "recurseListCallback, at once": {
      recurseListCallback(urls, level) {
        if (level > 0) throw mine;
        return urls;
      },
    },
    "recurseListCallback, later": { recurseListCallback: () => Promise.reject(mine) },
    "hosts": {
      hosts: ({ pathname }) => {
        if (/\/(sitemaps|deep|leaves)\//.test(pathname)) throw mine;
        return true;
      },
    },
  };
}

Deno.test(`a failing callback leaves nothing open`, async () => {
  for (const site of ["demo", "nested"]) {
    const mine = new Error("mine");
    for (const [how, options] of Object.entries(failing(mine))) {
      const memory = fixtureSite(site);
      const events = walk(HOME, { fetch: memory.fetch, ...options });
      const error = await Array.fromAsync(events).catch((error) => error);
      assertStrictEquals(error, mine, `${how} of "${site}"`);
      assertEquals(await events.next(), DONE);
      await events.return();
      assertEquals(memory.open, []);
    }
    for (const [how, options] of Object.entries(failing(mine))) {
      await using server = serveSite(site);
      const walked = Array.fromAsync(walk(server.url, { retryDelay: 0, ...options }));
      assertStrictEquals(await walked.catch((error) => error), mine, how);
      await untilIdle(server);
    }
  }
});

Deno.test("walk() throws the error of a callback without waiting for pending requests", async () => {
  const mine = new Error("mine");
  const clock = new FakeClock();
  const { fetch } = siteFetch({
    "/robots.txt": robots("/i", "/hangs"),
    "/i": index("/a", "/b"),
    "/hangs": silence(false),
  });
  const options: WalkOptions = {
    fetch,
    recurseCallback: (_url, level) => {
      if (level > 0) throw mine;
      return true;
    },
  };
  const start = clock.time;
  const events = walkWith(HOME, options, { clock });
  const outcome = await clock.run(Array.fromAsync(events).catch((error) => error));
  assertStrictEquals(outcome, mine);
  assertEquals([clock.time, clock.pending], [start, 0], "no time has passed");
});

Deno.test("walk() rejects invalid results of recurseListCallback", async () => {
  const give = (value: unknown) => walked(SITE, { recurseListCallback: () => value as string[] });
  await assertRejects(() => give(5), TypeError);
  await assertRejects(() => give(["no url"]), TypeError);
});
