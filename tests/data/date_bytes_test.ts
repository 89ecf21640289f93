import { assert, assertEquals } from "@std/assert";
import { readDate, timeOfDate } from "../../src/data/date.ts";
import { readIsoBytes, readMailBytes } from "../../src/data/date_bytes.ts";
import { DAY } from "../../src/data/calendar.ts";
import { Random } from "../support/random.ts";

const encoder = new TextEncoder();

/** Reads a date that is surrounded by other bytes, as in a document. */
function readWith(read: typeof readIsoBytes, text: string): string {
  const view = new DataView(encoder.encode(`>0${text}0<`).buffer);
  return read(view, 2, view.byteLength - 2);
}

function readIso(text: string): string {
  return readWith(readIsoBytes, text);
}

function readMail(text: string): string {
  return readWith(readMailBytes, text);
}

/** Checks that a date is read as `readDate()` reads it, or left to that. */
function assertAgrees(text: string, date: string): void {
  if (date !== "" && date !== readDate(text)) assertEquals([text, date], [text, readDate(text)]);
}

function assertReads(
  read: (text: string) => string,
  expected: Readonly<Record<string, string>>,
): void {
  for (const [text, date] of Object.entries(expected)) {
    assertEquals([text, read(text)], [text, date]);
    assertEquals([text, readDate(text)], [text, date]);
  }
}

