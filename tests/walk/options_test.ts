import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  collect,
  pages,
  parseSitemap,
  sitemapFromString,
  sitemapTreeForHomepage,
  walk,
  type WalkOptions,
} from "../../mod.ts";
import { resolveWalkOptions } from "../../src/walk/options.ts";
import { VERSION } from "../../src/data/version.ts";
import { openFleet } from "../../src/fleet/mod.ts";
import { openSnapshot, sync, syncAll } from "../../src/sync/mod.ts";
import { toCsv, toOutline } from "../../src/write/mod.ts";
import { HOME, robots, siteFetch } from "./site.ts";
import { walked } from "./walked.ts";

const NO_ORIGINS = [
  ...["a.test", "", "/", "ftp://a.test", "https://", "https://a.test/x", "file:///"],
  ...["https://a.test/?x", "https://a.test?", "https://a.test/#x", "https://u:p@a.test"],
];

type Misuse = readonly [
  names: string,
  values: readonly unknown[],
  kind: typeof RangeError | typeof TypeError,
  message: string,
];

/** Names of options with invalid values, the error and the end of its message. */
const MISUSES: readonly Misuse[] = [
  [
    "maxBytes maxEntries concurrency maxSitemaps maxPages",
    [0, -1, 1.5, NaN, -Infinity, "4", null, 1n, {}],
    RangeError,
    "a whole number of at least 1",
  ],
  [
    "retries maxDepth maxRedirects",
    [-1, 0.5, NaN, "1", null],
    RangeError,
    "a whole number of at least 0",
  ],
  ["timeout maxRequestTime", [0, 0.5, -1, NaN, "1", null], RangeError, "a number of at least 1"],
  [
    "deadline retryDelay maxRetryDelay maxWait wait",
    [-1, -0.5, NaN, "1", null],
    RangeError,
    "a number of at least 0",
  ],
  [
    "hosts",
    ["", "same-planet", null, 1],
    TypeError,
    '"any", "same-host", "same-site" or a function',
  ],
  ["extraKnownPaths", ["sitemap.xml", {}, null], TypeError, "a list of strings"],
  ["extraKnownPaths", [[1], ["a", null]], TypeError, "is not a string"],
  ["signal", [{}, "now", null, new AbortController()], TypeError, "an AbortSignal"],
  [
    "fetch recurseCallback recurseListCallback includeCallback includePage onRequest",
    ["fetch", {}, null, 1],
    TypeError,
    "a function",
  ],
  ["sitemaps", ["https://site.test/a.xml", {}, null], TypeError, "http(s) URLs"],
  [
    "sitemaps",
    [["/a.xml"], ["ftp://site.test/"], [null], ["https://site.test/a.xml", 1]],
    TypeError,
    "is not an http(s) URL",
  ],
  [
    "useRobots useFeeds normalizeHomepageUrl randomWait respectRobots notes allowPrivateNetwork",
    ["yes", 0, null],
    TypeError,
    "true or false",
  ],
  [
    "mapOrigin",
    ["https://a.test=https://b.test", ["https://a.test"], new Map(), null, 1],
    TypeError,
    "an object with origins",
  ],
  [
    "mapOrigin",
    [
      ...NO_ORIGINS.map((bad) => ({ [bad]: "https://b.test" })),
      ...[...NO_ORIGINS, 1, null, new URL("https://a.test/")]
        .map((bad) => ({ "https://b.test": bad })),
    ],
    TypeError,
    "is not an http(s) origin such as https://example.com",
  ],
  ["useKnownPaths", ["yes", 0, null], TypeError, "true, false or a function"],
  ["useHomepage", ["always", 1, null], TypeError, '"fallback", true or false'],
  ["headers", [{ "no spaces": "x" }, { "x": "a\nb" }, [["only one"]]], TypeError, "cannot be sent"],
  ["userAgent", ["a\nb", "\u{1f577}"], TypeError, "cannot be sent"],
];

Deno.test("walk() rejects every option out of range before the first request, and names it", async () => {
  const { fetch, requests } = siteFetch({});
  for (const [names, values, kind, expected] of MISUSES) {
    for (const name of names.split(" ")) {
      for (const value of values) {
        const options = { fetch, [name]: value } as WalkOptions;
        const error = await assertRejects(() => walk(HOME, options).next(), kind);
        assert(error.message.startsWith(`Cannot use option "${name}": `), error.message);
        assert(error.message.endsWith(expected), error.message);
        assert(!error.message.endsWith("."));
      }
    }
  }
  assertEquals(requests, []);
});

Deno.test("every option is checked", () => {
  const checked = new Set(MISUSES.flatMap(([names]) => names.split(" ")));
  const resolved = Object.keys(resolveWalkOptions({}));
  assertEquals(resolved.filter((name) => !checked.has(name)), []);
});

Deno.test("pages(), sitemapTreeForHomepage() and parseSitemap() reject as walk() does", async () => {
  const message = 'Cannot use option "maxEntries": 0 is not a whole number of at least 1';
  await assertRejects(() => pages(HOME, { maxEntries: 0 }).next(), RangeError, message);
  await assertRejects(() => sitemapTreeForHomepage(HOME, { maxEntries: 0 }), RangeError, message);
  const stream = new ReadableStream<Uint8Array>();
  await assertRejects(() => parseSitemap(stream, { maxEntries: 0 }).next(), RangeError, message);
  assertEquals(stream.locked, false, "what it was given is left alone");
});

