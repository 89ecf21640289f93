import { assert, assertEquals, assertNotEquals } from "@std/assert";
import fc from "../support/fast_check.ts";
import { CONTROL, randomKey, REFERENCE, ValueScan, WIDE } from "../../src/bytes/value_scan.ts";
import { bytesOf, concatenated } from "./read_all.ts";

const KEY = [1, 2] as const;

/** Text with all bytes that set a flag, and their neighbours. */
const TEXT = fc.array(
  fc.oneof(
    {
      weight: 8,
      arbitrary: fc.string({ unit: fc.constantFrom(..."ab/:.-%'(=>?@ ~"), maxLength: 9 }),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom("https://site.test/", "page", "\x7f", " ", "%", "'", ";"),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom("&", "\n", "\0", "\x1f", "\t", "é", "日本", "😀", "\x80"),
    },
  ),
  { maxLength: 12 },
).map((pieces) => pieces.join(""));

function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

/** Bytes and the string that has them, as those of a window. */
function windowOf(bytes: Uint8Array): { readonly view: DataView; readonly text: string } {
  return { view: viewOf(bytes), text: String.fromCharCode(...bytes) };
}

/** Flags of a text without references. */
function literalFlagsOf(text: string): number {
  // deno-lint-ignore no-control-regex -- what the flag is about
  return (/[\0-\x1f]/.test(text) ? CONTROL : 0) | (/[^\0-\x7f]/.test(text) ? WIDE : 0);
}

function flagsOf(text: string): number {
  return literalFlagsOf(text) | (text.includes("&") ? REFERENCE : 0);
}

interface Scanned {
  readonly high: number;
  readonly low: number;
  readonly flags: number;
}

function resultOf({ high, low, flags }: ValueScan): Scanned {
  return { high, low, flags };
}

function scanText(text: string, key: readonly [number, number] = KEY): Scanned {
  const scan = new ValueScan(key);
  scan.text(text);
  return resultOf(scan);
}

Deno.test("ValueScan hashes a text and its bytes at any offset alike", () => {
  fc.assert(
    fc.property(TEXT, fc.nat(9), (text, offset) => {
      const bytes = bytesOf(text);
      const expected = scanText(text);
      assertEquals(expected.flags, literalFlagsOf(text));
      // bytes around the range would set other flags
      const padded = concatenated(new Uint8Array(offset).fill(0x26), bytes, [0x26, 1, 0xff, 0x3c]);
      const end = offset + bytes.length;
      const scan = new ValueScan(KEY);
      scan.range(viewOf(padded), offset, end);
      assertEquals([resultOf(scan), scan.end], [expected, end]);
      assertEquals(scan.flagsOf(viewOf(padded), offset, end), flagsOf(text));
    }),
    { numRuns: 3000 },
  );
});

/** Spellings of characters of an address, at random. */
const ESCAPED = fc.array(
  fc.tuple(
    fc.constantFrom("a", "bcd", "/path", "&", "<", "é", "&".repeat(3)),
    fc.constantFrom("name", "decimal", "hex", "padded", "none"),
  ),
  { maxLength: 20 },
).map((parts) => ({
  text: parts.map(([text]) => text).join(""),
  written: parts.map(([text, spelling]) => text.replaceAll(/[&<]/g, (c) => spelled(c, spelling)))
    .join(""),
}));

function spelled(character: string, spelling: string): string {
  const code = character.charCodeAt(0);
  if (spelling === "decimal") return `&#${code};`;
  if (spelling === "hex") return `&#x${code.toString(16)};`;
  if (spelling === "padded") return `&#0${code};`;
  return character === "&" ? "&amp;" : "&lt;";
}

