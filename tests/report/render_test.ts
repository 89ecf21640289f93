import { assert, assertEquals, assertLessOrEqual } from "@std/assert";
import { parseSitemap } from "../../mod.ts";
import { aggregate, renderReport, type Report, report } from "../../src/report/mod.ts";
import { HOSTILE, hugeReport, withStrings } from "./sample_reports.ts";
import { assertInert, dataOf } from "../support/report_html.ts";

const MAX_BYTES = 400_000;

const XML = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
<url><loc>https://example.com/a</loc><lastmod>2024-05-01</lastmod></url>
<url><loc>https://example.com/b/c?x=1&amp;y=2</loc><priority>0.5</priority></url>
</urlset>`;

function events() {
  return parseSitemap(XML, { url: "https://example.com/sitemap.xml", notes: true });
}

const LARGEST = hugeReport();
const SMALL: Report = await aggregate(events(), { now: "2024-06-01" });

/** Returns the number of pages below a path, and asserts that it is the sum of its parts. */
function pagesBelow({ pages, own = 0, other = 0, children = [] }: Report["paths"]): number {
  assertEquals(children.reduce((sum, child) => sum + pagesBelow(child), own + other), pages);
  return pages;
}

Deno.test("renderReport() fits the largest reports into 400,000 bytes, with exact sums", () => {
  for (const text of ["a", "<", "\u{1f600}", "\0", "\u202e", '"', "\ud800", "é"]) {
    const { dates } = LARGEST;
    const value = (at: number) => `${at}${text.repeat(300)}`.slice(0, 300);
    const largest = { ...withStrings(LARGEST, value), dates };
    const html = renderReport(largest);
    const bytes = new TextEncoder().encode(html).length;
    assertLessOrEqual(bytes, MAX_BYTES);
    assert(bytes > MAX_BYTES / 2, "most of the room is used");
    const data = dataOf(html);
    assertEquals(data.totals, largest.totals);
    assertEquals(pagesBelow(data.paths), largest.totals.pages);
    const listed = data.sitemaps.reduce((sum, { pages }) => sum + pages, 0);
    assertEquals(listed, largest.totals.pages);
    const patterns = data.patterns.reduce((sum, { pages }) => sum + pages, data.otherPatterns);
    assertEquals(patterns, largest.totals.pages);
  }
});

Deno.test("renderReport() leaves a report that fits as it is", () => {
  assertEquals(dataOf(renderReport(SMALL)), JSON.parse(JSON.stringify(SMALL)));
});

Deno.test("renderReport() makes hostile strings inert, and keeps them", async () => {
  const elements = renderReport(SMALL).match(/<\/?[a-z]+/gi)?.length;
  for (const text of HOSTILE) {
    const hostile: Report = {
      ...SMALL,
      sites: [{ url: text, reason: text, pages: 2, sitemaps: 1 }],
      paths: { name: "", pages: 2, children: [{ name: text, pages: 2, own: 2 }] },
      priorities: { [text]: 2 },
      sample: [{ url: text, title: text, sitemap: text }],
    };
    const html = renderReport(hostile);
    await assertInert(html);
    assertEquals(dataOf(html), JSON.parse(JSON.stringify(hostile)));
    assertEquals(html.match(/<\/?[a-z]+/gi)?.length, elements, text);
  }
});

/** Returns a sitemap with a text in every place for one. */
function sitemapOf(text: string): string {
  const value = `<![CDATA[${text.replaceAll("]]>", "]]]]><![CDATA[>")}]]>`;
  return `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"
  xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"
  xmlns:xhtml="http://www.w3.org/1999/xhtml"><url>
  <loc><![CDATA[https://example.com/]]>${value}</loc><lastmod>${value}</lastmod>
  <xhtml:link rel="alternate" hreflang="${
    text.replace(/[&<"]/g, "_")
  }" href="https://example.com/"/>
  <news:news><news:title>${value}</news:title></news:news></url></urlset>`;
}

Deno.test("hostile strings of a sitemap stay strings of the report", async () => {
  for (const text of HOSTILE) {
    const events = parseSitemap(sitemapOf(text), {
      url: `https://example.com/${text}`,
      notes: true,
    });
    const html = await report(events, { now: "2024-06-01" });
    await assertInert(html);
    assertEquals(dataOf(html).totals.pages, 1);
    assertEquals(renderReport(dataOf(html)), html);
  }
});

Deno.test("the title names the site, or the number of sites", () => {
  const titleOf = (sites: Report["sites"], number: number) => {
    const html = renderReport({ ...SMALL, sites, totals: { ...SMALL.totals, sites: number } });
    return /<title>(.*?)<\/title>/s.exec(html)?.[1];
  };
  const site = { url: "https://example.com/", pages: 2, sitemaps: 1 };
  assertEquals(titleOf([site], 1), "Sitemaps of example.com");
  assertEquals(titleOf([site, site], 1234), "Sitemaps of 1,234 sites");
  assertEquals(titleOf([{ ...site, url: "<\u202e'&" }], 1), "Sitemaps of &lt;\\u202e&#39;&amp;");
  assertEquals(titleOf([], 0), "Sitemaps of 0 sites");
});

Deno.test("report() folds and renders at once", async () => {
  const recorded = await Array.fromAsync(events());
  const now = "2024-06-01";
  const html = await report(recorded, { now });
  assertEquals(html, renderReport(await aggregate(recorded, { now })));
  const { findings, ...others } = dataOf(html);
  assert(findings !== undefined);
  const { languages, ...unchecked } = dataOf(await report(recorded, { now, check: false }));
  assertEquals(unchecked.findings, undefined);
  assertEquals({ ...unchecked, languages: others.languages }, others);
  assertEquals(languages.sets, undefined);
});
