/**
 * Folds the events of one walk into the figures of all.
 *
 * @module
 */

import type { Checker } from "../check/checker.ts";
import type { CheckResult } from "../check/finding.ts";
import type { Severity } from "../check/severity.ts";
import {
  type FinishedEvent,
  type InvalidEvent,
  isCounted,
  type PageEvent,
  type SitemapEnteredEvent,
  type SitemapLeftEvent,
  type SitemapRef,
  type SitemapResponse,
  type SitemapType,
  type TreeEvent,
  type WarningEvent,
} from "../data/events.ts";
import { groupBy } from "../data/group_by.ts";
import type { Mutable } from "../data/page.ts";
import { type FindingSums, withFindings } from "./findings.ts";
import { shortened } from "./limits.ts";
import { sumOf, UncheckedUrls } from "./overlap.ts";
import type { PageTally } from "./pages.ts";
import type { ReportOverlap, ReportSite, ReportTotals } from "./report.ts";
import type { ReportNode, SitemapItem, SitemapTree } from "./sitemaps.ts";
import { type FaultTally, sumsOf } from "./sums.ts";

/** Sums over walks, to which each adds some of its own at its end. */
interface Sums {
  readonly totals: Mutable<ReportTotals>;
  findings: FindingSums;
  overlap: ReportOverlap;
}

export interface Figures extends Sums {
  readonly pages: PageTally;
  readonly tree: SitemapTree;
  readonly types: Partial<Record<SitemapType, number>>;
  readonly warnings: FaultTally;
  readonly invalid: FaultTally;
}

interface WalkContext {
  readonly number: number;
  readonly site: Mutable<ReportSite>;
  readonly checker: Checker | undefined;
  readonly end: () => void;
}

export class WalkFold {
  readonly #figures: Figures;
  readonly #context: WalkContext;
  #checker: Checker | undefined;
  #unchecked: UncheckedUrls | undefined;
  readonly #open = new Map<number, ReportNode>();
  #last: ReportNode | undefined;
  #bytes = 0;
  #warnings = 0;

  constructor(figures: Figures, context: WalkContext) {
    this.#figures = figures;
    this.#context = context;
    this.#checker = context.checker;
    if (context.checker === undefined) this.#unchecked = new UncheckedUrls();
  }

  add(event: TreeEvent): void {
    this.#checker?.add(event);
    switch (event.type) {
      case "page":
        return this.#page(event);
      case "sitemap-entered":
        return this.#entered(event);
      case "sitemap-left":
        return this.#left(event);
      case "warning":
        return this.#warning(event);
      case "invalid":
        return this.#invalid(event);
      case "finished":
        return this.#finished(event);
    }
  }

  /** Adds what is known without the end of the walk. */
  conclude(sums: Sums): void {
    sums.totals.bytes += this.#bytes;
    sums.totals.warnings += this.#warnings;
    const urls = this.#checker?.urls ?? this.#unchecked?.counts;
    if (urls !== undefined) sums.overlap = sumOf(sums.overlap, urls);
    if (this.#checker !== undefined) this.#addFindings(sums, this.#checker.result());
  }

  #page({ page, sitemap }: PageEvent): void {
    const { item, number } = this.#nodeOf(sitemap);
    item.pages++;
    this.#context.site.pages++;
    const parts = this.#figures.pages.add(page, item.url);
    this.#unchecked?.add(parts, number);
  }

  #nodeOf(ref: SitemapRef): ReportNode {
    if (this.#last?.id === ref.id) return this.#last;
    return this.#last = this.#open.get(ref.id) ?? this.#begin(ref);
  }

