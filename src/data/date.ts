/**
 * Dates as text: writes the four forms of a date, and reads ISO 8601, RFC 822 and other formats of
 * sitemaps and feeds.
 *
 * Ambiguous dates are not read. `Date.parse()` is not used, as the formats that it accepts beyond
 * ECMAScript's own depend on the engine. `date_bytes.ts` reads the common formats without patterns.
 *
 * @module
 */

import {
  DAY,
  dayOfDate,
  dayOfWeekDate,
  HOUR,
  MAX_DATE_LENGTH,
  MINUTE,
  MONTHS,
  ZONE_OFFSETS,
} from "./calendar.ts";
import { trimSpace } from "./text.ts";

const DASH = 0x2d, POINT = 0x2e, ZERO = 0x30, COLON = 0x3a, UPPER_T = 0x54, UPPER_Z = 0x5a;

/** Lengths of the forms of a date: `2024`, `2024-05`, `2024-05-01`, `2024-05-01T12:00:30.000Z`. */
export const DATE_LENGTHS = { year: 4, month: 7, day: 10, time: 24 } as const;

/** Days from 0000-03-01 to 1970-01-01. */
const EPOCH = 719_468;
/** Days in the 400 years after which the calendar repeats itself. */
const ERA = 146_097;
/** First and last time of the years 1 to 9999. */
const FIRST_TIME = -62_135_596_800_000;
const LAST_TIME = 253_402_300_799_999;
/** First and last time that is read as a number: 1995-01-01 and 2100-01-01. */
const FIRST_UNIX_TIME = 788_918_400_000;
const LAST_UNIX_TIME = 4_102_444_800_000;

/**
 * Returns a time as `Date.prototype.toISOString()` does; `""` outside of the years 1 to 9999. The
 * engine takes longer (`deno task bench --shapes`, odd dates).
 */
export function isoTime(milliseconds: number): string {
  if (!(milliseconds >= FIRST_TIME && milliseconds <= LAST_TIME)) return "";
  const days = Math.floor(milliseconds / DAY);
  // https://howardhinnant.github.io/date_algorithms.html#civil_from_days: years that begin in March
  const day = days + EPOCH;
  const era = Math.floor(day / ERA);
  const dayOfEra = day - era * ERA;
  const yearOfEra =
    ((dayOfEra - (dayOfEra / 1460 | 0) + (dayOfEra / 36_524 | 0) - (dayOfEra / 146_096 | 0)) /
      365) | 0;
  const dayOfYear = dayOfEra - (365 * yearOfEra + (yearOfEra >> 2) - (yearOfEra / 100 | 0));
  const fromMarch = ((5 * dayOfYear + 2) / 153) | 0;
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  const date = dayOfYear - ((153 * fromMarch + 2) / 5 | 0) + 1;
  return timeText(year, month, date, Math.trunc(milliseconds - days * DAY));
}

/** `time` is milliseconds since midnight UTC. */
export function timeText(year: number, month: number, day: number, time: number): string {
  const seconds = time / 1000 | 0, minutes = seconds / 60 | 0, hour = minutes / 60 | 0;
  const minute = minutes - hour * 60, second = seconds - minutes * 60, rest = time - seconds * 1000;
  // deno-fmt-ignore
  return String.fromCharCode(
    ZERO + (year / 1000 | 0), ZERO + (year / 100 | 0) % 10, ZERO + (year / 10 | 0) % 10, ZERO + year % 10,
    DASH, ZERO + (month / 10 | 0), ZERO + month % 10, DASH, ZERO + (day / 10 | 0), ZERO + day % 10,
    UPPER_T, ZERO + (hour / 10 | 0), ZERO + hour % 10, COLON, ZERO + (minute / 10 | 0), ZERO + minute % 10,
    COLON, ZERO + (second / 10 | 0), ZERO + second % 10, POINT,
    ZERO + (rest / 100 | 0), ZERO + (rest / 10 | 0) % 10, ZERO + rest % 10, UPPER_Z,
  );
}

/** Returns a date as XML and CSV have it: without milliseconds that are zero. */
export function compactDate(date: string): string {
  return date.endsWith(".000Z") ? `${date.slice(0, -5)}Z` : date;
}

/**
 * Returns the time at which a date begins, in milliseconds since 1970; `NaN` for text that is in none
 * of the four forms, or names a day or time that does not exist.
 */
