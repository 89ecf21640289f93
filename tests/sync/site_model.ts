/**
 * A model of `sync()`, from its specification: which pages a site has after each run, and with which
 * values. It knows the site, and asks only which sitemaps were requested.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { arrivedEntries, type EditedSite, ROBOTS } from "./arbitrary_history.ts";

/** Outcome of a sitemap in a run. */
type Outcome = "read" | "unchanged" | "truncated" | "failed" | "missing" | "gone";

/** What the model knows of a sitemap. */
interface Known {
  pages: Map<string, number>;
  children: string[];
  outcome: Outcome;
}

/** What the model expects of a run. */
export interface Expected {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly string[];
  readonly unchanged: number;
  readonly unconfirmed: number;
  readonly isMassRemoval: boolean;
  /** Versions of the pages after it. */
  readonly pages: ReadonlyMap<string, number>;
}

/** How a site is synchronised. */
export interface ModelOptions {
  readonly allowMassRemoval: boolean;
  /** Sitemap that the caller skips. */
  readonly skipped?: string | undefined;
}

/** What a run reported, as far as the model does not determine it. */
export interface Observed {
  /** Paths that were requested. */
  readonly requested: ReadonlySet<string>;
  /** Versions of pages after the run. */
  readonly pages: ReadonlyMap<string, number>;
}

/** Models the snapshot of one site. */
export class SiteModel {
  readonly #known = new Map<string, Known>();
  /** Versions of the current pages. */
  #pages = new Map<string, number>();
  /** Pages whose removal was refused, with the sitemaps that listed them last. */
  #refused = new Map<string, readonly string[]>();

