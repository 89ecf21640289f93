import { assert, assertEquals } from "@std/assert";
import fc from "../support/fast_check.ts";
import { compactDate, isoTime, readDate, timeOfDate } from "../../src/data/date.ts";
import { readIsoBytes, readMailBytes } from "../../src/data/date_bytes.ts";
import { anyDate } from "./arbitrary_page.ts";

/** Returns the date in its form, or null if it cannot be read. */
function read(text: string): string | null {
  return readDate(text) ?? null;
}

function assertReads(expected: Readonly<Record<string, string | null>>): void {
  const actual = Object.fromEntries(Object.keys(expected).map((text) => [text, read(text)]));
  assertEquals(actual, expected);
}

function assertRejects(texts: readonly string[]): void {
  assertEquals(texts.map((text) => [text, read(text)]), texts.map((text) => [text, null]));
}

/** Returns the zone names that are reported as unknown. */
function unknownZones(text: string): string[] {
  const zones: string[] = [];
  readDate(text, (zone) => zones.push(zone));
  return zones;
}

Deno.test("readDate() reads ISO dates in their form", () => {
  assertReads({
    "2005-01-02": "2005-01-02",
    "20050102": "2005-01-02",
    "2005-03": "2005-03",
    "2005": "2005",
    "2004-02-29": "2004-02-29",
    "2000-02-29": "2000-02-29",
    "0001-01-01": "0001-01-01",
  });
});

Deno.test("readDate() reads ISO times with optional minutes and seconds", () => {
  assertReads({
    "2005-01-01  10:20:30": "2005-01-01T10:20:30.000Z",
    "20050101T102030.5Z": "2005-01-01T10:20:30.500Z",
    "20050101T1020": "2005-01-01T10:20:00.000Z",
    "2005-01-01T1020": "2005-01-01T10:20:00.000Z",
    "20050101T10:20:30+0200": "2005-01-01T08:20:30.000Z",
    "2003-07-01 T 01:55:07-05:00": "2003-07-01T06:55:07.000Z",
    "2003-07-01T 01:55": "2003-07-01T01:55:00.000Z",
    "2003-07-01 T01": "2003-07-01T01:00:00.000Z",
    "20030701\tT\t015507Z": "2003-07-01T01:55:07.000Z",
  });
  assertRejects(["2003-07-01 T", "2003-07-01 T ", "2003-07-01 01"]);
});

Deno.test("readDate() truncates fractional seconds to milliseconds", () => {
  assertReads({
    "2005-01-01T10:20:30,5Z": "2005-01-01T10:20:30.500Z",
    "2005-01-01T10:20:30.123456789Z": "2005-01-01T10:20:30.123Z",
    "1969-12-31T23:59:59.9999Z": "1969-12-31T23:59:59.999Z",
  });
});

Deno.test("readDate() reads the zone of an ISO time", () => {
  assertReads({
    "2005-01-01T10:20:30+02": "2005-01-01T08:20:30.000Z",
    "2005-01-01T10+01": "2005-01-01T09:00:00.000Z",
    "2005-01-01 10:20:30 est": "2005-01-01T15:20:30.000Z",
    "2005-12-31T24:00:00-02:00": "2006-01-01T02:00:00.000Z",
  });
});

Deno.test("readDate() reads the zone of a date without a time", () => {
  assertReads({
    "2024-01-05 PST": "2024-01-05T08:00:00.000Z",
    "2024-1-5Z": "2024-01-05",
    "2024.01.05+02:00": "2024-01-04T22:00:00.000Z",
    "2024-W01+02:00": "2023-12-31T22:00:00.000Z",
    "2024-01Z": "2024-01",
    "25.01.2024-05:00": "2024-01-25T05:00:00.000Z",
    "5 Jan 2024 GMT": "2024-01-05",
    "Fri, 05 Jan 2024 +0200": "2024-01-04T22:00:00.000Z",
    "January 2024 CET": "2023-12-31T23:00:00.000Z",
  });
  assertRejects(["2024-01-05+02:60", "2024-01-05+2:00", "2024-01-05+", "2024-02-30Z"]);
});