export function timeOfDate(date: string): number {
  const { length } = date, { year, month, day, time } = DATE_LENGTHS;
  if (length !== time && length !== day && length !== month && length !== year) return NaN;
  const monthOfYear = length < month ? 1 : date[4] === "-" ? digitsAt(date, 5, 2) : -1;
  const dayOfMonth = length < day ? 1 : date[7] === "-" ? digitsAt(date, 8, 2) : -1;
  const days = dayOfDate(digitsAt(date, 0, 4), monthOfYear, dayOfMonth);
  return length < time ? days * DAY : days * DAY + timeOfDay(date);
}

/** The clock of a server may be fast. */
const MAX_CLOCK_SKEW = 10 * MINUTE;
/** Zones are up to so far ahead of UTC; a date without a time may be the day of any. */
const MAX_ZONE = 14 * HOUR;

export interface LatestDates {
  readonly time: string;
  readonly date: string;
}

export function latestDates(now: Date): LatestDates {
  const iso = (offset: number) => new Date(Number(now) + offset).toISOString();
  return { time: iso(MAX_CLOCK_SKEW), date: iso(MAX_ZONE).slice(0, DATE_LENGTHS.day) };
}

export function isFuture(date: string, latest: LatestDates): boolean {
  return date > (date.length > DATE_LENGTHS.day ? latest.time : latest.date);
}

function timeOfDay(date: string): number {
  const hour = digitsAt(date, 11, 2), minute = digitsAt(date, 14, 2);
  const second = digitsAt(date, 17, 2), thousandths = digitsAt(date, 20, 3);
  const isValid = date[10] === "T" && date[13] === ":" && date[16] === ":" && date[19] === "." &&
    date[23] === "Z" && hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 &&
    second < 60 && thousandths >= 0;
  return isValid ? hour * HOUR + minute * MINUTE + second * 1000 + thousandths : NaN;
}

function digitsAt(text: string, at: number, count: number): number {
  let number = 0;
  for (let i = at; i < at + count; i++) {
    const digit = text.charCodeAt(i) - ZERO;
    if (!(digit >= 0 && digit <= 9)) return -1;
    number = number * 10 + digit;
  }
  return number;
}

// Parts of the patterns. A group has the same name and meaning in all of them.

const FRACTION = String.raw`(?:[.,](?<fraction>\d+))?`;

/** `am`, `p.m.` */
const HALF = String.raw`(?:\s*(?<half>[ap])\.?m\b\.?)?`;

/** Times after a numeric date; a time after a blank has a colon. */
const NUMERIC_TIMES: readonly string[] = [
  // nothing, T10, T10:20:30.5, 7:08
  String.raw`(?:(?:\s*T\s*|\s+(?=\d+:))(?<hour>\d{1,2})` +
  String.raw`(?::(?<minute>\d{1,2})(?::(?<second>\d{1,2})${FRACTION})?)?${HALF})?`,
  // T1020, T102030.5
  String.raw`\s*T\s*(?<hour>\d\d)(?<minute>\d\d)(?:(?<second>\d\d)${FRACTION})?`,
];

/** `8:09`, `08:09:10`, `8:09 p.m.` */
const CLOCK = String.raw`(?<hour>\d{1,2}):(?<minute>\d\d)(?::(?<second>\d\d)${FRACTION})?${HALF}`;
const TIME = String.raw`(?:(?:\s*,)?\s+(?:at\s+)?${CLOCK})?`;

/** `CET`, `Europe/Berlin`; a `Z` behind a digit does not begin another name. */
const ZONE_NAME = String.raw`(?!(?<=\d)z\w)(?:[a-z]{1,5}|[a-z_]+/[\w/+-]+)`;

/** `+02`, `-0700`, `+05:30`, `+2`, `+5:30` */
const OFFSET = String.raw`[+-](?:\d\d(?::?\d\d)?|\d(?::\d\d)?)`;

/** `GMT`, `GMT+2`, `-0700 MST`, `+01:00[Europe/Berlin]`, `GMT+02:00 (Central European Summer Time)` */
const ZONE = String.raw`(?:\s*(?<zone>${ZONE_NAME}))?` +
  String.raw`(?:\s*(?<offset>${OFFSET})(?:\s+(?<label>${ZONE_NAME}))?)?` +
  String.raw`(?:\s*[(\[](?<comment>[^()[\]]*)[)\]])?`;

const WEEKDAY =
  "(?:(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:s|nesday)?|thu(?:rs?(?:day)?)?|fri(?:day)?|" +
  String.raw`sat(?:urday)?|sun(?:day)?)(?:\.?\s*,\s*|\.?\s+))?`;
const MONTH =
  "(?<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|" +
  "sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";
