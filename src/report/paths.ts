/**
 * Counts pages by host and path, in a tree of limited size.
 *
 * @module
 */

import { DAY } from "../data/calendar.ts";
import { isoTime } from "../data/date.ts";
import { ownCopy, startOf } from "../data/text.ts";
import { DirectoryCache, hostOf, segmentsOf, type UrlParts } from "../data/url_parts.ts";
import { REPORT_LIMITS } from "./limits.ts";
import type { ReportPath } from "./report.ts";

/** Nodes while events are folded. */
const MAX_NODES = 20_000;
/** Segments of a path; what is deeper is counted at the last one. */
const MAX_DEPTH = 24;
/** Day of a page without a date: no date of the years 1 to 9999 is so early. */
export const NO_DAY: number = -(1 << 30);
const MAX_NAME_LENGTH = REPORT_LIMITS.valueLength - 1;
const DATE_LENGTH = 10;

interface PathSums {
  readonly pages: number;
  readonly dated: number;
  readonly days: number;
  readonly newest: number;
}

/** The numbers are without those of its children. */
class PathNode {
  readonly name: string;
  children: Map<string, PathNode> | undefined;
  own = 0;
  other = 0;
  dated = 0;
  days = 0;
  newest = NO_DAY;
  /** Whether pages below it were merged, so that further ones are at once. */
  isPruned = false;
  /** Sums with all below it, while the tree is pruned or returned. */
  sums: PathSums = { pages: 0, dated: 0, days: 0, newest: NO_DAY };

  constructor(name: string) {
    this.name = name;
  }

  /** Sets the sums of all nodes, and adds the pages of those below it to a list. */
  sumUp(list: number[]): number[] {
    let pages = this.own + this.other, { dated, days, newest } = this;
    for (const child of this.children?.values() ?? []) {
      child.sumUp(list);
      const { sums } = child;
      list.push(sums.pages);
      pages += sums.pages;
      dated += sums.dated;
      days += sums.days;
      newest = Math.max(newest, sums.newest);
    }
    this.sums = { pages, dated, days, newest };
    return list;
  }

  /** Counts what is at and below a child as other pages. */
  merge({ name, sums }: PathNode): void {
    this.children!.delete(name);
    this.isPruned = true;
    this.other += sums.pages;
    this.dated += sums.dated;
    this.days += sums.days;
    this.newest = Math.max(this.newest, sums.newest);
  }
}

export class Paths {
  readonly #root = new PathNode("");
  readonly #maxNodes: number;
  readonly #directories = new DirectoryCache<PathNode>();
  #size = 1;

  constructor(maxNodes: number = MAX_NODES) {
    this.#maxNodes = maxNodes;
  }

  /** `day` is counted from 1970, or {@linkcode NO_DAY}. */
  add(parts: UrlParts, day: number): void {
    let node = this.#directories.get(parts) ?? this.#enter(parts);
    if (parts.leafStart === parts.leafEnd) node.own++;
    else if (node.isPruned) node.other++;
    else {
      node = this.#child(node, parts.url.slice(parts.leafStart, parts.leafEnd));
      node.own++;
    }
    if (day === NO_DAY) return;
    node.dated++;
    node.days += day;
    if (day > node.newest) node.newest = day;
  }

  result(): ReportPath {
    this.#root.sumUp([]);
    return reportPath(this.#root);
  }

  #enter(parts: UrlParts): PathNode {
    if (this.#size > this.#maxNodes - MAX_DEPTH - 2) this.#prune();
    const host = hostOf(parts.directory);
    let node = this.#root;
    if (host === "") node.isPruned = true;
    else {
      node = this.#child(node, host);
      const segments = segmentsOf(parts.directory, MAX_DEPTH);
      for (const segment of segments) node = this.#child(node, segment);
      if (segments.length === MAX_DEPTH) node.isPruned = true;
    }
    return this.#directories.set(parts, node);
  }

  #child(parent: PathNode, segment: string): PathNode {
    const name = startOf(segment, MAX_NAME_LENGTH);
    const children = parent.children ??= new Map();
    let child = children.get(name);
    if (child === undefined) {
      child = new PathNode(ownCopy(name));
      children.set(child.name, child);
      if (++this.#size >= this.#maxNodes) this.#directories.clear();
    }
    return child;
  }

  #prune(): void {
    const isKept = largest(this.#root.sumUp([]), this.#maxNodes >> 1);
    // hosts are counted one by one, unless these are most of the nodes
    const hosts = [...this.#root.children?.values() ?? []];
    const kept = new Set([this.#root, ...(hosts.length <= this.#maxNodes >> 2 ? hosts : [])]);
    // those that are added come later
    for (const node of kept) {
      for (const child of node.children?.values() ?? []) {
        const { pages } = child.sums;
        // single pages are too many to be shown, and some of them would say no more than none
        if (pages > 1 && isKept(pages)) kept.add(child);
        else if (!kept.has(child)) node.merge(child);
      }
      if (node.children?.size === 0) node.children = undefined;
    }
    this.#size = kept.size;
    this.#directories.clear();
  }
}

function reportPath({ name, own, other, sums, children }: PathNode): ReportPath {
  const { pages, dated, days, newest } = sums;
  const below = [...children?.values() ?? []].map(reportPath);
  return {
    name,
    pages,
    ...(own > 0 && { own }),
    ...(other > 0 && { other }),
    ...(dated > 0 && { dated, newest: dayText(newest), mean: dayText(Math.round(days / dated)) }),
    ...(below.length > 0 && { children: below.sort((a, b) => b.pages - a.pages) }),
  };
}

function dayText(day: number): string {
  return isoTime(day * DAY).slice(0, DATE_LENGTH);
}

export function prunedPath(root: ReportPath, limit: number): ReportPath {
  const totals: number[] = [];
  const count = (node: ReportPath) => {
    for (const child of node.children ?? []) {
      totals.push(child.pages);
      count(child);
    }
  };
  count(root);
  if (totals.length < limit) return root;
  const isKept = largest(totals, limit - 1);
  const prune = (node: ReportPath): ReportPath => {
    const { children = [], ...rest } = node;
    const kept: ReportPath[] = [];
    let { other = 0 } = node;
    for (const child of children) {
      if (isKept(child.pages)) kept.push(prune(child));
      else other += child.pages;
    }
    return { ...rest, ...(other > 0 && { other }), ...(kept.length > 0 && { children: kept }) };
  };
  return prune(root);
}

/** Returns a function that accepts the `limit` largest numbers; of equal ones, the first. */
function largest(numbers: readonly number[], limit: number): (number: number) => boolean {
  if (numbers.length <= limit) return () => true;
  const sorted = Float64Array.from(numbers).sort().reverse();
  const least = limit > 0 ? sorted[limit - 1]! : Infinity;
  let ties = limit - sorted.indexOf(least);
  return (number) => number > least || (number === least && ties-- > 0);
}
