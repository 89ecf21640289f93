/**
 * What a walk has come to so far.
 *
 * @module
 */

import type { WarningCode } from "../codes.ts";
import type { InvalidEvent, TreeEvent, Verdict, WarningEvent } from "../events.ts";

/** Counts the events of a walk, for the progress line and the summary. */
export class WalkTally {
  /** Sitemaps that were read or are being read, the web site itself not counted. */
  sitemaps = 0;
  /** Sitemaps that were left. */
  sitemapsRead = 0;
  /** Sitemaps that were declared so far; known paths count once they are found. */
  known = 0;
  /** Pages read. */
  pages = 0;
  /** Declared sitemaps that are unusable. */
  invalid = 0;
  /** Repairs and losses. */
  warnings = 0;
  /** Inflated bytes of the sitemaps that were left. */
  bytes = 0;
  /** The address of the sitemap that the last event was about. */
  current = "";
  /** How it ended, once it has. */
  verdict: Verdict | undefined;
  /** The first declared sitemap that was unusable. */
  firstInvalid: InvalidEvent | undefined;
  /** The first warning that bears on the whole walk. */
  firstObstacle: WarningEvent | undefined;
  /** The last warning of the first sitemap that was cut short. */
  firstCut: WarningEvent | undefined;
  /** Sitemaps that a document lists and nobody was to fetch. */
  unfetched = 0;
  #lastWarning: WarningEvent | undefined;

  /** Takes in an event. */
  see(event: TreeEvent): void {
    switch (event.type) {
      case "page":
        this.pages++;
        return;
      case "sitemap-entered":
        this.current = event.sitemap.url;
        if (event.sitemap.type !== "IndexWebsiteSitemap") this.sitemaps++;
        // No list declares these: robots.txt and what stands at known paths.
        if (event.sitemap.level === 0) this.known++;
        return;
      case "sitemap-left":
        this.bytes += event.bytes;
        if (event.sitemap.type !== "IndexWebsiteSitemap") this.sitemapsRead++;
        if (!event.complete && this.#lastWarning?.sitemap.id === event.sitemap.id) {
          this.firstCut ??= this.#lastWarning;
        }
        return;
      case "invalid":
        this.current = event.sitemap.url;
        if (event.code === "unfetched") {
          this.unfetched++;
          return;
        }
        this.firstInvalid ??= event;
        this.invalid++;
        return;
      case "warning":
        this.warnings++;
        this.#lastWarning = event;
        if (OBSTACLES.has(event.code)) this.firstObstacle ??= event;
        return;
      case "finished":
        this.verdict = event.verdict;
        this.warnings = event.stats.warnings;
    }
  }
}

/** Warnings that bear on the whole walk. */
const OBSTACLES: ReadonlySet<WarningCode> = new Set([
  "robots-unreadable",
  "probe-failed",
  "deadline",
  "max-pages",
  "max-sitemaps",
]);
