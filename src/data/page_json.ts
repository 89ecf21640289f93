/**
 * Checks of data from JSON, which report the path of the first invalid value.
 *
 * @module
 */

import { timeOfDate } from "./date.ts";
import { type Field, type Kind, PAGE, type RecordSchema } from "./page_schema.ts";
import { excerpt } from "./text.ts";

export interface Fault {
  /** Path of the value, such as `images[2].loc`; empty for the checked value itself. */
  readonly path: string;
  readonly value: unknown;
}

export type Check = (value: unknown) => Fault | undefined;

const MAX_SHOWN_LENGTH = 60;

export function checkThat(holds: (value: unknown) => boolean): Check {
  return (value) => holds(value) ? undefined : { path: "", value };
}

export const TEXT: Check = checkThat((value) => typeof value === "string");

/** JSON holds neither `NaN` nor infinities. */
export const NUMBER: Check = checkThat(Number.isFinite);

export const FLAG: Check = checkThat((value) => typeof value === "boolean");

export function checkList(item: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return { path: "", value };
    for (const [index, member] of value.entries()) {
      const fault = item(member);
      if (fault !== undefined) return within(`[${index}]`, fault);
    }
    return undefined;
  };
}

/** Unknown fields pass: a later version may have written them. */
export function checkRecord(
  required: Readonly<Record<string, Check>>,
  optional: Readonly<Record<string, Check>> = {},
): Check {
  return (value) => {
    if (!isRecord(value)) return { path: "", value };
    return checkFields(value, required, true) ?? checkFields(value, optional, false);
  };
}

function checkFields(
  value: Readonly<Record<string, unknown>>,
  checks: Readonly<Record<string, Check>>,
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

export function within(step: string, { path, value }: Fault): Fault {
  const joint = path === "" || path.startsWith("[") ? "" : ".";
  return { path: `${step}${joint}${path}`, value };
}

/** `failure` is what failed, such as `Cannot load sitemap`. */
export function faultError(failure: string, fault: Fault): TypeError {
  return new TypeError(`${failure}: ${faultText(fault)}`);
}

/** Describes a fault, such as `"images[2].loc" is null`. */
export function faultText({ path, value }: Fault): string {
  const place = path === "" ? "the value" : `"${excerpt(path)}"`;
  return `${place} is ${show(value)}`;
}

export function show(value: unknown): string {
  if (Array.isArray(value)) return "an array";
  if (typeof value === "object" && value !== null) return "an object";
  if (typeof value === "function") return "a function";
  if (typeof value !== "string") return String(value);
  const shown = JSON.stringify(value);
  return shown.length > MAX_SHOWN_LENGTH ? `${shown.slice(0, MAX_SHOWN_LENGTH)}…"` : shown;
}

export const DATE: Check = checkThat((value) =>
  typeof value === "string" && !Number.isNaN(timeOfDate(value))
);

const CHECKS: Readonly<Record<Exclude<Kind, "word" | "record">, Check>> = {
  text: TEXT,
  url: TEXT,
  number: NUMBER,
  priority: NUMBER,
  flag: FLAG,
  date: DATE,
};

function checkField({ kind, record, words, isList }: Field): Check {
  const item = kind === "record"
    ? checkFieldsOf(record!)
    : kind === "word"
    ? checkThat((value) => words!.includes(value as string))
    : CHECKS[kind];
  return isList ? checkList(item) : item;
}

function checkFieldsOf({ fields }: RecordSchema): Check {
  const required: Record<string, Check> = {}, optional: Record<string, Check> = {};
  for (const field of fields) {
    (field.required === "always" ? required : optional)[field.name] = checkField(field);
  }
  return checkRecord(required, optional);
}

export const checkPage: Check = checkFieldsOf(PAGE);
