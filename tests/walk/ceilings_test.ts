import { assert, assertEquals } from "@std/assert";
import type { WalkOptions } from "../../mod.ts";
import type { SitemapLeftEvent, TreeEvent } from "../../src/data/events.ts";
import { walkWith } from "../../src/walk/walk.ts";
import { FakeClock } from "../http/fake_clock.ts";
import { bytes, silence, status, TrackedBody } from "../http/scripted_fetch.ts";
import {
  finishedOf,
  HOME,
  index,
  ORDERS,
  outline,
  type Pages,
  robots,
  siteFetch,
  urlset,
  walked,
} from "./walk_support.ts";

function leftOf(events: readonly TreeEvent[]): Record<string, boolean> {
  const left = events.filter((event): event is SitemapLeftEvent => event.type === "sitemap-left");
  return Object.fromEntries(
    left.map(({ sitemap, complete }) => [new URL(sitemap.url).pathname, complete]),
  );
}

/** The events of a walk by a clock that jumps. */
async function walkedByClock(
  pages: Pages,
  options: WalkOptions,
  clock = new FakeClock(),
): Promise<TreeEvent[]> {
  const { fetch } = siteFetch(pages);
  const resolved = { fetch, useKnownPaths: false, ...options };
  const events = walkWith(HOME, resolved, { clock });
  const all = await clock.run(Array.fromAsync(events));
  return all;
}

const TWO_LEVELS: Pages = {
  "/robots.txt": robots("/i", "/z"),
  "/i": index("/a", "/b", "/c"),
  "/a": urlset("/1", "/2", "/3"),
  "/b": urlset("/4", "/5"),
  "/c": urlset("/6"),
  "/z": urlset("/7"),
};

Deno.test("maxPages ends the walk with that many pages, open sitemaps left incomplete", async () => {
  for (const order of ORDERS) {
    for (const maxPages of [1, 2, 3, 4, 6]) {
      const { events, finished } = await walked(TWO_LEVELS, { maxPages, order });
      assertEquals(events.filter(({ type }) => type === "page").length, maxPages);
      assertEquals([finished.verdict, finished.stats.pages], ["partial", maxPages]);
      const told = events.filter((event) => event.type === "warning");
      assertEquals(outline(told), ["warning max-pages /"]);
      const left = leftOf(events);
      assertEquals([left["/"], left["/robots.txt"]], [false, false]);
    }
  }
  const { events } = await walked(TWO_LEVELS, { maxPages: 4 });
  assertEquals(outline(events), [
    "entered /",
    "entered /robots.txt",
    "entered /i",
    ...["entered /a", "page /1", "page /2", "page /3", "left /a"],
    ...["entered /b", "page /4", "left /b cut"],
    "left /i cut",
    "left /robots.txt cut",
    ...["warning max-pages /", "left / cut", "finished partial"],
  ]);
});

Deno.test("maxPages that is not reached changes nothing", async () => {
  const { events, finished } = await walked(TWO_LEVELS, { maxPages: 8 });
  assertEquals([finished.verdict, finished.stats.pages], ["complete", 7]);
  assertEquals(Object.values(leftOf(events)).every(Boolean), true);
});

Deno.test("maxPages asks for nothing more, known paths included", async () => {
  const { paths } = await walked(TWO_LEVELS, { maxPages: 3, concurrency: 1, useKnownPaths: true });
  assertEquals(paths, ["/robots.txt", "/i", "/a"]);
});

Deno.test("maxSitemaps ends the walk, what is being read read to its end", async () => {
  for (const order of ORDERS) {
    const { events, finished, paths } = await walked(TWO_LEVELS, {
      maxSitemaps: 3,
      order,
      useKnownPaths: true,
    });
    assertEquals(finished.verdict, "partial");
    assertEquals(outline(events.filter(({ type }) => type === "warning")), [
      "warning max-sitemaps /",
    ]);
    assert(paths.length <= 4 + 3, "robots.txt, three more, and no more ahead than fits");
    const left = leftOf(events);
    assertEquals([left["/"], left["/robots.txt"]], [false, false]);
    for (const [path, complete] of Object.entries(left)) {
      if (path.length === 2 && path !== "/i") assertEquals(complete, true, path);
    }
  }
  const { events } = await walked(TWO_LEVELS, { maxSitemaps: 3 });
  assertEquals(leftOf(events), {
    "/a": true,
    "/b": true,
    "/i": false,
    "/robots.txt": false,
    "/": false,
  });
  const enough = await walked(TWO_LEVELS, { maxSitemaps: 5 });
  assertEquals(enough.finished.verdict, "complete");
});

Deno.test("maxDepth refuses what is deeper, unread", async () => {
  const { events, finished, paths } = await walked(TWO_LEVELS, { maxDepth: 1 });
  assertEquals(outline(events.filter(({ type }) => type === "invalid")), [
    "invalid too-deep /a",
    "invalid too-deep /b",
    "invalid too-deep /c",
  ]);
  assertEquals(paths, ["/robots.txt", "/i", "/z"]);
  assertEquals(finished.verdict, "partial");
  const flat = await walked(TWO_LEVELS, { maxDepth: 0 });
  assertEquals(outline(flat.events.filter(({ type }) => type === "invalid")), [
    "invalid too-deep /i",
    "invalid too-deep /z",
  ]);
});

