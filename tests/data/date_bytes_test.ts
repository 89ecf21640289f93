import { assert, assertEquals } from "@std/assert";
import { parseDate, readDate } from "../../src/data/date.ts";
import { isoBytesPrecision, parseIsoBytes, parseMailBytes } from "../../src/data/date_bytes.ts";
import { type DatePrecision, DAY, TO_TIME } from "../../src/data/calendar.ts";

const encoder = new TextEncoder();

/** Reads a date that is surrounded by other bytes, as in a document. */
function parseWith(parse: typeof parseIsoBytes, text: string): number {
  const view = new DataView(encoder.encode(`>0${text}0<`).buffer);
  return parse(view, 2, view.byteLength - 2);
}

function parseIso(text: string): number {
  return parseWith(parseIsoBytes, text);
}

function parseMail(text: string): number {
  return parseWith(parseMailBytes, text);
}

/** Returns the precision of a date that `parseIso()` reads. */
function precisionOfIso(text: string): DatePrecision {
  const view = new DataView(encoder.encode(`>0${text}0<`).buffer);
  return isoBytesPrecision(view, 2, view.byteLength - 2, parseIso(text));
}

/** Checks that a date is read as `readDate()` reads it, or left to that. */
function assertAgrees(text: string, time: number): void {
  if (Number.isNaN(time)) return;
  const precision = time === parseIso(text) ? precisionOfIso(text) : TO_TIME;
  const expected = readDate(text);
  if (time !== expected?.time || precision !== expected.precision) {
    assertEquals([text, { time, precision }], [text, expected]);
  }
}

function assertParses(
  parse: (text: string) => number,
  expected: Readonly<Record<string, string>>,
): void {
  for (const [text, iso] of Object.entries(expected)) {
    assertEquals([text, parse(text)], [text, Date.parse(iso)]);
    assertEquals([text, parseDate(text)], [text, Date.parse(iso)]);
  }
}

