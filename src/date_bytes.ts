/**
 * The two forms that nine of ten dates have, ISO 8601 in full and as mail writes it, read four bytes
 * at a time.
 *
 * Digits are bytes of a word, the first one being the lowest, with what each must be taken off by
 * `^`. What is then no digit has the highest bit of its byte set in the marks. Both forms stand in
 * one file, since what a file exports or imports is looked up at each use: 10 ns more for the 28 of
 * a date.
 *
 * @module
 */

import { dayOfDate, daysFromCivil, daysInMonth } from "./calendar.ts";

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;

/** No date is longer, however many digits its fraction has. */
const MAX_LENGTH = 100;

const PLUS = 0x2b;
const DASH = 0x2d;
const ZERO = 0x30;
const COLON = 0x3a;
const POINT = 0x2e;
const BLANK = 0x20;
const T = 0x54;
const Z = 0x5a;

/** What two bytes must be taken off to be digits. */
const DIGITS = 0x3030;

/** The highest bit of each byte that is more than nine. */
function digitMarks(digits: number): number {
  return (digits + 0x76767676 | digits) & 0x80808080;
}

/** The number that the two lowest bytes make. */
function twoDigits(digits: number): number {
  return (digits & 15) * 10 + (digits >> 8 & 15);
}

/**
 * The instant that `YYYY-MM-DD` or `YYYY-MM-DDThh:mm:ss` names, the latter with or without fraction
 * and zone (`Z`, `±hh:mm`), as ASCII bytes from `start` to `end`, in milliseconds since 1970; `NaN`
 * for everything else, which `parseDate()` may be able to read.
 *
 * 10 ns for a day, 20 ns with time and zone, where `Date.parse` takes 70 to 300 and the patterns of
 * `parseDate()` 470 to 1,300.
 */
export function parseIsoBytes(view: DataView, start: number, end: number): number {
  const length = end - start;
  if (length < 10 || length > MAX_LENGTH || end > view.byteLength) return NaN;
  const years = view.getInt32(start, true) ^ 0x30303030;
  const months = view.getInt32(start + 4, true) ^ 0x2d30302d; // -MM-
  const days = view.getUint16(start + 8, true) ^ DIGITS;
  // the dashes around the month are zero then
  if ((digitMarks(years) | digitMarks(months) | digitMarks(days) | months & 0xff0000ff) !== 0) {
    return NaN;
  }
  const year = twoDigits(years) * 100 + twoDigits(years >> 16);
  const month = twoDigits(months >> 8);
  const day = twoDigits(days);
  // dayOfDate() would do, but its NaN makes a double of the day: 4 ns
  if (
    year < 1 || month < 1 || month > 12 || day < 1 ||
    (day > 28 && day > daysInMonth(year, month))
  ) return NaN;
  const midnight = daysFromCivil(year, month, day) * DAY;
  return length === 10 ? midnight : midnight + timeOfBytes(view, start + 10, end, T);
}

/** Milliseconds that `hh:mm:ss` behind one byte, and what may follow, adds to midnight, or `NaN`. */
function timeOfBytes(view: DataView, start: number, end: number, before: number): number {
  if (end - start < 9) return NaN;
  const hours = view.getInt32(start, true) ^ (0x3a303000 | before); // Thh:
  const minutes = view.getInt32(start + 4, true) ^ 0x303a3030; // mm:s
  const lastDigit = view.getUint8(start + 8) ^ ZERO;
  if (
    (digitMarks(hours) | digitMarks(minutes) | digitMarks(lastDigit) | hours & 0xff0000ff |
      minutes & 0x00ff0000) !== 0
  ) return NaN;
  const hour = twoDigits(hours >> 8), minute = twoDigits(minutes);
  const second = (minutes >> 24) * 10 + lastDigit;
  if (hour > 23 || minute > 59 || second > 59) return NaN;
  const time = (hour * 3600 + minute * 60 + second) * 1000;
  const at = start + 9;
  if (at === end) return time;
  if (view.getUint8(at) !== POINT) return time - isoZone(view, at, end);
  const zone = endOfDigits(view, at + 1, end);
  if (zone === at + 1) return NaN;
  return time + millisecondsOf(view, at + 1, zone) - isoZone(view, zone, end);
}