Deno.test("the deadline ends the walk wherever it stands", async () => {
  const stuck: Readonly<Record<string, Pages>> = {
    "before robots.txt answers": { "/robots.txt": silence(false) },
    "before a sitemap answers": { "/robots.txt": robots("/a"), "/a": silence() },
    "between two tries": {
      "/robots.txt": robots("/a"),
      "/a": status(503, { "retry-after": "3600" }),
    },
    "in the middle of a body": {
      "/robots.txt": robots("/a"),
      "/a":
        new TrackedBody((at) => at === 0 ? bytes(urlset("/1").slice(0, -9)) : new Promise(() => {}))
          .answer,
    },
  };
  for (const order of ORDERS) {
    for (const [where, pages] of Object.entries(stuck)) {
      const clock = new FakeClock();
      const start = clock.time;
      const options = { deadline: 2000, maxRetryDelay: 1e9, timeout: 1e9, order };
      const events = await walkedByClock(pages, options, clock);
      assertEquals([where, clock.time - start, clock.pending], [where, 2000, 0]);
      const { verdict, stats } = finishedOf(events);
      assertEquals([verdict, stats.durationMs], ["partial", 2000]);
      assertEquals(outline(events.filter(({ type }) => type === "warning")), [
        "warning deadline /",
      ]);
      assertEquals(Object.values(leftOf(events)).every((complete) => !complete), true);
      assertEquals(events.filter(({ type }) => type === "invalid"), [], "nobody else is to blame");
    }
  }
});

Deno.test("the deadline waits for no function of the caller", async () => {
  const never = () => new Promise<never>(() => {});
  for (const order of ORDERS) {
    for (const options of [{ recurseCallback: never }, { recurseListCallback: never }]) {
      const events = await walkedByClock(TWO_LEVELS, { ...options, deadline: 500, order });
      assertEquals(outline(events), [
        ...["entered /", "entered /robots.txt", "left /robots.txt cut"],
        ...["warning deadline /", "left / cut", "finished partial"],
      ]);
    }
  }
});

Deno.test("the deadline counts while nobody asks, and the walk ends with the next event", async () => {
  const clock = new FakeClock();
  const { fetch } = siteFetch(TWO_LEVELS);
  const resolved = { fetch, deadline: 1000, useKnownPaths: false };
  const events = walkWith(HOME, resolved, { clock });
  const taken: TreeEvent[] = [];
  for await (const event of events) {
    taken.push(event);
    if (event.type !== "page" || clock.pending === 0) continue;
    await clock.settle();
    while (clock.jump());
  }
  assertEquals(finishedOf(taken).verdict, "partial");
  assert(finishedOf(taken).stats.pages < 7);
});

Deno.test("more rules in robots.txt than are obeyed are told", async () => {
  const different = Array.from({ length: 10_000 }, (_, at) => `Disallow: /b${at}\n`);
  // one that is repeated counts once
  const rules = `User-agent: *\n${different.join("")}Disallow: /b0\n`;
  const site = { "/a": urlset("/1") };
  for (
    const [text, warnings] of [
      [`${rules}${robots("/a")}`, []],
      [`${rules}Disallow: /c\n${robots("/a")}`, ["warning robots-too-large /robots.txt"]],
    ] as const
  ) {
    const { events, finished } = await walked({ ...site, "/robots.txt": text }, {
      respectRobots: true,
    });
    assertEquals(outline(events.filter(({ type }) => type === "warning")), warnings);
    assertEquals(finished.stats.pages, 1);
  }
});

Deno.test("ceilings inside a document cut it there, keep what is complete, and are told", async () => {
  const site = { "/robots.txt": robots("/a"), "/a": urlset("/1", "/2", "/3") };
  const cases: readonly (readonly [WalkOptions, string, number])[] = [
    [{ maxEntries: 2 }, "too-many-entries", 2],
    [{ maxBytes: 100 }, "too-large", 2],
    [{ maxElementDepth: 2 }, "too-deep-elements", 0],
  ];
  for (const [options, code, pages] of cases) {
    const { events, finished } = await walked(site, options);
    assertEquals(outline(events.filter(({ type }) => type === "warning")), [`warning ${code} /a`]);
    assertEquals([finished.verdict, finished.stats.pages], ["partial", pages]);
    assertEquals(leftOf(events)["/a"], false);
  }
  const robotsCut = await walked({ ...site, "/robots.txt": robots("/a", "/b") }, {
    maxRobotsBytes: robots("/a").length,
  });
  assertEquals(outline(robotsCut.events.filter(({ type }) => type === "warning")), [
    "warning robots-too-large /robots.txt",
  ]);
  assertEquals([robotsCut.finished.stats.pages, robotsCut.finished.verdict], [3, "partial"]);
  const nothing = await walked(site, { maxBytes: 40 });
  assertEquals(outline(nothing.events.filter(({ type }) => type === "invalid")), [
    "invalid too-large /a",
  ]);
});