Deno.test("readDate() does not take the rest of a date for a negative offset", () => {
  assertRejects(["2024-05:00", "2024-0105", "2024-01-05:00"]);
});

Deno.test("readDate() reads year-first dates with slashes, with dots or without leading zeros", () => {
  assertReads({
    "2024-1-31": "2024-01-31",
    "2024/1": "2024-01",
    "2024-1-5 7:8:9": "2024-01-05T07:08:09.000Z",
    "2024/1/5 7:08 PM": "2024-01-05T19:08:00.000Z",
    "2024/1/5 24:00": "2024-01-06T00:00:00.000Z",
    "2024.01.05": "2024-01-05",
  });
  assertRejects([
    ...["2024-01/05", "2024/01-05", "2024-0-5", "2024/1/0", "2024/1/32", "2023/2/29", "2024-001-5"],
    ...["2024-1-005", "2024/1/5 7:60", "2024/1/5 7:08:60", "2024/1/5 13:08 PM", "2024/1/5 007:08"],
    ...["2024.01", "2024.02.30", "2024 01 05"],
  ]);
});

Deno.test("readDate() reads 24:00 as midnight at the end of the day", () => {
  assertReads({
    "2005-01-01T24:00:00Z": "2005-01-02T00:00:00.000Z",
    "2005-01-01T24:00": "2005-01-02T00:00:00.000Z",
    "2004-12-31T24:00:00.000": "2005-01-01T00:00:00.000Z",
    "2005-01-01T24:00:01Z": null,
    "2005-01-01T24:01": null,
    "2005-01-01T24:00:00.5Z": null,
  });
});

Deno.test("readDate() reads week dates", () => {
  assertReads({
    "2005-w01-7": "2005-01-09",
    "2005W011": "2005-01-03",
    "2005W11": "2005-03-14",
    "2005-W1-1": "2005-01-03",
    "2004-W53-6": "2005-01-01",
    "2005-W53-1": null,
    "2005-W00-1": null,
    "2005-W01-0": null,
    "2005-W01-8": null,
  });
});

Deno.test("readDate() reads RFC 822 and RFC 2822", () => {
  assertReads({
    "Sat, 01 Jan 2005 10:20:30 GMT": "2005-01-01T10:20:30.000Z",
    "Mon, 01 Jan 2005 10:20:30 GMT": "2005-01-01T10:20:30.000Z",
    "sat,01 JAN 2005 10:20:30 gmt": "2005-01-01T10:20:30.000Z",
    "Saturday, 01-Jan-05 10:20:30 GMT": "2005-01-01T10:20:30.000Z",
    "Thurs, 01 Sept 2005 10:20:30 -03:30": "2005-09-01T13:50:30.000Z",
    "Sat, 01 Jan 00 10:20 UT": "2000-01-01T10:20:00.000Z",
    "Sat, 01 Jan 50 10:20 UT": "1950-01-01T10:20:00.000Z",
    "Sat, 01 Jan 99 10:20 UT": "1999-01-01T10:20:00.000Z",
    "Mon , \t 01  Jan\t2024  00:00:00\t +0000": "2024-01-01T00:00:00.000Z",
    "Mon. ,01 Jan 2024": "2024-01-01",
    "June 7 , 2005 , 8:09 pm": "2005-06-07T20:09:00.000Z",
  });
});

