/**
 * Reports as text, for people: sections with figures as bar charts, and the findings of a check.
 *
 * @module
 */

import {
  exampleText,
  furtherExamples,
  messageOf,
  shortUrls,
} from "../check/formats/finding_text.ts";
import { COLORS, groups } from "../check/formats/text.ts";
import { countsText } from "../check/severity.ts";
import { INVALID_CODES, WARNING_CODES } from "../data/codes.ts";
import type { SitemapType } from "../data/events.ts";
import { SITEMAP_KINDS } from "../data/sitemap_kinds.ts";
import { count, excerpt, grouped } from "../data/text.ts";
import { type Paint, painter } from "../write/ansi.ts";
import { escapeControls } from "../write/escape.ts";
import { indented, wrap } from "../write/layout.ts";
import { type RowSpec, tableText } from "../write/rows.ts";
import type { ShortenUrl } from "../write/text.ts";
import { chartLines, type ChartRow } from "./bar_chart.ts";
import { fewerPeriods } from "./dates.ts";
import type { Report, ReportCount, ReportFault, ReportSite } from "./report.ts";
import { sumOfPages } from "./sums.ts";

/** Number of the largest sitemaps, hosts, paths and patterns in a report. */
const TOP = 10;
/** Periods of last modifications in a report. */
const MAX_PERIODS = 24;

interface ReportTextOptions {
  readonly width: number;
  readonly color: boolean;
  /** The only operand, which a report without a site is named after. */
  readonly name?: string | undefined;
  /** Summary of the only operand, for the last line. */
  readonly summary?: string | undefined;
}

export function reportText(report: Report, options: ReportTextOptions): string {
  const { sites, totals, types, warnings, invalid } = report;
  const { width, name, summary } = options;
  const root = totals.sites > 1 ? undefined : sites[0]?.url || name;
  const text = new TextReport(options, root);
  text.title(escapeControls(root ?? count(totals.sites, "site")));
  const kinds = Object.entries(SITEMAP_KINDS) as [SitemapType, string][];
  text.chart("Sitemaps by kind", kinds.map(([type, kind]) => [kind, types[type] ?? 0]));
  addSitemaps(text, report);
  addPlaces(text, report);
  addFields(text, report);
  addOverlap(text, report);
  text.faults("Warnings", warnings, WARNING_CODES);
  text.faults("Invalid sitemaps", invalid, INVALID_CODES);
  addFindings(text, report, root);
  const hasTable = totals.sites > 1 || summary === undefined;
  text.section("Verdict", [
    ...(hasTable ? siteLines(report, width - 2) : []),
    ...(summary === undefined ? [] : text.paragraph(summary)),
  ]);
  return text.toString();
}

function addSitemaps(text: TextReport, { sitemaps, totals: { listings } }: Report): void {
  const largest = sitemaps.filter(({ type, merged }) =>
    type.startsWith("Pages") && merged === undefined
  ).sort((a, b) => b.pages - a.pages).slice(0, TOP);
  const part = listings > TOP ? ` (${TOP} of ${grouped(listings)})` : "";
  text.bars(`Pages by sitemap${part}`, largest.map(({ url, pages }) => [text.short(url), pages]));
}

/** Returns pages by the first part of their path, on all hosts, and the pages of others. */
function pathsOf({ paths }: Report): [ReportCount[], number] {
  const parts = new Map<string, number>();
  let others = paths.other ?? 0;
  for (const { children = [], own = 0, other = 0 } of paths.children ?? []) {
    others += other;
    for (const { name, pages } of [{ name: "", pages: own }, ...children]) {
      parts.set(`/${name}`, (parts.get(`/${name}`) ?? 0) + pages);
    }
  }
  const items = [...parts].map(([name, pages]) => ({ name, pages }));
  return [items.sort((a, b) => b.pages - a.pages), others];
}

/** Adds the sections about URLs of pages. */
function addPlaces(text: TextReport, report: Report): void {
  const chart = (title: string, items: readonly ReportCount[], other: number, noun: string) =>
    text.chart(`Pages by ${title}`, [
      ...items.slice(0, TOP).map(({ name, pages }): ChartRow => [escapeControls(name), pages]),
      [`other ${noun}`, other + sumOfPages(items.slice(TOP))],
    ]);
  chart("host", report.hosts, report.otherHosts, "hosts");
  chart("first part of the path", ...pathsOf(report), "paths");
  const patterns = report.patterns.map(({ pattern, pages }) => ({ name: pattern, pages }));
  chart("URL pattern", patterns, report.otherPatterns, "patterns");
}

/** Adds the sections about fields of pages. */
function addFields(text: TextReport, report: Report): void {
  // even those without a page between others
  const { periods, earlier, later, none } = fewerPeriods(report.dates, MAX_PERIODS);
  const others = (...row: ChartRow) => row[1] > 0 ? [row] : [];
  text.bars("Last modified", [
    ...others("earlier", earlier),
    ...periods.map(({ name, pages }): ChartRow => [name, pages]),
    ...others("later", later),
    ...others("no date", none),
  ]);
  const { none: noFrequency, ...frequencies } = report.frequencies;
  text.chart("Change frequency", [...Object.entries(frequencies), ["not given", noFrequency]]);
  const { none: noPriority = 0, ...priorities } = report.priorities;
  text.chart("Priority", [...Object.entries(priorities).reverse(), ["not given", noPriority]]);
  const extensions = Object.entries(report.extensions).flatMap(([name, { pages, items }]) => {
    const detail = name === "news" ? "" : `, ${grouped(items)} in all`;
    return pages === 0 ? [] : text.paragraph(`${name}: ${count(pages, "page")}${detail}`);
  });
  text.section("Extensions", extensions);
}

