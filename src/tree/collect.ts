/**
 * Folds the events of a walk into the tree.
 *
 * @module
 */

import { inBatches } from "../batches.ts";
import type { TreeEvent } from "../events.ts";
import { excerpt } from "../excerpt.ts";
import { memoryStore } from "../store/memory_store.ts";
import type { PageStore } from "../store/page_store.ts";
import { IndexWebsiteSitemap, type Sitemap } from "./sitemaps.ts";
import { TreeBuilder } from "./tree_builder.ts";

/** Settings of {@linkcode collect}. */
export interface CollectOptions {
  /**
   * Where the pages are kept: a new store, such as `diskStore()` makes. The tree disposes of it.
   * Default: compactly, in memory.
   */
  readonly store?: PageStore;
}

/**
 * Folds the events of a walk into the tree of the web site: live ones, ones that went through JSON,
 * or some of them, such as all but the pages. The order of their arrival does not matter.
 *
 * Pages are kept encoded, in a few dozen bytes each, and made when they are asked for.
 *
 * @param events The events of one walk.
 * @param options Where pages are kept.
 * @returns The web site, with all that was found below it.
 * @throws {TypeError} If the events have no web site as their root, as those of `parseSitemap()`
 * have none, or are not those of one walk.
 *
 * @example
 * ```ts
 * import { collect, SitemapPage, type TreeEvent } from "@sitetree/sitetree";
 * import { assertEquals } from "@std/assert";
 *
 * const site = {
 *   id: 0,
 *   type: "IndexWebsiteSitemap",
 *   url: "https://example.com/",
 *   level: -1,
 *   parent: null,
 *   index: 0,
 * } as const;
 * const list = {
 *   id: 1,
 *   type: "PagesXmlSitemap",
 *   url: "https://example.com/sitemap.xml",
 *   level: 0,
 *   parent: 0,
 *   index: 0,
 * } as const;
 * const events: TreeEvent[] = [
 *   { type: "sitemap-entered", sitemap: site },
 *   { type: "sitemap-entered", sitemap: list },
 *   { type: "page", page: new SitemapPage({ url: "https://example.com/a" }), sitemap: list },
 * ];
 *
 * const tree = await collect(events);
 * assertEquals(tree.subSitemaps[0]?.pages.at(0)?.url, "https://example.com/a");
 *
 * const replayed = await collect(JSON.parse(JSON.stringify(events)));
 * assertEquals(replayed.toJSON(), tree.toJSON());
 * ```
 */
export async function collect(
  events: AsyncIterable<TreeEvent> | Iterable<TreeEvent>,
  options: CollectOptions = {},
): Promise<IndexWebsiteSitemap> {
  const root = await foldTree(events, options);
  if (root instanceof IndexWebsiteSitemap) return root;
  root[Symbol.dispose]();
  throw new TypeError(`Cannot collect events: their root "${excerpt(root.url)}" is no web site`);
}

/**
 * Folds the events of a walk or of one document into a tree with whatever root they have.
 *
 * @param events The events of one walk or document.
 * @param options Where pages are kept.
 * @returns The root.
 * @throws {TypeError} If the events have no root, or are not those of one walk.
 */
export async function foldTree(
  events: AsyncIterable<TreeEvent> | Iterable<TreeEvent>,
  options: CollectOptions = {},
): Promise<Sitemap> {
  const store = options.store ?? memoryStore();
  try {
    const builder = new TreeBuilder(store);
    for await (const batch of inBatches(events)) {
      for (const event of batch) builder.add(event);
    }
    return builder.finish();
  } catch (error) {
    store[Symbol.dispose]();
    throw error;
  }
}
