/**
 * Checks of sites as the formats of `sitetree check` need them.
 *
 * @module
 */

import type { CheckResult, Finding, FindingExample } from "../../../check/finding.ts";
import { RULE_SOURCES } from "../../../check/rule_sources.ts";
import { type RuleCode, RULES } from "../../../check/rules.ts";
import { countsText, rankOf, SEVERITIES, type Severity } from "../../../check/severity.ts";
import { count, excerpt, grouped } from "../../../data/text.ts";
import { VERDICTS } from "../../../data/words.ts";
import { keepUrl, type ShortenUrl } from "../../../write/text.ts";
import type { Ending } from "../../run/reading.ts";

export interface SiteCheck {
  readonly result: Omit<CheckResult, "verdict"> & { readonly verdict: Ending };
  /** What became of the pages that were requested, as a clause. */
  readonly pages?: string;
  /** Folder of the site or of the sitemap, as the user named it; absent for what is not on disk. */
  readonly folder?: string;
  /** Returns the path in that folder of the file behind a URL. */
  readonly fileOf?: (url: string) => string | undefined;
}

export interface ReportContext {
  readonly codes: readonly RuleCode[];
  readonly failOn: Severity;
}

export function isAtLeast(severity: Severity, other: Severity): boolean {
  return rankOf(severity) <= rankOf(other);
}

export function hasFailed({ counts }: SiteCheck["result"], failOn: Severity): boolean {
  return SEVERITIES.some((severity) => counts[severity] > 0 && isAtLeast(severity, failOn));
}

/**
 * Returns a line such as `3 errors, 1 warning in 12 sitemaps, 3,400 pages`. After Ctrl-C, it says so
 * first, and never that there are no problems.
 */
export function summaryText({ result, pages }: SiteCheck): string {
  return [walkText(result), ...(pages === undefined ? [] : [pages])].join("; ");
}

function walkText(result: SiteCheck["result"]): string {
  const { sitemaps, pages, verdict, findings, counts } = result;
  const seen = `${count(sitemaps, "sitemap")}, ${count(pages, "page")}`;
  if (verdict === "interrupted") {
    return sitemaps === 0 && findings.length === 0
      ? "interrupted before a sitemap was read"
      : `interrupted: ${countsText(counts) || "nothing"} found so far in ${seen}`;
  }
  const summary = `${countsText(counts) || "no problems"} in ${seen}`;
  if (verdict === "complete") return summary;
  if (findings.length === 0 && (verdict !== "partial" || sitemaps === 0)) return VERDICTS[verdict];
  return `${summary}; ${VERDICTS[verdict]}`;
}

export function ruleUrl(code: RuleCode): string | undefined {
  const urls = RULES[code].sources.map((source) => RULE_SOURCES[source][1]);
  return urls.find((url) => url !== undefined);
}

/** What a finding says, whatever its rule. */
type Facts = Omit<Finding, "code" | "help">;

/** Returns the message of a finding, with how often it was found if it does not say so itself. */
export function countedMessage({ message, count: number, isEstimated }: Facts): string {
  if (number === 1 || message.split(/[^\d,]+/).includes(grouped(number))) return message;
  return `${message} (${isEstimated ? "about " : ""}${count(number, "time")})`;
}

/** Returns the message of a finding after its place, such as a sitemap, if there is one. */
export function placedMessage(finding: Facts, place: string | undefined): string {
  const message = countedMessage(finding);
  if (place === undefined) return message;
  return `${place}: ${message.replace(/^[A-Z](?=[a-z]+ )/, (letter) => letter.toLowerCase())}`;
}

/** Returns the examples of a finding without what its message and its sitemap say already. */
export function furtherExamples({ message, sitemap, examples }: Facts): FindingExample[] {
  return examples.map(({ line, url, value }) => ({
    ...(line !== undefined && { line }),
    ...(url !== undefined && url !== sitemap && { url }),
    ...(value !== undefined && !message.includes(value) && { value }),
  })).filter((example) => Object.keys(example).length > 0);
}

/** Returns the place and value of an example in one line, such as `line 3: https://a.test/: x`. */
export function exampleText(
  { line, url = "", value = "" }: FindingExample,
  shorten: ShortenUrl = keepUrl,
): string {
  const parts = [line === undefined ? "" : `line ${line}`, shorten(url), value];
  return parts.filter((part) => part !== "").map(excerpt).join(": ");
}

/** Returns lines with a message of a finding, its further examples and its advice. */
export function findingLines(finding: Finding, message: string): string[] {
  const examples = furtherExamples(finding).map((example) => `- ${exampleText(example)}`);
  return [message, ...examples, finding.help];
}

export function fileOfFinding({ fileOf }: SiteCheck, { sitemap }: Finding): string | undefined {
  return sitemap === undefined ? undefined : fileOf?.(sitemap);
}
