import { assertEquals } from "@std/assert";
import { DAY, dayOfDate, dayOfWeekDate, daysInMonth } from "../src/calendar.ts";

Deno.test("dayOfDate() counts the days as Date does, over 800 years", () => {
  for (let day = Date.UTC(1600, 0, 1) / DAY; day < Date.UTC(2400, 0, 1) / DAY; day++) {
    const date = new Date(day * DAY);
    const counted = dayOfDate(date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate());
    if (counted !== day) assertEquals([date, counted], [date, day]);
  }
});

Deno.test("dayOfDate() knows the first and the last year, and no day that does not exist", () => {
  assertEquals(dayOfDate(1, 1, 1) * DAY, Date.parse("0001-01-01"));
  assertEquals(dayOfDate(9999, 12, 31) * DAY, Date.parse("9999-12-31"));
  const none = [[0, 1, 1], [2005, 0, 1], [2005, 13, 1], [2005, 1, 0], [2005, 4, 31], [1900, 2, 29]];
  for (const [year, month, day] of none) assertEquals(dayOfDate(year!, month!, day!), NaN);
});

Deno.test("daysInMonth() knows leap years", () => {
  assertEquals([1900, 2000, 2004, 2005].map((year) => daysInMonth(year, 2)), [28, 29, 29, 28]);
  const lengths = Array.from({ length: 12 }, (_, at) => daysInMonth(2005, at + 1));
  assertEquals(lengths, [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]);
});

Deno.test("dayOfWeekDate() begins a year with the week that has 4 January", () => {
  assertEquals(dayOfWeekDate(2009, 1, 1) * DAY, Date.UTC(2008, 11, 29));
  assertEquals(dayOfWeekDate(2004, 53, 6) * DAY, Date.UTC(2005, 0, 1));
  assertEquals(dayOfWeekDate(2005, 53, 1), NaN);
});
