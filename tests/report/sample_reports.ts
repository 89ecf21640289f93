/** Reports to look at and to test the page with: typical, tiny, huge, hostile. @module */

import { walk } from "../../mod.ts";
import { Aggregate, aggregate } from "../../src/report/aggregate.ts";
import { REPORT_LIMITS } from "../../src/report/limits.ts";
import type { Report, ReportFinding, ReportPath, ReportSitemap } from "../../src/report/report.ts";
import { Random } from "../support/random.ts";

const CREATED = "2026-06-15T09:30:00Z";
const ORIGIN = "https://shop.example";

const EMPTY: Report = new Aggregate({ now: CREATED, check: false }).result();

function many<T>(length: number, make: (at: number) => T): T[] {
  return Array.from({ length }, (_, at) => make(at));
}

/** A path whose pages are the sum of its parts. */
function path(name: string, own: number, mean: string, children: ReportPath[] = []): ReportPath {
  const pages = children.reduce((sum, child) => sum + child.pages, own);
  const dated = mean === "" ? 0 : Math.round(pages * 0.9);
  return {
    name,
    pages,
    ...(own > 0 && { own }),
    ...(dated > 0 && { dated, mean, newest: "2026-06-14" }),
    ...(children.length > 0 && {
      children: [...children].sort((a, b) => b.pages - a.pages),
    }),
  };
}

function shopPaths(): ReportPath {
  const random = new Random(5);
  const some = (names: string, most: number, means: string[]) =>
    names.split(" ").map((name, at) =>
      path(name, Math.ceil(most * (0.15 + random.fraction()) / (at + 1)), means[at % means.length]!)
    );
  const products = some(
    "kitchen garden bedroom bathroom office lighting outdoor kids storage textiles decoration sale",
    5200,
    ["2026-06-01", "2026-03-04", "2025-11-20", "2024-02-02", "2022-01-15"],
  );
  const blog = some("2026 2025 2024 2023 2022 2021 2020", 420, [
    ...["2026-05-20", "2025-09-01", "2024-07-01", "2023-06-01", "2022-06-01"],
    ...["2021-06-01", "2020-06-01"],
  ]);
  return path("", 0, "2025-10-11", [
    path("shop.example", 3, "2025-10-11", [
      path("products", 24, "2025-12-01", products),
      path("blog", 14, "2024-09-11", blog),
      path("guides", 312, "2026-01-11"),
      { ...path("brands", 640, "2023-05-05"), pages: 912, other: 272 },
      path("help", 96, ""),
      path("stores", 148, "2021-03-03", some("de fr nl at", 60, ["2021-03-03"])),
      path("jobs", 31, "2026-06-10"),
    ]),
    path("cdn.shop.example", 420, ""),
  ]);
}

function shopSitemaps(): ReportSitemap[] {
  const list: ReportSitemap[] = [
    { type: "IndexWebsiteSitemap", url: `${ORIGIN}/`, pages: 0 },
    {
      ...{ parent: 0, type: "IndexRobotsTxtSitemap", url: `${ORIGIN}/robots.txt`, pages: 0 },
      status: 200,
    },
    {
      ...{ parent: 1, type: "IndexXmlSitemap", url: `${ORIGIN}/sitemap.xml`, pages: 0 },
      ...{ bytes: 4210, status: 200, durationMs: 140, foundBy: "robots" },
      contentType: "application/xml",
      findings: { notice: 1 },
    },
  ];
  for (let number = 1; number <= 9; number++) {
    list.push({
      ...{ parent: 2, type: "PagesXmlSitemap", url: `${ORIGIN}/sitemap-products-${number}.xml.gz` },
      ...{ pages: 3200 - number * 190, bytes: 812_000 - number * 31_000, status: 200 },
      ...{ durationMs: 420 + number * 13, contentEncoding: "gzip", lastModified: "2026-06-14" },
      contentType: "application/xml",
      ...(number === 3 && { findings: { error: 1, warning: 2 }, warnings: { "bad-date": 12 } }),
      ...(number === 5 && { findings: { warning: 1 } }),
      ...(number === 7 && { complete: false, findings: { error: 1 } }),
    });
  }
  list.push(
    { parent: 2, type: "PagesXmlSitemap", url: `${ORIGIN}/sitemap-blog.xml`, pages: 1180 },
    {
      ...{ parent: 2, type: "PagesXmlSitemap", url: `${ORIGIN}/maps/stores.xml`, pages: 310 },
      ...{ requestedUrl: `${ORIGIN}/sitemap-stores.xml`, redirects: 1, findings: { notice: 2 } },
    },
    {
      ...{ parent: 2, type: "InvalidSitemap", url: `${ORIGIN}/sitemap-old.xml`, pages: 0 },
      ...{ status: 404, code: "status", reason: "404 Not Found" },
    },
    { parent: 2, type: "PagesXmlSitemap", url: "", merged: 14, pages: 212, bytes: 48_000 },
    { parent: 0, type: "PagesRssSitemap", url: `${ORIGIN}/feed.xml`, pages: 20, status: 200 },
  );
  return list;
}