Deno.test("walk() rejects unknown options and suggests the one that was meant", async () => {
  const { fetch, requests } = siteFetch({});
  const cases: readonly (readonly [string, string])[] = [
    ["concurency", '; did you mean "concurrency"?'],
    ["maxpages", '; did you mean "maxPages"?'],
    ["sitemap", '; did you mean "sitemaps"?'],
    ["onDisk", ""],
    ["zzzzzzzz", ""],
  ];
  for (const [name, end] of cases) {
    const options = { fetch, [name]: 1 } as WalkOptions;
    const message = `Unknown option "${name}"${end}`;
    for (const call of [walk, pages]) {
      const error = await assertRejects(() => call(HOME, options).next() as Promise<unknown>);
      assertEquals([(error as Error).name, (error as Error).message], ["TypeError", message]);
    }
  }
  assertEquals(requests, []);
});

Deno.test("options that are undefined are as if they were absent", async () => {
  const { fetch } = siteFetch({});
  const options = { fetch, concurrency: undefined, concurency: undefined } as unknown;
  assertEquals((await walk(HOME, options as WalkOptions).next()).done, false);
});

Deno.test("every function with options rejects unknown ones", async () => {
  const { fetch } = siteFetch({});
  const odd = { fetch, zzz: 1 } as never;
  const bad = { zzz: 1 } as never;
  await using snapshot = await openSnapshot(":memory:");
  const tree = await sitemapFromString("https://site.test/a");
  const calls: Readonly<Record<string, () => unknown>> = {
    sitemapTreeForHomepage: () => sitemapTreeForHomepage(HOME, odd),
    parseSitemap: () => parseSitemap("", bad).next(),
    sitemapFromString: () => sitemapFromString("", bad),
    collect: () => collect([], bad),
    toJSON: () => tree.toJSON(bad),
    sync: () => sync(HOME, { snapshot, fetch, zzz: 1 } as never).next(),
    openSnapshot: () => openSnapshot(":memory:", bad),
    changes: () => snapshot.changes(bad),
    sites: () => snapshot.sites(bad),
    pages: () => snapshot.pages(HOME, bad),
    forget: () => snapshot.forget(HOME, bad),
    prune: () => snapshot.prune(bad),
    syncAll: () => syncAll([HOME], { snapshot, fetch, zzz: 1 } as never).next(),
    events: () => snapshot.events(HOME, bad).next(),
    openFleet: () => openFleet("postgres://unused", bad),
    openFleetWalk: () => openFleet("postgres://unused", { walk: bad }),
    toCsv: () => toCsv(bad),
    toOutline: () => toOutline(bad),
  };
  for (const [name, call] of Object.entries(calls)) {
    const error = await assertRejects(async () => await call(), TypeError, undefined, name);
    assertEquals(error.message, 'Unknown option "zzz"', name);
  }
});

Deno.test("sitemapTreeForHomepage() has options of its own, and parseSitemap() none of walks", async () => {
  for (const [name, meant] of [["ondisk", "onDisk"], ["concurency", "concurrency"]] as const) {
    const call = () => sitemapTreeForHomepage(HOME, { [name]: true } as never);
    await assertRejects(call, TypeError, `Unknown option "${name}"; did you mean "${meant}"?`);
  }
  const options = { maxSitemaps: 1 } as never;
  await assertRejects(() => parseSitemap("", options).next(), TypeError, "Unknown option");
});

Deno.test("resolveWalkOptions() fills in the defaults, for undefined options too", () => {
  const defaults: object = resolveWalkOptions({});
  const expected: object = {
    maxBytes: 100 * 1024 * 1024,
    maxEntries: 500_000,
    useRobots: true,
    useKnownPaths: true,
    useHomepage: "fallback",
    useFeeds: false,
    extraKnownPaths: [],
    normalizeHomepageUrl: true,
    notes: false,
    userAgent: `sitetree/${VERSION}`,
    timeout: 30_000,
    maxRequestTime: 600_000,
    deadline: Infinity,
    retries: 4,
    retryDelay: 1000,
    maxRetryDelay: 60_000,
    maxWait: 600_000,
    wait: 0,
    randomWait: false,
    concurrency: 4,
    maxDepth: 11,
    maxSitemaps: 50_000,
    maxPages: Infinity,
    maxRedirects: 20,
    hosts: "any",
    respectRobots: false,
    headers: new Headers(),
  };
  assertEquals(defaults, expected);
  const undefinedOnes = Object.fromEntries(Object.keys(defaults).map((name) => [name, undefined]));
  assertEquals(resolveWalkOptions(undefinedOnes as WalkOptions), defaults);
});

Deno.test("resolveWalkOptions() accepts the extremes of each range", () => {
  const { signal } = new AbortController();
  const extremes: WalkOptions = {
    retries: 0,
    maxDepth: 0,
    maxRedirects: 0,
    deadline: 0,
    retryDelay: 0,
    maxRetryDelay: 0,
    wait: 0.5,
    timeout: Infinity,
    maxRequestTime: 1,
    maxBytes: Infinity,
    concurrency: 1000,
    hosts: () => true,
    headers: new Headers([["x", "y"]]),
    signal,
    allowPrivateNetwork: false,
  };
  const resolved = resolveWalkOptions(extremes);
  for (const [name, value] of Object.entries(extremes)) {
    assertEquals(resolved[name as keyof WalkOptions], value);
  }
});

Deno.test("walk() sends headers that are given as an iterator with every request", async () => {
  const headers = new Headers({ "x-trace": "1" }).entries() as unknown as HeadersInit;
  const { requests } = await walked({ "/robots.txt": robots("/s.xml") }, { headers });
  assertEquals(requests.map(({ headers }) => headers.get("x-trace")), ["1", "1"]);
});
