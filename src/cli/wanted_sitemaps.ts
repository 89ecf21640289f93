/**
 * `--include` and `--exclude` for what stands at known paths. The walk asks nobody about these, since
 * no list names them.
 *
 * @module
 */

import type { SitemapRef, TreeEvent, WalkStats } from "../events.ts";
import type { SitemapFilter } from "./walk_settings.ts";

/** What was left out. */
type Left = { -readonly [K in "sitemaps" | "pages" | "invalid" | "warnings"]: WalkStats[K] };

/** Leaves out the sitemaps at known paths that nobody wants, with all below them. */
export async function* wantedSitemaps(
  events: AsyncIterable<TreeEvent>,
  isWanted: SitemapFilter,
  onSkip: (url: string) => void,
): AsyncGenerator<TreeEvent, void, void> {
  const skipped = new Set<number>();
  const left: Left = { sitemaps: 0, pages: 0, invalid: 0, warnings: 0 };
  for await (const event of events) {
    if (event.type === "finished") {
      yield { ...event, stats: without(event.stats, left) };
      continue;
    }
    const { sitemap } = event;
    if (event.type === "sitemap-entered" && isAtKnownPath(sitemap) && !isWanted(sitemap.url)) {
      skipped.add(sitemap.id);
      onSkip(sitemap.url);
    }
    if (skipped.has(sitemap.id) || skipped.has(sitemap.parent ?? -1)) {
      skipped.add(sitemap.id);
      count(left, event);
    } else yield event;
  }
}

function isAtKnownPath({ level, type }: SitemapRef): boolean {
  return level === 0 && type !== "IndexRobotsTxtSitemap";
}

function count(left: Left, event: TreeEvent): void {
  if (event.type === "sitemap-entered") left.sitemaps++;
  else if (event.type === "page") left.pages++;
  else if (event.type === "invalid") left.invalid++;
  else if (event.type === "sitemap-left") {
    for (const number of Object.values(event.warnings)) left.warnings += number;
  }
}

function without(stats: WalkStats, left: Left): WalkStats {
  return {
    ...stats,
    sitemaps: stats.sitemaps - left.sitemaps,
    pages: stats.pages - left.pages,
    invalid: stats.invalid - left.invalid,
    warnings: stats.warnings - left.warnings,
  };
}
