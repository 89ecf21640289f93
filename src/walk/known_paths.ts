/**
 * Paths where sitemaps stand that nobody declares.
 *
 * @module
 */

import { addressKey } from "../data/url.ts";
import type { TreeAddresses } from "./addresses.ts";
import type { Prefetch, Prefetcher, Slots } from "./prefetch.ts";

/** USP's fourteen, then our own; probed in this order. */
export const KNOWN_PATHS: readonly string[] = [
  "sitemap_index.xml",
  "sitemap-index.xml",
  "sitemap_index.xml.gz",
  "sitemap-index.xml.gz",
  "sitemap/sitemap-index.xml",
  "sitemap.xml",
  "sitemap.xml.gz",
  "sitemap_news.xml",
  "sitemap-news.xml",
  "sitemap_news.xml.gz",
  "sitemap-news.xml.gz",
  ".sitemap.xml",
  "sitemap",
  "admin/config/search/xmlsitemap",
  "sitemap.txt",
  "sitemaps.xml",
  "wp-sitemap.xml",
  "sitemap.php",
];

/** The URLs of paths below a homepage that ends in a slash, each once, in order. */
export function knownUrls(homepage: URL, paths: readonly string[]): URL[] {
  const urls = new Map<string, URL>();
  for (const path of paths) {
    const url = new URL(homepage.href + path.replace(/^\/+/, ""));
    url.hash = "";
    urls.set(url.href, urls.get(url.href) ?? url);
  }
  return [...urls.values()];
}

// MERGED: The known paths, taken in order and probed ahead.

/** A known path to be probed. */
export interface Probe {
  /** Its address, in the form in which addresses are compared. */
  readonly url: string;
  /** What may stand there. */
  readonly document: Prefetch;
}

/** Known paths. What the tree holds by the time of its turn is passed over. */
export class Probes implements Prefetcher {
  readonly #waiting: Probe[];
  readonly #addresses: TreeAddresses;
  readonly #slots: Slots;

  constructor(waiting: readonly Probe[], addresses: TreeAddresses, slots: Slots) {
    this.#waiting = [...waiting];
    this.#addresses = addresses;
    this.#slots = slots;
  }

  get exhausted(): boolean {
    return this.#waiting.every(({ document }) => document.launched);
  }

  /** The next known path that the tree does not hold yet. */
  next(): Probe | undefined {
    for (let probe = this.#waiting.shift(); probe !== undefined; probe = this.#waiting.shift()) {
      if (!this.#addresses.has(probe.url)) return probe;
      probe.document.forget();
    }
    return undefined;
  }

  /** Takes a known path out because something leads there: it must not be asked for twice. */
  claim(url: URL): Prefetch | undefined {
    const key = addressKey(url.href);
    const at = this.#waiting.findIndex((probe) => probe.url === key);
    return at < 0 ? undefined : this.#waiting.splice(at, 1)[0]?.document;
  }

  fill(): void {
    for (const { url, document } of this.#waiting.slice(0, this.#slots.size * 2)) {
      if (document.launched || this.#addresses.has(url)) continue;
      if (!this.#slots.tryTakeAhead(this)) return;
      document.launch(() => this.#slots.releaseAhead());
    }
  }

  evict(): boolean {
    const last = this.#waiting.findLast(({ document }) => document.heldBack);
    return last?.document.yieldSlot() ?? false;
  }

  /** Lets go of all that was probed ahead. */
  cancel(): void {
    for (const { document } of this.#waiting.splice(0)) document.forget();
  }
}
