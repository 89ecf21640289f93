import { assertEquals } from "@std/assert";
import type {
  FinishedEvent,
  InvalidCode,
  InvalidEvent,
  RequestReport,
  SitemapRef,
  TreeEvent,
  WalkStats,
  WarningCode,
  WarningEvent,
} from "../../mod.ts";
import type { Ending, Reading } from "../../src/cli/run/reading.ts";
import type { WalkOptions } from "../../src/walk/options.ts";
import { adviceLines, paintEnding, summaryLine, syncLine } from "../../src/cli/run/summary.ts";
import type { SyncFinishedEvent } from "../../src/sync/events.ts";
import { idleReading } from "./idle_reading.ts";

const SITE = ref(0, "IndexWebsiteSitemap", "/");
const FIRST = ref(1, "PagesXmlSitemap", "/a.xml");
const SECOND = ref(2, "PagesXmlSitemap", "/b.xml");

function ref(id: number, type: SitemapRef["type"], path: string): SitemapRef {
  return { id, type, url: `https://a.test${path}`, level: 0, parent: null, index: id };
}

function warning(code: WarningCode, message: string, sitemap: SitemapRef): WarningEvent {
  return { type: "warning", code, message, sitemap };
}

function invalid(code: InvalidCode, reason: string, sitemap: SitemapRef): InvalidEvent {
  return { type: "invalid", code, reason, sitemap };
}

function finished(more: Partial<FinishedEvent> = {}): TreeEvent {
  const stats: WalkStats = {
    ...{ sitemaps: 1, pages: 0, invalid: 0, warnings: 1, bytes: 0, requests: 1, retries: 0 },
    ...{ probes: 0, durationMs: 0 },
  };
  return { type: "finished", verdict: "partial", stats, source: "walk", discovery: [], ...more };
}

function left(sitemap: SitemapRef, complete: boolean): TreeEvent {
  return { type: "sitemap-left", sitemap, pages: 0, bytes: 0, complete, warnings: {} };
}

function readingOf(events: readonly TreeEvent[], limits: WalkOptions = {}): Reading {
  const reading = idleReading(SITE.url, limits);
  events.forEach((event) => reading.add(event));
  return reading;
}

function adviceOf(ending: Ending, ...events: TreeEvent[]): string[] {
  const reading = readingOf(events);
  reading.ending = ending;
  return adviceLines(ending, reading);
}

/** Returns the advice about requests that ended like this. */
function causesOf(ending: Ending, ...reports: Partial<RequestReport>[]): string[] {
  const reading = readingOf([]);
  reading.blockedAdvice = "an option refuses it";
  reading.noneAdvice = "none is declared";
  reading.missingAdvice = "all are missing";
  for (const [at, report] of reports.entries()) {
    const url = `https://a.test/${at}`;
    reading.watch.add({ phase: "response", url, sitemap: url, attempt: 1, ...report });
  }
  return adviceLines(ending, reading);
}

const DENIED = "access denied: try another --user-agent, --header or --proxy";
const UNREACHABLE = "site unreachable: check its URL and the network";
const BUSY = "the site is overloaded or in maintenance: try again in 3 min";

Deno.test("adviceLines() has advice for each cause once, the most frequent first", () => {
  const busy = { status: 503, retryAfterMs: 150_000 };
  const lost: Partial<RequestReport> = { phase: "failure", code: "network" };
  for (const ending of ["blocked", "partial"] as const) {
    assertEquals(causesOf(ending, lost, busy, { status: 200 }, busy), [BUSY, UNREACHABLE]);
  }
  assertEquals(causesOf("partial", { status: 403 }, { status: 406 }), [DENIED]);
  assertEquals(causesOf("complete", { status: 403 }), []);
  assertEquals(causesOf("blocked", { phase: "failure", code: "blocked" }), [
    "an option refuses it",
  ]);
});

Deno.test("adviceLines() ignores failures that a retry repaired, and missing sitemaps", () => {
  const url = "https://a.test/a.xml";
  const [failed, read] = [503, 200].map((status) => ({ url, sitemap: url, status }));
  assertEquals(causesOf("partial", failed!, { ...failed, phase: "retry" }, read!), []);
  assertEquals(causesOf("partial", { status: 404 }, { status: 200 }), []);
});

Deno.test("adviceLines() distinguishes a site without sitemaps from one that has nothing", () => {
  assertEquals(causesOf("none", { status: 200 }, { status: 404 }), ["none is declared"]);
  assertEquals(causesOf("none", { status: 404 }, { status: 410 }), ["all are missing"]);
});