/** Returns a generator of numbers from 0 to below 1, the same in every run (mulberry32). */
function seeded(seed: number): () => number {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Replaces, inserts or removes one or two characters; mostly replaces. */
function damage(text: string, alphabet: string, random: () => number): string {
  const characters = [...text];
  for (let changes = 1 + Math.floor(random() * 2); changes > 0; changes--) {
    const at = Math.floor(random() * characters.length);
    const character = alphabet.charAt(Math.floor(random() * alphabet.length));
    characters.splice(at, random() < 0.9 ? 1 : 0, ...(random() < 0.95 ? [character] : []));
  }
  return characters.join("");
}

const ISO_SAMPLES = [
  "2005-01-31",
  "2005-01-31Z",
  "2005-01-31+02:00",
  "2005-01-31 -0500",
  "2005-01-31T10:20",
  "2005-01-31T10:20:30",
  "2005-01-31 10:20:30",
  "2005-01-31T10:20:30.125",
  "2005-01-31T10:20:30.125+02:00",
  "2005-01-31 10:20:30 +0200",
  "2005-01-31 10:20:30+02",
  "2005-01-31 10:20:30 -0700 MST",
  "2005-01-31 10:20:30 CEST",
];

const MAIL_SAMPLES = [
  "Sat, 01 Jan 2005 10:20:30 GMT",
  "Fri, 09 Sep 2011 23:59:59 +1359",
  "Sat, 1 Jan 2005 10:20 EST",
  "1 Jan 2005 10:20",
  "31 Dec 2005 10:20:30.5 -0700 MST",
  "Sun, 06 Nov 1994 08:49:37 -07:00 (MST)",
];

Deno.test("parseIsoBytes() reads the common formats", () => {
  assertParses(parseIso, {
    "2005-01-02": "2005-01-02T00:00:00Z",
    "2004-02-29": "2004-02-29T00:00:00Z",
    "2005-01-31": "2005-01-31T00:00:00Z",
    "2005-01-02Z": "2005-01-02T00:00:00Z",
    "2005-01-02+02:00": "2005-01-01T22:00:00Z",
    "2005-01-02-05:00": "2005-01-02T05:00:00Z",
    "2005-01-02T10:20": "2005-01-02T10:20:00Z",
    "2005-01-02T10:20Z": "2005-01-02T10:20:00Z",
    "2005-01-02T10:20+02:00": "2005-01-02T08:20:00Z",
    "2005-01-02T10:20:30": "2005-01-02T10:20:30Z",
    "2005-01-02T10:20:30Z": "2005-01-02T10:20:30Z",
    "2005-01-02T10:20:30.5": "2005-01-02T10:20:30.500Z",
    "2005-01-02T10:20:30.123456789Z": "2005-01-02T10:20:30.123Z",
    "2005-01-02T10:20:30+02:00": "2005-01-02T08:20:30Z",
    "2005-01-02T10:20:30+0200": "2005-01-02T08:20:30Z",
    "2005-01-02T10:20:30-02": "2005-01-02T12:20:30Z",
    "2005-01-02T10:20:30.05-03:30": "2005-01-02T13:50:30.050Z",
    "2005-01-02 10:20": "2005-01-02T10:20:00Z",
    "2005-01-02 10:20:30": "2005-01-02T10:20:30Z",
    "2005-01-02 10:20:30+00": "2005-01-02T10:20:30Z",
    "2005-01-02 10:20:30 +0200": "2005-01-02T08:20:30Z",
  });
});

Deno.test("parseIsoBytes() does not read beyond its end or the end of the view", () => {
  const view = new DataView(encoder.encode("2005-01-01T10:20:30.5+02:00").buffer);
  assertEquals(parseIsoBytes(view, 0, 40), NaN);
  assertEquals(parseIsoBytes(view, 12, 22), NaN);
  assertEquals(parseIsoBytes(view, 0, 10), Date.UTC(2005, 0, 1));
  assertEquals(parseIsoBytes(view, 0, 16), Date.UTC(2005, 0, 1, 10, 20));
  assertEquals(parseIsoBytes(view, 0, 19), Date.UTC(2005, 0, 1, 10, 20, 30));
  assertEquals(parseIsoBytes(view, 0, 24), Date.UTC(2005, 0, 1, 8, 20, 30, 500));
  for (const text of [...ISO_SAMPLES, ...MAIL_SAMPLES]) {
    const bytes = encoder.encode(text);
    for (let end = 0; end <= bytes.length; end++) {
      // a read beyond the end throws
      const view = new DataView(bytes.slice(0, end).buffer);
      assertAgrees(text.slice(0, end), parseIsoBytes(view, 0, end));
      assertAgrees(text.slice(0, end), parseMailBytes(view, 0, end));
    }
  }
});

Deno.test("readDate() and parseIsoBytes() agree with Date on every day of 800 years", () => {
  for (let time = Date.UTC(1600, 0, 1); time < Date.UTC(2400, 0, 1); time += DAY) {
    const text = new Date(time).toISOString().slice(0, 10);
    if (parseIso(text) !== time) assertEquals([text, parseIso(text)], [text, time]);
    // patterns are slow; 97 has no factor in common with months and leap cycles
    if (time / DAY % 97 === 0) assertEquals([text, parseDate(text)], [text, time]);
  }
});

Deno.test("readDate() and parseIsoBytes() agree with Date on well-formed ISO dates", () => {
  const random = seeded(2005);
  const last = Date.parse("9999-12-31T23:59:59Z");
  const first = Date.parse("0001-01-01T00:00:00Z");
  for (let round = 0; round < 20_000; round++) {
    const time = Math.floor(first + random() * (last - first));
    const iso = new Date(time).toISOString();
    const zone = ["Z", "+02:00", "-11:30", "+23:59"][round % 4]!;
    const length = [16, 19, 21, 22, 23][Math.floor(random() * 5)]!;
    const text = iso.slice(0, length) + zone;
    const expected = Date.parse(text);
    assertEquals([text, parseDate(text), parseIso(text)], [text, expected, expected]);
  }
});

Deno.test("parseIsoBytes() reads damaged dates as readDate() does, or not at all", () => {
  const random = seeded(1970);
  const alphabet = "01234567890123456789-:.TZ+ tz,W/()MSTxyz";
  let readable = 0;
  for (let round = 0; round < 50_000; round++) {
    const text = damage(ISO_SAMPLES[round % ISO_SAMPLES.length]!, alphabet, random);
    const time = parseIso(text);
    assertAgrees(text, time);
    if (!Number.isNaN(time)) readable++;
  }
  assert(readable > 1_500, "enough dates are readable for a comparison");
});

Deno.test("parseMailBytes() reads common spellings of RFC 822", () => {
  assertParses(parseMail, {
    "Sat, 01 Jan 2005 10:20:30 GMT": "2005-01-01T10:20:30Z",
    "Sat, 01 Jan 2005 10:20:30 +0230": "2005-01-01T07:50:30Z",
    "Wed, 31 Dec 1969 23:59:59 -0001": "1970-01-01T00:00:59Z",
    "Tue, 29 Feb 2000 00:00:00 GMT": "2000-02-29T00:00:00Z",
    "Mon, 01 Jan 2005 10:20:30 GMT": "2005-01-01T10:20:30Z",
    "Sat, 1 Jan 2005 10:20:30 GMT": "2005-01-01T10:20:30Z",
    "Sat, 1 Jan 2005 10:20 +0200": "2005-01-01T08:20:00Z",
    "Sat, 01 Jan 2005 10:20:30": "2005-01-01T10:20:30Z",
    "Sat, 01 Jan 2005 10:20": "2005-01-01T10:20:00Z",
    "01 Jan 2005 10:20:30 GMT": "2005-01-01T10:20:30Z",
    "1 Jan 2005 10:20": "2005-01-01T10:20:00Z",
    "SAT, 01 JAN 2005 10:20:30 GMT": "2005-01-01T10:20:30Z",
    "Sat, 01 Jan 2005 10:20:30 +02:00": "2005-01-01T08:20:30Z",
  });
});

Deno.test("parseMailBytes() reads all weekdays", () => {
  for (const weekday of ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]) {
    assertEquals(parseMail(`${weekday}, 1 Jan 2005 00:00 GMT`), Date.UTC(2005, 0, 1), weekday);
  }
});

