/**
 * Checks of what is saved as JSON: pages, by the table of their fields, and what their trees and walks
 * have in common.
 *
 * @module
 */

import {
  type Check,
  checkList,
  checkMap,
  checkRecord,
  checkThat,
  checkWord,
  FLAG,
  NUMBER,
  TEXT,
} from "./checks.ts";
import { timeOfDate } from "./date.ts";
import { type Field, type Kind, PAGE, type RecordSchema } from "./page_schema.ts";
import { VERDICTS } from "./words.ts";

export const COUNTS: Check = checkMap(NUMBER);

export const VERDICT: Check = checkWord(Object.keys(VERDICTS));

export const DATE: Check = checkThat(
  "a date in ISO 8601",
  (value) => typeof value === "string" && !Number.isNaN(timeOfDate(value)),
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
    ? checkWord(words!)
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
