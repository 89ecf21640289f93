/**
 * Nodes of the tree: one class for each kind of sitemap, with one interface.
 *
 * @module
 */

import type { InvalidCode } from "../data/codes.ts";
import type { SitemapType } from "../data/events.ts";
import { inspectAs, shownItems } from "../data/inspect.ts";
import type { SitemapPage } from "../data/page.ts";
import type { SitemapPageFields } from "../data/page_schema.ts";
import { NO_PAGES, type PageList } from "./page_list.ts";

/** Node of the tree, discriminated by `type`. */
export type Sitemap =
  | IndexWebsiteSitemap
  | IndexRobotsTxtSitemap
  | IndexXmlSitemap
  | PagesXmlSitemap
  | PagesTextSitemap
  | PagesRssSitemap
  | PagesAtomSitemap
  | InvalidSitemap;

/** Fields of a node of the tree. */
export interface SitemapFields {
  /** Final URL after redirects; the requested URL of an invalid sitemap. */
  readonly url: string;
  /** Requested URL if it differs from `url`. Default: none. */
  readonly requestedUrl?: string;
  /** Last modification that its index declares, in ISO 8601. Default: none. */
  readonly lastModified?: string;
  /** Pages that the sitemap itself lists. Default: none. */
  readonly pages?: PageList;
  /** Sitemaps that the sitemap lists. Default: none. */
  readonly subSitemaps?: readonly Sitemap[];
  /** Resource to dispose of with the node. Default: none. */
  readonly store?: Disposable;
}

/** Fields of an {@linkcode InvalidSitemap}. */
export interface InvalidSitemapFields extends SitemapFields {
  /** Reason, as a stable code. */
  readonly code: InvalidCode;
  /** Reason, as a message. */
  readonly reason: string;
}

/** JSON form of a node, from `toJSON()`. */
export interface SitemapJson {
  /** Kind of sitemap. */
  readonly type: SitemapType;
  /** Final URL after redirects. */
  readonly url: string;
  /** Requested URL if it differs from `url`. */
  readonly requestedUrl?: string;
  /** Last modification that its index declares. */
  readonly lastModified?: string;
  /** Reason why the sitemap is invalid, as a stable code. */
  readonly code?: InvalidCode;
  /** Reason why the sitemap is invalid, as a message. */
  readonly reason?: string;
  /** Pages that the sitemap itself lists, unless `pages: false`. */
  readonly pages?: readonly SitemapPageFields[];
  /** Sitemaps that the sitemap lists. */
  readonly subSitemaps: readonly SitemapJson[];
}

/** Options of `toJSON()`. */
export interface SitemapJsonOptions {
  /** Whether to include pages. Default: true. */
  readonly pages?: boolean;
}

const NO_SITEMAPS: readonly Sitemap[] = Object.freeze([]);

/**
 * Base class of all nodes of the tree.
 *
 * Pages may be decoded on each access: compare trees by `toJSON()`, not pages by identity.
 *
 * @example
 * ```ts
 * import { AbstractSitemap, PagesTextSitemap, SitemapPage } from "@sitetree/sitetree";
 * import { assertEquals } from "@std/assert";
 *
 * function addresses(sitemap: AbstractSitemap): string[] {
 *   return Array.from(sitemap.allPages(), (page) => page.url);
 * }
 *
 * const pages = [new SitemapPage({ url: "https://example.com/a" })];
 * const sitemap = new PagesTextSitemap({ url: "https://example.com/sitemap.txt", pages });
 * assertEquals(addresses(sitemap), ["https://example.com/a"]);
 * ```
 */
export abstract class AbstractSitemap implements Disposable, AsyncDisposable {
  /** Kind of sitemap, the name of its class. */
  abstract readonly type: SitemapType;
  /** Final URL after redirects; the requested URL of an invalid sitemap. */
  readonly url: string;
  /** Requested URL if it differs from `url`. */
  declare readonly requestedUrl?: string;
  /** Last modification that its index declares, in ISO 8601. */
  declare readonly lastModified?: string;
  /** Pages that the sitemap itself lists, without those of its sub-sitemaps. */
  readonly pages: PageList;
  /** Sitemaps that the sitemap lists, in document order. */
  readonly subSitemaps: readonly Sitemap[];
  readonly #store: Disposable | undefined;

  static {
    inspectAs<AbstractSitemap>(this, (sitemap) => sitemap.type, describeSitemap);
  }

  /** Creates a node from its fields. */
  constructor(fields: SitemapFields) {
    this.url = fields.url;
    if (fields.requestedUrl !== undefined) this.requestedUrl = fields.requestedUrl;
    if (fields.lastModified !== undefined) this.lastModified = fields.lastModified;
    this.pages = fields.pages ?? NO_PAGES;
    this.subSitemaps = fields.subSitemaps ?? NO_SITEMAPS;
    this.#store = fields.store;
  }

