import { assert, assertEquals, assertRejects } from "@std/assert";
import { parseSitemap, walk } from "../../mod.ts";
import { openSnapshot, sync } from "../../src/sync/mod.ts";
import { check, Checker, type CheckResult, type RuleCode, RULES } from "../../src/check/mod.ts";
import type { WarningCode } from "../../src/data/codes.ts";
import type { SitemapRef, TreeEvent } from "../../src/data/events.ts";
import {
  checked,
  dated,
  eventsOf,
  fetchFrom,
  index,
  left,
  linking,
  NOW,
  ORIGIN,
  ref,
  robots,
  type Site,
  sitemapEvents,
  urlset,
} from "./check_support.ts";

const OPTIONS = { now: NOW };

const FAULTY: Site = {
  "/robots.txt": `User-agent: *\nDisallow: /no/\n${robots("/i.xml", "/missing.xml", "/i.xml")}`,
  "/i.xml": index(
    dated("/a.xml", "2023-01-01"),
    dated("/b.xml", "2030-01-01"),
    "/j.xml",
    "https://other.test/c.xml",
  ),
  "/j.xml": index("/a.xml"),
  "/a.xml": urlset(
    ...["/1", "/1/", "/no/2", "/a b", "http://example.com/3", "https://x.test/", "/4#5", "/1"],
    dated("/6", "2024-05-01"),
    dated("/7", "1 May 2024"),
  ),
  "/b.xml": `\n${urlset("/1", "/8?a=1&b=2")}`,
  "https://other.test/c.xml": urlset("/9").replace("</urlset>", ""),
};

/** Findings without the counts that depend on the time that a walk took. */
function summary({ findings, ...rest }: CheckResult): unknown {
  return { ...rest, findings: findings.filter(({ code }) => code !== "sitemap-slow") };
}

Deno.test("Checker takes a failed sitemap for one of compression if its warning says so", () => {
  const failed = (id: number): TreeEvent => {
    const sitemap = ref(id, { type: "InvalidSitemap" });
    return { type: "invalid", sitemap, code: "network", reason: "No" };
  };
  const warned = (id: number, code: WarningCode): TreeEvent => {
    const sitemap = ref(id, { type: "InvalidSitemap" });
    return { type: "warning", sitemap, code, message: "Not gzip" };
  };
  const rows: readonly (readonly [events: readonly TreeEvent[], codes: readonly string[]])[] = [
    [[failed(1)], ["sitemap-failed"]],
    [[failed(1), warned(1, "content-encoding")], ["compression"]],
    [[failed(1), warned(1, "xml-cut")], ["sitemap-failed"]],
    [[failed(1), warned(2, "content-encoding")], ["sitemap-failed", "compression"]],
    [[failed(1), failed(2), warned(2, "content-encoding")], ["sitemap-failed", "compression"]],
  ];
  for (const [events, codes] of rows) {
    const checker = new Checker(OPTIONS);
    for (const event of events) checker.add(event);
    assertEquals(checker.result().findings.map(({ code }) => code), codes);
    assertEquals(checker.result().findings.map(({ code }) => code), codes, "again");
  }
});

Deno.test("check() finds the same in a walk, in its batches, in its events and in saved ones", async () => {
  const events = await eventsOf({ site: FAULTY });
  const expected = summary(await check(events, OPTIONS));
  const walking = walk(`${ORIGIN}/`, { fetch: fetchFrom(FAULTY), retries: 0, notes: true });
  assertEquals(summary(await check(walking, OPTIONS)), expected);
  async function* oneByOne() {
    for await (const event of events) yield event;
  }
  assertEquals(summary(await check(oneByOne(), OPTIONS)), expected);
  // the sitemaps of events are then not the same objects
  const saved = events.map((event) => JSON.parse(JSON.stringify(event)) as TreeEvent);
  assertEquals(summary(await check(saved, OPTIONS)), expected);
});

Deno.test("result() can be called at any time and changes nothing", async () => {
  const events = await eventsOf({ site: FAULTY });
  const checker = new Checker(OPTIONS);
  const counts: number[] = [];
  for (const event of events) {
    checker.add(event);
    counts.push(checker.result().findings.length);
  }
  assertEquals(counts[0], 0);
  assertEquals(checker.result(), await check(events, OPTIONS));
  assertEquals(checker.result(), checker.result());
});

