import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { crc32 } from "node:zlib";
import { createCrc32, createTableCrc32 } from "../../src/platform/crc32.ts";
import { withoutBuiltins } from "./without_builtins.ts";

Deno.test("createTableCrc32() computes what node:zlib computes, in pieces of any length", () => {
  const tableCrc32 = createTableCrc32();
  fc.assert(fc.property(fc.array(fc.uint8Array({ maxLength: 50 }), { maxLength: 5 }), (pieces) => {
    const fold = (sum: (piece: Uint8Array, value: number) => number) =>
      pieces.reduce((value, piece) => sum(piece, value), 0);
    assertEquals(fold(tableCrc32), fold(crc32));
  }));
});

Deno.test("createCrc32() does without node:zlib", async () => {
  const bytes = new TextEncoder().encode("123456789");
  assertEquals(createCrc32()(bytes, 0), 0xcbf43926);
  assertEquals(await withoutBuiltins(() => createCrc32()(bytes, 0)), 0xcbf43926);
});
