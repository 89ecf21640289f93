/** Reports to look at and to test the page with: typical, tiny, huge, hostile. @module */

import { REPORT_LIMITS } from "../../src/report/limits.ts";
import type {
  Report,
  ReportCount,
  ReportFinding,
  ReportPath,
  ReportSitemap,
} from "../../src/report/report.ts";

const CREATED = "2026-06-15T09:30:00Z";
const ORIGIN = "https://shop.example";

function randomNumbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return state / 2147483648;
  };
}

function emptyReport(): Report {
  return {
    format: "sitetree-report",
    version: 1,
    created: CREATED,
    sites: [],
    totals: {
      ...{ sites: 0, pages: 0, dated: 0, sitemaps: 0, listings: 0, invalid: 0, warnings: 0 },
      ...{ bytes: 0, requests: 0, durationMs: 0 },
    },
    paths: { name: "", pages: 0 },
    hosts: [],
    otherHosts: 0,
    dates: { unit: "month", periods: [], earlier: 0, later: 0, none: 0 },
    frequencies: {
      ...{ always: 0, hourly: 0, daily: 0, weekly: 0, monthly: 0, yearly: 0, never: 0, none: 0 },
    },
    priorities: {},
    extensions: {
      news: { pages: 0, items: 0 },
      images: { pages: 0, items: 0 },
      videos: { pages: 0, items: 0 },
      alternates: { pages: 0, items: 0 },
    },
    languages: { items: [], others: 0 },
    patterns: [],
    otherPatterns: 0,
    sitemaps: [],
    types: {},
    overlap: { urls: 0, repeated: 0, sampledOneIn: 1, examples: [] },
    warnings: [],
    invalid: [],
    sample: [],
  };
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

function months(first: number, last: number): string[] {
  return Array.from(
    { length: last - first + 1 },
    (_, at) => `${Math.floor((first + at) / 12)}-${String((first + at) % 12 + 1).padStart(2, "0")}`,
  );
}

function shopPaths(): ReportPath {
  const random = randomNumbers(7);
  const some = (names: string, most: number, means: string[]) =>
    names.split(" ").map((name, at) =>
      path(name, Math.ceil(most * (0.15 + random()) / (at + 1)), means[at % means.length]!)
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
      parent: 0,
      type: "IndexRobotsTxtSitemap",
      url: `${ORIGIN}/robots.txt`,
      pages: 0,
      status: 200,
    },
    {
      ...{ parent: 1, type: "IndexXmlSitemap", url: `${ORIGIN}/sitemap.xml`, pages: 0 },
      ...{ bytes: 4210, status: 200, durationMs: 140, foundBy: "robots" },
      contentType: "application/xml",
      findings: { info: 1 },
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
      ...{ requestedUrl: `${ORIGIN}/sitemap-stores.xml`, redirects: 1, findings: { info: 2 } },
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
    ...{ code: "priority-uniform", severity: "info", count: 1, examples: [] },
    message: "All pages have the same priority",
  },
];

/** A shop with a blog: what most people will see. */
export function shopReport(): Report {
  const random = randomNumbers(3);
  const paths = shopPaths(), pages = paths.pages, dated = Math.round(pages * 0.88);
  const names = months(2019 * 12, 2026 * 12 + 5);
  const weights = names.map((_, at) => (0.2 + random()) * Math.exp(at / 30));
  const sum = weights.reduce((a, b) => a + b, 0);
  const periods: ReportCount[] = names.map((name, at) => ({
    name,
    pages: Math.floor(weights[at]! / sum * (dated - 300)),
  }));
  const inside = periods.reduce((total, period) => total + period.pages, 0);
  return {
    ...emptyReport(),
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
      news: { pages: 0, items: 0 },
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
      counts: { error: 2, warning: 2, info: 1 },
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
    sample: Array.from({ length: 120 }, (_, at) => ({
      url: `${ORIGIN}/products/kitchen/item-${at * 117}`,
      lastModified: "2026-06-01T10:00:00Z",
      changeFrequency: "weekly" as const,
      priority: 0.5,
      sitemap: `${ORIGIN}/sitemap-products-${at % 9 + 1}.xml.gz`,
    })),
    runs: Array.from({ length: 30 }, (_, at) => ({
      site: `${ORIGIN}/`,
      started: `2026-05-${String(at + 1).padStart(2, "0")}T04:00:00Z`,
      verdict: "complete",
      pages: pages - (30 - at) * 61,
      added: Math.round(random() * 120),
      changed: Math.round(random() * 260),
      removed: Math.round(random() * 40),
    })),
  };
}

export function tinyReport(): Report {
  const url = "https://tiny.example/";
  return {
    ...emptyReport(),
    command: "sitetree ls tiny.example",
    sites: [{ url, verdict: "complete", pages: 3, sitemaps: 1, endedAt: CREATED }],
    totals: {
      ...{ sites: 1, pages: 3, dated: 1, sitemaps: 1, listings: 1, invalid: 0, warnings: 0 },
      ...{ bytes: 512, requests: 2, durationMs: 90 },
    },
    paths: {
      ...{ name: "", pages: 3, dated: 1, newest: "2026-06-01", mean: "2026-06-01" },
      children: [{
        ...{ name: "tiny.example", pages: 3, own: 1, dated: 1 },
        ...{ newest: "2026-06-01", mean: "2026-06-01" },
        children: [
          { name: "about", pages: 1, own: 1, dated: 1, newest: "2026-06-01", mean: "2026-06-01" },
          { name: "contact", pages: 1, own: 1 },
        ],
      }],
    },
    hosts: [{ name: "tiny.example", pages: 3 }],
    dates: {
      ...{ unit: "day", earlier: 0, later: 0, none: 2 },
      periods: [{ name: "2026-06-01", pages: 1 }],
    },
    frequencies: { ...emptyReport().frequencies, none: 3 },
    priorities: { none: 3 },
    patterns: [{ pattern: "/{slug}", pages: 2, example: `${url}about` }, {
      ...{ pattern: "/", pages: 1, example: url },
    }],
    sitemaps: [
      { type: "IndexWebsiteSitemap", url, pages: 0 },
      {
        ...{ parent: 0, type: "PagesXmlSitemap", url: `${url}sitemap.xml`, pages: 3, bytes: 512 },
        ...{ status: 200, durationMs: 40, foundBy: "known-path" },
      },
    ],
    types: { PagesXmlSitemap: 1 },
    overlap: { urls: 3, repeated: 0, sampledOneIn: 1, examples: [] },
    findings: { counts: { error: 0, warning: 0, info: 0 }, items: [], help: {}, skipped: [] },
    sample: ["", "about", "contact"].map((name) => ({
      url: url + name,
      sitemap: `${url}sitemap.xml`,
    })),
  };
}

export function blockedReport(): Report {
  const url = "https://closed.example/";
  return {
    ...emptyReport(),
    sites: [{ url, verdict: "blocked", reason: "403 Forbidden", pages: 0, sitemaps: 0 }],
    totals: { ...emptyReport().totals, sites: 1, requests: 3, durationMs: 400 },
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
  const { paths, sitemaps, findings, sample, patterns, languages, periods, runs } = REPORT_LIMITS;
  const shop = shopReport(), random = randomNumbers(11);
  const sections = Array.from({ length: 40 }, (_, at) =>
    path(
      `section-${at}`,
      5,
      "",
      Array.from(
        { length: Math.floor(paths / 40) - 2 },
        (_, child) =>
          path(`branch-${child}`, Math.ceil(random() ** 4 * 9000), `202${child % 7}-03-01`),
      ),
    ));
  const root = path("", 0, "2025-01-01", [path("shop.example", 0, "2025-01-01", sections)]);
  const list = shop.sitemaps.slice(0, 3);
  while (list.length < sitemaps) {
    const number = list.length;
    list.push({
      ...{ parent: 2, type: "PagesXmlSitemap", url: `${ORIGIN}/sitemaps/part-${number}.xml.gz` },
      ...{ pages: Math.ceil(random() * 50_000), bytes: 4_000_000, status: 200, durationMs: 800 },
      ...(number % 7 === 0 && { findings: { warning: 2 }, warnings: { "bad-date": 3 } }),
    });
  }
  return {
    ...shop,
    paths: root,
    totals: { ...shop.totals, pages: root.pages, dated: Math.round(root.pages * 0.9) },
    dates: {
      ...{ unit: "day", earlier: 4000, later: 12, none: Math.round(root.pages * 0.1) },
      periods: Array.from({ length: periods }, (_, at) => ({
        name: new Date(Date.UTC(2025, 3, 1 + at)).toISOString().slice(0, 10),
        pages: Math.floor(random() ** 6 * 20_000),
      })),
    },
    sitemaps: list,
    findings: {
      ...shop.findings!,
      counts: { error: 4000, warning: 9100, info: 310 },
      items: Array.from({ length: findings }, (_, at) => ({
        ...FINDINGS[at % FINDINGS.length]!,
        sitemap: list[3 + at % 90]!.url,
      })),
    },
    languages: {
      ...shop.languages,
      items: Array.from({ length: languages }, (_, at) => ({
        name: `x${at}`,
        pages: 9400 - at * 200,
      })),
    },
    patterns: Array.from({ length: patterns }, (_, at) => ({
      pattern: `/section-${at}/{slug}/{number}`,
      pages: 9000 - at * 31,
      example: `${ORIGIN}/section-${at}/a-rather-long-name-of-a-page/${at}`,
    })),
    sample: Array.from({ length: sample }, (_, at) => shop.sample[at % shop.sample.length]!),
    runs: Array.from({ length: runs }, (_, at) => ({ ...shop.runs![at % 30]! })),
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
];

export function hostileReport(): Report {
  let at = 0;
  const keep = new Set(["format", "unit", "type", "verdict", "severity", "created", "foundBy"]);
  const spoil = (value: unknown, key: string): unknown => {
    if (typeof value === "string") return keep.has(key) ? value : HOSTILE[at++ % HOSTILE.length];
    if (Array.isArray(value)) return value.map((item) => spoil(item, key));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, item]) => [name, spoil(item, name)]),
    );
  };
  return spoil(shopReport(), "") as Report;
}