Deno.test("result() lists errors first, then by rule and sitemap, and counts them", async () => {
  const { findings, counts, site, verdict, pages, sitemaps } = await checked({ site: FAULTY });
  const ranks = findings.map(({ severity }) => ["error", "warning", "notice"].indexOf(severity));
  assertEquals(ranks, ranks.toSorted());
  const codes = Object.keys(RULES);
  for (const rank of [0, 1, 2]) {
    const orders = findings.filter((_, at) => ranks[at] === rank)
      .map(({ code }) => codes.indexOf(code));
    assertEquals(orders, orders.toSorted((a, b) => a - b));
  }
  const keys = findings.map(({ code, sitemap }) => `${code} ${sitemap}`);
  assertEquals(new Set(keys).size, keys.length, "one finding for each rule and sitemap");
  assertEquals(counts.error + counts.warning + counts.notice, findings.length);
  assert(counts.error > 2 && counts.warning > 5 && counts.notice > 2);
  // pages of `/a.xml`, which is listed twice, count twice
  assertEquals([site, verdict, pages, sitemaps], [`${ORIGIN}/`, "partial", 21, 6]);
});

Deno.test("the options `only` and `skip` split the findings and the skipped rules", async () => {
  const events = await eventsOf({ site: FAULTY });
  const all = await check(events);
  // is skipped only if it was asked for by its name
  const codes: RuleCode[] = (Object.keys(RULES) as RuleCode[])
    .filter((code) => code !== "page-status");
  for (const step of [1, 2, 3, 7]) {
    const some = codes.filter((_, at) => at % step === 0);
    const only = await check(events, { only: some });
    const others = await check(events, { skip: some });
    for (const key of ["findings", "skipped"] as const) {
      const isSome = ({ code }: { readonly code: RuleCode }) => some.includes(code);
      assertEquals(only[key], (all[key] as typeof only[typeof key]).filter(isSome));
      assertEquals(others[key], all[key].filter((item) => !isSome(item)));
    }
  }
});

Deno.test("the option `severities` replaces that of a rule, whatever the aspect", async () => {
  const { findings, counts } = await checked({
    xml: urlset("/a b", "/ä"),
    options: { severities: { "loc-encoding": "error", "lastmod-missing": "warning" } },
  });
  assertEquals(findings.map(({ code, severity }) => [code, severity]), [
    ["loc-encoding", "error"],
    ["lastmod-missing", "warning"],
  ]);
  assertEquals(counts, { error: 1, warning: 1, notice: 0 });
});

Deno.test("check() counts warnings that were not sent as events", async () => {
  const entries = Array.from({ length: 250 }, (_, at) => `<loc>/${at}</loc>`);
  const { findings } = await checked({
    xml: urlset(...entries),
    options: { only: ["loc-relative"] },
  });
  const [{ count, message, examples }] = findings as [typeof findings[0]];
  assertEquals([count, message, examples.length], [250, "250 relative URLs", 5]);
  assertEquals(examples[0], { line: 1, value: 'Relative address "/0"' });
});

Deno.test("at most 1,000 findings are kept; those of the rule with the most are merged", async () => {
  const events: TreeEvent[] = [];
  for (let id = 1; id <= 3000; id++) {
    const paths = [`/${id}#a`, `/${id}#b`];
    if (id % 10 === 0) paths.push(`/${id} c`);
    if (id > 2995) paths.push(`/admin/${id}`);
    events.push(...sitemapEvents(ref(id), paths.map((path) => ({ url: ORIGIN + path }))));
  }
  const { findings, counts } = await check(events);
  assert(findings.length <= 1000, `${findings.length} findings`);
  assertEquals(counts.error + counts.warning + counts.notice, findings.length);
  const merged = findings.find(({ code }) => code === "loc-fragment")!;
  assertEquals(merged, {
    code: "loc-fragment",
    severity: "warning",
    message: "In 3,000 sitemaps: 6,000 URLs with a fragment",
    help: RULES["loc-fragment"].help,
    count: 6000,
    examples: [1, 2, 3, 4, 5].map((id) => ({
      url: `${ORIGIN}/${id}.xml`,
      value: `${ORIGIN}/${id}#a`,
    })),
  });
  const leaks = findings.filter(({ code }) => code === "loc-leak");
  assertEquals(
    leaks.map(({ sitemap }) => sitemap),
    [2996, 2997, 2998, 2999, 3000].map((id) => `${ORIGIN}/${id}.xml`),
    "other rules are not merged",
  );
  assert(findings.every(({ examples }) => examples.length <= 5));
});

