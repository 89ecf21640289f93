/**
 * Checks as JUnit XML: a suite for each site, a test case for each rule.
 *
 * @module
 */

import type { Finding } from "../../../check/finding.ts";
import { RULES } from "../../../check/rules.ts";
import { groupBy } from "../../../data/group_by.ts";
import { count } from "../../../data/text.ts";
import { escapeControls } from "../../../write/escape.ts";
import {
  exampleText,
  furtherExamples,
  isAtLeast,
  placedMessage,
  type ReportContext,
  type SiteCheck,
} from "./finding_text.ts";

/**
 * Findings that fail the check are the failure of their rule; others are its output, and a rule
 * that could not be judged is skipped.
 */
export function junitText(checks: readonly SiteCheck[], context: ReportContext): string {
  const suites = checks.map((check) => suite(check, context));
  const total = (key: "tests" | "failures" | "skipped") =>
    suites.reduce((sum, { counts }) => sum + counts[key], 0);
  const counts = { tests: total("tests"), failures: total("failures"), skipped: total("skipped") };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    tag("testsuites", { name: "sitetree check", ...counts, errors: 0 }, ">"),
    ...suites.flatMap(({ lines }) => lines),
    "</testsuites>",
  ].map((line) => `${line}\n`).join("");
}

interface Suite {
  readonly counts: { readonly tests: number; readonly failures: number; readonly skipped: number };
  readonly lines: readonly string[];
}

function suite({ result }: SiteCheck, { codes, failOn }: ReportContext): Suite {
  const { site, verdict, findings, skipped } = result;
  const reasons = new Map(skipped.map(({ code, reason }) => [code, reason]));
  const byCode = groupBy(findings, ({ code }) => code);
  let failures = 0, skips = 0;
  const cases = codes.map((code) => {
    const found = byCode.get(code) ?? [];
    const failing = found.filter(({ severity }) => isAtLeast(severity, failOn));
    const others = found.filter((finding) => !failing.includes(finding));
    const unjudged = found.length === 0 ? reasons.get(code) : undefined;
    // what was not found may be in the rest
    const isOpen = verdict === "interrupted" && failing.length === 0;
    const reason = isOpen ? "interrupted before everything was read" : unjudged;
    if (failing.length > 0) failures++;
    if (reason !== undefined) skips++;
    const content = [
      ...(reason === undefined ? [] : [tag("skipped", { message: reason }, "/>")]),
      ...(failing.length === 0 ? [] : [failure(failing)]),
      ...(others.length === 0 ? [] : [`<system-out>${details(others)}</system-out>`]),
    ];
    const name = { classname: site, name: `${code}: ${RULES[code].title}` };
    if (content.length === 0) return `    ${tag("testcase", name, "/>")}`;
    return `    ${tag("testcase", name, ">")}${content.join("")}</testcase>`;
  });
  const counts = { tests: codes.length, failures, skipped: skips };
  const lines = [
    `  ${tag("testsuite", { name: site, ...counts, errors: 0 }, ">")}`,
    ...cases,
    "  </testsuite>",
  ];
  return { counts, lines };
}

function failure(findings: readonly Finding[]): string {
  const [first] = findings;
  const others = findings.length === 1
    ? ""
    : ` (and ${count(findings.length - 1, "more finding")})`;
  const attributes = { message: `${first!.message}${others}`, type: first!.severity };
  return `${tag("failure", attributes, ">")}${details(findings)}</failure>`;
}

function details(findings: readonly Finding[]): string {
  const lines = findings.flatMap((finding) => {
    const { severity, sitemap } = finding;
    return [
      `${severity}: ${placedMessage(finding, sitemap)}`,
      ...furtherExamples(finding).map((example) => `  ${exampleText(example)}`),
    ];
  });
  return [...lines, findings[0]!.help].map(escapeXml).join("\n");
}

function tag(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  end: string,
): string {
  const pairs = Object.entries(attributes).map(([key, value]) =>
    ` ${key}="${escapeXml(String(value))}"`
  );
  return `<${name}${pairs.join("")}${end}`;
}

/** Characters that XML forbids are made visible. */
function escapeXml(text: string): string {
  return escapeControls(text)
    .replace(/[\ufffe\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16)}`)
    .replace(/[<>&"']/g, (character) => `&#${character.charCodeAt(0)};`);
}
