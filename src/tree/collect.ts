/**
 * Makes nodes of the tree by the names of their classes.
 *
 * @module
 */

import { inBatches } from "../data/batches.ts";
import type { InvalidEvent, SitemapRef, SitemapType, TreeEvent } from "../data/events.ts";
import { type Fault, faultError, revivePage, within } from "../data/page_json.ts";
import { excerpt } from "../data/text.ts";
import { memoryStore, type PageStore, PageWriter, type StoredPages } from "./page_list.ts";
import {
  IndexRobotsTxtSitemap,
  IndexWebsiteSitemap,
  IndexXmlSitemap,
  InvalidSitemap,
  PagesAtomSitemap,
  PagesRssSitemap,
  PagesTextSitemap,
  PagesXmlSitemap,
  type Sitemap,
  type SitemapFields,
} from "./sitemaps.ts";

/** The kinds of sitemap that could be read. */
export type ReadableType = Exclude<SitemapType, "InvalidSitemap">;

const CLASSES: Readonly<Record<ReadableType, new (fields: SitemapFields) => Sitemap>> = {
  IndexWebsiteSitemap,
  IndexRobotsTxtSitemap,
  IndexXmlSitemap,
  PagesXmlSitemap,
  PagesTextSitemap,
  PagesRssSitemap,
  PagesAtomSitemap,
};

/** Whether a value, perhaps from another version's JSON, names a kind that could be read. */
export function isReadableType(type: unknown): type is ReadableType {
  return typeof type === "string" && Object.hasOwn(CLASSES, type);
}

/** A new node of the given kind. */
export function createSitemap(type: ReadableType, fields: SitemapFields): Sitemap {
  return new CLASSES[type](fields);
}

// MERGED: Builds a tree of events that come in any order.

/** What is known of a node while events come. */
interface Draft {
  readonly ref: SitemapRef;
  /** Present once there are pages. */
  pages?: StoredPages;
  /** Present where the node is invalid. */
  invalid?: InvalidEvent;
  /** Present once the children are known. */
  children?: Draft[];
}

/** Builds a tree of events that come in any order; the children of a node stand by `index`. */
export class TreeBuilder {
  readonly #store: PageStore;
  readonly #writer: PageWriter;
  readonly #drafts = new Map<number, Draft>();
  /** The draft of the last event: the next one is mostly of the same sitemap. */
  #last: Draft | undefined;

  /** Pages go into `store`, which the root will dispose of. */
  constructor(store: PageStore) {
    this.#store = store;
    this.#writer = new PageWriter(store);
  }

  /** Takes in an event. Kinds that say nothing about the tree are passed over. */
  add(event: TreeEvent): void {
    switch (event.type) {
      case "page": {
        const draft = this.#draftOf(event.sitemap);
        draft.pages ??= this.#writer.open();
        this.#writer.append(draft.pages, revivePage(event.page, pageError));
        break;
      }
      case "sitemap-entered":
      case "sitemap-left":
        this.#draftOf(event.sitemap);
        break;
      case "invalid":
        this.#draftOf(event.sitemap).invalid = event;
        break;
    }
  }

  /** The root, once all events are there. */
  finish(): Sitemap {
    this.#writer.flush();
    const root = this.#linkDrafts();
    const top: Sitemap[] = [];
    const waiting: [Draft, Sitemap[]][] = [[root, top]];
    // The list grows while it is gone through, level by level, so depth costs no stack.
    for (const [draft, siblings] of waiting) {
      const subSitemaps: Sitemap[] | undefined = draft.children && [];
      siblings.push(createNode(draft, subSitemaps, draft === root ? this.#store : undefined));
      for (const child of draft.children ?? []) waiting.push([child, subSitemaps!]);
    }
    if (waiting.length < this.#drafts.size) throw eventsError("some are of sitemaps in a circle");
    return top[0]!;
  }

  /** The draft of a sitemap, made with the first event of it whichever that is. */
  #draftOf(ref: SitemapRef): Draft {
    if (this.#last?.ref === ref) return this.#last;
    let draft = this.#drafts.get(ref.id);
    if (draft === undefined) {
      draft = { ref };
      this.#drafts.set(ref.id, draft);
    } else if (draft.ref.url !== ref.url || draft.ref.type !== ref.type) {
      throw eventsError(`sitemap ${ref.id} is both ${show(draft.ref)} and ${show(ref)}`);
    }
    return this.#last = draft;
  }

  /** Gives each draft its children, and returns the root. */
  #linkDrafts(): Draft {
    let root: Draft | undefined;
    const orphans: Draft[] = [];
    for (const draft of this.#drafts.values()) {
      const { parent } = draft.ref;
      if (parent === null) {
        if (root) throw eventsError(`both ${show(root.ref)} and ${show(draft.ref)} are roots`);
        root = draft;
      } else {
        (this.#childrenOf(parent) ?? orphans).push(draft);
      }
    }
    if (root === undefined) throw eventsError("none is of a root");
    for (const { children } of this.#drafts.values()) {
      children?.sort((a, b) => a.ref.index - b.ref.index);
    }
    // The events of their parents were filtered out: better here than nowhere.
    if (orphans.length > 0) root.children = [...root.children ?? [], ...orphans];
    return root;
  }

  /** The children of a sitemap so far, `undefined` where no event told of it. */
  #childrenOf(id: number): Draft[] | undefined {
    const draft = this.#drafts.get(id);
    return draft && (draft.children ??= []);
  }
}

function createNode(
  { ref, pages, invalid }: Draft,
  subSitemaps: Sitemap[] | undefined,
  store: PageStore | undefined,
): Sitemap {
  const { url, requestedUrl, lastModified } = ref;
  const fields = {
    url,
    ...(requestedUrl !== undefined && { requestedUrl }),
    ...(lastModified !== undefined && { lastModified }),
    ...(pages && { pages }),
    ...(subSitemaps && { subSitemaps }),
    ...(store && { store }),
  };
  if (invalid) {
    return new InvalidSitemap({ ...fields, code: invalid.code, reason: invalid.reason });
  }
  if (isReadableType(ref.type)) return createSitemap(ref.type, fields);
  throw eventsError(`${show(ref)} is of no kind that can be read`);
}

function show(ref: SitemapRef): string {
  return `${excerpt(String(ref.type))} "${excerpt(String(ref.url))}"`;
}

function eventsError(why: string): TypeError {
  return new TypeError(`Cannot collect events: ${why}`);
}

function pageError(fault: Fault): TypeError {
  return faultError("Cannot collect events", within("page", fault));
}

// MERGED: Folds the events of a walk into the tree.

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
