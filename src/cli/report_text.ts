/**
 * Reports as text, for people: sections with figures as bar charts, and the findings of a check.
 *
 * @module
 */

import { exampleText, furtherExamples, messageOf } from "../check/formats/finding_text.ts";
import { COLORS, groups } from "../check/formats/text.ts";
import { countsText } from "../check/severity.ts";
import { INVALID_CODES, WARNING_CODES } from "../data/codes.ts";
import type { SitemapType } from "../data/events.ts";
import { SITEMAP_KINDS } from "../data/sitemap_kinds.ts";
import { count, excerpt, grouped } from "../data/text.ts";
import { fewerPeriods } from "../report/dates.ts";
import type { Report } from "../report/mod.ts";
import { type Paint, painter } from "../write/ansi.ts";
import { escapeControls } from "../write/escape.ts";
import { type RowSpec, tableText } from "../write/rows.ts";
import { keepUrl, type ShortenUrl, stripPrefix } from "../write/text.ts";
import { chartLines, type ChartRow } from "./bar_chart.ts";
import { indented, wrap } from "../write/layout.ts";

/** Number of the largest sitemaps, hosts, paths and patterns in a report. */
const TOP = 10;
/** Periods of last modifications in a report. */
const MAX_PERIODS = 24;

const TYPES = Object.keys(SITEMAP_KINDS).filter((type) =>
  type !== "IndexWebsiteSitemap" && type !== "InvalidSitemap"
) as SitemapType[];

type PageCount = Report["hosts"][number];

interface ReportTextOptions {
  readonly width: number;
  readonly color: boolean;
  /** The only operand, which a report without a site is named after. */
  readonly name?: string | undefined;
  /** Summary of the only operand, for the last line. */
  readonly summary?: string | undefined;
}

export function reportText(
  report: Report,
  { width, color, name, summary }: ReportTextOptions,
): string {
  const { sites, totals } = report;
  const text = new TextReport(width, color);
  const root = totals.sites > 1 ? undefined : sites[0]?.url || name;
  const origin = root && URL.parse(root)?.origin;
  const shorten = origin ? stripPrefix(origin) : keepUrl;
  const short = (url: string) => escapeControls(excerpt(shorten(url)));
  text.title(escapeControls(root ?? count(totals.sites, "site")));
  text.chart(
    "Sitemaps by kind",
    TYPES.map((type) => [SITEMAP_KINDS[type], report.types[type]]),
  );
  const { listings } = totals;
  text.bars(
    `Pages by sitemap${listings > TOP ? ` (${TOP} of ${grouped(listings)})` : ""}`,
    largestOf(report).map(({ url, pages }) => [short(url), pages]),
  );
  addPlaces(text, report);
  addFields(text, report);
  text.section("Pages in several sitemaps", overlapLines(report, text, short));
  text.faults("Warnings", report.warnings, WARNING_CODES, short);
  text.faults("Invalid sitemaps", report.invalid, INVALID_CODES, short);
  addFindings(text, report, root, short);
  const hasTable = totals.sites > 1 || summary === undefined;
  text.section("Verdict", [
    ...(hasTable ? siteLines(report, width - 2) : []),
    ...(summary === undefined ? [] : text.paragraph(summary)),
  ]);
  return text.toString();
}

/** Returns the periods of last modifications, even those without a page between others. */
function periodRows({ dates }: Report): ChartRow[] {
  const { periods, earlier, later, none } = fewerPeriods(dates, MAX_PERIODS);
  const others = (...row: ChartRow) => row[1] > 0 ? [row] : [];
  return [
    ...others("earlier", earlier),
    ...periods.map(({ name, pages }): ChartRow => [name, pages]),
    ...others("later", later),
    ...others("no date", none),
  ];
}

/** Returns the sitemaps with the most pages. */
function largestOf({ sitemaps }: Report): Report["sitemaps"] {
  return sitemaps.filter(({ type, merged }) => type.startsWith("Pages") && merged === undefined)
    .sort((a, b) => b.pages - a.pages).slice(0, TOP);
}

/** Returns pages by the first part of their path, on all hosts, and the pages of others. */
function pathsOf({ paths }: Report): [PageCount[], number] {
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
  return [items, others];
}

/** Adds the sections about URLs of pages. */
function addPlaces(text: TextReport, report: Report): void {
  const { hosts, otherHosts, patterns, otherPatterns } = report;
  const [paths, otherPaths] = pathsOf(report);
  const chart = (title: string, items: readonly PageCount[], other: number, noun: string) =>
    text.chart(`Pages by ${title}`, [
      ...items.slice(0, TOP).map(({ name, pages }): ChartRow => [escapeControls(name), pages]),
      [`other ${noun}`, items.slice(TOP).reduce((sum, { pages }) => sum + pages, other)],
    ]);
  chart("host", hosts, otherHosts, "hosts");
  chart("first part of the path", paths, otherPaths, "paths");
  const forms = patterns.map(({ pattern, pages }) => ({ name: pattern, pages }));
  chart("URL pattern", forms, otherPatterns, "patterns");
}

