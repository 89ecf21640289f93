import { assert, assertEquals } from "@std/assert";
import { gzipSync } from "node:zlib";
import type { WalkOptions } from "../../mod.ts";
import {
  type Answer,
  FaultServer,
  type FaultSite,
  head,
  ok,
  redirect,
} from "../support/fault_server.ts";
import { eventsOf, type Summary, summaryOfEvents } from "./summary.ts";

const MEBIBYTE = 1024 * 1024;

function entry(name: string): string {
  return `<url><loc>{{origin}}/${name}</loc></url>`;
}

/** An answer without end: `first`, then `more` again and again. */
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

/** A document of `size` spaces inside a urlset, gzipped as often as told. */
function bomb(size: number, layers: number): Uint8Array<ArrayBuffer> {
  const spaces = " ".repeat(size);
  const text = `<urlset><url><loc>https://a.test/first</loc></url>${spaces}</urlset>`;
  let bytes: Uint8Array<ArrayBuffer> = new TextEncoder().encode(text);
  for (let layer = 0; layer < layers; layer++) bytes = new Uint8Array(gzipSync(bytes));
  return bytes;
}

/** A site that declares one sitemap. */
function declaring(sitemap: Answer, more: FaultSite = {}): FaultSite {
  return {
    "/robots.txt": ok("Sitemap: {{origin}}/s.xml\n"),
    "/s.xml": sitemap,
    ...more,
  };
}

/** An index that lists these paths. */
function index(...paths: string[]): Answer {
  const children = paths.map((path) => `<sitemap><loc>{{origin}}${path}</loc></sitemap>`);
  return ok(`<sitemapindex>${children.join("")}</sitemapindex>`);
}

/** What a number in the query of a request says. */
function numberIn(path: string): number {
  return Number(/\d+/.exec(path)?.[0] ?? 0);
}

interface Row {
  readonly name: string;
  readonly site: FaultSite;
  readonly options: WalkOptions;
  readonly expected: Partial<Summary>;
  /** Requests that the server may have seen at most. */
  readonly maxRequests?: number;
  /** Inflated bytes that may have been read at most. */
  readonly maxBytes?: number;
}

