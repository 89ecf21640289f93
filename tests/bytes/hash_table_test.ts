import { assert, assertEquals } from "@std/assert";
import fc from "../support/fast_check.ts";
import { HashTable } from "../../src/bytes/hash_table.ts";
import { Random } from "../support/random.ts";

const INT32 = fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 });
/** Hashes of which many are equal in one half, or meet in the same slot. */
const HASH = fc.tuple(
  fc.oneof(INT32, fc.constantFrom(0, 1, -1, 64, 128, 1 << 20), fc.nat(300)),
  fc.oneof(INT32, fc.constantFrom(0, 1, -1, 256, 257, 1 << 30), fc.nat(3)),
);
const STEPS = fc.array(
  fc.oneof(
    { weight: 50, arbitrary: HASH },
    { weight: 1, arbitrary: fc.constant("clear" as const) },
  ),
  { maxLength: 800, size: "max" },
);

type Options = NonNullable<ConstructorParameters<typeof HashTable>[0]>;

const TABLES: readonly Options[] = [
  {},
  { size: 500 },
  { maxLoad: 0.75 },
  { width: 3 },
  { width: 3, maxSize: 32 },
  { width: 6, maxSize: 256 },
  { width: 5, maxLoad: 0.7, size: 100 },
];

/** A table beside a map with the same rows. */
class Model {
  readonly #width: number;
  readonly #maxSize: number;
  readonly #table: HashTable;
  readonly #rows = new Map<string, readonly number[]>();

  constructor(options: Options) {
    this.#width = options.width ?? 2;
    this.#maxSize = options.maxSize ?? Infinity;
    this.#table = new HashTable(options);
  }

  clear(): void {
    this.#table.clear();
    this.#rows.clear();
    this.check();
  }

  add(high: number, low: number, value: number): void {
    const table = this.#table, key = `${high}:${low}`;
    if (!table.keeps(low)) return assertEquals(this.#rows.has(key), false);
    // more hashes that end in zeros than a keyed hash makes
    if (table.size > this.#maxSize) return;
    const slot = table.find(high, low);
    assertEquals(slot >= 0, this.#rows.has(key));
    assertEquals(table.has(high, low), slot >= 0);
    if (slot >= 0) return assertEquals(this.#rowAt(slot), this.#rows.get(key));
    const rest = Array.from({ length: this.#width - 2 }, (_, at) => value + at);
    table.rows.set(rest, this.#width * ~slot + 2);
    table.fill(~slot, high, low);
    this.#rows.set(key, [high, low, ...rest]);
    for (const [key, [, low]] of this.#rows) if (!table.keeps(low!)) this.#rows.delete(key);
  }

  /** Every row is in the table once, and found by its hash and by its first number. */
  check(): void {
    const table = this.#table;
    assertEquals(table.size, this.#rows.size);
    const rows = [...table.slots()].map((slot) => this.#rowAt(slot));
    assertEquals(rows.sort(inOrder), [...this.#rows.values()].sort(inOrder));
    for (const [high, low] of this.#rows.values()) {
      assertEquals(this.#rowAt(table.find(high!, low!)).slice(0, 2), [high, low]);
      const found: (readonly number[])[] = [];
      for (let slot = table.next(high!); slot >= 0; slot = table.next(high!, slot + 1)) {
        found.push(this.#rowAt(slot));
      }
      const expected = [...this.#rows.values()].filter(([first]) => first === high);
      assertEquals(found.sort(inOrder), expected.sort(inOrder));
    }
  }

  #rowAt(slot: number): readonly number[] {
    return [...this.#table.rows.slice(this.#width * slot, this.#width * (slot + 1))];
  }
}

function inOrder(one: readonly number[], other: readonly number[]): number {
  return one[0]! - other[0]! || one[1]! - other[1]!;
}

for (const options of TABLES) {
  Deno.test(`a HashTable behaves as a map does: ${JSON.stringify(options)}`, () => {
    fc.assert(
      fc.property(STEPS, (steps) => {
        const model = new Model(options);
        for (const [at, step] of steps.entries()) {
          if (step === "clear") model.clear();
          else model.add(...step, at + 1);
        }
        model.check();
      }),
      { numRuns: 30 },
    );
  });
}

Deno.test("a HashTable grows to any size, and can be reused", () => {
  const table = new HashTable();
  const count = 300_000;
  for (let round = 0; round < 2; round++) {
    for (let at = 0; at < count; at++) {
      if (!table.add(Math.imul(at, 0x9e3779b1), at)) throw new Error(`${at} is new`);
    }
    assertEquals(table.size, count);
    for (let at = 0; at < count; at += 97) {
      assertEquals(table.add(Math.imul(at, 0x9e3779b1), at), false);
    }
    table.clear();
  }
  // a table of which little was used is given up
  for (let round = 0; round < 2; round++) {
    assertEquals([table.add(1, 1), table.add(1, 1)], [true, false]);
    table.clear();
  }
  assert(table.rows.length < 1000);
});

Deno.test("a HashTable of an expected size does not grow", () => {
  for (const [size, maxLoad] of [[1, 0.5], [1000, 0.5], [1000, 0.75], [65_536, 0.5]] as const) {
    const table = new HashTable({ size, maxLoad }), { rows } = table;
    for (let at = 0; at < size; at++) table.add(Math.imul(at, 0x9e3779b1), at);
    assert(table.rows === rows);
    assert(rows.length <= 2 * Math.max(64, 2 * size / maxLoad), `${rows.length} numbers`);
  }
});

Deno.test("a HashTable with a limit keeps all up to it, then a sample in the same memory", () => {
  const table = new HashTable({ width: 3, maxSize: 1 << 14 });
  const random = new Random(1);
  const hash = () => random.below(2 ** 31) | 0;
  const all: [number, number][] = [];
  for (let count = 1; count <= 1 << 17; count++) {
    const high = hash(), low = hash();
    all.push([high, low]);
    if (!table.keeps(low)) continue;
    const slot = table.find(high, low);
    assert(slot < 0);
    table.rows[3 * ~slot + 2] = count;
    table.fill(~slot, high, low);
    if (count === 1 << 14) assertEquals(table.weight, 1);
  }
  assertEquals(table.rows.length, 3 * (1 << 15), "twice as many slots as hashes");
  assert(table.weight >= 8, `each counts for ${table.weight}`);
  for (const [at, [high, low]] of all.entries()) {
    const slot = table.find(high, low);
    assertEquals(slot < 0 ? 0 : table.rows[3 * slot + 2], table.keeps(low) ? at + 1 : 0);
  }
});
