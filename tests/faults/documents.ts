/** Documents and sites that many faults begin with. @module */

import { type Answer, type FaultSite, ok } from "../support/fault_server.ts";

export function index(...addresses: string[]): Answer {
  const children = addresses.map((address) => `<sitemap><loc>${address}</loc></sitemap>`);
  return ok(`<sitemapindex>${children.join("")}</sitemapindex>`);
}

/** Returns a site whose robots.txt declares only `/sitemap`. */
export function oneSitemap(sitemap: FaultSite[string]): FaultSite {
  return { "/robots.txt": ok("Sitemap: {{origin}}/sitemap\n"), "/sitemap": sitemap };
}
