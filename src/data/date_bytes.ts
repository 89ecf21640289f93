/**
 * Fast path for the common date formats, ISO 8601 and RFC 822, read from ASCII bytes.
 *
 * Up to four bytes are read as one little-endian word and XORed with the expected pattern, such as
 * `-00-`. Digits then have their value, separators are zero, and any other byte is out of range.
 * `NaN` means that the format is not one of these; `parseDate()` may still read the text.
 *
 * @module
 */

import {
  DAY,
  dayOfDate,
  daysFromCivil,
  daysInMonth,
  MINUTE,
  MONTHS,
  ZONE_OFFSETS,
} from "./calendar.ts";
import { type DatePrecision, TO_DAY, TO_TIME } from "./calendar.ts";

/** Maximum length of a date; bounds the digits of a fraction and the cost of patterns. */
export const MAX_DATE_LENGTH = 100;

const BLANK = 0x20;
const OPENING = 0x28;
const CLOSING = 0x29;
const PLUS = 0x2b;
const COMMA = 0x2c;
const DASH = 0x2d;
const POINT = 0x2e;
const SLASH = 0x2f;
const ZERO = 0x30;
const COLON = 0x3a;
const UPPER_T = 0x54;
const UPPER_Z = 0x5a;
const LOWER_T = 0x74;

/** Pattern of two digits. */
const TWO_DIGITS = 0x3030;

/**
 * Result for a time or zone that cannot be read. It is an integer because `NaN` would turn all times
 * and offsets into doubles; no sum of a time and an offset reaches it.
 */
const UNREADABLE = 1 << 30;

/** Bit that turns capitals into small letters; it does not turn any other byte into a letter. */
const LOWER = 0x20;
const LOWER_THREE = 0x202020;

/** Returns a word with the highest bit set in each byte that is greater than nine. */
function digitMarks(digits: number): number {
  return (digits + 0x76767676 | digits) & 0x80808080;
}

/** Returns the number in the two lowest bytes. */
function twoDigits(digits: number): number {
  return (digits & 15) * 10 + (digits >> 8 & 15);
}

/**
 * Reads `YYYY-MM-DD` or `YYYY/MM/DD` from the bytes between `start` and `end`, alone or with a time
 * (`Thh:mm`, ` hh:mm:ss.fff`) and a zone (`Z`, ` +0200`, ` EST`).
 *
 * Returns milliseconds since 1970, or `NaN` if the bytes have another format.
 */
export function parseIsoBytes(view: DataView, start: number, end: number): number {
  const length = end - start;
  if (length < 8 || length > MAX_DATE_LENGTH || end > view.byteLength) return NaN;
  if (length < 10) return parseUnpaddedBytes(view, start, end);
  const years = view.getInt32(start, true) ^ 0x30303030;
  const months = view.getInt32(start + 4, true) ^ 0x2d30302d; // -MM-
  const days = view.getUint16(start + 8, true) ^ TWO_DIGITS;
  if ((digitMarks(years) | digitMarks(months) | digitMarks(days)) !== 0) return NaN;
  const separators = months & 0xff0000ff;
  // a slash differs from a dash by 2
  if (separators !== 0 && separators !== 0x02000002) return NaN;
  const year = twoDigits(years) * 100 + twoDigits(years >> 16);
  const month = twoDigits(months >> 8);
  const day = twoDigits(days);
  // not dayOfDate(): its NaN turns the day into a double
  if (
    year < 1 || month < 1 || month > 12 || day < 1 ||
    (day > 28 && day > daysInMonth(year, month))
  ) return NaN;
  const midnight = daysFromCivil(year, month, day) * DAY;
  if (length === 10) return midnight;
  const at = start + 10;
  const time = isTimeAt(view, at, end)
    ? timeOfBytes(view, at, end, view.getUint8(at))
    : applyZone(0, view, at, end);
  return time === UNREADABLE ? NaN : midnight + time;
}

/** Whether a time follows the date that ends at `at`, rather than a zone. */
function isTimeAt(view: DataView, at: number, end: number): boolean {
  const before = view.getUint8(at);
  return before === UPPER_T || before === LOWER_T ||
    (before === BLANK && end - at > 1 && (view.getUint8(at + 1) ^ ZERO) <= 9);
}

/**
 * Returns the precision of the date that `parseIsoBytes()` reads as `time`. A date in a zone other
 * than UTC starts at a time of its own, which a date without time could not express.
 */
export function isoBytesPrecision(
  view: DataView,
  start: number,
  end: number,
  time: number,
): DatePrecision {
  const at = start + 10;
  if (at >= end) return TO_DAY;
  return isTimeAt(view, at, end) || time % DAY !== 0 ? TO_TIME : TO_DAY;
}

