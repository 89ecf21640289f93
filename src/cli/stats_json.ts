/**
 * The report of `sitetree stats -f json`.
 *
 * @module
 */

import { INVALID_CODES, WARNING_CODES } from "../codes.ts";
import { CHANGE_FREQUENCIES } from "../page.ts";
import { escapeControlsInJson } from "../write/escape.ts";
import { type Faults, faultsByCount, KINDS, type StatsTally } from "./stats_tally.ts";
import type { Ending } from "./reading.ts";
import type { WalkTally } from "./walk_tally.ts";

/** Outcome of a walk. */
export interface StatsOutcome {
  /** How it ended. */
  readonly ending: Ending;
  /** Its figures. */
  readonly tally: Pick<WalkTally, "sitemaps" | "pages" | "invalid" | "warnings">;
  /** How long it took, in milliseconds. */
  readonly elapsed: number;
}

/** Returns a report as one JSON document, with the figures of the text report. */
export function statsJson(stats: StatsTally, { ending, tally, elapsed }: StatsOutcome): string {
  const { overlap } = stats;
  const isEstimate = overlap.sampledOneIn > 1;
  const report = {
    url: stats.root,
    verdict: ending,
    durationMs: Math.round(elapsed),
    sitemaps: {
      count: tally.sitemaps,
      byType: Object.fromEntries(KINDS.map(([type]) => [type, stats.kinds.get(type) ?? 0])),
      withPages: stats.listing,
      largest: stats.largest,
    },
    pages: { count: tally.pages, kept: stats.pages, unique: overlap.addresses, isEstimate },
    hosts: [...stats.hosts]
      .filter(([host]) => host !== "")
      .sort((a, b) => b[1] - a[1])
      .map(([host, pages]) => ({ host, pages })),
    otherHosts: { pages: stats.hosts.get("") ?? 0 },
    lastModified: {
      histogram: stats.dates.rows().map(({ label, count }) => ({ period: label, pages: count })),
      none: stats.undated,
    },
    changeFrequency: {
      ...Object.fromEntries(
        CHANGE_FREQUENCIES.map((name) => [name, stats.frequencies.get(name) ?? 0]),
      ),
      none: stats.frequencies.get("") ?? 0,
    },
    priority: {
      ...Object.fromEntries(
        stats.priorities.map((pages, tenths) => [(tenths / 10).toFixed(1), pages]),
      ),
      none: stats.withoutPriority,
    },
    extensions: Object.fromEntries(stats.extensions),
    overlap: {
      pages: overlap.repeated,
      isEstimate,
      examples: stats.shared.map(({ url, first, second }) => ({ url, sitemaps: [first, second] })),
    },
    warnings: {
      count: tally.warnings,
      byCode: byCode(stats.warnings, WARNING_CODES, ({ sitemap, line, message }) => ({
        url: sitemap.url,
        line,
        message,
      })),
    },
    invalid: {
      count: tally.invalid,
      byCode: byCode(stats.invalid, INVALID_CODES, ({ sitemap, reason }) => ({
        url: sitemap.url,
        reason,
      })),
    },
  };
  return `${escapeControlsInJson(JSON.stringify(report, null, 2))}\n`;
}

function byCode<K extends string, E>(
  all: ReadonlyMap<K, Faults<E>>,
  meanings: Readonly<Record<K, string>>,
  example: (event: E) => object,
): Record<string, object> {
  return Object.fromEntries(
    faultsByCount(all).map(([code, { count, examples }]) => [
      code,
      { count, meaning: meanings[code], examples: examples.map(example) },
    ]),
  );
}
