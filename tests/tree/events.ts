/** Events made by hand, as a walk would send them. */
import type { FinishedEvent, SitemapRef, SitemapType, TreeEvent } from "../../src/data/events.ts";
import type { SitemapPage } from "../../src/data/page.ts";

export interface Plan {
  readonly type: SitemapType;
  readonly url: string;
  readonly pages?: readonly SitemapPage[];
  readonly children?: readonly Plan[];
}

/** The events of a web site, in document order. */
export function eventsOf(plan: Plan, level = -1): TreeEvent[] {
  const events: TreeEvent[] = [];
  let lastId = 0;
  function visit(node: Plan, parent: SitemapRef | undefined, index: number): void {
    const sitemap: SitemapRef = {
      id: lastId++,
      type: node.type,
      url: node.url,
      level: parent === undefined ? level : parent.level + 1,
      parent: parent?.id ?? null,
      index,
    };
    if (node.type === "InvalidSitemap") {
      events.push({ type: "invalid", sitemap, code: "http-status", reason: "404 Not Found" });
      return;
    }
    events.push({ type: "sitemap-entered", sitemap });
    const { pages = [], children = [] } = node;
    for (const page of pages) events.push({ type: "page", page, sitemap });
    children.forEach((child, i) => visit(child, sitemap, i));
    events.push({
      type: "sitemap-left",
      sitemap,
      pages: pages.length,
      bytes: 1,
      complete: true,
      warnings: {},
    });
  }
  visit(plan, undefined, 0);
  return events;
}

export const FINISHED: FinishedEvent = {
  type: "finished",
  verdict: "complete",
  stats: {
    sitemaps: 1,
    pages: 1,
    invalid: 0,
    warnings: 0,
    bytes: 1,
    requests: 1,
    retries: 0,
    probes: 0,
    durationMs: 1,
  },
  source: "walk",
  discovery: [],
};

/** Pages with addresses below `https://example.com/<name>/`. */
export function pagesOf(name: string, count: number): SitemapPage[] {
  return Array.from({ length: count }, (_, i) => ({
    url: `https://example.com/${name}/${i}`,
    lastModified: new Date(Date.UTC(2024, 0, 1 + i)).toISOString().slice(0, 10),
    priority: 0.8,
  }));
}

/** A site with every kind of sitemap. */
export const SITE: Plan = {
  type: "IndexWebsiteSitemap",
  url: "https://example.com/",
  children: [
    {
      type: "IndexRobotsTxtSitemap",
      url: "https://example.com/robots.txt",
      children: [
        {
          type: "IndexXmlSitemap",
          url: "https://example.com/index.xml",
          children: [
            { type: "PagesXmlSitemap", url: "https://example.com/a.xml", pages: pagesOf("a", 70) },
            { type: "InvalidSitemap", url: "https://example.com/gone.xml" },
            { type: "PagesTextSitemap", url: "https://example.com/b.txt", pages: pagesOf("b", 1) },
          ],
        },
        { type: "PagesRssSitemap", url: "https://example.com/c.rss", pages: pagesOf("c", 3) },
      ],
    },
    { type: "PagesAtomSitemap", url: "https://example.com/d.atom", pages: pagesOf("d", 2) },
  ],
};
