/**
 * What the lines of an outline say.
 *
 * @module
 */

import { format as formatBytes } from "@std/fmt/bytes";
import type { FinishedEvent, InvalidEvent, SitemapLeftEvent, SitemapType } from "../events.ts";
import { excerpt } from "../excerpt.ts";
import { escapeControls } from "./escape.ts";
import type { Paint } from "./paint.ts";

/** What each kind of sitemap is called. */
const KINDS: Readonly<Record<SitemapType, string>> = {
  IndexWebsiteSitemap: "website",
  IndexRobotsTxtSitemap: "robots.txt",
  IndexXmlSitemap: "index",
  PagesXmlSitemap: "XML",
  PagesTextSitemap: "text",
  PagesRssSitemap: "RSS",
  PagesAtomSitemap: "Atom",
  InvalidSitemap: "invalid",
};

/** Such as `/sitemap.xml (XML)`. */
export function sitemapText(url: string, type: SitemapType, paint: Paint): string {
  // A replayed event may say anything.
  return `${url} ${paint.dim(`(${KINDS[type] ?? escapeControls(String(type))})`)}`;
}

/** Such as `/old.xml: 404 Not Found (http-status)`, or `/new.xml (not fetched)`. */
export function invalidText(url: string, { code, reason }: InvalidEvent, paint: Paint): string {
  // Nobody wanted it fetched: nothing is wrong with it.
  if (code === "unfetched") return `${escapeControls(url)} ${paint.dim("(not fetched)")}`;
  return paint.red(escapeControls(`${url}: ${excerpt(reason)} (${code})`));
}

/** Such as `2 pages, 44 B, 1 warning, cut short`. */
export function leftText(event: SitemapLeftEvent, children: number): string {
  const isIndex = event.sitemap.type.startsWith("Index");
  const warnings = Object.values(event.warnings).reduce((sum, number) => sum + number, 0);
  const parts = [isIndex ? count(children, "sitemap") : count(event.pages, "page")];
  if (event.bytes > 0) parts.push(formatBytes(event.bytes));
  if (warnings > 0) parts.push(count(warnings, "warning"));
  if (!event.complete) parts.push("cut short");
  return parts.join(", ");
}

/** Such as `complete: 3 sitemaps, 12 pages, 0.4 s`. Those not fetched count as invalid elsewhere. */
export function verdictText(event: FinishedEvent, unfetched: number, paint: Paint): string {
  const { sitemaps, pages, warnings, durationMs } = event.stats;
  const invalid = event.stats.invalid - unfetched;
  const parts = [count(sitemaps, "sitemap"), count(pages, "page")];
  if (unfetched > 0) parts.push(`${grouped(unfetched)} not fetched`);
  if (invalid > 0) parts.push(`${grouped(invalid)} invalid`);
  if (warnings > 0) parts.push(count(warnings, "warning"));
  parts.push(`${(durationMs / 1000).toFixed(1)} s`);
  return `${verdictColor(event, paint)(escapeControls(event.verdict))}: ${parts.join(", ")}`;
}

function verdictColor({ verdict }: FinishedEvent, paint: Paint): (text: string) => string {
  if (verdict === "complete") return paint.green;
  return verdict === "partial" ? paint.yellow : paint.red;
}

/** Such as `1,234`, without `Intl`, which takes 23 ms to start on Node. */
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ",");
}

/** Such as `1 page` or `1,234 pages`. */
export function count(number: number, noun: string): string {
  return `${grouped(number)} ${noun}${number === 1 ? "" : "s"}`;
}