Deno.test("maxRobotsBytes does not apply to XML in the place of robots.txt", async () => {
  const large = urlset(...Array.from({ length: 1000 }, (_, at) => `/${at}`));
  const padded = `<?xml version="1.0"?>\n${" ".repeat(1000)}${large}`;
  for (const respectRobots of [false, true]) {
    for (const xml of [large, padded]) {
      const { events, finished } = await walked({ "/robots.txt": xml }, {
        maxRobotsBytes: 2000,
        respectRobots,
      });
      assertEquals(outline(events).slice(-3), ["left /robots.txt", "left /", "finished complete"]);
      assertEquals([finished.stats.pages, finished.stats.bytes], [1000, xml.length]);
    }
  }
  const cut = await walked({ "/robots.txt": large }, { maxRobotsBytes: 2000, maxBytes: 20_000 });
  const told = outline(cut.events).filter((line) => line.startsWith("warning"));
  assertEquals([told, cut.finished.verdict], [["warning too-large /robots.txt"], "partial"]);
});

Deno.test("maxRobotsBytes applies to every robots.txt, however it arrives", async () => {
  const text = `${robots("/a")}${"#".repeat(5000)}\n${robots("/b")}`;
  for (const size of [1, 7, 1999, 2000, 2001, Infinity]) {
    const body = new TrackedBody((at) => {
      const chunk = size === Infinity
        ? (at === 0 ? text : "")
        : text.slice(at * size, (at + 1) * size);
      return chunk === "" ? undefined : bytes(chunk);
    });
    const { events, finished } = await walked({
      "/robots.txt": robots("/sub/robots.txt"),
      "/sub/robots.txt": body.answer,
      "/a": urlset("/1"),
      "/b": urlset("/2"),
    }, { maxRobotsBytes: 2000 });
    assertEquals(outline(events).slice(2, -3), [
      ...["entered /sub/robots.txt", "warning robots-too-large /sub/robots.txt"],
      ...["entered /a", "page /1", "left /a", "left /sub/robots.txt cut"],
    ]);
    assertEquals(finished.verdict, "partial");
    assert(finished.stats.bytes < 2000 + 200, `${finished.stats.bytes} bytes were read`);
  }
  const whole = await walked({ "/robots.txt": text, "/a": urlset("/1"), "/b": urlset("/2") }, {
    maxRobotsBytes: text.length,
  });
  assertEquals([whole.finished.stats.pages, whole.finished.verdict], [2, "complete"]);
});

Deno.test("maxRedirects and timeouts make a sitemap invalid", async () => {
  const { events } = await walked({
    "/robots.txt": robots("/a"),
    "/a": "-> /b",
    "/b": "-> /c",
    "/c": urlset("/1"),
  }, { maxRedirects: 1 });
  assertEquals(outline(events.filter(({ type }) => type === "invalid")), ["invalid redirect /a"]);
  const silent = await walkedByClock({ "/robots.txt": robots("/a"), "/a": silence(false) }, {
    retries: 1,
  });
  assertEquals(outline(silent.filter(({ type }) => type === "invalid")), ["invalid timeout /a"]);
});

Deno.test("a drip ends at maxRequestTime, and what came of it counts", async () => {
  const clock = new FakeClock();
  const drip = new TrackedBody((at) =>
    new Promise((resolve) =>
      clock.after(
        900,
        () => resolve(bytes(at === 0 ? "<urlset>" : `<url><loc>${HOME}${at}</loc></url>`)),
      )
    )
  );
  const site = { "/robots.txt": robots("/drip"), "/drip": drip.answer };
  const events = await walkedByClock(site, { timeout: 1000, maxRequestTime: 10_000 }, clock);
  assertEquals(outline(events).slice(-6), [
    "page /10",
    "warning body-cut /drip",
    "left /drip cut",
    "left /robots.txt",
    "left /",
    "finished partial",
  ]);
  assert(drip.cancelled);
});

Deno.test("an index of more addresses than there is room for is cut there, and told", async () => {
  const long = (at: number) => `/${at}-${"x".repeat(900_000)}`;
  for (const order of ORDERS) {
    const paths = Array.from({ length: 25 }, (_, at) => long(at));
    const { events, finished } = await walked({
      "/robots.txt": robots("/i", "/after"),
      "/i": index(...paths),
      "/after": urlset("/1"),
    }, { order, recurseCallback: (url) => url.length < 1000 });
    const told = outline(events).filter((line) => line.startsWith("warning"));
    assertEquals([told, finished.verdict], [["warning too-many-entries /i"], "partial"]);
    assertEquals(finished.stats.pages, 1, "what comes after is read");
  }
});
