import { assertEquals, assertMatch, assertStrictEquals, assertThrows } from "@std/assert";
import type { RequestReport, Verdict, WalkOptions } from "../../mod.ts";
import type { InvalidCode } from "../../src/data/codes.ts";
import {
  failureOf,
  isDisallowAll,
  isMissing,
  type SitemapFailure,
  Tally,
} from "../../src/walk/verdict.ts";
import { FakeClock } from "../http/fake_clock.ts";
import { refused } from "../http/scripted_fetch.ts";
import { HOME, index, type Page, type Pages, robots, urlset } from "./site.ts";
import { searched, walked } from "./walked.ts";

const HTML = "<!DOCTYPE html><html><title>Welcome</title><body>Hello</body></html>";
const WELL = urlset("/1");

Deno.test("a declared or probed robots.txt counts as a sitemap that was read", async () => {
  const site = { "/sub/robots.txt": robots("/a"), "/a": WELL };
  const options = { extraKnownPaths: ["sub/robots.txt"] };
  const { outline, verdict } = await searched(site, options);
  assertEquals(outline.slice(1, 3), ["entered /sub/robots.txt", "entered /a"]);
  assertEquals(verdict, "complete");
  assertEquals((await searched({ "/sub/robots.txt": "" }, options)).verdict, "complete");
});

Deno.test("stats.sitemaps counts a robots.txt that is listed or given, but not that of the site", async () => {
  const site = {
    "/robots.txt": robots("/sub/robots.txt", "/a"),
    "/sub/robots.txt": robots("/b"),
    "/a": urlset("/1"),
    "/b": urlset("/2"),
  };
  assertEquals((await walked(site)).stats.sitemaps, 3);
  const sitemaps = [`${HOME}sub/robots.txt`];
  assertEquals((await walked(site, { sitemaps })).stats.sitemaps, 2);
});

Deno.test("failureOf() throws all errors that are not of requests", () => {
  const bug = new TypeError("a bug");
  assertStrictEquals(assertThrows(() => failureOf(bug)), bug);
});

const STATUSES = Array.from({ length: 400 }, (_, at) => 200 + at);
/** Codes of failures without a status. */
const CODES: readonly InvalidCode[] = [
  ...["network", "timeout", "blocked", "redirect", "not-a-sitemap", "empty"] as const,
  ...["xml-dtd", "too-large", "too-deep", "recursion", "already-visited"] as const,
];

/** Returns the statuses and codes of failures for which `judge` is true. */
function accepted(judge: (failure: SitemapFailure) => boolean): (number | InvalidCode)[] {
  return [
    ...STATUSES.filter((status) => judge({ code: "http-status", reason: "", status })),
    ...CODES.filter((code) => judge({ code, reason: "" })),
  ];
}

Deno.test("failures are refusals, missing sitemaps or a full disallow by status and code", () => {
  const isRefusal = (failure: SitemapFailure) => {
    const tally = new Tally();
    tally.failed(HOME, failure);
    return tally.verdict === "blocked";
  };
  const refusals = STATUSES.filter((status) => status >= 400 && status !== 404 && status !== 410);
  assertEquals(accepted(isRefusal), [...refusals, "network", "timeout", "blocked"]);
  assertEquals(accepted(isMissing), [404, 410, "not-a-sitemap", "empty"]);
  assertEquals(isMissing({ code: "not-a-sitemap", reason: "", cut: true }), false);
  // RFC 9309
  const errors = STATUSES.filter((status) => status >= 500);
  assertEquals(accepted(isDisallowAll), [429, ...errors, "network", "timeout"]);
});

Deno.test("finished has the limit that ended the walk", async () => {
  const pages = { "/robots.txt": robots("/a", "/b"), "/a": WELL, "/b": WELL };
  const endedBy = async (options: WalkOptions) => (await walked(pages, options)).finished.endedBy;
  assertEquals(await endedBy({}), undefined);
  assertEquals(await endedBy({ maxPages: 1 }), "max-pages");
  assertEquals(await endedBy({ maxSitemaps: 1 }), "max-sitemaps");
  assertEquals(await endedBy({ deadline: 0 }), "deadline");
});

const LIMITED: Pages = {
  "/robots.txt": robots("/a", "/index", "/b"),
  "/a": WELL,
  "/index": index("/c"),
  "/b": urlset("/2"),
  "/c": urlset("/3"),
};
const CUT = WELL.replace("</urlset>", "");