  /** Yields all pages of the node and of the sitemaps below it, depth first. */
  *allPages(): Generator<SitemapPage, void, undefined> {
    yield* this.pages;
    for (const sitemap of this.allSitemaps()) yield* sitemap.pages;
  }

  /** Yields all sitemaps below the node, depth first, parents before children. */
  *allSitemaps(): Generator<Sitemap, void, undefined> {
    const path = [this.subSitemaps.values()];
    for (let level = path.at(-1); level !== undefined; level = path.at(-1)) {
      const { value, done } = level.next();
      if (done) {
        path.pop();
      } else {
        yield value;
        path.push(value.subSitemaps.values());
      }
    }
  }

  /**
   * Returns the subtree as plain data, which `sitemapFromJson()` loads.
   *
   * @param options What to include; the key that `JSON.stringify()` passes is ignored.
   */
  toJSON(options: SitemapJsonOptions | string = {}): SitemapJson {
    const withPages = typeof options === "string" || options.pages !== false;
    const top: SitemapJson[] = [];
    const waiting: [AbstractSitemap, SitemapJson[]][] = [[this, top]];
    // Breadth first over a growing list: a deep tree takes no stack.
    for (const [sitemap, siblings] of waiting) {
      const subSitemaps: SitemapJson[] = [];
      siblings.push(nodeToJson(sitemap, subSitemaps, withPages));
      for (const child of sitemap.subSitemaps) waiting.push([child, subSitemaps]);
    }
    return top[0]!;
  }

  /**
   * Disposes of the store of a root: a file on disk is removed, and the pages of the tree become
   * unreadable. Other nodes have nothing to dispose of.
   */
  [Symbol.dispose](): void {
    this.#store?.[Symbol.dispose]();
  }

