import { assert, assertEquals, assertThrows } from "@std/assert";
import { type SitemapPage, type SitemapRef, type TreeEvent, walk } from "../../mod.ts";
import { RULES } from "../../src/check/mod.ts";
import { Aggregate, aggregate, type ReportOptions } from "../../src/report/aggregate.ts";
import { REPORT_LIMITS } from "../../src/report/limits.ts";
import type { Report } from "../../src/report/report.ts";
import { left, sitemapEvents } from "../check/check_support.ts";
import { serveSite } from "../support/fixture_server.ts";
import { timeless } from "../support/timeless.ts";
import { FINISHED } from "../tree/events.ts";
import { assertLimits, assertSums } from "./report_sums.ts";

/** Asserts that a report equals `fixtures/report/<name>.json`; `UPDATE_GOLDEN=1` rewrites that. */
async function assertGolden(name: string, report: Report, url: string): Promise<void> {
  const { origin, host } = new URL(url);
  const text = timeless(JSON.stringify(report, null, 2))
    .replaceAll(origin, "{{origin}}").replaceAll(host, "{{host}}")
    // which some runtimes hide
    .replaceAll(/\n *"contentEncoding": "gzip",/g, "");
  const path = new URL(`../../fixtures/report/${name}.json`, import.meta.url);
  if (Deno.env.get("UPDATE_GOLDEN") === "1") await Deno.writeTextFile(path, `${text}\n`);
  assertEquals(JSON.parse(text), JSON.parse(await Deno.readTextFile(path)));
}

for (const site of ["broken", "demo", "nested", "no-robots", "soft-404"]) {
  Deno.test(`aggregate() folds the fixture ${site}`, async () => {
    await using server = serveSite(site);
    const events = walk(server.url, { notes: true, retryDelay: 0 });
    const report = await aggregate(events, { now: "2026-01-01" });
    assertSums(report, events.finished!.stats.pages);
    assertEquals(report.totals.sitemaps, events.finished!.stats.sitemaps);
    assertEquals(report.totals.warnings, events.finished!.stats.warnings);
    assertEquals(report.totals.bytes, events.finished!.stats.bytes);
    await assertGolden(site, report, server.url);
  });
}

function refOf(id: number, parent: number | null = 0): SitemapRef {
  const type = parent === null ? "IndexWebsiteSitemap" : "PagesXmlSitemap";
  const url = parent === null ? "https://a.test/" : `https://a.test/${id}.xml`;
  return { id, type, url, level: parent === null ? -1 : 0, parent, index: id };
}

const ROOT = refOf(0, null);

/** Returns the events of a site whose sitemaps have these pages. */
function* eventsOf(...sitemaps: readonly Iterable<SitemapPage>[]): Generator<TreeEvent> {
  yield { type: "sitemap-entered", sitemap: ROOT };
  for (const [at, pages] of sitemaps.entries()) yield* sitemapEvents(refOf(at + 1), pages);
  yield left(ROOT);
}

function* times(count: number, make: (at: number) => SitemapPage): Generator<SitemapPage> {
  for (let at = 0; at < count; at++) yield make(at);
}

const day = (at: number) => new Date(at * 86_400_000).toISOString().slice(0, 10);
const LONG = "x".repeat(10_000);

const HOSTILE: Readonly<Record<string, (at: number) => SitemapPage>> = {
  "a directory for each page": (at) => ({ url: `https://a.test/${at}/${at}/${at}` }),
  "a host for each page": (at) => ({ url: `https://h${at}.test/${at}` }),
  "long URLs": (at) => ({ url: `https://a.test/${at}${LONG}/${at}?${LONG}=${at}` }),
  "all dates": (at) => ({ url: `https://a.test/${at}`, lastModified: day(at * 100) }),
  "a language for each page": (at) => ({
    url: `https://a.test/${at}`,
    alternates: [{ hreflang: `${at}`, href: "https://a.test/" }, { hreflang: LONG, href: LONG }],
  }),
  "a query for each page": (at) => ({ url: `https://a.test/x?p${at}=1&q${at}` }),
  "an ending for each page": (at) => ({ url: `https://a.test/a.x${at % 10_000}` }),
};

for (const [name, make] of Object.entries(HOSTILE)) {
  Deno.test(`aggregate() has a limited size with ${name}`, async () => {
    const count = 3000;
    const report = await aggregate(eventsOf(times(count, make)), { check: false });
    assertSums(report, count);
    assertLimits(report, REPORT_LIMITS);
  });
}

