/**
 * Limits: those inside a document against a real server that sends hostile content, those of a walk
 * with scripted responses and a clock that jumps.
 */

import { assert, assertEquals } from "@std/assert";
import { gzipSync } from "node:zlib";
import type { WalkOptions } from "../../mod.ts";
import type { SitemapLeftEvent, TreeEvent } from "../../src/data/events.ts";
import { walkWith } from "../../src/walk/walk.ts";
import { eventsOf, type Summary, summaryOfEvents } from "../faults/summary.ts";
import { FakeClock } from "../http/fake_clock.ts";
import { bytes, silence, status, TrackedBody } from "../http/scripted_fetch.ts";
import {
  type Answer,
  FaultServer,
  type FaultSite,
  head,
  ok,
  redirect,
} from "../support/fault_server.ts";
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

const MEBIBYTE = 1024 * 1024;

function entry(name: string): string {
  return `<url><loc>{{origin}}/${name}</loc></url>`;
}

/** Returns an endless response: `first`, then `more` repeatedly. */
function endless(first: string, more: string | Uint8Array): Answer {
  const piece = typeof more === "string" ? new TextEncoder().encode(more) : more;
  const times = Math.ceil(32 * 1024 / piece.length);
  const pieces = new Uint8Array(times * piece.length);
  for (let at = 0; at < times; at++) pieces.set(piece, at * piece.length);
  return async (wire) => {
    await wire.listen();
    await wire.send(head(200));
    await wire.send(first);
    for (;;) await wire.send(pieces);
  };
}

/** Returns a urlset with `size` spaces, compressed with gzip `layers` times. */
function bomb(size: number, layers: number): Uint8Array<ArrayBuffer> {
  const spaces = " ".repeat(size);
  const text = `<urlset><url><loc>https://a.test/first</loc></url>${spaces}</urlset>`;
  let bytes: Uint8Array<ArrayBuffer> = new TextEncoder().encode(text);
  for (let layer = 0; layer < layers; layer++) bytes = new Uint8Array(gzipSync(bytes));
  return bytes;
}

/** Returns a site that declares one sitemap. */
function declaring(sitemap: Answer, more: FaultSite = {}): FaultSite {
  return {
    "/robots.txt": ok("Sitemap: {{origin}}/s.xml\n"),
    "/s.xml": sitemap,
    ...more,
  };
}

/** Returns an index that lists these paths. */
function servedIndex(...paths: string[]): Answer {
  const children = paths.map((path) => `<sitemap><loc>{{origin}}${path}</loc></sitemap>`);
  return ok(`<sitemapindex>${children.join("")}</sitemapindex>`);
}

/** Returns the number in the query of a request. */
function numberIn(path: string): number {
  return Number(/\d+/.exec(path)?.[0] ?? 0);
}

interface Row {
  readonly name: string;
  readonly site: FaultSite;
  readonly options: WalkOptions;
  readonly expected: Partial<Summary>;
  /** Maximum number of requests. */
  readonly maxRequests?: number;
  /** Maximum number of decompressed bytes. */
  readonly maxBytes?: number;
}

const TRUNCATED: Partial<Summary> = {
  pages: ["/first"],
  unfinished: ["/s.xml"],
  verdict: "partial",
};

const TOO_LARGE: Partial<Summary> = {
  invalid: { "/s.xml": "too-large" },
  warnings: ["too-large"],
  verdict: "partial",
};

