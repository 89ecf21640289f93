import { assertEquals } from "@std/assert";
import * as text from "../../src/platform/text.ts";
import { importWithoutBuiltins } from "./without_builtins.ts";

const MODULES = [text, await importWithoutBuiltins("text.ts") as typeof text];

Deno.test("latin1Of() has the number of each byte, with and without Buffer", () => {
  const bytes = Uint8Array.from({ length: 20_000 }, (_, at) => at & 0xff);
  for (const { latin1Of } of MODULES) {
    const latin1 = latin1Of(bytes);
    assertEquals(Uint8Array.from(latin1, (character) => character.charCodeAt(0)), bytes);
    assertEquals(latin1Of(bytes.subarray(0x80, 0x83)), "\x80\x81\x82");
    assertEquals(latin1Of(new Uint8Array(0)), "");
  }
});

Deno.test("ranges of UTF-8 decode alike with and without Buffer", () => {
  const bytes = new TextEncoder().encode("x\ufeffé€😀 and ASCII").subarray(1);
  for (const { utf8Reader } of MODULES) {
    const decode = utf8Reader(bytes);
    assertEquals(decode(0, bytes.length), "\ufeffé€😀 and ASCII");
    assertEquals(decode(3, 5), "é");
    assertEquals(decode(3, 4), "\ufffd");
  }
});