Deno.test("readDate() reads zone names", () => {
  const zones: Readonly<Record<string, string>> = {
    "-10:00": "HST",
    "-09:00": "AKST",
    "-08:00": "AKDT PST",
    "-07:00": "PDT MST",
    "-06:00": "MDT CST",
    "-05:00": "CDT EST",
    "-04:00": "EDT",
    "+00:00": "GMT UT UTC Z WET",
    "+01:00": "BST CET MET WEST",
    "+02:00": "CEST MEST EET",
    "+03:00": "EEST MSK",
    "+09:00": "JST KST",
    "+10:00": "AEST",
    "+11:00": "AEDT",
    "+12:00": "NZST",
    "+13:00": "NZDT",
  };
  for (const [offset, names] of Object.entries(zones)) {
    const expected = new Date(`2015-07-05T12:30:45${offset}`).toISOString();
    for (const name of names.split(" ")) {
      for (
        const text of [
          `Sun, 05 Jul 2015 12:30:45 ${name}`,
          `Sun, 05 Jul 2015 12:30:45 ${name.toLowerCase()}`,
          `Sunday, 05-Jul-15 12:30:45 ${name}`,
          `Sun Jul 5 12:30:45 ${name} 2015`,
          `July 5, 2015 12:30:45 pm (${name})`,
          `2015-07-05 12:30:45 ${name}`,
          `2015/7/5 12:30:45 ${name}`,
        ]
      ) assertEquals([text, readDate(text), unknownZones(text)], [text, expected, []]);
    }
  }
});

Deno.test("readDate() uses the offset that precedes a zone name", () => {
  assertReads({
    "Sat, 01 Jan 2005 10:20:30 -0700(MST)": "2005-01-01T17:20:30.000Z",
    "Sat, 01 Jan 2005 10:20:30 -0600 MST": "2005-01-01T16:20:30.000Z",
    "Sat, 01 Jan 2005 10:20:30 +0530 (IST)": "2005-01-01T04:50:30.000Z",
    "Sat, 01 Jan 2005 10:20:30 +0100 Europe/Berlin": "2005-01-01T09:20:30.000Z",
    "Sat, 01 Jan 2005 10:20:30 +2500 MST": null,
    "Sat, 01 Jan 2005 10:20:30 -0700MST": null,
    "Sat, 01 Jan 2005 10:20:30 -0700 MST foo": null,
  });
  assertEquals(unknownZones("Sat, 01 Jan 2005 10:20:30 +0530 IST"), []);
  assertEquals(unknownZones("Sat, 01 Jan 2005 10:20:30 +0530 (India)"), []);
});

Deno.test("readDate() reads any other zone name as UTC and reports it once, as written", () => {
  const names = ["XYZ", "MEZ", "mez", "IST", "A", "CHADT", "Europe/Berlin", "Etc/GMT+10"];
  const other = "2015-04-30T08:57:00.000Z";
  for (const name of names) {
    for (
      const text of [
        `Thu, 30 Apr 2015 08:57:00 ${name}`,
        `30 Apr 2015 08:57 ${name}`,
        `  April 30, 2015 at 8:57 am ${name}\n`,
        `Thu Apr 30 08:57:00 ${name} 2015`,
        `Thu, 30 Apr 2015 08:57:00 (${name})`,
        `2015-04-30 08:57:00 ${name}`,
        `2015-04-30T08:57[${name}]`,
        `2015-04-30T08:57:00${name}`,
        `20150430T085700 (${name})`,
        `2015/4/30 8:57:00 am ${name}`,
        `2015-W18-4T08:57 ${name}`,
        `2015-Apr-30 08:57 ${name}`,
        `30.4.2015 08:57 ${name}`,
        `30/4/2015, 8:57 [${name}]`,
        `4/30/2015 08:57 ${name}`,
      ]
    ) assertEquals([text, readDate(text), unknownZones(text)], [text, other, [name]]);
  }
});

Deno.test("readDate() does not report the zone name of an unreadable date", () => {
  for (
    const text of [
      "Thu, 31 Apr 2015 08:57:00 XYZ",
      "Thu, 30 Apr 2015 25:57:00 XYZ",
      "Thu, 30 Apr 2015 08:57:00 XYZ foo",
      "Thu, 30 Apr 2015 08:57:00 nonsense",
      "Thu, 30 Apr 2015 XYZ",
      "2015-04-30 08:60 XYZ",
      "2015-04-30 XYZ",
      "2015-04-30[Europe/Berlin]",
      "30.4.2015 (XYZ)",
      "2015 XYZ",
    ]
  ) assertEquals([text, read(text), unknownZones(text)], [text, null, []]);
});

