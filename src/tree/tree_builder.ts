/**
 * Builds a tree of events that come in any order.
 *
 * @module
 */

import type { InvalidEvent, SitemapRef, TreeEvent } from "../events.ts";
import { excerpt } from "../excerpt.ts";
import { type Fault, faultError, within } from "../fault.ts";
import { revivePage } from "../revive_page.ts";
import type { StoredPages } from "../store/page_list.ts";
import type { PageStore } from "../store/page_store.ts";
import { PageWriter } from "../store/page_writer.ts";
import { createSitemap, isReadableType } from "./create_sitemap.ts";
import { InvalidSitemap, type Sitemap } from "./sitemaps.ts";

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
