import { assertEquals } from "@std/assert";
import { deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import { isGzip, isZlib, looksLikeText, utf16ByteOrder } from "../../src/bytes/detect_encoding.ts";
import { bytesOf, sitemapText } from "./read_all.ts";

Deno.test("isGzip() recognises gzip by its first two bytes", () => {
  assertEquals(isGzip(gzipSync(bytesOf("a"))), true);
  assertEquals(isGzip(new Uint8Array([0x1f, 0x8b])), true);
  for (const other of [[], [0x1f], [0x8b, 0x1f], [0x1f, 0x8c], [0x1e, 0x8b]]) {
    assertEquals(isGzip(new Uint8Array(other)), false);
  }
});

Deno.test("isZlib() recognises zlib at every level and window size", () => {
  for (let level = 0; level <= 9; level++) {
    for (let windowBits = 9; windowBits <= 15; windowBits++) {
      assertEquals(isZlib(deflateSync(bytesOf("a"), { level, windowBits })), true);
    }
  }
});

Deno.test("isZlib() rejects text, and data that needs a dictionary", () => {
  for (const text of ["", "x", "<?xml", "http://a", "User-agent", "hello", "Host"]) {
    assertEquals(isZlib(bytesOf(text)), false, text);
  }
  assertEquals(isZlib(new Uint8Array([0x78, 0xbb])), false);
  // a window of 64 KiB, a method that is not deflate
  assertEquals(isZlib(new Uint8Array([0x88, 0x1c])), false);
  assertEquals(isZlib(new Uint8Array([0x79, 0x1f])), false);
});

Deno.test("looksLikeText() tells text in any encoding from compressed data", () => {
  for (const text of ["", "<a/>", "\t\r\n\f\v é日😀", "\x1b$B"]) {
    assertEquals(looksLikeText(bytesOf(text)), true, text);
  }
  assertEquals(looksLikeText(new Uint8Array([0xff, 0xfe, 0x3c, 0x00])), true);
  assertEquals(looksLikeText(new Uint8Array([0xfe, 0xff, 0x00, 0x3c])), true);
  assertEquals(looksLikeText(new Uint8Array([0x3c, 0x00, 0x3f, 0x00])), true);
  for (const level of [1, 6, 9]) {
    const packed = deflateRawSync(bytesOf(sitemapText(50)), { level });
    assertEquals(looksLikeText(packed), false);
  }
});

Deno.test("utf16ByteOrder() needs two characters", () => {
  assertEquals(utf16ByteOrder(new Uint8Array([0x3c, 0, 0x3f, 0])), "utf-16le");
  assertEquals(utf16ByteOrder(new Uint8Array([0, 0x3c, 0, 0x3f])), "utf-16be");
  assertEquals(utf16ByteOrder(new Uint8Array([0x0a, 0, 0x3c, 0, 0, 0])), "utf-16le");
  for (const other of [[], [0x3c, 0, 0x3f], [0, 0x3c, 0], [0x3c, 0, 0x75, 0x72], [0, 0, 0, 0]]) {
    assertEquals(utf16ByteOrder(new Uint8Array(other)), undefined);
  }
});