Deno.test("parseMailBytes() accepts the days that readDate() accepts", () => {
  const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
  for (
    const year of [0, 1, 4, 99, 100, 400, 1899, 1900, 1969, 1970, 2000, 2023, 2024, 2100, 9999]
  ) {
    for (const month of months) {
      for (const day of ["00", "0", "01", "1", "28", "29", "30", "31", "32", "99"]) {
        const text = `Mon, ${day} ${month} ${String(year).padStart(4, "0")} 01:02:03 GMT`;
        assertEquals([text, parseMail(text)], [text, parseDate(text)]);
      }
    }
  }
});

Deno.test("parseMailBytes() reads damaged dates as readDate() does, or not at all", () => {
  for (const text of MAIL_SAMPLES) {
    for (let at = 0; at < text.length; at++) {
      for (let code = 0x20; code < 0x80; code++) {
        const changed = text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1);
        assertAgrees(changed, parseMail(changed));
      }
    }
  }
  const random = seeded(822);
  const alphabet = "0123456789 :.,+-()JanFebSatMSTGMTZ";
  let readable = 0;
  for (let round = 0; round < 50_000; round++) {
    const text = damage(MAIL_SAMPLES[round % MAIL_SAMPLES.length]!, alphabet, random);
    const time = parseMail(text);
    assertAgrees(text, time);
    if (!Number.isNaN(time)) readable++;
  }
  assert(readable > 1_500, "enough dates are readable for a comparison");
});

Deno.test("parseIsoBytes() and parseMailBytes() reject bytes beyond ASCII and control bytes", () => {
  for (const text of [...ISO_SAMPLES, ...MAIL_SAMPLES]) {
    for (let at = 0; at < text.length; at++) {
      const { buffer } = encoder.encode(text);
      const view = new DataView(buffer);
      const code = view.getUint8(at);
      for (const other of [code | 0x80, code & 0x1f]) {
        view.setUint8(at, other);
        assertEquals(parseIsoBytes(view, 0, text.length), NaN, `byte ${at} of ${text}`);
        assertEquals(parseMailBytes(view, 0, text.length), NaN, `byte ${at} of ${text}`);
      }
    }
  }
});

