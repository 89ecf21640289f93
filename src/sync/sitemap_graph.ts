/**
 * The sitemaps that are known of a site: which lists which, and which are gone.
 *
 * In a walk each has one answer. It is gone by its own answer, or because nothing leads to it any more;
 * either is confirmed by a second walk, some time after the first:
 *
 * ```
 *            read to its end, or unchanged
 *      ┌────────────────────────────────────────┐
 *      ▼                                        │
 *   listing ──► gone, since then ──► gone, confirmed: it lists nothing
 *      │  ▲           │  ▲
 *      ▼  │           ▼  │
 *     unknown: its last listing stays
 * ```
 *
 * @module
 */

import type { SitemapRef, SitemapType } from "../data/events.ts";

export type Answer = "listing" | "gone" | "unknown";

/** Number and date of a sitemap that another one lists. */
type ChildSitemap = readonly [id: number, lastmod: string | null];

export interface StoredSitemap {
  /** Its number in the site. */
  readonly id: number;
  /** URL as requested. */
  readonly url: string;
  final_url: string;
  type: SitemapType;
  /** Whether it is robots.txt, was given, or was read as a known path: nothing need lead to it. */
  is_root: boolean;
  /** Since when it has been listed. */
  listed_at: number;
  read_at: number | null;
  /** When it was first gone since its last listing. */
  gone_since: number | null;
  is_confirmed: boolean;
  /** Answer of the last walk. */
  state: Answer;
  /** Why it has no listing, as a code. */
  code: string | null;
  reason: string | null;
  pages: number;
  /** Bytes transferred when it was read last. */
  bytes: number | null;
  /** Date that was declared for it when it was read last. */
  lastmod: string | null;
  etag: string | null;
  last_modified: string | null;
  digest: string | null;
  children: readonly ChildSitemap[];
  /** Numbers of all that have listed it. */
  parents: readonly number[];
  /** The first that leads to it. */
  parent: number | null;
  /** Place in document order. */
  position: number;
  /** Whether it is kept only because unconfirmed pages name it. */
  is_forgotten: boolean;
}

export interface KnownSitemapRecord extends StoredSitemap {
  /** Answer in this walk, once it has one. */
  answer?: Answer;
  ref?: SitemapRef;
}

/** Validators and dates of a sitemap that was not read to its end. */
export const NO_VALIDATORS = {
  lastmod: null,
  etag: null,
  last_modified: null,
  digest: null,
} as const;

export class SitemapGraph {
  readonly #byUrl = new Map<string, KnownSitemapRecord>();
  readonly #byId = new Map<number, KnownSitemapRecord>();
  readonly #forgotten = new Map<number, KnownSitemapRecord>();
  /** Addresses that a walk begins with, in document order. */
  readonly #starts: ReadonlyMap<string, number>;
  #lastId = 0;

  constructor(sitemaps: Iterable<StoredSitemap>, starts: readonly string[]) {
    this.#starts = new Map(starts.map((url, at) => [url, at]));
    for (const sitemap of sitemaps) {
      if (sitemap.is_forgotten) this.#forgotten.set(sitemap.id, { ...sitemap });
      else this.#insert({ ...sitemap });
      this.#lastId = Math.max(this.#lastId, sitemap.id);
    }
  }

  /** Sitemaps of which only the names are known. */
  get forgotten(): Iterable<KnownSitemapRecord> {
    return this.#forgotten.values();
  }

  get all(): Iterable<KnownSitemapRecord> {
    return this.#byId.values();
  }

  find(url: string): KnownSitemapRecord | undefined {
    return this.#byUrl.get(url);
  }

  get(id: number): KnownSitemapRecord | undefined {
    return this.#byId.get(id);
  }

