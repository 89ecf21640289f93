/**
 * Prints the newest pages of a site, newest first.
 *
 *     deno run --allow-net newest_first.ts https://example.com/ 10
 *
 * Only COUNT pages are kept, so memory does not depend on the size of the site.
 *
 * @module
 */

import { pages, type SitemapPage } from "@sitetree/sitetree";

const [homepage, count = "10"] = Deno.args;
if (homepage === undefined) throw new TypeError("Usage: HOMEPAGE [COUNT]");

/** Returns the date of the page, or that of its story in feeds and news sitemaps. */
function timeOf(page: SitemapPage): number {
  return page.lastModifiedTime ?? page.newsStory?.publishTime ?? -Infinity;
}

const newest: SitemapPage[] = [];
for await (const page of pages(homepage)) {
  const place = newest.findIndex((other) => timeOf(other) < timeOf(page));
  newest.splice(place < 0 ? newest.length : place, 0, page);
  newest.length = Math.min(newest.length, Number(count));
}

for (const page of newest) {
  const time = timeOf(page);
  const date = time === -Infinity ? "no date   " : new Date(time).toISOString().slice(0, 10);
  console.log(`${date}  ${page.url}`);
}
