/**
 * `sitetree stats`: a report on the sitemaps of a site, as text with bar charts or as JSON.
 *
 * @module
 */

import { INVALID_CODES, WARNING_CODES } from "../data/codes.ts";
import type { SitemapType, TreeEvent } from "../data/events.ts";
import { isFuture, latestDates } from "../data/date.ts";
import { count, excerpt, grouped } from "../data/text.ts";
import { Aggregate } from "../report/aggregate.ts";
import { fewerPeriods } from "../report/dates.ts";
import type {
  ExtensionName,
  Report,
  ReportCount,
  ReportDates,
  ReportExtension,
  ReportFault,
  ReportSitemap,
} from "../report/report.ts";
import { escapeControls, escapeControlsInJson } from "../write/escape.ts";
import { SITEMAP_KINDS } from "../data/sitemap_kinds.ts";
import { keepUrl, stripPrefix } from "../write/text.ts";
import type { Arguments } from "./arguments.ts";
import type { EventWriter } from "./event_writer.ts";
import type { FormatName } from "./format_names.ts";
import type { Reading } from "./reading.ts";
import { openSession, type Session } from "./session.ts";
import { readingPlan } from "./sources.ts";
import { summaryLine } from "./summary.ts";
import { padEnd, padStart, paint, terminalColumns, widthOf, wrap } from "./terminal.ts";

/** Columns of a report, at most on a terminal and always in a file. */
const MAX_WIDTH = 100;
const FILE_WIDTH = 80;
/** Number of the largest sitemaps, hosts, paths and patterns in a report. */
const TOP = 10;
/** Number of first parts of paths in JSON. */
const MAX_PATHS = 100;
/** Periods of last modifications in a report. */
const MAX_PERIODS = 24;

interface ChartRow {
  readonly label: string;
  readonly count: number;
}

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
  const aggregate = new Aggregate({ check: false });
  const walk = aggregate.walk();
  const latest = latestDates(new Date());
  let future = 0;
  return {
    writeAll(events: readonly TreeEvent[]) {
      for (const event of events) {
        walk.add(event);
        if (event.type !== "page") continue;
        const { lastModified } = event.page;
        if (lastModified !== undefined && isFuture(lastModified, latest)) future++;
      }
    },
    async close() {
      const result = aggregate.result();
      // interrupted before the first event
      const sites = [{ url: reading.name, pages: 0, sitemaps: 0 }];
      const report = urlOf(result) === "" ? { ...result, sites } : result;
      const width = output.isTerminal ? Math.min(terminalColumns(), MAX_WIDTH) : FILE_WIDTH;
      const text = format === "json"
        ? statsJson(report, reading, future)
        : (isFurther ? "\n" : "") +
          statsText(report, summaryLine(reading), { width, color, future });
      await output.write(new TextEncoder().encode(text));
    },
  };
}

const TYPES = Object.keys(SITEMAP_KINDS).filter((type) =>
  type !== "IndexWebsiteSitemap" && type !== "InvalidSitemap"
) as SitemapType[];

export function statsJson(
  report: Report,
  { ending = "interrupted", tally, elapsed }: Pick<Reading, "ending" | "tally" | "elapsed">,
  future: number,
): string {
  const { overlap, totals } = report;
  const isEstimate = overlap.sampledOneIn > 1;
  const [paths, otherPaths] = largestPaths(report, MAX_PATHS);
  const stats = {
    url: urlOf(report),
    verdict: ending,
    durationMs: Math.round(elapsed),
    sitemaps: {
      count: tally.sitemaps,
      byType: Object.fromEntries(TYPES.map((type) => [type, report.types[type] ?? 0])),
      withPages: totals.listings,
      largest: largestOf(report).map(({ url, pages }) => ({ url, pages })),
    },
    pages: { count: tally.pages, kept: totals.pages, unique: overlap.urls, isEstimate },
    hosts: report.hosts.map(({ name, pages }) => ({ host: name, pages })),
    otherHosts: { pages: report.otherHosts },
    paths: paths.map(({ name, pages }) => ({ path: name, pages })),
    otherPaths: { pages: otherPaths },
    patterns: report.patterns,
    otherPatterns: { pages: report.otherPatterns },
    lastModified: {
      histogram: periodsOf(report.dates).map(({ label, count }) => ({
        period: label,
        pages: count,
      })),
      none: report.dates.none,
      future,
    },
    changeFrequency: report.frequencies,
    priority: report.priorities,
    extensions: Object.fromEntries(extensionsOf(report)),
    overlap: {
      pages: overlap.repeated,
      isEstimate,
      examples: overlap.examples.map(({ url, sitemaps }) => ({ url, sitemaps })),
    },
    warnings: {
      count: tally.warnings,
      byCode: faultsJson(report.warnings, WARNING_CODES, (example) => example),
    },
    invalid: {
      count: tally.invalid,
      byCode: faultsJson(report.invalid, INVALID_CODES, ({ url, message }) => ({
        url,
        reason: message,
      })),
    },
  };
  return `${escapeControlsInJson(JSON.stringify(stats, null, 2))}\n`;
}

