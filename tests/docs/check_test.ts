import { assertEquals } from "@std/assert";
import { type Rule, RULE_SOURCES, RULES } from "../../src/check/mod.ts";
import { readText, ROOT, section } from "./markdown.ts";

const PAGE = "docs/check.md";

/** Returns a table as the formatter writes it. */
function table(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]!.map((_, column) => Math.max(...rows.map((row) => row[column]!.length)));
  const line = (cells: readonly string[], filler = " ") =>
    `| ${cells.map((cell, column) => cell.padEnd(widths[column]!, filler)).join(" | ")} |\n`;
  const [head = [], ...rest] = rows;
  return line(head) + line(head.map(() => ""), "-") + rest.map((row) => line(row)).join("");
}

/** Returns the severities that the findings of a rule can have, that of the rule first. */
function severities({ severity, aspects }: Rule): string {
  const all = Object.values(aspects).map((aspect) => aspect.severity ?? severity);
  return [...new Set([severity, ...all])].join(", ");
}

/** Asserts that a section has a generated table; `UPDATE_GOLDEN=1` writes it. */
function assertTable(heading: string, rows: readonly (readonly string[])[]): void {
  const expected = table(rows), text = readText(PAGE), find = /(?:^\|.*\n)+/m;
  const written = section(text, heading);
  if (Deno.env.get("UPDATE_GOLDEN") === "1") {
    const updated = written.replace(find, () => expected);
    Deno.writeTextFileSync(new URL(PAGE, ROOT), text.replace(written, () => updated));
  }
  assertEquals(find.exec(section(readText(PAGE), heading))?.[0], expected);
}

Deno.test("the page on checks has the rules and sources of the code", () => {
  const rules = Object.entries(RULES).map(([code, rule]) => [
    `\`${code}\``,
    severities(rule),
    rule.title,
    rule.help,
    rule.sources.join(" "),
  ]);
  assertTable("Rules", [["code", "severity", "rule", "what to do", "sources"], ...rules]);
  const sources = Object.entries(RULE_SOURCES).map(([key, [name, url]]) => [
    key,
    url === undefined ? name : `[${name}](${url})`,
  ]);
  assertTable("Sources", [["key", "source"], ...sources]);
});
