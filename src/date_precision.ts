/**
 * Precision of dates: how much of a date a sitemap gives.
 *
 * A date that is not precise to the time is midnight UTC of the first day that it covers, so it can
 * be kept as milliseconds and two bits.
 *
 * @module
 */

import type { Time } from "./time.ts";

/** Precision of a date: time, day, month or year. Two bits. */
export type DatePrecision = 0 | 1 | 2 | 3;

/** `2024-05-01T10:20:30.000Z` */
export const TO_TIME = 0;
/** `2024-05-01` */
export const TO_DAY = 1;
/** `2024-05` */
export const TO_MONTH = 2;
/** `2024` */
export const TO_YEAR = 3;

/** Bits of a precision among flags. */
export const PRECISION_MASK = 3;

/** Characters that a precision drops from the date of an ISO string. */
const DROPPED = { [TO_DAY]: 0, [TO_MONTH]: 3, [TO_YEAR]: 6 } as const;

/** A date of ECMAScript's ISO format without a time, which is in UTC. */
const DATE_REGEXP = /^(?:\d{4}|[+-]\d{6})(?<month>-\d\d(?<day>-\d\d)?)?$/;

/** Returns the precision of a date that a caller gives. */
export function precisionOf(time: Time | undefined): DatePrecision {
  if (typeof time !== "string") return TO_TIME;
  const groups = DATE_REGEXP.exec(time)?.groups;
  if (groups === undefined) return TO_TIME;
  if (groups["month"] === undefined) return TO_YEAR;
  return groups["day"] === undefined ? TO_MONTH : TO_DAY;
}

/** Cuts an ISO string to a precision. Its time is midnight, and may be missing after the `T`. */
export function cutIsoString(iso: string, precision: DatePrecision): string {
  return precision === TO_TIME ? iso : iso.slice(0, iso.indexOf("T") - DROPPED[precision]);
}