Deno.test("ValueScan hashes references as the characters that they mean", () => {
  fc.assert(
    fc.property(ESCAPED, fc.nat(9), fc.boolean(), ({ text, written }, offset, hasPrefix) => {
      const bytes = bytesOf(`${"<".repeat(offset)}http://a/${written}</loc>\n</url>`);
      const window = windowOf(bytes), end = bytes.length - "</loc>\n</url>".length;
      const { high, low } = scanText(`http://a/${text}`);
      const scan = new ValueScan(KEY);
      if (hasPrefix) scan.expect(scan.hashPrefix("http://a/"));
      scan.escapedRange(window, offset, end);
      assertEquals([scan.high, scan.low, scan.flags], [high, low, flagsOf(written)]);
      assert(scan.toTag(window, offset, true));
      assertEquals([scan.high, scan.low, scan.flags], [high, low, flagsOf(written)]);
      assertEquals([scan.start, scan.end, scan.tag], [offset, end, end]);
      const written8 = window.text.slice(offset, end);
      assertEquals(
        scan.offsets.slice(0, scan.references),
        [...written8.matchAll(/&/g)].map(({ index }) => offset + index),
      );
    }),
    { numRuns: 3000 },
  );
});

Deno.test("ValueScan.toTag() scans up to the next <, wherever the value begins and ends", () => {
  fc.assert(
    fc.property(TEXT, fc.nat(9), TEXT, (text, offset, behind) => {
      const bytes = bytesOf(text);
      const scan = new ValueScan(KEY);
      const before = new Uint8Array(offset).fill(0x3c);
      const window = windowOf(concatenated(before, bytes, bytesOf(`<${behind}`)));
      const tag = offset + bytes.length;
      assert(scan.toTag(window, offset, false));
      assertEquals([scan.flags, scan.start, scan.end, scan.tag], [flagsOf(text), offset, tag, tag]);

      // an address begins and ends without white space, unless there is some inside it
      const start = offset + /^[ \t\r\n]*/.exec(text)![0].length;
      const trimmed = text.slice(start - offset).replace(/[ \t\r\n]+$/, "");
      const hasInner = /[\0-\x20]/.test(trimmed);
      const address = hasInner ? text.slice(start - offset) : trimmed;
      assert(scan.toTag(window, offset, true));
      assertEquals([scan.start, scan.tag], [start, tag]);
      assertEquals(scan.end, start + bytesOf(address).length);
      assertEquals(resultOf(scan), { ...scanText(address), flags: flagsOf(address) });
      assertEquals(scan.prefix, undefined);
      const endless = windowOf(concatenated(before, bytes));
      assertEquals(scan.toTag(endless, offset, true), false);
      assertEquals(scan.toTag(endless, offset, false), false);
    }),
    { numRuns: 3000 },
  );
});

Deno.test("ValueScan.toTag() finds a < at every offset of a word, next to bytes that resemble it", () => {
  for (const filler of [0x3b, 0x3d, 0x00, 0xbc, 0x7f]) {
    for (let length = 0; length < 40; length++) {
      for (let offset = 0; offset < 8; offset++) {
        const bytes = new Uint8Array(offset + length + 20).fill(filler);
        bytes[offset + length] = 0x3c;
        bytes[offset + length + 3] = 0x3c;
        const scan = new ValueScan(KEY);
        const cut = bytes.subarray(0, offset + length + 1);
        for (const isHashed of [true, false]) {
          assert(scan.toTag(windowOf(bytes), offset, isHashed));
          assertEquals(scan.tag, offset + length);
          assert(scan.toTag(windowOf(cut), offset, isHashed), "the < is the last byte");
          assertEquals(scan.tag, offset + length);
        }
      }
    }
  }
});

Deno.test("an expected prefix changes neither hash nor flags nor end", () => {
  const prefixes = ["https://site.test/", "https://s.test/", "http://a", "https://bücher.test/"];
  fc.assert(
    fc.property(
      fc.constantFrom(...prefixes),
      fc.constantFrom(...prefixes, "https://site.tesT/", ""),
      TEXT,
      fc.nat(9),
      (expected, actual, rest, offset) => {
        const text = actual + rest;
        const bytes = bytesOf(text);
        const view = viewOf(concatenated(new Uint8Array(offset), bytes, bytesOf("</loc></url>")));
        const scan = new ValueScan(KEY);
        scan.expect(scan.hashPrefix(expected));
        scan.range(view, offset, offset + bytes.length);
        assertEquals([resultOf(scan), scan.end], [scanText(text), offset + bytes.length]);
        assertEquals(scan.prefix?.text, text.startsWith(expected) ? expected : undefined);
      },
    ),
    { numRuns: 3000 },
  );
});