  /** Same as `Symbol.dispose`, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this[Symbol.dispose]();
  }
}

/** Most items that `console.log()` shows of a list. */
const MAX_SHOWN_PAGES = 3;
const MAX_SHOWN_SITEMAPS = 10;

/** Returns the fields that `console.log()` shows: the first items of long lists, and counts. */
function describeSitemap(sitemap: AbstractSitemap): object {
  const { type: _type, pages, subSitemaps, ...rest } = sitemap;
  if (sitemap.type === "InvalidSitemap") return rest;
  if (subSitemaps.length === 0) return { ...rest, pages: shownPages(pages) };
  let count = pages.length;
  for (const below of sitemap.allSitemaps()) count += below.pages.length;
  const shown = shownItems(subSitemaps, subSitemaps.length, MAX_SHOWN_SITEMAPS);
  return { ...rest, subSitemaps: shown, pages: count };
}

/** Returns the first pages of a list, or their number once their store is disposed of. */
function shownPages(pages: PageList): object[] | number {
  try {
    return shownItems(pages, pages.length, MAX_SHOWN_PAGES);
  } catch {
    return pages.length;
  }
}

function nodeToJson(
  sitemap: AbstractSitemap,
  subSitemaps: SitemapJson[],
  withPages: boolean,
): SitemapJson {
  const { type, url, requestedUrl, lastModified } = sitemap;
  return {
    type,
    url,
    ...(requestedUrl === undefined ? {} : { requestedUrl }),
    ...(lastModified === undefined ? {} : { lastModified }),
    ...(sitemap instanceof InvalidSitemap ? { code: sitemap.code, reason: sitemap.reason } : {}),
    ...(withPages ? { pages: Array.from(sitemap.pages, (page) => page.toJSON()) } : {}),
    subSitemaps,
  };
}

/**
 * A website: the root of a tree, above robots.txt and the sitemaps at known paths.
 *
 * @example
 * ```ts
 * import { IndexWebsiteSitemap, PagesTextSitemap } from "@sitetree/sitetree";
 * import { assertEquals } from "@std/assert";
 *
 * const list = new PagesTextSitemap({ url: "https://example.com/sitemap.txt" });
 * const tree = new IndexWebsiteSitemap({ url: "https://example.com/", subSitemaps: [list] });
 * assertEquals([...tree.allSitemaps()], [list]);
 * ```
 */
export class IndexWebsiteSitemap extends AbstractSitemap {
  /** Kind of sitemap. */
  readonly type = "IndexWebsiteSitemap";
}

/**
 * A robots.txt with its `Sitemap:` lines.
 *
 * @example
 * ```ts
 * import { IndexRobotsTxtSitemap } from "@sitetree/sitetree";
 * import { assertEquals } from "@std/assert";
 *
 * const robots = new IndexRobotsTxtSitemap({ url: "https://example.com/robots.txt" });
 * assertEquals(robots.subSitemaps.length, 0);
 * ```
 */
export class IndexRobotsTxtSitemap extends AbstractSitemap {
  /** Kind of sitemap. */
  readonly type = "IndexRobotsTxtSitemap";
}

/**
 * An XML `sitemapindex`.
 *
 * @example
 * ```ts
 * import { IndexXmlSitemap, PagesXmlSitemap } from "@sitetree/sitetree";
 * import { assertEquals } from "@std/assert";
 *
 * const news = new PagesXmlSitemap({ url: "https://example.com/news.xml" });
 * const index = new IndexXmlSitemap({ url: "https://example.com/index.xml", subSitemaps: [news] });
 * assertEquals(index.subSitemaps[0]?.url, "https://example.com/news.xml");
 * ```
 */
export class IndexXmlSitemap extends AbstractSitemap {
  /** Kind of sitemap. */
  readonly type = "IndexXmlSitemap";
}

/**
 * An XML `urlset`.
 *
 * @example
 * ```ts
 * import { PagesXmlSitemap, SitemapPage } from "@sitetree/sitetree";
 * import { assertEquals } from "@std/assert";
 *
 * const home = new SitemapPage({ url: "https://example.com/" });
 * const sitemap = new PagesXmlSitemap({ url: "https://example.com/sitemap.xml", pages: [home] });
 * assertEquals(sitemap.pages.length, 1);
 * assertEquals(sitemap.pages.at(-1)?.url, "https://example.com/");
 * ```
 */
export class PagesXmlSitemap extends AbstractSitemap {
  /** Kind of sitemap. */
  readonly type = "PagesXmlSitemap";
}

/**
 * A text sitemap: one URL per line.
 *
 * @example
 * ```ts
 * import { PagesTextSitemap } from "@sitetree/sitetree";
 * import { assertEquals } from "@std/assert";
 *
 * const sitemap = new PagesTextSitemap({ url: "https://example.com/sitemap.txt" });
 * assertEquals(sitemap.type, "PagesTextSitemap");
 * ```
 */
export class PagesTextSitemap extends AbstractSitemap {
  /** Kind of sitemap. */
  readonly type = "PagesTextSitemap";
}

/**
 * An RSS feed.
 *
 * @example
 * ```ts
 * import { PagesRssSitemap } from "@sitetree/sitetree";
 * import { assertEquals } from "@std/assert";
 *
 * const feed = new PagesRssSitemap({ url: "https://example.com/feed.rss" });
 * assertEquals([...feed.allPages()], []);
 * ```
 */
export class PagesRssSitemap extends AbstractSitemap {
  /** Kind of sitemap. */
  readonly type = "PagesRssSitemap";
}

/**
 * An Atom feed.
 *
 * @example
 * ```ts
 * import { PagesAtomSitemap } from "@sitetree/sitetree";
 * import { assertEquals } from "@std/assert";
 *
 * const feed = new PagesAtomSitemap({ url: "https://example.com/feed.atom" });
 * assertEquals(feed.toJSON({ pages: false }), {
 *   type: "PagesAtomSitemap",
 *   url: "https://example.com/feed.atom",
 *   subSitemaps: [],
 * });
 * ```
 */
export class PagesAtomSitemap extends AbstractSitemap {
  /** Kind of sitemap. */
  readonly type = "PagesAtomSitemap";
}

/**
 * A declared sitemap that cannot be fetched or read.
 *
 * @example
 * ```ts
 * import { InvalidSitemap, type Sitemap } from "@sitetree/sitetree";
 * import { assertEquals } from "@std/assert";
 *
 * const sitemap: Sitemap = new InvalidSitemap({
 *   url: "https://example.com/gone.xml",
 *   code: "http-status",
 *   reason: "404 Not Found",
 * });
 * if (sitemap.type === "InvalidSitemap") assertEquals(sitemap.code, "http-status");
 * ```
 */
export class InvalidSitemap extends AbstractSitemap {
  /** Kind of sitemap. */
  readonly type = "InvalidSitemap";
  /** Reason, as a stable code. */
  readonly code: InvalidCode;
  /** Reason, as a message. */
  readonly reason: string;

  /** Creates a node from its fields. */
  constructor(fields: InvalidSitemapFields) {
    super(fields);
    this.code = fields.code;
    this.reason = fields.reason;
  }
}

/** Kinds of sitemap that were read. */
type ReadableType = Exclude<SitemapType, "InvalidSitemap">;

const CLASSES: Readonly<Record<ReadableType, new (fields: SitemapFields) => Sitemap>> = {
  IndexWebsiteSitemap,
  IndexRobotsTxtSitemap,
  IndexXmlSitemap,
  PagesXmlSitemap,
  PagesTextSitemap,
  PagesRssSitemap,
  PagesAtomSitemap,
};

/** Creates a node by the name of its class; undefined for names of other versions. */
export function createSitemap(type: unknown, fields: SitemapFields): Sitemap | undefined {
  return typeof type === "string" && Object.hasOwn(CLASSES, type)
    ? new CLASSES[type as ReadableType](fields)
    : undefined;
}
