/**
 * Whole trees in one call, named as in USP.
 *
 * @module
 */

import { checkNames } from "../data/option_rules.ts";
import { collect, COLLECT_OPTIONS, type CollectOptions, foldTree } from "./collect.ts";
import type { IndexWebsiteSitemap, Sitemap } from "./sitemaps.ts";
import { WALK_RULES, type WalkOptions } from "../walk/options.ts";
import { type ParseOptions, parseSitemap } from "../walk/parse_sitemap.ts";
import { walk } from "../walk/walk.ts";

/**
 * Walks a website and collects the whole tree: `collect(walk(homepageUrl, options))`. A site that could
 * not be read does not throw: its `verdict` is `blocked`.
 *
 * @param homepageUrl An http(s) URL of the site.
 * @param options Options of the walk, and storage for the pages.
 * @returns The website with everything below it.
 * @throws {TypeError} If the homepage is not an http(s) URL, or an option is unknown or invalid.
 * @throws {RangeError} If an option is out of range.
 * @throws {Deno.errors.NotCapable} Without permission to contact the host.
 *
 * @example
 * ```ts ignore
 * import { sitemapTreeForHomepage } from "@sitetree/sitetree";
 *
 * const tree = await sitemapTreeForHomepage("https://example.com/");
 * for (const sitemap of tree.allSitemaps()) console.log(sitemap.url, sitemap.pages.length);
 * ```
 */
export async function sitemapTreeForHomepage(
  homepageUrl: string | URL,
  options: WalkOptions & CollectOptions = {},
): Promise<IndexWebsiteSitemap> {
  checkNames({ ...COLLECT_OPTIONS, ...WALK_RULES }, options);
  const { onDisk = false, ...walkOptions } = options;
  return await collect(walk(homepageUrl, walkOptions), { onDisk });
}

/**
 * Parses a sitemap from a string. Children of an index become `InvalidSitemap` nodes with the code
 * `unfetched`.
 *
 * @param content XML or text; a declared encoding is ignored.
 * @param options URL and limits of the document.
 * @returns The sitemap.
 * @throws {TypeError} If an option is unknown or invalid.
 * @throws {RangeError} If an option is out of range.
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
