import { count, grouped } from "../../data/text.ts";
import { codeSpan, details, inertText } from "../../write/markdown.ts";
import { rowFormat } from "../../write/rows.ts";
import type { Finding } from "../finding.ts";
import type { Severity } from "../severity.ts";
import { furtherExamples, ruleUrl, type SiteCheck, summaryText } from "./finding_text.ts";

/** Rows of a table at most: GitHub refuses a summary of more than 1 MiB. */
const MAX_ROWS = 100;

const ICONS: Readonly<Record<Severity, string>> = {
  error: "❌ error",
  warning: "⚠️ warning",
  notice: "ℹ️ notice",
};

const TABLE = rowFormat<Finding>("markdown", {
  columns: [
    ["severity", ({ severity }) => ICONS[severity]],
    ["rule", ({ code }) => ruleLink(code), "markdown"],
    [
      "found",
      ({ count, isEstimated }) => `${isEstimated ? "about " : ""}${grouped(count)}`,
      "number",
    ],
    ["sitemap", ({ sitemap }) => sitemap, "code"],
    ["finding", findingCell, "markdown"],
  ],
}, Infinity);

export function markdownText(checks: readonly SiteCheck[]): string {
  return checks.map(siteText).join("\n");
}

function siteText(check: SiteCheck): string {
  const { site, findings, skipped } = check;
  const more = findings.length - MAX_ROWS;
  const rows = findings.slice(0, MAX_ROWS).map((finding) => TABLE.write(finding));
  const lines = [
    `## Sitemaps of ${codeSpan(site)}`,
    "",
    `**${summaryText(check)}**`,
    ...(rows.length === 0 ? [] : ["", `${TABLE.head}${rows.join("")}`.trimEnd()]),
    ...(more > 0 ? ["", `and ${count(more, "more finding")}`] : []),
    ...(skipped.length === 0 ? [] : details(
      `${count(skipped.length, "rule")} not judged`,
      skipped.map(({ code, reason }) => `- ${ruleLink(code)}: ${inertText(reason)}`),
    )),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function findingCell(finding: Finding): string {
  return [
    inertText(finding.message),
    ...furtherExamples(finding).map(({ url, line, value }) =>
      [
        ...(line === undefined ? [] : [`line ${line}`]),
        ...(url === undefined ? [] : [codeSpan(url)]),
        ...(value === undefined ? [] : [codeSpan(value)]),
      ].join(" ")
    ),
    `_${inertText(finding.help)}_`,
  ].filter((line) => line !== "").join("<br>");
}

function ruleLink(code: Finding["code"]): string {
  const url = ruleUrl(code);
  return url === undefined ? code : `[${code}](${url})`;
}
