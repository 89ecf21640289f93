import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { CarriedBytes } from "../../src/formats/carried_bytes.ts";

Deno.test("CarriedBytes gives back what was added since it was last asked", () => {
  const pieces = fc.array(fc.array(fc.uint8Array({ maxLength: 3000 }), { maxLength: 4 }));
  fc.assert(fc.property(pieces, (rounds) => {
    const carried = new CarriedBytes();
    for (const added of rounds) {
      for (const bytes of added) {
        const copied = bytes.slice();
        carried.add(copied);
        copied.fill(0);
      }
      const expected = added.flatMap((bytes) => [...bytes]);
      assertEquals(carried.length, expected.length);
      assertEquals([...carried.take()], expected);
      assertEquals([carried.length, carried.take().length], [0, 0]);
    }
  }));
});

Deno.test("CarriedBytes takes an end of what it gave", () => {
  const carried = new CarriedBytes();
  carried.add(Uint8Array.of(1, 2, 3, 4, 5));
  carried.add(carried.take().subarray(1));
  carried.add(Uint8Array.of(6));
  assertEquals([...carried.take()], [2, 3, 4, 5, 6]);
});
