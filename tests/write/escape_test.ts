import { assertEquals, assertNotMatch } from "@std/assert";
import fc from "fast-check";
import { encodeWhitespace, escapeControls } from "../../src/write/escape.ts";
import { anyText } from "./page_arbitrary.ts";

Deno.test("escapeControls() shows escape sequences, line breaks and direction overrides", () => {
  assertEquals(escapeControls("\x1b]0;title\x07"), "\\x1b]0;title\\x07");
  assertEquals(escapeControls("a\r\n\tb"), "a\\x0d\\x0a\\x09b");
  assertEquals(escapeControls("\x9b31m\x7f\x85"), "\\x9b31m\\x7f\\x85");
  assertEquals(escapeControls("\u202egpj.exe\u2066"), "\\u202egpj.exe\\u2066");
  assertEquals(escapeControls("\u2028\u2029"), "\\u2028\\u2029");
  assertEquals(escapeControls("\ud800"), "\\ud800");
});

Deno.test("escapeControls() leaves ordinary text of any script as it is", () => {
  for (const text of ["", "plain \\x1b", "été", "漢字", "😀", "עברית\u200f", "e\u0301"]) {
    assertEquals(escapeControls(text), text);
  }
});

Deno.test("escapeControls() leaves nothing that a terminal obeys", () => {
  fc.assert(fc.property(anyText(), (text) => {
    // deno-lint-ignore no-control-regex
    assertNotMatch(escapeControls(text), /[\0-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]/);
  }));
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
