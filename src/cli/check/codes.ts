import { type RuleCode, RULES } from "../../check/rules.ts";
import { listOf } from "../values.ts";

export const RULE_CODES: readonly RuleCode[] = Object.keys(RULES) as RuleCode[];

export const parseCodes: (text: string) => readonly RuleCode[] = listOf(
  "rule",
  RULE_CODES,
  "--only help lists them",
);
