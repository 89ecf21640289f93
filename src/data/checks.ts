/**
 * Checks of values from outside: options, JSON and configuration files.
 *
 * A check returns the first value that it does not accept, with its path. Who asked says what is wrong:
 * {@linkcode faultText} for JSON, `checkOption()` for options, `sitetree.json` for itself.
 *
 * @module
 */

import { excerpt } from "./text.ts";
import { withoutPassword } from "./url.ts";

export interface Fault {
  /** Path of the value, such as `images[2].loc`; empty for the checked value itself. */
  readonly path: string;
  readonly value: unknown;
  /** Noun phrase for the values that are accepted. */
  readonly expected: string;
  /** The words that are accepted, if it is none of them. */
  readonly words?: readonly string[];
  /** What the words are names of, such as `rule`, if they are too many to list. */
  readonly noun?: string;
}

/** Where a fault is, and the value there. */
type Place = Pick<Fault, "path" | "value">;

export type Check = (value: unknown) => Fault | undefined;

type Checks = Readonly<Record<string, Check>>;

const MAX_SHOWN_LENGTH = 60;

export function checkThat(expected: string, holds: (value: unknown) => boolean): Check {
  return (value) => holds(value) ? undefined : { path: "", value, expected };
}

export const TEXT: Check = checkThat("a string", (value) => typeof value === "string");

/** JSON holds neither `NaN` nor infinities. */
export const NUMBER: Check = checkThat("a number", Number.isFinite);

export const FLAG: Check = checkThat("true or false", (value) => typeof value === "boolean");

export const FUNCTION: Check = checkThat("a function", (value) => typeof value === "function");

export const ANYTHING: Check = () => undefined;

export function checkAny(expected: string, ...checks: readonly Check[]): Check {
  return checkThat(expected, (value) => checks.some((check) => check(value) === undefined));
}

export function checkWord(words: readonly string[], noun?: string): Check {
  const expected = noun === undefined ? `one of ${words.join(", ")}` : `a ${noun}`;
  const fault = { path: "", expected, words, ...(noun !== undefined && { noun }) };
  const accepted = new Set<unknown>(words);
  return (value) => accepted.has(value) ? undefined : { ...fault, value };
}

export function checkList(item: Check, expected = "an array"): Check {
  return (value) => {
    if (!Array.isArray(value)) return { path: "", value, expected };
    for (const [index, member] of value.entries()) {
      const fault = item(member);
      if (fault !== undefined) return within(`[${index}]`, fault);
    }
    return undefined;
  };
}

/** Unknown fields pass: a later version may have written them. */
export function checkRecord(required: Checks, optional: Checks = {}): Check {
  return (value) => {
    if (!isRecord(value)) return { path: "", value, expected: "an object" };
    return checkFields(value, required, true) ?? checkFields(value, optional, false);
  };
}

/** Checks a record that has no other fields, and need not have any. */
export function checkOnly(noun: string, fields: Checks): Check {
  const names = checkMap(ANYTHING, checkWord(Object.keys(fields), noun));
  const values = checkRecord({}, fields);
  return (value) => names(value) ?? values(value);
}

/** Checks the values of a record by one check, and its keys by another. */
export function checkMap(item: Check, key: Check = ANYTHING): Check {
  return (value) => {
    if (!isRecord(value)) return { path: "", value, expected: "an object" };
    for (const [name, member] of Object.entries(value)) {
      const unknown = key(name);
      if (unknown !== undefined) return unknown;
      const fault = item(member);
      if (fault !== undefined) return within(name, fault);
    }
    return undefined;
  };
}

function checkFields(
  value: Readonly<Record<string, unknown>>,
  checks: Checks,
  required: boolean,
): Fault | undefined {
  for (const name in checks) {
    const field = value[name];
    if (field === undefined && !required) continue;
    const fault = checks[name]!(field);
    if (fault !== undefined) return within(name, fault);
  }
  return undefined;
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export function within<Found extends Place>(step: string, fault: Found): Found {
  return { ...fault, path: joinPaths(step, fault.path) };
}

export function joinPaths(start: string, end: string): string {
  const isJoined = start === "" || end === "" || end.startsWith("[");
  return isJoined ? start + end : `${start}.${end}`;
}

/** `failure` is what failed, such as `Cannot load sitemap`. */
export function faultError(failure: string, fault: Place): TypeError {
  return new TypeError(`${failure}: ${faultText(fault)}`);
}

/** Describes a fault of data, such as `"images[2].loc" is null`. */
export function faultText({ path, value }: Place): string {
  const place = path === "" ? "the value" : `"${excerpt(path)}"`;
  return `${place} is ${show(value)}`;
}

export function show(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value === "function") return "a function";
  if (typeof value !== "string") return String(value);
  const shown = JSON.stringify(withoutPassword(value));
  return shown.length > MAX_SHOWN_LENGTH ? `${shown.slice(0, MAX_SHOWN_LENGTH)}…"` : shown;
}
