/**
 * Fast path for the common date formats, ISO 8601 and RFC 822, read from ASCII bytes.
 *
 * Up to four bytes are read as one little-endian word and XORed with the expected pattern, such as
 * `-00-`. Digits then have their value, separators are zero, and any other byte is out of range.
 * `""` means that the format is not one of these; `readDate()` may still read the text.
 *
 * @module
 */

import { DAY, daysFromCivil, daysInMonth, MAX_DATE_LENGTH, MINUTE, MONTHS } from "./calendar.ts";
import { isoTime, timeText } from "./date.ts";

const SPACE = 0x20, PLUS = 0x2b, COMMA = 0x2c, DASH = 0x2d, POINT = 0x2e, ZERO = 0x30;
const COLON = 0x3a, UPPER_T = 0x54, UPPER_Z = 0x5a;
const TWO_DIGITS = 0x3030, FOUR_DIGITS = 0x30303030;
/**
 * Result for a time or a zone that cannot be read. It is an integer because `NaN` would turn all times
 * into doubles; no sum of a time and an offset reaches it.
 */
const UNREADABLE = 1 << 30;
/** Bits that turn three capitals into small letters. */
const LOWER_THREE = 0x202020;

/** Returns a word with the highest bit set in each byte that is greater than nine. */
function digitMarks(digits: number): number {
  return (digits + 0x76767676 | digits) & 0x80808080;
}

function twoDigits(digits: number): number {
  return (digits & 15) * 10 + (digits >> 8 & 15);
}

function fourDigits(digits: number): number {
  return twoDigits(digits) * 100 + twoDigits(digits >> 16);
}

/**
 * Reads `YYYY-MM-DD` or `YYYY/MM/DD` from the bytes between `start` and `end`, alone or with a time
 * (`Thh:mm`, ` hh:mm:ss.fff`) and a zone (`Z`, ` GMT`, `+02:00`, ` -0700`).
 */
export function readIsoBytes(view: DataView, start: number, end: number): string {
  const length = end - start;
  if (length < 10 || length > MAX_DATE_LENGTH || end > view.byteLength) return "";
  const years = view.getInt32(start, true) ^ FOUR_DIGITS;
  const months = view.getInt32(start + 4, true) ^ 0x2d30302d; // -MM-
  const days = view.getUint16(start + 8, true) ^ TWO_DIGITS;
  if ((digitMarks(years) | digitMarks(months) | digitMarks(days)) !== 0) return "";
  const separators = months & 0xff0000ff;
  // a slash differs from a dash by 2
  if (separators !== 0 && separators !== 0x02000002) return "";
  const year = fourDigits(years), month = twoDigits(months >> 8), day = twoDigits(days);
  if (!exists(year, month, day)) return "";
  const at = start + 10;
  if (length === 10) return dayAt(view, start);
  const hasTime = isTimeAt(view, at, end);
  const time = hasTime
    ? timeOfBytes(view, at, end, view.getUint8(at))
    : applyZone(0, view, at, end);
  if (time === 0 && !hasTime) return dayAt(view, start);
  return time === UNREADABLE ? "" : utcText(year, month, day, time);
}

/**
 * Whether bytes that {@linkcode readIsoBytes} has read are the usual form of W3C: a day, or a time in
 * UTC or with an offset. Others may be too, see `isW3cDate()`.
 */
export function isW3cBytes(view: DataView, start: number, end: number): boolean {
  if (view.getUint8(start + 4) !== DASH) return false;
  if (end - start === 10) return true;
  if (view.getUint8(start + 10) !== UPPER_T) return false;
  const sign = view.getUint8(end - 6);
  return view.getUint8(end - 1) === UPPER_Z ||
    end - start > 21 && (sign === PLUS || sign === DASH) && view.getUint8(end - 3) === COLON &&
      view.getUint8(end - 7) !== SPACE;
}

/** Returns a time in UTC, where it may be on the day before or after. */
function utcText(year: number, month: number, day: number, time: number): string {
  if (time >= 0 && time < DAY) return timeText(year, month, day, time);
  return isoTime(daysFromCivil(year, month, day) * DAY + time);
}

function dayAt(view: DataView, start: number): string {
  // deno-fmt-ignore
  return String.fromCharCode(
    view.getUint8(start), view.getUint8(start + 1), view.getUint8(start + 2), view.getUint8(start + 3), DASH,
    view.getUint8(start + 5), view.getUint8(start + 6), DASH, view.getUint8(start + 8), view.getUint8(start + 9),
  );
}

/** Whether a time follows the date that ends at `at`, rather than a zone. */
function isTimeAt(view: DataView, at: number, end: number): boolean {
  const before = view.getUint8(at);
  return before === UPPER_T ||
    (before === SPACE && end - at > 1 && (view.getUint8(at + 1) ^ ZERO) <= 9);
}

function exists(year: number, month: number, day: number): boolean {
  return year >= 1 && month >= 1 && month <= 12 && day >= 1 &&
    (day <= 28 || day <= daysInMonth(year, month));
}