Deno.test("readDate() reads offsets of one digit after a time, and names in brackets after any", () => {
  const offsets: Readonly<Record<string, string | null>> = {
    "+2": "10:00",
    "-7": "19:00",
    "+5:30": "06:30",
    "-0": "12:00",
    "GMT+2": "10:00",
    "UTC-5": "17:00",
    "gmt +2": "10:00",
    "GMT+02:00": "10:00",
    "UTC+5:30": "06:30",
    "+01:00[Europe/Berlin]": "11:00",
    "+2 [Africa/Cairo]": "10:00",
    "-7 (MST)": "19:00",
    "CET[Europe/Paris]": "11:00",
    "Z[UTC]": "12:00",
    "+530": null,
    "+2:3": null,
    "+2:60": null,
    "+": null,
  };
  const dates = ["2015-04-30 12:00", "20150430T1200", "30.4.2015 12:00", "Thu, 30 Apr 2015 12:00"];
  for (const [zone, time] of Object.entries(offsets)) {
    for (const date of dates) {
      const expected = time && `2015-04-30T${time}:00.000Z`;
      const text = `${date} ${zone}`;
      assertEquals([text, read(text), unknownZones(text)], [text, expected, []]);
    }
  }
  assertRejects(["2015-04-30+2", "2015-04-30 GMT+2", "30 Apr 2015 +2"]);
});

Deno.test("readDate() does not read a year with a sign", () => {
  assertRejects([
    ...["Mon, 30 Nov -0001 00:00:00 +0000", "30 Nov  -2005", "Sun Nov 30 00:00:00 -0001"],
    ...["Nov -0001", "30.11.-0001", "11/30/-2005", "-0001-11-30T00:00Z", "+2005"],
  ]);
  assertReads({ "30 - Nov - 2005": "2005-11-30", "30 Nov- 2005": "2005-11-30" });
});

Deno.test("readDate() reads other formats in which the month is given by name", () => {
  assertReads({
    "June 7th, 2005": "2005-06-07",
    "Jun. 7, 2005 8:09 pm": "2005-06-07T20:09:00.000Z",
    "June 7, 2005 at 12:09 a.m. EST": "2005-06-07T05:09:00.000Z",
    "June 7, 2005, 12:09PM": "2005-06-07T12:09:00.000Z",
    "7/Jun/2005": "2005-06-07",
    "2005 June 7 08:09:10Z": "2005-06-07T08:09:10.000Z",
    "2005 June": "2005-06",
    "2005-Jun": "2005-06",
    "Sat Jan 1 10:20:30 2005 +0200": "2005-01-01T08:20:30.000Z",
    "Sat Jan 01 10:20:30 PST 2005": "2005-01-01T18:20:30.000Z",
    "Sat Jan 01 2005 10:20:30 GMT+0200 (Eastern European Standard Time)":
      "2005-01-01T08:20:30.000Z",
  });
  for (const name of ["Jan", "Apr", "SEP", "sept", "December", "may"]) {
    const month = { J: "01", A: "04", S: "09", D: "12", M: "05" }[name.charAt(0).toUpperCase()];
    assertEquals(read(`2 ${name} 2005`), `2005-${month}-02`);
  }
});

Deno.test("readDate() reads numeric dates that end with the year if their order is clear", () => {
  assertReads({
    "22.11.2022 12:16:00": "2022-11-22T12:16:00.000Z",
    "1.2.2005": "2005-02-01",
    "29.02.2004": "2004-02-29",
    "09.25.2003": "2003-09-25",
    "9.13.2003 10:20": "2003-09-13T10:20:00.000Z",
    "25/9/2003": "2003-09-25",
    "13/12/2003": "2003-12-13",
    "09/25/2003": "2003-09-25",
    "25/09/2003 10:20": "2003-09-25T10:20:00.000Z",
    "25/09/2003 10:20:30.5 +0200": "2003-09-25T08:20:30.500Z",
    "9/25/2003, 10:20:30 PM": "2003-09-25T22:20:30.000Z",
    "25.09.2003 10:20 CEST": "2003-09-25T08:20:00.000Z",
  });
  assertRejects(["01.00.2005", "25/09.2003", "25.09/2003"]);
});

