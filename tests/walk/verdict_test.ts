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
import { CallerError, InvalidSitemapError } from "../../src/data/errors.ts";
import { refused } from "../http/scripted_fetch.ts";
import { HOME, type Page, robots, urlset } from "./site.ts";
import { searched, walked } from "./walked.ts";

const HTML = "<!DOCTYPE html><html><title>Welcome</title><body>Hello</body></html>";
const WELL = urlset("/1");

Deno.test("a refusal by a callback does not affect the verdict", async () => {
  const pages = { "/robots.txt": robots("/a", "/b"), "/a": WELL, "/b": 403 };
  const byUrl = (url: string) => url.endsWith("/a");
  const one = await walked(pages, { recurseCallback: byUrl });
  const list = await walked(pages, { recurseListCallback: (urls) => urls.filter(byUrl) });
  const all = await walked(pages, { recurseCallback: () => false });
  const verdicts = [one, list, all].map(({ verdict }) => verdict);
  assertEquals(verdicts, ["complete", "complete", "none"]);
});

Deno.test("a declared or probed robots.txt counts as a sitemap that was read", async () => {
  const site = { "/sub/robots.txt": robots("/a"), "/a": WELL };
  const options = { extraKnownPaths: ["sub/robots.txt"] };
  const { outline, verdict } = await searched(site, options);
  assertEquals(outline.slice(1, 3), ["entered /sub/robots.txt", "entered /a"]);
  assertEquals(verdict, "complete");
  assertEquals((await searched({ "/sub/robots.txt": "" }, options)).verdict, "complete");
});

Deno.test("Tally is partial whatever limit ended the walk, even if nothing was read", () => {
  for (const endedBy of ["deadline", "max-pages", "max-sitemaps"] as const) {
    const read = new Tally();
    read.read(false, true);
    assertEquals(read.verdict, "complete");
    const refused = new Tally();
    refused.probeFailed(HOME, { code: "network", reason: "Request failed" });
    assertEquals(refused.verdict, "blocked");
    for (const tally of [read, refused, new Tally()]) {
      tally.endedBy = endedBy;
      assertEquals(tally.verdict, "partial");
    }
  }
});

