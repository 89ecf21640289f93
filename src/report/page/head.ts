import { SEVERITIES } from "../../check/severity.ts";
import { count, grouped } from "../../data/text.ts";
import { share, size } from "../../data/words.ts";
import type { Report, ReportSite } from "../report.ts";
import { element, link, muted, terms } from "./dom.ts";
import { longTable } from "./tables.ts";
import { hostOf, MARKS, moment, repeatedText, time, verdictText } from "./words.ts";

export function head(report: Report): HTMLElement {
  const { sites, totals, created } = report;
  const [first] = sites;
  const isOne = totals.sites === 1 && first !== undefined;
  const when = (isOne ? first.endedAt : undefined) ?? created;
  return element(
    "header",
    muted("Sitemap report"),
    element("h1", isOne ? hostOf(first.url) : count(totals.sites, "site")),
    isOne ? siteVerdict(first) : overall(sites, totals.sites),
    when !== undefined && muted(element("time", { datetime: when }, moment(when))),
    figures(report),
    !isOne && siteTable(sites, totals.sites),
  );
}

function siteVerdict(site: ReportSite): HTMLElement {
  return element("p.verdict", { "data-verdict": site.verdict ?? "open" }, verdictText(site));
}

function overall(sites: readonly ReportSite[], all: number): HTMLElement {
  const complete = sites.filter((site) => site.verdict === "complete").length;
  const isComplete = complete === all && all > 0;
  const text = all === 0
    ? "The walk was interrupted before anything was read"
    : isComplete
    ? "Everything declared was read on all of them"
    : `Everything declared was read on ${grouped(complete)} of ${count(all, "site")}`;
  return element("p.verdict", { "data-verdict": isComplete ? "complete" : "partial" }, text);
}

function figures({ totals, findings, overlap }: Report): HTMLElement {
  const { pages, dated, sitemaps, invalid, bytes, requests, durationMs } = totals;
  return terms("dl.figures", [
    ["Pages", grouped(pages), repeatedText(overlap)],
    ["Sitemaps", grouped(sitemaps), invalid > 0 && `${grouped(invalid)} invalid`],
    ["Dated pages", share(dated, pages), pages > 0 && `${grouped(dated)} of ${grouped(pages)}`],
    ["Size", size(bytes), requests > 0 && count(requests, "request")],
    ["Duration", time(durationMs)],
    ["Findings", findings && findingCounts(findings.counts)],
  ]);
}

function findingCounts(counts: Readonly<Record<string, number>>): HTMLElement {
  const parts = SEVERITIES.map((severity) => {
    const number = counts[severity] ?? 0;
    return element(
      "span",
      { class: `severity ${number === 0 ? "quiet" : severity}`, title: count(number, severity) },
      element("span", { "aria-hidden": "true" }, MARKS[severity]),
      ` ${grouped(number)}`,
      element("span.unseen", ` ${severity}${number === 1 ? "" : "s"}`),
    );
  });
  return element("span.severities", ...parts);
}

function siteTable(sites: readonly ReportSite[], all: number): HTMLElement {
  const left = all - sites.length;
  return element(
    "div",
    longTable<ReportSite>({
      caption: "Sites",
      headers: ["Site", "#Pages", "#Sitemaps"],
      rows: sites,
      cells: (site) => [
        element("div", link(site.url), siteVerdict(site)),
        grouped(site.pages),
        grouped(site.sitemaps),
      ],
      text: (site) => `${site.url} ${verdictText(site)}`,
    }),
    left > 0 && muted(`And ${count(left, "more site")}`),
  );
}
