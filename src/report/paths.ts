/**
 * Counts pages by host and path, in a tree of limited size.
 *
 * @module
 */

import { DAY } from "../data/calendar.ts";
import { isoTime } from "../data/date.ts";
import { ownCopy, startOf } from "../data/text.ts";
import { DirectoryCache, hostOf, segmentsOf, type UrlParts } from "../data/url_parts.ts";
import { MAX_FOLDED_PATHS, REPORT_LIMITS } from "./limits.ts";
import type { ReportPath } from "./report.ts";

/** Segments of a path; what is deeper is counted at the last one. */
const MAX_DEPTH = 24;
/** Day of a page without a date: no date of the years 1 to 9999 is so early. */
export const NO_DAY: number = -(1 << 30);
const MAX_NAME_LENGTH = REPORT_LIMITS.valueLength - 1;
const DATE_LENGTH = 10;

/** The numbers are without those of its children. */
class PathNode {
  readonly name: string;
  readonly parent: PathNode | undefined;
  children: Map<string, PathNode> | undefined;
  own = 0;
  other = 0;
  dated = 0;
  days = 0;
  newest = NO_DAY;
  /** Whether pages below it were merged, so that further ones are at once. */
  isPruned = false;
  /** Pages with those of its children, while the tree is pruned or returned. */
  total = 0;

  constructor(name: string, parent?: PathNode) {
    this.name = name;
    this.parent = parent;
  }
}

export class Paths {
  readonly #root = new PathNode("");
  readonly #maxNodes: number;
  readonly #directories = new DirectoryCache<PathNode>();
  #size = 1;

  constructor(maxNodes: number = MAX_FOLDED_PATHS) {
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
    const nodes = this.#nodes();
    const done = new Map<PathNode, ReportPath>();
    const sums = new Map<PathNode, { dated: number; days: number; newest: number }>();
    for (const node of nodes.reverse()) {
      const { dated, days, newest } = node;
      const sum = { dated, days, newest };
      const children: ReportPath[] = [];
      for (const child of node.children?.values() ?? []) {
        children.push(done.get(child)!);
        const below = sums.get(child)!;
        sum.dated += below.dated;
        sum.days += below.days;
        sum.newest = Math.max(sum.newest, below.newest);
      }
      sums.set(node, sum);
      done.set(node, reportPath(node, sum, children));
    }
    return done.get(this.#root)!;
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
      child = new PathNode(ownCopy(name), parent);
      children.set(child.name, child);
      if (++this.#size >= this.#maxNodes) this.#directories.clear();
    }
    return child;
  }

  /** Parents first, with their totals. */
  #nodes(): PathNode[] {
    const nodes = [this.#root];
    for (const node of nodes) {
      node.total = node.own + node.other;
      if (node.children !== undefined) {
        for (const child of node.children.values()) nodes.push(child);
      }
    }
    for (let at = nodes.length - 1; at > 0; at--) nodes[at]!.parent!.total += nodes[at]!.total;
    return nodes;
  }

  #prune(): void {
    const [, ...nodes] = this.#nodes();
    const isKept = largest(nodes.map(({ total }) => total), this.#maxNodes >> 1);
    const kept = new Set<PathNode>([this.#root]);
    for (const node of nodes) {
      // single pages are too many to be shown, and some of them would say no more than none
      if (node.total > 1 && isKept(node.total) && kept.has(node.parent!)) kept.add(node);
    }
    for (const node of nodes.reverse()) {
      if (kept.has(node)) continue;
      const parent = node.parent!;
      if (node.children === undefined) parent.isPruned = true;
      parent.children!.delete(node.name);
      if (parent.children!.size === 0) parent.children = undefined;
      parent.other += node.own + node.other;
      parent.dated += node.dated;
      parent.days += node.days;
      parent.newest = Math.max(parent.newest, node.newest);
    }
    this.#size = kept.size;
    this.#directories.clear();
  }
}

function reportPath(
  { name, own, other, total }: PathNode,
  { dated, days, newest }: {
    readonly dated: number;
    readonly days: number;
    readonly newest: number;
  },
  children: ReportPath[],
): ReportPath {
  return {
    name,
    pages: total,
    ...(own > 0 && { own }),
    ...(other > 0 && { other }),
    ...(dated > 0 && { dated, newest: dayText(newest), mean: dayText(Math.round(days / dated)) }),
    ...(children.length > 0 && { children: children.sort((a, b) => b.pages - a.pages) }),
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