/** Adds the sections about fields of pages. */
function addFields(text: TextReport, report: Report): void {
  text.bars("Last modified", periodRows(report));
  const { none: noFrequency, ...frequencies } = report.frequencies;
  text.chart("Change frequency", [...Object.entries(frequencies), ["not given", noFrequency]]);
  const { none: noPriority, ...priorities } = report.priorities;
  text.chart("Priority", [...Object.entries(priorities).reverse(), ["not given", noPriority]]);
  const extensions = Object.entries(report.extensions).flatMap(([name, { pages, items }]) => {
    const detail = name === "news" ? "" : `, ${grouped(items)} in all`;
    return pages === 0 ? [] : text.paragraph(`${name}: ${count(pages, "page")}${detail}`);
  });
  text.section("Extensions", extensions);
}

function overlapLines(
  { overlap, sites }: Report,
  text: TextReport,
  short: ShortenUrl,
): string[] {
  const { urls, repeated, sampledOneIn, examples } = overlap;
  if (urls === 0) return [];
  const estimated = sampledOneIn > 1 ? `; estimated from one in ${grouped(sampledOneIn)}` : "";
  const number = repeated === 0 ? "none" : grouped(repeated);
  const each = sites.length > 1 ? ", each site by itself" : "";
  return [
    ...text.paragraph(`${number} of ${count(urls, "different page")}${each}${estimated}`),
    ...examples.flatMap(({ url, sitemaps: [first, second] }) => {
      const others = first === second ? "twice" : `and ${short(second)}`;
      return text.example(`${short(url)} in ${short(first)} ${others}`);
    }),
  ];
}

/** Adds the first finding of each rule, in the words of `check`; one about `root` does not name it. */
function addFindings(
  text: TextReport,
  { findings, sites }: Report,
  root: string | undefined,
  short: ShortenUrl,
): void {
  if (findings === undefined || sites.length === 0) return;
  const { counts, items, skipped } = findings;
  const isComplete = sites.every(({ verdict }) => verdict === "complete");
  const none = isComplete ? "no problems" : "nothing found";
  const lines = groups(items).flatMap(([first, ...others]) => {
    const { code, severity, sitemap } = first;
    const isNamed = sitemap !== undefined && sitemap !== root;
    const place = `${severity} ${code}${isNamed ? `: ${short(sitemap)}` : ""}`;
    const [example] = furtherExamples(first);
    return [
      ...text.paragraph(messageOf(first, place))
        .map((line, at) =>
          at > 0 ? line : line.replace(severity, text.paint(COLORS[severity], severity))
        ),
      ...(example === undefined ? [] : text.example(exampleText(example, short))),
      ...(others.length === 0 ? [] : text.example(`and ${grouped(others.length)} more`)),
    ];
  });
  if (skipped.length > 0) {
    lines.push(text.paint("dim", `${count(skipped.length, "rule")} not judged`));
  }
  text.section("Findings", [countsText(counts) || none, ...lines]);
}

const SITES: RowSpec<
  Pick<Report["sites"][number], "url" | "sitemaps" | "pages"> & { verdict: string }
> = {
  columns: [
    ["site", ({ url }) => url],
    ["verdict", ({ verdict }) => verdict],
    ["sitemaps", ({ sitemaps }) => sitemaps, "count"],
    ["pages", ({ pages }) => pages, "count"],
  ],
  drop: ["sitemaps"],
};

/** Returns a table of the sites, with sums if there are several. */
function siteLines({ sites, totals }: Report, width: number): string[] {
  if (sites.length === 0) return [];
  const rows = sites.map((site) => ({ ...site, verdict: site.verdict ?? "unfinished" }));
  const { sitemaps, pages } = totals;
  const sums = { url: count(totals.sites, "site"), verdict: "", sitemaps, pages };
  const all = totals.sites > 1 ? [...rows, sums] : rows;
  return tableText(SITES, all, width).trimEnd().split("\n");
}

/** Lays out sections for a width. */
class TextReport {
  readonly #width: number;
  readonly paint: Paint;
  readonly #lines: string[] = [];

  constructor(width: number, color: boolean) {
    this.#width = width;
    this.paint = painter(color);
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
  chart(title: string, rows: readonly (readonly [string, number | undefined])[]): void {
    this.bars(title, rows.flatMap(([label, count = 0]) => count > 0 ? [[label, count]] : []));
  }

  faults(
    title: string,
    faults: Report["warnings"],
    meanings: Readonly<Record<string, string>>,
    short: ShortenUrl,
  ): void {
    const lines = faults.flatMap(({ code, count, examples }) => [
      ...this.paragraph(`${grouped(count)} × ${code}: ${meanings[code]}`),
      ...examples.flatMap(({ url, line, message }) => {
        const place = line === undefined ? "" : `:${line}`;
        return this.example(`${short(url)}${place}: ${excerpt(message)}`);
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