Deno.test("aggregate() has a limited size with many sitemaps", async () => {
  const sitemaps = Array.from({ length: 10_000 }, (_, at) => [{ url: `https://a.test/${at}` }]);
  const report = await aggregate(eventsOf(...sitemaps, []), { check: false });
  assertSums(report, 10_000);
  assertLimits(report, REPORT_LIMITS);
  assertEquals(report.totals.sitemaps, 10_001);
  assertEquals(report.sitemaps.reduce((sum, { merged = 1 }) => sum + merged, 0), 10_002);
});

Deno.test("aggregate() has the same sample of pages, in whichever order they come", async () => {
  const pages = [...times(10_000, (at) => ({ url: `https://a.test/${at}`, priority: 0.5 }))];
  const { sample } = await aggregate(eventsOf(pages), { check: false });
  assertEquals(sample.length, 500);
  const urls = sample.map(({ url }) => url);
  assertEquals([...new Set(urls)].toSorted(), urls);
  assertEquals(sample[0], { url: urls[0], priority: 0.5, sitemap: "https://a.test/1.xml" });
  const other = await aggregate(eventsOf(pages.toReversed()), { check: false });
  assertEquals(other.sample, sample);
});

for (const check of [true, false]) {
  const how = check ? "with a check" : "without a check";

  Deno.test(`aggregate() counts URLs and those that several sitemaps list, ${how}`, async () => {
    const sitemaps = [["", ""], ["x?y"], ["x"], [""], ["", "x"]]
      .map((paths) => paths.map((path) => ({ url: `https://a.test/${path}` })));
    const { overlap } = await aggregate(eventsOf(...sitemaps), { check });
    const example = (path: string, ids: [number, number]) => ({
      url: `https://a.test/${path}`,
      sitemaps: ids.map((id) => refOf(id).url) as [string, string],
    });
    const examples = [example("", [1, 4]), example("x", [3, 5])];
    assertEquals(overlap, { urls: 3, repeated: 2, sampledOneIn: 1, examples });
  });

  Deno.test(`Aggregate adds the URLs of several walks, ${how}`, () => {
    const aggregate = new Aggregate({ check });
    const page = [{ url: "https://a.test/" }];
    const events = [...eventsOf(page, page)];
    const whole = aggregate.walk(), open = aggregate.walk();
    for (const event of [...events, FINISHED]) whole.add(event);
    for (const event of events) open.add(event);
    for (let reading = 0; reading < 2; reading++) {
      const { overlap: { examples, ...counts } } = aggregate.result();
      assertEquals(counts, { urls: 2, repeated: 2, sampledOneIn: 1 });
      assertEquals(examples.length, 2);
    }
  });
}

Deno.test("aggregate() estimates URLs beyond its limit, by a random key for each report", async () => {
  const count = 300_000;
  const estimates = new Set<number>();
  for (let run = 0; run < 3; run++) {
    const pages = times(count, (at) => ({ url: `https://a.test/${at % 100}/${at}` }));
    const again = times(count / 2, (at) => ({ url: `https://a.test/${at % 100}/${at}` }));
    const { overlap } = await aggregate(eventsOf(pages, again), { check: false });
    const { urls, repeated, sampledOneIn } = overlap;
    assertEquals(sampledOneIn, 2);
    assert(Math.abs(urls / count - 1) < 0.05, String(urls));
    assert(Math.abs(repeated / count - 0.5) < 0.05, String(repeated));
    estimates.add(urls);
  }
  assert(estimates.size > 1, `always ${[...estimates][0]}`);
});

Deno.test("aggregate() counts a page once for each language", async () => {
  const alternates = ["en", "de", "en"].map((hreflang) => ({ hreflang, href: "https://a.test/" }));
  const second = { url: "https://a.test/2", alternates: alternates.slice(0, 1) };
  const pages = [{ url: "https://a.test/", alternates }, second];
  const { languages, extensions } = await aggregate(eventsOf(pages));
  assertEquals(languages.items, [{ name: "en", pages: 2 }, { name: "de", pages: 1 }]);
  assertEquals(extensions.alternates, { pages: 2, items: 4 });
  // a language twice, a page without itself, and neither with x-default; the second lacks a language
  assertEquals(languages.sets, { unreturned: 1, incomplete: 4, isEstimated: false });
});

Deno.test("aggregate() says nothing about sets of languages that no rule has judged", async () => {
  const alternates = [{ hreflang: "en", href: "https://a.test/" }];
  const pages = [{ url: "https://a.test/", alternates }];
  const setsOf = async (check: ReportOptions["check"] & object) =>
    (await aggregate(eventsOf(pages), { check })).languages.sets;
  assertEquals(await setsOf({ only: ["loc-fragment"] }), undefined);
  assertEquals(await setsOf({ skip: ["hreflang-set"] }), undefined);
  // without x-default, which is a note only
  const complete = { unreturned: 0, incomplete: 0, isEstimated: false };
  assertEquals(await setsOf({ skip: ["loc-fragment"] }), complete);
});

