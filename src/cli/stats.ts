/**
 * `sitetree stats`: a report on the sitemaps of a site, as text with bar charts or as JSON.
 *
 * @module
 */

import { INVALID_CODES, WARNING_CODES } from "../data/codes.ts";
import type { SitemapType, TreeEvent } from "../data/events.ts";
import { count, excerpt, grouped } from "../data/text.ts";
import { escapeControls, escapeControlsInJson } from "../write/escape.ts";
import { SITEMAP_KINDS } from "../write/outline.ts";
import { keepUrl, stripPrefix } from "../write/text.ts";
import type { Arguments } from "./arguments.ts";
import type { EventWriter } from "./event_writer.ts";
import type { FormatName } from "./format_names.ts";
import type { Reading } from "./reading.ts";
import { openSession, type Session } from "./session.ts";
import { readingPlan } from "./sources.ts";
import { type ChartRow, type Faults, StatsTally, TOP } from "./stats_tally.ts";
import { summaryLine } from "./summary.ts";
import { cutMiddle, padEnd, padStart, paint, terminalColumns, widthOf, wrap } from "./terminal.ts";

/** Columns of a report, at most on a terminal and always in a file. */
const MAX_WIDTH = 100;
const FILE_WIDTH = 80;

export async function stats(args: Arguments): Promise<number> {
  const format = args.format<FormatName<"report">>();
  const plan = await readingPlan(args);
  using session = await openSession(args);
  let reports = 0;
  return await session.run({
    ...plan,
    makeWriter: (_source, reading) => reportWriter(session, reading, format, reports++ > 0),
    isWriterPerSource: true,
    isReport: true,
  });
}

/** Returns a writer of a report, which is written once there are no more events. */
function reportWriter(
  { output, color }: Session,
  reading: Reading,
  format: FormatName<"report">,
  isFurther: boolean,
): EventWriter {
  const stats = new StatsTally();
  return {
    writeAll(events: readonly TreeEvent[]) {
      for (const event of events) stats.add(event);
    },
    async close() {
      const width = output.isTerminal ? Math.min(terminalColumns(), MAX_WIDTH) : FILE_WIDTH;
      const text = format === "json"
        ? statsJson(stats, reading)
        : (isFurther ? "\n" : "") + statsText(stats, summaryLine(reading), { width, color });
      await output.write(new TextEncoder().encode(text));
    },
  };
}

const TYPES = Object.keys(SITEMAP_KINDS).filter((type) =>
  type !== "IndexWebsiteSitemap" && type !== "InvalidSitemap"
) as SitemapType[];