  /** Runs on a site. */
  run(site: EditedSite, options: ModelOptions, observed: Observed): Expected {
    const before = new Map(
      [...this.#known].map(([path, { pages }]) => [path, new Set(pages.keys())]),
    );
    const visit = new Visits(this.#known, site, observed.requested, options.skipped);
    visit.visit(ROBOTS, []);
    visit.settleOthers();
    return this.#compare(visit, before, options.allowMassRemoval, observed);
  }

  #compare(
    visit: Visits,
    listedBefore: ReadonlyMap<string, ReadonlySet<string>>,
    allowMassRemoval: boolean,
    observed: Observed,
  ): Expected {
    const listed = this.#listed(visit, observed.pages);
    const known = this.#pages;
    const candidates: string[] = [];
    // the removal was refused earlier, and only some of the sitemaps that listed them were read now
    const disputed: string[] = [];
    const refused = new Map<string, readonly string[]>();
    const kept = new Map(listed);
    for (const [page, version] of known) {
      if (listed.has(page)) continue;
      kept.set(page, version);
      const sources = this.#refused.get(page) ??
        [...listedBefore].flatMap(([path, pages]) => pages.has(page) ? path : []);
      refused.set(page, sources);
      const certain = sources.filter((path) => isCertain(this.#known.get(path)!));
      if (certain.length === sources.length) candidates.push(page);
      else if (certain.length > 0 && !observed.pages.has(page)) disputed.push(page);
    }
    const isMass = (count: number) => count > 100 && count > known.size / 2 && !allowMassRemoval;
    const isMassRemoval = isMass(candidates.length) || isMass(candidates.length + disputed.length);
    const removed = isMassRemoval ? [] : [...candidates, ...disputed];
    for (const page of removed) {
      kept.delete(page);
      refused.delete(page);
    }
    this.#refused = refused;
    this.#pages = kept;
    const isOld = (page: string) => known.has(page);
    const changed = [...listed.keys()].filter((page) =>
      isOld(page) && known.get(page) !== listed.get(page)
    );
    const same = [...kept.keys()].filter((page) => isOld(page) && !changed.includes(page));
    const unconfirmed = same.filter((page) => !visit.confirmed.has(page));
    return {
      added: [...listed.keys()].filter((page) => !isOld(page)),
      removed,
      changed,
      unchanged: same.length - unconfirmed.length,
      unconfirmed: unconfirmed.length,
      isMassRemoval,
      pages: kept,
    };
  }

  /**
   * Returns the pages that are listed, with the version of the first sitemap. Where sitemaps that were
   * not visited list it in another version, their place is open, and the observed version counts.
   */
  #listed(
    { order, isReachedTwice }: Visits,
    observed: ReadonlyMap<string, number>,
  ): Map<string, number> {
    const versions = new Map<string, { path: string; version: number }[]>();
    for (const [path, { pages }] of this.#known) {
      for (const [page, version] of pages) {
        versions.set(page, [...versions.get(page) ?? [], { path, version }]);
      }
    }
    const listed = new Map<string, number>();
    for (const [page, all] of versions) {
      const isOpen = all.some(({ path }) => !order.includes(path) || isReachedTwice(path));
      const actual = observed.get(page);
      if (isOpen && all.some(({ version }) => version === actual)) listed.set(page, actual!);
      else {
        const place = ({ path }: { path: string }) => (order.indexOf(path) + 1) || Infinity;
        listed.set(page, all.toSorted((one, other) => place(one) - place(other))[0]!.version);
      }
    }
    return listed;
  }
}

/** Whether pages that a sitemap dropped are known to be gone. */
function isCertain({ outcome }: Known): boolean {
  return outcome === "read" || outcome === "unchanged" || outcome === "gone";
}

/** The visits of one run. */
class Visits {
  /** Paths in the order of their first visit. */
  readonly order: string[] = [];
  /** Pages that a sitemap which could be read lists. */
  readonly confirmed = new Set<string>();
  readonly #known: Map<string, Known>;
  readonly #site: EditedSite;
  readonly #requested: ReadonlySet<string>;
  readonly #skipped: string | undefined;
  /** Sitemaps below one that failed, which are therefore in two places. */
  readonly #unreached = new Set<string>();

  constructor(
    known: Map<string, Known>,
    site: EditedSite,
    requested: ReadonlySet<string>,
    skipped: string | undefined,
  ) {
    this.#known = known;
    this.#site = site;
    this.#requested = requested;
    this.#skipped = skipped;
  }

  /** Whether a sitemap was visited, and is also below one that could not be read. */
  readonly isReachedTwice = (path: string): boolean => this.#unreached.has(path);

  /** Visits a sitemap and everything below it. */
  visit(path: string, above: readonly string[]): void {
    if (above.includes(path) || path === this.#skipped) return;
    const isFirst = !this.order.includes(path);
    const known = this.#of(path);
    if (isFirst) {
      this.order.push(path);
      known.outcome = this.#settle(path, known);
    }
    const arrived = this.#arrivedChildren(path, known);
    for (const child of arrived) this.visit(child, [...above, path]);
  }

  #of(path: string): Known {
    const known = this.#known.get(path) ?? { pages: new Map(), children: [], outcome: "failed" };
    this.#known.set(path, known);
    return known;
  }

  /** Applies the response of a sitemap to what is known of it. */
  #settle(path: string, known: Known): Outcome {
    if (!this.#requested.has(path)) return this.#settleUnrequested(path, known);
    const fault = this.#site.fault(path);
    switch (fault?.type) {
      case "status":
        return fault.status === 404 || fault.status === 410 ? missing(known) : "failed";
      case "refused":
      case "login":
        return "failed";
      case "empty":
        return missing(known);
    }
    const { isIndex, children, pages } = this.#site.content(path);
    const isEmptied = fault?.type === "emptied";
    const newPages = isIndex || isEmptied ? new Map<string, number>() : new Map(pages);
    const newChildren = isIndex && !isEmptied ? [...children] : [];
    const count = arrivedEntries(this.#site, path);
    if (count !== undefined) return this.#settleTruncated(known, newPages, newChildren, count);
    known.children = newChildren;
    if (newPages.size === 0 && known.pages.size > 0 && known.outcome !== "missing") {
      return "missing";
    }
    known.pages = newPages;
    for (const page of newPages.keys()) this.confirmed.add(page);
    return "read";
  }

  #settleTruncated(
    known: Known,
    pages: ReadonlyMap<string, number>,
    children: readonly string[],
    count: number,
  ): Outcome {
    for (const [page, version] of [...pages].slice(0, count)) {
      known.pages.set(page, version);
      this.confirmed.add(page);
    }
    known.children = [...new Set([...children.slice(0, count), ...known.children])];
    return "truncated";
  }

  /** A sitemap that was not requested must be as it was. */
  #settleUnrequested(path: string, known: Known): Outcome {
    const { isIndex, pages } = this.#site.content(path);
    assert(!isIndex, `${path} is requested`);
    const current = this.#site.fault(path)?.type === "emptied" ? new Map() : pages;
    assertEquals(known.pages, current, `${path} is not requested, and has not changed`);
    for (const page of current.keys()) this.confirmed.add(page);
    return "unchanged";
  }

  /** Returns the children that are visited. */
  #arrivedChildren(path: string, { outcome, children }: Known): readonly string[] {
    const isEmptied = this.#site.fault(path)?.type === "emptied";
    const { isIndex, children: served } = this.#site.content(path);
    if (outcome === "failed" || outcome === "gone" || isEmptied || !isIndex) return [];
    if (outcome === "truncated") return served.slice(0, arrivedEntries(this.#site, path));
    // an index that had pages is missing for a run, and has children
    const isAnswered = this.#site.fault(path) === undefined;
    return outcome === "missing" && !isAnswered ? [] : children;
  }

  /** Settles the sitemaps that were not visited: not reached, or not listed any more. */
  settleOthers(): void {
    const uncertain = this.order.filter((path) => {
      const known = this.#known.get(path)!;
      return known.outcome === "failed" || known.outcome === "truncated" ||
        this.#arrivedChildren(path, known).includes(this.#skipped ?? "");
    });
    for (let path = uncertain.pop(); path !== undefined; path = uncertain.pop()) {
      const arrived = this.order.includes(path)
        ? this.#arrivedChildren(path, this.#known.get(path)!)
        : [];
      for (const child of this.#known.get(path)!.children) {
        const isVisited = arrived.includes(child) && child !== this.#skipped;
        if (this.#unreached.has(child) || isVisited) continue;
        this.#unreached.add(child);
        if (this.#known.has(child) && !this.order.includes(child)) uncertain.push(child);
      }
    }
    for (const [path, known] of this.#known) {
      if (this.order.includes(path)) continue;
      const isUnknown = this.#unreached.has(path) && known.outcome !== "gone";
      known.outcome = isUnknown ? "failed" : missing(known);
    }
  }
}

/** Returns the outcome of a sitemap that is missing: gone, if it was missing before. */
function missing(known: Known): Outcome {
  if (known.outcome !== "missing" && known.outcome !== "gone") return "missing";
  known.pages = new Map();
  known.children = [];
  return "gone";
}
