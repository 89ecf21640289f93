/**
 * `--include` and `--exclude` for sitemaps at known paths. The callbacks of the walk are not called
 * for these, since no list names them.
 *
 * @module
 */

import type { SitemapRef, TreeEvent, WalkStats } from "../events.ts";
import type { SitemapFilter } from "./walk_settings.ts";

/** What was left out. */
type Left = { -readonly [K in "sitemaps" | "pages" | "invalid" | "warnings"]: WalkStats[K] };

/** Drops the unwanted sitemaps at known paths, with all below them, from batches of events. */
export async function* wantedSitemaps(
  batches: AsyncIterable<readonly TreeEvent[]>,
  isWanted: SitemapFilter,
  onSkip: (url: string) => void,
): AsyncGenerator<readonly TreeEvent[], void, void> {
  const skipped = new Set<number>();
  const left: Left = { sitemaps: 0, pages: 0, invalid: 0, warnings: 0 };
  for await (const batch of batches) {
    const wanted: TreeEvent[] = [];
    for (const event of batch) {
      if (event.type === "finished") {
        wanted.push({ ...event, stats: without(event.stats, left) });
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
      } else wanted.push(event);
    }
    if (wanted.length > 0) yield wanted;
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
