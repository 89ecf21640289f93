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
import process from "node:process";

const [homepage, count = "10"] = process.argv.slice(2);
if (homepage === undefined) throw new TypeError("Usage: HOMEPAGE [COUNT]");

/** Returns the date of the page, or that of its story in feeds and news sitemaps. */
function dateOf(page: SitemapPage): string {
  return page.lastModified ?? page.newsStory?.publishDate ?? "";
}

const newest: SitemapPage[] = [];
for await (const page of pages(homepage)) {
  const place = newest.findIndex((other) => dateOf(other) < dateOf(page));
  newest.splice(place < 0 ? newest.length : place, 0, page);
  newest.length = Math.min(newest.length, Number(count));
}

for (const page of newest) {
  const day = dateOf(page).slice(0, 10) || "no date";
  console.log(`${day.padEnd(10)}  ${page.url}`);
}
