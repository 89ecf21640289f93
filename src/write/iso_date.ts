/**
 * Dates as ISO 8601 writes them.
 *
 * @module
 */

import { DAY } from "../calendar.ts";
import { cutIsoString, type DatePrecision, TO_TIME } from "../date_precision.ts";

/** `00` to `99`, and `000` to `999`. */
const TWO_DIGITS = Array.from({ length: 100 }, (_, number) => String(number).padStart(2, "0"));
const THREE_DIGITS = Array.from({ length: 1000 }, (_, number) => String(number).padStart(3, "0"));

/** Days written before, by their number since 1970, such as `1970-01-01T`. */
const days = new Map<number, string>();

/** Days remembered at most: eleven years of them. */
const MAX_DAYS = 65536;

/**
 * A time as `Date.prototype.toISOString()` writes it, which takes 800 ns where this takes 80: the
 * pages of a site share their days. A date without time is cut to its precision.
 *
 * @throws {RangeError} If there is no such date.
 */
export function isoDate(milliseconds: number, precision: DatePrecision = TO_TIME): string {
  const whole = Math.trunc(milliseconds);
  const day = Math.floor(whole / DAY);
  const dayText = days.get(day) ?? writeDay(day);
  if (precision !== TO_TIME) return cutIsoString(dayText, precision);
  const time = whole - day * DAY;
  if (time === 0) return `${dayText}00:00:00.000Z`;
  const hours = TWO_DIGITS[Math.trunc(time / 3_600_000)];
  const minutes = TWO_DIGITS[Math.trunc(time / 60_000) % 60];
  const seconds = TWO_DIGITS[Math.trunc(time / 1000) % 60];
  return `${dayText}${hours}:${minutes}:${seconds}.${THREE_DIGITS[time % 1000]}Z`;
}

function writeDay(day: number): string {
  const midnight = new Date(day * DAY).toISOString();
  const text = midnight.slice(0, midnight.indexOf("T") + 1);
  if (days.size === MAX_DAYS) days.clear();
  days.set(day, text);
  return text;
}
