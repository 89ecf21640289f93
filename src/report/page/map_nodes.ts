/**
 * What a treemap shows: pages by path, and pages by sitemap.
 *
 * @module
 */

import { countsText, SEVERITIES, type Severity } from "../../check/severity.ts";
import { DAY } from "../../data/calendar.ts";
import { groupBy } from "../../data/group_by.ts";
import { count } from "../../data/text.ts";
import type { Report, ReportPath, ReportSitemap } from "../report.ts";
import { hostOf, pathOf } from "./words.ts";

export interface MapNode {
  readonly name: string;
  readonly pages: number;
  /** Name of its color. */
  readonly tone: string;
  readonly note: string;
  readonly children: readonly MapNode[];
}

export interface Scale {
  readonly title: string;
  readonly tones: readonly (readonly [tone: string, name: string])[];
}

const AGES: readonly (readonly [days: number, tone: string, name: string])[] = [
  [30, "age-0", "up to a month"],
  [182, "age-1", "up to 6 months"],
  [365, "age-2", "up to a year"],
  [3 * 365, "age-3", "up to 3 years"],
  [Infinity, "age-4", "older"],
];
const NEUTRAL = "neutral";

export const AGE_SCALE: Scale = {
  title: "Mean age",
  tones: [
    ...AGES.map(([, tone, name]) => [tone, name] as const),
    [NEUTRAL, "undated or merged"],
  ],
};

export function findingScale(report: Report): Scale {
  const tones = SEVERITIES.map((severity) => [`mark-${severity}`, severity] as const);
  return report.findings === undefined
    ? { title: "Findings", tones: [["mark-none", "not checked"]] }
    : { title: "Worst finding", tones: [...tones, ["mark-none", "none"]] };
}

export function pathMap(report: Report): MapNode {
  const { paths, created = paths.newest } = report;
  return pathNode(paths, "All hosts", Date.parse(created ?? ""));
}

/** Returns what has no age. */
export function plainNode(name: string, pages: number): MapNode {
  return { name, pages, tone: NEUTRAL, note: "", children: [] };
}

function pathNode(path: ReportPath, name: string, now: number): MapNode {
  const children = (path.children ?? []).map((child) => pathNode(child, child.name, now));
  const { own = 0, other = 0 } = path;
  const rest = [
    plainNode("this path itself", own),
    plainNode(`other (${count(other, "page")})`, other),
  ];
  return {
    name: name === "" ? "(empty)" : name,
    pages: path.pages,
    tone: ageTone(path.mean, now),
    note: path.newest === undefined
      ? "undated"
      : `newest ${path.newest}, ${count(path.dated ?? 0, "page")} dated`,
    children: children.length + other === 0
      ? []
      : [...children, ...rest.filter(({ pages }) => pages > 0)],
  };
}

function ageTone(mean: string | undefined, now: number): string {
  const days = (now - Date.parse(mean ?? "")) / DAY;
  return AGES.find(([limit]) => days <= limit)?.[1] ?? NEUTRAL;
}

export function sitemapMap({ sitemaps }: Report): MapNode {
  const below = childrenByParent(sitemaps);
  const nodeOf = (at: number): MapNode => {
    const sitemap = sitemaps[at]!;
    const children = (below.get(at) ?? []).map(nodeOf).filter(({ pages }) => pages > 0)
      .sort((a, b) => b.pages - a.pages);
    const own: MapNode = {
      name: sitemapName(sitemap),
      pages: sitemap.pages,
      tone: `mark-${worstOf(sitemap) ?? "none"}`,
      note: countsText(sitemap.findings ?? {}),
      children: [],
    };
    if (children.length === 0) return own;
    const all = own.pages === 0 ? children : [...children, { ...own, name: "this sitemap itself" }];
    return { ...merged(own.name, all), note: own.note };
  };
  return merged("All sitemaps", (below.get(undefined) ?? []).map(nodeOf));
}

function merged(name: string, children: readonly MapNode[]): MapNode {
  const pages = children.reduce((sum, child) => sum + child.pages, 0);
  const tone = SEVERITIES.map((severity) => `mark-${severity}`)
    .find((tone) => children.some((child) => child.tone === tone)) ?? "mark-none";
  return { name, pages, tone, note: "", children };
}

export function worstOf({ findings }: ReportSitemap): Severity | undefined {
  return SEVERITIES.find((severity) => findings?.[severity]);
}

export function sitemapName({ url, merged, type }: ReportSitemap): string {
  if (merged !== undefined) return `other (${count(merged, "sitemap")})`;
  return type === "IndexWebsiteSitemap" ? hostOf(url) : pathOf(url);
}

/** Positions in the list, by that of the parent. */
export function childrenByParent(
  sitemaps: readonly ReportSitemap[],
): Map<number | undefined, number[]> {
  return groupBy(sitemaps.keys(), (at) => sitemaps[at]!.parent);
}