/** Reads `YYYY-M-D` or `YYYY/M/D`, where a leading zero is missing. */
function parseUnpaddedBytes(view: DataView, start: number, end: number): number {
  const years = view.getInt32(start, true) ^ 0x30303030;
  const separator = view.getUint8(start + 4);
  if (digitMarks(years) !== 0 || (separator !== DASH && separator !== SLASH)) return NaN;
  const monthEnd = endOfDigits(view, start + 5, end);
  const dayStart = monthEnd + 1;
  const isComplete = monthEnd < end && view.getUint8(monthEnd) === separator && dayStart < end &&
    endOfDigits(view, dayStart, end) === end;
  if (!isComplete) return NaN;
  const month = numberOf(view, start + 5, monthEnd), day = numberOf(view, dayStart, end);
  return dayOfDate(twoDigits(years) * 100 + twoDigits(years >> 16), month, day) * DAY;
}

/** Returns the number that the digits make, 100 if they are too many. */
function numberOf(view: DataView, start: number, end: number): number {
  if (end === start || end - start > 2) return 100;
  const last = view.getUint8(end - 1) ^ ZERO;
  return end - start === 1 ? last : (view.getUint8(start) ^ ZERO) * 10 + last;
}

/**
 * Returns the milliseconds from midnight UTC for a time (` hh:mm`, ` hh:mm:ss.fff`) and a zone that
 * fill the bytes, or `UNREADABLE`. The byte `before` precedes the hour.
 */
function timeOfBytes(view: DataView, start: number, end: number, before: number): number {
  if (end - start < 6) return UNREADABLE;
  const hours = view.getInt32(start, true) ^ (0x3a303000 | before); // Thh:
  const minutes = view.getUint16(start + 4, true) ^ TWO_DIGITS;
  let seconds = 0;
  let at = start + 6;
  if (end - at >= 3 && view.getUint8(at) === COLON) {
    seconds = view.getUint16(at + 1, true) ^ TWO_DIGITS;
    at += 3;
  }
  if (
    (digitMarks(hours) | digitMarks(minutes | seconds << 16) | hours & 0xff0000ff) !== 0
  ) return UNREADABLE;
  const hour = twoDigits(hours >> 8), minute = twoDigits(minutes), second = twoDigits(seconds);
  if (hour > 23 || minute > 59 || second > 59) return UNREADABLE;
  const time = (hour * 3600 + minute * 60 + second) * 1000;
  if (at === end) return time;
  return at > start + 6 && view.getUint8(at) === POINT
    ? applyFraction(time, view, at, end)
    : applyZone(time, view, at, end);
}

/** Adds the fraction of a second (`.5`) that starts the bytes to `time`, then applies the zone. */
function applyFraction(time: number, view: DataView, start: number, end: number): number {
  const digits = start + 1;
  const zone = endOfDigits(view, digits, end);
  if (zone === digits) return UNREADABLE;
  return applyZone(time + millisecondsOf(view, digits, zone), view, zone, end);
}

/** Returns the end of the digits that start at `start`. */
function endOfDigits(view: DataView, start: number, end: number): number {
  let at = start;
  while (at < end && (view.getUint8(at) ^ ZERO) <= 9) at++;
  return at;
}

/** Returns the milliseconds of a fraction, truncated after the third digit. */
function millisecondsOf(view: DataView, start: number, end: number): number {
  let milliseconds = 0;
  // dividing the unit by ten would turn it into a double
  for (let at = start, unit = 100; at < end && unit > 0; at++) {
    milliseconds += (view.getUint8(at) ^ ZERO) * unit;
    unit = unit === 100 ? 10 : unit === 10 ? 1 : 0;
  }
  return milliseconds;
}

/** Converts `time` to UTC from the zone that fills the bytes: none, `Z`, ` EST`, ` -0700`. */
function applyZone(time: number, view: DataView, start: number, end: number): number {
  if (start === end) return time;
  const first = view.getUint8(start);
  if (first === UPPER_Z && end - start === 1) return time;
  if (end - start === 4 && view.getInt32(start, true) === GMT_WORD) return time;
  const at = first === BLANK ? start + 1 : start;
  if (end - at >= 3) {
    const sign = view.getUint8(at);
    if (sign === PLUS || sign === DASH) return applyOffset(time, view, at, end);
  }
  const offset = offsetOfName(view, at, end);
  return offset === UNREADABLE ? UNREADABLE : time - offset;
}