Deno.test("readDate() does not guess the order of numbers", () => {
  assertRejects(["01/02/2005", "12/12/2005", "05-01-02", "200501", "2005-001", "1 Jan 20:05:00"]);
});

Deno.test("readDate() reads seconds and milliseconds since 1970, from 1995 to 2100", () => {
  assertReads({
    "1104537600000": "2005-01-01T00:00:00.000Z",
    "0788918400": "1995-01-01T00:00:00.000Z",
    "0788918400000": "1995-01-01T00:00:00.000Z",
    "4102444800": "2100-01-01T00:00:00.000Z",
  });
  assertRejects(["0788918399", "0788918399999", "151847893", "15184789345", "151847893450"]);
});

Deno.test("readDate() ignores a single < at the end", () => {
  assertReads({
    "2005-01-01<": "2005-01-01",
    "2005-01-01 < ": "2005-01-01",
    "2005-01-01T10:20:30Z<": "2005-01-01T10:20:30.000Z",
  });
  assertRejects(["<", "2005-01-01<<", "2005-01-01< <"]);
});

Deno.test("readDate() rejects days and times that do not exist", () => {
  assertRejects([
    ...["2005-01-00", "1900-02-29", "2005-01-01T10:60", "2005-01-01T10:20:60Z"],
    ...["2005-01-01T10:20:30+24:00", "2005-01-01T10:20:30+02:60", "2005 June 31"],
    ...["June 7, 2005 13:09 pm"],
  ]);
});

Deno.test("readDate() rejects text that is not a date, and garbage around a date", () => {
  assertRejects([
    ...["", "not a date", "２００５-01-01", "foo, 01 Jan 2005", "01 Janus 2005"],
    ...["Sat, 01 Jan 200 10:20:30 GMT", "2005-01-01T10:20:30Zfoo", "2005-01-01T10:20:30zulu"],
    ...["2005-01-01T10:20:30+02:00foo", "2005-01-01T10:20:30GMT+", "2005-01-01T10:20:30."],
    ...["2005-01-01T10:", "2005-01-01T10:20:", "2005-01-01 10", "2005-01-01 10:20:30 foo bar"],
    ...["Sat, 01 Jan 2005 10:20:30 GMT foo"],
  ]);
});

Deno.test("readDate() trims Unicode whitespace", () => {
  for (const space of [" ", "\n\t", "\u00a0", "\u0085", "\u2003", "\u3000", "\ufeff"]) {
    assertEquals(read(`${space}2005-01-01${space}`), "2005-01-01");
  }
});

Deno.test("readDate() rejects text that is too long for a date", () => {
  assertEquals(read(`2005-01-01T10:20:30.${"1".repeat(80)}`), "2005-01-01T10:20:30.111Z");
  assertRejects([`2005-01-01T10:20:30.${"1".repeat(81)}`, "June".padEnd(1_000_000) + "7, 2005"]);
  assertEquals(read("2005-01-01".padEnd(1_000_000)), "2005-01-01");
});

Deno.test("readDate() returns the form in which a date was written", () => {
  const expected: Readonly<Record<string, readonly string[]>> = {
    "2005": ["2005 UTC"],
    "2005-01": ["2005/1", "Jan-2005"],
    "2005-01-02": ["2004W537", "2005-01-02 GMT", "2.1.2005"],
    "2005-01-03": ["2005-W01-1 UTC"],
    "2005-02-02": ["Sunday, 02-Feb-05", "February 2nd, 2005", "2005-Feb-02 Z"],
    "2005-01-02T00:00:00.000Z": [
      "2 Jan 2005 12:00 am",
      "Sun Jan  2 00:00:00 UTC 2005",
      "Sun, 02 Jan 2005 00:00:00 GMT",
    ],
  };
  for (const [date, texts] of Object.entries(expected)) {
    assertEquals(texts.map((text) => [text, read(text)]), texts.map((text) => [text, date]));
  }
});