Deno.test("sitemaps whose events alternate are each counted once in a merged finding", async () => {
  const all = Array.from({ length: 1500 }, (_, id) => ref(id + 1));
  const page = (sitemap: SitemapRef): TreeEvent => ({
    type: "page",
    page: { url: `${ORIGIN}/${sitemap.id}#a` },
    sitemap,
  });
  const { findings } = await check([...all.map(page), ...all.map(page), ...all.map(left)], {
    only: ["loc-fragment"],
  });
  assertEquals(findings.map(({ message }) => message), [
    "In 1,500 sitemaps: 3,000 URLs with a fragment",
  ]);
});

Deno.test("examples of long URLs and values are shortened", async () => {
  const xml = urlset(`/${"a".repeat(9000)}`);
  const { findings } = await checked({ xml, options: { only: ["loc-long"] } });
  const { url, value } = findings[0]!.examples[0]!;
  assertEquals([url!.length, value], [201, "9020 characters"]);
});

Deno.test("rules that a source cannot tell about are skipped, not passed", async () => {
  const reasons = ({ skipped }: CheckResult) =>
    Object.fromEntries(skipped.map(({ code, reason }) => [code, reason]));
  const site: Site = { "/robots.txt": robots("/a.xml"), "/a.xml": urlset("/1") };
  const walked = await check(walk(`${ORIGIN}/`, { fetch: fetchFrom(site), notes: true }), OPTIONS);
  assertEquals(walked.skipped, []);

  const bare = reasons(await check(walk(`${ORIGIN}/`, { fetch: fetchFrom(site) })));
  const lacking = (option: string) =>
    Object.keys(bare).filter((code) => bare[code]!.includes(`\`${option}\``));
  assertEquals(lacking("now"), ["lastmod-future", "news-limits"]);
  assertEquals(lacking("notes"), [
    "sitemap-disallowed",
    "page-disallowed",
    "content-type",
    "xml-doctype",
    "namespace",
    "encoding",
    "bom",
    "element-unknown",
    "lastmod-format",
  ]);
  assertEquals(Object.keys(bare).length, 11);

  const parsed = reasons(
    await check(parseSitemap(urlset("/1"), { url: `${ORIGIN}/a.xml`, notes: true }), OPTIONS),
  );
  assertEquals(Object.keys(parsed), [
    "sitemap-undeclared",
    "sitemap-disallowed",
    "page-disallowed",
    "content-type",
    "loc-outside-path",
  ]);

  const file = await check(parseSitemap(urlset("/1"), { url: "file:///tmp/a.xml" }), OPTIONS);
  assertEquals(file.findings.map(({ code }) => code), ["lastmod-missing"]);
  for (const code of ["loc-other-host", "index-other-host"]) assert(code in reasons(file), code);

  const foreign = urlset("https://other.test/1");
  const other = await check(parseSitemap(foreign, { url: `${ORIGIN}/a.xml` }), OPTIONS);
  assert(other.findings.some(({ code }) => code === "loc-other-host"));
  assertEquals(reasons(other)["loc-other-host"], "robots.txt of another host was not read");

  await using snapshot = await openSnapshot(":memory:");
  await Array.fromAsync(sync(`${ORIGIN}/`, { snapshot, fetch: fetchFrom(site) }));
  const stored = await check(snapshot.events(`${ORIGIN}/`), OPTIONS);
  assertEquals([stored.pages, stored.sitemaps, stored.verdict], [1, 1, "complete"]);
  assertEquals(stored.findings.map(({ code }) => code), ["lastmod-missing"]);
  const skipped = reasons(stored);
  for (
    const code of [
      ...["sitemap-disallowed", "page-disallowed", "content-type", "sitemap-slow", "bom"],
      ...["xml-broken", "xml-cut", "loc-relative", "compression", "hint-invalid", "namespace"],
    ]
  ) assert(code in skipped, `"${code}" is skipped`);
  assert(!("loc-fragment" in skipped) && !("urls-over-limit" in skipped));
});

