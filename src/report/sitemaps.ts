/**
 * The tree of sitemaps, with a limited number of items: small ones are merged per parent.
 *
 * @module
 */

import { SEVERITIES } from "../check/severity.ts";
import { groupBy } from "../data/group_by.ts";
import type { Mutable } from "../data/page.ts";
import type { ReportSitemap } from "./report.ts";
import { sumsOf } from "./sums.ts";

export type SitemapItem = Mutable<Omit<ReportSitemap, "parent">>;

export interface ReportNode {
  readonly id: number;
  /** Number among the sitemaps of a walk that is not checked. */
  readonly number: number;
  readonly parent: ReportNode | undefined;
  readonly item: SitemapItem;
  readonly walk: number;
  /** Whether it must be kept, as there is more to come. */
  isOpen: boolean;
}

/** Of nodes that are not of a walk under way. */
const MERGED = { id: 0, number: 0, walk: 0, isOpen: false };
const MAX_NODES = 4000;

/** The sitemaps of all walks. */
export class SitemapTree {
  #nodes: ReportNode[] = [];

  add(node: ReportNode): void {
    this.#nodes.push(node);
    if (this.#nodes.length > MAX_NODES) this.#nodes = fewerNodes(this.#nodes, MAX_NODES / 2);
  }

  /** Those of a walk by URL; of the same URL, the first. */
  itemsOf(walk: number): ReadonlyMap<string, SitemapItem> {
    const nodes = this.#nodes.filter((node) => node.walk === walk).reverse();
    return new Map(nodes.map(({ item }) => [item.url, item]));
  }

  /** In the order of walks and of their trees. */
  result(): ReportSitemap[] {
    return listed(this.#nodes);
  }
}

export function fewerSitemaps(list: readonly ReportSitemap[], limit: number): ReportSitemap[] {
  if (list.length <= limit) return [...list];
  const nodes: ReportNode[] = [];
  for (const { parent, ...item } of list) {
    const above = parent === undefined ? undefined : nodes[parent];
    nodes.push({ ...MERGED, parent: above, item });
  }
  return listed(fewerNodes(nodes, limit));
}

function listed(nodes: readonly ReportNode[]): ReportSitemap[] {
  const ordered = inTreeOrder(nodes);
  const positions = new Map(ordered.map((node, at) => [node, at]));
  return ordered.map(({ parent, item }) => ({
    ...(parent !== undefined && { parent: positions.get(parent)! }),
    ...item,
  }));
}

/** Returns nodes depth first, walks in their order, merged ones after their siblings. */
function inTreeOrder(nodes: readonly ReportNode[]): ReportNode[] {
  const children = groupBy(nodes, ({ parent }) => parent);
  const rank = ({ item, walk }: ReportNode) => item.merged === undefined ? walk : Infinity;
  const ordered: ReportNode[] = [];
  const stack: ReportNode[] = [];
  const push = (parent?: ReportNode) => {
    const below = [...children.get(parent) ?? []];
    // of equal ranks, the first is to be on top
    below.sort((a, b) => rank(a) === rank(b) ? 0 : rank(a) - rank(b));
    stack.push(...below.reverse());
  };
  push();
  for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
    ordered.push(node);
    push(node);
  }
  return ordered;
}

/** Returns how much a sitemap is worth to be kept, whatever its size: from 0 to 3. */
function urgency({ code, findings }: SitemapItem): number {
  if (code !== undefined) return SEVERITIES.length;
  const at = SEVERITIES.findIndex((severity) => (findings?.[severity] ?? 0) > 0);
  return at < 0 ? 0 : SEVERITIES.length - at;
}

/** Nodes that are kept, each with the number of its children that are not. */
type Kept = Map<ReportNode | undefined, number>;

/** Returns a function that keeps a node and all above it, if there is room for them. */
function keeperOf(kept: Kept, nodes: readonly ReportNode[], limit: number) {
  const children = groupBy(nodes, ({ parent }) => parent);
  kept.set(undefined, children.get(undefined)?.length ?? 0);
  let size = 1;
  return (node: ReportNode, isForced = false): void => {
    const added: ReportNode[] = [];
    let above: ReportNode | undefined = node;
    for (; !kept.has(above); above = above!.parent) added.push(above!);
    if (added.length === 0) return;
    // one child of each is kept, except of the last
    const leftBelow = (one: ReportNode) =>
      (children.get(one)?.length ?? 0) - (one === node ? 0 : 1);
    // each needs a place, and another for its merged children
    const merged = added.filter((one) => leftBelow(one) > 0).length;
    const more = added.length + merged - (kept.get(above) === 1 ? 1 : 0);
    if (size + more > limit && !isForced) return;
    size += more;
    kept.set(above, kept.get(above)! - 1);
    for (const one of added) kept.set(one, leftBelow(one));
  };
}

function fewerNodes(nodes: readonly ReportNode[], limit: number): ReportNode[] {
  const kept: Kept = new Map();
  const keep = keeperOf(kept, nodes, limit);
  const candidates = nodes.filter(({ item }) => item.merged === undefined);
  for (const node of candidates) if (node.isOpen) keep(node, true);
  const bySize = [...candidates].sort((a, b) => b.item.pages - a.item.pages);
  for (const node of bySize.slice(0, limit >> 1)) keep(node);
  const byUrgency = bySize.filter(({ item }) => urgency(item) > 0)
    .sort((a, b) => urgency(b.item) - urgency(a.item));
  for (const node of [...byUrgency, ...bySize]) keep(node);
  const merged = groupBy(nodes.filter((node) => !kept.has(node)), ({ parent }) => {
    let above = parent;
    while (!kept.has(above)) above = above!.parent;
    return above;
  });
  return [
    ...nodes.filter((node) => kept.has(node)),
    ...[...merged].map(([parent, group]) => mergedNode(parent, group)),
  ];
}

function mergedNode(
  parent: ReportNode | undefined,
  group: readonly [ReportNode, ...ReportNode[]],
): ReportNode {
  const [first] = group;
  if (group.length === 1) return first;
  const item: SitemapItem = { type: first.item.type, url: "", merged: 0, pages: 0 };
  for (const { item: one } of group) {
    item.merged! += one.merged ?? 1;
    item.pages += one.pages;
    if (one.bytes !== undefined) item.bytes = (item.bytes ?? 0) + one.bytes;
    if (one.durationMs !== undefined) item.durationMs = (item.durationMs ?? 0) + one.durationMs;
    if (one.complete === false) item.complete = false;
    if (one.warnings !== undefined) item.warnings = sumsOf(item.warnings ?? {}, one.warnings);
    if (one.findings !== undefined) item.findings = sumsOf(item.findings ?? {}, one.findings);
  }
  return { ...MERGED, parent, item, walk: first.walk };
}
