import { checkWord, TEXT } from "../../data/checks.ts";
import {
  applyRules,
  checkOption,
  flag,
  option,
  type OptionRules,
  wholeNumber,
} from "../../data/option_rules.ts";
import { documentJson } from "../../write/json_text.ts";
import { CHECK_RULES } from "../options.ts";
import { RULE_CODES, type RuleCode, RULES } from "../rules.ts";
import { SEVERITIES, type Severity } from "../severity.ts";
import type { FormatCheckOptions, FormatSettings, SiteCheck } from "./finding_text.ts";
import { githubText } from "./github.ts";
import { junitText } from "./junit.ts";
import { markdownText } from "./markdown.ts";
import { sarifText } from "./sarif.ts";
import { checkText } from "./text.ts";

const OPTION_RULES = {
  codes: option(CHECK_RULES.only.check),
  failOn: option<Severity>(checkWord(SEVERITIES), "error"),
  width: wholeNumber(1, Infinity),
  color: flag(false),
  verbose: flag(false),
  verboseHint: option(TEXT, ""),
} satisfies OptionRules<FormatCheckOptions>;

const FORMATS = {
  text: (checks, settings) => checks.map((check) => checkText(check, settings)).join("\n"),
  json: (checks) => documentJson(checks.map(resultOf)),
  markdown: markdownText,
  github: githubText,
  junit: junitText,
  sarif: sarifText,
} satisfies Readonly<
  Record<string, (checks: readonly SiteCheck[], settings: FormatSettings) => string>
>;

/**
 * Writes what checks of sites have found, for people and for the programs that show it: as text, as the
 * results in JSON, as Markdown, as workflow commands of GitHub Actions, as JUnit XML, or as SARIF for
 * code scanning. Texts of sites are escaped as each format needs it.
 *
 * @param checks the result of {@linkcode check}, or those of several sites
 * @param format what to write; JSON is one result, or an array if `checks` is one
 * @param options rules that were judged, and the width and colors of text
 * @returns the document, with a line break at its end
 * @throws {TypeError} If the format or an option is unknown or invalid.
 * @throws {RangeError} If the width is out of range.
 *
 * @example
 * ```ts
 * import { check, formatCheck } from "@sitetree/sitetree/check";
 * import { parseSitemap } from "@sitetree/sitetree";
 * import { assertEquals } from "@std/assert";
 *
 * const events = parseSitemap("https://example.com/a#top", { url: "https://example.com/list.txt" });
 * const result = await check(events, { only: ["loc-fragment"] });
 * assertEquals(
 *   formatCheck(result, "text"),
 *   `https://example.com/list.txt
 *
 * warning loc-fragment
 *   1 URL with a fragment
 *     /a#top
 *   help: Remove \`#…\` and \`user@\` from the URL: crawlers ignore the one and refuse the other
 *
 * 1 warning in 1 sitemap, 1 page
 * `,
 * );
 * ```
 */
export function formatCheck(
  checks: SiteCheck | readonly SiteCheck[],
  format: "text" | "json" | "markdown" | "github" | "junit" | "sarif",
  options: FormatCheckOptions = {},
): string {
  checkOption("format", format, { check: checkWord(Object.keys(FORMATS)) });
  const { codes, ...settings } = applyRules<FormatCheckOptions, typeof OPTION_RULES>(
    OPTION_RULES,
    options,
  );
  if (format === "json" && !isList(checks)) return documentJson(resultOf(checks));
  const list = isList(checks) ? checks : [checks];
  return FORMATS[format](list, { ...settings, codes: codes ?? judgedCodes(list) });
}

function isList(checks: SiteCheck | readonly SiteCheck[]): checks is readonly SiteCheck[] {
  return Array.isArray(checks);
}

function judgedCodes(checks: readonly SiteCheck[]): readonly RuleCode[] {
  const hasAnswers = checks.some(({ answers }) => answers !== undefined);
  return RULE_CODES.filter((code) => hasAnswers || !RULES[code].needs?.includes("answers"));
}

function resultOf({ note: _note, folder: _folder, ...result }: SiteCheck): object {
  return result;
}
