import { assertEquals } from "@std/assert";
import { trimSpace } from "../../src/data/text.ts";

Deno.test("trimSpace() removes Unicode whitespace from both ends", () => {
  const spaces = [
    ..."\t\n\v\f\r \u0085\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000\ufeff",
  ];
  for (const space of spaces) {
    assertEquals(trimSpace(`${space}a${space}b${space}`), `a${space}b`);
    assertEquals(trimSpace(`${space}\u0085${space}a\u0085`), "a");
  }
  const trimmed = { "": "", " \u0085 ": "", "\u200ba\u200b": "\u200ba\u200b" };
  assertEquals(Object.keys(trimmed).map(trimSpace), Object.values(trimmed));
});

Deno.test("trimSpace() trims NEL and all that trim() trims", () => {
  for (let code = 0; code < 0x10000; code++) {
    const character = String.fromCharCode(code);
    const isSpace = code === 0x85 || character.trim() === "";
    assertEquals(trimSpace(character) === "", isSpace, code.toString(16));
  }
});