Deno.test("Tally does not count robots.txt as a sitemap that was read", () => {
  const tally = new Tally();
  tally.read(true, true);
  assertEquals(tally.verdict, "none");
  tally.probeFailed(HOME, { code: "http-status", reason: "", status: 500 });
  assertEquals(tally.verdict, "blocked");
  tally.read(false, true);
  assertEquals(tally.verdict, "complete");
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

Deno.test("Tally is partial if a listed sitemap was dropped, unless it is blocked", () => {
  const tally = new Tally();
  tally.read(false, false);
  assertEquals(tally.verdict, "partial");
  tally.read(false, true);
  assertEquals(tally.verdict, "partial");
  const refused = new Tally();
  refused.read(true, false);
  assertEquals(refused.verdict, "partial");
  refused.robotsFailed(HOME, { code: "http-status", reason: "", status: 403 });
  assertEquals(refused.verdict, "blocked");
});

Deno.test("Tally is partial if robots.txt failed with 5xx or without a response", () => {
  const failures: [InvalidCode, number | undefined, Verdict][] = [
    ["http-status", 500, "partial"],
    ["http-status", 503, "partial"],
    ["network", undefined, "partial"],
    ["timeout", undefined, "partial"],
    ["http-status", 403, "complete"],
    ["http-status", 404, "complete"],
    ["http-status", 429, "complete"],
    ["redirect", undefined, "complete"],
    ["not-a-sitemap", undefined, "complete"],
    ["blocked", undefined, "complete"],
  ];
  for (const [code, status, verdict] of failures) {
    const tally = new Tally();
    tally.read(false, true);
    tally.robotsFailed(HOME, { code, reason: "", status });
    assertEquals(tally.verdict, verdict, `${code} ${status}`);
  }
});

Deno.test("failureOf() converts errors of requests, and throws all others", () => {
  assertEquals(failureOf(new InvalidSitemapError("redirect", "why")), {
    code: "redirect",
    reason: "why",
    requestCode: "redirect",
    status: undefined,
    response: undefined,
  });
  const bug = new TypeError("a bug");
  assertStrictEquals(assertThrows(() => failureOf(bug)), bug);
  const mine = new RangeError("mine");
  assertStrictEquals(assertThrows(() => failureOf(new CallerError(mine))), mine);
});

/** Whether a walk is blocked if this is all that happens. */
function blocks(failure: Omit<SitemapFailure, "reason">): boolean {
  const tally = new Tally();
  tally.probeFailed(HOME, { ...failure, reason: "" });
  return tally.verdict === "blocked";
}

Deno.test("Tally is blocked by all statuses but 2xx, 3xx, 404 and 410", () => {
  for (let status = 200; status < 600; status++) {
    const isAnswered = status < 400 || status === 404 || status === 410;
    assertEquals(blocks({ code: "http-status", status }), !isAnswered, `${status}`);
  }
});

/** Codes of failures without a status. */
const CODES: readonly InvalidCode[] = [
  ...["network", "timeout", "blocked", "redirect", "not-a-sitemap", "empty"] as const,
  ...["xml-dtd", "too-large", "too-deep", "recursion", "already-visited"] as const,
];

Deno.test("Tally is blocked by requests without a response, and those refused by a policy", () => {
  assertEquals(CODES.filter((code) => blocks({ code })), ["network", "timeout", "blocked"]);
});

/** Returns the statuses and codes of failures for which `judge` is true. */
function accepted(
  judge: (failure: SitemapFailure) => boolean,
  statuses: readonly number[],
): (number | InvalidCode)[] {
  return [
    ...statuses.filter((status) => judge({ code: "http-status", reason: "", status })),
    ...CODES.filter((code) => judge({ code, reason: "" })),
  ];
}

Deno.test("isMissing() accepts 404 and 410, and documents that are not sitemaps", () => {
  const statuses = [301, 304, 400, 401, 403, 404, 405, 406, 410, 418, 429, 500];
  assertEquals(accepted(isMissing, statuses), [404, 410, "not-a-sitemap", "empty"]);
  assertEquals(isMissing({ code: "not-a-sitemap", reason: "", cut: true }), false);
});

Deno.test("isDisallowAll() accepts failures that RFC 9309 treats as a full disallow", () => {
  const statuses = [304, 400, 403, 404, 429, 499, 500, 503];
  assertEquals(accepted(isDisallowAll, statuses), [429, 500, 503, "network", "timeout"]);
});

Deno.test("finished has the limit that ended the walk", async () => {
  const pages = { "/robots.txt": robots("/a", "/b"), "/a": WELL, "/b": WELL };
  const endedBy = async (options: WalkOptions) => (await walked(pages, options)).finished.endedBy;
  assertEquals(await endedBy({}), undefined);
  assertEquals(await endedBy({ maxPages: 1 }), "max-pages");
  assertEquals(await endedBy({ maxSitemaps: 1 }), "max-sitemaps");
  assertEquals(await endedBy({ deadline: 0 }), "deadline");
});

Deno.test("finished says why robots.txt could not be read, unless it does not exist", async () => {
  const rows: readonly (readonly [Page, { code: string; status?: number }?, WalkOptions?])[] = [
    [403, { code: "http-status", status: 403 }],
    [503, { code: "http-status", status: 503 }],
    [404],
    [HTML],
    [""],
    ["-> /robots.txt", { code: "redirect" }],
    [refused(), { code: "connection-refused" }],
    // also if it is read only for its rules
    [500, { code: "http-status", status: 500 }, { useRobots: false, respectRobots: true }],
  ];
  for (const [robots, expected, options] of rows) {
    const { finished } = await walked({ "/robots.txt": robots }, { retries: 0, ...options });
    assertEquals<unknown>(finished.robots, expected);
  }
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
    });
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
