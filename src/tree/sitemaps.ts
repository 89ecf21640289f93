import type { InvalidCode } from "../data/codes.ts";
import type {
  SitemapLeftEvent,
  SitemapRef,
  SitemapType,
  Verdict,
  WalkStats,
} from "../data/events.ts";
import { checkNames } from "../data/option_rules.ts";
import type { SitemapPage } from "../data/page.ts";
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

/** Fields of a node of the tree, as {@linkcode AbstractSitemap} documents them. */
interface SitemapFields {
  readonly url: string;
  readonly requestedUrl?: string | undefined;
  readonly lastModified?: string | undefined;
  readonly foundBy?: SitemapRef["foundBy"] | undefined;
  readonly complete?: boolean | undefined;
  readonly warnings?: SitemapLeftEvent["warnings"] | undefined;
  readonly pages?: PageList | undefined;
  readonly subSitemaps?: readonly Sitemap[] | undefined;
  readonly verdict?: Verdict | undefined;
  readonly stats?: WalkStats | undefined;
  /** Disposed of with the node. */
  readonly store?: Disposable | undefined;
}

interface InvalidSitemapFields extends SitemapFields {
  readonly code: InvalidCode;
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
  /** How it was found, directly below a website. */
  readonly foundBy?: NonNullable<SitemapRef["foundBy"]>;
  /** Verdict on the walk; only of a website. */
  readonly verdict?: Verdict;
  /** Statistics of the walk; only of a website. */
  readonly stats?: WalkStats;
  /** Whether it was read to its end. */
  readonly complete: boolean;
  /** Number of warnings by code. */
  readonly warnings: SitemapLeftEvent["warnings"];
  /** Reason why the sitemap is invalid, as a stable code. */
  readonly code?: InvalidCode;
  /** Reason why the sitemap is invalid, as a message. */
  readonly reason?: string;
  /** Pages that the sitemap itself lists, unless `pages: false`. */
  readonly pages?: readonly SitemapPage[];
  /** Sitemaps that the sitemap lists. */
  readonly subSitemaps: readonly SitemapJson[];
}

const NO_SITEMAPS: readonly Sitemap[] = Object.freeze([]);
const NO_WARNINGS: SitemapLeftEvent["warnings"] = Object.freeze({});
const JSON_OPTIONS = { pages: true } as const;

/**
 * Base class of all nodes of the tree.
 *
 * Pages may be decoded on each access: compare trees by `toJSON()`, not pages by identity.
 *
 * @internal
 */
abstract class AbstractSitemap implements Disposable {
  /** Kind of sitemap, the name of its class. */
  abstract readonly type: SitemapType;
  /** Final URL after redirects; the requested URL of an invalid sitemap. */
  readonly url: string;
  /** Requested URL if it differs from `url`. */
  declare readonly requestedUrl?: string;
  /** Last modification that its index declares, in ISO 8601. */
  declare readonly lastModified?: string;
  /** How it was found, directly below a website. */
  declare readonly foundBy?: NonNullable<SitemapRef["foundBy"]>;
  /** Whether it was read to its end; false if that is unknown, and for an invalid sitemap. */
  readonly complete: boolean;
  /** Number of warnings by code. */
  readonly warnings: SitemapLeftEvent["warnings"];
  /**
   * Pages that the sitemap itself lists, in document order, without those of its sub-sitemaps. A
   * collected tree decodes a page on each access, so that millions of pages take little memory.
   */
  readonly pages: Iterable<SitemapPage> & Pick<readonly SitemapPage[], "length" | "at">;
  /** Sitemaps that the sitemap lists, in document order. */
  readonly subSitemaps: readonly Sitemap[];
  readonly #store: Disposable | undefined;

