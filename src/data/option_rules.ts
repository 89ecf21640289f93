/**
 * Options by tables: unknown names, values out of range, defaults.
 *
 * @module
 */

import { type Check, checkAny, checkThat, FLAG, FUNCTION, show, TEXT } from "./checks.ts";
import { suggestion } from "./suggestion.ts";

/** `Default` is the type of the default, `undefined` for an option without one. */
export interface OptionRule<Default = unknown> {
  readonly check: Check;
  readonly default: Default;
  readonly error?: typeof RangeError;
  /** Lowest value of a number. */
  readonly min?: number;
}

export type OptionRules<Options> = {
  readonly [Name in keyof Options]-?: OptionRule<Options[Name] | undefined>;
};

/** Options after {@linkcode applyRules}: those with a default are there. */
type Resolved<Options, Rules extends OptionRules<Options>> =
  & Omit<Options, Always<Rules>>
  & Required<Pick<Options, Always<Rules> & keyof Options>>;

/** Names of options with a default. */
type Always<Rules extends Readonly<Record<keyof Rules, OptionRule>>> = {
  [Name in keyof Rules]: undefined extends Rules[Name]["default"] ? never : Name;
}[keyof Rules];

type Maybe<Value> = Value | undefined;

export function option<Value = undefined>(check: Check, value?: Value): OptionRule<Value> {
  return { check, default: value as Value };
}

export function flag<Value extends Maybe<boolean> = undefined>(value?: Value): OptionRule<Value> {
  return option(FLAG, value);
}

export const CALLBACK: OptionRule<undefined> = option(FUNCTION);

export const STRING: OptionRule<undefined> = option(TEXT);

const IS_URL = checkThat("a URL", (value) => value instanceof URL);
export const ADDRESS: OptionRule<undefined> = option(checkAny("a string or URL", TEXT, IS_URL));

export function number<Value extends Maybe<number> = undefined>(
  min: number,
  value?: Value,
): OptionRule<Value> {
  const expected = `a number of at least ${min}`;
  const check = checkThat(expected, (value) => typeof value === "number" && value >= min);
  return { ...option(check, value), error: RangeError, min };
}

/** Accepts `Infinity` too. */
export function wholeNumber<Value extends Maybe<number> = undefined>(
  min: number,
  value?: Value,
): OptionRule<Value> {
  const accepts = (value: unknown) => Number.isInteger(value) || value === Infinity;
  const check = checkThat(
    `a whole number of at least ${min}`,
    (value) => accepts(value) && (value as number) >= min,
  );
  return { ...number(min, value), check };
}

/** Of any implementation. */
export function isSignal(value: unknown): value is AbortSignal {
  const { aborted, addEventListener } = (value ?? {}) as Partial<AbortSignal>;
  return typeof aborted === "boolean" && typeof addEventListener === "function";
}

export const SIGNAL: OptionRule<undefined> = option(checkThat("an AbortSignal", isSignal));

export const TIME: OptionRule<undefined> = option(checkThat(
  "a Date, or a date in ISO 8601",
  (value) =>
    (typeof value === "string" || value instanceof Date) && !isNaN(Number(new Date(value))),
));

/**
 * Returns options with their defaults, checked by rules.
 *
 * @throws {RangeError} If a number is out of range.
 * @throws {TypeError} If an option is unknown, or any other value is invalid.
 */
export function applyRules<Options extends object, Rules extends OptionRules<Options>>(
  rules: Rules,
  options: Options,
): Resolved<Options, Rules> {
  checkNames(rules, options);
  const resolved: Record<string, unknown> = {};
  for (const [name, rule] of Object.entries<OptionRule>(rules)) {
    const value = (options as Readonly<Record<string, unknown>>)[name];
    if (value !== undefined) checkOption(name, value, rule);
    if ((value ?? rule.default) !== undefined) resolved[name] = value ?? rule.default;
  }
  return resolved as Resolved<Options, Rules>;
}

export function checkNames(table: object, options: object): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || Object.hasOwn(table, name)) continue;
    throw new TypeError(`Unknown option "${name}"${suggestion(name, Object.keys(table))}`);
  }
}

export function checkOption(
  name: string,
  value: unknown,
  { check, error = TypeError }: Pick<OptionRule, "check" | "error">,
): void {
  const fault = check(value);
  if (fault === undefined) return;
  const { value: found, expected, words = [] } = fault;
  const meant = suggestion(String(found), words);
  throw new error(`Cannot use option "${name}": ${show(found)} is not ${expected}${meant}`);
}