function addOverlap(text: TextReport, { overlap, sites }: Report): void {
  const { urls, repeated, sampledOneIn, examples } = overlap;
  if (urls === 0) return;
  const estimated = sampledOneIn > 1 ? `; estimated from one in ${grouped(sampledOneIn)}` : "";
  const number = repeated === 0 ? "none" : grouped(repeated);
  const each = sites.length > 1 ? ", each site by itself" : "";
  text.section("Pages in several sitemaps", [
    ...text.paragraph(`${number} of ${count(urls, "different page")}${each}${estimated}`),
    ...examples.flatMap(({ url, sitemaps: [first, second] }) => {
      const others = first === second ? "twice" : `and ${text.short(second)}`;
      return text.example(`${text.short(url)} in ${text.short(first)} ${others}`);
    }),
  ]);
}

/** Adds the first finding of each rule, in the words of `check`; one about `root` does not name it. */
function addFindings(
  text: TextReport,
  { findings, sites }: Report,
  root: string | undefined,
): void {
  if (findings === undefined || sites.length === 0) return;
  const { counts, items, skipped } = findings;
  const isComplete = sites.every(({ verdict }) => verdict === "complete");
  const none = isComplete ? "no problems" : "nothing found";
  const lines = groups(items).flatMap(([first, ...others]) => {
    const { code, severity, sitemap } = first;
    const isNamed = sitemap !== undefined && sitemap !== root;
    const place = `${severity} ${code}${isNamed ? `: ${text.short(sitemap)}` : ""}`;
    const [example] = furtherExamples(first);
    return [
      ...text.paragraph(messageOf(first, place)).map((line, at) =>
        at > 0 ? line : line.replace(severity, text.paint(COLORS[severity], severity))
      ),
      ...(example === undefined ? [] : text.example(exampleText(example, text.short))),
      ...(others.length === 0 ? [] : text.example(`and ${grouped(others.length)} more`)),
    ];
  });
  if (skipped.length > 0) {
    lines.push(text.paint("dim", `${count(skipped.length, "rule")} not judged`));
  }
  text.section("Findings", [countsText(counts) || none, ...lines]);
}

const SITES: RowSpec<Pick<ReportSite, "url" | "sitemaps" | "pages"> & { verdict?: string }> = {
  columns: [
    ["site", ({ url }) => url],
    ["verdict", ({ verdict = "unfinished" }) => verdict],
    ["sitemaps", ({ sitemaps }) => sitemaps, "count"],
    ["pages", ({ pages }) => pages, "count"],
  ],
  drop: ["sitemaps"],
};

/** Returns a table of the sites, with sums if there are several. */
function siteLines({ sites, totals }: Report, width: number): string[] {
  if (sites.length === 0) return [];
  const sums = { ...totals, url: count(totals.sites, "site"), verdict: "" };
  const rows = totals.sites > 1 ? [...sites, sums] : sites;
  return tableText(SITES, rows, width).trimEnd().split("\n");
}

/** Lays out sections for a width. */
class TextReport {
  readonly #width: number;
  readonly paint: Paint;
  readonly short: ShortenUrl;
  readonly #lines: string[] = [];

  /** URLs of the origin of `root` are shown without it. */
  constructor({ width, color }: ReportTextOptions, root: string | undefined) {
    this.#width = width;
    this.paint = painter(color);
    this.short = shortUrls(root);
  }

  toString(): string {
    return `${this.#lines.join("\n")}\n`;
  }

  title(text: string): void {
    this.#lines.push(...wrap(text, this.#width).map((line) => this.paint("bold", line)));
  }

  /** Adds a heading with indented lines below it, unless there are none. */
  section(title: string, lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.#lines.push("");
    this.title(title);
    for (const line of lines) this.#lines.push(`  ${line}`);
  }

  bars(title: string, rows: readonly ChartRow[]): void {
    this.section(title, chartLines(rows, this.#width - 2, (bar) => this.paint("cyan", bar)));
  }

  /** Adds bars for the counts above zero. */
  chart(title: string, rows: readonly ChartRow[]): void {
    this.bars(title, rows.filter(([, count]) => count > 0));
  }

  faults(
    title: string,
    faults: readonly ReportFault[],
    meanings: Readonly<Record<string, string>>,
  ): void {
    const lines = faults.flatMap(({ code, count, examples }) => [
      ...this.paragraph(`${grouped(count)} × ${code}: ${meanings[code]}`),
      ...examples.flatMap(({ url, line, message }) => {
        const place = line === undefined ? "" : `:${line}`;
        return this.example(`${this.short(url)}${place}: ${excerpt(message)}`);
      }),
    ]);
    this.section(title, lines);
  }

  /** Returns text broken into lines for a section; those after the first are indented further. */
  paragraph(text: string, indent = ""): string[] {
    return indented(escapeControls(text), indent, this.#width - 2);
  }

  /** Returns the lines of an example for the line above. */
  example(text: string): string[] {
    return this.paragraph(text, "  ").map((line) =>
      line.replace(/\S.*/, (text) => this.paint("dim", text))
    );
  }
}
