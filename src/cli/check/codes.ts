/**
 * The codes of rules that `--only` and `--skip` name.
 *
 * @module
 */

import { type RuleCode, RULES } from "../../check/rules.ts";
import { suggestion } from "../../data/suggestion.ts";
import { UsageError } from "../failure.ts";

/** All codes, in their order. */
export const RULE_CODES: readonly RuleCode[] = Object.keys(RULES) as RuleCode[];

/** Returns the rules of a comma-separated list, or the word `help`. */
export function parseCodes(text: string): readonly RuleCode[] | "help" {
  if (text === "help") return text;
  return text.split(",").map((item) => {
    const name = item.trim();
    const code = RULE_CODES.find((code) => code === name);
    if (code !== undefined) return code;
    throw new UsageError(
      `Unknown rule "${name}"${suggestion(name, RULE_CODES)}`,
      "--only help lists them",
    );
  });
}
