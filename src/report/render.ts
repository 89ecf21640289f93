import type { TreeEvent } from "../data/events.ts";
import { count, excerpt } from "../data/text.ts";
import { escapeControls, escapeControlsInJson, escapeHtml } from "../write/escape.ts";
import { aggregate, type ReportOptions } from "./aggregate.ts";
import { limited } from "./limited.ts";
import { REPORT_LIMITS, type ReportLimits } from "./limits.ts";
import { REPORT_PAGE } from "./page.gen.ts";
import type { Report } from "./report.ts";

const MAX_FILE_BYTES = 400_000;
/** Part of the limits that is left by each attempt to make a report smaller, at most. */
const MAX_STEP = 0.95;
/** Part of the limits at which no report is too large. */
const MIN_SCALE = 1 / REPORT_LIMITS.paths;

/**
 * Folds the events of a walk, a parse, a saved walk or a snapshot into a report, and renders it.
 *
 * @param events events of any source, by batches where it has them
 * @param options time of the report, and how to check
 * @returns a promise of the HTML file, of at most 400,000 bytes, which rejects with the error of the
 *   events, if these fail
 * @throws {TypeError} If an option is unknown or invalid.
 *
 * @example
 * ```ts
 * import { parseSitemap } from "@sitetree/sitetree";
 * import { report } from "@sitetree/sitetree/report";
 * import { assertStringIncludes } from "@std/assert";
 *
 * const xml = "<urlset><url><loc>https://example.com/a</loc></url></urlset>";
 * const events = parseSitemap(xml, { url: "https://example.com/sitemap.xml" });
 * const html = await report(events, { now: "2024-06-01" });
 * assertStringIncludes(html, "<title>Sitemaps of example.com</title>");
 * ```
 */
export async function report(
  events: AsyncIterable<TreeEvent> | Iterable<TreeEvent>,
  options: ReportOptions = {},
): Promise<string> {
  return renderReport(await aggregate(events, options));
}

/**
 * Renders a report as one HTML file of at most 400,000 bytes. If it would be larger, it has fewer
 * items and shorter values than the report, and the same sums.
 *
 * @param report what {@linkcode aggregate} returns
 * @returns the file, to be encoded as UTF-8
 * @throws {RangeError} If it is too large even with few items, which no folded report is.
 */
export function renderReport(report: Report): string {
  const title = escapeHtml(escapeControls(excerpt(titleOf(report))));
  for (let scale = 1, shown = report;;) {
    const values: Readonly<Record<string, string>> = { title, data: dataText(shown) };
    const html = REPORT_PAGE.replace(/\{\{(title|data)\}\}/g, (_, name: string) => values[name]!);
    const excess = byteLength(html) - MAX_FILE_BYTES;
    if (excess <= 0) return html;
    if (scale < MIN_SCALE) throw new RangeError("Cannot render so large a report");
    // where values are cut too, the size changes by the square of the scale
    const share = 1 - excess / byteLength(values["data"]!);
    scale *= Math.min(MAX_STEP, Math.sqrt(Math.max(0, share)));
    shown = limited(report, scaledLimits(scale));
  }
}

function byteLength(text: string): number {
  return new TextEncoder().encode(text).length;
}

/** Only `<` could end a `script` element. */
function dataText(report: Report): string {
  return escapeControlsInJson(JSON.stringify(report)).replaceAll("<", "\\u003c");
}

function titleOf({ sites, totals }: Report): string {
  const [first] = sites;
  if (totals.sites !== 1 || first === undefined) {
    return `Sitemaps of ${count(totals.sites, "site")}`;
  }
  return `Sitemaps of ${URL.parse(first.url)?.host || first.url}`;
}

function scaledLimits(scale: number): ReportLimits {
  const scaled = Object.entries(REPORT_LIMITS).map(([name, limit]) => [
    name,
    Math.max(1, Math.floor(limit * scale)),
  ]);
  return Object.fromEntries(scaled);
}