Deno.test("a walk that is cut, blocked or empty has no finding by what is absent", async () => {
  const events = await eventsOf({
    site: {
      "/robots.txt": robots("/a.xml", "/b.xml"),
      "/a.xml": urlset(
        `<loc>${ORIGIN}/en</loc><xhtml:link rel="alternate" hreflang="en" href="${ORIGIN}/en"/>` +
          `<xhtml:link rel="alternate" hreflang="de" href="${ORIGIN}/de"/>` +
          `<xhtml:link rel="alternate" hreflang="x-default" href="${ORIGIN}/en"/>` +
          "<lastmod>2024-05-01</lastmod>",
      ),
      "/b.xml": urlset(dated("/de", "2024-05-01")),
    },
  });
  const page = events.findIndex(({ type }) => type === "page");
  for (let end = 0; end <= page + 1; end++) {
    const { verdict, findings } = await check(events.slice(0, end), OPTIONS);
    assertEquals([verdict, findings], ["partial", []], `${end} events`);
  }
  const fetch = () => Promise.resolve(new Response("", { status: 403 }));
  const blocked = await check(walk(`${ORIGIN}/`, { fetch, retries: 0, notes: true }), OPTIONS);
  assertEquals(blocked.verdict, "blocked");
  assertEquals(blocked.findings.map(({ code }) => code), ["robots-unreadable"]);
  assertEquals(await check([]), {
    ...{ site: "", verdict: "partial", pages: 0, sitemaps: 0 },
    ...{ counts: { error: 0, warning: 0, notice: 0 }, findings: [] },
    skipped: (["lastmod-future", "news-limits"] as const).map((code) => ({
      code,
      reason: "Needs the option `now`",
    })),
  });
});

Deno.test("check() rejects with the error of the events", async () => {
  async function* failing() {
    yield { type: "sitemap-entered", sitemap: ref(1) } satisfies TreeEvent;
    await Promise.resolve();
    throw new RangeError("Out of range");
  }
  await assertRejects(() => check(failing()), RangeError, "Out of range");
});

Deno.test("check() survives events of no sitemap that was entered, and URLs of no origin", async () => {
  const sitemap = ref(7, { url: "", parent: 3 });
  const { pages, findings } = await check([
    { type: "page", page: { url: "page" }, sitemap },
    { type: "page", page: { url: "https://" }, sitemap },
    { type: "warning", code: "bad-date", message: "Unreadable", sitemap: ref(9) },
    left(ref(8)),
  ]);
  assertEquals(pages, 2);
  assertEquals(findings.map(({ code }) => code), ["lastmod-invalid", "sitemap-empty"]);
});

Deno.test("hostile hosts, languages and URLs are judged in bounded memory", async () => {
  const long = "x".repeat(100_000);
  const pages = Array.from({ length: 3000 }, (_, at) => {
    const isLong = at % 100 === 0;
    return {
      url: `https://${isLong ? `${long}.` : ""}host-${at}.test/${at}`,
      alternates: [
        { hreflang: `${isLong ? long : "x"}-${at}`, href: `${ORIGIN}/${at}` },
        { hreflang: "de", href: `${ORIGIN}/${isLong ? long : ""}${at}-de` },
      ],
    };
  });
  const { findings } = await check(sitemapEvents(ref(1), pages), {
    only: ["loc-other-host", "hreflang-code", "loc-long"],
  });
  assertEquals(findings.map(({ code, count }) => [code, count]), [
    ["loc-long", 30],
    ["hreflang-code", 3000],
    ["loc-other-host", 3000],
  ]);
  assert(JSON.stringify(findings).length < 10_000, "examples are short");
});

for (const [count, isMerged] of [[200, false], [1001, true], [1500, true]] as const) {
  Deno.test(`a rule with two faults in each of ${count} sitemaps counts each sitemap once`, () => {
    const checker = new Checker({ only: ["hreflang-return"] });
    for (let id = 1; id <= count; id++) {
      // links that are missing, and links that differ
      const missing = [linking(`/d${id}`, `/e${id}`), linking(`/e${id}`)];
      const different = [linking(`/a${id}`, `/b${id}`), linking(`/b${id}`, `/a${id}`, `/c${id}`)];
      for (const event of sitemapEvents(ref(id), [...missing, ...different])) {
        checker.add(event);
        // a result between two faults of a sitemap changes nothing
        if (event.type === "page" && id === count) checker.result();
      }
    }
    const { findings } = checker.result();
    assertEquals(findings.length, isMerged ? 1 : count);
    const message = findings[0]!.message.replace(/:.*/, "");
    if (isMerged) assertEquals(message, `In ${count.toLocaleString("en")} sitemaps`);
    assertEquals(findings.reduce((sum, { count }) => sum + count, 0), 2 * count);
  });
}
