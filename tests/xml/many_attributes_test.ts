import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { ManyAttributes } from "../../src/xml/many_attributes.ts";

/** The same attributes in both kinds of map, one of them there from the beginning. */
function both(attributes: Iterable<readonly [string, string]>) {
  const first = [["first", "one"]] as const;
  const expected = new Map<string, string>(first);
  const map = new ManyAttributes(new Map(first));
  for (const [name, value] of attributes) {
    assertEquals(map.has(name), expected.has(name));
    if (expected.has(name)) continue;
    expected.set(name, value);
    map.set(name, value);
  }
  return { expected, map };
}

function assertSame(map: ManyAttributes, expected: ReadonlyMap<string, string>): void {
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

Deno.test("ManyAttributes answers as a Map does, whatever the names", () => {
  const text = fc.string({ unit: "binary", maxLength: 5 });
  const attributes = fc.array(fc.tuple(text, text), { maxLength: 300 });
  fc.assert(
    fc.property(attributes, text, (attributes, other) => {
      const { expected, map } = both(attributes);
      assertSame(map, expected);
      assertEquals(map.get(other), expected.get(other));
      assertEquals(map.has(other), expected.has(other));
    }),
    { numRuns: 200 },
  );
});

for (const count of [0, 1, 64, 65, 20_000]) {
  Deno.test(`ManyAttributes keeps ${count} attributes in order`, () => {
    const { expected, map } = both(
      Array.from({ length: count }, (_, at) => [`a${at}`, `${at}`.repeat(at % 7)] as const),
    );
    assertSame(map, expected);
    assertEquals(map.get("b"), undefined);
    const seen: unknown[] = [];
    map.forEach((value, name, itself) => seen.push([name, value, itself === map]));
    assertEquals(seen, [...expected].map(([name, value]) => [name, value, true]));
  });
}

Deno.test("ManyAttributes keeps empty, long and broken values as they are", () => {
  const values = ["", "x".repeat(100_000), "\ud800", "\u{1f600}", "\0"];
  const { expected, map } = both(
    [0, 1, 2, 3].flatMap((turn) => values.map((value, at) => [`${turn}:${at}`, value] as const)),
  );
  assertSame(map, expected);
});
