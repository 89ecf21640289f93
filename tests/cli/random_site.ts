/**
 * A site that changes at random, from a seed: many small sitemaps and a large one, of which half have
 * ETags, and pages that move between them or are listed twice.
 *
 * @module
 */

import type { Random } from "../support/random.ts";
import { type Entry, index, type Reply, robots, type Site, urlset } from "../sync/scripted_site.ts";

/** A sitemap: the dates of its pages by their paths. */
interface Sitemap {
  readonly pages: Map<string, string>;
  readonly hasEtag: boolean;
  version: number;
}

export class RandomSite {
  readonly #random: Random;
  readonly #sitemaps: Sitemap[] = [];
  #lastPage = 0;

  constructor(random: Random) {
    this.#random = random;
    const sitemaps = 4 + random.below(24);
    const large = random.below(sitemaps);
    for (let at = 0; at < sitemaps; at++) {
      this.#addSitemap(at === large ? 1500 + random.below(500) : 5 + random.below(40));
    }
  }

  /** Number of requests of a walk. */
  get requests(): number {
    return this.#sitemaps.length + 2;
  }

  get site(): Site {
    const sitemaps = this.#sitemaps.map(({ pages, hasEtag, version }, at): [string, Reply] => {
      const entries = Array.from(
        pages,
        ([path, date]): Entry => [path, `<lastmod>${date}</lastmod>`],
      );
      const etag = hasEtag ? { etag: `"${version}"` } : {};
      return [`/${at}.xml`, { body: urlset(...entries), ...etag }];
    });
    return {
      "/robots.txt": robots("/index.xml"),
      "/index.xml": index(...sitemaps.map(([path]) => path)),
      ...Object.fromEntries(sitemaps),
    };
  }

  /** Paths in the order of the sitemaps, one that is listed twice included. */
  get paths(): string[] {
    return this.#sitemaps.flatMap(({ pages }) => [...pages.keys()]);
  }

  /** Dates by path: those of the first sitemap that lists it. */
  get dates(): Map<string, string> {
    return new Map(this.#sitemaps.flatMap(({ pages }) => [...pages]).reverse());
  }

  /** Adds, changes, moves and removes pages, fewer than are a mass removal. */
  change(): void {
    const random = this.#random;
    for (const sitemap of this.#sitemaps) {
      if (random.fraction() < 0.5) continue;
      sitemap.version++;
      const { pages } = sitemap;
      const part = random.fraction() * 0.15;
      for (const path of [...pages.keys()].slice(1)) {
        if (random.fraction() > part) continue;
        if (random.fraction() < 0.5) pages.set(path, this.#date());
        else pages.delete(path);
      }
      this.#addPages(pages, random.below(part * pages.size + 2));
      const other = random.pick(this.#sitemaps);
      const [path, date] = random.pick([...pages]);
      other.pages.set(path, random.fraction() < 0.5 ? date : this.#date());
      other.version++;
      if (other !== sitemap && pages.size > 1 && random.fraction() < 0.5) pages.delete(path);
    }
    if (random.fraction() < 0.2) this.#addSitemap(5 + random.below(40));
  }

  #addSitemap(size: number): void {
    const pages = new Map<string, string>();
    this.#addPages(pages, size);
    this.#sitemaps.push({ pages, hasEtag: this.#random.fraction() < 0.5, version: 0 });
  }

  #addPages(pages: Map<string, string>, count: number): void {
    for (let at = 0; at < count; at++) {
      const folders = "folder/".repeat(this.#random.below(32));
      pages.set(`/${folders}${++this.#lastPage}`, this.#date());
    }
  }

  #date(): string {
    return `2024-05-${10 + this.#random.below(20)}`;
  }
}
