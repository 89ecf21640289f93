export const MINUTE = 60_000;

export const HOUR: number = 60 * MINUTE;

export const DAY: number = 24 * HOUR;

/** Maximum length of a date; bounds the digits of a fraction and the cost of patterns. */
export const MAX_DATE_LENGTH = 100;

export const MONTHS: readonly string[] = "jan feb mar apr may jun jul aug sep oct nov dec".split(
  " ",
);

const ZONES: readonly (readonly [hours: number, names: readonly string[]])[] = [
  [-10, ["HST"]],
  [-9, ["AKST"]],
  [-8, ["AKDT", "PST"]],
  [-7, ["PDT", "MST"]],
  [-6, ["MDT", "CST"]],
  [-5, ["CDT", "EST"]],
  [-4, ["EDT"]],
  [0, ["GMT", "UT", "UTC", "Z", "WET"]],
  [1, ["BST", "CET", "MET", "WEST"]],
  [2, ["CEST", "MEST", "EET"]],
  [3, ["EEST", "MSK"]],
  [9, ["JST", "KST"]],
  [10, ["AEST"]],
  [11, ["AEDT"]],
  [12, ["NZST"]],
  [13, ["NZDT"]],
];

export const ZONE_OFFSETS: ReadonlyMap<string, number> = new Map(
  ZONES.flatMap(([hours, names]) => names.map((name) => [name, hours * HOUR] as const)),
);

/** Days before each month in a year that starts in March, which puts the leap day last. */
const DAYS_BEFORE: readonly number[] = [0, 306, 337, 0, 31, 61, 92, 122, 153, 184, 214, 245, 275];

/** Returns the days from 1970-01-01 to a date, or `NaN` if the date does not exist. */
export function dayOfDate(year: number, month: number, day: number): number {
  if (year < 1 || month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return NaN;
  return daysFromCivil(year, month, day);
}

/** Months are 1 to 12. */
export function daysInMonth(year: number, month: number): number {
  if (month !== 2) return 30 + ((month + (month >> 3)) & 1);
  return (year & 3) === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
}

/** Returns the days from 1970-01-01 to an existing date of the years 1 to 9999; integers only. */
export function daysFromCivil(year: number, month: number, day: number): number {
  const y = month > 2 ? year : year - 1;
  // y / 100 without a division, exact up to 9999
  const centuries = (y * 5243) >> 19;
  const leapDays = (y >> 2) - centuries + (centuries >> 2);
  return y * 365 + leapDays + DAYS_BEFORE[month]! + day - 719_469;
}

/** Returns `NaN` if the year has no such week; weekday 1 is Monday. */
export function dayOfWeekDate(year: number, week: number, weekday: number): number {
  if (year < 1 || week < 1 || weekday < 1 || weekday > 7) return NaN;
  const monday = firstMonday(year) + (week - 1) * 7;
  return monday < firstMonday(year + 1) ? monday + weekday - 1 : NaN;
}

/** Returns the day on which ISO week 1 starts: the Monday of the week that contains 4 January. */
function firstMonday(year: number): number {
  const fourth = daysFromCivil(year, 1, 4);
  // day 0 is a Thursday
  return fourth - (((fourth + 3) % 7) + 7) % 7;
}
