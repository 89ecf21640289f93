import { assertEquals } from "@std/assert";
import { parseDate } from "../src/date.ts";
import { parseMailBytes } from "../src/mail_date.ts";

const encoder = new TextEncoder();

/** Reads a date from among other bytes. */
function parsed(text: string): number {
  const bytes = encoder.encode(`00${text}00`);
  return parseMailBytes(new DataView(bytes.buffer), 2, 2 + text.length);
}

Deno.test("parseMailBytes() reads dates as mail writes them", () => {
  assertEquals(parsed("Sat, 01 Jan 2005 10:20:30 GMT"), Date.UTC(2005, 0, 1, 10, 20, 30));
  assertEquals(parsed("Sat, 01 Jan 2005 10:20:30 +0230"), Date.UTC(2005, 0, 1, 7, 50, 30));
  assertEquals(parsed("Wed, 31 Dec 1969 23:59:59 -0001"), 59_000);
  assertEquals(parsed("Tue, 29 Feb 2000 00:00:00 GMT"), Date.UTC(2000, 1, 29));
});

Deno.test("parseMailBytes() knows the days that parseDate() knows", () => {
  const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
  for (
    const year of [0, 1, 4, 99, 100, 400, 1899, 1900, 1969, 1970, 2000, 2023, 2024, 2100, 9999]
  ) {
    for (const month of months) {
      for (const day of [0, 1, 28, 29, 30, 31, 32, 99]) {
        const digits = String(day).padStart(2, "0");
        const text = `Mon, ${digits} ${month} ${String(year).padStart(4, "0")} 01:02:03 GMT`;
        assertEquals(parsed(text), parseDate(text), text);
      }
    }
  }
});

Deno.test("parseMailBytes() reads nothing that parseDate() reads otherwise", () => {
  for (const text of ["Sat, 01 Jan 2005 10:20:30 GMT", "Fri, 09 Sep 2011 23:59:59 +1359"]) {
    for (let at = 0; at < text.length; at++) {
      for (let code = 0x20; code < 0x80; code++) {
        const changed = text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1);
        const time = parsed(changed);
        if (time === time) assertEquals(time, parseDate(changed), changed);
      }
    }
  }
});

Deno.test("parseMailBytes() leaves all other forms to others", () => {
  const others = [
    "1 Jan 2005",
    "Sat, 1 Jan 2005 10:20:30 GMT",
    "Sat, 01 Jan 2005 10:20:30 UTC",
    "Sat, 01 jan 2005 10:20:30 GMT",
    "Xyz, 01 Jan 2005 10:20:30 GMT",
    "Sat, 01 Jan 2005 24:00:00 GMT",
    "Sat, 01 Jan 2005 10:60:30 GMT",
    "Sat, 01 Jan 2005 10:20:60 GMT",
    "Sat, 01 Jan 2005 10:20:30 +2400",
    "Sat, 01 Jan 2005 10:20:30 +0060",
    "Sat, 01 Jan 2005 10:20:30 *0000",
    "2005-01-01T10:20:30.000000+00",
  ];
  for (const text of others) assertEquals(parsed(text), NaN, text);
  const short = encoder.encode("Sat, 01 Jan 2005 10:20:30 GMT");
  assertEquals(
    parseMailBytes(new DataView(short.buffer), 2, 31),
    NaN,
    "behind the end of the bytes",
  );
});
