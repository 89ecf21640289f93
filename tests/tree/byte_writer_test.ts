import { assertEquals } from "@std/assert";
import fc from "../support/fast_check.ts";
import { ByteReader } from "../../src/tree/byte_codec.ts";
import { ByteWriter } from "../../src/tree/byte_codec.ts";
import { anyString } from "../data/arbitrary_page.ts";

function readerOf(writer: ByteWriter): ByteReader {
  return new ByteReader(writer.bytes.slice(0, writer.length));
}

Deno.test("ByteReader reads integers of every size, small ones from one byte", () => {
  const writer = new ByteWriter();
  const values = [0, 1, 127, 128, 16_383, 16_384];
  for (let bit = 28; bit < 53; bit++) values.push(2 ** bit - 1, 2 ** bit, 2 ** bit + 1);
  values.push(Number.MAX_SAFE_INTEGER, 2 ** 53);
  for (const value of values) writer.varint(value);
  const reader = readerOf(writer);
  for (const value of values) assertEquals(reader.varint(), value);
  assertEquals(reader.at, writer.length);

  const small = new ByteWriter();
  small.varint(127);
  assertEquals(small.length, 1);
});

Deno.test("ByteReader reads mixed values in the order written", () => {
  const wellFormed = anyString().map((text) => text.toWellFormed());
  const value = fc.oneof(
    fc.record({ kind: fc.constant("text" as const), value: wellFormed }),
    fc.record({ kind: fc.constant("varint" as const), value: fc.maxSafeNat() }),
    fc.record({ kind: fc.constant("byte" as const), value: fc.nat(255) }),
  );
  fc.assert(fc.property(fc.array(value), (values) => {
    const writer = new ByteWriter();
    for (const { kind, value } of values) writer[kind](value as never);
    const reader = readerOf(writer);
    for (const { kind, value } of values) assertEquals(Object.is(reader[kind](), value), true);
    assertEquals(reader.at, writer.length);
  }));
});

Deno.test("ByteWriter grows for strings longer than its buffer", () => {
  for (const text of ["x".repeat(5000), "ж".repeat(5000)]) {
    const writer = new ByteWriter();
    writer.text("before");
    writer.text(text);
    const reader = readerOf(writer);
    assertEquals([reader.text(), reader.text() === text], ["before", true]);
  }
});
