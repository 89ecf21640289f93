/** Reports as text: sections, charts, widths and terminal controls. @module */

import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { SitemapRef, TreeEvent, Verdict } from "../../mod.ts";
import { reportText } from "../../src/report/report_text.ts";
import { Aggregate } from "../../src/report/aggregate.ts";
import type { Report } from "../../src/report/report.ts";
import { assertFits } from "../cli/fitting.ts";

function refOf(id: number, url: string, type: SitemapRef["type"] = "PagesXmlSitemap"): SitemapRef {
  return { id, type, url, level: id === 0 ? -1 : 0, parent: id === 0 ? null : 0, index: id };
}

const ROOT = refOf(0, "https://example.com/", "IndexWebsiteSitemap");

/** Returns the report on a walk for each list of events, which follow those of its root. */
function reportOf(...walks: readonly Iterable<TreeEvent>[]): Report {
  const aggregate = new Aggregate({ check: false });
  for (const events of walks) {
    const walk = aggregate.walk();
    walk.add({ type: "sitemap-entered", sitemap: ROOT });
    for (const event of events) walk.add(event);
  }
  return aggregate.result();
}

const SUMMARY = "complete: 1 sitemap, 2 pages, 0.1 s";

type ReportTextOptions = Parameters<typeof reportText>[1];

function textOf(report: Report, options: Partial<ReportTextOptions> = {}): string {
  return reportText(report, { width: 80, color: false, summary: SUMMARY, ...options });
}

function finished(verdict: Verdict, warnings = 0): TreeEvent {
  const counts = { sitemaps: 1, pages: 0, invalid: 0, warnings, bytes: 1 };
  const stats = { ...counts, requests: 1, retries: 0, probes: 0, durationMs: 1 };
  return { type: "finished", verdict, stats, source: "walk", discovery: [] };
}

/** Sitemaps of rising size, each with its own host. */
function* manySitemaps(sitemaps: number): Generator<TreeEvent> {
  for (let id = 1; id <= sitemaps; id++) {
    const sitemap = refOf(id, `https://example.com/sitemap-${id}.xml`);
    yield { type: "sitemap-entered", sitemap };
    for (let at = 0; at < id; at++) {
      yield { type: "page", page: { url: `https://h${id}.test/${at}` }, sitemap };
    }
    yield { type: "sitemap-left", sitemap, pages: id, bytes: 1, complete: true, warnings: {} };
  }
}

Deno.test("reportText() shows the largest sitemaps and hosts, and counts the others", () => {
  const report = textOf(reportOf(manySitemaps(30)), { width: 60 });
  assertStringIncludes(report, "\nPages by sitemap (10 of 30)\n  /sitemap-30.xml  30  ███");
  assertEquals(report.match(/^ {2}\/sitemap-\d+\.xml/gm)?.length, 10);
  assertEquals(/^ {2}other hosts +(\d+)/m.exec(report)?.[1], String(20 * 21 / 2));
});

Deno.test("reportText() counts warnings beyond those that were sent", () => {
  const sitemap = refOf(1, "https://example.com/s.xml");
  const figures = reportOf([
    { type: "sitemap-entered", sitemap },
    { type: "warning", code: "bad-date", message: 'Date "soon"', sitemap, line: 4 },
    {
      type: "sitemap-left",
      sitemap,
      pages: 0,
      bytes: 1,
      complete: true,
      warnings: { "bad-date": 5000 },
    },
    finished("complete", 5000),
  ]);
  const report = textOf(figures);
  assertStringIncludes(report, "  5,000 × bad-date: an unreadable date; dropped\n");
  assertStringIncludes(report, '    /s.xml:4: Date "soon"\n');
});

type Findings = NonNullable<Report["findings"]>;
type Finding = Findings["items"][number];

function finding(
  severity: Finding["severity"],
  code: string,
  message: string,
  sitemap?: string,
): Finding {
  const place = sitemap === undefined ? {} : { sitemap };
  return { severity, code, message, count: 1, examples: [], ...place };
}

function findingsOf(items: readonly Finding[], skipped: Findings["skipped"] = []): Findings {
  const counts = { error: 0, warning: 0, notice: 0 };
  for (const { severity } of items) counts[severity]++;
  return { counts, items, skipped, help: {} };
}

const [MAP, OTHER] = ["https://example.com/1.xml", "https://example.com/2.xml"];
const CUT = finding("error", "xml-cut", "Is truncated", MAP);

