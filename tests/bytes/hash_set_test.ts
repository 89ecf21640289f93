import { assertEquals } from "@std/assert";
import fc from "../support/fast_check.ts";
import { HashSet64 } from "../../src/bytes/hash_set.ts";

const INT32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
/** Hashes of which many are equal in one half, or meet in the same slot. */
const HASH = fc.tuple(
  fc.oneof(INT32, fc.constantFrom(0, 1, -1, 64, 128, 1 << 20), fc.nat(300)),
  fc.oneof(INT32, fc.constantFrom(0, 1, -1, 256, 257, 1 << 30), fc.nat(3)),
);

Deno.test("HashSet64 behaves as a set of pairs does, cleared or not", () => {
  const step = fc.oneof({ weight: 50, arbitrary: HASH }, {
    weight: 1,
    arbitrary: fc.constant("clear"),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 800, size: "max" }), (steps) => {
      const hashes = new HashSet64();
      const expected = new Set<string>();
      for (const step of steps) {
        if (typeof step === "string") {
          hashes.clear();
          expected.clear();
          continue;
        }
        const [high, low] = step;
        assertEquals(hashes.add(high, low), !expected.has(`${high}:${low}`));
        expected.add(`${high}:${low}`);
      }
    }),
    { numRuns: 200 },
  );
});

Deno.test("HashSet64 grows to any size, and can be reused", () => {
  const hashes = new HashSet64();
  const count = 300_000;
  for (let round = 0; round < 2; round++) {
    for (let at = 0; at < count; at++) {
      if (!hashes.add(Math.imul(at, 0x9e3779b1), at)) throw new Error(`${at} is new`);
    }
    for (let at = 0; at < count; at += 97) {
      assertEquals(hashes.add(Math.imul(at, 0x9e3779b1), at), false);
    }
    hashes.clear();
  }
  // a table of which little was used is given up
  assertEquals([hashes.add(1, 1), hashes.add(1, 1)], [true, false]);
  hashes.clear();
  assertEquals([hashes.add(1, 1), hashes.add(1, 1)], [true, false]);
});
