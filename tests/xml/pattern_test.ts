import { assertEquals } from "@std/assert";
import { AsciiBytes } from "../../src/xml/ascii_bytes.ts";
import { Pattern } from "../../src/xml/pattern.ts";

/** The places of a text where a pattern stands, asked for in order. */
function placesOf(pattern: Pattern, text: string): number[] {
  const bytes = new AsciiBytes();
  bytes.take(text);
  return Array.from(text, (_, at) => at).filter((at) => pattern.isAt(bytes, at));
}

Deno.test("Pattern stands where its text does, with and without bytes, the first time and later", () => {
  const texts = [
    "",
    "a",
    "abc",
    "abcd",
    "abcde",
    "abcdefg",
    "abcdefgh",
    "abcdefghi",
    "aé",
    "abcdé",
  ];
  for (const text of texts) {
    const pattern = new Pattern(text);
    for (const padding of ["", "-".repeat(100), "é"]) {
      const long = `${text}-a${text}${text}abcdabcdefabcdefgha${padding}${text}`;
      const expected = Array.from(long, (_, at) => at).filter((at) => long.startsWith(text, at));
      assertEquals(placesOf(pattern, long), expected, `"${text}" in "${long}"`);
    }
  }
});

Deno.test("Pattern does not stand where a text before was longer", () => {
  const pattern = new Pattern("abcdef");
  const bytes = new AsciiBytes();
  const padding = "-".repeat(100);
  for (const _ of [1, 2, 3]) {
    bytes.take(`${padding}abcdef`);
    assertEquals(pattern.isAt(bytes, 100), true);
    bytes.take(`${padding}abcd`);
    assertEquals(pattern.isAt(bytes, 100), false);
  }
});