Deno.test("finished is limited if nothing but limits of the caller kept a walk from being complete", async () => {
  const limits: readonly (readonly [WalkOptions, isLimited: boolean])[] = [
    [{}, false],
    [{ maxPages: 2 }, true],
    [{ maxSitemaps: 3 }, true],
    [{ maxSitemaps: 50_000, maxDepth: 11 }, false],
    [{ maxDepth: 1 }, true],
    [{ maxDepth: 1, maxPages: 2 }, true],
    [{ deadline: 0 }, true],
  ];
  const losses: readonly (readonly [Pages, WalkOptions?])[] = [
    [{ "/a": 404 }],
    [{ "/a": CUT }],
    [{ "/a": urlset("/1", "/4"), "/b": urlset("/2", "/5", "/6") }, { maxEntries: 1 }],
    [{ "/robots.txt": `${robots("/a", "/index", "/b")}Sitemap: mailto:a\n` }],
    [{ "/robots.txt": 500 }, { sitemaps: [`${HOME}a`, `${HOME}index`], useRobots: true }],
  ];
  for (const [options, isLimited] of limits) {
    const limited = isLimited ? true : undefined;
    assertEquals((await walked(LIMITED, options)).finished.limited, limited, show(options));
    if (options.deadline === 0) continue;
    for (const [pages, more] of losses) {
      const all = { retries: 0, ...more, ...options };
      const { finished } = await walked({ ...LIMITED, ...pages }, all);
      assertEquals([finished.verdict, finished.limited], ["partial", undefined], show(all, pages));
    }
    // elsewhere in the tree, so that nothing is missing
    const harmless: readonly (readonly [Pages, WalkOptions?])[] = [
      [{ "/index": index("/c", "/index") }],
      [
        { "/robots.txt": 403, "/top": index("/a", "/index", "/b") },
        { sitemaps: [`${HOME}top`], useRobots: true },
      ],
    ];
    for (const [pages, more] of harmless) {
      const all = { retries: 0, ...more, ...options };
      const { finished } = await walked({ ...LIMITED, ...pages }, all);
      assertEquals(finished.limited, limited, show(all, pages));
    }
  }
});

function show(...values: readonly unknown[]): string {
  return JSON.stringify(values);
}

Deno.test("the default of a limit does not make a walk limited", async () => {
  const deep: Record<string, Page> = { "/robots.txt": robots("/0") };
  for (let level = 0; level <= 12; level++) deep[`/${level}`] = index(`/${level + 1}`);
  deep["/13"] = WELL;
  const limited = async (options: WalkOptions) => (await walked(deep, options)).finished.limited;
  assertEquals(await limited({}), undefined);
  assertEquals(await limited({ maxDepth: 11 }), true);
});

Deno.test("finished says why robots.txt could not be read, unless it does not exist", async () => {
  const rows: readonly (readonly [Page, Verdict, { code: string; status?: number }?])[] = [
    [403, "complete", { code: "http-status", status: 403 }],
    [429, "complete", { code: "http-status", status: 429 }],
    [500, "partial", { code: "http-status", status: 500 }],
    [404, "complete"],
    [HTML, "complete"],
    ["", "complete"],
    ["-> /robots.txt", "complete", { code: "redirect" }],
    [refused(), "partial", { code: "connection-refused" }],
  ];
  const given = { retries: 0, sitemaps: [`${HOME}a`], useRobots: true };
  for (const [robots, verdict, expected] of rows) {
    const { finished } = await walked({ "/robots.txt": robots, "/a": WELL }, given);
    assertEquals<unknown>([finished.verdict, finished.robots], [verdict, expected]);
  }
  // also if it is read only for its rules
  const options = { retries: 0, useRobots: false, respectRobots: true };
  const { finished } = await walked({ "/robots.txt": 500 }, options);
  assertEquals(finished.robots, { code: "http-status", status: 500 });
});

Deno.test("a browser challenge is a refusal, is not retried, and is the reason of robots.txt", async () => {
  const answers: readonly (readonly [status: number, headers: HeadersInit, body: string])[] = [
    [403, { "cf-mitigated": "challenge" }, ""],
    [202, { "x-amzn-waf-action": "challenge" }, ""],
    [503, { "content-type": "text/html" }, "<title>Just a moment...</title>"],
    [429, { "content-type": "text/html", "retry-after": "9" }, '<div id="px-captcha">'],
  ];
  for (const [code, headers, body] of answers) {
    const reports: RequestReport[] = [];
    const site = { "*": () => new Response(body, { status: code, headers }) };
    const result = await walked(site, {
      onRequest: (report) => void reports.push(report),
      sitemaps: [`${HOME}a.xml`],
      useRobots: true,
    }, { clock: new FakeClock() });
    assertEquals([result.verdict, result.requests.length], ["blocked", 2]);
    assertEquals(result.finished.robots, { code: "browser-challenge", status: code });
    const [invalid] = result.of("invalid");
    assertEquals([invalid?.code, invalid?.status], ["http-status", code]);
    assertMatch(invalid!.reason, new RegExp(`^${code} .* \\(browser challenge\\)$`));
    for (const { phase, code, retryAfterMs } of reports) {
      if (phase === "request") continue;
      const expected = "retry-after" in headers ? 9000 : undefined;
      assertEquals([phase, code, retryAfterMs], ["response", "browser-challenge", expected]);
    }
  }
});

Deno.test("invalid events and warnings about failed requests have the status", async () => {
  const pages = { "/robots.txt": robots("/gone", "/html"), "/html": HTML, "/sitemap.xml": 403 };
  const result = await searched(pages);
  const statuses = [...result.of("invalid"), ...result.of("warning")];
  assertEquals(statuses.map(({ code, status }) => [code, status]), [
    ["http-status", 404],
    ["not-a-sitemap", undefined],
    ["probe-failed", 403],
  ]);
  const [warning] = (await walked({ "/robots.txt": 500 }, { retries: 0 })).of("warning");
  assertEquals([warning?.code, warning?.status], ["robots-unreadable", 500]);
});
