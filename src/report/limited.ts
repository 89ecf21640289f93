import { fewerPeriods } from "./dates.ts";
import { type ReportLimits, shortened } from "./limits.ts";
import { prunedPath } from "./paths.ts";
import type { Report, ReportFindings } from "./report.ts";
import { fewerSitemaps } from "./sitemaps.ts";
import { sumOfPages } from "./sums.ts";

/** Sums are the same: what is left out is counted beside it. */
export function limited(report: Report, limits: ReportLimits): Report {
  const { languages, findings, runs } = report;
  const [hosts, otherHosts] = cut(report.hosts, limits.hosts);
  const [patterns, otherPatterns] = cut(report.patterns, limits.patterns);
  const others = languages.others + Math.max(0, languages.items.length - limits.languages);
  const smaller: Report = {
    ...report,
    sites: report.sites.slice(0, limits.sites),
    paths: prunedPath(report.paths, limits.paths),
    hosts,
    otherHosts: report.otherHosts + otherHosts,
    dates: fewerPeriods(report.dates, limits.periods),
    languages: { ...languages, items: languages.items.slice(0, limits.languages), others },
    patterns,
    otherPatterns: report.otherPatterns + otherPatterns,
    sitemaps: fewerSitemaps(report.sitemaps, limits.sitemaps),
    sample: spread(report.sample, limits.sample),
    ...(findings !== undefined && { findings: fewerFindings(findings, limits.findings) }),
    ...(runs !== undefined && { runs: runs.slice(Math.max(0, runs.length - limits.runs)) }),
  };
  return shortened(smaller, limits.valueLength);
}

function cut<T extends { readonly pages: number }>(
  items: readonly T[],
  limit: number,
): [readonly T[], number] {
  return [items.slice(0, limit), sumOfPages(items.slice(limit))];
}

function spread<T>(items: readonly T[], limit: number): readonly T[] {
  const step = Math.max(1, Math.ceil(items.length / limit));
  return limit > 0 ? items.filter((_, at) => at % step === 0) : [];
}

function fewerFindings(findings: ReportFindings, limit: number): ReportFindings {
  const items = findings.items.slice(0, limit);
  const help = Object.fromEntries(items.map(({ code }) => [code, findings.help[code]!]));
  return { ...findings, items, help };
}
