import { applyRules, type OptionRule, TIME } from "../data/option_rules.ts";
import { type RuleCode, RULES } from "./rules.ts";
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

export interface ResolvedOptions {
  readonly now: Date | undefined;
  readonly severities: Readonly<Partial<Record<RuleCode, Severity>>>;
  readonly agent: string;
  readonly isEnabled: (code: RuleCode) => boolean;
  /** Whether a rule was asked for by its name. */
  readonly isNamed: (code: RuleCode) => boolean;
}

const CODES: OptionRule<readonly RuleCode[]> = {
  expected: "a list of rule codes",
  accepts: (value) => Array.isArray(value) && value.every(isCode),
};

const OPTIONS: { readonly [K in keyof CheckOptions]-?: OptionRule<CheckOptions[K]> } = {
  now: TIME,
  only: CODES,
  skip: CODES,
  severities: {
    expected: 'an object of rule codes with "error", "warning" or "notice"',
    accepts: (value) =>
      typeof value === "object" && value !== null &&
      Object.entries(value).every(([code, severity]) =>
        isCode(code) && SEVERITIES.includes(severity)
      ),
  },
  agent: {
    default: "*",
    expected: "a product token, or `*`",
    accepts: (value) => typeof value === "string" && value !== "",
  },
};

function isCode(code: unknown): boolean {
  return typeof code === "string" && Object.hasOwn(RULES, code);
}

/** Throws a `TypeError` if an option is unknown or invalid. */
export function resolveOptions(options: CheckOptions): ResolvedOptions {
  const { now, only, skip, severities = {}, agent = "*" } = applyRules(
    OPTIONS,
    options,
  ) as CheckOptions;
  const wanted = only && new Set(only), unwanted = new Set(skip);
  return {
    now: now === undefined ? undefined : new Date(now),
    severities,
    agent,
    isNamed: (code) => wanted?.has(code) ?? false,
    isEnabled: (code) => (wanted?.has(code) ?? true) && !unwanted.has(code),
  };
}
