import { assert, assertEquals, assertNotEquals } from "@std/assert";
import fc from "fast-check";
import { CONTROL, randomSeed, REFERENCE, ValueScan, WIDE } from "../../src/bytes/value_scan.ts";
import { bytesOf, concatenated } from "./read_all.ts";

const SEED = [1, 2] as const;

/** Text with everything that sets a flag, and a good deal that is next to it. */
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

function flagsOf(text: string): number {
  // deno-lint-ignore no-control-regex -- what the flag is about
  return (text.includes("&") ? REFERENCE : 0) | (/[\0-\x1f]/.test(text) ? CONTROL : 0) |
    (/[^\0-\x7f]/.test(text) ? WIDE : 0);
}

interface Scanned {
  readonly high: number;
  readonly low: number;
  readonly flags: number;
}

function resultOf({ high, low, flags }: ValueScan): Scanned {
  return { high, low, flags };
}

function scanText(text: string, seed: readonly [number, number] = SEED): Scanned {
  const scan = new ValueScan(seed);
  scan.text(text);
  return resultOf(scan);
}

Deno.test("ValueScan hashes a text, its bytes at any offset and its pieces alike", () => {
  fc.assert(
    fc.property(
      TEXT,
      fc.nat(9),
      fc.array(fc.integer({ min: 1, max: 9 })),
      (text, offset, sizes) => {
        const bytes = bytesOf(text);
        const scan = new ValueScan(SEED);
        scan.text(text);
        const expected = resultOf(scan);
        assertEquals(expected.flags, flagsOf(text));
        // bytes around the range would set other flags
        const padded = concatenated(new Uint8Array(offset).fill(0x26), bytes, [
          0x26,
          1,
          0xff,
          0x3c,
        ]);
        scan.range(viewOf(padded), offset, offset + bytes.length);
        assertEquals([resultOf(scan), scan.end], [expected, offset + bytes.length]);
        assertEquals(scan.flagsOf(viewOf(padded), offset, offset + bytes.length), expected.flags);

        scan.begin();
        let at = 0;
        for (const size of sizes) {
          const end = Math.min(bytes.length, at + size);
          scan.add(bytes, at, end);
          at = end;
        }
        for (; at < bytes.length; at++) scan.addByte(bytes[at]!);
        scan.finish();
        assertEquals(resultOf(scan), expected);
      },
    ),
    { numRuns: 3000 },
  );
});

Deno.test("ValueScan.toTag() scans up to the next <, wherever the value begins and ends", () => {
  fc.assert(
    fc.property(TEXT, fc.nat(9), TEXT, (text, offset, behind) => {
      const bytes = bytesOf(text);
      const scan = new ValueScan(SEED);
      const start = new Uint8Array(offset).fill(0x3c);
      const view = viewOf(concatenated(start, bytes, bytesOf(`<${behind}`)));
      assert(scan.toTag(view, offset));
      assertEquals(scan.end, offset + bytes.length);
      assertEquals(resultOf(scan), scanText(text));
      assertEquals(scan.prefix, undefined);
      const endless = viewOf(concatenated(start, bytes));
      assertEquals(scan.toTag(endless, offset), false);
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
        const scan = new ValueScan(SEED);
        assert(scan.toTag(viewOf(bytes), offset));
        assertEquals(scan.end, offset + length);
        const cut = bytes.subarray(0, offset + length + 1);
        assert(scan.toTag(viewOf(cut), offset), "the < is the last byte");
        assertEquals(scan.end, offset + length);
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
        const scan = new ValueScan(SEED);
        scan.expect(scan.hashPrefix(expected));
        assert(scan.toTag(view, offset));
        assertEquals([resultOf(scan), scan.end], [scanText(text), offset + bytes.length]);
        assertEquals(scan.prefix?.text, text.startsWith(expected) ? expected : undefined);
        scan.range(view, offset, offset + bytes.length);
        assertEquals([resultOf(scan), scan.prefix], [scanText(text), undefined]);
      },
    ),
    { numRuns: 3000 },
  );
});

Deno.test("an expected prefix is recognised only where all of it is there", () => {
  const text = "https://site.test/abc";
  const scan = new ValueScan(SEED);
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

Deno.test("ValueScan gives values that differ in one byte or in length other hashes", () => {
  for (let length = 0; length < 40; length++) {
    const hashes = new Set<string>();
    const add = (text: string) => {
      const { high, low } = scanText(text);
      hashes.add(`${high}:${low}`);
    };
    add("a".repeat(length));
    add("a".repeat(length + 1));
    add("\0".repeat(length + 1));
    for (let at = 0; at < length; at++) add("a".repeat(at) + "b" + "a".repeat(length - at - 1));
    assertEquals(hashes.size, length + 3, `of ${length} bytes`);
  }
});

Deno.test("ValueScan hashes by its seed, which is random", () => {
  assertEquals(scanText("https://site.test/", [3, 4]), scanText("https://site.test/", [3, 4]));
  assertNotEquals(scanText("https://site.test/", [3, 4]), scanText("https://site.test/", [3, 5]));
  assertNotEquals(scanText("a", [3, 4]), scanText("a", [5, 4]));
  assertNotEquals(randomSeed(), randomSeed());
});

Deno.test("ValueScan hashes text of any length, and lone surrogates as U+FFFD", () => {
  const scan = new ValueScan(SEED);
  for (const text of ["x".repeat(70_000), "é".repeat(70_000), "a\ud800b", "é\udc00"]) {
    const bytes = bytesOf(text);
    scan.range(viewOf(bytes), 0, bytes.length);
    assertEquals(resultOf(scan), scanText(text), text.slice(0, 5));
  }
});
