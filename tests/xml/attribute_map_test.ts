import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { AttributeMap } from "../../src/xml/attribute_map.ts";
import { FewAttributes } from "../../src/xml/few_attributes.ts";
import { ManyAttributes } from "../../src/xml/many_attributes.ts";

const KINDS: readonly (() => AttributeMap)[] = [
  () => new FewAttributes("first", "one"),
  () => new ManyAttributes(new FewAttributes("first", "one")),
];

/** The same attributes in a map of a kind and in a `Map`, one of them there from the beginning. */
function both(make: () => AttributeMap, attributes: Iterable<readonly [string, string]>) {
  const expected = new Map<string, string>([["first", "one"]]);
  const map = make();
  for (const [name, value] of attributes) {
    assertEquals(map.has(name), expected.has(name));
    if (expected.has(name)) continue;
    expected.set(name, value);
    map.set(name, value);
  }
  return { expected, map };
}

function assertSame(map: AttributeMap, expected: ReadonlyMap<string, string>): void {
  assertEquals(map.size, expected.size);
  assertEquals([...map], [...expected]);
  assertEquals([...map.entries()], [...expected]);
  assertEquals([...map.keys()], [...expected.keys()]);
  assertEquals([...map.values()], [...expected.values()]);
  for (const [name, value] of expected) {
    assertEquals(map.get(name), value);
    assertEquals(map.has(name), true);
  }
}

for (const make of KINDS) {
  const { name } = make().constructor;

  Deno.test(`${name} answers as a Map does, whatever the names`, () => {
    const text = fc.string({ unit: "binary", maxLength: 5 });
    const attributes = fc.array(fc.tuple(text, text), { maxLength: 300 });
    fc.assert(
      fc.property(attributes, text, (attributes, other) => {
        const { expected, map } = both(make, attributes);
        assertSame(map, expected);
        assertEquals(map.get(other), expected.get(other));
        assertEquals(map.has(other), expected.has(other));
      }),
      { numRuns: 200 },
    );
  });

  for (const count of [0, 1, 64, 65, 2000]) {
    Deno.test(`${name} keeps ${count} attributes in order`, () => {
      const { expected, map } = both(
        make,
        Array.from({ length: count }, (_, at) => [`a${at}`, `${at}`.repeat(at % 7)] as const),
      );
      assertSame(map, expected);
      assertEquals(map.get("b"), undefined);
      const seen: unknown[] = [];
      map.forEach((value, name, itself) => seen.push([name, value, itself === map]));
      assertEquals(seen, [...expected].map(([name, value]) => [name, value, true]));
    });
  }

  Deno.test(`${name} keeps empty, long and broken values as they are`, () => {
    const values = ["", "x".repeat(100_000), "\ud800", "\u{1f600}", "\0"];
    const { expected, map } = both(
      make,
      [0, 1, 2, 3].flatMap((turn) => values.map((value, at) => [`${turn}:${at}`, value] as const)),
    );
    assertSame(map, expected);
  });
}