const ROWS: readonly Row[] = [
  {
    name: "maxBytes truncates an endless sitemap",
    site: declaring(endless("<urlset>", "<url><loc>https://a.test/first</loc></url>")),
    options: { maxBytes: MEBIBYTE },
    expected: { ...TRUNCATED, warnings: ["duplicate-address", "too-large"] },
    maxBytes: MEBIBYTE + 100,
  },
  {
    name: "maxBytes truncates an endless comment",
    site: declaring(endless("<!--", "------- ")),
    options: { maxBytes: MEBIBYTE },
    expected: TOO_LARGE,
    maxBytes: MEBIBYTE + 100,
  },
  {
    name: "maxBytes truncates endless white space",
    site: declaring(endless("", "        \n")),
    options: { maxBytes: MEBIBYTE },
    expected: TOO_LARGE,
    maxBytes: MEBIBYTE + 100,
  },
  {
    name: "maxBytes truncates an endless HTML page without a title",
    site: declaring(endless("<html><head>", "<meta charset='utf-8'/>")),
    options: { maxBytes: MEBIBYTE },
    expected: TOO_LARGE,
    maxBytes: MEBIBYTE + 100,
  },
  {
    name: "maxBytes truncates an endless line",
    site: declaring(endless("{{origin}}/first\n{{origin}}/", "aaaaaaaa")),
    options: { maxBytes: 3 * MEBIBYTE },
    expected: { ...TRUNCATED, warnings: ["too-large", "value-too-long"] },
    maxBytes: 3 * MEBIBYTE + 100,
  },
  {
    name: "maxBytes truncates a gzip bomb",
    site: declaring(ok(bomb(64 * MEBIBYTE, 1))),
    options: { maxBytes: MEBIBYTE },
    expected: { ...TRUNCATED, warnings: ["too-large"] },
    maxBytes: MEBIBYTE + 100,
  },
  {
    name: "maxBytes truncates a gzip bomb of three layers",
    site: declaring(ok(bomb(64 * MEBIBYTE, 3))),
    options: { maxBytes: MEBIBYTE },
    expected: { ...TRUNCATED, warnings: ["too-large"] },
    maxBytes: MEBIBYTE + 100,
  },
  {
    name: "maxBytes truncates a gzip bomb by Content-Encoding",
    site: declaring(ok(bomb(64 * MEBIBYTE, 1), { "Content-Encoding": "gzip" })),
    options: { maxBytes: MEBIBYTE },
    expected: { ...TRUNCATED, warnings: ["too-large"] },
    maxBytes: MEBIBYTE + 100,
  },
  {
    name: "the number of gzip members is limited",
    site: declaring(endless("", new Uint8Array(gzipSync("")))),
    options: {},
    expected: { invalid: { "/s.xml": "empty" }, warnings: ["gzip-cut"], verdict: "partial" },
  },
  {
    name: "maxBytes truncates an endless gzip header",
    // flag 8: a name follows, which ends with a zero byte
    site: declaring(async (wire) => {
      await wire.listen();
      await wire.send(head(200));
      await wire.send(new Uint8Array([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 0]));
      for (;;) await wire.send(new Uint8Array(32 * 1024).fill(0x61));
    }),
    options: { maxBytes: MEBIBYTE },
    expected: TOO_LARGE,
  },
  {
    name: "three layers of gzip are decompressed, a fourth is not",
    site: declaring(ok(bomb(0, 4)), {
      "/robots.txt": ok("Sitemap: {{origin}}/s.xml\nSitemap: {{origin}}/three.xml\n"),
      "/three.xml": ok(bomb(0, 3)),
    }),
    options: {},
    expected: { pages: ["/first"], invalid: { "/s.xml": "not-a-sitemap" }, verdict: "partial" },
  },
  {
    name: "maxRobotsBytes truncates an endless robots.txt",
    site: {
      "/robots.txt": endless("Sitemap: {{origin}}/s.xml\n", "# nothing to see\n"),
      "/s.xml": ok(`<urlset>${entry("first")}</urlset>`),
    },
    options: { maxRobotsBytes: 10_000 },
    expected: {
      pages: ["/first"],
      warnings: ["robots-too-large"],
      unfinished: ["/robots.txt"],
      verdict: "partial",
    },
    maxBytes: 11_000,
  },
  {
    name: "maxRedirects ends a chain of redirects",
    site: declaring(redirect("/r?1"), {
      ...Object.fromEntries(
        Array.from({ length: 9 }, (_, at) => [`/r?${at}`, redirect(`/r?${at + 1}`)]),
      ),
    }),
    options: { maxRedirects: 3 },
    expected: { invalid: { "/s.xml": "redirect" }, verdict: "partial" },
    maxRequests: 5,
  },
  {
    name: "maxEntries truncates a sitemap",
    site: declaring(ok(`<urlset>${entry("first")}${entry("second")}${entry("third")}</urlset>`)),
    options: { maxEntries: 1 },
    expected: { ...TRUNCATED, warnings: ["too-many-entries"] },
  },
  {
    name: "maxValueLength drops only the entry whose address is too long",
    site: declaring(
      ok(`<urlset>${entry("first")}${entry("a".repeat(2000))}${entry("last")}</urlset>`),
    ),
    options: { maxValueLength: 1000 },
    expected: { pages: ["/first", "/last"], warnings: ["value-too-long"], verdict: "complete" },
  },
  {
    name: "maxAttributes truncates a sitemap",
    site: declaring(
      ok(`<urlset>${entry("first")}<x a="" b="" c="" d=""/>${entry("last")}</urlset>`),
    ),
    options: { maxAttributes: 3 },
    expected: { ...TRUNCATED, warnings: ["too-many-attributes"] },
  },
  {
    name: "maxElementDepth truncates a sitemap",
    site: declaring(ok(`<urlset>${entry("first")}${"<a:x>".repeat(20)}`)),
    options: { maxElementDepth: 10 },
    expected: { ...TRUNCATED, warnings: ["too-deep-elements", "xml-unbound-prefix"] },
  },
  {
    name: "maxDepth ends an endless chain of indexes",
    site: {
      "/robots.txt": ok("Sitemap: {{origin}}/s?1\n"),
      "*": (wire) => servedIndex(`/s?${numberIn(wire.request.path) + 1}`)(wire),
    },
    options: {},
    expected: { invalid: { "/s?12": "too-deep" }, verdict: "partial" },
    maxRequests: 12,
  },
  {
    name: "maxDepth ends two indexes that list each other by ever new addresses",
    site: {
      "/robots.txt": ok("Sitemap: {{origin}}/a?1\n"),
      "*": (wire) => {
        const next = numberIn(wire.request.path) + 1;
        return servedIndex(wire.request.path.startsWith("/a") ? `/b?${next}` : `/a?${next}`)(wire);
      },
    },
    options: { maxDepth: 4 },
    expected: { invalid: { "/a?5": "too-deep" }, verdict: "partial" },
    maxRequests: 5,
  },
  {
    name: "maxSitemaps ends an endless tree of indexes",
    site: {
      "/robots.txt": ok("Sitemap: {{origin}}/s?1\n"),
      "*": (wire) => {
        const at = numberIn(wire.request.path) * 10;
        return servedIndex(...Array.from({ length: 10 }, (_, child) => `/s?${at + child}`))(wire);
      },
    },
    options: { maxSitemaps: 100 },
    expected: { warnings: ["max-sitemaps"], verdict: "partial" },
    maxRequests: 120,
  },
  {
    name: "maxSitemaps counts refused sitemaps",
    site: {
      "/robots.txt": ok("Sitemap: {{origin}}/s.xml\n"),
      "/s.xml": servedIndex(...Array.from({ length: 500 }, (_, at) => `/deep?${at}`)),
    },
    options: { maxSitemaps: 100, maxDepth: 1 },
    expected: { warnings: ["max-sitemaps"], verdict: "partial" },
    maxRequests: 2,
  },
  {
    name: "the deadline ends an endless body",
    site: declaring(endless(`<urlset>${entry("first")}`, " ")),
    options: { deadline: 500, maxBytes: Infinity },
    expected: {
      pages: ["/first"],
      warnings: ["deadline"],
      unfinished: ["/s.xml", "/robots.txt", "/"],
      verdict: "partial",
    },
  },
  {
    name: "maxRequestTime ends endless early hints",
    site: declaring(async (wire) => {
      await wire.listen();
      for (;;) {
        await wire.send("HTTP/1.1 103 Early Hints\r\n\r\n");
        await wire.pause(10);
      }
    }),
    options: { maxRequestTime: 500 },
    expected: { invalid: { "/s.xml": "timeout" }, verdict: "blocked" },
  },
  {
    name: "maxRetryDelay shortens the wait that Retry-After asks for",
    site: declaring(async (wire) => {
      await wire.listen();
      await wire.send(head(503, { "Retry-After": "86400", "Content-Length": "0" }));
    }),
    options: { retries: 3, maxRetryDelay: 5 },
    expected: { invalid: { "/s.xml": "http-status" }, verdict: "blocked" },
    maxRequests: 5,
  },
];

