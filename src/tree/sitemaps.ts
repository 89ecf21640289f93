/**
 * The tree: one class for each kind of sitemap, all with the same face.
 *
 * @module
 */

import type { InvalidCode } from "../data/codes.ts";
import type { SitemapType } from "../data/events.ts";
import { inspectAs, shownItems } from "../data/inspect.ts";
import type { SitemapPage, SitemapPageFields } from "../data/page.ts";
import { NO_PAGES, type PageList } from "./page_list.ts";

/** A node of the tree, of any kind; `type` tells which. */
export type Sitemap =
  | IndexWebsiteSitemap
  | IndexRobotsTxtSitemap
  | IndexXmlSitemap
  | PagesXmlSitemap
  | PagesTextSitemap
  | PagesRssSitemap
  | PagesAtomSitemap
  | InvalidSitemap;

/** What a node of the tree is made of. */
export interface SitemapFields {
  /** Where the document came from, after redirects; for an invalid one, the address asked for. */
  readonly url: string;
  /** The address asked for, if redirects led elsewhere. Default: none. */
  readonly requestedUrl?: string;
  /** When it was last modified according to its index, in ISO 8601. Default: none. */
  readonly lastModified?: string;
  /** The pages that it lists itself. Default: none. */
  readonly pages?: PageList;
  /** The sitemaps that it lists. Default: none. */
  readonly subSitemaps?: readonly Sitemap[];
  /** What is disposed of with the node. Default: nothing. */
  readonly store?: Disposable;
}

/** What an {@linkcode InvalidSitemap} is made of. */
export interface InvalidSitemapFields extends SitemapFields {
  /** Why it is unusable, for programs. */
  readonly code: InvalidCode;
  /** Why it is unusable, for people. */
  readonly reason: string;
}

/** What `toJSON()` of a node writes. */
export interface SitemapJson {
  /** The kind of sitemap. */
  readonly type: SitemapType;
  /** Where the document came from. */
  readonly url: string;
  /** The address asked for, if redirects led elsewhere. */
  readonly requestedUrl?: string;
  /** When it was last modified according to its index. */
  readonly lastModified?: string;
  /** Why an invalid one is unusable, for programs. */
  readonly code?: InvalidCode;
  /** Why an invalid one is unusable, for people. */
  readonly reason?: string;
  /** The pages that it lists itself, unless they were left out. */
  readonly pages?: readonly SitemapPageFields[];
  /** The sitemaps that it lists. */
  readonly subSitemaps: readonly SitemapJson[];
}

/** Settings of `toJSON()`. */
export interface SitemapJsonOptions {
  /** Whether pages are written. Default: true. */
  readonly pages?: boolean;
}

const NO_SITEMAPS: readonly Sitemap[] = Object.freeze([]);

/**
 * What all nodes of the tree have in common.
 *
 * Pages may be made anew each time they are asked for: compare trees by `toJSON()`.
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
  /** The kind of sitemap, by the name of its class. */
  abstract readonly type: SitemapType;
  /** Where the document came from, after redirects; for an invalid one, the address asked for. */
  readonly url: string;
  /** The address asked for, if redirects led elsewhere. */
  declare readonly requestedUrl?: string;
  /** When it was last modified according to its index, in ISO 8601. */
  declare readonly lastModified?: string;
  /** The pages that it lists itself, those of its sub-sitemaps not. */
  readonly pages: PageList;
  /** The sitemaps that it lists, in the order of the document. */
  readonly subSitemaps: readonly Sitemap[];
  readonly #store: Disposable | undefined;

  static {
    inspectAs<AbstractSitemap>(this, (sitemap) => sitemap.type, describeSitemap);
  }

  /** Makes a node of its fields. */
  constructor(fields: SitemapFields) {
    this.url = fields.url;
    if (fields.requestedUrl !== undefined) this.requestedUrl = fields.requestedUrl;
    if (fields.lastModified !== undefined) this.lastModified = fields.lastModified;
    this.pages = fields.pages ?? NO_PAGES;
    this.subSitemaps = fields.subSitemaps ?? NO_SITEMAPS;
    this.#store = fields.store;
  }

  /** All pages of the node and of what is below it, depth first. */
  *allPages(): Generator<SitemapPage, void, undefined> {
    yield* this.pages;
    for (const sitemap of this.allSitemaps()) yield* sitemap.pages;
  }

  /** All sitemaps below the node, depth first, each before what is below it. */
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
   * The node and all below it as plain data, which `sitemapFromJson()` loads.
   *
   * @param options What to write; a string, as `JSON.stringify()` gives it, counts as none.
   */
  toJSON(options: SitemapJsonOptions | string = {}): SitemapJson {
    const withPages = typeof options === "string" || options.pages !== false;
    const top: SitemapJson[] = [];
    const waiting: [AbstractSitemap, SitemapJson[]][] = [[this, top]];
    // The list grows while it is gone through, level by level, so depth costs no stack.
    for (const [sitemap, siblings] of waiting) {
      const subSitemaps: SitemapJson[] = [];
      siblings.push(nodeToJson(sitemap, subSitemaps, withPages));
      for (const child of sitemap.subSitemaps) waiting.push([child, subSitemaps]);
    }
    return top[0]!;
  }

  /**
   * Lets go of the pages: the file of a store on disk is removed. Only the root of a tree has
   * something to let go of; afterwards its pages cannot be read.
   */
  [Symbol.dispose](): void {
    this.#store?.[Symbol.dispose]();
  }

  /** The same as `Symbol.dispose`, for `await using`. */
  async [Symbol.asyncDispose](): Promise<void> {
    await this[Symbol.dispose]();
  }
}

/** Items of a list that `console.log()` shows. */
const MAX_SHOWN_PAGES = 3;
const MAX_SHOWN_SITEMAPS = 10;

/** The fields of a node as `console.log()` shows them: the first items of long lists, and counts. */
function describeSitemap(sitemap: AbstractSitemap): object {
  const { type: _type, pages, subSitemaps, ...rest } = sitemap;
  if (sitemap.type === "InvalidSitemap") return rest;
  if (subSitemaps.length === 0) return { ...rest, pages: shownPages(pages) };
  let count = pages.length;
  for (const below of sitemap.allSitemaps()) count += below.pages.length;
  const shown = shownItems(subSitemaps, subSitemaps.length, MAX_SHOWN_SITEMAPS);
  return { ...rest, subSitemaps: shown, pages: count };
}

/** The first pages of a list; the number of pages if they can no longer be read. */
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
 * A web site: the root of a tree, over robots.txt and what was found by known paths.
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
  /** The kind of sitemap. */
  readonly type = "IndexWebsiteSitemap";
}

/**
 * A robots.txt, by its `Sitemap:` lines.
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
  /** The kind of sitemap. */
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
  /** The kind of sitemap. */
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
  /** The kind of sitemap. */
  readonly type = "PagesXmlSitemap";
}

/**
 * A plain text with a page a line.
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
  /** The kind of sitemap. */
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
  /** The kind of sitemap. */
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
  /** The kind of sitemap. */
  readonly type = "PagesAtomSitemap";
}

/**
 * A sitemap that was declared and is unusable.
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
  /** The kind of sitemap. */
  readonly type = "InvalidSitemap";
  /** Why it is unusable, for programs. */
  readonly code: InvalidCode;
  /** Why it is unusable, for people. */
  readonly reason: string;

  /** Makes a node of its fields. */
  constructor(fields: InvalidSitemapFields) {
    super(fields);
    this.code = fields.code;
    this.reason = fields.reason;
  }
}
