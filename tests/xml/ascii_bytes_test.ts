import { assertEquals } from "@std/assert";
import { AsciiBytes } from "../../src/xml/ascii_bytes.ts";

const PADDING = "x".repeat(100);

function taken(text: string): AsciiBytes {
  const bytes = new AsciiBytes();
  bytes.take(text);
  return bytes;
}

Deno.test("AsciiBytes has the bytes of ASCII, at the same places", () => {
  const bytes = new AsciiBytes();
  for (const text of [`<a>${PADDING}</a>`, PADDING, PADDING.repeat(700), `${PADDING}!`]) {
    bytes.take(text);
    const { view } = bytes;
    assertEquals(bytes.text, text);
    assertEquals(
      Array.from(text, (_, at) => view!.getUint8(at)),
      Array.from(text, (letter) => letter.charCodeAt(0)),
    );
  }
});

Deno.test("AsciiBytes has none of other text, of short text and of very long text", () => {
  for (const text of [`${PADDING}é`, `é${PADDING}`, `${PADDING}\u{1f577}`, `${PADDING}\ud800`]) {
    assertEquals([taken(text).view, taken(text).hasControl], [undefined, undefined]);
  }
  for (const text of ["", "x".repeat(63), "x".repeat(256 * 1024 + 1)]) {
    assertEquals([taken(text).view, taken(text).hasControl], [undefined, undefined]);
  }
  assertEquals(taken("x".repeat(64)).hasControl, false);
  assertEquals(taken("x".repeat(256 * 1024)).hasControl, false);
});

Deno.test("AsciiBytes finds every control character but TAB and LF, wherever it stands", () => {
  for (let code = 0; code < 0x80; code++) {
    const letter = String.fromCharCode(code);
    const isControl = code < 0x20 && letter !== "\t" && letter !== "\n";
    for (let at = 0; at < 9; at++) {
      const text = PADDING.slice(0, 91 + at) + letter + "y".repeat(8 - at);
      assertEquals(taken(text).hasControl, isControl, JSON.stringify(text));
      assertEquals(taken(PADDING.slice(at) + letter).hasControl, isControl, JSON.stringify(text));
    }
  }
});

Deno.test("AsciiBytes finds no control character of a text before", () => {
  const bytes = new AsciiBytes();
  bytes.take(`${PADDING}\0\0\0\0`);
  assertEquals(bytes.hasControl, true);
  for (const length of [97, 98, 99, 100]) {
    bytes.take(`${PADDING}\0\0\0\0`);
    bytes.take(PADDING.slice(0, length));
    assertEquals(bytes.hasControl, false);
  }
});
