import { assertEquals } from "@std/assert";
import { parseDate } from "../src/date.ts";
import { parseIsoBytes, parseMailBytes } from "../src/date_bytes.ts";

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
    // parseDate() reads small letters by its patterns, not by bytes
    const small = parseDate(text.toLowerCase());
    if (fast !== small) assertEquals([text, fast], [text, small]);
  }
  // otherwise the test would show nothing
  assertEquals(read > 5_000, true);
});

/** Reads a date from among other bytes. */
function parseMail(text: string): number {
  const bytes = encoder.encode(`00${text}00`);
  return parseMailBytes(new DataView(bytes.buffer), 2, 2 + text.length);
}

/** Reads a date by the patterns of `parseDate()`: with a comment behind it, it is no common form. */
function parsedByPattern(text: string): number {
  return parseDate(`${text} ()`);
}

Deno.test("parseMailBytes() reads dates as mail writes them", () => {
  assertEquals(parseMail("Sat, 01 Jan 2005 10:20:30 GMT"), Date.UTC(2005, 0, 1, 10, 20, 30));
  assertEquals(parseMail("Sat, 01 Jan 2005 10:20:30 +0230"), Date.UTC(2005, 0, 1, 7, 50, 30));
  assertEquals(parseMail("Wed, 31 Dec 1969 23:59:59 -0001"), 59_000);
  assertEquals(parseMail("Tue, 29 Feb 2000 00:00:00 GMT"), Date.UTC(2000, 1, 29));
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
        assertEquals(parseMail(text), parseDate(text), text);
        assertEquals(parseMail(text), parsedByPattern(text), text);
      }
    }
  }
});

Deno.test("parseMailBytes() reads nothing that parseDate() reads otherwise", () => {
  for (const text of ["Sat, 01 Jan 2005 10:20:30 GMT", "Fri, 09 Sep 2011 23:59:59 +1359"]) {
    for (let at = 0; at < text.length; at++) {
      for (let code = 0x20; code < 0x80; code++) {
        const changed = text.slice(0, at) + String.fromCharCode(code) + text.slice(at + 1);
        const time = parseMail(changed);
        if (time === time) assertEquals(time, parseDate(changed), changed);
        if (time === time) assertEquals(time, parsedByPattern(changed), changed);
      }
    }
  }
});

Deno.test("parseMailBytes() takes no byte beyond ASCII for another", () => {
  for (const text of ["Sat, 01 Jan 2005 10:20:30 GMT", "Fri, 09 Sep 2011 23:59:59 +1359"]) {
    for (let at = 0; at < text.length; at++) {
      const bytes = encoder.encode(text);
      bytes[at]! |= 0x80;
      assertEquals(parseMailBytes(new DataView(bytes.buffer), 0, text.length), NaN, `byte ${at}`);
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
    "Sat; 01 Jan 2005 10:20:30 GMT",
    "Sat,-01 Jan 2005 10:20:30 GMT",
    "Sat, 01-Jan 2005 10:20:30 GMT",
    "Sat, 01 Jan-2005 10:20:30 GMT",
    "Sat, 01 Jan 2005T10:20:30 GMT",
    "Sat, 01 Jan 2005 10.20:30 GMT",
    "Sat, 01 Jan 2005 10:20.30 GMT",
    "Sat, 01 Jan 2005 10:20:30-GMT",
    "Sat, 01 Jan 2005 10:20:30-+0200",
    "Sat, 01 Jan 2005 10:20:30Z GMT0",
    "Sat, 0: Jan 2005 10:20:30 GMT",
    "Sat, 01 Jan 2005 24:00:00 GMT",
    "Sat, 01 Jan 2005 10:60:30 GMT",
    "Sat, 01 Jan 2005 10:20:60 GMT",
    "Sat, 01 Jan 2005 10:20:30 +2400",
    "Sat, 01 Jan 2005 10:20:30 +0060",
    "Sat, 01 Jan 2005 10:20:30 *0000",
    "2005-01-01T10:20:30.000000+00",
  ];
  for (const text of others) assertEquals(parseMail(text), NaN, text);
  const short = encoder.encode("Sat, 01 Jan 2005 10:20:30 GMT");
  assertEquals(
    parseMailBytes(new DataView(short.buffer), 2, 31),
    NaN,
    "behind the end of the bytes",
  );
});
