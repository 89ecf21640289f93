import { assertEquals, assertStrictEquals } from "@std/assert";
import fc from "../support/fast_check.ts";
import { HeldBytes, wholeCharacters, Window } from "../../src/bytes/window.ts";
import { bytesOf, concatenated } from "./read_all.ts";

function decode(bytes: Uint8Array): string {
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}

function loaded(bytes: Uint8Array): { window: Window; replaced: number } {
  const window = new Window();
  // at an odd offset of its memory, with other bytes around it
  const memory = concatenated([0xff], bytes, [0xff]);
  const replaced = window.load(memory.subarray(1, 1 + bytes.length));
  return { window, replaced };
}

/** Bytes that are valid, nearly valid and invalid UTF-8. */
const BYTES = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom("a", "plain ", "<b>", "\n", "\0", "\x7f") },
    { weight: 4, arbitrary: fc.constantFrom("é", "߿", "€", "日本", "\ud7ff", "\ue000", "\u0800") },
    { weight: 3, arbitrary: fc.constantFrom("😀", "\u{10000}", "\u{10ffff}", "\ufffd", "\ufffe") },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 4 }) },
    {
      weight: 1,
      arbitrary: fc.constantFrom(
        ...[[0xc3], [0xe2, 0x82], [0xf0, 0x9f, 0x98], [0xed, 0xa0, 0x80], [0xc0, 0x80]],
        ...[[0xf4, 0x90, 0x80, 0x80], [0xef, 0xbf], [0x80], [0xff], [0xe0, 0x80, 0x80]],
      ).map((bytes) => new Uint8Array(bytes)),
    },
  ),
  { maxLength: 30 },
).map((pieces) =>
  concatenated(...pieces.map((piece) => typeof piece === "string" ? bytesOf(piece) : piece))
);

Deno.test("Window.load() keeps valid UTF-8 as it is, without a copy", () => {
  for (const text of ["", "ascii", "é", "日本 😀", "\ufeffa", "genuine \ufffd"]) {
    const bytes = bytesOf(text);
    const window = new Window();
    assertEquals(window.load(bytes), 0, text);
    assertStrictEquals(window.bytes, bytes);
    assertEquals([window.view.byteLength, window.text.length], [bytes.length, bytes.length]);
    assertEquals(window.isAscii, bytes.length === text.length);
    assertEquals(window.slice(0, bytes.length, true), text);
  }
});

Deno.test("Window.load() replaces invalid sequences as TextDecoder does, and counts them", () => {
  const samples: readonly (readonly [number[], string, number])[] = [
    [[0x61, 0xff, 0x62], "a\ufffdb", 1],
    [[0xff, 0x61, 0xc3], "\ufffda\ufffd", 2],
    [[0xe6, 0x97, 0x3c], "\ufffd<", 1],
    [[0xed, 0xa0, 0x80], "\ufffd\ufffd\ufffd", 3],
    [[0xc0, 0x80], "\ufffd\ufffd", 2],
    [[0xf4, 0x90, 0x80, 0x80], "\ufffd\ufffd\ufffd\ufffd", 4],
    // genuine ones are not counted
    [[0xef, 0xbf, 0xbd, 0xff, 0xef, 0xbf, 0xbd], "\ufffd\ufffd\ufffd", 1],
    // as long as what replaces it
    [[0xf0, 0x9f, 0x98], "\ufffd", 1],
  ];
  for (const [bytes, text, count] of samples) {
    const { window, replaced } = loaded(new Uint8Array(bytes));
    assertEquals([replaced, decode(window.bytes)], [count, text]);
    assertEquals(window.slice(0, window.bytes.length, true), text);
    assertEquals(window.hasSpecials, true);
  }
});

Deno.test("Window has valid UTF-8 and a string with the same offsets, whatever is loaded", () => {
  fc.assert(
    fc.property(BYTES, (bytes) => {
      const { window, replaced } = loaded(bytes);
      const text = decode(bytes);
      assertEquals(window.bytes, bytesOf(text));
      assertEquals(window.text.length, window.bytes.length);
      for (const [at, byte] of window.bytes.entries()) {
        assertEquals(window.text.charCodeAt(at), byte);
        assertEquals(window.view.getUint8(at), byte);
      }
      const isValid = decode(bytes) === text && bytesOf(text).every((byte, at) =>
        byte === bytes[at]
      ) &&
        bytesOf(text).length === bytes.length;
      assertEquals(replaced === 0, isValid);
      // without it, the characters need not be looked for
      if (!window.hasSpecials) assertEquals(/[\ufffd-\uffff]/.test(text), false);
    }),
    { numRuns: 2000 },
  );
});