Deno.test("an expected prefix is recognised only where all of it is there", () => {
  const text = "https://site.test/abc";
  const scan = new ValueScan(KEY);
  const prefix = scan.hashPrefix(text);
  const bytes = bytesOf(`${text}<`);
  assertEquals(prefix.isAt(viewOf(bytes), 0), true);
  assertEquals(prefix.isAt(viewOf(bytes), 1), false);
  for (let at = 0; at < text.length; at++) {
    assertEquals(prefix.isAt(viewOf(bytes.subarray(0, at)), 0), false, `of ${at} bytes`);
    const other = bytes.slice();
    other[at] = other[at]! ^ 1;
    assertEquals(prefix.isAt(viewOf(other), 0), false, `another byte at ${at}`);
  }
});

Deno.test("ValueScan hashes by its key, which is random", () => {
  assertEquals(scanText("https://site.test/", [3, 4]), scanText("https://site.test/", [3, 4]));
  assertNotEquals(scanText("https://site.test/", [3, 4]), scanText("https://site.test/", [3, 5]));
  assertNotEquals(scanText("a", [3, 4]), scanText("a", [5, 4]));
  assertNotEquals(randomKey(), randomKey());
});

Deno.test("ValueScan hashes text of any length, and lone surrogates as U+FFFD", () => {
  const scan = new ValueScan(KEY);
  for (const text of ["x".repeat(70_000), "é".repeat(70_000), "a\ud800b", "é\udc00"]) {
    const bytes = bytesOf(text);
    scan.range(viewOf(bytes), 0, bytes.length);
    assertEquals(resultOf(scan), scanText(text), text.slice(0, 5));
  }
});

Deno.test("ValueScan hashes as HalfSipHash-1-3 with 64 bits does", () => {
  const bytes = fc.uint8Array({ max: 0x7f, maxLength: 100 });
  fc.assert(
    fc.property(bytes, fc.integer(), fc.integer(), (bytes, k0, k1) => {
      const scan = new ValueScan([k0, k1]);
      scan.range(viewOf(bytes), 0, bytes.length);
      assertEquals([scan.high, scan.low], halfSipHash(bytes, k0, k1));
    }),
    { numRuns: 2000 },
  );
});

/** The reference, by its description: words in little-endian order, one round each, then three. */
function halfSipHash(bytes: Uint8Array, k0: number, k1: number): [number, number] {
  const v = [k0, k1 ^ 0xee, 0x6c796765 ^ k0, 0x74656462 ^ k1];
  const rotated = (value: number, by: number) => value << by | value >>> 32 - by;
  const round = () => {
    v[0] = v[0]! + v[1]! | 0;
    v[1] = rotated(v[1]!, 5) ^ v[0]!;
    v[0] = rotated(v[0]!, 16);
    v[2] = v[2]! + v[3]! | 0;
    v[3] = rotated(v[3]!, 8) ^ v[2]!;
    v[0] = v[0]! + v[3]! | 0;
    v[3] = rotated(v[3]!, 7) ^ v[0]!;
    v[2] = v[2]! + v[1]! | 0;
    v[1] = rotated(v[1]!, 13) ^ v[2]!;
    v[2] = rotated(v[2]!, 16);
  };
  const padded = new Uint8Array((bytes.length & -4) + 4);
  padded.set(bytes);
  padded[padded.length - 1] = bytes.length;
  for (let at = 0; at < padded.length; at += 4) {
    const word = new DataView(padded.buffer).getInt32(at, true);
    v[3]! ^= word;
    round();
    v[0]! ^= word;
  }
  v[2]! ^= 0xee;
  for (let turn = 0; turn < 3; turn++) round();
  const high = v[1]! ^ v[3]!;
  v[1]! ^= 0xdd;
  for (let turn = 0; turn < 3; turn++) round();
  return [high, v[1]! ^ v[3]!];
}
