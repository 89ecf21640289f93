/**
 * Settings of a check: options, and `sitetree.json` for those that are not given.
 *
 * @module
 */

import { RULE_CODES, type RuleCode } from "../../check/rules.ts";
import { SEVERITIES, type Severity } from "../../check/severity.ts";
import { CHECK_RULES, type CheckOptions } from "../../check/options.ts";
import { checkOnly, checkWord, type Fault } from "../../data/checks.ts";
import { suggestion } from "../../data/suggestion.ts";
import { hasPermission } from "../../platform/environment.ts";
import { codeOf } from "../../platform/process.ts";
import type { Arguments } from "../arguments.ts";
import { UsageError } from "../failure.ts";
import { openInput } from "../../source/file.ts";
import { SourceError } from "../../source/source_error.ts";

const DEFAULT_PATH = "sitetree.json";

/** The rule that `--pages` judges. */
const PAGE_RULE: RuleCode = "page-status";

/** What a configuration file has below `check`. */
interface CheckConfig extends Pick<CheckOptions, "only" | "skip" | "severities"> {
  readonly failOn?: Severity;
}

interface CheckSettings extends Required<Pick<CheckOptions, "severities">> {
  readonly codes: readonly RuleCode[];
  readonly failOn: Severity;
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
    return parseConfig(await new Response(await openInput(path)).text(), path);
  } catch (error) {
    if (!(error instanceof SourceError) || error.code === "permission") throw error;
    if (given === undefined && codeOf(error.cause) === "ENOENT") return {};
    throw new UsageError(error.message, error.hint);
  }
}

const CONFIG = checkOnly("key", {
  check: checkOnly("key", {
    only: CHECK_RULES.only.check,
    skip: CHECK_RULES.skip.check,
    failOn: checkWord(SEVERITIES),
    severities: CHECK_RULES.severities.check,
  }),
});

function parseConfig(text: string, path: string): CheckConfig {
  let value: unknown;
  try {
    value = JSON.parse(text.replace(/^\ufeff/, ""));
  } catch {
    throw new UsageError(`Invalid configuration "${path}": invalid JSON`);
  }
  const fault = CONFIG(value);
  if (fault === undefined) return (value as { readonly check?: CheckConfig }).check ?? {};
  throw new UsageError(`Invalid configuration "${path}": ${faultReason(fault)}`);
}

function faultReason({ path, value, expected, words = [], noun }: Fault): string {
  const meant = suggestion(String(value), words);
  if (noun === undefined || typeof value !== "string") {
    return `${path === "" ? "it" : `"${path}"`} must be ${expected}${meant}`;
  }
  const list = path.replace(/\[\d+\]$/, "");
  return `unknown ${noun} "${value}"${list === "" ? "" : ` in "${list}"`}${meant}`;
}
