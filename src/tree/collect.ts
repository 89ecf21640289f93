import { PageLog } from "../bytes/page_log.ts";
import { inBatches } from "../data/batches.ts";
import type { WarningCode } from "../data/codes.ts";
import type {
  FinishedEvent,
  InvalidEvent,
  SitemapLeftEvent,
  SitemapRef,
  TreeEvent,
} from "../data/events.ts";
import { checkNames } from "../data/option_rules.ts";
import { faultError, within } from "../data/checks.ts";
import { checkPage } from "../data/json_checks.ts";
import { excerpt } from "../data/text.ts";
import { EventQueue } from "../walk/event_stream.ts";
import { LoggedPages } from "./page_list.ts";
import { createSitemap, IndexWebsiteSitemap, InvalidSitemap, type Sitemap } from "./sitemaps.ts";

interface Draft {
  readonly ref: SitemapRef;
  pages?: LoggedPages;
  invalid?: InvalidEvent;
  left?: SitemapLeftEvent;
  children?: Draft[];
}

/** Builds a tree from events in any order; children are sorted by `index`. */
export class TreeBuilder {
  readonly #log: PageLog;
  readonly #isOwn: boolean;
  readonly #drafts = new Map<number, Draft>();
  /** Warnings that were sent, by id of the sitemap, until it is left with all counts. */
  readonly #warnings = new Map<number, Partial<Record<WarningCode, number>>>();
  #finished: FinishedEvent | undefined;
  /** Draft of the last event: the next event is mostly of the same sitemap. */
  #last: Draft | undefined;

  /** The root of the tree disposes of `log`. Pages of an own stream are not checked. */
  constructor(log: PageLog, isOwn: boolean) {
    this.#isOwn = isOwn;
    this.#log = log;
  }

  add(event: TreeEvent): void {
    switch (event.type) {
      case "page": {
        const draft = this.#draftOf(event.sitemap);
        const fault = this.#isOwn ? undefined : checkPage(event.page);
        if (fault !== undefined) throw faultError("Cannot collect events", within("page", fault));
        (draft.pages ??= new LoggedPages(this.#log)).append(event.page);
        break;
      }
      case "sitemap-entered":
        this.#draftOf(event.sitemap);
        break;
      case "sitemap-left":
        this.#draftOf(event.sitemap).left = event;
        this.#warnings.delete(event.sitemap.id);
        break;
      case "invalid":
        this.#draftOf(event.sitemap).invalid = event;
        break;
      case "warning": {
        const { sitemap: { id }, code } = event;
        const counts = this.#warnings.get(id) ?? {};
        counts[code] = (counts[code] ?? 0) + 1;
        this.#warnings.set(id, counts);
        break;
      }
      case "finished":
        this.#finished = event;
        break;
    }
  }

  finish(): Sitemap {
    this.#log.flush();
    const root = this.#linkDrafts();
    const top: Sitemap[] = [];
    const waiting: [Draft, Sitemap[]][] = [[root, top]];
    // Breadth first over a growing list: a deep tree takes no stack.
    for (const [draft, siblings] of waiting) {
      const subSitemaps: Sitemap[] | undefined = draft.children && [];
      siblings.push(this.#createNode(draft, subSitemaps, draft === root));
      for (const child of draft.children ?? []) waiting.push([child, subSitemaps!]);
    }
    if (waiting.length < this.#drafts.size) {
      throw eventsError("some sitemaps are their own ancestors");
    }
    return top[0]!;
  }

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

  #createNode(
    { ref, pages, invalid, left }: Draft,
    subSitemaps: Sitemap[] | undefined,
    isRoot: boolean,
  ): Sitemap {
    const { url, requestedUrl, lastModified, foundBy } = ref;
    const { verdict, stats } = isRoot ? this.#finished ?? {} : {};
    const fields = {
      url,
      requestedUrl,
      lastModified,
      foundBy,
      complete: left?.complete,
      warnings: left?.warnings ?? this.#warnings.get(ref.id),
      pages,
      subSitemaps,
      verdict,
      stats,
      store: isRoot ? this.#log : undefined,
    };
    if (invalid) {
      return new InvalidSitemap({ ...fields, code: invalid.code, reason: invalid.reason });
    }
    const sitemap = createSitemap(ref.type, fields);
    if (sitemap === undefined) throw eventsError(`unknown type in ${show(ref)}`);
    return sitemap;
  }

  #linkDrafts(): Draft {
    let root: Draft | undefined;
    const orphans: Draft[] = [];
    for (const draft of this.#drafts.values()) {
      const { parent } = draft.ref;
      if (parent === null) {
        if (root) throw eventsError(`both ${show(root.ref)} and ${show(draft.ref)} are roots`);
        root = draft;
      } else {
        const above = this.#drafts.get(parent);
        (above === undefined ? orphans : above.children ??= []).push(draft);
      }
    }
    if (root === undefined) throw eventsError("none describes a root");
    for (const { children } of this.#drafts.values()) {
      children?.sort((a, b) => a.ref.index - b.ref.index);
    }
    // The events of their parents were filtered out: attach them to the root.
    if (orphans.length > 0) root.children = [...root.children ?? [], ...orphans];
    return root;
  }
}

function show(ref: SitemapRef): string {
  return `${excerpt(String(ref.type))} "${excerpt(String(ref.url))}"`;
}

function eventsError(why: string): TypeError {
  return new TypeError(`Cannot collect events: ${why}`);
}

/** Where {@linkcode collect} keeps the pages. */
export interface CollectOptions {
  /**
   * Whether pages are in a temporary file instead of in memory. The file is removed by `close()` or
   * `using` of the tree, and in any case when the process ends. Default: false.
   */
  readonly onDisk?: boolean;
}

export const COLLECT_OPTIONS: Readonly<Record<keyof CollectOptions, true>> = { onDisk: true };

/**
 * Folds the events of a walk into the tree of the website. The events may be live, read back from
 * JSON, filtered (without pages, say), and in any order.
 *
 * Pages are stored as text, each with some dozen bytes beside its URL, and read on access.
 *
 * @param events Events of one walk.
 * @param options Storage for the pages.
 * @returns The website with everything below it.
 * @throws {TypeError} If the root of the events is not a website, as with `parseSitemap()`, the
 * events are not of one walk, an option is unknown, or pages are to be on disk on a runtime without a
 * file system.
 *
 * @example
 * ```ts ignore
 * import { collect, walk } from "@sitetree/sitetree";
 *
 * const tree = await collect(walk("https://example.com/"));
 * for (const page of tree.allPages()) console.log(page.url);
 * ```
 */
export async function collect(
  events: AsyncIterable<TreeEvent> | Iterable<TreeEvent>,
  options: CollectOptions = {},
): Promise<IndexWebsiteSitemap> {
  checkNames(COLLECT_OPTIONS, options);
  const root = await foldTree(events, options);
  if (root instanceof IndexWebsiteSitemap) return root;
  root.close();
  throw new TypeError(`Cannot collect events: their root "${excerpt(root.url)}" is not a website`);
}

/** {@linkcode collect} for a root of any kind. */
export async function foldTree(
  events: AsyncIterable<TreeEvent> | Iterable<TreeEvent>,
  options: CollectOptions = {},
): Promise<Sitemap> {
  const log = new PageLog(options.onDisk ? "disk" : "memory");
  try {
    const builder = new TreeBuilder(log, events instanceof EventQueue);
    for await (const batch of inBatches(events)) {
      for (const event of batch) builder.add(event);
    }
    return builder.finish();
  } catch (error) {
    log[Symbol.dispose]();
    throw error;
  }
}
