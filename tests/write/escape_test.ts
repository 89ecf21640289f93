import { assertEquals, assertNotMatch } from "@std/assert";
import fc from "../support/fast_check.ts";
import { encodeWhitespace, escapeControls, FORMAT_CONTROLS } from "../../src/write/escape.ts";
import { anyText, OBEYED_REGEXP } from "../data/arbitrary_page.ts";

Deno.test("escapeControls() escapes escape sequences, line breaks and bidirectional controls", () => {
  assertEquals(escapeControls("\x1b]0;title\x07"), "\\x1b]0;title\\x07");
  assertEquals(escapeControls("a\r\n\tb"), "a\\x0d\\x0a\\x09b");
  assertEquals(escapeControls("\x9b31m\x7f\x85"), "\\x9b31m\\x7f\\x85");
  assertEquals(escapeControls("\u202egpj.exe\u2066"), "\\u202egpj.exe\\u2066");
  assertEquals(escapeControls("\u061ca\u200e\u200f"), "\\u061ca\\u200e\\u200f");
  assertEquals(escapeControls("\u2028\u2029\ufeff"), "\\u2028\\u2029\\ufeff");
  assertEquals(escapeControls("\ud800"), "\\ud800");
});

Deno.test("escapeControls() keeps ordinary text of any script", () => {
  for (
    const text of ["", "plain \\x1b", "été", "漢字", "😀", "עברית", "می\u200cخواهم", "e\u0301"]
  ) {
    assertEquals(escapeControls(text), text);
  }
});

Deno.test("escapeControls() escapes everything that a terminal interprets", () => {
  fc.assert(fc.property(anyText(), (text) => {
    assertNotMatch(escapeControls(text), OBEYED_REGEXP);
    assertNotMatch(escapeControls(text), /[\t\r\n]/);
  }));
});

Deno.test("FORMAT_CONTROLS contains every bidirectional control of Unicode", () => {
  const regexp = new RegExp(`[${FORMAT_CONTROLS}]`);
  const missed = Array.from({ length: 0x10000 }, (_, code) => String.fromCharCode(code))
    .filter((character) => /\p{Bidi_Control}/u.test(character) && !regexp.test(character));
  assertEquals(missed, []);
});

Deno.test("encodeWhitespace() keeps the meaning of URLs", () => {
  assertEquals(encodeWhitespace("https://a.test/b c\x01\x85"), "https://a.test/b%20c%01%C2%85");
  assertEquals(
    encodeWhitespace("https://a.test/\u3000\ufeff"),
    "https://a.test/%E3%80%80%EF%BB%BF",
  );
  assertEquals(encodeWhitespace("https://a.test/é?%20#漢😀"), "https://a.test/é?%20#漢😀");
  for (
    const url of ["https://a.test/b c", "https://a.test/\x01\x1f\x7f", "https://a.test/\u2028"]
  ) {
    assertEquals(new URL(encodeWhitespace(url)).href, new URL(url).href);
  }
});