const CUT_THERE: Partial<Summary> = {
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
    name: "maxBytes ends a sitemap without end",
    site: declaring(endless("<urlset>", "<url><loc>https://a.test/first</loc></url>")),
    options: { maxBytes: MEBIBYTE },
    expected: { ...CUT_THERE, warnings: ["duplicate-address", "too-large"] },
    maxBytes: MEBIBYTE + 100,
  },
  {
    name: "maxBytes ends a comment without end",
    site: declaring(endless("<!--", "------- ")),
    options: { maxBytes: MEBIBYTE },
    expected: TOO_LARGE,
    maxBytes: MEBIBYTE + 100,
  },
  {
    name: "maxBytes ends white space without end",
    site: declaring(endless("", "        \n")),
    options: { maxBytes: MEBIBYTE },
    expected: TOO_LARGE,
    maxBytes: MEBIBYTE + 100,
  },
  {
    name: "maxBytes ends an HTML page without title and end",
    site: declaring(endless("<html><head>", "<meta charset='utf-8'/>")),
    options: { maxBytes: MEBIBYTE },
    expected: TOO_LARGE,
    maxBytes: MEBIBYTE + 100,
  },
  {
    name: "maxBytes ends a line without end",
    site: declaring(endless("{{origin}}/first\n{{origin}}/", "aaaaaaaa")),
    options: { maxBytes: 3 * MEBIBYTE },
    expected: { ...CUT_THERE, warnings: ["too-large", "value-too-long"] },
    maxBytes: 3 * MEBIBYTE + 100,
  },
  {
    name: "maxBytes ends a gzip bomb",
    site: declaring(ok(bomb(64 * MEBIBYTE, 1))),
    options: { maxBytes: MEBIBYTE },
    expected: { ...CUT_THERE, warnings: ["too-large"] },
    maxBytes: MEBIBYTE + 100,
  },
  {
    name: "maxBytes ends a bomb of three layers",
    site: declaring(ok(bomb(64 * MEBIBYTE, 3))),
    options: { maxBytes: MEBIBYTE },
    expected: { ...CUT_THERE, warnings: ["too-large"] },
    maxBytes: MEBIBYTE + 100,
  },
  {
    name: "maxBytes ends a bomb by Content-Encoding",
    site: declaring(ok(bomb(64 * MEBIBYTE, 1), { "Content-Encoding": "gzip" })),
    options: { maxBytes: MEBIBYTE },
    expected: { ...CUT_THERE, warnings: ["too-large"] },
    maxBytes: MEBIBYTE + 100,
  },
  {
    name: "the number of gzip members has a ceiling of its own",
    site: declaring(endless("", new Uint8Array(gzipSync("")))),
    options: {},
    expected: { invalid: { "/s.xml": "empty" }, warnings: ["gzip-cut"], verdict: "partial" },
  },
  {
    name: "maxBytes ends a gzip header without end",
    // the flag says that a name follows, which ends at a zero byte
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
    name: "the third layer of gzip is the last that is undone",
    site: declaring(ok(bomb(0, 4)), {
      "/robots.txt": ok("Sitemap: {{origin}}/s.xml\nSitemap: {{origin}}/three.xml\n"),
      "/three.xml": ok(bomb(0, 3)),
    }),
    options: {},
    expected: { pages: ["/first"], invalid: { "/s.xml": "not-a-sitemap" }, verdict: "partial" },
  },
  {
    name: "maxRobotsBytes ends a robots.txt without end",
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
    name: "maxRedirects ends redirects",
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
    name: "maxEntries cuts a sitemap",
    site: declaring(ok(`<urlset>${entry("first")}${entry("second")}${entry("third")}</urlset>`)),
    options: { maxEntries: 1 },
    expected: { ...CUT_THERE, warnings: ["too-many-entries"] },
  },
  {
    name: "maxValueLength drops the entry of an overlong address alone",
    site: declaring(
      ok(`<urlset>${entry("first")}${entry("a".repeat(2000))}${entry("last")}</urlset>`),
    ),
    options: { maxValueLength: 1000 },
    expected: { pages: ["/first", "/last"], warnings: ["value-too-long"], verdict: "complete" },
  },
  {
    name: "maxAttributes cuts a sitemap",
    site: declaring(
      ok(`<urlset>${entry("first")}<x a="" b="" c="" d=""/>${entry("last")}</urlset>`),
    ),
    options: { maxAttributes: 3 },
    expected: { ...CUT_THERE, warnings: ["too-many-attributes"] },
  },
  {
    name: "maxElementDepth cuts a sitemap",
    site: declaring(ok(`<urlset>${entry("first")}${"<a:x>".repeat(20)}`)),
    options: { maxElementDepth: 10 },
    expected: { ...CUT_THERE, warnings: ["too-deep-elements", "xml-unbound-prefix"] },
  },
  {
    name: "maxPages ends a walk",
    site: declaring(ok(`<urlset>${entry("first")}${entry("second")}${entry("third")}</urlset>`)),
    options: { maxPages: 1 },
    expected: {
      pages: ["/first"],
      warnings: ["max-pages"],
      unfinished: ["/s.xml", "/robots.txt", "/"],
      verdict: "partial",
    },
  },
  {
    name: "maxDepth ends an index that goes on and on",
    site: {
      "/robots.txt": ok("Sitemap: {{origin}}/s?1\n"),
      "*": (wire) => index(`/s?${numberIn(wire.request.path) + 1}`)(wire),
    },
    options: {},
    expected: { invalid: { "/s?12": "too-deep" }, verdict: "partial" },
    maxRequests: 12,
  },
  {
    name: "maxDepth ends two indexes that list each other over ever new addresses",
    site: {
      "/robots.txt": ok("Sitemap: {{origin}}/a?1\n"),
      "*": (wire) => {
        const next = numberIn(wire.request.path) + 1;
        return index(wire.request.path.startsWith("/a") ? `/b?${next}` : `/a?${next}`)(wire);
      },
    },
    options: { maxDepth: 4 },
    expected: { invalid: { "/a?5": "too-deep" }, verdict: "partial" },
    maxRequests: 5,
  },
  {
    name: "two indexes that list each other by the same addresses are a recursion",
    site: {
      "/robots.txt": ok("Sitemap: {{origin}}/a.xml\n"),
      "/a.xml": index("/b.xml"),
      "/b.xml": index("/a.xml", "/c.xml"),
      "/c.xml": ok(`<urlset>${entry("first")}</urlset>`),
    },
    options: {},
    expected: { pages: ["/first"], invalid: { "/a.xml": "recursion" }, verdict: "complete" },
    maxRequests: 4,
  },
  {
    name: "maxSitemaps ends an index that fans out without end",
    site: {
      "/robots.txt": ok("Sitemap: {{origin}}/s?1\n"),
      "*": (wire) => {
        const at = numberIn(wire.request.path) * 10;
        return index(...Array.from({ length: 10 }, (_, child) => `/s?${at + child}`))(wire);
      },
    },
    options: { maxSitemaps: 100 },
    expected: { warnings: ["max-sitemaps"], verdict: "partial" },
    maxRequests: 120,
  },
  {
    name: "maxSitemaps counts those that are refused unread too",
    site: {
      "/robots.txt": ok("Sitemap: {{origin}}/s.xml\n"),
      "/s.xml": index(...Array.from({ length: 500 }, (_, at) => `/deep?${at}`)),
    },
    options: { maxSitemaps: 100, maxDepth: 1 },
    expected: { warnings: ["max-sitemaps"], verdict: "partial" },
    maxRequests: 2,
  },
  {
    name: "a deadline ends a walk whose server says nothing",
    site: declaring(async (wire) => {
      await wire.listen();
      await wire.hang();
    }),
    options: { deadline: 300 },
    expected: {
      warnings: ["deadline"],
      unfinished: ["/robots.txt", "/"],
      verdict: "partial",
    },
  },
  {
    name: "a deadline ends a walk whose server never stops",
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
    name: "a deadline ends the wait before a retry",
    site: declaring((wire) => wire.send("")),
    options: { deadline: 300, retries: 4, retryDelay: 60_000 },
    expected: {
      warnings: ["deadline"],
      unfinished: ["/robots.txt", "/"],
      verdict: "partial",
    },
  },
  {
    name: "maxRequestTime ends a drip",
    site: declaring(async (wire) => {
      await wire.listen();
      await wire.send(head(200));
      await wire.send(`<urlset>${entry("first")}`);
      await wire.drip(new Uint8Array(10_000).fill(0x20), 20);
    }),
    options: { maxRequestTime: 500 },
    expected: { ...CUT_THERE, warnings: ["body-cut"] },
  },
  {
    name: "maxRequestTime ends early hints without end",
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
    name: "maxRetryDelay ends the wait that Retry-After asks for",
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
  Deno.test(`walk(): ${name}`, async () => {
    await using server = new FaultServer(site);
    const events = await eventsOf(server.url, {
      useKnownPaths: false,
      retries: 0,
      timeout: 60_000,
      ...options,
    });
    const found = summaryOfEvents(events);
    // where it is not said what is left unfinished, the ceiling leaves it open
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