Deno.test("syncLine() has the changes of the run, unchanged sitemaps and what they saved", () => {
  const reading = idleReading(SITE.url);
  const page = { url: "https://a.test/p" };
  const change = { page, sitemap: FIRST.url, site: SITE.url };
  for (const type of ["added", "added", "changed", "removed"] as const) {
    reading.add({ type, ...change });
  }
  reading.add({ type: "sitemap-entered", sitemap: FIRST });
  reading.add({ type: "sitemap-unchanged", sitemap: FIRST, pages: 7, by: "not-modified" });
  reading.add(left(FIRST, true));
  const line = () => syncLine(reading).replace(/\d\.\d s$/, "");
  assertEquals(line(), "interrupted: +2 ~1 -1, 1 of 1 sitemap unchanged, ");
  // those at its end
  const changes = { added: 1200, changed: 3, removed: 0, unchanged: 7, unconfirmed: 1 };
  const stats: SyncFinishedEvent["stats"] = {
    ...{ sitemaps: 1, pages: 7, invalid: 0, warnings: 1, bytes: 0, requests: 1, retries: 0 },
    ...{ probes: 0, durationMs: 0, notModified: 1, bytesSaved: 371_000_000, ...changes },
  };
  reading.add(
    { type: "finished", verdict: "partial", stats, source: "walk", discovery: [] } as TreeEvent,
  );
  reading.ending = "partial";
  assertEquals(
    line(),
    "partial: +1,200 ~3 -0, 1 of 1 sitemap unchanged, 371 MB saved, 1 page unconfirmed, " +
      "1 warning, ",
  );
});

Deno.test("adviceLines() points to --allow-mass-removal", () => {
  assertEquals(adviceOf("partial", warning("mass-removal", "200 of 300 pages", SITE)), [
    "200 of 300 pages",
    "--allow-mass-removal removes them, if they are really gone",
  ]);
});

Deno.test("adviceLines() names the cause of a truncated sitemap if nothing else failed", () => {
  const cut = [
    warning("bad-date", "Date cannot be read", FIRST),
    left(FIRST, true),
    warning("xml-cut", "Document ends \x1b[2J early", SECOND),
    left(SECOND, false),
    warning("body-cut", "Later", FIRST),
    left(FIRST, false),
  ];
  const line = "https://a.test/b.xml: Document ends \\x1b[2J early (xml-cut)";
  assertEquals(adviceOf("partial", ...cut), [line]);
  assertEquals(adviceOf("complete", ...cut), []);
  const missing = invalid("http-status", "404 Not Found", FIRST);
  assertEquals(adviceOf("partial", ...cut, missing), [
    "https://a.test/a.xml: 404 Not Found (http-status)",
  ]);
});

Deno.test("adviceLines() shortens text from the site", () => {
  const long = "x".repeat(200_000);
  const advice = (...events: TreeEvent[]) => adviceOf("partial", ...events);
  const sitemap = ref(3, "InvalidSitemap", `/${long}`);
  const shown = sitemap.url.slice(0, 200) + "…";
  assertEquals(advice(invalid("network", long, sitemap)), [
    `${shown}: ${"x".repeat(200)}… (network)`,
  ]);
  assertEquals(advice(warning("robots-unreadable", long, SITE)), [`${"x".repeat(200)}…`]);
  assertEquals(advice(warning("xml-cut", long, sitemap), left(sitemap, false)), [
    `${shown}: ${"x".repeat(200)}… (xml-cut)`,
  ]);
});

Deno.test("summaryLine() counts sitemaps, pages, invalid sitemaps and warnings", () => {
  const reading = readingOf([
    { type: "sitemap-entered", sitemap: FIRST },
    invalid("http-status", "404 Not Found", SECOND),
    // sitemaps that an index in a file lists are not losses
    invalid("unfetched", "Not fetched", SECOND),
  ]);
  reading.ending = "partial";
  const summary = (elapsed: number) =>
    summaryLine(Object.defineProperty(reading, "elapsed", { value: elapsed, configurable: true }));
  assertEquals(summary(61_000), "partial: 1 sitemap, 0 pages, 1 invalid, 1:01");
  reading.tally.pages = 1200;
  reading.tally.warnings = 1;
  reading.tally.kept = 7;
  assertEquals(
    summary(400),
    "partial: 1 sitemap, 1,200 pages (7 kept), 1 invalid, 1 warning, 0.4 s",
  );
});

