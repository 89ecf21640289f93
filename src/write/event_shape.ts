/**
 * What events that went through JSON must be like.
 *
 * @module
 */

import type { SitemapType, TreeEvent, Verdict, WalkStats } from "../events.ts";
import {
  type Check,
  checkRecord,
  checkThat,
  type Fault,
  FLAG,
  isRecord,
  NUMBER,
  TEXT,
  within,
} from "../fault.ts";
import { checkPage } from "../revive_page.ts";

const WHOLE = checkThat(Number.isSafeInteger);

const SITEMAP_TYPES: Readonly<Record<SitemapType, true>> = {
  IndexWebsiteSitemap: true,
  IndexRobotsTxtSitemap: true,
  IndexXmlSitemap: true,
  PagesXmlSitemap: true,
  PagesTextSitemap: true,
  PagesRssSitemap: true,
  PagesAtomSitemap: true,
  InvalidSitemap: true,
};

const VERDICTS: Readonly<Record<Verdict, true>> = {
  complete: true,
  partial: true,
  blocked: true,
  none: true,
};

const STATS: Readonly<Record<keyof WalkStats, Check>> = {
  sitemaps: NUMBER,
  pages: NUMBER,
  invalid: NUMBER,
  warnings: NUMBER,
  bytes: NUMBER,
  requests: NUMBER,
  retries: NUMBER,
  probes: NUMBER,
  durationMs: NUMBER,
};

const SITEMAP = checkRecord({
  id: WHOLE,
  type: oneOf(SITEMAP_TYPES),
  url: TEXT,
  level: WHOLE,
  parent: checkThat((value) => value === null || Number.isSafeInteger(value)),
  index: WHOLE,
}, { requestedUrl: TEXT, lastModified: TEXT });

/** Codes may be any text, since a later version may have more of them. */
const EVENTS: Readonly<Record<TreeEvent["type"], Check>> = {
  "sitemap-entered": checkRecord({ sitemap: SITEMAP }),
  "page": checkRecord({ page: checkPage, sitemap: SITEMAP }),
  "invalid": checkRecord({ sitemap: SITEMAP, code: TEXT, reason: TEXT }),
  "warning": checkRecord({ code: TEXT, message: TEXT, sitemap: SITEMAP }, { line: NUMBER }),
  "sitemap-left": checkRecord({
    sitemap: SITEMAP,
    pages: NUMBER,
    bytes: NUMBER,
    complete: FLAG,
    warnings: checkCounts,
  }),
  "finished": checkRecord({ verdict: oneOf(VERDICTS), stats: checkRecord(STATS) }),
};

/** Whether a value names a kind of event. */
export function isEventType(type: unknown): type is TreeEvent["type"] {
  return typeof type === "string" && Object.hasOwn(EVENTS, type);
}

/** Checks the fields of an event of a known kind. */
export function checkEvent(type: TreeEvent["type"], event: unknown): Fault | undefined {
  return EVENTS[type](event);
}

function oneOf(words: Readonly<Record<string, true>>): Check {
  return checkThat((value) => typeof value === "string" && Object.hasOwn(words, value));
}

function checkCounts(value: unknown): Fault | undefined {
  if (!isRecord(value)) return { path: "", value };
  for (const [name, count] of Object.entries(value)) {
    const fault = NUMBER(count);
    if (fault !== undefined) return within(name, fault);
  }
  return undefined;
}
