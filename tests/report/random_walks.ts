/** Random events of several walks, for property tests. @module */

import fc from "../support/fast_check.ts";
import type { SitemapPage, SitemapRef, TreeEvent } from "../../mod.ts";
import { CHANGE_FREQUENCIES } from "../../src/data/page_schema.ts";
import { ref } from "../check/check_support.ts";
import { urlWord } from "../data/arbitrary_page.ts";
import { FINISHED } from "../tree/events.ts";

const url = fc.tuple(
  fc.constantFrom("https://a.test", "http://B.test:81", "https://u@c.test", "x:y"),
  fc.array(fc.oneof(fc.constantFrom("blog", "2024", "05", "", "x".repeat(400)), urlWord()), {
    maxLength: 4,
  }),
  fc.constantFrom("", "/", "?q=1", "#x", "/index.html"),
).map(([host, path, end]) => [host, ...path].join("/") + end);

const page: fc.Arbitrary<SitemapPage> = fc.record({
  url,
  lastModified: fc.constantFrom(
    "0001",
    "1995-06",
    "2024",
    "2024-05-01",
    "2024-05-02T10:00:00.000Z",
    "9999",
  ),
  changeFrequency: fc.constantFrom(...CHANGE_FREQUENCIES),
  priority: fc.constantFrom(0, 0.05, 0.5, 1),
  images: fc.constant([{ loc: "https://a.test/1.png" }]),
  alternates: fc.array(
    fc.record({ hreflang: fc.constantFrom("en", "de", "x-default", "z".repeat(500)), href: url }),
    { minLength: 1, maxLength: 3 },
  ),
}, { requiredKeys: ["url"] });

const sitemap = fc.record({
  above: fc.nat(),
  kind: fc.constantFrom("IndexXmlSitemap", "PagesXmlSitemap", "PagesTextSitemap", "InvalidSitemap"),
  isRedirected: fc.boolean(),
  pages: fc.array(page, { maxLength: 6 }),
  warnings: fc.nat({ max: 3 }),
  complete: fc.boolean(),
});

type RandomSitemap = typeof sitemap extends fc.Arbitrary<infer T> ? T : never;

export const randomWalk: fc.Arbitrary<TreeEvent[]> = fc.tuple(
  fc.array(sitemap, { maxLength: 12 }),
  fc.boolean(),
).map(([sitemaps, hasEnd]) => eventsOf(sitemaps, hasEnd));

/** Returns events of a tree in which each sitemap is below an earlier index, or the website. */
function eventsOf(sitemaps: readonly RandomSitemap[], hasEnd: boolean): TreeEvent[] {
  const root = ref(0, { type: "IndexWebsiteSitemap", level: -1, url: "https://a.test/" });
  const refs = [root], indexes = [root];
  for (const [at, { above, kind, isRedirected }] of sitemaps.entries()) {
    const parent = indexes[above % indexes.length]!;
    const sitemap = ref(at + 1, {
      type: kind as SitemapRef["type"],
      url: `https://a.test/${at % 5}.xml`,
      ...(isRedirected && { requestedUrl: "https://a.test/old.xml" }),
      level: parent.level + 1,
      parent: parent.id,
      index: at,
    });
    refs.push(sitemap);
    if (kind === "IndexXmlSitemap") indexes.push(sitemap);
  }
  const visit = (ref: SitemapRef): TreeEvent[] => [
    ...own(ref, sitemaps[ref.id - 1]),
    ...refs.filter(({ parent }) => parent === ref.id).flatMap(visit),
    ...left(ref, sitemaps[ref.id - 1]),
  ];
  const finished = { ...FINISHED, verdict: "partial", stats: { ...FINISHED.stats, bytes: 100 } };
  return [...visit(root), ...(hasEnd ? [finished as TreeEvent] : [])];
}

function own(ref: SitemapRef, random: RandomSitemap | undefined): TreeEvent[] {
  if (ref.type === "InvalidSitemap") {
    return [{ type: "invalid", sitemap: ref, code: "http-status", reason: "404", status: 404 }];
  }
  const pages = ref.type.startsWith("Pages") ? random?.pages ?? [] : [];
  return [
    { type: "sitemap-entered", sitemap: ref, response: { status: 200, redirects: 1 } },
    ...pages.map((page): TreeEvent => ({ type: "page", page, sitemap: ref })),
  ];
}

function left(ref: SitemapRef, random: RandomSitemap | undefined): TreeEvent[] {
  if (ref.type === "InvalidSitemap") return [];
  const { complete = true, warnings: count = 0, pages = [] } = random ?? {};
  const warnings: Record<string, number> = count > 0 ? { "bad-date": count } : {};
  const facts = { pages: pages.length, bytes: 100, complete, warnings, durationMs: 5 };
  return [{ type: "sitemap-left", sitemap: ref, ...facts }];
}