export function statsJson(
  stats: StatsTally,
  { ending = "interrupted", tally, elapsed }: Pick<Reading, "ending" | "tally" | "elapsed">,
): string {
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
    pages: { count: tally.pages, kept: stats.pages, unique: overlap.urls, isEstimate },
    hosts: hostsByPages(stats).map(([host, pages]) => ({ host, pages })),
    otherHosts: { pages: stats.hosts.get("") ?? 0 },
    lastModified: {
      histogram: stats.dates.rows().map(({ label, count }) => ({ period: label, pages: count })),
      none: stats.undated,
    },
    changeFrequency: Object.fromEntries(stats.frequencies),
    priority: Object.fromEntries(stats.priorities),
    extensions: Object.fromEntries(stats.extensions),
    overlap: {
      pages: overlap.repeated,
      isEstimate,
      examples: stats.shared.map(({ url, first, second }) => ({ url, sitemaps: [first, second] })),
    },
    warnings: {
      count: tally.warnings,
      byCode: faultsJson(stats.warnings, WARNING_CODES, ({ sitemap, line, message }) => ({
        url: sitemap.url,
        line,
        message,
      })),
    },
    invalid: {
      count: tally.invalid,
      byCode: faultsJson(stats.invalid, INVALID_CODES, ({ sitemap, reason }) => ({
        url: sitemap.url,
        reason,
      })),
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

function faultsByCount<K, E>(all: ReadonlyMap<K, Faults<E>>): [K, Faults<E>][] {
  return [...all].sort((a, b) => b[1].count - a[1].count);
}

function hostsByPages({ hosts }: StatsTally): [string, number][] {
  return [...hosts].filter(([host]) => host !== "").sort((a, b) => b[1] - a[1]);
}

/** Returns a report as text, with the summary of the walk as its last line. */
export function statsText(
  stats: StatsTally,
  summary: string,
  { width, color }: { readonly width: number; readonly color: boolean },
): string {
  const text = new TextReport(width, color);
  const origin = URL.parse(stats.root)?.origin;
  const shorten = origin === undefined ? keepUrl : stripPrefix(origin);
  const short = (url: string) => escapeControls(excerpt(shorten(url)));
  text.title(escapeControls(stats.root));
  text.chart("Sitemaps by kind", TYPES.map((type) => [SITEMAP_KINDS[type], stats.types.get(type)]));
  const shown = stats.listing > TOP ? ` (${TOP} of ${grouped(stats.listing)})` : "";
  text.bars(
    `Pages by sitemap${shown}`,
    stats.largest.map(({ url, pages }) => ({ label: short(url), count: pages })),
  );
  const hosts = hostsByPages(stats);
  const others = hosts.slice(TOP).reduce((sum, [, pages]) => sum + pages, 0);
  text.chart("Pages by host", [
    ...hosts.slice(0, TOP).map(([host, pages]) => [escapeControls(host), pages] as const),
    ["other hosts", others + (stats.hosts.get("") ?? 0)],
  ]);
  const undated = { label: "no date", count: stats.undated };
  text.bars("Last modified", [...stats.dates.rows(), ...(stats.undated > 0 ? [undated] : [])]);
  const { none: noFrequency, ...frequencies } = Object.fromEntries(stats.frequencies);
  text.chart("Change frequency", [...Object.entries(frequencies), ["not given", noFrequency]]);
  const { none: noPriority, ...priorities } = Object.fromEntries(stats.priorities);
  text.chart("Priority", [...Object.entries(priorities).reverse(), ["not given", noPriority]]);
  const extensions = [...stats.extensions].flatMap(([name, { pages, items }]) => {
    const detail = name === "news" ? "" : `, ${grouped(items)} in all`;
    return text.paragraph(`${name}: ${count(pages, "page")}${detail}`);
  });
  text.section("Extensions", extensions);
  text.section("Pages in several sitemaps", overlapLines(stats, text, short));
  text.faults("Warnings", stats.warnings, WARNING_CODES, ({ sitemap, line, message }) => {
    const place = line === undefined ? "" : `:${line}`;
    return `${short(sitemap.url)}${place}: ${excerpt(message)}`;
  });
  text.faults("Invalid sitemaps", stats.invalid, INVALID_CODES, ({ sitemap, reason }) => {
    return `${short(sitemap.url)}: ${excerpt(reason)}`;
  });
  text.section("Verdict", text.paragraph(summary));
  return text.toString();
}

function overlapLines(
  { overlap, shared }: StatsTally,
  text: TextReport,
  short: (url: string) => string,
): string[] {
  const { urls, repeated, sampledOneIn } = overlap;
  if (urls === 0) return [];
  const estimated = sampledOneIn > 1 ? `; estimated from one in ${grouped(sampledOneIn)}` : "";
  const number = repeated === 0 ? "none" : grouped(repeated);
  return [
    ...text.paragraph(`${number} of ${count(urls, "different page")}${estimated}`),
    ...shared.flatMap(({ url, first, second }) => {
      const others = first === second ? "twice" : `and ${short(second)}`;
      return text.example(`${short(url)} in ${short(first)} ${others}`);
    }),
  ];
}

/** Lays out sections for a width. */
class TextReport {
  readonly #width: number;
  readonly #paint: (style: "bold" | "cyan" | "dim", text: string) => string;
  readonly #lines: string[] = [];

  constructor(width: number, color: boolean) {
    this.#width = width;
    this.#paint = color ? paint : (_style, text) => text;
  }

  toString(): string {
    return `${this.#lines.join("\n")}\n`;
  }

  title(text: string): void {
    this.#lines.push(this.#paint("bold", cutMiddle(text, this.#width)));
  }

  /** Adds a heading with indented lines below it, unless there are none. */
  section(title: string, lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.#lines.push("");
    this.title(title);
    for (const line of lines) this.#lines.push(`  ${line}`);
  }

  bars(title: string, rows: readonly ChartRow[]): void {
    this.section(title, chartLines(rows, this.#width - 2, (bar) => this.#paint("cyan", bar)));
  }

  /** Adds bars for the counts above zero. */
  chart(title: string, counts: readonly (readonly [string, number | undefined])[]): void {
    const rows = counts.map(([label, count = 0]) => ({ label, count }));
    this.bars(title, rows.filter(({ count }) => count > 0));
  }

  faults<K extends string, E>(
    title: string,
    faults: ReadonlyMap<K, Faults<E>>,
    meanings: Readonly<Record<K, string>>,
    exampleText: (event: E) => string,
  ): void {
    const lines = faultsByCount(faults).flatMap(([code, { count, examples }]) => [
      ...this.paragraph(`${grouped(count)} × ${code}: ${meanings[code]}`),
      ...examples.flatMap((event) => this.example(exampleText(event))),
    ]);
    this.section(title, lines);
  }

  /** Returns text broken into lines for a section; those after the first are indented further. */
  paragraph(text: string, indent = ""): string[] {
    const width = this.#width - 2 - indent.length;
    const [first = "", ...rest] = wrap(escapeControls(text), width);
    const more = rest.length === 0 ? [] : wrap(rest.join(" "), width - 2);
    return [indent + first, ...more.map((line) => `${indent}  ${line}`)];
  }

  /** Returns the lines of an example for the line above. */
  example(text: string): string[] {
    return this.paragraph(text, "  ").map((line) =>
      line.replace(/\S.*/, (text) => this.#paint("dim", text))
    );
  }
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