for (const { name, site, options, expected, maxRequests, maxBytes } of ROWS) {
  Deno.test(name, async () => {
    await using server = new FaultServer(site);
    const events = await eventsOf(server.url, {
      useKnownPaths: false,
      retries: 0,
      timeout: 60_000,
      ...options,
    });
    const found = summaryOfEvents(events);
    // which sitemaps are unfinished depends on the order of responses
    const expectation: Summary = {
      pages: [],
      invalid: {},
      warnings: [],
      unfinished: expected.warnings?.includes("max-sitemaps") ? found.unfinished : [],
      verdict: "complete",
      ...expected,
    };
    const invalid = expected.warnings?.includes("max-sitemaps") ? {} : found.invalid;
    assertEquals({ ...found, invalid }, expectation);
    const last = events.at(-1);
    if (maxBytes !== undefined && last?.type === "finished") {
      assert(last.stats.bytes <= maxBytes, `${last.stats.bytes} bytes were read`);
    }
    if (maxRequests !== undefined) {
      assert(server.requests.length <= maxRequests, `${server.requests.length} requests were made`);
    }
    await server.idle();
  });
}

// ---------------------------------------------------------------------------------- whole walks

function leftOf(events: readonly TreeEvent[]): Record<string, boolean> {
  const left = events.filter((event): event is SitemapLeftEvent => event.type === "sitemap-left");
  return Object.fromEntries(
    left.map(({ sitemap, complete }) => [new URL(sitemap.url).pathname, complete]),
  );
}

