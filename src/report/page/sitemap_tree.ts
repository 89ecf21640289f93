/**
 * The tree of sitemaps, with a search. Branches are made when they are opened.
 *
 * @module
 */

import { countsText } from "../../check/severity.ts";
import type { SitemapType } from "../../data/events.ts";
import { SITEMAP_KINDS } from "../../data/sitemap_kinds.ts";
import { count, grouped } from "../../data/text.ts";
import { size } from "../../data/words.ts";
import type { Report, ReportSitemap } from "../report.ts";
import { type Child, element, link, muted, terms } from "./dom.ts";
import { childrenByParent, sitemapName, worstOf } from "./map_nodes.ts";
import { disclosure, GrowingList, searchField } from "./tables.ts";
import { time } from "./words.ts";

/** Sitemaps of which all levels are open at first. */
const MAX_OPEN = 40;
const MIN_SEARCHED = 6;

export function sitemapTree({ sitemaps, types }: Report): readonly Child[] {
  const view = element("div.tree");
  const texts = sitemaps.map(searchText);
  const show = (query: string) => {
    const matches = [...sitemaps.keys()].filter((at) => texts[at]!.includes(query));
    const shown = query === "" ? undefined : withAncestors(matches, sitemaps);
    view.replaceChildren(treeView(sitemaps, shown));
    return query === "" ? "" : `${grouped(matches.length)} of ${count(sitemaps.length, "sitemap")}`;
  };
  show("");
  const kinds = (Object.keys(SITEMAP_KINDS) as SitemapType[]).flatMap((type) =>
    types[type] === undefined ? [] : [`${grouped(types[type])} ${SITEMAP_KINDS[type]}`]
  );
  return [
    kinds.length > 0 && muted(kinds.join(" · ")),
    sitemaps.length >= MIN_SEARCHED && searchField("Search sitemaps", show),
    view,
  ];
}

function searchText(sitemap: ReportSitemap): string {
  const { url, requestedUrl, code, reason, status, type, warnings = {} } = sitemap;
  const words = [url, requestedUrl, code, reason, status, SITEMAP_KINDS[type]];
  return [...words, ...Object.keys(warnings)].join(" ").toLowerCase();
}

function withAncestors(
  matches: readonly number[],
  sitemaps: readonly ReportSitemap[],
): Set<number> {
  const all = new Set(matches);
  // those that are added come later
  for (const at of all) {
    const { parent } = sitemaps[at]!;
    if (parent !== undefined) all.add(parent);
  }
  return all;
}

/** `shown` are those that a search found, with their ancestors. */
function treeView(sitemaps: readonly ReportSitemap[], shown?: ReadonlySet<number>): HTMLElement {
  const below = childrenByParent(sitemaps);
  const branch = (parent?: number): HTMLElement => {
    const items = (below.get(parent) ?? []).filter((at) => shown?.has(at) !== false);
    const list = element("div");
    const { more } = new GrowingList(list, (at) => item(at, items.length === 1), items);
    return element("div.branch", list, more);
  };
  const item = (at: number, isOnly: boolean) => {
    const sitemap = sitemaps[at]!, children = below.get(at)?.length ?? 0;
    const isOpen = isOnly || sitemaps.length <= MAX_OPEN || shown !== undefined;
    return disclosure(
      summary(sitemap, children),
      () => [facts(sitemap), children > 0 && branch(at)],
      "sitemap",
      children > 0 && isOpen,
    );
  };
  return branch();
}

function summary(sitemap: ReportSitemap, children: number): HTMLElement {
  const { pages, bytes, warnings, findings, complete, code } = sitemap;
  const warned = Object.values(warnings ?? {}).reduce((sum, number) => sum + number, 0);
  const found = countsText(findings ?? {});
  const isInvalid = sitemap.type === "InvalidSitemap";
  const badge = (text: string, tone = "") => element("span", { class: `badge ${tone}` }, text);
  return element(
    "span.line",
    element("span.url", sitemapName(sitemap)),
    badge(SITEMAP_KINDS[sitemap.type], isInvalid ? "error" : ""),
    isInvalid && code !== undefined && badge(code, "error"),
    complete === false && badge("not read to its end", "warning"),
    warned > 0 && badge(count(warned, "warning"), "warning"),
    found !== "" && badge(`check: ${found}`, worstOf(sitemap)),
    element(
      "span.muted.figure",
      pages > 0 || children === 0 ? count(pages, "page") : count(children, "sitemap"),
      bytes ? ` · ${size(bytes)}` : "",
    ),
  );
}

const FOUND_BY: Readonly<Record<string, string>> = {
  robots: "robots.txt",
  given: "the caller",
  "known-path": "a known path",
  homepage: "the homepage",
  variant: "another address of the site",
};

function facts(sitemap: ReportSitemap): HTMLElement {
  const { url, requestedUrl, redirects, bytes, durationMs, foundBy, warnings = {} } = sitemap;
  return terms("dl.facts", [
    ["URL", url !== "" && link(url)],
    ["Requested URL", requestedUrl !== undefined && link(requestedUrl)],
    ["Redirects", redirects || undefined],
    ["Reason", sitemap.reason],
    ["Status", sitemap.status],
    ["Size", !!bytes && size(bytes)],
    ["Duration", durationMs !== undefined && time(durationMs)],
    ["Type", sitemap.contentType],
    ["Encoding", sitemap.contentEncoding],
    ["Last modified", sitemap.lastModified],
    ["Found by", foundBy !== undefined && (FOUND_BY[foundBy] ?? foundBy)],
    ...Object.entries(warnings)
      .map(([code, number]) => ["Warning", `${code} (${grouped(number)})`] as const),
  ]);
}
