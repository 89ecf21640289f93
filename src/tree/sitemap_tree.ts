/**
 * Whole trees in one call, by USP's names.
 *
 * @module
 */

import { collect, type CollectOptions, foldTree } from "./collect.ts";
import type { IndexWebsiteSitemap, Sitemap } from "./sitemaps.ts";
import type { WalkOptions } from "../walk/options.ts";
import { type ParseOptions, parseSitemap } from "../walk/parse_sitemap.ts";
import { walk } from "../walk/walk.ts";

/**
 * Walks a web site and collects the whole tree: `collect(walk(homepageUrl, options))`.
 *
 * @param homepageUrl any http(s) URL of the site
 * @param options how to walk
 * @throws {TypeError} where the homepage is not an http(s) URL
 * @throws {RangeError} where an option is out of range
 *
 * @example
 * ```ts
 * import { sitemapTreeForHomepage } from "@sitetree/sitetree";
 * import { assertEquals } from "@std/assert";
 *
 * const fetch = (url: string) =>
 *   Promise.resolve(
 *     url.endsWith("/sitemap.xml")
 *       ? new Response("<urlset><url><loc>https://example.com/a</loc></url></urlset>")
 *       : new Response(null, { status: 404 }),
 *   );
 *
 * const tree = await sitemapTreeForHomepage("https://example.com/", { fetch });
 * assertEquals([...tree.allPages()].map((page) => page.url), ["https://example.com/a"]);
 * ```
 */
export function sitemapTreeForHomepage(
  homepageUrl: string | URL,
  options: WalkOptions & CollectOptions = {},
): Promise<IndexWebsiteSitemap> {
  const { store, ...walkOptions } = options;
  return collect(walk(homepageUrl, walkOptions), store === undefined ? {} : { store });
}

/**
 * Reads a sitemap from a string. The children of an index are `InvalidSitemap` with code
 * `unfetched`.
 *
 * @param content XML or text; encodings declared in it do not matter
 * @param options where it came from, and its ceilings
 * @throws {RangeError} where an option is out of range
 *
 * @example
 * ```ts
 * import { sitemapFromString } from "@sitetree/sitetree";
 * import { assertEquals } from "@std/assert";
 *
 * const sitemap = await sitemapFromString("https://example.com/a\nhttps://example.com/b\n");
 * assertEquals(sitemap.type, "PagesTextSitemap");
 * assertEquals(sitemap.pages.length, 2);
 * ```
 */
export function sitemapFromString(content: string, options: ParseOptions = {}): Promise<Sitemap> {
  return foldTree(parseSitemap(content, options));
}