/** Findings, the verdict of their walk, and the lines of their section. */
const FINDINGS: readonly (readonly [Findings, Verdict | undefined, ...string[]])[] = [
  [findingsOf([]), "complete", "no problems"],
  [findingsOf([]), "partial", "nothing found"],
  [findingsOf([]), undefined, "nothing found"],
  [
    findingsOf([], [{ code: "bom", reason: "" }]),
    "complete",
    "no problems",
    "1 rule not judged",
  ],
  [
    findingsOf([
      { ...CUT, count: 3, examples: [{ line: 9, url: `${ROOT.url}a`, value: "x" }, { line: 10 }] },
      { ...CUT, sitemap: OTHER },
      { ...CUT, severity: "warning", sitemap: OTHER, examples: [{ url: OTHER }] },
      finding("notice", "lastmod-missing", "5 pages without a date", ROOT.url),
    ]),
    "partial",
    "2 errors, 1 warning, 1 notice",
    "error xml-cut: /1.xml: is truncated (3 times)",
    "  line 9: /a: x",
    "  and 1 more",
    "warning xml-cut: /2.xml: is truncated",
    "notice lastmod-missing: 5 pages without a date",
  ],
];

Deno.test("reportText() shows the first finding of each rule", () => {
  for (const [findings, verdict, ...lines] of FINDINGS) {
    const report = reportOf(verdict === undefined ? [] : [finished(verdict)]);
    const section = `\n\nFindings\n${lines.map((line) => `  ${line}\n`).join("")}\nVerdict\n`;
    assertStringIncludes(textOf({ ...report, findings }), section);
  }
  assert(!textOf(reportOf([finished("complete")])).includes("Findings"), "without a check");
  const colored = textOf({ ...reportOf([]), findings: findingsOf([CUT]) }, { color: true });
  assertStringIncludes(colored, "  \x1b[31merror\x1b[39m xml-cut: /1.xml: is truncated\n");
});

Deno.test("reportText() has the summary of one operand, or a table of sites", () => {
  const one = reportOf([finished("complete")]);
  const several = reportOf([...manySitemaps(2), finished("partial")], [finished("none")], []);
  const none = new Aggregate().result();
  const endOf = (report: Report, options: Partial<ReportTextOptions>) => {
    const text = textOf(report, options);
    return [text.split("\n", 1)[0], /\nVerdict\n([^]*)/.exec(text)?.[1]];
  };
  const row = "  https://example.com/  complete         0      0\n";
  const head = "  SITE                  VERDICT   SITEMAPS  PAGES\n";
  const table = [
    "  SITE                  VERDICT     SITEMAPS  PAGES",
    "  https://example.com/  partial            2      3",
    "  https://example.com/  none               0      0",
    "  https://example.com/  unfinished         0      0",
    "  3 sites                                  2      3",
    "",
  ].join("\n");
  const summary = `  ${SUMMARY}\n`;
  assertEquals(endOf(one, { name: "walk.ndjson" }), ["https://example.com/", summary]);
  assertEquals(endOf(one, { summary: undefined }), ["https://example.com/", head + row]);
  assertEquals(endOf(several, { name: "site.db" }), ["3 sites", table + summary]);
  assertEquals(endOf(several, { summary: undefined }), ["3 sites", table]);
  assertEquals(endOf(none, { name: "https://a.test/" }), ["https://a.test/", summary]);
  assertEquals(endOf(none, { summary: undefined }), ["0 sites", undefined]);
});

Deno.test("reportText() fits any width and escapes terminal controls", () => {
  const sitemap = refOf(1, `https://example.com/\x1b[31m${"long/".repeat(30)}水車小屋.xml`);
  const url = `https://\x07example.com/${"x".repeat(300)}`;
  const events: readonly TreeEvent[] = [
    { type: "sitemap-entered", sitemap },
    { type: "page", page: { url, priority: 0.55 }, sitemap },
    { type: "page", page: { url }, sitemap: refOf(2, "https://b.test/b.xml") },
    { type: "invalid", sitemap: refOf(3, url), code: "network", reason: `\x1b]0;${url}` },
    { type: "sitemap-left", sitemap, pages: 1, bytes: 1, complete: true, warnings: {} },
  ];
  const found: Finding = {
    ...finding("error", "loc-long", `A \x1b[31m${"long ".repeat(30)}message`, sitemap.url),
    examples: [{ line: 1, url, value: "\x07" }],
  };
  for (const [walks, narrowest] of [[[events], 20], [[events, events], 40]] as const) {
    const report = { ...reportOf(...walks), findings: findingsOf([found, found]) };
    for (const width of [narrowest, 40, 80, 100]) {
      const text = textOf(report, { width });
      assertEquals(/\p{Cc}/u.exec(text.replaceAll("\n", "")), null);
      assertFits(text, width);
    }
  }
});
