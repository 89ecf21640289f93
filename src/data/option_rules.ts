/**
 * Checks of options by tables: unknown names, values out of range, defaults.
 *
 * @module
 */

import { suggestion } from "./suggestion.ts";
import { withoutPassword } from "./url.ts";

export interface OptionRule<T> {
  readonly default?: T | undefined;
  /** Noun phrase for the values that are accepted. */
  readonly expected: string;
  readonly error?: typeof RangeError;
  accepts(value: unknown): boolean;
}

type OptionRules = Readonly<Record<string, OptionRule<unknown>>>;

export function flag(value: boolean | undefined): OptionRule<boolean> {
  return {
    default: value,
    expected: "true or false",
    accepts: (value) => typeof value === "boolean",
  };
}

export function callback<T>(): OptionRule<T> {
  return { expected: "a function", accepts: (value) => typeof value === "function" };
}

export function number(min: number, value: number): OptionRule<number> {
  return {
    default: value,
    expected: `a number of at least ${min}`,
    error: RangeError,
    accepts: (value) => typeof value === "number" && value >= min,
  };
}

/** Accepts `Infinity` too. */
export function wholeNumber(min: number, value: number): OptionRule<number> {
  const rule = number(min, value);
  return {
    ...rule,
    expected: `a whole number of at least ${min}`,
    accepts: (value) => rule.accepts(value) && (Number.isInteger(value) || value === Infinity),
  };
}

/** Of any implementation. */
export function isSignal(value: unknown): value is AbortSignal {
  const { aborted, addEventListener } = (value ?? {}) as Partial<AbortSignal>;
  return typeof aborted === "boolean" && typeof addEventListener === "function";
}

export const SIGNAL: OptionRule<AbortSignal> = { expected: "an AbortSignal", accepts: isSignal };

export const TIME: OptionRule<Date | string> = {
  expected: "a Date, or a date in ISO 8601",
  accepts: (value) =>
    (typeof value === "string" || value instanceof Date) && !isNaN(Number(new Date(value))),
};

/**
 * Returns options with their defaults, checked by rules.
 *
 * @throws {RangeError} If a number is out of range.
 * @throws {TypeError} If an option is unknown, or any other value is invalid.
 */
export function applyRules(rules: OptionRules, options: object): Record<string, unknown> {
  checkNames(rules, options);
  const resolved: Record<string, unknown> = {};
  for (const [name, rule] of Object.entries(rules)) {
    const value = (options as Readonly<Record<string, unknown>>)[name];
    if (value !== undefined) checkOption(name, value, rule);
    if ((value ?? rule.default) !== undefined) resolved[name] = value ?? rule.default;
  }
  return resolved;
}

export function checkNames(table: Readonly<Record<string, unknown>>, options: object): void {
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined || Object.hasOwn(table, name)) continue;
    throw new TypeError(`Unknown option "${name}"${suggestion(name, Object.keys(table))}`);
  }
}

export function checkOption(
  name: string,
  value: unknown,
  { expected, accepts, error = TypeError }: Omit<OptionRule<unknown>, "default">,
): void {
  if (accepts(value)) return;
  throw new error(`Cannot use option "${name}": ${shown(value)} is not ${expected}`);
}

function shown(value: unknown): string {
  const text = withoutPassword(String(value));
  return typeof value === "string" ? JSON.stringify(text) : text;
}