Deno.test("Window.slice() and copy() decode ranges as TextDecoder does, in any order", () => {
  fc.assert(
    fc.property(
      BYTES,
      fc.array(fc.tuple(fc.nat(), fc.nat()), { maxLength: 20 }),
      (bytes, ranges) => {
        const { window } = loaded(bytes);
        const starts = [...window.bytes.keys(), window.bytes.length]
          .filter((at) => ((window.bytes[at] ?? 0) & 0xc0) !== 0x80);
        for (const [first, second] of ranges) {
          const [a, b] = [starts[first % starts.length]!, starts[second % starts.length]!];
          const [start, end] = [Math.min(a, b), Math.max(a, b)];
          const range = window.bytes.subarray(start, end);
          assertEquals(window.slice(start, end, true), decode(range));
          assertEquals(window.copy(start, end, true), decode(range));
          if (range.every((byte) => byte < 0x80)) {
            assertEquals(window.slice(start, end, false), decode(range));
          }
        }
      },
    ),
    { numRuns: 2000 },
  );
});

Deno.test("Window.load() replaces everything that was loaded before", () => {
  const window = new Window();
  for (const text of ["日本 😀 ".repeat(20), "ascii", "é", "\ufffd", "plain", "aé"]) {
    window.load(bytesOf(text));
    const { length } = window.bytes;
    assertEquals(window.slice(0, length, true), text);
    assertEquals(window.slice(length, length, true), "");
    assertEquals([window.isAscii, window.hasSpecials], [
      /^[\0-\x7f]*$/.test(text),
      text === "\ufffd",
    ]);
  }
});

Deno.test("wholeCharacters() excludes an incomplete character at the end", () => {
  for (const character of ["a", "é", "€", "😀"]) {
    const bytes = bytesOf(`xy${character}`);
    for (let length = 2; length <= bytes.length; length++) {
      const isWhole = length === bytes.length || length === 2;
      assertEquals(wholeCharacters(bytes.subarray(0, length)), isWhole ? length : 2, character);
    }
  }
  assertEquals(wholeCharacters(new Uint8Array(0)), 0);
  // without a leading byte, nothing can complete them
  assertEquals(wholeCharacters(new Uint8Array([0x80, 0x80, 0x80, 0x80])), 4);
});

Deno.test("chunks that end with whole characters decode to the same text as the document", () => {
  fc.assert(
    fc.property(BYTES, fc.integer({ min: 1, max: 9 }), (bytes, size) => {
      const held = new HeldBytes();
      let text = "", replaced = 0;
      const window = new Window();
      const load = (chunk: Uint8Array) => {
        replaced += window.load(chunk);
        text += window.slice(0, window.bytes.length, true);
      };
      for (let at = 0; at < bytes.length; at += size) {
        held.add(bytes.subarray(at, at + size));
        const whole = wholeCharacters(held.bytes);
        load(held.bytes.slice(0, whole));
        held.reset(held.bytes.slice(whole));
      }
      load(held.bytes);
      assertEquals([text, replaced], [decode(bytes), new Window().load(bytes)]);
    }),
    { numRuns: 2000 },
  );
});

Deno.test("HeldBytes holds copies of the added bytes, in order", () => {
  const held = new HeldBytes();
  assertEquals([held.length, held.bytes.length], [0, 0]);
  const expected: number[] = [];
  for (let turn = 0; turn < 300; turn++) {
    const chunk = new Uint8Array(turn).fill(turn);
    held.add(chunk);
    expected.push(...chunk);
    chunk.fill(0);
  }
  assertEquals([held.length, [...held.bytes]], [expected.length, expected]);
  // a part of itself
  held.reset(held.bytes.subarray(1000, 5000));
  assertEquals([...held.bytes], expected.slice(1000, 5000));
  held.reset(new Uint8Array(0));
  assertEquals(held.length, 0);
});