const encoder = new TextEncoder();

/** Reads a text as bytes, and as text where that leaves it. */
function readBytes(text: string): string | null {
  const view = new DataView(encoder.encode(text).buffer);
  return readIsoBytes(view, 0, view.byteLength) || readMailBytes(view, 0, view.byteLength) ||
    read(text);
}

Deno.test("dates are of the years 1 to 9999 in UTC, for bytes and text alike", () => {
  const expected: Readonly<Record<string, string | null>> = {
    "0001": "0001",
    "0000": null,
    "10000-01-01": null,
    "0001-01-01": "0001-01-01",
    "9999-12-31": "9999-12-31",
    "0001-01-01+14:00": null,
    "9999-12-31-11:00": "9999-12-31T11:00:00.000Z",
    "0001-01-01T00:00:00+01:00": null,
    "0001-01-01T01:00:00+01:00": "0001-01-01T00:00:00.000Z",
    "0000-12-31T23:30:00-01:00": null,
    "9999-12-31T23:59:59.999Z": "9999-12-31T23:59:59.999Z",
    "9999-12-31T23:59:59-01:00": null,
    "9999-12-31T24:00:00Z": null,
    "9999-W52-6": null,
    "Mon, 01 Jan 0001 00:00:00 +0100": null,
    "Fri, 31 Dec 9999 23:59:59 GMT": "9999-12-31T23:59:59.000Z",
    "Fri, 31 Dec 9999 23:59:59 EST": null,
  };
  assertReads(expected);
  for (const [text, date] of Object.entries(expected)) {
    assertEquals([text, readBytes(text)], [text, date]);
  }
});

Deno.test("dates in the four forms are read as they are, by bytes and by text", () => {
  fc.assert(fc.property(anyDate(), (date) => {
    assertEquals([read(date), readBytes(date)], [date, date]);
    assertEquals(readBytes(compactDate(date)), date);
  }));
});

Deno.test("bytes and text agree on dates with any zone", () => {
  const zone = fc.oneof(
    fc.constantFrom("", "Z", " GMT"),
    fc.tuple(fc.constantFrom("+", "-"), fc.nat(23), fc.nat(59)).map(([sign, hours, minutes]) =>
      `${sign}${String(hours).padStart(2, "0")}:${String(minutes).padStart(2, "0")}`
    ),
  );
  fc.assert(fc.property(anyDate(), fc.constantFrom(10, 16, 19, 23), zone, (date, length, zone) => {
    const text = date.slice(0, length) + zone;
    assertEquals([text, readBytes(text)], [text, read(text)]);
    // Date reads no zone after a date without time
    const time = Date.parse(length === 10 ? `${date.slice(0, length)}T00:00${zone}` : text);
    const isDay = length === 10 && !/[1-9]/.test(zone);
    if (date.length < 24 || isDay || Number.isNaN(time)) return;
    assertEquals([text, read(text)], [text, isoTime(time) || null]);
  }));
});

Deno.test("timeOfDate() returns the time at which a date begins, as new Date() does", () => {
  for (
    const date of [
      "0001",
      "9999",
      "2024-05",
      "2024-02-29",
      "1969-12-31",
      "2024-05-01T12:00:30.456Z",
    ]
  ) {
    assertEquals(timeOfDate(date), new Date(date).getTime());
  }
  fc.assert(fc.property(anyDate(), (date) => {
    assertEquals(timeOfDate(date), new Date(date).getTime());
  }));
});

