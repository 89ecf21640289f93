import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { FastChunk, NO_CHUNK } from "../../src/formats/fast_chunk.ts";
import { documentBytes } from "./document_bytes.ts";

function chunkOf(text: string): FastChunk {
  return new FastChunk(documentBytes(text));
}

/** All of a text as a value. */
function valueOf(text: string): string | undefined {
  const chunk = chunkOf(`${text}<`);
  return chunk.value(0, chunk.find("<", 0), 0);
}

Deno.test("FastChunk has text and bytes of one offset, whatever the bytes", () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
    const { text, isAscii } = new FastChunk(bytes);
    assertEquals(text.length, bytes.length);
    for (const [at, byte] of bytes.entries()) {
      if (byte < 0x80) assertEquals(text.charCodeAt(at), byte);
      else assertEquals(text.charCodeAt(at) >= 0x80, true);
    }
    if (bytes.every((byte) => byte < 0x80)) assertEquals(isAscii, true);
  }));
  assertEquals([NO_CHUNK.text, NO_CHUNK.bytes.length], ["", 0]);
});

Deno.test("FastChunk reads part of a buffer as if it were all", () => {
  const bytes = documentBytes("ab größe &amp; cd<").subarray(3);
  const chunk = new FastChunk(bytes);
  assertEquals(chunk.value(0, chunk.find(" ", 0), 0), "größe");
  assertEquals(chunk.value(0, chunk.find("<", 0), 0), "größe & cd");
  assertEquals(chunk.view.getUint8(0), "g".charCodeAt(0));
});

Deno.test("FastChunk.hasReference() finds each ampersand, asked in order", () => {
  const chunk = chunkOf("ab&cd ef gh&ij&");
  const ranges = [[0, 2], [0, 3], [2, 3], [3, 5], [6, 8], [9, 11], [9, 12], [12, 14], [14, 15]];
  assertEquals(
    ranges.map(([start, end]) => chunk.hasReference(start!, end!)),
    [false, true, true, false, false, false, true, false, true],
  );
  assertEquals(chunkOf("abc").hasReference(0, 3), false);
});

Deno.test("FastChunk.value() gives values that there is nothing to tell of", () => {
  const values: Readonly<Record<string, string>> = {
    "a": "a",
    "https://site.test/a%20b?c=d": "https://site.test/a%20b?c=d",
    "two words\x7f": "two words\x7f",
    "größe 日本 😀": "größe 日本 😀",
    "&amp;&#233;&eacute;": "&éé",
    "a&#10;b": "a\nb",
    "é&amp;é": "é&é",
    "&#65533;": "\ufffd",
  };
  for (const [text, value] of Object.entries(values)) assertEquals(valueOf(text), value);
});

Deno.test("FastChunk.value() leaves alone what there is something to tell of", () => {
  const texts = ["", "a\nb", "a\tb", "\0", "abcdefg\x1f", "é\x01", "a\ufffdb", "\ufffe", "\uffff"];
  const bytes = ["\uf7ff", "a\uf7c3", "é\uf780", "\uf7ed\uf7a0\uf780"];
  const edges = ["\xa0a", "a\x85", "é\u3000", "\ufeffé", "&#32;a", "a&#160;", "&#x85;", "é&#10;"];
  const references = ["a&b", "&nosuch;", "&#0;", "&amp", "&#xD800;", "é&"];
  for (const text of [...texts, ...bytes, ...edges, ...references]) {
    assertEquals(valueOf(text), undefined, JSON.stringify(text));
  }
});

Deno.test("FastChunk.value() finds a control character wherever it stands", () => {
  for (let length = 1; length < 14; length++) {
    for (let at = 0; at < length; at++) {
      for (const control of ["\0", "\x1f", "\n"]) {
        const text = "x".repeat(at) + control + "x".repeat(length - at - 1);
        assertEquals(valueOf(text), undefined);
        assertEquals(valueOf(text.replace(control, " !~\x7f"[length % 4]!))?.length, length);
      }
    }
  }
});