/** The place behind the digits that stand from a place on. */
function endOfDigits(view: DataView, start: number, end: number): number {
  let at = start;
  while (at < end && (view.getUint8(at) ^ ZERO) <= 9) at++;
  return at;
}

/** The milliseconds of a fraction; nothing from the fourth digit on. */
function millisecondsOf(view: DataView, start: number, end: number): number {
  let milliseconds = 0;
  // no division, which would make a double of it
  for (let at = start, unit = 100; at < end && unit > 0; at++) {
    milliseconds += (view.getUint8(at) ^ ZERO) * unit;
    unit = unit === 100 ? 10 : unit === 10 ? 1 : 0;
  }
  return milliseconds;
}

/** Milliseconds by which the zone that fills the bytes is ahead of UTC, or `NaN`. */
function isoZone(view: DataView, start: number, end: number): number {
  const length = end - start;
  if (length === 0 || (length === 1 && view.getUint8(start) === Z)) return 0;
  if (length !== 6 || view.getUint8(start + 3) !== COLON) return NaN;
  const hours = view.getUint16(start + 1, true) ^ DIGITS;
  const minutes = view.getUint16(start + 4, true) ^ DIGITS;
  if ((digitMarks(hours) | digitMarks(minutes)) !== 0) return NaN;
  return zoneOffset(view.getUint8(start), twoDigits(hours), twoDigits(minutes));
}

/** Milliseconds for a sign and what follows it, or `NaN`. */
function zoneOffset(sign: number, hours: number, minutes: number): number {
  if (hours > 23 || minutes > 59 || (sign !== PLUS && sign !== DASH)) return NaN;
  const ahead = (hours * 60 + minutes) * MINUTE;
  return sign === DASH ? -ahead : ahead;
}

/** Four letters as bytes of a word, the first one being the lowest. */
function wordOf(letters: string): number {
  return letters.charCodeAt(0) | letters.charCodeAt(1) << 8 | letters.charCodeAt(2) << 16 |
    letters.charCodeAt(3) << 24;
}

const WEEKDAYS: readonly number[] = "Sun, Mon, Tue, Wed, Thu, Fri, Sat,".split(" ").map(wordOf);
const MONTHS: readonly number[] = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ")
  .map((name) => wordOf(`${name} `));
const GMT = wordOf(" GMT");

/**
 * The instant that `Sat, 01 Jan 2005 10:20:30 GMT` names, or the like with `+0200` at its end, as
 * bytes from `start` to `end`, in milliseconds since 1970; `NaN` for everything else, which
 * `parseDate()` may be able to read.
 *
 * 30 ns, where the patterns of `parseDate()` take 1,200.
 */
export function parseMailBytes(view: DataView, start: number, end: number): number {
  const length = end - start;
  if ((length !== 29 && length !== 31) || end > view.byteLength) return NaN;
  const month = MONTHS.indexOf(view.getInt32(start + 8, true));
  if (month < 0 || !WEEKDAYS.includes(view.getInt32(start, true))) return NaN;
  const days = view.getInt32(start + 4, true) ^ 0x20303020;
  const years = view.getInt32(start + 12, true) ^ 0x30303030;
  // the blanks around the day are zero then
  if ((digitMarks(days) | digitMarks(years) | days & 0xff0000ff) !== 0) return NaN;
  const time = timeOfBytes(view, start + 16, start + 25, BLANK);
  const year = twoDigits(years) * 100 + twoDigits(years >> 16);
  const day = dayOfDate(year, month + 1, twoDigits(days >> 8));
  return day * DAY + time - mailZone(view, start + 25, end);
}

/** Milliseconds by which a zone and the blank before it are ahead of UTC, or `NaN`. */
function mailZone(view: DataView, start: number, end: number): number {
  const word = view.getInt32(start, true);
  if (end - start === 4) return word === GMT ? 0 : NaN;
  const digits = view.getInt32(start + 2, true) ^ 0x30303030;
  if (digitMarks(digits) !== 0 || (word & 0xff) !== BLANK) return NaN;
  return zoneOffset(word >> 8 & 0xff, twoDigits(digits), twoDigits(digits >> 16));
}
