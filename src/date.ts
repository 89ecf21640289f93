/**
 * Dates as sitemaps and feeds write them: ISO 8601, RFC 822, and whatever names its month.
 *
 * Nothing is guessed: what can be read in two ways, or does not exist, is no date. `Date.parse`
 * is not used, since what it makes of other forms than its own depends on the engine.
 *
 * @module
 */

import { DAY, dayOfDate, dayOfWeekDate, HOUR, MINUTE } from "./calendar.ts";
import { parseIsoBytes, parseMailBytes } from "./date_bytes.ts";
import { trimSpace } from "./url.ts";

/** No date is longer; it also bounds what the patterns below can cost. */
const MAX_DATE_LENGTH = 100;

/** Hours by which the zone names of RFC 822 §5.1 are ahead of UTC. */
const ZONE_HOURS: ReadonlyMap<string, number> = new Map([
  ["Z", 0],
  ["UT", 0],
  ["UTC", 0],
  ["GMT", 0],
  ["EST", -5],
  ["EDT", -4],
  ["CST", -6],
  ["CDT", -5],
  ["MST", -7],
  ["MDT", -6],
  ["PST", -8],
  ["PDT", -7],
]);

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];

// The parts of the patterns. All forms name their groups alike, so that one function reads them.

const OFFSET = String.raw`(?<offset>[+-]\d\d(?::?\d\d)?)`;
const SECONDS = String.raw`(?<second>\d\d)(?:[.,](?<fraction>\d+))?`;

/** `10`, `10:20`, `102030`, `10:20:30.5+02:00`, `10:20:30 UTC`; after a blank only with colons. */
const ISO_TIME = String.raw`(?:(?:T|\s+(?=\d\d:))` +
  String.raw`(?<hour>\d\d)(?:(?<colon>:?)(?<minute>\d\d)(?:\k<colon>${SECONDS})?)?` +
  String.raw`(?:\s*(?:(?<zone>${[...ZONE_HOURS.keys()].join("|")})|${OFFSET}))?)?`;

/** `8:09`, `08:09:10`, `8:09 p.m.` */
const CLOCK = String.raw`(?<hour>\d{1,2}):(?<minute>\d\d)(?::${SECONDS})?` +
  String.raw`(?:\s*(?<half>[ap])\.?m\b\.?)?`;

/** `GMT`, `+0200`, `GMT+0200 (Central European Summer Time)`; any other name counts as UTC. */
const NAMED_ZONE = String.raw`(?:\s*(?<zone>[a-z]{1,5}))?(?:\s*${OFFSET})?(?:\s*\([^()]*\))?`;
const NAMED_TIME = String.raw`(?:,?\s+(?:at\s+)?${CLOCK}${NAMED_ZONE})?`;

const WEEKDAY =
  "(?:(?:mon(?:day)?|tue(?:s(?:day)?)?|wed(?:s|nesday)?|thu(?:rs?(?:day)?)?|fri(?:day)?|" +
  String.raw`sat(?:urday)?|sun(?:day)?)(?:\.?,\s*|\.?\s+))?`;
const MONTH =
  "(?<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|" +
  "sep(?:t(?:ember)?)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)";
const MONTH_DAY = String.raw`(?<day>\d{1,2})(?:st|nd|rd|th)?`;
const YEAR = String.raw`(?<year>\d{4})`;
const GAP = String.raw`(?:\s*[-/.,]\s*|\s+)`;

const DATE_FORMS: readonly RegExp[] = [
  // 2005-01-01, 20050101, 2005-01-01T10:20:30Z
  String.raw`${YEAR}(?<dash>-?)(?<month>\d\d)\k<dash>(?<day>\d\d)${ISO_TIME}`,
  // 2005, 2005-01
  String.raw`${YEAR}(?:-(?<month>\d\d))?`,
  // 2005-W01, 2005-W01-1, 2005W011T10
  String.raw`${YEAR}(?<dash>-?)W(?<week>\d\d)(?:\k<dash>(?<weekday>\d))?${ISO_TIME}`,
  // Sat, 01 Jan 2005 10:20:30 GMT; 1 January 2005; Saturday, 01-Jan-05 10:20:30 GMT
  String.raw`${WEEKDAY}${MONTH_DAY}${GAP}${MONTH}${GAP}(?<year>\d{4}|\d\d)${NAMED_TIME}`,
  // June 7, 2005; Sat Jan 01 2005 10:20:30 GMT+0000 (Coordinated Universal Time)
  String.raw`${WEEKDAY}${MONTH}${GAP}${MONTH_DAY}${GAP}${YEAR}${NAMED_TIME}`,
  // Sat Jan  1 10:20:30 CET 2005
  String.raw`${WEEKDAY}${MONTH}\s+${MONTH_DAY},?\s+${CLOCK}${NAMED_ZONE}\s+${YEAR}`,
  // 2005-Jan-01
  String.raw`${YEAR}${GAP}${MONTH}${GAP}${MONTH_DAY}${NAMED_TIME}`,
  // January 2005
  String.raw`${MONTH}${GAP}${YEAR}`,
].map((form) => new RegExp(`^${form}$`, "i"));

type Groups = Readonly<Record<string, string | undefined>>;

/**
 * The instant that `text` names, in milliseconds since 1970, or `NaN` where it names none.
 *
 * Read are ISO 8601, RFC 822 and 2822, and other forms that name the month; without zone they are
 * UTC, and missing parts are the first. Days and times that do not exist, numbers in unclear order
 * and anything with rubbish around it are `NaN`.
 */
export function parseDate(text: string): number {
  const trimmed = trimSpace(text);
  if (trimmed.length > MAX_DATE_LENGTH) return NaN;
  const common = parseCommon(trimmed);
  if (common === common) return common;
  for (const form of DATE_FORMS) {
    const groups: Groups | undefined = form.exec(trimmed)?.groups;
    if (groups !== undefined) return dayOf(groups) * DAY + timeOf(groups) - zoneOf(groups);
  }
  return NaN;
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
  // 24:00:00 is the midnight that ends the day; nothing comes after it
  return time <= DAY ? time : NaN;
}

function hourOfHalf(hour: number, half: string): number {
  if (hour < 1 || hour > 12) return NaN;
  return hour % 12 + (half === "p" ? 12 : 0);
}

function zoneOf({ zone = "", offset }: Groups): number {
  if (offset === undefined) return (ZONE_HOURS.get(zone.toUpperCase()) ?? 0) * HOUR;
  const hours = Number(offset.slice(1, 3));
  const minutes = Number(offset.slice(3).replace(":", ""));
  if (hours > 23 || minutes > 59) return NaN;
  return (offset.startsWith("-") ? -1 : 1) * (hours * HOUR + minutes * MINUTE);
}

/** Where the common forms are read from; longer texts are none of them. */
const COMMON = new Uint8Array(40);
const COMMON_VIEW: DataView = new DataView(COMMON.buffer);
const DASH = 0x2d;

/** The forms that nine of ten dates have, read without patterns; `NaN` for all others. */
function parseCommon(text: string): number {
  const { length } = text;
  if (length < 10 || length > COMMON.length) return NaN;
  for (let at = 0; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code > 0x7f) return NaN;
    COMMON[at] = code;
  }
  return COMMON[4] === DASH
    ? parseIsoBytes(COMMON_VIEW, 0, length)
    : parseMailBytes(COMMON_VIEW, 0, length);
}