Deno.test("parseIsoBytes() rejects dates that do not exist, garbage and other formats", () => {
  const dates = [
    "",
    "2005",
    "2005-01",
    "20050101",
    "2005-01-0",
    "2005-1-",
    "2005--15",
    "2005-1/15",
    "2005-1-5Z",
    "2005-1-5x",
    "2005-13-1",
    "2005-2-30",
    "2005-115",
    "2005-1-5 ",
    "0000-1-5",
    "2005-01/01",
    "2005/01-01",
    "2005.01.01",
    " 2005-01-01",
    "2005-01-01 ",
    "0000-01-01",
    "2005-00-01",
    "2005-13-01",
    "2005/13/01",
    "2005-01-00",
    "2005-02-29",
    "2005-04-31",
    "20O5-01-01",
    "2005-0a-01",
    "2005-01-:1",
    "2005-01-01x",
    "2005-01-01T",
    "2005-01-01T10",
    "2005-01-01T10:2",
    "2005-01-01T10:20:",
    "2005-01-01T10:20:3",
    "2005-01-01T10-20-30",
    "2005-01-01T10:20.5",
    "2005-01-01T24:00:00",
    "2005-01-01T10:60:00",
    "2005-01-01T10:20:60",
    "2005-01-01T10:20:30.",
    "2005-01-01T10:20:30.Z",
    "2005-01-01T10:20:30,5",
    "2005-01-01T10:20:30 ",
    "2005-01-01T10:20:30+",
    "2005-01-01T10:20:30+0",
    "2005-01-01T10:20:30+020",
    "2005-01-01T10:20:30+02:",
    "2005-01-01T10:20:30+02:0",
    "2005-01-01T10:20:30+02.00",
    "2005-01-01T10:20:30*02:00",
    "2005-01-01T10:20:30+24:00",
    "2005-01-01T10:20:30+02:60",
    "2005-01-01T10:20:30+02:00x",
    "2005-01-01T10:20:30+02:00 ",
    "2005-01-01T10:20:30+02:00UTC",
    "2005-01-01T10:20:30+02:00 (",
    "2005-01-01T10:20:30+02:00 ()",
    "2005-01-01T10:20:30+02:00 (UTC",
    "2005-01-01T10:20:30+02:00 UTC)",
    "2005-01-01T10:20:30+02:00 XYZ",
    "2005-01-01T10:20:30 XYZ",
    "2005-01-01T10:20:30Zfoo",
    "2005-01-01+25:00",
    "2005-01-01 foo",
    `2005-01-01T10:20:30.${"1".repeat(81)}`,
  ];
  for (const date of dates) assertEquals([date, parseIso(date)], [date, NaN]);
});

Deno.test("parseMailBytes() rejects dates that do not exist, garbage and other formats", () => {
  const dates = [
    "",
    "1 Jan 2005",
    "Sat, 01 Jan 2005",
    "Sat, 01 Jan 05 10:20:30 GMT",
    "Saturday, 01 Jan 2005 10:20:30 GMT",
    "Xyz, 01 Jan 2005 10:20:30 GMT",
    "Sat; 01 Jan 2005 10:20:30 GMT",
    "Sat,01 Jan 2005 10:20:30 GMT",
    "Sat,-01 Jan 2005 10:20:30 GMT",
    "Sat,  1 Jan 2005 10:20:30 GMT",
    "Sat, 001 Jan 2005 10:20:30 GMT",
    "Sat, 01-Jan 2005 10:20:30 GMT",
    "Sat, 01 Jan-2005 10:20:30 GMT",
    "Sat, 01 Jin 2005 10:20:30 GMT",
    "Sat, 01 Jan 2005T10:20:30 GMT",
    "Sat, 01 Jan 2005 7:20:30 GMT",
    "Sat, 01 Jan 2005 10.20:30 GMT",
    "Sat, 01 Jan 2005 10:20.30 GMT",
    "Sat, 01 Jan 2005 10:20:30-GMT",
    "Sat, 01 Jan 2005 10:20:30-+0200",
    "Sat, 01 Jan 2005 10:20:30Z GMT0",
    "Sat, 01 Jan 2005 10:20:30 GMT foo",
    "Sat, 01 Jan 2005 10:20:30 XYZ",
    "Sat, 01 Jan 2005 10:20:30 +0530 IST",
    "Sat, 0: Jan 2005 10:20:30 GMT",
    "Sat, 0 Jan 2005 10:20:30 GMT",
    "Sat, 01 Jan 2005 24:00:00 GMT",
    "Sat, 01 Jan 2005 10:60:30 GMT",
    "Sat, 01 Jan 2005 10:20:60 GMT",
    "Sat, 01 Jan 2005 10:20:30 +2400",
    "Sat, 01 Jan 2005 10:20:30 +0060",
    "Sat, 01 Jan 2005 10:20:30 *0000",
    "2005-01-01T10:20:30.000000+00",
    `Sat, 01 Jan 2005 10:20:30.${"1".repeat(80)}`,
  ];
  for (const date of dates) assertEquals([date, parseMail(date)], [date, NaN]);
  const view = new DataView(encoder.encode("Sat, 01 Jan 2005 10:20:30 GMT").buffer);
  assertEquals(parseMailBytes(view, 2, 31), NaN, "beyond the end of the view");
});