const FINDINGS: readonly ReportFinding[] = [
  {
    ...{ code: "unclosed", severity: "error", count: 1, message: "Sitemap ends in the middle" },
    sitemap: `${ORIGIN}/sitemap-products-7.xml.gz`,
    examples: [{ url: `${ORIGIN}/sitemap-products-7.xml.gz`, line: 18_233 }],
  },
  {
    ...{ code: "hreflang-return", severity: "error", count: 2400, isEstimated: true },
    message: "Alternates do not link back",
    sitemap: `${ORIGIN}/sitemap-products-3.xml.gz`,
    examples: [
      { url: `${ORIGIN}/products/kitchen/knife-block`, line: 210, value: "de-AT" },
      { url: `${ORIGIN}/products/kitchen/cutting-board`, line: 255, value: "de-AT" },
    ],
  },
  {
    ...{ code: "lastmod-future", severity: "warning", count: 12 },
    message: "Last modifications are in the future",
    sitemap: `${ORIGIN}/sitemap-products-3.xml.gz`,
    examples: [{ url: `${ORIGIN}/products/garden/hose`, line: 87, value: "2062-01-01" }],
  },
  {
    ...{ code: "sitemap-size", severity: "warning", count: 1, examples: [] },
    message: "Sitemap is larger than 50 MiB",
    sitemap: `${ORIGIN}/sitemap-products-5.xml.gz`,
  },
  {
    ...{ code: "priority-uniform", severity: "notice", count: 1, examples: [] },
    message: "All pages have the same priority",
  },
];

