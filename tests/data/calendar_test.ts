import { assertEquals } from "@std/assert";
import {
  DAY,
  dayOfDate,
  dayOfWeekDate,
  daysInMonth,
  HOUR,
  MONTHS,
  ZONE_OFFSETS,
} from "../../src/data/calendar.ts";

Deno.test("dayOfDate() counts days like Date, over 800 years", () => {
  for (let day = Date.UTC(1600, 0, 1) / DAY; day < Date.UTC(2400, 0, 1) / DAY; day++) {
    const date = new Date(day * DAY);
    const counted = dayOfDate(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate());
    if (counted !== day) assertEquals([date, counted], [date, day]);
  }
});

Deno.test("dayOfDate() covers the years 1 to 9999 and rejects days that do not exist", () => {
  assertEquals(dayOfDate(1, 1, 1) * DAY, Date.parse("0001-01-01"));
  assertEquals(dayOfDate(9999, 12, 31) * DAY, Date.parse("9999-12-31"));
  const none = [[0, 1, 1], [2005, 0, 1], [2005, 13, 1], [2005, 1, 0], [2005, 4, 31], [1900, 2, 29]];
  for (const [year, month, day] of none) assertEquals(dayOfDate(year!, month!, day!), NaN);
});

Deno.test("daysInMonth() handles leap years", () => {
  assertEquals([1900, 2000, 2004, 2005].map((year) => daysInMonth(year, 2)), [28, 29, 29, 28]);
  const lengths = Array.from({ length: 12 }, (_, at) => daysInMonth(2005, at + 1));
  assertEquals(lengths, [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]);
});

Deno.test("dayOfWeekDate() starts a year with the week that contains 4 January", () => {
  assertEquals(dayOfWeekDate(2009, 1, 1) * DAY, Date.UTC(2008, 11, 29));
  assertEquals(dayOfWeekDate(2004, 53, 6) * DAY, Date.UTC(2005, 0, 1));
  assertEquals(dayOfWeekDate(2005, 53, 1), NaN);
});

Deno.test("MONTHS and ZONE_OFFSETS list each name once", () => {
  assertEquals(new Set(MONTHS).size, 12);
  // ZONE_OFFSETS would silently keep the last of two offsets
  assertEquals(ZONE_OFFSETS.size, 31);
  assertEquals(ZONE_OFFSETS.get("CEST"), 2 * HOUR);
  assertEquals(ZONE_OFFSETS.get("HST"), -10 * HOUR);
});
