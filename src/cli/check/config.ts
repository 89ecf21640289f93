/**
 * Settings of a check: options, and `sitetree.json` for those that are not given.
 *
 * @module
 */

import { type RuleCode, RULES } from "../../check/rules.ts";
import { SEVERITIES, type Severity } from "../../check/severity.ts";
import { suggestion } from "../../data/suggestion.ts";
import { hasPermission } from "../../platform/environment.ts";
import { codeOf, isPermissionError } from "../../platform/host.ts";
import type { Arguments } from "../arguments.ts";
import { Failure, UsageError } from "../failure.ts";
import { definitions } from "../help.ts";
import { printText } from "../output.ts";
import { openInput } from "../sources.ts";
import { outputColumns } from "../terminal.ts";
import { expectedWords } from "../values.ts";
import { RULE_CODES } from "./codes.ts";

const DEFAULT_PATH = "sitetree.json";

/** The rule that `--pages` judges. */
const PAGE_RULE: RuleCode = "page-status";

/** What a configuration file has below `check`. */
interface CheckConfig {
  readonly only?: readonly RuleCode[];
  readonly skip?: readonly RuleCode[];
  readonly failOn?: Severity;
  readonly severities?: Readonly<Partial<Record<RuleCode, Severity>>>;
}

interface CheckSettings {
  readonly codes: readonly RuleCode[];
  readonly failOn: Severity;
  readonly severities: Readonly<Partial<Record<RuleCode, Severity>>>;
}

export async function printsRules(args: Arguments): Promise<boolean> {
  const isAsked = ["only", "skip"].some((name) => args.all<unknown>(name).includes("help"));
  const rules = RULE_CODES.map((code) => [code, RULES[code].title] as const);
  if (isAsked) await printText(definitions(rules, outputColumns()));
  return isAsked;
}

/** An option replaces what the configuration file has. */
export async function checkSettings(args: Arguments): Promise<CheckSettings> {
  const config = await readConfig(args.value("config"));
  const [only, skip] = ["only", "skip"].map((name) => args.all<readonly RuleCode[]>(name).flat());
  const isOnly = args.has("only");
  const named = isOnly ? only! : config.only ?? RULE_CODES.filter((code) => code !== PAGE_RULE);
  const wanted = args.has("pages") ? [...named, PAGE_RULE] : named;
  // rules that an option asks for by name are judged, whatever the file skips
  const unwanted = args.has("skip") || isOnly ? skip! : config.skip ?? [];
  const codes = RULE_CODES.filter((code) => wanted.includes(code) && !unwanted.includes(code));
  if (codes.length === 0) throw new UsageError("No rules left to judge");
  return {
    codes,
    failOn: args.value<Severity>("fail-on") ?? config.failOn ?? "error",
    severities: config.severities ?? {},
  };
}

/** The file of the working directory need not exist. */
async function readConfig(given: string | undefined): Promise<CheckConfig> {
  const path = given ?? DEFAULT_PATH;
  // reading without permission would prompt at a terminal
  if (given === undefined && !hasPermission({ name: "read", path })) return {};
  try {
    return new ConfigReader(path).read(await new Response(await openInput(path)).text());
  } catch (error) {
    if (!(error instanceof Failure) || isPermissionError(error.cause)) throw error;
    if (given === undefined && codeOf(error.cause) === "ENOENT") return {};
    throw new UsageError(error.message, error.hint);
  }
}

class ConfigReader {
  readonly #path: string;

  constructor(path: string) {
    this.#path = path;
  }

  read(text: string): CheckConfig {
    let value: unknown;
    try {
      value = JSON.parse(text.replace(/^\ufeff/, ""));
    } catch {
      throw this.#fault("invalid JSON");
    }
    const { check = {} } = this.#object(value, "it", ["check"]);
    const config = this.#object(check, '"check"', ["only", "skip", "failOn", "severities"]);
    const { only, skip, failOn, severities } = config;
    return {
      ...(only !== undefined && { only: this.#codes(only, '"check.only"') }),
      ...(skip !== undefined && { skip: this.#codes(skip, '"check.skip"') }),
      ...(failOn !== undefined && { failOn: this.#severity(failOn, '"check.failOn"') }),
      ...(severities !== undefined && { severities: this.#severities(severities) }),
    };
  }

  #fault(reason: string): UsageError {
    return new UsageError(`Invalid configuration "${this.#path}": ${reason}`);
  }

  #object(value: unknown, name: string, keys: readonly string[]): Record<string, unknown> {
    if (typeof value !== "object" || value === null || Array.isArray(value)) {
      throw this.#fault(`${name} must be an object`);
    }
    const unknown = Object.keys(value).find((key) => keys.length > 0 && !keys.includes(key));
    if (unknown === undefined) return value as Record<string, unknown>;
    const place = name === "it" ? "" : ` in ${name}`;
    throw this.#fault(`unknown key "${unknown}"${place}${suggestion(unknown, keys)}`);
  }

  #codes(value: unknown, name: string): RuleCode[] {
    if (!Array.isArray(value)) throw this.#fault(`${name} must be an array of rules`);
    return value.map((code) => this.#code(code, name));
  }

  #code(value: unknown, name: string): RuleCode {
    const code = RULE_CODES.find((code) => code === value);
    if (code !== undefined) return code;
    if (typeof value !== "string") throw this.#fault(`${name} must be an array of rules`);
    throw this.#fault(`unknown rule "${value}" in ${name}${suggestion(value, RULE_CODES)}`);
  }

  #severity(value: unknown, name: string): Severity {
    const severity = SEVERITIES.find((severity) => severity === value);
    if (severity !== undefined) return severity;
    throw this.#fault(`${name} must be ${expectedWords(String(value), SEVERITIES)}`);
  }

  #severities(value: unknown): Partial<Record<RuleCode, Severity>> {
    const name = '"check.severities"';
    const entries = Object.entries(this.#object(value, name, []));
    return Object.fromEntries(
      entries.map(([code, severity]) => [
        this.#code(code, name),
        this.#severity(severity, `"check.severities.${code}"`),
      ]),
    );
  }
}
