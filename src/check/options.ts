import { checkList, checkMap, checkThat, checkWord } from "../data/checks.ts";
import {
  applyRules,
  option,
  type OptionRule,
  type OptionRules,
  TIME,
} from "../data/option_rules.ts";
import { RULE_CODES, type RuleCode } from "./rules.ts";
import { SEVERITIES, type Severity } from "./severity.ts";

/** What {@linkcode check} and {@linkcode Checker} judge, and as of which time. */
export interface CheckOptions {
  /** Time of the check, in ISO 8601 or as a `Date`. Default: none; rules that need it are skipped. */
  readonly now?: string | Date;
  /** Rules to judge. Default: all. */
  readonly only?: readonly RuleCode[];
  /** Rules to leave out. Default: none. */
  readonly skip?: readonly RuleCode[];
  /** Severities that replace those of the rules. Default: none. */
  readonly severities?: Readonly<Partial<Record<RuleCode, Severity>>>;
  /** Product token of the crawler whose rules of robots.txt are judged. Default: `*`. */
  readonly agent?: string;
}

export interface ResolvedCheckOptions {
  readonly now: Date | undefined;
  readonly severities: Readonly<Partial<Record<RuleCode, Severity>>>;
  readonly agent: string;
  readonly isEnabled: (code: RuleCode) => boolean;
  /** Whether a rule was asked for by its name. */
  readonly isNamed: (code: RuleCode) => boolean;
}

const CODE = checkWord(RULE_CODES, "rule");
const CODES = option(checkList(CODE, "an array of rules"));

/** Of a crawler. */
export const AGENT: OptionRule<string> = option(
  checkThat("a product token, or `*`", (value) => typeof value === "string" && value !== ""),
  "*",
);

export const CHECK_RULES: OptionRules<CheckOptions> = {
  now: TIME,
  only: CODES,
  skip: CODES,
  severities: option(checkMap(checkWord(SEVERITIES), CODE)),
  agent: AGENT,
};

/** Throws a `TypeError` if an option is unknown or invalid. */
export function resolveCheckOptions(options: CheckOptions): ResolvedCheckOptions {
  const { now, only, skip, severities = {}, agent = AGENT.default } = applyRules(
    CHECK_RULES,
    options,
  );
  const wanted = only && new Set(only), unwanted = new Set(skip);
  return {
    severities,
    agent,
    now: now === undefined ? undefined : new Date(now),
    isNamed: (code) => wanted?.has(code) ?? false,
    isEnabled: (code) => (wanted?.has(code) ?? true) && !unwanted.has(code),
  };
}
