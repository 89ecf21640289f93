/**
 * The calendar: which days there are, how many lie between them, and how long they are.
 *
 * @module
 */

/** Milliseconds of a minute. */
export const MINUTE = 60_000;

/** Milliseconds of an hour. */
export const HOUR: number = 60 * MINUTE;

/** Milliseconds of a day. */
export const DAY: number = 24 * HOUR;

/** Days before the months of a year that begins in March, so that the leap day is its last. */
const DAYS_BEFORE: readonly number[] = [0, 306, 337, 0, 31, 61, 92, 122, 153, 184, 214, 245, 275];

/** Days from 1970 to a date, or `NaN` where the calendar does not have it. */
export function dayOfDate(year: number, month: number, day: number): number {
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return NaN;
  return daysFromCivil(year, month, day);
}

/** How many days a month has, from 1 to 12. */
export function daysInMonth(year: number, month: number): number {
  if (month !== 2) return 30 + ((month + (month >> 3)) & 1);
  return (year & 3) === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

/** Days from 1970 to a date from year 1 to 9999; whole numbers all the way, which is fast. */
export function daysFromCivil(year: number, month: number, day: number): number {
  const y = month > 2 ? year : year - 1;
  const centuries = (y * 5243) >> 19;
  const leapDays = (y >> 2) - centuries + (centuries >> 2);
  return y * 365 + leapDays + DAYS_BEFORE[month]! + day - 719_469;
}

/** Days from 1970 to day `weekday` (1 is Monday) of ISO week `week`, or `NaN`. */
export function dayOfWeekDate(year: number, week: number, weekday: number): number {
  if (year < 1 || week < 1 || weekday < 1 || weekday > 7) return NaN;
  const first = firstMonday(year) + (week - 1) * 7;
  return first < firstMonday(year + 1) ? first + weekday - 1 : NaN;
}

/** Days from 1970 to the Monday that begins week 1 of a year: the week that has 4 January. */
function firstMonday(year: number): number {
  const fourth = daysFromCivil(year, 1, 4);
  // day 0 was a Thursday, the fourth of its week
  return fourth - (((fourth + 3) % 7) + 7) % 7;
}
