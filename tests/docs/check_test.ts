import { type Rule, RULE_SOURCES, RULES } from "../../src/check/mod.ts";
import { assertTable } from "./generated.ts";

const PAGE = "docs/check.md";

/** Returns the severities that the findings of a rule can have, that of the rule first. */
function severities({ severity, aspects }: Rule): string {
  const all = Object.values(aspects).map((aspect) => aspect.severity ?? severity);
  return [...new Set([severity, ...all])].join(", ");
}

Deno.test("the page on checks has the rules and sources of the code", () => {
  const rules = Object.entries(RULES).map(([code, rule]) => [
    `\`${code}\``,
    severities(rule),
    rule.title,
    rule.help,
    rule.sources.join(" "),
  ]);
  assertTable(PAGE, "Rules", [["code", "severity", "rule", "what to do", "sources"], ...rules]);
  const sources = Object.entries(RULE_SOURCES).map(([key, [name, url]]) => [
    key,
    url === undefined ? name : `[${name}](${url})`,
  ]);
  assertTable(PAGE, "Sources", [["key", "source"], ...sources]);
});
