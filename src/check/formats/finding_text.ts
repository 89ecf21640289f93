/**
 * What the formats of checks have in common: sentences about sites, findings and examples.
 *
 * @module
 */

import type { Verdict } from "../../data/events.ts";
import { count, excerpt, grouped } from "../../data/text.ts";
import { VERDICTS } from "../../data/words.ts";
import { escapeControls } from "../../write/escape.ts";
import { keepUrl, type ShortenUrl, stripPrefix } from "../../write/text.ts";
import type { CheckResult, Finding, FindingExample } from "../finding.ts";
import { RULE_SOURCES } from "../rule_sources.ts";
import { type RuleCode, RULES } from "../rules.ts";
import { countsText, type Severity } from "../severity.ts";

/** A result of a check, and what only its caller knows of the site. */
export interface SiteCheck extends Omit<CheckResult, "verdict"> {
  /** Verdict of the walk, or that it was interrupted. */
  readonly verdict: Verdict | "interrupted";
  /** Clause after the summary, such as what became of pages that were requested. Default: none. */
  readonly note?: string;
  /** Folder that the sitemaps are files of. Default: none, the site is on the web. */
  readonly folder?: {
    /** Path from the working directory, as annotations name it. */
    readonly path: string;
    /** Its `file:` URL, with a slash at the end. */
    readonly url: string;
    /** Returns the path in the folder of the file behind a URL. */
    readonly fileOf: (url: string) => string | undefined;
  };
}

/** Options of {@linkcode formatCheck}. */
export interface FormatCheckOptions {
  /** Rules that were judged, for JUnit and SARIF. Default: all, `page-status` if there are answers. */
  readonly codes?: readonly RuleCode[];
  /** Least severity of a finding that is a failure in JUnit. Default: `error`. */
  readonly failOn?: Severity;
  /** Columns of the terminal that text is for. Default: `Infinity`, nothing is cut. */
  readonly width?: number;
  /** Whether text has ANSI colors. Default: false. */
  readonly color?: boolean;
  /** Whether text names all sitemaps of a rule, and all rules that were skipped. Default: false. */
  readonly verbose?: boolean;
  /** What a user adds to see them, such as `-v`, as text says where it lacks some. Default: nothing. */
  readonly verboseHint?: string;
}

/** Options with their defaults. */
export type FormatSettings = Required<FormatCheckOptions>;

/**
 * Returns a line such as `3 errors, 1 warning in 12 sitemaps, 3,400 pages`. After an interruption, it
 * says so first, and never that there are no problems.
 */
export function summaryText(check: SiteCheck): string {
  const { note } = check;
  return `${walkText(check)}${note === undefined ? "" : `; ${note}`}`;
}

function walkText({ sitemaps, pages, verdict, findings, counts }: SiteCheck): string {
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

/** Returns what shows URLs to people: those of the origin of a site without that. */
export function shortUrls(site: string | undefined): ShortenUrl {
  const origin = site && URL.parse(site)?.origin;
  const shorten = origin && origin !== "null" ? stripPrefix(origin) : keepUrl;
  return (url) => escapeControls(excerpt(shorten(url)));
}

/** What a finding says, whatever its rule. */
type Facts = Omit<Finding, "code" | "help">;

/**
 * Returns the message of a finding, after a place such as a sitemap if one is given, with how often it
 * was found if the message does not say so itself.
 */
export function messageOf(finding: Facts, place?: string): string {
  const { message, count: number, isEstimated } = finding;
  const isCounted = number === 1 || message.split(/[^\d,]+/).includes(grouped(number));
  const times = isCounted ? "" : ` (${isEstimated ? "about " : ""}${count(number, "time")})`;
  if (place === undefined) return message + times;
  const clause = message.replace(/^[A-Z](?=[a-z]+ )/, (letter) => letter.toLowerCase());
  return `${place}: ${clause}${times}`;
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

/** Returns the path in its folder of the sitemap of a finding. */
export function fileOfFinding({ folder }: SiteCheck, { sitemap }: Finding): string | undefined {
  return sitemap === undefined ? undefined : folder?.fileOf(sitemap);
}