  #begin(ref: SitemapRef, response?: SitemapResponse): ReportNode {
    const { id, type, requestedUrl, lastModified, foundBy } = ref;
    const { status, contentType, contentEncoding, redirects } = response ?? {};
    const item = shortened<SitemapItem>({
      ...{ type, url: ref.url, requestedUrl, pages: 0, foundBy, lastModified },
      ...{ status, contentType, contentEncoding, redirects: redirects || undefined },
    });
    const { url } = item;
    const { number: walk, site } = this.#context;
    const parent = ref.parent === null ? undefined : this.#open.get(ref.parent);
    if (ref.parent === null) site.url = url;
    const number = this.#unchecked?.addSitemap(url) ?? 0;
    const node: ReportNode = { id, number, parent, item, walk, isOpen: true };
    this.#figures.tree.add(node);
    this.#open.set(id, node);
    return this.#last = node;
  }

  #end(ref: SitemapRef): SitemapItem {
    const node = this.#open.get(ref.id) ?? this.#begin(ref);
    node.isOpen = false;
    this.#open.delete(ref.id);
    return node.item;
  }

  #entered({ sitemap, response }: SitemapEnteredEvent): void {
    this.#begin(sitemap, response);
    if (!isCounted(sitemap)) return;
    const { types, totals } = this.#figures;
    types[sitemap.type] = (types[sitemap.type] ?? 0) + 1;
    totals.sitemaps++;
    this.#context.site.sitemaps++;
    if (sitemap.type.startsWith("Pages")) totals.listings++;
  }

  #left({ sitemap, bytes, complete, warnings, durationMs }: SitemapLeftEvent): void {
    const item = this.#end(sitemap);
    this.#last = undefined;
    item.bytes = bytes;
    this.#bytes += bytes;
    if (!complete) item.complete = false;
    if (durationMs !== undefined) item.durationMs = durationMs;
    // only the first warnings of a code are sent, but all are counted
    for (const [code, count] of Object.entries(warnings)) {
      const more = count - (item.warnings?.[code] ?? 0);
      if (more > 0) this.#addWarnings(item, code, more);
    }
  }

  #warning({ code, sitemap, line, message }: WarningEvent): void {
    const last = this.#last;
    const node = last?.id === sitemap.id ? last : this.#open.get(sitemap.id);
    this.#addWarnings(node?.item, code, 1, () => ({ url: sitemap.url, line, message }));
  }

  #addWarnings(
    item: SitemapItem | undefined,
    code: string,
    count: number,
    example?: Parameters<FaultTally["add"]>[2],
  ): void {
    this.#warnings += count;
    if (item !== undefined) item.warnings = sumsOf(item.warnings ?? {}, { [code]: count });
    // what the user asked for
    if (code !== "max-pages") this.#figures.warnings.add(code, count, example);
  }

  #invalid({ sitemap, code, reason, status, response }: InvalidEvent): void {
    // its warnings follow
    this.#begin(sitemap, response);
    const item = this.#end(sitemap);
    item.code = code;
    item.reason = shortened(reason);
    if (status !== undefined) item.status = status;
    this.#figures.totals.invalid++;
    this.#figures.invalid.add(code, 1, () => ({ url: item.url, line: undefined, message: reason }));
  }

  #finished({ verdict, stats, endedBy, endedAt, blockedBy }: FinishedEvent): void {
    const { site, end } = this.#context;
    site.verdict = verdict;
    if (endedBy !== undefined) site.endedBy = endedBy;
    if (endedAt !== undefined) site.endedAt = endedAt;
    if (blockedBy !== undefined) site.reason = shortened(blockedBy.reason);
    const { totals } = this.#figures;
    totals.requests += stats.requests;
    totals.durationMs += stats.durationMs;
    this.#bytes = Math.max(this.#bytes, stats.bytes);
    this.#warnings = Math.max(this.#warnings, stats.warnings);
    this.conclude(this.#figures);
    this.#checker = this.#unchecked = undefined;
    end();
  }

  #addFindings(sums: Sums, result: CheckResult): void {
    const { number } = this.#context;
    sums.findings = withFindings(sums.findings, number, result);
    const items = this.#figures.tree.itemsOf(number);
    for (const [sitemap, findings] of groupBy(result.findings, ({ sitemap }) => sitemap)) {
      const item = sitemap === undefined ? undefined : items.get(shortened(sitemap));
      if (item === undefined) continue;
      const counts: Partial<Record<Severity, number>> = {};
      for (const { severity } of findings) counts[severity] = (counts[severity] ?? 0) + 1;
      item.findings = counts;
    }
  }
}
