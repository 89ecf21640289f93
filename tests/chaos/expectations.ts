/**
 * What a fleet must have found at a site, from what the server has sent: the last response to each
 * URL counts, since a sitemap that was stored is not requested again.
 *
 * @module
 */

import { type Disturbance, isGhost, type LoggedRequest } from "./request_log.ts";
import { type ChaosSite, type Document, ROBOTS } from "./sites.ts";

/** Result of a site. */
export interface Expectation {
  readonly verdict: "complete" | "partial" | "none" | "dead";
  /** Pages by the URL of their sitemap. */
  readonly sitemaps: ReadonlyMap<string, readonly string[]>;
}

/** Returns the last document that the walks of each site got from each URL. */
export function lastDocuments(
  log: readonly LoggedRequest[],
  disturbances: readonly Disturbance[],
): Map<string, Map<string, Document>> {
  const sites = new Map<string, Map<string, Document>>();
  for (const request of log.toSorted((a, b) => a.issued - b.issued)) {
    if (isGhost(request, disturbances)) continue;
    const { site, url, document } = request;
    let documents = sites.get(site);
    if (documents === undefined) sites.set(site, documents = new Map());
    documents.set(url, document);
  }
  return sites;
}

/** Returns the expected result of a site whose walks got these documents. */
export function expectationOf(
  { authority, entry, isDead }: ChaosSite,
  documents: ReadonlyMap<string, Document>,
): Expectation {
  if (isDead) return { verdict: "dead", sitemaps: new Map() };
  const origin = `http://${authority}`;
  const sitemaps = new Map<string, readonly string[]>();
  let isPartial = false;
  let isFound = false;
  const visit = (url: string): void => {
    const document = documents.get(url);
    if (document?.type === "redirect") return visit(document.target);
    if (document?.type === "pages") {
      isFound = true;
      sitemaps.set(url, document.pages);
    } else if (document?.type === "index") {
      isFound = true;
      for (const child of document.sitemaps) visit(child);
    } else isPartial = true;
  };
  const robots = documents.get(`${origin}${ROBOTS}`);
  if (robots?.type === "robots") { for (const url of robots.sitemaps) visit(url); }
  if (entry.useKnownPaths) visit(`${origin}/sitemap.xml`);
  const verdict = isPartial ? "partial" : isFound ? "complete" : "none";
  return { verdict, sitemaps };
}
