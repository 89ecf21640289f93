import { assertEquals } from "@std/assert";
import {
  decodeReferences,
  endOfWholeReferences,
  MAX_REFERENCE_LENGTH,
} from "../../src/xml/references.ts";

/** Returns the decoded text and the faults, as `code@offset`. */
function decoded(text: string): [string, string[]] {
  const faults: string[] = [];
  const result = decodeReferences(text, (code, _message, at) => void faults.push(`${code}@${at}`));
  assertEquals(decodeReferences(text), result, "with or without anybody who listens");
  return [result, faults];
}

Deno.test("decodeReferences() decodes references of XML, of HTML and numeric ones, exactly once", () => {
  assertEquals(decoded("plain"), ["plain", []]);
  assertEquals(decoded("&amp;&lt;&gt;&quot;&apos;"), [`&<>"'`, []]);
  assertEquals(decoded("&#65;&#x41;&#X41;&#0065;&#x000041;"), ["AAAAA", []]);
  assertEquals(decoded("&nbsp;&eacute;&Eacute;&hearts;&NotEqualTilde;"), ["\u00a0éÉ♥≂̸", []]);
  assertEquals(decoded("&amp;amp; &amp;#65; &#38;lt;"), ["&amp; &#65; &lt;", []]);
  assertEquals(decoded("&#9;&#10;&#13;&#x20;"), ["\t\n\r ", []]);
});

Deno.test("decodeReferences() keeps and reports everything else", () => {
  assertEquals(decoded("a & b"), ["a & b", ["xml-bare-ampersand@2"]]);
  assertEquals(decoded("&nosuch;"), ["&nosuch;", ["xml-unknown-entity@0"]]);
  assertEquals(decoded("&AMP;&Amp;"), ["&&Amp;", ["xml-unknown-entity@5"]]);
  assertEquals(decoded("&eacute"), ["&eacute", ["xml-bare-ampersand@0"]]);
  assertEquals(decoded("?a=1&copy=2"), ["?a=1&copy=2", ["xml-bare-ampersand@4"]]);
  const literal = ["&;", "&#;", "&#x;", "&#xg;", "&#1a;", "& amp;", "&1;", "&a b;", "&é;"];
  for (const text of literal) assertEquals(decoded(text), [text, ["xml-bare-ampersand@0"]]);
});

Deno.test("decodeReferences() drops characters that XML forbids, and no others", () => {
  for (const code of [0x9, 0xa, 0xd, 0x20, 0x7f, 0xd7ff, 0xe000, 0xfffd, 0x10000, 0x10ffff]) {
    assertEquals(decoded(`a&#${code};b`), [`a${String.fromCodePoint(code)}b`, []]);
  }
  const codes = [
    ...["0", "x0", "8", "xB", "xC", "xE", "x1F"],
    ...["xD800", "xDFFF", "xFFFE", "xFFFF", "x110000"],
  ];
  for (const code of [...codes, "9".repeat(40)]) {
    assertEquals(decoded(`a&#${code};b`), ["ab", ["xml-bad-reference@1"]], code);
  }
});

Deno.test("decodeReferences() decodes text of any length", () => {
  const times = 10_000;
  assertEquals(decoded("a&lt;b&#99;".repeat(times)), ["a<bc".repeat(times), []]);
  const [text, faults] = decoded("a&amp;b & ".repeat(times));
  assertEquals([text === "a&b & ".repeat(times), faults.length], [true, times]);
});

Deno.test("decodeReferences() keeps references that are too long", () => {
  for (const body of ["a", "#1", "#x1"]) {
    const reference = (length: number) => `&${body.padEnd(length - 2, body.at(-1))};`;
    const longest = decoded(reference(MAX_REFERENCE_LENGTH));
    assertEquals(longest[1].length, 1);
    assertEquals(longest[1][0] === "xml-bare-ampersand@0", false, reference(MAX_REFERENCE_LENGTH));
    const longer = reference(MAX_REFERENCE_LENGTH + 1);
    assertEquals(decoded(longer), [longer, ["xml-bare-ampersand@0"]]);
  }
});

Deno.test("endOfWholeReferences() excludes what may still become a reference", () => {
  const waits: Readonly<Record<string, number>> = {
    "": 0,
    "abc": 3,
    "abc&": 3,
    "abc&am": 3,
    "abc&#": 3,
    "abc&#1": 3,
    "abc&#x": 3,
    "abc&#xA": 3,
    "abc&amp;": 8,
    "a&b&c": 3,
    "a& b": 4,
    "a&b c": 5,
    "a&;": 3,
  };
  for (const [text, end] of Object.entries(waits)) {
    assertEquals(endOfWholeReferences(text), end, text);
  }
  const long = `x&${"a".repeat(MAX_REFERENCE_LENGTH - 2)}`;
  assertEquals([endOfWholeReferences(long), endOfWholeReferences(`${long}a`)], [
    1,
    long.length + 1,
  ]);
});

Deno.test("decodeReferences() decodes a text and its pieces alike", () => {
  const text = "a&amp;b&#38;c&bogus;d&e&f;&#x;&#12345678901;&lt" +
    `&${"n".repeat(62)};&${"n".repeat(63)};`;
  for (let size = 1; size < 80; size++) {
    let carried = "";
    let all = "";
    for (let at = 0; at < text.length; at += size) {
      carried += text.slice(at, at + size);
      const end = endOfWholeReferences(carried);
      all += decodeReferences(carried.slice(0, end));
      carried = carried.slice(end);
    }
    assertEquals(all + decodeReferences(carried), decodeReferences(text), `pieces of ${size}`);
  }
});
