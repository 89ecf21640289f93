import { assertEquals, assertMatch } from "@std/assert";
import fc from "fast-check";
import { decimal } from "../../src/write/xml.ts";

Deno.test("decimal() writes numbers without exponent", () => {
  assertEquals(decimal(0), "0");
  assertEquals(decimal(0.8), "0.8");
  assertEquals(decimal(1e-7), "0.0000001");
  assertEquals(decimal(-1.5e-9), "-0.0000000015");
  assertEquals(decimal(1e21), "1000000000000000000000");
  assertEquals(decimal(-1.25e22), "-12500000000000000000000");
});

Deno.test("decimal() writes every finite number so that it reads back", () => {
  fc.assert(fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (number) => {
    const text = decimal(number);
    assertMatch(text ?? "", /^-?\d+(\.\d+)?$/);
    // -0 has no decimal of its own.
    assertEquals(Number(text), number + 0);
  }));
});

Deno.test("decimal() writes nothing for what is not finite", () => {
  for (const number of [NaN, Infinity, -Infinity]) assertEquals(decimal(number), undefined);
});