/** Replaces, inserts or removes one or two characters; mostly replaces. */
function damage(text: string, alphabet: string, random: Random): string {
  const characters = [...text];
  for (let changes = 1 + random.below(2); changes > 0; changes--) {
    const at = random.below(characters.length);
    const character = random.pick([...alphabet]);
    const removed = random.fraction() < 0.9 ? 1 : 0;
    characters.splice(at, removed, ...(random.fraction() < 0.95 ? [character] : []));
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

Deno.test("readIsoBytes() reads the common formats", () => {
  assertReads(readIso, {
    "2005-01-02": "2005-01-02",
    "2005-01-02 GMT": "2005-01-02",
    "2005-01-02+02:00": "2005-01-01T22:00:00.000Z",
    "2005/01/01 +14": "2004-12-31T10:00:00.000Z",
    "2005-01-02T10:20": "2005-01-02T10:20:00.000Z",
    "2005-01-02T10:20:30Z": "2005-01-02T10:20:30.000Z",
    "2005-01-02T10:20:30.123456789Z": "2005-01-02T10:20:30.123Z",
    "2005-01-02T10:20:30-02": "2005-01-02T12:20:30.000Z",
    "2005-01-02T10:20:30.05-03:30": "2005-01-02T13:50:30.050Z",
    "2005-01-02 10:20:30 +0200": "2005-01-02T08:20:30.000Z",
  });
});

Deno.test("readIsoBytes() does not read beyond its end or the end of the view", () => {
  const view = new DataView(encoder.encode("2005-01-01T10:20:30.5+02:00").buffer);
  assertEquals(readIsoBytes(view, 0, 40), "");
  assertEquals(readIsoBytes(view, 12, 22), "");
  assertEquals(readIsoBytes(view, 0, 10), "2005-01-01");
  assertEquals(readIsoBytes(view, 0, 16), "2005-01-01T10:20:00.000Z");
  assertEquals(readIsoBytes(view, 0, 19), "2005-01-01T10:20:30.000Z");
  assertEquals(readIsoBytes(view, 0, 24), "2005-01-01T08:20:30.500Z");
  for (const text of [...ISO_SAMPLES, ...MAIL_SAMPLES]) {
    const bytes = encoder.encode(text);
    for (let end = 0; end <= bytes.length; end++) {
      // a read beyond the end throws
      const view = new DataView(bytes.slice(0, end).buffer);
      assertAgrees(text.slice(0, end), readIsoBytes(view, 0, end));
      assertAgrees(text.slice(0, end), readMailBytes(view, 0, end));
    }
  }
});

Deno.test("readDate() and readIsoBytes() agree with Date on every day of 800 years", () => {
  for (let time = Date.UTC(1600, 0, 1); time < Date.UTC(2400, 0, 1); time += DAY) {
    const text = new Date(time).toISOString().slice(0, 10);
    if (readIso(text) !== text) assertEquals(readIso(text), text);
    if (timeOfDate(text) !== time) assertEquals([text, timeOfDate(text)], [text, time]);
    // patterns are slow; 97 has no factor in common with months and leap cycles
    if (time / DAY % 97 === 0) assertEquals(readDate(text), text);
  }
});

Deno.test("readDate() and readIsoBytes() agree with Date on well-formed ISO dates", () => {
  const random = new Random(2005);
  const last = Date.parse("9999-12-31T23:59:59Z");
  const first = Date.parse("0001-01-01T00:00:00Z");
  for (let round = 0; round < 20_000; round++) {
    const time = Math.floor(first + random.fraction() * (last - first));
    const iso = new Date(time).toISOString();
    const zone = ["Z", "+02:00", "-11:30", "+23:59"][round % 4]!;
    const length = random.pick([16, 19, 21, 22, 23]);
    const text = iso.slice(0, length) + zone;
    const expected = new Date(text).toISOString();
    assertEquals([text, readDate(text), readIso(text)], [text, expected, expected]);
  }
});

/** Readers with dates that they read, the characters in them, and a seed. */
const READERS = [
  ["readIsoBytes", readIso, ISO_SAMPLES, "01234567890123456789-:.TZ+ tz,W/()MSTxyz", 1970],
  ["readMailBytes", readMail, MAIL_SAMPLES, "0123456789 :.,+-()JanFebSatMSTGMTZ", 822],
] as const;

for (const [name, read, samples, alphabet, seed] of READERS) {
  Deno.test(`${name}() reads damaged dates as readDate() does, or not at all`, () => {
    const random = new Random(seed);
    let readable = 0;
    for (let round = 0; round < 50_000; round++) {
      const text = damage(samples[round % samples.length]!, alphabet, random);
      const date = read(text);
      assertAgrees(text, date);
      if (date !== "") readable++;
    }
    assert(readable > 1_500, "enough dates are readable for a comparison");
  });
}

Deno.test("readMailBytes() reads common spellings of RFC 822", () => {
  assertReads(readMail, {
    "Sat, 01 Jan 2005 10:20:30 GMT": "2005-01-01T10:20:30.000Z",
    "Sat, 01 Jan 2005 10:20:30 +0230": "2005-01-01T07:50:30.000Z",
    "Wed, 31 Dec 1969 23:59:59 -0001": "1970-01-01T00:00:59.000Z",
    "Sat, 1 Jan 2005 10:20 +0200": "2005-01-01T08:20:00.000Z",
    "1 Jan 2005 10:20": "2005-01-01T10:20:00.000Z",
    "SAT, 01 JAN 2005 10:20:30 GMT": "2005-01-01T10:20:30.000Z",
    "Sat, 01 Jan 2005 10:20:30 +02:00": "2005-01-01T08:20:30.000Z",
  });
});

Deno.test("readMailBytes() reads all weekdays", () => {
  for (const weekday of ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"]) {
    assertEquals(readMail(`${weekday}, 1 Jan 2005 00:00 GMT`), "2005-01-01T00:00:00.000Z", weekday);
  }
});

Deno.test("readMailBytes() accepts the days that readDate() accepts", () => {
  const months = "Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec".split(" ");
  for (
    const year of [0, 1, 4, 99, 100, 400, 1899, 1900, 1969, 1970, 2000, 2023, 2024, 2100, 9999]
  ) {
    for (const month of months) {
      for (const day of ["00", "0", "01", "1", "28", "29", "30", "31", "32", "99"]) {
        const text = `Mon, ${day} ${month} ${String(year).padStart(4, "0")} 01:02:03 GMT`;
        assertEquals([text, readMail(text)], [text, readDate(text) ?? ""]);
      }
    }
  }
});

Deno.test("readMailBytes() reads dates with another character anywhere as readDate() does", () => {
  for (const text of MAIL_SAMPLES) {
    for (let at = 0; at < text.length; at++) {
      for (let code = 0x20; code < 0x80; code++) {
        const changed = text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1);
        assertAgrees(changed, readMail(changed));
      }
    }
  }
});

Deno.test("readIsoBytes() and readMailBytes() reject bytes beyond ASCII and control bytes", () => {
  for (const text of [...ISO_SAMPLES, ...MAIL_SAMPLES]) {
    for (let at = 0; at < text.length; at++) {
      const { buffer } = encoder.encode(text);
      const view = new DataView(buffer);
      const code = view.getUint8(at);
      for (const other of [code | 0x80, code & 0x1f]) {
        view.setUint8(at, other);
        assertEquals(readIsoBytes(view, 0, text.length), "", `byte ${at} of ${text}`);
        assertEquals(readMailBytes(view, 0, text.length), "", `byte ${at} of ${text}`);
      }
    }
  }
});

Deno.test("readIsoBytes() and readMailBytes() reject dates that do not exist or are too long", () => {
  const dates = [
    ...["2005-01", "2005-13-01", "2005-01-01T10:20:30+24:00", "Sat, 01 Jan 2005 10:20:30 +2400"],
    ...["2005-01-01T10:20:30.", "Sat, 01 Jan 2005 10:20:30."].map((time) => time + "1".repeat(81)),
  ];
  for (const date of dates) {
    assertEquals([date, readIso(date), readMail(date)], [date, "", ""]);
  }
});