type Example = ReportFault["examples"][number];

function faultsJson(
  faults: readonly ReportFault[],
  meanings: Readonly<Record<string, string>>,
  exampleOf: (example: Example) => object,
): Record<string, object> {
  return Object.fromEntries(
    faults.map(({ code, count, examples }) => [
      code,
      { count, meaning: meanings[code], examples: examples.map(exampleOf) },
    ]),
  );
}

function urlOf({ sites }: Report): string {
  return sites[0]?.url ?? "";
}

/** Returns the sitemaps with the most pages. */
function largestOf({ sitemaps }: Report): readonly ReportSitemap[] {
  return sitemaps.filter(({ type, merged }) => type.startsWith("Pages") && merged === undefined)
    .sort((a, b) => b.pages - a.pages).slice(0, TOP);
}

/** Returns the first parts of paths with the most pages, on all hosts, and the pages of all others. */
function largestPaths({ paths }: Report, limit: number): [ReportCount[], number] {
  const parts = new Map<string, number>();
  let others = paths.other ?? 0;
  for (const { children = [], own = 0, other = 0 } of paths.children ?? []) {
    others += other;
    for (const { name, pages } of [{ name: "", pages: own }, ...children]) {
      parts.set(`/${name}`, (parts.get(`/${name}`) ?? 0) + pages);
    }
  }
  const items = [...parts].map(([name, pages]) => ({ name, pages }))
    .filter(({ pages }) => pages > 0)
    .sort((a, b) => b.pages - a.pages);
  return [items.slice(0, limit), pagesOf(items.slice(limit), others)];
}

/** Returns the sum of the pages of items, and of others. */
function pagesOf(items: readonly { readonly pages: number }[], others: number): number {
  return items.reduce((sum, { pages }) => sum + pages, others);
}

/** Returns the extensions that pages have. */
function extensionsOf({ extensions }: Report): [ExtensionName, ReportExtension][] {
  return (Object.entries(extensions) as [ExtensionName, ReportExtension][])
    .filter(([, { pages }]) => pages > 0);
}

function periodsOf(dates: ReportDates): ChartRow[] {
  const { periods, earlier, later } = fewerPeriods(dates, MAX_PERIODS);
  return [
    ...(earlier > 0 ? [{ label: "earlier", count: earlier }] : []),
    ...periods.map(({ name, pages }) => ({ label: name, count: pages })),
    ...(later > 0 ? [{ label: "later", count: later }] : []),
  ];
}

/** Returns a report as text, with the summary of the walk as its last line. */
export function statsText(
  report: Report,
  summary: string,
  { width, color, future }: {
    readonly width: number;
    readonly color: boolean;
    /** Pages with a date in the future. */
    readonly future: number;
  },
): string {
  const text = new TextReport(width, color);
  const root = urlOf(report);
  const origin = URL.parse(root)?.origin;
  const shorten = origin === undefined ? keepUrl : stripPrefix(origin);
  const short = (url: string) => escapeControls(excerpt(shorten(url)));
  text.title(escapeControls(root));
  text.chart("Sitemaps by kind", TYPES.map((type) => [SITEMAP_KINDS[type], report.types[type]]));
  const { listings } = report.totals;
  text.bars(
    `Pages by sitemap${listings > TOP ? ` (${TOP} of ${grouped(listings)})` : ""}`,
    largestOf(report).map(({ url, pages }) => ({ label: short(url), count: pages })),
  );
  addPlaces(text, report);
  addFields(text, report, future);
  text.section("Pages in several sitemaps", overlapLines(report, text, short));
  text.faults("Warnings", report.warnings, WARNING_CODES, ({ url, line, message }) => {
    const place = line === undefined ? "" : `:${line}`;
    return `${short(url)}${place}: ${excerpt(message)}`;
  });
  text.faults("Invalid sitemaps", report.invalid, INVALID_CODES, ({ url, message }) => {
    return `${short(url)}: ${excerpt(message)}`;
  });
  text.section("Verdict", text.paragraph(summary));
  return text.toString();
}