Deno.test("timeOfDate() returns NaN for text that is in none of the four forms", () => {
  const texts = [
    ...["", "0000", "24", "02024", "2024-5", "2024-00", "2024-13", "2024/05", "2024-05-1"],
    ...["2024-05-00", "2023-02-29", "2024-04-31", "2024-05-01Z", "20240501", " 2024", "2024 "],
    ...["2024-05-01T12:00:30Z", "2024-05-01T12:00Z", "2024-05-01 12:00:30.000Z"],
    ...["2024-05-01T24:00:00.000Z", "2024-05-01T12:60:30.000Z", "2024-05-01T12:00:60.000Z"],
    ...["2024-05-01T12:00:30.000z", "2024-05-01T12:00:30.00Z", "2024-05-01T12:00:30,000Z"],
    ...["+12024-05-01", "-0001", "yesterday", "２０２４", "2024-05-01T12:00:30.000+"],
  ];
  assertEquals(texts.map((text) => [text, timeOfDate(text)]), texts.map((text) => [text, NaN]));
});

Deno.test("dates compare as strings in the order of time, a less precise one first", () => {
  fc.assert(fc.property(anyDate(), anyDate(), (one, other) => {
    const [first, second] = one < other ? [one, other] : [other, one];
    assert(timeOfDate(first) <= timeOfDate(second), `${first} ${second}`);
    if (timeOfDate(first) === timeOfDate(second)) assert(second.startsWith(first));
  }));
  fc.assert(fc.property(anyDate(), fc.constantFrom(4, 7, 10), (date, length) => {
    const lessPrecise = date.slice(0, length);
    assert(lessPrecise <= date, `${lessPrecise} ${date}`);
    assert(timeOfDate(lessPrecise) <= timeOfDate(date), `${lessPrecise} ${date}`);
  }));
  const inOrder = [
    ...["0001", "1969-12-31T23:59:59.999Z", "1970", "1970-01", "1970-01-01"],
    ...["1970-01-01T00:00:00.000Z", "1970-01-01T00:00:00.001Z", "1970-01-02", "1970-02"],
    ...["2023-12-31T23:59:59.999Z", "2024", "2024-05-31T23:59:59.999Z", "2024-06", "9999-12-31"],
  ];
  assertEquals(inOrder.toReversed().sort(), inOrder);
});

Deno.test("compactDate() drops milliseconds that are zero", () => {
  const expected: Readonly<Record<string, string>> = {
    "2024": "2024",
    "2024-05-01": "2024-05-01",
    "2024-05-01T12:00:30.000Z": "2024-05-01T12:00:30Z",
    "2024-05-01T12:00:30.100Z": "2024-05-01T12:00:30.100Z",
  };
  for (const [date, compact] of Object.entries(expected)) {
    assertEquals(compactDate(date), compact);
  }
});

const FIRST_TIME = Date.parse("0001-01-01T00:00:00.000Z");
const LAST_TIME = Date.parse("9999-12-31T23:59:59.999Z");

Deno.test("isoTime() writes what toISOString() writes", () => {
  const time = fc.date({
    min: new Date(FIRST_TIME),
    max: new Date(LAST_TIME),
    noInvalidDate: true,
  });
  fc.assert(fc.property(time, (date) => {
    assertEquals(isoTime(date.getTime()), date.toISOString());
  }));
  for (const time of [FIRST_TIME, -1, -0, 0, 0.5, 1.9, 86_399_999, LAST_TIME]) {
    assertEquals(isoTime(time), new Date(time).toISOString());
  }
});

Deno.test("isoTime() writes every day of 27 years", () => {
  for (let day = 0; day < 10_000; day += 1) {
    const time = day * 86_400_000 + day;
    assertEquals(isoTime(time), new Date(time).toISOString());
  }
});

Deno.test("isoTime() returns nothing outside of the years 1 to 9999", () => {
  for (const time of [FIRST_TIME - 1, LAST_TIME + 1, NaN, Infinity, -Infinity, 9e15, -8.64e15]) {
    assertEquals(isoTime(time), "");
  }
});
