/**
 * The report of `sitetree stats`: text with bar charts, or JSON.
 *
 * @module
 */

import { bold, cyan, dim } from "@std/fmt/colors";
import { INVALID_CODES, WARNING_CODES } from "../data/codes.ts";
import type { SitemapType } from "../data/events.ts";
import { CHANGE_FREQUENCIES } from "../data/page.ts";
import { count, excerpt, grouped } from "../data/text.ts";
import { escapeControls, escapeControlsInJson } from "../write/escape.ts";
import { SITEMAP_KINDS } from "../write/outline.ts";
import type { Ending, WalkTally } from "./reading.ts";
import { type Faults, type StatsTally, TOP } from "./stats_tally.ts";
import { cutMiddle, padEnd, padStart, widthOf, wrap } from "./terminal.ts";

/** Types of sitemap that a report counts. */
const TYPES = Object.keys(SITEMAP_KINDS).filter((type) =>
  type !== "IndexWebsiteSitemap" && type !== "InvalidSitemap"
) as SitemapType[];

/** Outcome of a walk. */
export interface StatsOutcome {
  /** How it ended. */
  readonly ending: Ending;
  /** Its figures. */
  readonly tally: Pick<WalkTally, "sitemaps" | "pages" | "invalid" | "warnings">;
  /** Its duration in milliseconds. */
  readonly elapsed: number;
}

/** Returns a report as one JSON document. */
export function statsJson(stats: StatsTally, { ending, tally, elapsed }: StatsOutcome): string {
  const { overlap } = stats;
  const isEstimate = overlap.sampledOneIn > 1;
  const report = {
    url: stats.root,
    verdict: ending,
    durationMs: Math.round(elapsed),
    sitemaps: {
      count: tally.sitemaps,
      byType: Object.fromEntries(TYPES.map((type) => [type, stats.types.get(type) ?? 0])),
      withPages: stats.listing,
      largest: stats.largest,
    },
    pages: { count: tally.pages, kept: stats.pages, unique: overlap.addresses, isEstimate },
    hosts: hostsByPages(stats).map(([host, pages]) => ({ host, pages })),
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
      byCode: faultsJson(
        stats.warnings,
        WARNING_CODES,
        ({ sitemap: { url }, line, message }) => ({ url, line, message }),
      ),
    },
    invalid: {
      count: tally.invalid,
      byCode: faultsJson(
        stats.invalid,
        INVALID_CODES,
        ({ sitemap: { url }, reason }) => ({ url, reason }),
      ),
    },
  };
  return `${escapeControlsInJson(JSON.stringify(report, null, 2))}\n`;
}