/** Adds the sections about URLs of pages. */
function addPlaces(text: TextReport, report: Report): void {
  const { hosts, otherHosts, patterns, otherPatterns } = report;
  const [paths, otherPaths] = largestPaths(report, TOP);
  const chart = (title: string, items: readonly ReportCount[], other: number, noun: string) =>
    text.chart(`Pages by ${title}`, [
      ...items.slice(0, TOP).map(({ name, pages }) => [escapeControls(name), pages] as const),
      [`other ${noun}`, pagesOf(items.slice(TOP), other)],
    ]);
  chart("host", hosts, otherHosts, "hosts");
  chart("first part of the path", paths, otherPaths, "paths");
  const forms = patterns.map(({ pattern, pages }) => ({ name: pattern, pages }));
  chart("URL pattern", forms, otherPatterns, "patterns");
}

/** Adds the sections about fields of pages. */
function addFields(text: TextReport, report: Report, future: number): void {
  const { none } = report.dates;
  const undated = none > 0 ? [{ label: "no date", count: none }] : [];
  const late = future > 0 ? text.paragraph(`${count(future, "page")} dated in the future`) : [];
  text.bars("Last modified", [...periodsOf(report.dates), ...undated], late);
  const { none: noFrequency, ...frequencies } = report.frequencies;
  text.chart("Change frequency", [...Object.entries(frequencies), ["not given", noFrequency]]);
  const { none: noPriority, ...priorities } = report.priorities;
  text.chart("Priority", [...Object.entries(priorities).reverse(), ["not given", noPriority]]);
  const extensions = extensionsOf(report).flatMap(([name, { pages, items }]) => {
    const detail = name === "news" ? "" : `, ${grouped(items)} in all`;
    return text.paragraph(`${name}: ${count(pages, "page")}${detail}`);
  });
  text.section("Extensions", extensions);
}

function overlapLines(
  { overlap }: Report,
  text: TextReport,
  short: (url: string) => string,
): string[] {
  const { urls, repeated, sampledOneIn, examples } = overlap;
  if (urls === 0) return [];
  const estimated = sampledOneIn > 1 ? `; estimated from one in ${grouped(sampledOneIn)}` : "";
  const number = repeated === 0 ? "none" : grouped(repeated);
  return [
    ...text.paragraph(`${number} of ${count(urls, "different page")}${estimated}`),
    ...examples.flatMap(({ url, sitemaps: [first, second] }) => {
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
    this.#lines.push(...wrap(text, this.#width).map((line) => this.#paint("bold", line)));
  }

  /** Adds a heading with indented lines below it, unless there are none. */
  section(title: string, lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.#lines.push("");
    this.title(title);
    for (const line of lines) this.#lines.push(`  ${line}`);
  }

  bars(title: string, rows: readonly ChartRow[], more: readonly string[] = []): void {
    const lines = chartLines(rows, this.#width - 2, (bar) => this.#paint("cyan", bar));
    this.section(title, [...lines, ...more]);
  }

  /** Adds bars for the counts above zero. */
  chart(title: string, counts: readonly (readonly [string, number | undefined])[]): void {
    const rows = counts.map(([label, count = 0]) => ({ label, count }));
    this.bars(title, rows.filter(({ count }) => count > 0));
  }

  faults(
    title: string,
    faults: readonly ReportFault[],
    meanings: Readonly<Record<string, string>>,
    exampleText: (example: Example) => string,
  ): void {
    const lines = faults.flatMap(({ code, count, examples }) => [
      ...this.paragraph(`${grouped(count)} × ${code}: ${meanings[code]}`),
      ...examples.flatMap((example) => this.example(exampleText(example))),
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

/**
 * Returns lines of label, count and bar that fit a width; `paint` colors the bars. A label that does
 * not fit has a line of its own.
 */
export function chartLines(
  rows: readonly ChartRow[],
  width: number,
  paint: (bar: string) => string,
): string[] {
  const most = Math.max(...rows.map(({ count }) => count), 1);
  const countWidth = Math.max(...rows.map(({ count }) => grouped(count).length));
  const forLabels = width - GAP - countWidth - GAP - MIN_BAR;
  const longest = Math.max(...rows.map(({ label }) => widthOf(label)));
  const labelWidth = Math.max(0, Math.min(forLabels, longest));
  const barWidth = Math.min(MAX_BAR, width - labelWidth - GAP - countWidth - GAP);
  return rows.flatMap(({ label, count }) => {
    const isLong = widthOf(label) > labelWidth;
    const name = padEnd(isLong ? "" : label, labelWidth);
    const number = padStart(grouped(count), countWidth);
    const drawn = barWidth < 1 ? "" : bar(count / most * barWidth);
    const line = `${name}  ${number}  ${drawn === "" ? "" : paint(drawn)}`.trimEnd();
    return isLong ? [label, line] : [line];
  });
}