/** A shop with a blog: what most people will see. */
export function shopReport(): Report {
  const random = new Random(3);
  const paths = shopPaths(), pages = paths.pages, dated = Math.round(pages * 0.88);
  const weights = many(90, (at) => (0.2 + random.fraction()) * Math.exp(at / 30));
  const sum = weights.reduce((a, b) => a + b, 0);
  const periods = weights.map((weight, at) => ({
    name: new Date(Date.UTC(2019, at)).toISOString().slice(0, 7),
    pages: Math.floor(weight / sum * (dated - 300)),
  }));
  const inside = periods.reduce((total, period) => total + period.pages, 0);
  return {
    ...EMPTY,
    command: "sitetree ls shop.example",
    sites: [{
      ...{ url: `${ORIGIN}/`, verdict: "partial", pages, sitemaps: 28, endedAt: CREATED },
    }],
    totals: {
      ...{ sites: 1, pages, dated, sitemaps: 28, listings: 27, invalid: 1, warnings: 12 },
      ...{ bytes: 7_412_000, requests: 41, durationMs: 8_420 },
    },
    paths,
    hosts: [
      { name: "shop.example", pages: pages - 420 },
      { name: "cdn.shop.example", pages: 420 },
    ],
    dates: { unit: "month", periods, earlier: dated - inside, later: 0, none: pages - dated },
    frequencies: {
      ...{ always: 0, hourly: 0, daily: 1320, weekly: 9200, monthly: 4020, yearly: 310, never: 0 },
      none: pages - 14_850,
    },
    priorities: { "0.3": 1200, "0.5": 9400, "0.8": 4110, "1.0": 1, none: pages - 14_711 },
    extensions: {
      ...EMPTY.extensions,
      images: { pages: 12_400, items: 48_210 },
      videos: { pages: 112, items: 118 },
      alternates: { pages: 9_400, items: 47_000 },
    },
    languages: {
      items: ["en", "de", "fr", "nl", "x-default", "de-AT"].map((name, at) => ({
        name,
        pages: 9400 - at * at * 270,
      })),
      others: 3,
      sets: { unreturned: 2400, incomplete: 310, isEstimated: true },
    },
    patterns: [
      ["/products/{slug}/{slug}", 10_000, "/products/kitchen/knife-block"],
      ["/blog/{year}/{slug}", 1180, "/blog/2026/how-to-sharpen-knives"],
      ["/brands/{slug}", 912, "/brands/acme"],
      ["/guides/{slug}", 312, "/guides/garden-in-may"],
      ["/stores/{slug}/{slug}", 148, "/stores/de/berlin"],
    ].map(([pattern, count, example]) => ({
      pattern: String(pattern),
      pages: Number(count),
      example: ORIGIN + example,
    })),
    otherPatterns: pages - 12_552,
    sitemaps: shopSitemaps(),
    types: { IndexXmlSitemap: 1, PagesXmlSitemap: 26, PagesRssSitemap: 1 },
    overlap: {
      ...{ urls: pages - 18, repeated: 18, sampledOneIn: 1 },
      examples: [{
        url: `${ORIGIN}/products/garden/hose`,
        sitemaps: [`${ORIGIN}/sitemap-products-1.xml.gz`, `${ORIGIN}/sitemap-products-2.xml.gz`],
      }],
    },
    warnings: [{
      ...{ code: "bad-date", count: 12 },
      examples: [{
        ...{ url: `${ORIGIN}/sitemap-products-3.xml.gz`, line: 87 },
        message: 'Invalid date "31.12.2025"',
      }],
    }],
    invalid: [{
      ...{ code: "status", count: 1 },
      examples: [{ url: `${ORIGIN}/sitemap-old.xml`, message: "404 Not Found" }],
    }],
    findings: {
      counts: { error: 2, warning: 2, notice: 1 },
      items: FINDINGS,
      help: {
        unclosed: "Write the file completely before it is served, and check its last lines.",
        "hreflang-return": "List the page itself as an alternate of each of its alternates.",
        "lastmod-future": "Set lastmod to the time of the last significant change.",
        "sitemap-size": "Split the sitemap, and list its parts in an index.",
        "priority-uniform": "Leave priority out, or let it differ.",
      },
      skipped: [{ code: "robots-blocked", reason: "robots.txt was not read" }],
    },
    sample: many(120, (at) => ({
      url: `${ORIGIN}/products/kitchen/item-${at * 117}`,
      lastModified: "2026-06-01T10:00:00Z",
      changeFrequency: "weekly" as const,
      priority: 0.5,
      sitemap: `${ORIGIN}/sitemap-products-${at % 9 + 1}.xml.gz`,
    })),
    runs: many(30, (at) => ({
      site: `${ORIGIN}/`,
      started: `2026-05-${String(at + 1).padStart(2, "0")}T04:00:00Z`,
      verdict: "complete",
      pages: pages - (30 - at) * 61,
      added: Math.round(random.fraction() * 120),
      changed: Math.round(random.fraction() * 260),
      removed: Math.round(random.fraction() * 40),
    })),
  };
}

/** A site of three pages, as it is walked. */
export function tinyReport(): Promise<Report> {
  const entries = ["", "about</loc><lastmod>2026-06-01</lastmod><loc>", "contact"]
    .map((path) => `<url><loc>https://tiny.example/${path}</loc></url>`);
  const fetch = (url: string) =>
    Promise.resolve(
      url.endsWith("/sitemap.xml")
        ? new Response(`<urlset>${entries.join("")}</urlset>`)
        : new Response(null, { status: 404 }),
    );
  return aggregate(walk("https://tiny.example/", { fetch }), { now: CREATED });
}

export function blockedReport(): Report {
  const url = "https://closed.example/";
  return {
    ...EMPTY,
    sites: [{ url, verdict: "blocked", reason: "403 Forbidden", pages: 0, sitemaps: 0 }],
    totals: { ...EMPTY.totals, sites: 1, requests: 3, durationMs: 400 },
    sitemaps: [{ type: "IndexWebsiteSitemap", url, pages: 0 }],
  };
}

export function severalReport(): Report {
  const shop = shopReport();
  return {
    ...shop,
    sites: [
      ...shop.sites,
      { url: "https://tiny.example/", verdict: "complete", pages: 3, sitemaps: 1 },
      ...blockedReport().sites,
      { url: "https://empty.example/", verdict: "none", pages: 0, sitemaps: 0 },
      {
        url: "https://long.example/",
        endedBy: "max-pages",
        verdict: "partial",
        pages: 9,
        sitemaps: 1,
      },
    ],
    totals: { ...shop.totals, sites: 5 },
    overlap: { ...shop.overlap, repeated: 40, sampledOneIn: 4 },
  };
}

