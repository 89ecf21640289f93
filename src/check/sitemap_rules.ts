/**
 * Rules of whole sitemaps: where they are, how large they are, and their dates.
 *
 * @module
 */

import { DAY } from "../data/calendar.ts";
import type { SitemapLeftEvent, SitemapRef } from "../data/events.ts";
import { PROTOCOL_LIMITS } from "../data/limits.ts";
import { grouped } from "../data/text.ts";
import type { SitemapState } from "./sitemap_state.ts";

/** Length of a date without a time. */
const DAY_LENGTH = 10;
const MAX_DURATION = 10_000;
const MAX_NEWS = 1000;
/** Least number of pages for which the same date is unlikely, with a time and without. */
const MIN_SAME_TIMES = 20, MIN_SAME_DATES = 100;
const MIN_SAME_SHARE = 0.9;
/** The start of a day in some zone, as generators write it for a date without a time. */
const DAY_START_REGEXP = /:[03]0:00\.000Z$/;

/** Whether a sitemap was found, as nothing declares it. */
export function isFound({ foundBy }: SitemapRef): boolean {
  return foundBy === "known-path" || foundBy === "homepage";
}

export function judgePlace(state: SitemapState): void {
  const { ref, parent } = state;
  const { url, requestedUrl, foundBy, type } = ref;
  if (requestedUrl !== undefined && !isFound(ref) && foundBy !== "variant") {
    const example = { url: requestedUrl, value: requestedUrl };
    state.report("sitemap-redirected", "redirected", example);
  }
  if (isFound(ref)) state.report("sitemap-undeclared", "undeclared", { url });
  if (type === "IndexXmlSitemap" && parent?.ref.type === "IndexXmlSitemap") {
    const value = `listed in ${parent.ref.url}`;
    state.report("index-nested", "nested", { url, value });
  }
}

export function judgeWhole(state: SitemapState, event: SitemapLeftEvent): void {
  const { complete, warnings } = event;
  const { type, url } = state.ref;
  const isIndex = type === "IndexXmlSitemap";
  const pages = Math.max(event.pages, state.pages);
  const entries = (isIndex ? state.children : pages) + (warnings["duplicate-address"] ?? 0);
  judgeSize(state, event, entries);
  const isEmpty = entries === 0 && type !== "IndexRobotsTxtSitemap";
  if (complete && isEmpty && Object.keys(warnings).length === 0) {
    state.report("sitemap-empty", "entries", { url });
  }
  // an unreadable date is not missing
  const isUndated = state.dated === 0 && entries > 0 && warnings["bad-date"] === undefined;
  if (complete && isUndated && (isIndex || type === "PagesXmlSitemap")) {
    const aspect = isIndex ? "sitemaps" : "pages";
    state.report("lastmod-missing", aspect, undefined, entries);
  }
  judgeDates(state);
}

function judgeSize(
  state: SitemapState,
  { bytes, durationMs = 0 }: SitemapLeftEvent,
  entries: number,
): void {
  if (entries > PROTOCOL_LIMITS.maxUrls) {
    const code = state.ref.type === "IndexXmlSitemap" ? "index-over-limit" : "urls-over-limit";
    state.report(code, "many", { value: grouped(entries) });
  }
  if (bytes > PROTOCOL_LIMITS.maxBytes) {
    state.report("size-over-limit", "large", { value: grouped(bytes) });
  }
  if (durationMs > MAX_DURATION) {
    const value = `${(durationMs / 1000).toFixed(1)} s`;
    state.report("sitemap-slow", "slow", { value });
  }
  if (state.news > MAX_NEWS) {
    state.report("news-limits", "many", { value: grouped(state.news) });
  }
}

function judgeDates(state: SitemapState): void {
  const { ref: { type, url, lastModified }, dated, date, sameDates, newest } = state;
  const isTime = date.length > DAY_LENGTH && !DAY_START_REGEXP.test(date);
  const min = isTime ? MIN_SAME_TIMES : MIN_SAME_DATES;
  if (type !== "IndexXmlSitemap" && dated >= min && sameDates >= dated * MIN_SAME_SHARE) {
    state.report("lastmod-identical", "identical", { value: date }, sameDates);
  }
  if (lastModified !== undefined && newest !== "" && isAfter(newest, lastModified)) {
    const value = `${newest} after ${lastModified}`;
    state.report("lastmod-index", "older", { url, value });
  }
}

/** Whether a date is after another, by more than dates of a day can differ between zones. */
function isAfter(date: string, other: string): boolean {
  const length = Math.min(date.length, other.length);
  if (length > DAY_LENGTH) return date > other;
  const start = date.slice(0, length), otherStart = other.slice(0, length);
  if (length < DAY_LENGTH) return start > otherStart;
  return Number(new Date(start)) - Number(new Date(otherStart)) > DAY;
}