Deno.test("paintEnding() colors only the ending", () => {
  const painted = paintEnding("partial", "partial: 1 partial thing");
  // deno-lint-ignore no-control-regex -- matches colors
  assertEquals(painted.replace(/\x1b\[\d+m/g, ""), "partial: 1 partial thing");
  assertEquals(painted.endsWith(": 1 partial thing"), true);
});

/** Returns the exit code of a partial walk and the advice below its summary. */
function limited(limits: WalkOptions, ...events: TreeEvent[]): [code: number, ...lines: string[]] {
  const reading = readingOf(events, limits);
  reading.ending = "partial";
  return [reading.exitCode, ...adviceLines("partial", reading)];
}

const TOO_DEEP = invalid("too-deep", "Too deep", SECOND);
const MAX_SITEMAPS = warning("max-sitemaps", "Too many sitemaps", SITE);
const MAX_PAGES = warning("max-pages", "Enough", SITE);
const DEADLINE = warning("deadline", "Enough", SITE);

Deno.test("a walk that is only limited exits with 0, unless a deadline ended it", () => {
  const end = (endedBy: NonNullable<FinishedEvent["endedBy"]>) =>
    finished({ endedBy, limited: true });
  assertEquals(limited({ maxPages: 3 }, left(FIRST, false), MAX_PAGES, end("max-pages")), [
    0,
    "--max-pages 3 reached: further pages were left out",
  ]);
  assertEquals(limited({}, left(FIRST, false), MAX_PAGES, end("max-pages")), [
    0,
    "--max-pages reached: further pages were left out",
  ]);
  assertEquals(limited({ maxSitemaps: 2 }, left(FIRST, true), MAX_SITEMAPS, end("max-sitemaps")), [
    0,
    "--max-sitemaps 2 reached: further sitemaps were left out",
  ]);
  assertEquals(limited({ maxDepth: 0 }, TOO_DEEP, finished({ limited: true })), [
    0,
    "--max-depth 0 left out 1 sitemap",
  ]);
  assertEquals(limited({}, DEADLINE, end("deadline")), [
    3,
    "--deadline reached: the rest was left out",
  ]);
});

Deno.test("default limits and other losses exit with 3", () => {
  const endedBy = "max-sitemaps";
  assertEquals(limited({}, MAX_SITEMAPS, finished({ endedBy })), [3, "Too many sitemaps"]);
  assertEquals(limited({}, TOO_DEEP, finished()), [3, "https://a.test/b.xml: Too deep (too-deep)"]);
  const lost = finished({ endedBy: "max-pages" });
  assertEquals(limited({ maxPages: 3 }, MAX_PAGES, lost)[0], 3);
  // saved events may be those of several walks
  const only = finished({ limited: true }), complete = finished({ verdict: "complete" });
  assertEquals(limited({}, only, complete)[0], 0);
  assertEquals(limited({}, lost, only)[0], 3);
  assertEquals(limited({}, only, lost)[0], 3);
  // the file of saved events ends before the walk
  assertEquals(limited({ maxDepth: 0 }, TOO_DEEP)[0], 3);
});

Deno.test("summaryLine() does not count the warning about a limit that the user set", () => {
  const summary = (limits: WalkOptions, ...events: TreeEvent[]) =>
    /\d warning/.exec(summaryLine(readingOf(events, limits)))?.[0];
  assertEquals(summary({ maxPages: 3 }, MAX_PAGES, finished()), undefined);
  assertEquals(summary({ maxSitemaps: 2 }, MAX_SITEMAPS, finished()), undefined);
  assertEquals(summary({}, MAX_SITEMAPS, finished()), "1 warning");
});

Deno.test("summaryLine() does not count robots.txt, unless the walk read it as a sitemap", () => {
  const root: SitemapRef = { ...SITE, level: -1 };
  const below: readonly SitemapRef[] = [ref(3, "IndexRobotsTxtSitemap", "/robots.txt"), FIRST]
    .map((sitemap) => ({ ...sitemap, parent: 0 }));
  const entered = [root, ...below].map((sitemap): TreeEvent => (
    { type: "sitemap-entered", sitemap }
  ));
  const countIn = (...events: TreeEvent[]) =>
    /\d+ sitemaps?/.exec(summaryLine(readingOf(events)))?.[0];
  assertEquals(countIn(...entered), "1 sitemap");
  assertEquals(countIn(...entered, finished()), "1 sitemap");
  const stats = { ...(finished() as FinishedEvent).stats, sitemaps: 2 };
  assertEquals(countIn(...entered, finished({ stats })), "2 sitemaps");
  // saved events may be those of several walks
  assertEquals(countIn(...entered, finished(), ...entered, finished()), "2 sitemaps");
});
