import { assertEquals } from "@std/assert";
import { parseDate, parseIsoBytes } from "../src/date.ts";

/** What `parseDate` makes of a text, as people read it. */
function read(text: string): string | null {
  const time = parseDate(text);
  return Number.isNaN(time) ? null : new Date(time).toISOString();
}

function assertReads(expected: Readonly<Record<string, string | null>>): void {
  const actual = Object.fromEntries(Object.keys(expected).map((text) => [text, read(text)]));
  assertEquals(actual, expected);
}

function assertRefuses(texts: readonly string[]): void {
  assertEquals(texts.map((text) => [text, read(text)]), texts.map((text) => [text, null]));
}

const encoder = new TextEncoder();

function parseBytes(text: string): number {
  // with neighbours on both sides, as in a document
  const view = new DataView(encoder.encode(`>${text}<`).buffer);
  return parseIsoBytes(view, 1, view.byteLength - 1);
}

/** Numbers from 0 to below 1, the same ones in every run (mulberry32). */
function seeded(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

Deno.test("parseDate() reads ISO dates, with missing parts as the first", () => {
  assertReads({
    "2005-01-02": "2005-01-02T00:00:00.000Z",
    "20050102": "2005-01-02T00:00:00.000Z",
    "2005-03": "2005-03-01T00:00:00.000Z",
    "2005": "2005-01-01T00:00:00.000Z",
    "2004-02-29": "2004-02-29T00:00:00.000Z",
    "2000-02-29": "2000-02-29T00:00:00.000Z",
    "1969-12-31": "1969-12-31T00:00:00.000Z",
    "1970-01-01": "1970-01-01T00:00:00.000Z",
    "0001-01-01": "0001-01-01T00:00:00.000Z",
    "0099-12-31": "0099-12-31T00:00:00.000Z",
    "9999-12-31": "9999-12-31T00:00:00.000Z",
  });
});

Deno.test("parseDate() reads ISO times, with minutes and seconds optional", () => {
  assertReads({
    "2005-01-01T10": "2005-01-01T10:00:00.000Z",
    "2005-01-01T10Z": "2005-01-01T10:00:00.000Z",
    "2005-01-01T10:20": "2005-01-01T10:20:00.000Z",
    "2005-01-01T10:20Z": "2005-01-01T10:20:00.000Z",
    "2005-01-01T10:20:30": "2005-01-01T10:20:30.000Z",
    "2005-01-01t10:20:30z": "2005-01-01T10:20:30.000Z",
    "2005-01-01 10:20": "2005-01-01T10:20:00.000Z",
    "2005-01-01 10:20:30": "2005-01-01T10:20:30.000Z",
    "20050101T102030Z": "2005-01-01T10:20:30.000Z",
    "20050101T1020": "2005-01-01T10:20:00.000Z",
    "20050101T10:20:30+0200": "2005-01-01T08:20:30.000Z",
  });
});

Deno.test("parseDate() cuts fractions off after milliseconds", () => {
  assertReads({
    "2005-01-01T10:20:30.5Z": "2005-01-01T10:20:30.500Z",
    "2005-01-01T10:20:30,5Z": "2005-01-01T10:20:30.500Z",
    "2005-01-01T10:20:30.05": "2005-01-01T10:20:30.050Z",
    "2005-01-01T10:20:30.123456789Z": "2005-01-01T10:20:30.123Z",
    "2005-01-01T10:20:30.9999+00:00": "2005-01-01T10:20:30.999Z",
    "2005-01-01 10:20:30.123": "2005-01-01T10:20:30.123Z",
    "1969-12-31T23:59:59.9999Z": "1969-12-31T23:59:59.999Z",
  });
});

Deno.test("parseDate() reads zones", () => {
  assertReads({
    "2005-01-01T10:20:30+02:00": "2005-01-01T08:20:30.000Z",
    "2005-01-01T10:20:30+0200": "2005-01-01T08:20:30.000Z",
    "2005-01-01T10:20:30+02": "2005-01-01T08:20:30.000Z",
    "2005-01-01T10:20:30-00:00": "2005-01-01T10:20:30.000Z",
    "2005-01-01T10:20-03:30": "2005-01-01T13:50:00.000Z",
    "2005-01-01T10+01": "2005-01-01T09:00:00.000Z",
    "2005-01-01T00:00:00+14:00": "2004-12-31T10:00:00.000Z",
    "2005-01-01 10:20:30 +0200": "2005-01-01T08:20:30.000Z",
    "2005-01-01 10:20:30 UTC": "2005-01-01T10:20:30.000Z",
    "2005-01-01 10:20:30 est": "2005-01-01T15:20:30.000Z",
    "2005-12-31T24:00:00-02:00": "2006-01-01T02:00:00.000Z",
  });
});

Deno.test("parseDate() takes 24:00 for the midnight that ends the day", () => {
  assertReads({
    "2005-01-01T24:00:00Z": "2005-01-02T00:00:00.000Z",
    "2005-01-01T24:00": "2005-01-02T00:00:00.000Z",
    "2004-12-31T24:00:00.000": "2005-01-01T00:00:00.000Z",
    "2005-01-01T24:00:01Z": null,
    "2005-01-01T24:01": null,
    "2005-01-01T24:00:00.5Z": null,
  });
});

Deno.test("parseDate() reads week dates", () => {
  assertReads({
    "2005-W01-1": "2005-01-03T00:00:00.000Z",
    "2005-w01-7": "2005-01-09T00:00:00.000Z",
    "2005-W01": "2005-01-03T00:00:00.000Z",
    "2005W011": "2005-01-03T00:00:00.000Z",
    "2004-W53-6": "2005-01-01T00:00:00.000Z",
    "2009-W01-1": "2008-12-29T00:00:00.000Z",
    "2005-W52-7": "2006-01-01T00:00:00.000Z",
    "1969-W01-1": "1968-12-30T00:00:00.000Z",
    "2005-W01-1T10:20Z": "2005-01-03T10:20:00.000Z",
    "2005-W53-1": null,
    "2005-W00-1": null,
    "2005-W01-0": null,
    "2005-W01-8": null,
    "2005-W1-1": null,
    "2005-W011": null,
    "0000-W01-1": null,
  });
});

Deno.test("parseDate() reads RFC 822 and 2822", () => {
  assertReads({
    "Sat, 01 Jan 2005 10:20:30 GMT": "2005-01-01T10:20:30.000Z",
    "Sat, 1 Jan 2005 10:20 +0200": "2005-01-01T08:20:00.000Z",
    "Mon, 01 Jan 2005 10:20:30 GMT": "2005-01-01T10:20:30.000Z",
    "01 Jan 2005 10:20:30": "2005-01-01T10:20:30.000Z",
    "01 Jan 2005": "2005-01-01T00:00:00.000Z",
    "sat,01 JAN 2005 10:20:30 gmt": "2005-01-01T10:20:30.000Z",
    "Sat, 01 Jan 2005 10:20:30 +0000 (UTC)": "2005-01-01T10:20:30.000Z",
    "Saturday, 01-Jan-05 10:20:30 GMT": "2005-01-01T10:20:30.000Z",
    "Thurs, 01 Sept 2005 10:20:30 -03:30": "2005-09-01T13:50:30.000Z",
    "Sat, 01 Jan 00 10:20 UT": "2000-01-01T10:20:00.000Z",
    "Sat, 01 Jan 49 10:20 UT": "2049-01-01T10:20:00.000Z",
    "Sat, 01 Jan 50 10:20 UT": "1950-01-01T10:20:00.000Z",
    "Sat, 01 Jan 99 10:20 UT": "1999-01-01T10:20:00.000Z",
  });
});

Deno.test("parseDate() knows the zone names of RFC 822 and takes any other for UTC", () => {
  const hours = {
    GMT: 12,
    UT: 12,
    UTC: 12,
    Z: 12,
    EST: 17,
    EDT: 16,
    CST: 18,
    CDT: 17,
    MST: 19,
    MDT: 18,
    PST: 20,
    PDT: 19,
    CET: 12,
    JST: 12,
    AMT: 12,
  };
  for (const [zone, hour] of Object.entries(hours)) {
    assertEquals(read(`Sun, 05 Jul 2015 12:30:45 ${zone}`), `2015-07-05T${hour}:30:45.000Z`);
  }
});

Deno.test("parseDate() reads other forms that name the month", () => {
  assertReads({
    "1 January 2005": "2005-01-01T00:00:00.000Z",
    "June 7, 2005": "2005-06-07T00:00:00.000Z",
    "7 Jun 2005 08:09": "2005-06-07T08:09:00.000Z",
    "June 7th, 2005": "2005-06-07T00:00:00.000Z",
    "Jun. 7, 2005 8:09 pm": "2005-06-07T20:09:00.000Z",
    "June 7, 2005 at 12:09 a.m. EST": "2005-06-07T05:09:00.000Z",
    "June 7, 2005, 12:09PM": "2005-06-07T12:09:00.000Z",
    "7-Jun-2005": "2005-06-07T00:00:00.000Z",
    "7/Jun/2005": "2005-06-07T00:00:00.000Z",
    "2005-Jun-07": "2005-06-07T00:00:00.000Z",
    "2005 June 7 08:09:10Z": "2005-06-07T08:09:10.000Z",
    "June 2005": "2005-06-01T00:00:00.000Z",
    "Sat Jan  1 10:20:30 2005": "2005-01-01T10:20:30.000Z",
    "Sat Jan 01 10:20:30 PST 2005": "2005-01-01T18:20:30.000Z",
    "Sat Jan 01 10:20:30 +0200 2005": "2005-01-01T08:20:30.000Z",
    "Sat Jan 01 2005 10:20:30 GMT+0200 (Eastern European Standard Time)":
      "2005-01-01T08:20:30.000Z",
  });
  for (const name of ["Jan", "Apr", "SEP", "sept", "December", "may"]) {
    const month = { J: "01", A: "04", S: "09", D: "12", M: "05" }[name.charAt(0).toUpperCase()];
    assertEquals(read(`2 ${name} 2005`), `2005-${month}-02T00:00:00.000Z`);
  }
});

Deno.test("parseDate() does not guess the order of numbers", () => {
  assertRefuses([
    "01/02/2005",
    "13/02/2005",
    "01-02-2005",
    "01.02.2005",
    "2005/01/02",
    "05-01-02",
    "2005-1-2",
    "200501",
    "2005-001",
    "Jan 05",
    "7 June",
    "1 Jan 20:05:00",
    "June 7, 05",
  ]);
});

Deno.test("parseDate() does not take counts of seconds or milliseconds for dates", () => {
  assertRefuses(["1104537600", "1104537600000", "1104537600.5", "-1", "0", "20051301"]);
});

Deno.test("parseDate() refuses days and times that do not exist", () => {
  assertRefuses([
    "0000-00-00",
    "0000-00-00T00:00:00+00:00",
    "0000-01-01",
    "0000",
    "2005-00",
    "2005-13",
    "2005-13-01",
    "2005-01-00",
    "2005-01-32",
    "2005-02-29",
    "2005-02-30",
    "1900-02-29",
    "2005-04-31",
    "20050230",
    "2005-01-01T25:00:00Z",
    "2005-01-01T10:60",
    "2005-01-01T10:20:60Z",
    "2005-01-01T10:20:30+24:00",
    "2005-01-01T10:20:30+02:60",
    "Sat, 31 Feb 2005 10:20:30 GMT",
    "Sat, 01 Jan 2005 25:20:30 GMT",
    "Sat, 01 Jan 2005 10:20:60 GMT",
    "Sat, 01 Jan 2005 10:20:30 +2500",
    "June 0, 2005",
    "June 7, 2005 13:09 pm",
    "June 7, 2005 0:09 am",
  ]);
});

Deno.test("parseDate() refuses rubbish, alone and around a date", () => {
  assertRefuses([
    "",
    " ",
    "not a date",
    "bad",
    "2005-01-01T10:20:30Zfoo",
    "2005-01-01foo",
    "2005-01-01T",
    "2005-01-01T1",
    "2005-01-01T10:2",
    "2005-01-01T10:",
    "2005-01-01T10:20:30.",
    "2005-01-01T10:2030",
    "2005-01-01T1020:30",
    "2021-06-18T112:13:04+00:00",
    "2005-01-01 10",
    "2005-01-01 10:20:30 foo",
    "2005-01T10:20",
    "2005-0101",
    "200501-01",
    "+2005-01-01",
    "２００５-01-01",
    "Sat, 01 Jan 2005 10:20:30 GMT foo",
    "Sat, 01 Jan 2005 10:20:30 GMT 2",
    "foo, 01 Jan 2005",
    "01 Janus 2005",
    "Sat, 01 Jan 200 10:20:30 GMT",
    "date: 2005-01-01",
    "2005-01-01, 2006-01-01",
  ]);
});

Deno.test("parseDate() trims white space as Unicode sees it", () => {
  for (const space of [" ", "\n\t", "\u00a0", "\u0085", "\u2003", "\u3000", "\ufeff"]) {
    assertEquals(read(`${space}2005-01-01${space}`), "2005-01-01T00:00:00.000Z");
  }
});

Deno.test("parseDate() gives up on a text that is too long for a date", () => {
  assertEquals(read(`2005-01-01T10:20:30.${"1".repeat(80)}`), "2005-01-01T10:20:30.111Z");
  assertRefuses([`2005-01-01T10:20:30.${"1".repeat(81)}`, "June".padEnd(1_000_000) + "7, 2005"]);
  assertEquals(read("2005-01-01".padEnd(1_000_000)), "2005-01-01T00:00:00.000Z");
});

Deno.test("parseIsoBytes() reads the common forms", () => {
  for (
    const [text, expected] of Object.entries({
      "2005-01-02": "2005-01-02T00:00:00.000Z",
      "2004-02-29": "2004-02-29T00:00:00.000Z",
      "2005-01-31": "2005-01-31T00:00:00.000Z",
      "2005-01-02T10:20:30": "2005-01-02T10:20:30.000Z",
      "2005-01-02T10:20:30Z": "2005-01-02T10:20:30.000Z",
      "2005-01-02T10:20:30.5": "2005-01-02T10:20:30.500Z",
      "2005-01-02T10:20:30.123456789Z": "2005-01-02T10:20:30.123Z",
      "2005-01-02T10:20:30+02:00": "2005-01-02T08:20:30.000Z",
      "2005-01-02T10:20:30.05-03:30": "2005-01-02T13:50:30.050Z",
    })
  ) assertEquals([text, new Date(parseBytes(text)).toISOString()], [text, expected]);
});

Deno.test("parseIsoBytes() leaves everything else to parseDate()", () => {
  const others = [
    "",
    "2005",
    "2005-01",
    "20050101",
    "2005-01-0",
    "2005/01/01",
    " 2005-01-01",
    "2005-01-01 ",
    "0000-01-01",
    "2005-00-01",
    "2005-13-01",
    "2005-01-00",
    "2005-02-29",
    "2005-04-31",
    "20O5-01-01",
    "2005-0a-01",
    "2005-01-:1",
    "2005-01-01T10:20Z",
    "2005-01-01 10:20:30",
    "2005-01-01T10-20-30",
    "2005-01-01T10:20-30",
    "2005-01-01T24:00:00",
    "2005-01-01T10:60:00",
    "2005-01-01T10:20:60",
    "2005-01-01T10:20:30.",
    "2005-01-01T10:20:30.Z",
    "2005-01-01T10:20:30,5",
    "2005-01-01T10:20:30z",
    "2005-01-01T10:20:30+0200",
    "2005-01-01T10:20:30+02.00",
    "2005-01-01T10:20:30*02:00",
    "2005-01-01T10:20:30+24:00",
    "2005-01-01T10:20:30+02:60",
    "2005-01-01T10:20:30+02:00x",
    "2005-01-01T10:20:30Zfoo",
    `2005-01-01T10:20:30.${"1".repeat(81)}`,
  ];
  assertEquals(others.map((text) => [text, parseBytes(text)]), others.map((text) => [text, NaN]));
});

Deno.test("parseIsoBytes() does not read past the bytes or its end", () => {
  const view = new DataView(encoder.encode("2005-01-01T10:20:30Z").buffer);
  assertEquals(parseIsoBytes(view, 0, 40), NaN);
  assertEquals(parseIsoBytes(view, 12, 22), NaN);
  assertEquals(parseIsoBytes(view, 0, 10), Date.UTC(2005, 0, 1));
  assertEquals(parseIsoBytes(view, 0, 19), Date.UTC(2005, 0, 1, 10, 20, 30));
});

Deno.test("parseDate() and parseIsoBytes() agree with Date on every day of 800 years", () => {
  for (let time = Date.UTC(1600, 0, 1); time < Date.UTC(2400, 0, 1); time += 86_400_000) {
    const text = new Date(time).toISOString().slice(0, 10);
    if (parseBytes(text) !== time) assertEquals([text, parseBytes(text)], [text, time]);
    // patterns take their time; 97 shares no factor with months and leap cycles
    if (time / 86_400_000 % 97 === 0) assertEquals([text, parseDate(text)], [text, time]);
  }
});

Deno.test("parseDate() equals Date for well-formed ISO, and parseIsoBytes() equals both", () => {
  const random = seeded(2005);
  const last = Date.parse("9999-12-31T23:59:59Z");
  const first = Date.parse("0001-01-01T00:00:00Z");
  for (let round = 0; round < 20_000; round++) {
    const time = Math.floor(first + random() * (last - first));
    const iso = new Date(time).toISOString();
    const zone = ["Z", "+02:00", "-11:30", "+23:59"][round % 4] as string;
    const digits = [0, 1, 2, 3][Math.floor(random() * 4)] as number;
    const text = iso.slice(0, digits === 0 ? 19 : 20 + digits) + zone;
    const expected = Date.parse(text);
    assertEquals([text, parseDate(text), parseBytes(text)], [text, expected, expected]);
  }
});

Deno.test("parseIsoBytes() gives NaN or what parseDate() gives, whatever the damage", () => {
  const random = seeded(1970);
  const alphabet = "01234567890123456789-:.TZ+ tz,W";
  let read = 0;
  for (let round = 0; round < 50_000; round++) {
    const characters = [..."2005-01-31T10:20:30.125+02:00".slice(0, [10, 19, 23, 29][round % 4])];
    for (let change = 0; change <= round % 3; change++) {
      const at = Math.floor(random() * characters.length);
      const character = alphabet.charAt(Math.floor(random() * alphabet.length));
      // mostly put in the place of another, so that much remains that can be read
      characters.splice(at, random() < 0.9 ? 1 : 0, ...(random() < 0.95 ? [character] : []));
    }
    const text = characters.join("");
    const fast = parseBytes(text);
    if (Number.isNaN(fast)) continue;
    read++;
    if (fast !== parseDate(text)) assertEquals([text, fast], [text, parseDate(text)]);
  }
  // otherwise the test would show nothing
  assertEquals(read > 5_000, true);
});