/** Converts `time` to UTC from `+hh`, `+hhmm` or `+hh:mm`; a known zone name may follow. */
function applyOffset(time: number, view: DataView, start: number, end: number): number {
  const hours = view.getUint16(start + 1, true) ^ TWO_DIGITS;
  let minutes = 0;
  let at = start + 3;
  if (at < end && view.getUint8(at) !== BLANK) {
    if (view.getUint8(at) === COLON) at++;
    if (end - at < 2) return UNREADABLE;
    minutes = view.getUint16(at, true) ^ TWO_DIGITS;
    at += 2;
  }
  if (digitMarks(hours | minutes << 16) !== 0) return UNREADABLE;
  const hour = twoDigits(hours), minute = twoDigits(minutes);
  if (hour > 23 || minute > 59 || (at < end && !isZoneLabel(view, at, end))) return UNREADABLE;
  const offset = (hour * 60 + minute) * MINUTE;
  return view.getUint8(start) === PLUS ? time - offset : time + offset;
}

/** Whether the bytes are a blank and a known zone name, with or without parentheses. */
function isZoneLabel(view: DataView, start: number, end: number): boolean {
  if (end - start < 2 || view.getUint8(start) !== BLANK) return false;
  const isOpen = view.getUint8(start + 1) === OPENING;
  if (isOpen !== (view.getUint8(end - 1) === CLOSING)) return false;
  const inset = isOpen ? 1 : 0;
  return offsetOfName(view, start + 1 + inset, end - inset) !== UNREADABLE;
}

/** Returns up to four letters of a name as one number. */
function packName(name: string): number {
  let packed = 0;
  for (let at = 0; at < name.length; at++) packed = packed << 8 | name.charCodeAt(at) | LOWER;
  return packed;
}

const PACKED_ZONES: ReadonlyMap<number, number> = new Map(
  [...ZONE_OFFSETS].map(([name, offset]) => [packName(name), offset]),
);

/** Returns the offset from UTC of the zone name that fills the bytes, or `UNREADABLE`. */
function offsetOfName(view: DataView, start: number, end: number): number {
  if (end - start > 4) return UNREADABLE;
  let packed = 0;
  for (let at = start; at < end; at++) packed = packed << 8 | view.getUint8(at) | LOWER;
  return PACKED_ZONES.get(packed) ?? UNREADABLE;
}

/** Returns four characters as a little-endian word. */
function wordOf(text: string): number {
  return text.charCodeAt(0) | text.charCodeAt(1) << 8 | text.charCodeAt(2) << 16 |
    text.charCodeAt(3) << 24;
}

const GMT_WORD = wordOf(" GMT");
const WEEKDAY_WORDS: ReadonlySet<number> = new Set(
  "sun, mon, tue, wed, thu, fri, sat,".split(" ").map(wordOf),
);
const MONTH_WORDS: ReadonlyMap<number, number> = new Map(
  MONTHS.map((name, at) => [wordOf(`${name} `), at + 1]),
);

/**
 * Reads `Sat, 01 Jan 2005 10:20:30 GMT` from the bytes between `start` and `end`. The weekday, the
 * seconds, the zone and the zero of the day are optional; the zone may be any that
 * `parseIsoBytes()` reads.
 *
 * Returns milliseconds since 1970, or `NaN` if the bytes have another format.
 */
export function parseMailBytes(view: DataView, start: number, end: number): number {
  const length = end - start;
  if (length < 16 || length > MAX_DATE_LENGTH || end > view.byteLength) return NaN;
  let at = start;
  if (view.getUint8(at + 3) === COMMA) {
    if (!WEEKDAY_WORDS.has(view.getInt32(at, true) | LOWER_THREE)) return NaN;
    if (view.getUint8(at + 4) !== BLANK) return NaN;
    at += 5;
  }
  let days = view.getUint16(at, true);
  if (days >> 8 === BLANK) {
    // "1 " becomes "01"
    days = days << 8 & 0xff00 | ZERO;
    at += 2;
  } else {
    if (view.getUint8(at + 2) !== BLANK) return NaN;
    at += 3;
  }
  days ^= TWO_DIGITS;
  // Jan 2005 10:20
  if (end - at < 14) return NaN;
  const month = MONTH_WORDS.get(view.getInt32(at, true) | LOWER_THREE);
  const years = view.getInt32(at + 4, true) ^ 0x30303030;
  if (month === undefined || (digitMarks(days) | digitMarks(years)) !== 0) return NaN;
  const year = twoDigits(years) * 100 + twoDigits(years >> 16);
  const day = twoDigits(days);
  if (year < 1 || day < 1 || (day > 28 && day > daysInMonth(year, month))) return NaN;
  const time = timeOfBytes(view, at + 8, end, BLANK);
  return time === UNREADABLE ? NaN : daysFromCivil(year, month, day) * DAY + time;
}