const MONTH_DAY = String.raw`(?<day>\d{1,2})(?:st|nd|rd|th)?`;
const YEAR = String.raw`(?<year>\d{4})`;
/** A day that cannot be a month. */
const LATE_DAY = String.raw`(?<day>1[3-9]|2\d|3[01])`;
const GAP = String.raw`(?:\s*[-/.,]\s*|\s+)`;
/** A gap before a year that has no sign: WordPress exports `30 Nov -0001` for a missing date. */
const YEAR_GAP = String.raw`(?!\s+-\d)${GAP}`;

const NUMERIC_DATES: readonly string[] = [
  // 2005-01-01, 2005/1/1, 2005.01.01
  String.raw`${YEAR}(?<separator>[-/.])(?<month>\d{1,2})\k<separator>(?<day>\d{1,2})`,
  // 20050101
  String.raw`${YEAR}(?<month>\d\d)(?<day>\d\d)`,
  // 2005-W01, 2005-W01-1, 2005W011
  String.raw`${YEAR}(?<separator>[-/]?)W(?<week>\d{1,2})(?:\k<separator>(?<weekday>\d))?`,
];

const YEAR_FIRST: readonly RegExp[] = [
  ...NUMERIC_DATES.flatMap((date) => NUMERIC_TIMES.map((time) => date + time + ZONE)),
  // 2005, 2005-01
  String.raw`${YEAR}(?:[-/](?<month>\d{1,2}))?${ZONE}`,
  // 2005-Jan-01
  String.raw`${YEAR}${GAP}${MONTH}${GAP}${MONTH_DAY}${TIME}${ZONE}`,
  // 2005 January
  String.raw`${YEAR}${GAP}${MONTH}${ZONE}`,
].map(wholeText);

const YEAR_LATER: readonly RegExp[] = [
  // Sat, 01 Jan 2005 10:20:30 GMT; 1 January 2005; Saturday, 01-Jan-05 10:20:30 GMT
  String.raw`${WEEKDAY}${MONTH_DAY}${GAP}${MONTH}${YEAR_GAP}(?<year>\d{4}|\d\d)${TIME}${ZONE}`,
  // June 7, 2005; Sat Jan 01 2005 10:20:30 GMT+0000 (Coordinated Universal Time)
  String.raw`${WEEKDAY}${MONTH}${GAP}${MONTH_DAY}${YEAR_GAP}${YEAR}${TIME}${ZONE}`,
  // Sat Jan  1 10:20:30 CET 2005
  String.raw`${WEEKDAY}${MONTH}\s+${MONTH_DAY}(?:\s*,)?\s+${CLOCK}${ZONE}\s+${YEAR}`,
  // Sat Jan 1 10:20:30 2005 +0100
  String.raw`${WEEKDAY}${MONTH}\s+${MONTH_DAY}(?:\s*,)?\s+${CLOCK}\s+${YEAR}${ZONE}`,
  // 22.11.2022
  String.raw`(?<day>\d{1,2})\.(?<month>\d{1,2})\.${YEAR}${TIME}${ZONE}`,
  // 25/09/2003
  String.raw`${LATE_DAY}/(?<month>\d{1,2})/${YEAR}${TIME}${ZONE}`,
  // 09/25/2003, 09.25.2003
  String.raw`(?<month>\d{1,2})(?<separator>[/.])${LATE_DAY}\k<separator>${YEAR}${TIME}${ZONE}`,
  // January 2005
  String.raw`${MONTH}${YEAR_GAP}${YEAR}${ZONE}`,
].map(wholeText);

const YEAR_FIRST_REGEXP = /^\d{4}/;
const OFFSET_REGEXP = /^.(\d\d?):?(\d\d)?$/;
const UNIX_TIME_REGEXP = /^\d{10}(?:\d{3})?$/;

function wholeText(pattern: string): RegExp {
  return new RegExp(`^${pattern}$`, "i");
}

/** `2005`, `2005-01`, `2005-01-01`, `2005-01-01T10:20+01:00`, `2005-01-01T10:20:30.5Z` */
const W3C_REGEXP =
  /^\d{4}(?:-\d\d(?:-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d))?)?)?$/;

/** Whether a date is written as W3C says (https://www.w3.org/TR/NOTE-datetime), if it is valid. */
export function isW3cDate(text: string): boolean {
  return W3C_REGEXP.test(text);
}

type Groups = Readonly<Record<string, string | undefined>>;

/**
 * Returns the date in `text` in its form, or `undefined` if it is unreadable.
 *
 * Reads ISO 8601, RFC 822 and RFC 2822, numeric dates that start with the year, other numeric dates
 * whose order is clear, formats that name the month, and seconds or milliseconds since 1970. Missing
 * parts of a time default to zero, and the zone to UTC. A single `<` at the end is ignored. Dates and
 * times that do not exist, times outside of the years 1 to 9999 in UTC, ambiguous dates and dates
 * with other trailing garbage are not read.
 *
 * A date without time is a day, month or year; a week is its first day. In a zone other than UTC, it
 * is the time at which it begins there.
 *
 * A zone name that is not known is read as UTC after a time, and passed to `onUnknownZone` as written.
 * After a date without a time, it is trailing garbage, and so is an offset of one digit.
 */
