import { assertEquals } from "@std/assert";
import type { SitemapRef, TreeEvent } from "../../mod.ts";
import { sitemapRowFormat } from "../../src/write/event_rows.ts";
import { keepUrl, stripPrefix } from "../../src/write/text.ts";
import type { TextFormat } from "../../src/write/text_stream.ts";
import { widthOf } from "../../src/write/layout.ts";

const ORIGIN = "https://a.test";

function ref(id: number, path: string, more: Partial<SitemapRef> = {}): SitemapRef {
  const type = id === 0 ? "IndexWebsiteSitemap" : "PagesXmlSitemap";
  return { id, type, url: ORIGIN + path, level: 0, parent: 0, index: 0, ...more };
}

function left(sitemap: SitemapRef, more: Partial<TreeEvent> = {}): TreeEvent {
  return {
    type: "sitemap-left",
    sitemap,
    pages: 0,
    bytes: 0,
    complete: true,
    warnings: {},
    ...more,
  } as TreeEvent;
}

const ROOT = ref(0, "/");
const INDEX = ref(1, "/index.xml", { type: "IndexXmlSitemap", requestedUrl: `${ORIGIN}/i.xml` });
const FIRST = ref(2, "/水.xml", { lastModified: "2024-05-01" });
const SECOND = ref(3, "/=cut,.xml");
const DEAD = ref(4, "/dead\x1b.xml", { type: "InvalidSitemap", lastModified: "2023" });

const EVENTS: readonly TreeEvent[] = [
  { type: "sitemap-entered", sitemap: ROOT },
  { type: "sitemap-entered", sitemap: INDEX },
  { type: "sitemap-entered", sitemap: FIRST },
  left(FIRST, { pages: 50_000, bytes: 1234567 }),
  { type: "sitemap-entered", sitemap: SECOND },
  left(SECOND, {
    pages: 2,
    bytes: 99,
    complete: false,
    warnings: { "xml-cut": 1, "bad-date": 300 },
  }),
  { type: "invalid", sitemap: DEAD, code: "http-status", reason: "404 Not Found" },
  left(INDEX, { bytes: 500 }),
  left(ROOT),
];

const OPTIONS = { shorten: keepUrl, width: Infinity, hasSite: false };

function textOf(format: TextFormat<TreeEvent>, events: readonly TreeEvent[] = EVENTS): string {
  return (format.head ?? "") + events.map((event) => format.write(event)).join("") +
    (format.end?.() ?? "");
}

Deno.test("--sitemaps aligns a row for each sitemap, in document order", () => {
  const text = textOf(sitemapRowFormat("text", { ...OPTIONS, shorten: stripPrefix(ORIGIN) }));
  assertEquals(
    text,
    [
      "URL            REQUESTED URL  TYPE     STATUS       LASTMOD      PAGES      BYTES  WARNINGS",
      "/index.xml     /i.xml         index    ok           -                0        500         0",
      "/水.xml        -              XML      ok           2024-05-01  50,000  1,234,567         0",
      "/=cut,.xml     -              XML      truncated    -                2         99       301",
      "/dead\\x1b.xml  -              invalid  http-status  2023             -          -         -",
      "",
    ].join("\n"),
  );
  assertEquals(new Set(text.trimEnd().split("\n").map(widthOf)).size, 1);
});

Deno.test("--sitemaps -f csv has a header and the same rows, safe for spreadsheets", () => {
  assertEquals(
    textOf(sitemapRowFormat("csv", OPTIONS)),
    [
      "url,requested_url,type,status,lastmod,pages,bytes,warnings",
      "https://a.test/index.xml,https://a.test/i.xml,IndexXmlSitemap,ok,,0,500,0",
      "https://a.test/水.xml,,PagesXmlSitemap,ok,2024-05-01,50000,1234567,0",
      '"https://a.test/=cut,.xml",,PagesXmlSitemap,truncated,,2,99,301',
      "https://a.test/dead\\x1b.xml,,InvalidSitemap,http-status,2023,,,",
      "",
    ].join("\r\n"),
  );
});

Deno.test("--sitemaps -f ndjson writes each sitemap as soon as it is read", () => {
  const format = sitemapRowFormat("ndjson", OPTIONS);
  const lines = EVENTS.map((event) => format.write(event));
  assertEquals(
    lines.map((line) => line !== ""),
    EVENTS.map(({ type, ...event }) =>
      type === "invalid" ||
      type === "sitemap-left" && "sitemap" in event && event.sitemap !== ROOT
    ),
  );
  assertEquals(lines.join("").trimEnd().split("\n").map((line) => JSON.parse(line)), [
    {
      url: FIRST.url,
      type: "PagesXmlSitemap",
      lastmod: "2024-05-01",
      status: "ok",
      pages: 50_000,
      bytes: 1234567,
      warnings: 0,
    },
    {
      url: SECOND.url,
      type: "PagesXmlSitemap",
      status: "truncated",
      pages: 2,
      bytes: 99,
      warnings: 301,
    },
    { url: DEAD.url, type: "InvalidSitemap", lastmod: "2023", status: "http-status" },
    {
      url: INDEX.url,
      requested_url: `${ORIGIN}/i.xml`,
      type: "IndexXmlSitemap",
      status: "ok",
      pages: 0,
      bytes: 500,
      warnings: 0,
    },
  ]);
});

Deno.test("--sitemaps -f csv keeps the rows of several walks, whose ids are the same", () => {
  const finished = { type: "finished" } as TreeEvent;
  const text = textOf(sitemapRowFormat("csv", OPTIONS), [
    ...EVENTS,
    finished,
    ...EVENTS,
    finished,
  ]);
  assertEquals(text.split("\r\n").length, 2 + 2 * 4);
});

Deno.test("--sitemaps cuts a URL that would widen every row", () => {
  const long = ref(1, `/${"x".repeat(100_000)}`);
  const text = textOf(sitemapRowFormat("text", OPTIONS), [
    { type: "sitemap-entered", sitemap: long },
    left(long),
  ]);
  for (const line of text.split("\n")) assertEquals(line.length < 300, true);
});
