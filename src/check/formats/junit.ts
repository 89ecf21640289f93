/**
 * Checks as JUnit XML: a suite for each site, a test case for each rule.
 *
 * @module
 */

import { groupBy } from "../../data/group_by.ts";
import { count } from "../../data/text.ts";
import { escapeControls } from "../../write/escape.ts";
import type { Finding } from "../finding.ts";
import { type RuleCode, RULES } from "../rules.ts";
import { isAtLeast } from "../severity.ts";
import {
  exampleText,
  type FormatSettings,
  furtherExamples,
  messageOf,
  type SiteCheck,
} from "./finding_text.ts";

interface Case {
  readonly isFailure: boolean;
  readonly isSkipped: boolean;
  readonly xml: string;
}

/**
 * Findings that fail the check are the failure of their rule; others are its output, and a rule
 * that could not be judged is skipped.
 */
export function junitText(checks: readonly SiteCheck[], settings: FormatSettings): string {
  const suites = checks.map((check) => [check.site, casesOf(check, settings)] as const);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    suiteTag("testsuites", "sitetree check", suites.flatMap(([, cases]) => cases)),
    ...suites.flatMap(([site, cases]) => [
      `  ${suiteTag("testsuite", site, cases)}`,
      ...cases.map(({ xml }) => `    ${xml}`),
      "  </testsuite>",
    ]),
    "</testsuites>",
  ].map((line) => `${line}\n`).join("");
}

function suiteTag(element: string, name: string, cases: readonly Case[]): string {
  const failures = cases.filter(({ isFailure }) => isFailure).length;
  const skipped = cases.filter(({ isSkipped }) => isSkipped).length;
  return tag(element, { name, tests: cases.length, failures, skipped, errors: 0 }, ">");
}

function casesOf(
  { site, verdict, findings, skipped }: SiteCheck,
  { codes, failOn }: FormatSettings,
): Case[] {
  const reasons = new Map<RuleCode, string>(skipped.map(({ code, reason }) => [code, reason]));
  const byCode = groupBy(findings, ({ code }) => code);
  return codes.map((code) => {
    const found = byCode.get(code) ?? [];
    const failing = found.filter(({ severity }) => isAtLeast(severity, failOn));
    const others = found.filter((finding) => !failing.includes(finding));
    // what was not found may be in the rest
    const isOpen = verdict === "interrupted" && failing.length === 0;
    const unjudged = found.length === 0 ? reasons.get(code) : undefined;
    const reason = isOpen ? "interrupted before everything was read" : unjudged;
    const content = [
      reason === undefined ? "" : tag("skipped", { message: reason }, "/>"),
      failing.length === 0 ? "" : failure(failing),
      others.length === 0 ? "" : `<system-out>${details(others)}</system-out>`,
    ].join("");
    const name = { classname: site, name: `${code}: ${RULES[code].title}` };
    const xml = content === ""
      ? tag("testcase", name, "/>")
      : `${tag("testcase", name, ">")}${content}</testcase>`;
    return { isFailure: failing.length > 0, isSkipped: reason !== undefined, xml };
  });
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
  const lines = findings.flatMap((finding) => [
    `${finding.severity}: ${messageOf(finding, finding.sitemap)}`,
    ...furtherExamples(finding).map((example) => `  ${exampleText(example)}`),
  ]);
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