/** As much as a report can have. */
export function hugeReport(): Report {
  const limits = REPORT_LIMITS;
  const shop = shopReport(), random = new Random(11);
  const sections = many(40, (at) => {
    const branches = many(Math.floor(limits.paths / 40) - 2, (child) => {
      const pages = Math.ceil(random.fraction() ** 4 * 9000);
      return path(`branch-${child}`, pages, `202${child % 7}-03-01`);
    });
    return path(`section-${at}`, 5, "", branches);
  });
  const paths = path("", 0, "2025-01-01", [path("shop.example", 0, "2025-01-01", sections)]);
  const above = shop.sitemaps.slice(0, 3), parts = limits.sitemaps - above.length;
  const sitemaps = [
    ...above,
    ...many(parts, (at): ReportSitemap => ({
      ...{ parent: 2, type: "PagesXmlSitemap", url: `${ORIGIN}/sitemaps/part-${at}.xml.gz` },
      ...{ bytes: 4_000_000, status: 200, durationMs: 800 },
      pages: Math.floor(paths.pages / parts) + (at < paths.pages % parts ? 1 : 0),
      ...(at % 7 === 0 && { findings: { warning: 2 }, warnings: { "bad-date": 3 } }),
    })),
  ];
  const patterns = many(limits.patterns, (at) => ({
    pattern: `/section-${at}/{slug}/{number}`,
    pages: 9000 - at * 31,
    example: `${ORIGIN}/section-${at}/a-rather-long-name-of-a-page/${at}`,
  }));
  return {
    ...shop,
    paths,
    sites: many(limits.sites, () => shop.sites[0]!),
    totals: { ...shop.totals, sites: limits.sites, pages: paths.pages, dated: paths.dated! },
    hosts: many(limits.hosts, (at) => ({ name: `host-${at}.example`, pages: 90 })),
    dates: {
      ...{ unit: "day", earlier: 4000, later: 12, none: paths.pages - paths.dated! },
      periods: many(limits.periods, (at) => ({
        name: new Date(Date.UTC(2025, 3, 1 + at)).toISOString().slice(0, 10),
        pages: Math.floor(random.fraction() ** 6 * 20_000),
      })),
    },
    sitemaps,
    findings: {
      ...shop.findings!,
      counts: { error: 4000, warning: 9100, notice: 310 },
      items: many(limits.findings, (at) => ({
        ...FINDINGS[at % FINDINGS.length]!,
        sitemap: sitemaps[3 + at % 90]!.url,
      })),
    },
    languages: {
      ...shop.languages,
      items: many(limits.languages, (at) => ({ name: `x${at}`, pages: 9400 - at * 200 })),
    },
    patterns,
    otherPatterns: patterns.reduce((rest, { pages }) => rest - pages, paths.pages),
    sample: many(limits.sample, (at) => shop.sample[at % shop.sample.length]!),
    runs: many(limits.runs, (at) => ({ ...shop.runs![at % 30]! })),
  };
}

/** Strings that would run, end an element or mislead, if they became more than text. */
export const HOSTILE: readonly string[] = [
  "<script>alert(1)</script>",
  "</script><script>alert(2)</script>",
  "<!--<script>",
  "<img src=x onerror=alert(3)>",
  "javascript:alert(4)",
  `"'><svg onload=alert(5)>`,
  "a\u2028b\u2029c",
  "\u202egnp.exe",
  "{{data}}$&$1",
  "\0\x1b[31m",
  "]]><b>",
  "</title><img src=x onerror=alert(6)>",
  "$& $1 $` $' $$",
  "{{title}} {{data}}",
  "\u2028\u2029\u202e\u0000\u009b\ufeff",
  "\ud800",
  `"'\\&amp;`,
  "__proto__",
];

/** Returns a report with other strings, by their number, wherever the site or its owner writes one. */
export function withStrings(report: Report, make: (at: number) => string): Report {
  let at = 0;
  const kept = new Set(["format", "unit", "type", "verdict", "severity", "created", "foundBy"]);
  const replaced = (value: unknown, key: string): unknown => {
    if (typeof value === "string") return kept.has(key) ? value : make(at++);
    if (Array.isArray(value)) return value.map((item) => replaced(item, key));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, replaced(item, name)]),
    );
  };
  return replaced(report, "") as Report;
}

export function hostileReport(): Report {
  return withStrings(shopReport(), (at) => HOSTILE[at % HOSTILE.length]!);
}
