import { type RuleCode, RULES } from "../../check/rules.ts";
import { listOf } from "../values.ts";

export const RULE_CODES: readonly RuleCode[] = Object.keys(RULES) as RuleCode[];

export function parseCodes(text: string): readonly RuleCode[] | "help" {
  if (text === "help") return text;
  return listed(text);
}

const listed = listOf("rule", RULE_CODES, "--only help lists them");