/**
 * Returns the milliseconds from midnight UTC for a time (` hh:mm`, ` hh:mm:ss.fff`) and a zone that
 * fill the bytes, or `UNREADABLE`. The byte `before` precedes the hour.
 */
function timeOfBytes(view: DataView, start: number, end: number, before: number): number {
  if (end - start < 6) return UNREADABLE;
  const hours = view.getInt32(start, true) ^ (0x3a303000 | before); // Thh:
  const minutes = view.getUint16(start + 4, true) ^ TWO_DIGITS;
  let seconds = 0, at = start + 6;
  if (end - at >= 3 && view.getUint8(at) === COLON) {
    seconds = view.getUint16(at + 1, true) ^ TWO_DIGITS;
    at += 3;
  }
  const marks = digitMarks(hours) | digitMarks(minutes | seconds << 16);
  if ((marks | hours & 0xff0000ff) !== 0) return UNREADABLE;
  const hour = twoDigits(hours >> 8), minute = twoDigits(minutes), second = twoDigits(seconds);
  if (hour > 23 || minute > 59 || second > 59) return UNREADABLE;
  const time = (hour * 3600 + minute * 60 + second) * 1000;
  return at > start + 6 && at < end && view.getUint8(at) === POINT
    ? applyFraction(time, view, at, end)
    : applyZone(time, view, at, end);
}

/** Adds the fraction of a second (`.5`) that starts the bytes to `time`, then applies the zone. */
function applyFraction(time: number, view: DataView, point: number, end: number): number {
  let sum = time, at = point;
  // digits after the third are dropped
  for (let unit = 100; ++at < end && (view.getUint8(at) ^ ZERO) <= 9;) {
    sum += (view.getUint8(at) ^ ZERO) * unit;
    unit = unit === 100 ? 10 : unit === 10 ? 1 : 0;
  }
  return at === point + 1 ? UNREADABLE : applyZone(sum, view, at, end);
}

/** Converts `time` to UTC from the zone that fills the bytes: none, `Z`, ` GMT`, `+02`, ` -0700`. */
function applyZone(time: number, view: DataView, start: number, end: number): number {
  if (start === end) return time;
  const first = view.getUint8(start);
  if (first === UPPER_Z && end - start === 1) return time;
  if (end - start === 4 && view.getInt32(start, true) === GMT_WORD) return time;
  return applyOffset(time, view, first === SPACE ? start + 1 : start, end);
}

/** Converts `time` to UTC from `+hh`, `+hhmm` or `+hh:mm`. */
function applyOffset(time: number, view: DataView, at: number, end: number): number {
  const sign = end - at >= 3 ? view.getUint8(at) : 0;
  if (sign !== PLUS && sign !== DASH) return UNREADABLE;
  const hours = view.getUint16(at + 1, true) ^ TWO_DIGITS;
  let minutes = 0;
  if (end - at > 3) {
    const from = view.getUint8(at + 3) === COLON ? at + 4 : at + 3;
    if (end - from !== 2) return UNREADABLE;
    minutes = view.getUint16(from, true) ^ TWO_DIGITS;
  }
  const hour = twoDigits(hours), minute = twoDigits(minutes);
  if (digitMarks(hours | minutes << 16) !== 0 || hour > 23 || minute > 59) return UNREADABLE;
  const offset = (hour * 60 + minute) * MINUTE;
  return sign === PLUS ? time - offset : time + offset;
}

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
 * `readIsoBytes()` reads.
 */
export function readMailBytes(view: DataView, start: number, end: number): string {
  const length = end - start;
  if (length < 16 || length > MAX_DATE_LENGTH || end > view.byteLength) return "";
  let at = start;
  if (view.getUint8(at + 3) === COMMA) {
    if (!WEEKDAY_WORDS.has(view.getInt32(at, true) | LOWER_THREE)) return "";
    if (view.getUint8(at + 4) !== SPACE) return "";
    at += 5;
  }
  let days = view.getUint16(at, true);
  if (days >> 8 === SPACE) {
    // "1 " becomes "01"
    days = days << 8 & 0xff00 | ZERO;
    at += 2;
  } else {
    if (view.getUint8(at + 2) !== SPACE) return "";
    at += 3;
  }
  days ^= TWO_DIGITS;
  // Jan 2005 10:20
  if (end - at < 14) return "";
  const month = MONTH_WORDS.get(view.getInt32(at, true) | LOWER_THREE);
  const years = view.getInt32(at + 4, true) ^ FOUR_DIGITS;
  if (month === undefined || (digitMarks(days) | digitMarks(years)) !== 0) return "";
  const year = fourDigits(years), day = twoDigits(days);
  if (!exists(year, month, day)) return "";
  const time = timeOfBytes(view, at + 8, end, SPACE);
  return time === UNREADABLE ? "" : utcText(year, month, day, time);
}
