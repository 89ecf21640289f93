/**
 * Limits: those inside a document against a real server that sends hostile content, those of a walk
 * with scripted responses and a clock that jumps.
 */

import { assert, assertEquals } from "@std/assert";
import { gzipSync } from "node:zlib";
import type { WalkOptions } from "../../mod.ts";
import type { TreeEvent } from "../../src/data/events.ts";
import { walkWith } from "../../src/walk/walk.ts";
import { eventsOf, type Summary, summaryOfEvents } from "../faults/summary.ts";
import { FakeClock } from "../http/fake_clock.ts";
import { bytes, silence, status, TrackedBody, unfinished } from "../http/scripted_fetch.ts";
import { chunked } from "../support/chunked.ts";
import {
  type Answer,
  FaultServer,
  type FaultSite,
  head,
  ok,
  redirect,
} from "../support/fault_server.ts";
import { entry, HOME, index, numbered, type Pages, robots, siteFetch, urlset } from "./site.ts";
import { finishedOf, searched, walked } from "./walked.ts";

const MEBIBYTE = 1024 * 1024;

/** Returns an endless response: `first`, then `more` repeatedly. */
function endless(first: string | Uint8Array, more: string | Uint8Array): Answer {
  const piece = typeof more === "string" ? bytes(more) : more;
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

/** Returns a urlset with 64 MiB of spaces, compressed with gzip `layers` times. */
function bomb(layers: number): Uint8Array<ArrayBuffer> {
  const spaces = " ".repeat(64 * MEBIBYTE);
  const text = urlset("https://a.test/first").replace("</urlset>", `${spaces}$&`);
  let packed = new Uint8Array(gzipSync(text));
  for (let layer = 1; layer < layers; layer++) packed = new Uint8Array(gzipSync(packed));
  return packed;
}

/** Returns an index of these paths of the server. */
function servedIndex(...paths: string[]): Answer {
  return ok(index(...paths.map((path) => `{{origin}}${path}`)));
}

/** Returns a urlset of `/first` and what follows it. */
function firstAnd(...rest: string[]): Answer {
  return ok(`<urlset>${entry("{{origin}}/first")}${rest.join("")}</urlset>`);
}

/** Responds with an index of the paths that follow from the number in the query of the request. */
function numberedIndex(pathsOf: (at: number, path: string) => string[]): Answer {
  return (wire) => {
    const { path } = wire.request;
    return servedIndex(...pathsOf(numberIn(path), path))(wire);
  };
}

/** Returns the number in the query of a request. */
function numberIn(path: string): number {
  return Number(/\d+/.exec(path)?.[0] ?? 0);
}

/** Walks `site`, which may be no more than its sitemap `/s.xml`, and checks the result. */
async function assertLimits(
  site: Answer | FaultSite,
  options: WalkOptions,
  expected: Partial<Summary>,
  max: { readonly requests?: number; readonly bytes?: number } = {},
): Promise<void> {
  await using server = new FaultServer({
    "/robots.txt": ok(robots("{{origin}}/s.xml")),
    ...(typeof site === "function" ? { "/s.xml": site } : site),
  });
  const defaults = { useKnownPaths: false, retries: 0, timeout: 60_000 };
  const events = await eventsOf(server.url, { ...defaults, ...options });
  const found = summaryOfEvents(events);
  // which sitemaps are unfinished depends on the order of responses
  const isRandom = expected.warnings?.includes("max-sitemaps");
  const expectation: Summary = {
    pages: [],
    invalid: {},
    warnings: [],
    unfinished: isRandom ? found.unfinished : [],
    verdict: "partial",
    ...expected,
  };
  assertEquals({ ...found, invalid: isRandom ? {} : found.invalid }, expectation);
  const { bytes } = finishedOf(events).stats;
  assert(bytes <= (max.bytes ?? Infinity), `${bytes} bytes were read`);
  const { length } = server.requests;
  assert(length <= (max.requests ?? Infinity), `${length} requests were made`);
  await server.idle();
}

const FIRST: Partial<Summary> = { pages: ["/first"], unfinished: ["/s.xml"] };
const FIRST_OF_LARGE: Partial<Summary> = { ...FIRST, warnings: ["too-large"] };
const TOO_LARGE: Partial<Summary> = { invalid: { "/s.xml": "too-large" }, warnings: ["too-large"] };

/** Endless sitemaps and gzip bombs, which are truncated by `maxBytes`, 1 MiB unless it is given. */
const ENDLESS: Readonly<Record<string, readonly [Answer, Partial<Summary>, maxBytes?: number]>> = {
  "an endless sitemap": [
    endless("<urlset>", "<url><loc>https://a.test/first</loc></url>"),
    { ...FIRST, warnings: ["duplicate-address", "too-large"] },
  ],
  "an endless comment": [endless("<!--", "------- "), TOO_LARGE],
  "endless white space": [endless("", "        \n"), TOO_LARGE],
  "an endless HTML page without a title": [
    endless("<html><head>", "<meta charset='utf-8'/>"),
    TOO_LARGE,
  ],
  "an endless line": [
    endless("{{origin}}/first\n{{origin}}/", "aaaaaaaa"),
    { ...FIRST, warnings: ["too-large", "value-too-long"] },
    3 * MEBIBYTE,
  ],
  // flag 8: a name follows, which ends with a zero byte
  "an endless gzip header": [
    endless(new Uint8Array([0x1f, 0x8b, 8, 8, 0, 0, 0, 0, 0, 0]), "a"),
    TOO_LARGE,
  ],
  "a gzip bomb": [ok(bomb(1)), FIRST_OF_LARGE],
  "a gzip bomb of three layers": [ok(bomb(3)), FIRST_OF_LARGE],
  "a gzip bomb by Content-Encoding": [ok(bomb(1), { "Content-Encoding": "gzip" }), FIRST_OF_LARGE],
};

for (const [name, [sitemap, expected, maxBytes = MEBIBYTE]] of Object.entries(ENDLESS)) {
  Deno.test(`maxBytes truncates ${name}`, async () => {
    await assertLimits(sitemap, { maxBytes }, expected, { bytes: maxBytes + 100 });
  });
}

/** Arguments of {@linkcode assertLimits} by what is limited. */
const ROWS: Readonly<Record<string, Parameters<typeof assertLimits>>> = {
  "the number of gzip members is limited": [
    endless("", new Uint8Array(gzipSync(""))),
    {},
    { invalid: { "/s.xml": "empty" }, warnings: ["gzip-cut"] },
  ],

  "an endless robots.txt is truncated": [
    {
      "/robots.txt": endless(robots("{{origin}}/s.xml"), "# nothing to see\n"),
      "/s.xml": firstAnd(),
    },
    {},
    { pages: ["/first"], warnings: ["robots-too-large"], unfinished: ["/robots.txt"] },
    { bytes: 520_000 },
  ],
  "maxRedirects ends a chain of redirects": [
    {
      "/s.xml": redirect("/r?1"),
      "*": (wire) => redirect(`/r?${numberIn(wire.request.path) + 1}`)(wire),
    },
    { maxRedirects: 3 },
    { invalid: { "/s.xml": "redirect" } },
    { requests: 5 },
  ],
  "maxEntries truncates a sitemap": [
    firstAnd(entry("{{origin}}/second"), entry("{{origin}}/third")),
    { maxEntries: 1 },
    { ...FIRST, warnings: ["too-many-entries"] },
  ],
  "only the entry whose address is too long is dropped": [
    firstAnd(entry(`{{origin}}/${"a".repeat(MEBIBYTE)}`), entry("{{origin}}/last")),
    {},
    { pages: ["/first", "/last"], warnings: ["value-too-long"], verdict: "complete" },
  ],
  "an element with too many attributes truncates a sitemap": [
    firstAnd(`<x ${numbered(1001, (at) => `a${at}=""`).join(" ")}/>`, entry("{{origin}}/last")),
    {},
    { ...FIRST, warnings: ["too-many-attributes"] },
  ],
  "too deep elements truncate a sitemap": [
    firstAnd("<a:x>".repeat(300)),
    {},
    { ...FIRST, warnings: ["too-deep-elements", "xml-unbound-prefix"] },
  ],
  "maxDepth ends an endless chain of indexes": [
    {
      "/robots.txt": ok(robots("{{origin}}/s?1")),
      "*": numberedIndex((at) => [`/s?${at + 1}`]),
    },
    {},
    { invalid: { "/s?12": "too-deep" } },
    { requests: 12 },
  ],
  "maxDepth ends two indexes that list each other by ever new addresses": [
    {
      "/robots.txt": ok(robots("{{origin}}/a?1")),
      "*": numberedIndex((at, path) => [`${path.startsWith("/a") ? "/b" : "/a"}?${at + 1}`]),
    },
    { maxDepth: 4 },
    { invalid: { "/a?5": "too-deep" } },
    { requests: 5 },
  ],
  "maxSitemaps ends an endless tree of indexes": [
    {
      "/robots.txt": ok(robots("{{origin}}/s?1")),
      "*": numberedIndex((at) => numbered(10, (child) => `/s?${at * 10 + child}`)),
    },
    { maxSitemaps: 100 },
    { warnings: ["max-sitemaps"] },
    { requests: 120 },
  ],
  "maxSitemaps counts refused sitemaps": [
    servedIndex(...numbered(500, (at) => `/deep?${at}`)),
    { maxSitemaps: 100, maxDepth: 1 },
    { warnings: ["max-sitemaps"] },
    { requests: 2 },
  ],
  "the deadline ends an endless body": [
    endless(`<urlset>${entry("{{origin}}/first")}`, " "),
    { deadline: 500, maxBytes: Infinity },
    { pages: ["/first"], warnings: ["deadline"], unfinished: ["/s.xml", "/robots.txt", "/"] },
  ],
  "maxRequestTime ends endless early hints": [
    async (wire) => {
      await wire.listen();
      for (;;) {
        await wire.send("HTTP/1.1 103 Early Hints\r\n\r\n");
        await wire.pause(10);
      }
    },
    { maxRequestTime: 500 },
    { invalid: { "/s.xml": "timeout" }, verdict: "blocked" },
  ],
  "maxRetryDelay shortens the wait that Retry-After asks for": [
    async (wire) => {
      await wire.listen();
      await wire.send(head(503, { "Retry-After": "86400", "Content-Length": "0" }));
    },
    { retries: 3, maxRetryDelay: 5 },
    { invalid: { "/s.xml": "http-status" }, verdict: "blocked" },
    { requests: 5 },
  ],
};

for (const [name, row] of Object.entries(ROWS)) Deno.test(name, () => assertLimits(...row));

// ---------------------------------------------------------------------------------- whole walks

const TWO_LEVELS: Pages = {
  "/robots.txt": robots("/i", "/z"),
  "/i": index("/a", "/b", "/c"),
  "/a": urlset("/1", "/2", "/3"),
  "/b": urlset("/4", "/5"),
  "/c": urlset("/6"),
  "/z": urlset("/7"),
};

Deno.test("maxPages ends the walk after that many pages and leaves open sitemaps incomplete", async () => {
  for (const maxPages of [1, 2, 3, 4, 6]) {
    const result = await walked(TWO_LEVELS, { maxPages });
    const { pages, verdict, stats, warnings, complete } = result;
    assertEquals([pages.length, verdict, stats.pages], [maxPages, "partial", maxPages]);
    assertEquals(warnings, ["max-pages /"]);
    assertEquals([complete["/"], complete["/robots.txt"]], [false, false]);
  }
  const { outline } = await walked(TWO_LEVELS, { maxPages: 4 });
  assertEquals(outline, [
    ...["entered /", "entered /robots.txt", "entered /i"],
    ...["entered /a", "page /1", "page /2", "page /3", "left /a"],
    ...["entered /b", "page /4", "left /b cut", "left /i cut", "left /robots.txt cut"],
    ...["warning max-pages /", "left / cut", "finished partial"],
  ]);
});

Deno.test("maxPages has no effect until it is reached", async () => {
  const { verdict, stats, complete } = await walked(TWO_LEVELS, { maxPages: 8 });
  assertEquals([verdict, stats.pages], ["complete", 7]);
  assertEquals(Object.values(complete).every(Boolean), true);
});

Deno.test("maxPages ends all requests, those of known paths and the homepage included", async () => {
  const { paths } = await searched(TWO_LEVELS, { maxPages: 3, concurrency: 1, useHomepage: true });
  assertEquals(paths, ["/robots.txt", "/i", "/a"]);
});

Deno.test("maxSitemaps ends the walk after the sitemaps that are being read", async () => {
  const options = { maxSitemaps: 3, useKnownPaths: true };
  const { verdict, warnings, paths, complete } = await walked(TWO_LEVELS, options);
  assertEquals([verdict, warnings], ["partial", ["max-sitemaps /"]]);
  assert(paths.length <= 4 + 3, "robots.txt, three more, and no more ahead than fits");
  const expected = { "/a": true, "/b": true, "/i": false, "/robots.txt": false, "/": false };
  assertEquals(complete, expected);
  assertEquals((await walked(TWO_LEVELS, { maxSitemaps: 5 })).verdict, "complete");
});

Deno.test("maxDepth refuses deeper sitemaps without a request", async () => {
  const { invalid, paths, verdict } = await walked(TWO_LEVELS, { maxDepth: 1 });
  assertEquals(invalid, ["too-deep /a", "too-deep /b", "too-deep /c"]);
  assertEquals([paths, verdict], [["/robots.txt", "/i", "/z"], "partial"]);
  const flat = await walked(TWO_LEVELS, { maxDepth: 0 });
  assertEquals(flat.invalid, ["too-deep /i", "too-deep /z"]);
});

Deno.test("the deadline ends the walk whatever it is waiting for", async () => {
  const stuck: Readonly<Record<string, Pages>> = {
    "the response of robots.txt": { "/robots.txt": silence(false) },
    "the response of a sitemap": { "/a": silence() },
    "a retry": { "/a": status(503, { "retry-after": "3600" }) },
    "the rest of a body": { "/a": unfinished(urlset("/1").slice(0, -9)).answer },
  };
  for (const [where, pages] of Object.entries(stuck)) {
    const clock = new FakeClock();
    const start = clock.time;
    const { verdict, stats, warnings, complete, invalid } = await walked(
      { "/robots.txt": robots("/a"), ...pages },
      { deadline: 2000, maxRetryDelay: 1e9, maxWait: 1e9, timeout: 1e9 },
      { clock },
    );
    assertEquals([where, clock.time - start, clock.pending], [where, 2000, 0]);
    assertEquals([verdict, stats.durationMs], ["partial", 2000]);
    assertEquals(Object.values(complete).every((isComplete) => !isComplete), true);
    assertEquals([warnings, invalid], [["deadline /"], []], "only the deadline is reported");
  }
});

Deno.test("the deadline does not wait for callbacks", async () => {
  const never = () => new Promise<never>(() => {});
  for (const options of [{ recurseCallback: never }, { recurseListCallback: never }]) {
    const clock = new FakeClock();
    const limited = { ...options, deadline: 500 };
    assertEquals((await walked(TWO_LEVELS, limited, { clock })).outline, [
      ...["entered /", "entered /robots.txt", "left /robots.txt cut"],
      ...["warning deadline /", "left / cut", "finished partial"],
    ]);
  }
});

Deno.test("the deadline counts while the consumer is busy", async () => {
  const clock = new FakeClock();
  const { fetch } = siteFetch(TWO_LEVELS);
  const options = { fetch, deadline: 1000, useKnownPaths: false };
  const taken: TreeEvent[] = [];
  for await (const event of walkWith(HOME, options, { clock })) {
    taken.push(event);
    if (event.type !== "page" || clock.pending === 0) continue;
    await clock.settle();
    while (clock.jump());
  }
  assertEquals(finishedOf(taken).verdict, "partial");
  assert(finishedOf(taken).stats.pages < 7);
});

Deno.test("walk() obeys the rules in the first 500 KiB of robots.txt, and reports if there are more", async () => {
  const rules = numbered(25_000, (at) => `Disallow: /b${at}\n`).join("");
  const content = `${robots("/a", "/b24999", "/c")}User-agent: *\n${rules}`;
  const site = { "/a": urlset("/1"), "/b24999": urlset("/2"), "/c": urlset("/3") };
  const padding = "#".repeat(500 * 1024 - content.length - "\nDisallow: /c\n".length);
  const options = { respectRobots: true };
  for (
    const [text, pages, expected] of [
      [`${content}${padding}\nDisallow: /c\n`, 1, []],
      [`${content}${padding}#\nDisallow: /c\n`, 2, ["robots-too-large /robots.txt"]],
    ] as const
  ) {
    const { warnings, stats } = await walked({ ...site, "/robots.txt": text }, options);
    assertEquals([warnings, stats.pages], [expected, pages]);
  }
});

Deno.test("the limit of robots.txt does not apply to XML in its place", async () => {
  const large = urlset(...numbered(20_000, (at) => `/${at}`));
  const padded = `<?xml version="1.0"?>\n${" ".repeat(1000)}${large}`;
  for (const respectRobots of [false, true]) {
    for (const xml of [large, padded]) {
      const { outline, stats } = await walked({ "/robots.txt": xml }, { respectRobots });
      assertEquals(outline.slice(-3), ["left /robots.txt", "left /", "finished complete"]);
      assertEquals([stats.pages, stats.bytes], [20_000, xml.length]);
    }
  }
  const cut = await walked({ "/robots.txt": large }, { maxBytes: 600_000 });
  assertEquals([cut.warnings, cut.verdict], [["too-large /robots.txt"], "partial"]);
});

Deno.test("the limit of robots.txt applies to every one, in chunks of any size", async () => {
  const limit = 500 * 1024;
  const text = `${robots("/a")}${"#".repeat(limit)}\n${robots("/b")}`;
  const site = { "/a": urlset("/1"), "/b": urlset("/2") };
  for (const size of [7, limit - 1, limit, limit + 1, Infinity]) {
    const chunks = chunked(bytes(text), size);
    const { outline, verdict, stats } = await walked({
      ...site,
      "/robots.txt": robots("/sub/robots.txt"),
      "/sub/robots.txt": new TrackedBody((at) => chunks[at]).answer,
    });
    assertEquals(outline.slice(2, -3), [
      ...["entered /sub/robots.txt", "warning robots-too-large /sub/robots.txt"],
      ...["entered /a", "page /1", "left /a", "left /sub/robots.txt cut"],
    ]);
    assertEquals(verdict, "partial");
    assert(stats.bytes < limit + 200, `${stats.bytes} bytes were read`);
  }
});

Deno.test("maxRequestTime ends a slow body and keeps the pages received", async () => {
  const clock = new FakeClock();
  const drip = new TrackedBody((at) =>
    new Promise((resolve) =>
      clock.after(900, () => resolve(bytes(at === 0 ? "<urlset>" : entry(`/${at}`))))
    )
  );
  const site = { "/robots.txt": robots("/drip"), "/drip": drip.answer };
  const options = { timeout: 1000, maxRequestTime: 10_000 };
  assertEquals((await walked(site, options, { clock })).outline.slice(-6), [
    ...["page /10", "warning body-cut /drip", "left /drip cut"],
    ...["left /robots.txt", "left /", "finished partial"],
  ]);
  assert(drip.cancelled);
});

Deno.test("walk() truncates and reports an index whose addresses exceed the budget", async () => {
  const { warnings, verdict, pages } = await walked({
    "/robots.txt": robots("/i", "/after"),
    "/i": index(...numbered(25, (at) => `/${at}-${"x".repeat(900_000)}`)),
    "/after": urlset("/1"),
  }, { recurseCallback: (url) => url.length < 1000 });
  assertEquals([warnings, verdict], [["too-many-entries /i"], "partial"]);
  assertEquals(pages, ["/1"], "later sitemaps are read");
});
