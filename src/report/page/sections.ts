import { groupBy } from "../../data/group_by.ts";
import { count, grouped } from "../../data/text.ts";
import { share } from "../../data/words.ts";
import { REPORT_LIMITS } from "../limits.ts";
import type { Report, ReportFault, ReportOverlap, ReportPage, ReportRun } from "../report.ts";
import { columnChart } from "./charts.ts";
import { type Child, element, link, muted } from "./dom.ts";
import { barTable, folded, longTable, table } from "./tables.ts";
import { capitalized, day, moment, repeatedText } from "./words.ts";

export function timeSection(report: Report): readonly Child[] {
  const { dates, totals, frequencies, priorities, runs = [] } = report;
  const { periods, unit, none, earlier, later } = dates;
  const numbers = Object.entries({ undated: none, earlier, later })
    .filter(([name, pages]) => pages > 0 || name === "undated")
    .map(([name, pages]) => `${grouped(pages)} ${name} (${share(pages, totals.pages)})`);
  const label = `Pages by ${unit} of their last modification, ${periods[0]?.name} to ` +
    periods.at(-1)?.name;
  return [
    element("h3", "Last modification"),
    periods.length === 0 ? element("p", "No page has a date") : columnChart(
      label,
      capitalized(unit),
      periods.map(({ name }) => name),
      [{ name: "pages", tone: "accent", values: periods.map(({ pages }) => pages) }],
    ),
    periods.length > 0 && muted(`Not in the chart: ${numbers.join(" · ")}`),
    element(
      "div.pair",
      counted("Change frequency", frequencies, totals.pages),
      counted("Priority", priorities, totals.pages),
    ),
    ...runSections(runs),
  ];
}

/** `none` counts the pages that declare no value. */
function counted(
  name: string,
  counts: Readonly<Record<string, number>>,
  whole: number,
): HTMLElement {
  const items = Object.entries(counts).filter(([, pages]) => pages > 0);
  const isEmpty = items.every(([value]) => value === "none");
  return element(
    "div",
    element("h3", name),
    isEmpty
      ? muted("No page declares one")
      : barTable(`Pages by ${name.toLowerCase()}`, "Value", items, whole),
  );
}

function runSections(runs: readonly ReportRun[]): Child[] {
  const bySite = groupBy(runs, ({ site }) => site);
  return [...bySite].map(([site, runs]) => {
    const days = runs.map(({ started }) => day(started));
    const labels = new Set(days).size === days.length
      ? days
      : runs.map(({ started }) => moment(started));
    const series = (name: "pages" | "added" | "changed" | "removed", tone: string) => ({
      name,
      tone,
      values: runs.map((run) => run[name]),
      isBelow: name === "removed",
    });
    return element(
      "div",
      element("h3", bySite.size === 1 ? "Runs" : `Runs of ${site}`),
      columnChart("Pages after each run", "Run", labels, [series("pages", "accent")]),
      columnChart("Pages added, changed and removed by each run", "Run", labels, [
        series("added", "accent"),
        series("changed", "changed"),
        series("removed", "mark-error"),
      ]),
    );
  });
}

const EXTENSIONS = ["images", "videos", "news", "alternates"] as const;

export function contentSection(report: Report): readonly Child[] {
  const { extensions, languages, totals } = report;
  const rows = EXTENSIONS.filter((name) => extensions[name].pages > 0).map((name) => [
    capitalized(name),
    grouped(extensions[name].items),
    grouped(extensions[name].pages),
    share(extensions[name].pages, totals.pages),
  ]);
  return [
    rows.length === 0
      ? muted("No page has images, videos, news or alternates")
      : table("Extensions", ["Kind", "#Items", "#Pages", "#Share"], rows),
    ...(languages.items.length === 0 ? [] : languageList(report)),
  ];
}

type LanguageSets = NonNullable<Report["languages"]["sets"]>;

function languageList({ languages, extensions }: Report): Child[] {
  const { items, others, sets } = languages;
  return [
    element("h3", "Languages"),
    sets !== undefined && element("p", setsText(sets)),
    barTable(
      "Pages by language of their alternates",
      "Language",
      items.map(({ name, pages }) => [name, pages]),
      extensions.alternates.pages,
    ),
    others > 0 && muted(`And ${grouped(others)} more`),
  ];
}

function setsText({ unreturned, incomplete, isEstimated }: LanguageSets): string {
  if (unreturned + incomplete === 0) {
    return "All sets of languages are complete, and all alternates link back";
  }
  const [about, estimated] = isEstimated ? ["about ", " (estimated)"] : ["", ""];
  return `Sets of languages have faults in ${about}${count(incomplete, "place")}, ` +
    `links back in ${about}${count(unreturned, "place")}${estimated}`;
}

export function patternSection({ patterns, otherPatterns, totals }: Report): readonly Child[] {
  return [
    longTable<Report["patterns"][number]>({
      caption: "Patterns of URLs",
      headers: ["Pattern", "#Pages", "#Share"],
      rows: patterns,
      cells: ({ pattern, pages, example }) => [
        element("span", element("code", pattern), element("span.below", link(example))),
        grouped(pages),
        share(pages, totals.pages),
      ],
      text: ({ pattern, example }) => `${pattern} ${example}`,
    }),
    otherPatterns > 0 && muted(`${grouped(otherPatterns)} pages have other patterns`),
  ];
}

export function sampleSection({ sample, totals, command }: Report): readonly Child[] {
  // a URL that several sitemaps list counts once
  const isAll = sample.length === totals.pages || sample.length < REPORT_LIMITS.sample;
  const what = isAll
    ? "All pages"
    : `${grouped(sample.length)} of ${grouped(totals.pages)} pages, chosen at random`;
  const how = isAll ? "; by command line: " : "; all of them: ";
  return [
    element("p", what, ...(command === undefined ? [] : [how, element("code", command)])),
    longTable<ReportPage>({
      caption: "Sample of pages",
      headers: ["Page", "#Modified"],
      rows: sample,
      cells: (page) => [
        element("span", link(page.url), element("span.below.muted", about(page))),
        page.lastModified === undefined ? "–" : day(page.lastModified),
      ],
      text: ({ url, title = "", sitemap }) => `${url} ${title} ${sitemap}`,
    }),
  ];
}

function about({ title, changeFrequency, priority, sitemap }: ReportPage): string {
  const rank = priority === undefined ? undefined : `priority ${priority}`;
  return [title, changeFrequency, rank, `in ${sitemap}`].filter(Boolean).join(" · ");
}

export function faultSection({ warnings, invalid, overlap }: Report): readonly Child[] {
  const lists = [["Invalid sitemaps", invalid], ["Warnings", warnings]] as const;
  const views: HTMLElement[] = lists.filter(([, faults]) => faults.length > 0)
    .map(([name, faults]) => element("div", element("h3", name), ...faults.map(fault)));
  return overlap.repeated === 0 ? views : [...views, repeatedPages(overlap)];
}

function repeatedPages(overlap: ReportOverlap): HTMLElement {
  const view = folded(repeatedText(overlap), () =>
    overlap.examples.map(({ url, sitemaps }) => [
      link(url),
      element("span.below.muted", sitemaps.join(" · ")),
    ]));
  return element("div", element("h3", "Repeated pages"), view);
}

function fault({ code, count, examples }: ReportFault): HTMLElement {
  const summary = element("span", element("code", code), ` ${grouped(count)}`);
  return folded(summary, () =>
    examples.map(({ url, line, message }) => [
      `${message} `,
      element("span.below", link(url), line !== undefined && ` line ${line}`),
    ]));
}