Deno.test("aggregate() has findings of a check unless there is none", async () => {
  const pages = [{ url: "https://a.test/#x" }];
  const checked = await aggregate(eventsOf(pages));
  assertEquals(checked.findings?.items[0]?.code, "loc-fragment");
  assertEquals(typeof checked.findings?.help["loc-fragment"], "string");
  const { findings = {} } = checked.sitemaps.find(({ url }) => url.endsWith("1.xml"))!;
  assert(Object.values(findings).reduce((sum, count) => sum + count, 0) > 0);
  const skipped = await aggregate(eventsOf(pages), { check: { skip: ["loc-fragment"] } });
  assertEquals(skipped.findings?.items.some(({ code }) => code === "loc-fragment"), false);
  const unchecked = await aggregate(eventsOf(pages), { check: false });
  assertEquals([unchecked.findings, unchecked.languages.sets], [undefined, undefined]);
});

Deno.test("aggregate() has the time, the command and the runs that were given", async () => {
  const runs = Array.from({ length: 500 }, (_, at) => ({
    site: "https://a.test/",
    started: day(at),
    pages: at,
    added: 0,
    changed: 0,
    removed: 0,
  }));
  const report = await aggregate(eventsOf([]), { now: "2024-05-01", command: "cat x", runs });
  assertEquals([report.created, report.command], ["2024-05-01T00:00:00.000Z", "cat x"]);
  assertEquals(report.runs, runs.slice(100));
  const other = await aggregate(eventsOf([]));
  assertEquals([other.created, other.command], [undefined, "sitetree ls https://a.test/"]);
});

Deno.test("Aggregate quotes URLs in its command", () => {
  const aggregate = new Aggregate();
  const sitemap = { ...ROOT, url: "https://a.test/?a='b'&c" };
  aggregate.walk().add({ type: "sitemap-entered", sitemap });
  assertEquals(aggregate.result().command, `sitetree ls 'https://a.test/?a='\\''b'\\''&c'`);
});

Deno.test("Aggregate rejects unknown and invalid options", () => {
  const make = (options: object) => () => new Aggregate(options as ReportOptions);
  assertThrows(make({ nwo: 1 }), TypeError, 'Unknown option "nwo"; did you mean "now"?');
  assertThrows(make({ now: "soon" }), TypeError, 'Cannot use option "now"');
  assertThrows(make({ check: 1 }), TypeError, 'Cannot use option "check"');
  assertThrows(make({ check: { onyl: [] } }), TypeError, 'Unknown option "onyl"');
  assertThrows(make({ runs: "x" }), TypeError, 'Cannot use option "runs"');
});

/** The first walk lacks robots.txt and responses, the second one notes and much else. */
const LACKING: readonly (readonly TreeEvent[])[] =
  ([["parse", { notes: {} }], ["snapshot", {}]] as const)
    .map(([source, facts]) => [
      { type: "sitemap-entered", sitemap: ROOT },
      { type: "sitemap-entered", sitemap: refOf(1) },
      { ...left(refOf(1)), ...facts } as TreeEvent,
      { ...left(ROOT), bytes: 0 } as TreeEvent,
      { ...FINISHED, source },
    ]);

/** Number of events of each walk that are added, in turn. */
const TURNS: Readonly<Record<string, readonly (readonly [walk: number, events: number])[]>> = {
  "the first walk ends first": [[0, 5], [1, 5]],
  "the second walk ends first": [[1, 5], [0, 5]],
  "the second walk ends inside the first": [[0, 3], [1, 5], [0, 2]],
  "only the first walk ends": [[0, 5], [1, 4]],
  "only the second walk ends": [[1, 5], [0, 4]],
  "no walk ends": [[1, 4], [0, 4]],
};

for (const [name, turns] of Object.entries(TURNS)) {
  Deno.test(`Aggregate has the rules that were not judged in their order if ${name}`, () => {
    const aggregate = new Aggregate();
    const walks = LACKING.map((events) => ({ walk: aggregate.walk(), left: [...events] }));
    for (const [at, count] of turns) {
      const { walk, left } = walks[at]!;
      for (const event of left.splice(0, count)) walk.add(event);
    }
    const { skipped } = aggregate.result().findings!;
    const codes = skipped.map(({ code }) => code);
    assertEquals(codes, Object.keys(RULES).filter((code) => codes.includes(code)));
    const reasons = Object.fromEntries(skipped.map(({ code, reason }) => [code, reason]));
    assertEquals(
      ["sitemap-slow", "content-type", "page-disallowed"].map((code) => reasons[code]),
      [
        "The times of the requests are unknown",
        "The responses are unknown",
        // the reason of the first walk; the second one lacks notes
        "robots.txt of the site was not read",
      ],
    );
  });
}
