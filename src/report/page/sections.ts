import { groupBy } from "../../data/group_by.ts";
import { count, grouped } from "../../data/text.ts";
import { share } from "../../data/words.ts";
import { REPORT_LIMITS } from "../limits.ts";
import type { Report, ReportFault, ReportOverlap, ReportPage, ReportRun } from "../report.ts";
import { columnChart } from "./charts.ts";
import { type Child, element, link, list, muted } from "./dom.ts";
import { barTable, disclosure, longTable, table } from "./tables.ts";
import { day, moment, repeatedText } from "./words.ts";

export function timeSection(report: Report): readonly Child[] {
  const { dates, totals, frequencies, priorities, runs = [] } = report;
  const { periods, unit } = dates;
  const { none, earlier, later } = dates;
  const numbers = Object.entries({ undated: none, earlier, later })
    .filter(([name, pages]) => pages > 0 || name === "undated")
    .map(([name, pages]) => `${grouped(pages)} ${name} (${share(pages, totals.pages)})`);
  const label = `Pages by ${unit} of their last modification, ${periods[0]?.name ?? ""} to ` +
    (periods[periods.length - 1]?.name ?? "");
  return [
    element("h3", {}, "Last modification"),
    periods.length === 0 ? element("p", {}, "No page has a date") : columnChart(
      label,
      `${unit[0]!.toUpperCase()}${unit.slice(1)}`,
      periods.map(({ name }) => name),
      [{ name: "pages", tone: "accent", values: periods.map(({ pages }) => pages) }],
    ),
    periods.length === 0 ? undefined : muted(`Not in the chart: ${numbers.join(" · ")}`),
    element(
      "div",
      { class: "pair" },
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
    {},
    element("h3", {}, name),
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
      {},
      element("h3", {}, bySite.size === 1 ? "Runs" : `Runs of ${site}`),
      columnChart("Pages after each run", "Run", labels, [series("pages", "accent")]),
      columnChart("Pages added, changed and removed by each run", "Run", labels, [
        series("added", "accent"),
        series("changed", "changed"),
        series("removed", "removed"),
      ]),
    );
  });
}

const EXTENSIONS = [["images", "Images"], ["videos", "Videos"], ["news", "News"], [
  "alternates",
  "Alternates",
]] as const;

export function contentSection(report: Report): readonly Child[] {
  const { extensions, languages, totals } = report;
  const rows = EXTENSIONS.filter(([name]) => extensions[name].pages > 0).map(([name, label]) => [
    label,
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

function languageList({ languages, extensions }: Report): Child[] {
  const { items, others, sets } = languages;
  const about = sets?.isEstimated ? "about " : "";
  const isWhole = sets?.unreturned === 0 && sets.incomplete === 0;
  const verdict = sets === undefined
    ? undefined
    : isWhole
    ? "All sets of languages are complete, and all alternates link back"
    : `Sets of languages have faults in ${about}${
      count(sets.incomplete, "place")
    }, links back in ` +
      `${about}${count(sets.unreturned, "place")}${sets.isEstimated ? " (estimated)" : ""}`;
  return [
    element("h3", {}, "Languages"),
    verdict === undefined ? undefined : element("p", {}, verdict),
    barTable(
      "Pages by language of their alternates",
      "Language",
      items.map(({ name, pages }) => [name, pages]),
      extensions.alternates.pages,
    ),
    others === 0 ? undefined : muted(`And ${grouped(others)} more`),
  ];
}

export function patternSection({ patterns, otherPatterns, totals }: Report): readonly Child[] {
  return [
    longTable<Report["patterns"][number]>({
      caption: "Patterns of URLs",
      headers: ["Pattern", "#Pages", "#Share"],
      rows: patterns,
      cells: ({ pattern, pages, example }) => [
        element(
          "span",
          {},
          element("code", {}, pattern),
          element("span", { class: "below" }, link(example)),
        ),
        grouped(pages),
        share(pages, totals.pages),
      ],
      text: ({ pattern, example }) => `${pattern} ${example}`,
    }),
    otherPatterns === 0 ? undefined : muted(`${grouped(otherPatterns)} pages have other patterns`),
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
    element(
      "p",
      {},
      what,
      ...(command === undefined ? [] : [how, element("code", {}, command)]),
    ),
    longTable<ReportPage>({
      caption: "Sample of pages",
      headers: ["Page", "#Modified"],
      rows: sample,
      cells: (page) => [
        element("span", {}, link(page.url), element("span", { class: "below muted" }, about(page))),
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
  const views = lists.filter(([, faults]) => faults.length > 0).map(([name, faults]) =>
    element("div", {}, element("h3", {}, name), ...faults.map(fault))
  );
  return overlap.repeated === 0 ? views : [...views, repeatedPages(overlap)];
}

function repeatedPages(overlap: ReportOverlap): HTMLElement {
  const examples = overlap.examples.map(({ url, sitemaps }) => [
    link(url),
    element("span", { class: "below muted" }, sitemaps.join(" · ")),
  ]);
  return element(
    "div",
    {},
    element("h3", {}, "Repeated pages"),
    disclosure(repeatedText(overlap), () => [list(examples)], "printed"),
  );
}

function fault({ code, count, examples }: ReportFault): HTMLElement {
  const summary = element("span", {}, element("code", {}, code), ` ${grouped(count)}`);
  const items = examples.map(({ url, line, message }) => [
    `${message} `,
    element("span", { class: "below" }, link(url), line === undefined ? "" : ` line ${line}`),
  ]);
  return disclosure(summary, () => [list(items)], "printed");
}
