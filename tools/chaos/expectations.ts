/**
 * What a fleet must find at a site.
 *
 * @module
 */

import type { Verdict } from "../../src/data/events.ts";
import { type ChaosSite, type Document, ROBOTS } from "./sites.ts";

/** Result of a site. */
export interface Expectation {
  readonly verdict: Verdict | "failed";
  /** Dates and sitemaps of pages by URL. */
  readonly pages: ReadonlyMap<string, ExpectedPage>;
}

/** A page. */
export interface ExpectedPage {
  readonly lastmod: string;
  /** URL of its sitemap, as it was requested. */
  readonly sitemap: string;
}

/** Returns the expected result of each site in a round, by authority. */
export function expectationsOf(
  sites: readonly ChaosSite[],
  round: number,
): Map<string, Expectation> {
  const known = new Map(sites.map((site) => [site.authority, site.documents(round)]));
  const documentAt = (url: string): Document | undefined => {
    const { host, pathname } = new URL(url);
    return known.get(host)?.get(pathname);
  };
  return new Map(sites.map((site) => [site.authority, expectationOf(site, documentAt)]));
}

function expectationOf(
  { authority, entry, shape }: ChaosSite,
  documentAt: (url: string) => Document | undefined,
): Expectation {
  const origin = `http://${authority}`;
  const pages = new Map<string, ExpectedPage>();
  let isPartial = false;
  let isFound = false;
  const visit = (url: string, sitemap = url): void => {
    const document = documentAt(url);
    if (document?.type === "redirect") return visit(document.target, sitemap);
    if (document?.type === "pages") {
      isFound = true;
      for (const { url, lastmod } of document.pages) {
        if (!pages.has(url)) pages.set(url, { lastmod, sitemap });
      }
    } else if (document?.type === "index") {
      isFound = true;
      for (const child of document.sitemaps) visit(child);
    } else isPartial = true;
  };
  const robots = documentAt(`${origin}${ROBOTS}`);
  if (robots?.type === "robots") { for (const url of robots.sitemaps) visit(url); }
  if (entry.useKnownPaths) visit(`${origin}/sitemap.xml`);
  const verdict = shape === "poison"
    ? "failed"
    : shape === "unavailable"
    ? "blocked"
    : isPartial
    ? "partial"
    : isFound
    ? "complete"
    : "none";
  return { verdict, pages };
}
