import { assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { TO_DAY, TO_MONTH, TO_YEAR } from "../../src/data/calendar.ts";
import { isoDate } from "../../src/data/date.ts";

Deno.test("isoDate() writes what toISOString() writes", () => {
  fc.assert(fc.property(fc.date({ noInvalidDate: true }), (date) => {
    assertEquals(isoDate(date.getTime()), date.toISOString());
  }));
});

Deno.test("isoDate() writes the first and last dates, and parts of milliseconds", () => {
  for (const time of [-8.64e15, -62_167_219_200_001, -1, -0.5, 0, 0.5, 1.9, 86_399_999, 8.64e15]) {
    assertEquals(isoDate(time), new Date(time).toISOString());
  }
});

Deno.test("isoDate() writes every day of 27 years", () => {
  for (let day = 0; day < 10_000; day += 1) {
    const time = day * 86_400_000 + day;
    assertEquals(isoDate(time), new Date(time).toISOString());
  }
});

Deno.test("isoDate() cuts a date to its precision", () => {
  for (const day of ["2024-05-01", "0001-01-01", "9999-12-31", "+012024-05-01", "-000001-05-01"]) {
    const texts = ([TO_DAY, TO_MONTH, TO_YEAR] as const).map((precision) =>
      isoDate(Date.parse(day), precision)
    );
    assertEquals(texts, [day, day.slice(0, -3), day.slice(0, -6)]);
  }
});

Deno.test("isoDate() throws for dates that do not exist", () => {
  for (const time of [NaN, Infinity, 9e15]) assertThrows(() => isoDate(time), RangeError);
});