/** Returns the events of a walk by a clock that jumps. */
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

Deno.test("maxPages ends the walk after that many pages and leaves open sitemaps incomplete", async () => {
  for (const order of ORDERS) {
    for (const maxPages of [1, 2, 3, 4, 6]) {
      const { events, finished } = await walked(TWO_LEVELS, { maxPages, order });
      assertEquals(events.filter(({ type }) => type === "page").length, maxPages);
      assertEquals([finished.verdict, finished.stats.pages], ["partial", maxPages]);
      const warnings = events.filter((event) => event.type === "warning");
      assertEquals(outline(warnings), ["warning max-pages /"]);
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

Deno.test("maxPages has no effect until it is reached", async () => {
  const { events, finished } = await walked(TWO_LEVELS, { maxPages: 8 });
  assertEquals([finished.verdict, finished.stats.pages], ["complete", 7]);
  assertEquals(Object.values(leftOf(events)).every(Boolean), true);
});

Deno.test("maxPages ends all requests, known paths included", async () => {
  const { paths } = await walked(TWO_LEVELS, { maxPages: 3, concurrency: 1, useKnownPaths: true });
  assertEquals(paths, ["/robots.txt", "/i", "/a"]);
});

Deno.test("maxSitemaps ends the walk after the sitemaps that are being read", async () => {
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

Deno.test("maxDepth refuses deeper sitemaps without a request", async () => {
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

Deno.test("the deadline ends the walk whatever it is waiting for", async () => {
  const stuck: Readonly<Record<string, Pages>> = {
    "the response of robots.txt": { "/robots.txt": silence(false) },
    "the response of a sitemap": { "/robots.txt": robots("/a"), "/a": silence() },
    "a retry": {
      "/robots.txt": robots("/a"),
      "/a": status(503, { "retry-after": "3600" }),
    },
    "the rest of a body": {
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
      const options = { deadline: 2000, maxRetryDelay: 1e9, maxWait: 1e9, timeout: 1e9, order };
      const events = await walkedByClock(pages, options, clock);
      assertEquals([where, clock.time - start, clock.pending], [where, 2000, 0]);
      const { verdict, stats } = finishedOf(events);
      assertEquals([verdict, stats.durationMs], ["partial", 2000]);
      assertEquals(outline(events.filter(({ type }) => type === "warning")), [
        "warning deadline /",
      ]);
      assertEquals(Object.values(leftOf(events)).every((complete) => !complete), true);
      assertEquals(
        events.filter(({ type }) => type === "invalid"),
        [],
        "only the deadline is reported",
      );
    }
  }
});

Deno.test("the deadline does not wait for callbacks", async () => {
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

Deno.test("the deadline counts while the consumer is busy", async () => {
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

Deno.test("walk() obeys the rules in the first 500 KiB of robots.txt, and reports if there are more", async () => {
  const rules = Array.from({ length: 25_000 }, (_, at) => `Disallow: /b${at}\n`).join("");
  const content = `${robots("/a", "/b24999", "/c")}User-agent: *\n${rules}`;
  const site = { "/a": urlset("/1"), "/b24999": urlset("/2"), "/c": urlset("/3") };
  const padding = "#".repeat(500 * 1024 - content.length - "\nDisallow: /c\n".length);
  for (
    const [text, pages, warnings] of [
      [`${content}${padding}\nDisallow: /c\n`, 1, []],
      [`${content}${padding}#\nDisallow: /c\n`, 2, ["warning robots-too-large /robots.txt"]],
    ] as const
  ) {
    const { events, finished } = await walked({ ...site, "/robots.txt": text }, {
      respectRobots: true,
      maxRobotsBytes: 1024 * 1024,
    });
    assertEquals(outline(events.filter(({ type }) => type === "warning")), warnings);
    assertEquals(finished.stats.pages, pages);
  }
});

Deno.test("maxRobotsBytes does not apply to XML in place of robots.txt", async () => {
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
  const warnings = outline(cut.events).filter((line) => line.startsWith("warning"));
  assertEquals([warnings, cut.finished.verdict], [["warning too-large /robots.txt"], "partial"]);
});

Deno.test("maxRobotsBytes applies to every robots.txt, in chunks of any size", async () => {
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

Deno.test("walk() reports a sitemap without a response as invalid after the timeout", async () => {
  const silent = await walkedByClock({ "/robots.txt": robots("/a"), "/a": silence(false) }, {
    retries: 1,
  });
  assertEquals(outline(silent.filter(({ type }) => type === "invalid")), ["invalid timeout /a"]);
});

Deno.test("maxRequestTime ends a slow body and keeps the pages received", async () => {
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

Deno.test("walk() truncates and reports an index whose addresses exceed the budget", async () => {
  const long = (at: number) => `/${at}-${"x".repeat(900_000)}`;
  for (const order of ORDERS) {
    const paths = Array.from({ length: 25 }, (_, at) => long(at));
    const { events, finished } = await walked({
      "/robots.txt": robots("/i", "/after"),
      "/i": index(...paths),
      "/after": urlset("/1"),
    }, { order, recurseCallback: (url) => url.length < 1000 });
    const warnings = outline(events).filter((line) => line.startsWith("warning"));
    assertEquals([warnings, finished.verdict], [["warning too-many-entries /i"], "partial"]);
    assertEquals(finished.stats.pages, 1, "later sitemaps are read");
  }
});
