/**
 * Reports to look at: what is on a site, as one HTML file.
 *
 * {@linkcode report} folds the events of a walk, a parse, a saved walk or a snapshot into a file that
 * needs nothing else: a treemap of pages, dates, the tree of sitemaps, findings, languages, forms of
 * URLs and a sample of pages. {@linkcode aggregate} returns the data behind it, of limited size
 * whatever the site has, and {@linkcode renderReport} renders that. No network, no clock, no dependency
 * on a runtime.
 *
 * @example Write a report on a site
 * ```ts ignore
 * import { walk } from "@sitetree/sitetree";
 * import { report } from "@sitetree/sitetree/report";
 *
 * const events = walk("https://example.com/", { notes: true });
 * const html = await report(events, { now: new Date() });
 * await Deno.writeTextFile("report.html", html);
 * ```
 *
 * @module
 */

export { Aggregate, aggregate, type ReportOptions } from "./aggregate.ts";
export { renderReport, report } from "./render.ts";
export type { Report } from "./report.ts";
