/**
 * Origins whose requests are sent to others, such as those of a preview.
 *
 * Only `fetch` sees the other origin: whatever a walk decides, remembers or reports is under the
 * first.
 *
 * @module
 */

import type { RequestReport } from "./request_report.ts";

/** Origins, each with that to which its requests are sent. */
export type OriginMap = Readonly<Record<string, string>>;

/** Returns the URL, without user info, to which a request is sent; `undefined` if it is the same. */
export function targetUrl(url: URL, origins: OriginMap | undefined): URL | undefined {
  const target = origins?.[url.origin];
  return target === undefined ? undefined : new URL(target + url.pathname + url.search);
}

/** Returns the URL of a response, or of its redirect, under the origin that was mapped to its own. */
export function sourceUrl(url: URL, requested: URL, origins: OriginMap | undefined): URL {
  const own = origins?.[requested.origin];
  // another host must not lead to one that only the caller may name
  if (origins === undefined || own === undefined) return url;
  const source = url.origin === own
    ? requested.origin
    : Object.keys(origins).find((origin) => origins[origin] === url.origin);
  return source === undefined ? url : new URL(source + url.pathname + url.search);
}

/** Returns a report with the URL to which its request was sent, which messages about hosts name. */
export function sentReport(report: RequestReport, origins: OriginMap | undefined): RequestReport {
  if (origins === undefined) return report;
  const target = targetUrl(new URL(report.url), origins);
  return target === undefined ? report : { ...report, url: target.href };
}
