import { count, grouped } from "../../data/text.ts";
import { codeSpan, details, inertText } from "../../write/markdown.ts";
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

export function markdownText(checks: readonly SiteCheck[]): string {
  return checks.map(siteText).join("\n");
}

function siteText(check: SiteCheck): string {
  const { site, findings, skipped } = check;
  const more = findings.length - MAX_ROWS;
  const lines = [
    `## Sitemaps of ${codeSpan(site)}`,
    "",
    `**${summaryText(check)}**`,
    ...(findings.length === 0 ? [] : [
      "",
      "| severity | rule | found | sitemap | finding |",
      "| --- | --- | ---: | --- | --- |",
      ...findings.slice(0, MAX_ROWS).map(row),
    ]),
    ...(more > 0 ? ["", `and ${count(more, "more finding")}`] : []),
    ...(skipped.length === 0 ? [] : details(
      `${count(skipped.length, "rule")} not judged`,
      skipped.map(({ code, reason }) => `- ${ruleLink(code)}: ${inertText(reason)}`),
    )),
  ];
  return lines.map((line) => `${line}\n`).join("");
}

function row(finding: Finding): string {
  const { code, severity, message, help, sitemap } = finding;
  const details = [
    inertText(message),
    ...furtherExamples(finding).map(({ url, line, value }) =>
      [
        ...(line === undefined ? [] : [`line ${line}`]),
        ...(url === undefined ? [] : [codeSpan(url)]),
        ...(value === undefined ? [] : [codeSpan(value)]),
      ].join(" ")
    ),
    `_${inertText(help)}_`,
  ].filter((line) => line !== "");
  const found = `${finding.isEstimated ? "about " : ""}${grouped(finding.count)}`;
  const where = sitemap === undefined ? "" : codeSpan(sitemap);
  return `| ${[ICONS[severity], ruleLink(code), found, where, details.join("<br>")].join(" | ")} |`;
}

function ruleLink(code: Finding["code"]): string {
  const url = ruleUrl(code);
  return url === undefined ? code : `[${code}](${url})`;
}
