/** Checks that the parts of a report agree with each other. @module */

import { assert, assertEquals } from "@std/assert";
import type { ReportLimits } from "../../src/report/limits.ts";
import type { Report, ReportPath } from "../../src/report/report.ts";

function sum(numbers: Iterable<number>): number {
  let all = 0;
  for (const number of numbers) all += number;
  return all;
}

const pagesOf = ({ pages }: { readonly pages: number }) => pages;

/** Returns the number of nodes of a path, whose sums must be right. */
export function checkPath(
  { pages, own = 0, other = 0, children = [], dated = 0 }: ReportPath,
): number {
  assertEquals(sum(children.map(pagesOf)) + own + other, pages);
  assert(dated <= pages && dated >= sum(children.map((child) => child.dated ?? 0)));
  return 1 + sum(children.map(checkPath));
}

/** Asserts that every chart counts all pages. */
export function assertSums(report: Report, pages: number): void {
  const { dates, hosts, patterns, sitemaps, totals } = report;
  checkPath(report.paths);
  const charts = {
    totals: totals.pages,
    paths: report.paths.pages,
    dates: sum(dates.periods.map(pagesOf)) + dates.earlier + dates.later + dates.none,
    frequencies: sum(Object.values(report.frequencies)),
    priorities: sum(Object.values(report.priorities)),
    hosts: sum(hosts.map(pagesOf)) + report.otherHosts,
    patterns: sum(patterns.map(pagesOf)) + report.otherPatterns,
    sitemaps: sum(sitemaps.map(pagesOf)),
  };
  const names = Object.keys(charts);
  assertEquals(charts, Object.fromEntries(names.map((name) => [name, pages])) as typeof charts);
  assertEquals(totals.dated, pages - dates.none);
  for (const [at, { parent = -1 }] of sitemaps.entries()) assert(parent < at);
}

export function assertLimits(report: Report, limits: ReportLimits): void {
  const { dates, languages, findings, runs = [] } = report;
  const sizes: ReportLimits = {
    sites: report.sites.length,
    paths: checkPath(report.paths),
    hosts: report.hosts.length,
    periods: dates.periods.length,
    languages: languages.items.length,
    patterns: report.patterns.length,
    sitemaps: report.sitemaps.length,
    findings: findings?.items.length ?? 0,
    sample: report.sample.length,
    runs: runs.length,
    valueLength: longest({
      ...report,
      format: "",
      findings: { ...findings, help: "", skipped: "" },
    }),
  };
  for (const name of Object.keys(limits) as (keyof ReportLimits)[]) {
    assert(sizes[name] <= limits[name], `${name}: ${sizes[name]} of ${limits[name]}`);
  }
}

function longest(value: unknown): number {
  if (typeof value === "string") return value.length;
  if (typeof value !== "object" || value === null) return 0;
  return Object.values(value).reduce((most, item) => Math.max(most, longest(item)), 0);
}