  constructor(fields: SitemapFields) {
    this.url = fields.url;
    if (fields.requestedUrl !== undefined) this.requestedUrl = fields.requestedUrl;
    if (fields.lastModified !== undefined) this.lastModified = fields.lastModified;
    if (fields.foundBy !== undefined) this.foundBy = fields.foundBy;
    this.complete = fields.complete ?? false;
    this.warnings = fields.warnings ?? NO_WARNINGS;
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
   * @param options Whether to include pages (default: true); the key that `JSON.stringify()` passes is
   * ignored.
   * @throws {TypeError} If an option is unknown.
   */
  toJSON(options: { readonly pages?: boolean } | string = {}): SitemapJson {
    if (typeof options !== "string") checkNames(JSON_OPTIONS, options);
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
   * Releases the pages of a tree: those in a file are removed, and all become unreadable. Only the root
   * has something to release.
   */
  close(): void {
    this.#store?.[Symbol.dispose]();
  }

  /** Same as `close()`, for `using`. */
  [Symbol.dispose](): void {
    this.close();
  }
}

function nodeToJson(
  sitemap: AbstractSitemap,
  subSitemaps: SitemapJson[],
  withPages: boolean,
): SitemapJson {
  const { type, url, requestedUrl, lastModified, foundBy, complete, warnings } = sitemap;
  const { verdict, stats } = sitemap as Partial<IndexWebsiteSitemap>;
  return {
    type,
    url,
    ...(requestedUrl === undefined ? {} : { requestedUrl }),
    ...(lastModified === undefined ? {} : { lastModified }),
    ...(foundBy === undefined ? {} : { foundBy }),
    ...(verdict === undefined ? {} : { verdict }),
    ...(stats === undefined ? {} : { stats }),
    complete,
    warnings,
    ...(sitemap instanceof InvalidSitemap ? { code: sitemap.code, reason: sitemap.reason } : {}),
    ...(withPages ? { pages: [...sitemap.pages] } : {}),
    subSitemaps,
  };
}

/** A website: the root of a tree, above robots.txt and the sitemaps at known paths. */
export class IndexWebsiteSitemap extends AbstractSitemap {
  /** Kind of sitemap. */
  readonly type = "IndexWebsiteSitemap";
  /** Verdict on the walk; absent if the events did not have its end. */
  declare readonly verdict?: Verdict;
  /** Statistics of the walk; absent if the events did not have its end. */
  declare readonly stats?: WalkStats;

  /** For `collect()` and `sitemapFromJson()`, which create all nodes. */
  constructor(fields: SitemapFields) {
    super(fields);
    if (fields.verdict !== undefined) this.verdict = fields.verdict;
    if (fields.stats !== undefined) this.stats = fields.stats;
  }
}

/** A robots.txt with its `Sitemap:` lines. */
export class IndexRobotsTxtSitemap extends AbstractSitemap {
  /** Kind of sitemap. */
  readonly type = "IndexRobotsTxtSitemap";
}

/** An XML `sitemapindex`. */
export class IndexXmlSitemap extends AbstractSitemap {
  /** Kind of sitemap. */
  readonly type = "IndexXmlSitemap";
}

/** An XML `urlset`. */
export class PagesXmlSitemap extends AbstractSitemap {
  /** Kind of sitemap. */
  readonly type = "PagesXmlSitemap";
}

/** A text sitemap: one URL per line. */
export class PagesTextSitemap extends AbstractSitemap {
  /** Kind of sitemap. */
  readonly type = "PagesTextSitemap";
}

/** An RSS feed. */
export class PagesRssSitemap extends AbstractSitemap {
  /** Kind of sitemap. */
  readonly type = "PagesRssSitemap";
}

/** An Atom feed. */
export class PagesAtomSitemap extends AbstractSitemap {
  /** Kind of sitemap. */
  readonly type = "PagesAtomSitemap";
}

/** A declared sitemap that cannot be fetched or read. */
export class InvalidSitemap extends AbstractSitemap {
  /** Kind of sitemap. */
  readonly type = "InvalidSitemap";
  /** Reason, as a stable code. */
  readonly code: InvalidCode;
  /** Reason, as a message. */
  readonly reason: string;

  /** For `collect()` and `sitemapFromJson()`, which create all nodes. */
  constructor(fields: InvalidSitemapFields) {
    super(fields);
    this.code = fields.code;
    this.reason = fields.reason;
  }
}

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

/** Returns `undefined` for names of other versions. */
export function createSitemap(type: unknown, fields: SitemapFields): Sitemap | undefined {
  return typeof type === "string" && Object.hasOwn(CLASSES, type)
    ? new CLASSES[type as ReadableType](fields)
    : undefined;
}
