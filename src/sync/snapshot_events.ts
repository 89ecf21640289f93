import { MAX_BATCH_ITEMS } from "../data/batches.ts";
import type { InvalidCode } from "../data/codes.ts";
import { isCounted, type TreeEvent, type Verdict } from "../data/events.ts";
import { pageFromRow } from "../data/page_row.ts";
import { SitemapNode, type SitemapPlace } from "../walk/sitemap_node.ts";
import { HARMLESS_CODES, Tally } from "../walk/verdict.ts";
import type { StoredSitemap } from "./sitemap_graph.ts";
import type { Store, StoredSite } from "./store.ts";
import {
  findSite,
  listedPages,
  type OtherListing,
  readListing,
  readSitemaps,
  rowsByPage,
} from "./stored_rows.ts";

/** Id of the website itself; the ids of its sitemaps are their numbers. */
const ROOT_ID = 0;

type Batches = AsyncGenerator<readonly TreeEvent[], void, void>;

/**
 * Yields a site as the events of a walk in document order, below the website itself. A sitemap that
 * could not be read by the last run has its last listing, and is not `complete`; the verdict is that of
 * the last run that ended, `partial` if there is none, or if it read nothing and the site has sitemaps
 * nevertheless.
 */
export async function* siteEvents(store: Store, site: string | URL): Batches {
  const found = await findSite(store, site);
  yield* new Replay(store, found, await readSitemaps(store, found.id)).events();
}

class Replay {
  readonly #store: Store;
  readonly #site: StoredSite;
  /** Those that are still to come, by number. */
  readonly #sitemaps: Map<number, StoredSitemap>;
  readonly #tally = new Tally();
  #batch: TreeEvent[] = [];

  constructor(store: Store, site: StoredSite, sitemaps: readonly StoredSitemap[]) {
    this.#store = store;
    this.#site = site;
    const known = sitemaps.filter(({ is_forgotten }) => !is_forgotten);
    this.#sitemaps = new Map(known.map((sitemap) => [sitemap.id, sitemap]));
  }

  async *events(): Batches {
    const place = { id: ROOT_ID, level: -1, parent: null, index: 0 };
    const root = new SitemapNode(place, this.#site.homepage, { tally: this.#tally });
    root.enter("IndexWebsiteSitemap");
    yield* this.#take(root);
    // what nothing leads to any more comes last
    const starts = [...this.#sitemaps.values()].sort((one, other) =>
      Number(other.is_root) - Number(one.is_root)
    );
    let index = 0;
    for (const { id } of starts) {
      const sitemap = this.#sitemaps.get(id);
      if (sitemap === undefined) continue;
      yield* this.#visit(sitemap, { id, level: 0, parent: ROOT_ID, index: index++ });
    }
    root.leave(true);
    yield* this.#take(root);
    yield [...this.#batch, await this.#finished()];
  }

  async *#visit(sitemap: StoredSitemap, place: SitemapPlace): Batches {
    const { id, url, final_url, type, code, reason, pages, children } = sitemap;
    this.#sitemaps.delete(id);
    const requestedUrl = final_url === url ? undefined : url;
    const node = new SitemapNode({ ...place, requestedUrl }, final_url, { tally: this.#tally });
    // one that could be read before has its former content
    if (pages === 0 && children.length === 0) {
      if (code === null || HARMLESS_CODES.has(code as InvalidCode)) return;
      this.#tally.invalid++;
      node.invalidate({ code: code as InvalidCode, reason: reason ?? "" });
      return yield* this.#take(node);
    }
    const ref = node.enter(type);
    const parts = await readListing(this.#store, this.#site.id, id);
    for await (const rows of listedPages(this.#store, parts)) {
      // values of pages for which it is not the first sitemap
      const later = rows.filter((page) => page.sitemap !== id).map((page) => page.id);
      const others = await rowsByPage<OtherListing>(
        { store: this.#store, site: this.#site },
        "other_listing",
        later,
      );
      for (const page of rows) {
        const other = others.get(page.id)?.find(({ sitemap }) => sitemap === id);
        node.page(pageFromRow(page.url, other ?? page));
      }
      yield* this.#take(node);
    }
    yield* this.#take(node);
    for (const [index, [child, lastmod]] of children.entries()) {
      const below = this.#sitemaps.get(child);
      const place = { id: child, level: ref.level + 1, parent: id, index };
      if (below === undefined) continue;
      yield* this.#visit(below, { ...place, lastModified: lastmod ?? undefined });
    }
    node.bytes = sitemap.bytes ?? 0;
    node.leave(sitemap.state === "listing");
    if (isCounted(ref)) this.#tally.sitemaps++;
    this.#tally.bytes += node.bytes;
    yield* this.#take(node);
  }

  async *#take(node: SitemapNode): Batches {
    const events = node.take();
    if (this.#batch.length === 0) this.#batch = events;
    else this.#batch.push(...events);
    if (this.#batch.length < MAX_BATCH_ITEMS) return;
    yield this.#batch;
    this.#batch = [];
  }

  async #finished(): Promise<TreeEvent> {
    const { sitemaps, pages, invalid, bytes } = this.#tally;
    const stats = { sitemaps, pages, invalid, bytes, warnings: 0, requests: 0, retries: 0 };
    const [{ verdict, finished } = {}] = await this.#store.read<
      { verdict: Verdict; finished: number }
    >(
      `SELECT verdict, finished FROM stored_run WHERE site = ? AND finished IS NOT NULL
       AND verdict <> 'forgotten' ORDER BY id DESC LIMIT 1`,
      this.#site.id,
    );
    const isEmpty = sitemaps === 0 && verdict !== undefined;
    return {
      type: "finished",
      verdict: verdict === "complete" || isEmpty ? verdict : "partial",
      stats: { ...stats, probes: 0, durationMs: 0 },
      source: "snapshot",
      ...(finished !== undefined && { endedAt: new Date(finished).toISOString() }),
      discovery: [],
    };
  }
}
