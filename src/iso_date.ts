/**
 * Dates as ISO 8601 writes them.
 *
 * @module
 */

import { DAY } from "./calendar.ts";
import { cutIsoString, type DatePrecision, TO_TIME } from "./date_precision.ts";

/** Days from 0000-03-01 to 1970-01-01. */
const EPOCH = 719_468;
/** Days in 400 years, after which the calendar repeats itself. */
const ERA = 146_097;
/** Times of the years 0 to 9999, which have four digits. */
const FIRST_TIME = -62_167_219_200_000;
const LAST_TIME = 253_402_300_799_999;

/**
 * Writes a time as `Date.prototype.toISOString()` does, in a sixth of the time: that one formats, and
 * this one sets the characters of a flat string at once. A date without time is cut to its precision.
 *
 * @throws {RangeError} If a `Date` cannot have that time.
 */
export function isoDate(milliseconds: number, precision: DatePrecision = TO_TIME): string {
  const whole = Math.trunc(milliseconds);
  const isCommon = whole >= FIRST_TIME && whole <= LAST_TIME;
  const iso = isCommon ? fourDigitYear(whole) : new Date(milliseconds).toISOString();
  return cutIsoString(iso, precision);
}

function fourDigitYear(whole: number): string {
  const days = Math.floor(whole / DAY);
  const time = whole - days * DAY;
  // https://howardhinnant.github.io/date_algorithms.html#civil_from_days: years that begin in March
  const day = days + EPOCH;
  const era = Math.floor(day / ERA);
  const dayOfEra = day - era * ERA;
  const yearOfEra =
    ((dayOfEra - (dayOfEra / 1460 | 0) + (dayOfEra / 36_524 | 0) - (dayOfEra / 146_096 | 0)) /
      365) | 0;
  const dayOfYear = dayOfEra - (365 * yearOfEra + (yearOfEra >> 2) - (yearOfEra / 100 | 0));
  const fromMarch = ((5 * dayOfYear + 2) / 153) | 0;
  const date = dayOfYear - ((153 * fromMarch + 2) / 5 | 0) + 1;
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  const hours = time / 3_600_000 | 0, minutes = (time / 60_000 | 0) % 60;
  const seconds = (time / 1000 | 0) % 60, thousandths = time % 1000;
  // deno-fmt-ignore
  return String.fromCharCode(
    0x30 + (year / 1000 | 0), 0x30 + (year / 100 | 0) % 10, 0x30 + (year / 10 | 0) % 10, 0x30 + year % 10,
    0x2d, 0x30 + (month / 10 | 0), 0x30 + month % 10, 0x2d, 0x30 + (date / 10 | 0), 0x30 + date % 10,
    0x54, 0x30 + (hours / 10 | 0), 0x30 + hours % 10, 0x3a, 0x30 + (minutes / 10 | 0), 0x30 + minutes % 10,
    0x3a, 0x30 + (seconds / 10 | 0), 0x30 + seconds % 10, 0x2e,
    0x30 + (thousandths / 100 | 0), 0x30 + (thousandths / 10 | 0) % 10, 0x30 + thousandths % 10, 0x5a,
  );
}