export function readDate(
  text: string,
  onUnknownZone?: (zone: string) => void,
): string | undefined {
  const trimmed = trimSpace(trimSpace(text).replace(/<$/, ""));
  if (trimmed.length > MAX_DATE_LENGTH) return undefined;
  if (UNIX_TIME_REGEXP.test(trimmed)) return unixTime(trimmed);
  for (const format of YEAR_FIRST_REGEXP.test(trimmed) ? YEAR_FIRST : YEAR_LATER) {
    const groups: Groups | undefined = format.exec(trimmed)?.groups;
    if (groups === undefined) continue;
    const offset = offsetOf(groups);
    const date = isoTime(dayOf(groups) * DAY + timeOf(groups) - offset);
    if (date === "") continue;
    const zone = decisiveZone(groups);
    if (zone !== undefined && !isKnownZone(zone)) onUnknownZone?.(zone);
    return offset === 0 ? date.slice(0, formLength(groups)) : date;
  }
  return undefined;
}

/** Returns the date in ten digits (seconds) or thirteen (milliseconds). */
function unixTime(digits: string): string | undefined {
  const time = Number(digits.padEnd(13, "0"));
  return time >= FIRST_UNIX_TIME && time <= LAST_UNIX_TIME ? isoTime(time) : undefined;
}

function formLength({ hour, day, week, month }: Groups): number {
  if (hour !== undefined) return DATE_LENGTHS.time;
  if ((day ?? week) !== undefined) return DATE_LENGTHS.day;
  return month === undefined ? DATE_LENGTHS.year : DATE_LENGTHS.month;
}

function dayOf({ year: yearDigits = "", month = "1", day = "1", week, weekday = "1" }: Groups) {
  const year = fullYear(yearDigits);
  if (week !== undefined) return dayOfWeekDate(year, Number(week), Number(weekday));
  const named = MONTHS.indexOf(month.slice(0, 3).toLowerCase()) + 1;
  return dayOfDate(year, named || Number(month), Number(day));
}

function fullYear(digits: string): number {
  const year = Number(digits);
  if (digits.length > 2) return year;
  return year < 50 ? 2000 + year : 1900 + year;
}

function timeOf({ hour: hourDigits, minute = "0", second = "0", fraction = "", half }: Groups) {
  if (hourDigits === undefined) return 0;
  const hour = half === undefined
    ? Number(hourDigits)
    : hourOfHalf(Number(hourDigits), half.toLowerCase());
  if (Number(minute) > 59 || Number(second) > 59) return NaN;
  const time = hour * HOUR + Number(minute) * MINUTE + Number(second) * 1000 +
    Number(fraction.padEnd(3, "0").slice(0, 3));
  // 24:00:00 is midnight at the end of the day
  return time <= DAY ? time : NaN;
}

function hourOfHalf(hour: number, half: string): number {
  if (hour < 1 || hour > 12) return NaN;
  return hour % 12 + (half === "p" ? 12 : 0);
}

function offsetOf(groups: Groups): number {
  const { zone, offset, label, comment, hour, day, weekday } = groups;
  const hasTime = hour !== undefined;
  if (!hasTime && [zone, label, comment].some((name) => name && !isKnownZone(name))) return NaN;
  if (offset === undefined) {
    return ZONE_OFFSETS.get(decisiveZone(groups)?.toUpperCase() ?? "UTC") ?? 0;
  }
  const isNegative = offset.startsWith("-");
  const isWholeDate = (day ?? weekday) !== undefined;
  // in 2024-01-05:00 and 2024-0105, the offset looks like the rest of the date
  if (isNegative && !isWholeDate) return NaN;
  const [, digits = "", minutes = "0"] = OFFSET_REGEXP.exec(offset) ?? [];
  if (Number(digits) > 23 || Number(minutes) > 59 || (digits.length === 1 && !hasTime)) return NaN;
  return (isNegative ? -1 : 1) * (Number(digits) * HOUR + Number(minutes) * MINUTE);
}

/** Returns the zone name that determines the offset, unless a numeric offset does. */
function decisiveZone({ zone, offset, comment }: Groups): string | undefined {
  return offset === undefined ? zone ?? (comment?.trim() || undefined) : undefined;
}

function isKnownZone(name: string): boolean {
  return ZONE_OFFSETS.has(name.toUpperCase());
}