function faultsJson<K extends string, E>(
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

/** Returns faults by code, the most frequent first. */
function faultsByCount<K, E>(all: ReadonlyMap<K, Faults<E>>): [K, Faults<E>][] {
  return [...all].sort((a, b) => b[1].count - a[1].count);
}

/** Returns hosts with their number of pages, the largest first. */
function hostsByPages({ hosts }: StatsTally): [string, number][] {
  return [...hosts].filter(([host]) => host !== "").sort((a, b) => b[1] - a[1]);
}

/** Options of {@linkcode statsText}. */
export interface StatsTextOptions {
  /** Columns of a line. */
  readonly width: number;
  /** Whether colors are used. */
  readonly color: boolean;
}

/** Returns a report as text, with the summary of the walk as its last line. */
export function statsText(stats: StatsTally, summary: string, options: StatsTextOptions): string {
  return new TextReport(stats, options).text(summary);
}

type Paint = (text: string) => string;

class TextReport {
  readonly #stats: StatsTally;
  readonly #width: number;
  readonly #heading: Paint;
  readonly #bar: Paint;
  readonly #faint: Paint;
  readonly #origin: string;
  readonly #lines: string[] = [];

  constructor(stats: StatsTally, { width, color }: StatsTextOptions) {
    this.#stats = stats;
    this.#width = width;
    this.#heading = color ? bold : same;
    this.#bar = color ? cyan : same;
    this.#faint = color ? dim : same;
    this.#origin = URL.parse(stats.root)?.origin ?? "";
  }

  text(summary: string): string {
    const stats = this.#stats;
    this.#lines.push(this.#heading(cutMiddle(escapeControls(stats.root), this.#width)));
    this.#chart(
      "Sitemaps by kind",
      TYPES.map((type) => [SITEMAP_KINDS[type], stats.types.get(type)]),
    );
    const shown = stats.listing > TOP ? ` (${TOP} of ${grouped(stats.listing)})` : "";
    const largest = stats.largest.map(({ url, pages }) => ({
      label: this.#short(url),
      count: pages,
    }));
    this.#section(`Pages by sitemap${shown}`, chartLines(largest, this.#width - 2, this.#bar));
    const hosts = hostsByPages(stats);
    const others = hosts.slice(TOP).reduce((sum, [, n]) => sum + n, stats.hosts.get("") ?? 0);
    this.#chart("Pages by host", [
      ...hosts.slice(0, TOP).map(([host, pages]) => [escapeControls(host), pages] as const),
      ["other hosts", others],
    ]);
    const dates = stats.dates.rows();
    if (stats.undated > 0) dates.push({ label: "no date", count: stats.undated });
    this.#section("Last modified", chartLines(dates, this.#width - 2, this.#bar));
    this.#chart("Change frequency", [
      ...CHANGE_FREQUENCIES.map((name) => [name, stats.frequencies.get(name)] as const),
      ["not given", stats.frequencies.get("")],
    ]);
    const priorities = stats.priorities.map((pages, tenths) =>
      [(tenths / 10).toFixed(1), pages] as const
    );
    this.#chart("Priority", [...priorities.reverse(), ["not given", stats.withoutPriority]]);
    this.#extensions();
    this.#overlap();
    this.#faults("Warnings", stats.warnings, WARNING_CODES, ({ sitemap, line, message }) => {
      const place = line === undefined ? "" : `:${line}`;
      return `${this.#short(sitemap.url)}${place}: ${excerpt(message)}`;
    });
    this.#faults(
      "Invalid sitemaps",
      stats.invalid,
      INVALID_CODES,
      ({ sitemap, reason }) => `${this.#short(sitemap.url)}: ${excerpt(reason)}`,
    );
    this.#section("Verdict", this.#paragraph(summary));
    return `${this.#lines.join("\n")}\n`;
  }

  /** Adds a heading with indented lines below it, if there are any. */
  #section(title: string, lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.#lines.push("", this.#heading(cutMiddle(title, this.#width)));
    for (const line of lines) this.#lines.push(`  ${line}`);
  }

  /** Adds a chart of the counts above zero. */
  #chart(title: string, counts: readonly (readonly [string, number | undefined])[]): void {
    const rows = counts.map(([label, count = 0]) => ({ label, count }));
    const present = rows.filter(({ count }) => count > 0);
    this.#section(title, chartLines(present, this.#width - 2, this.#bar));
  }

  #extensions(): void {
    const lines = [...this.#stats.extensions].flatMap(([name, { pages, items }]) => {
      const detail = name === "news" ? "" : `, ${grouped(items)} in all`;
      return this.#paragraph(`${name}: ${count(pages, "page")}${detail}`);
    });
    this.#section("Extensions", lines);
  }

  #overlap(): void {
    const { overlap, shared } = this.#stats;
    if (overlap.addresses === 0) return;
    const estimated = overlap.sampledOneIn > 1
      ? `; estimated from one in ${grouped(overlap.sampledOneIn)}`
      : "";
    const repeated = overlap.repeated === 0 ? "none" : grouped(overlap.repeated);
    const sum = `${repeated} of ${count(overlap.addresses, "different page")}${estimated}`;
    const examples = shared.flatMap(({ url, first, second }) => {
      const others = first === second ? "twice" : `and ${this.#short(second)}`;
      return this.#example(`${this.#short(url)} in ${this.#short(first)} ${others}`);
    });
    this.#section("Pages in several sitemaps", [...this.#paragraph(sum), ...examples]);
  }

  #faults<K extends string, E>(
    title: string,
    faults: ReadonlyMap<K, Faults<E>>,
    meanings: Readonly<Record<K, string>>,
    example: (event: E) => string,
  ): void {
    const lines = faultsByCount(faults).flatMap(([code, { count, examples }]) => [
      ...this.#paragraph(`${grouped(count)} × ${code}: ${meanings[code]}`),
      ...examples.flatMap((event) => this.#example(example(event))),
    ]);
    this.#section(title, lines);
  }

  /** Returns text broken into lines for a section; those after the first are indented further. */
  #paragraph(text: string, indent = "", paint: Paint = same): string[] {
    const width = this.#width - 2 - indent.length;
    const [first = "", ...rest] = wrap(escapeControls(text), width);
    const more = rest.length === 0 ? [] : wrap(rest.join(" "), width - 2);
    return [indent + paint(first), ...more.map((line) => `${indent}  ${paint(line)}`)];
  }

  /** Returns the lines of an example for the line above. */
  #example(text: string): string[] {
    return this.#paragraph(text, "  ", this.#faint);
  }

  /** Returns a URL without the origin of the site and without control characters. */
  #short(url: string): string {
    const isOwn = this.#origin !== "" && url.startsWith(`${this.#origin}/`);
    return escapeControls(excerpt(isOwn ? url.slice(this.#origin.length) : url));
  }
}

function same(text: string): string {
  return text;
}

/** A bar of a chart. */
export interface ChartRow {
  /** Label, without control characters. */
  readonly label: string;
  /** Length. */
  readonly count: number;
}

const EIGHTHS = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];
const GAP = 2;
const MAX_BAR = 40;
const MIN_BAR = 6;

/** Returns a bar of a number of columns; any length above 0 is visible. */
export function bar(length: number): string {
  const eighths = Math.round(length * 8);
  if (eighths <= 0) return length > 0 ? EIGHTHS[1]! : "";
  return "█".repeat(Math.floor(eighths / 8)) + EIGHTHS[eighths % 8]!;
}

/** Returns lines of label, count and bar that fit a width; `paint` colors the bars. */
export function chartLines(
  rows: readonly ChartRow[],
  width: number,
  paint: (bar: string) => string,
): string[] {
  const most = Math.max(...rows.map(({ count }) => count), 1);
  const countWidth = Math.max(...rows.map(({ count }) => grouped(count).length));
  const forLabels = width - GAP - countWidth - GAP - MIN_BAR;
  const longest = Math.max(...rows.map(({ label }) => widthOf(label)));
  const labelWidth = Math.max(1, Math.min(forLabels, longest));
  const barWidth = Math.min(MAX_BAR, width - labelWidth - GAP - countWidth - GAP);
  return rows.map(({ label, count }) => {
    const name = padEnd(cutMiddle(label, labelWidth), labelWidth);
    const number = padStart(grouped(count), countWidth);
    const drawn = barWidth < 1 ? "" : bar(count / most * barWidth);
    return `${name}  ${number}  ${drawn === "" ? "" : paint(drawn)}`.trimEnd();
  });
}
