/**
 * Finds what is wrong with sitemaps.
 *
 * {@linkcode check} folds the events of a walk, a parse, a saved walk or a snapshot into findings, by
 * the rules of the protocol and of the search engines: {@linkcode RULES}. No network, no clock, no
 * dependency on a runtime. Only {@linkcode probePages} makes requests: for the pages that sitemaps
 * list, to be judged as well. {@linkcode formatCheck} writes findings as text, Markdown, annotations,
 * JUnit or SARIF.
 *
 * @example Check a site
 * ```ts ignore
 * import { walk } from "@sitetree/sitetree";
 * import { check } from "@sitetree/sitetree/check";
 *
 * const events = walk("https://example.com/", { notes: true });
 * const { findings } = await check(events, { now: new Date() });
 * for (const { severity, code, message, sitemap } of findings) {
 *   console.log(`${severity} ${code}: ${message} (${sitemap ?? "site"})`);
 * }
 * ```
 *
 * @module
 */

export type { PageAnswer } from "./answer_rules.ts";
export { check, Checker } from "./checker.ts";
export type { CheckResult, Finding } from "./finding.ts";
export type { FormatCheckOptions, SiteCheck } from "./formats/finding_text.ts";
export { formatCheck } from "./formats/format_check.ts";
export type { CheckOptions } from "./options.ts";
export type { ProbeOptions } from "./pages/options.ts";
export { probePages } from "./pages/probe_pages.ts";
export { RULE_SOURCES } from "./rule_sources.ts";
export { type Rule, type RuleCode, RULES } from "./rules.ts";
export type { Severity } from "./severity.ts";
