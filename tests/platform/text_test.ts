import { assertEquals } from "@std/assert";
import { latin1ByCharCodes, latin1Of, utf8ByDecoder, utf8Reader } from "../../src/platform/text.ts";

Deno.test("latin1 has the number of each byte, with and without Buffer", () => {
  const bytes = Uint8Array.from({ length: 20_000 }, (_, at) => at & 0xff);
  for (const latin1 of [latin1Of, latin1ByCharCodes]) {
    const text = latin1(bytes);
    assertEquals(Uint8Array.from(text, (character) => character.charCodeAt(0)), bytes);
    assertEquals(latin1(bytes.subarray(0x80, 0x83)), "\x80\x81\x82");
    assertEquals(latin1(new Uint8Array(0)), "");
  }
});

Deno.test("ranges of UTF-8 decode alike with and without Buffer", () => {
  const bytes = new TextEncoder().encode("x\ufeffé€😀 and ASCII").subarray(1);
  for (const reader of [utf8Reader, utf8ByDecoder]) {
    const decode = reader(bytes);
    assertEquals(decode(0, bytes.length), "\ufeffé€😀 and ASCII");
    assertEquals(decode(3, 5), "é");
    assertEquals(decode(3, 4), "\ufffd");
  }
});