  add(url: string, now: number): KnownSitemapRecord {
    return this.#insert({
      id: this.#lastId + 1,
      url,
      final_url: url,
      type: "InvalidSitemap",
      is_root: false,
      listed_at: now,
      read_at: null,
      gone_since: null,
      is_confirmed: false,
      state: "unknown",
      code: null,
      reason: null,
      pages: 0,
      bytes: null,
      ...NO_VALIDATORS,
      children: [],
      parents: [],
      parent: null,
      position: -1,
      is_forgotten: false,
    });
  }

  /** Its name stays known. */
  remove(sitemap: KnownSitemapRecord): void {
    this.#byUrl.delete(sitemap.url);
    this.#byId.delete(sitemap.id);
    this.#forgotten.set(sitemap.id, sitemap);
  }

  named(id: number): KnownSitemapRecord | undefined {
    return this.#byId.get(id) ?? this.#forgotten.get(id);
  }

  /** Returns those that are gone for good: nothing leads to them, or asks for them. */
  lost(): KnownSitemapRecord[] {
    const asksFor = ({ url, is_confirmed }: StoredSitemap) =>
      this.#starts.has(url) || !is_confirmed;
    const reached = this.reached(undefined, asksFor);
    return [...this.all].filter(({ id, is_confirmed }) => is_confirmed && !reached.has(id));
  }

  #insert(sitemap: KnownSitemapRecord): KnownSitemapRecord {
    this.#byUrl.set(sitemap.url, sitemap);
    this.#byId.set(sitemap.id, sitemap);
    this.#lastId = Math.max(this.#lastId, sitemap.id);
    return sitemap;
  }

  /** A sitemap that was not read to its end keeps what it listed. */
  list(
    sitemap: KnownSitemapRecord,
    listed: Iterable<readonly [url: string, lastmod: string | null]>,
    isWhole: boolean,
    now: number,
  ): void {
    const children = new Map<number, ChildSitemap>();
    for (const [url, lastmod] of listed) {
      const child = this.#byUrl.get(url) ?? this.add(url, now);
      if (!children.has(child.id)) children.set(child.id, [child.id, lastmod]);
      if (!child.parents.includes(sitemap.id)) child.parents = [...child.parents, sitemap.id];
    }
    if (!isWhole) {
      for (const child of sitemap.children) {
        if (!children.has(child[0])) children.set(child[0], child);
      }
    }
    sitemap.children = [...children.values()];
  }

  /** Returns the sitemaps that last listings lead to from the roots, or some of them, in order. */
  reached(
    isPassed: (sitemap: KnownSitemapRecord) => boolean = () => true,
    isStart: (root: KnownSitemapRecord) => boolean = () => true,
  ): Map<number, KnownSitemapRecord> {
    const seen = new Map<number, KnownSitemapRecord>();
    const place = ({ url }: StoredSitemap) => this.#starts.get(url) ?? this.#starts.size;
    const roots = [...this.all].filter((sitemap) => sitemap.is_root && isStart(sitemap))
      .sort((one, other) => place(one) - place(other));
    // a stack, since a chain of indexes may be long
    const pending = roots.reverse();
    for (let sitemap = pending.pop(); sitemap !== undefined; sitemap = pending.pop()) {
      if (seen.has(sitemap.id) || !isPassed(sitemap)) continue;
      seen.set(sitemap.id, sitemap);
      for (const [id] of sitemap.children.toReversed()) {
        const child = this.#byId.get(id);
        if (child !== undefined) pending.push(child);
      }
    }
    return seen;
  }

  /** Places sitemaps that nothing leads to last. Returns whether some have changed places. */
  place(): boolean {
    let last = -1, hasMoved = false;
    const placed = [...new Set([...this.reached().values(), ...this.all])];
    for (const [position, sitemap] of placed.entries()) {
      if (sitemap.position >= 0) {
        hasMoved ||= sitemap.position < last;
        last = sitemap.position;
      }
      sitemap.position = position;
      sitemap.parent = null;
    }
    for (const { id, children } of placed) {
      for (const [child] of children) {
        const sitemap = this.#byId.get(child);
        if (sitemap !== undefined) sitemap.parent ??= id;
      }
    }
    return hasMoved;
  }

  /**
   * Confirms what is gone, after a walk. Every sitemap then has an answer: a listing, gone if that is
   * confirmed, or unknown. Returns those that list nothing since now.
   */
  confirm(now: number, confirmAfter: number): KnownSitemapRecord[] {
    const emptied: KnownSitemapRecord[] = [];
    const settle = (sitemap: KnownSitemapRecord, since: number) => {
      const isSecond = sitemap.gone_since !== null || since < now;
      // a time in the future begins again
      sitemap.gone_since = Math.min(sitemap.gone_since ?? since, now);
      sitemap.is_confirmed ||= isSecond && now - sitemap.gone_since >= confirmAfter;
      sitemap.answer = sitemap.is_confirmed ? "gone" : "unknown";
      if (!sitemap.is_confirmed) return;
      Object.assign(sitemap, NO_VALIDATORS, { children: [] });
      if (sitemap.pages > 0) emptied.push(sitemap);
    };
    for (const sitemap of this.all) {
      if (sitemap.answer === "listing") {
        Object.assign(sitemap, { gone_since: null, is_confirmed: false });
      } else if (sitemap.answer === "gone") settle(sitemap, now);
    }
    for (let lost = this.#lost(); lost.size > 0; lost = this.#lost()) {
      while (lost.size > 0) {
        // what only others led to comes after them, unless they lead to each other
        const isNext = (sitemap: KnownSitemapRecord) =>
          !this.#parents(sitemap).some((parent) => parent !== sitemap && lost.has(parent));
        const next = [...lost].find(isNext) ?? [...lost][0]!;
        const since = this.#parents(next).filter((parent) => !lost.has(parent))
          .map(({ gone_since }) => gone_since ?? now);
        lost.delete(next);
        settle(next, since.length === 0 ? now : Math.max(...since));
      }
    }
    for (const sitemap of this.all) sitemap.state = sitemap.answer ??= "unknown";
    return emptied;
  }

  /**
   * Returns the sitemaps without an answer that nothing leads to any more, even if they list each other,
   * and all that have listed them are known not to.
   */
  #lost(): Set<KnownSitemapRecord> {
    const reached = this.reached();
    const lost = new Set<KnownSitemapRecord>();
    for (const sitemap of this.all) {
      if (sitemap.answer === undefined && !reached.has(sitemap.id)) lost.add(sitemap);
    }
    const isUncertain = (parent: KnownSitemapRecord) =>
      !lost.has(parent) && (parent.answer ?? "unknown") === "unknown";
    for (let size = -1; size !== lost.size;) {
      size = lost.size;
      for (const sitemap of lost) {
        if (this.#parents(sitemap).some(isUncertain)) lost.delete(sitemap);
      }
    }
    return lost;
  }

  #parents({ parents }: KnownSitemapRecord): KnownSitemapRecord[] {
    return parents.flatMap((id) => this.#byId.get(id) ?? []);
  }
}
