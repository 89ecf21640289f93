import { assert, assertEquals, assertNotEquals } from "@std/assert";
import fc from "fast-check";
import {
  AddressSet,
  AddressSets,
  type HashSeed,
  randomSeed,
} from "../../src/formats/address_set.ts";

const SEED: HashSeed = [20240506, 70809];

/** Addresses of printable ASCII, which bytes and text must agree on. */
const PRINTABLE = fc.string({ unit: fc.integer({ min: 0x21, max: 0x7f }).map(letter) });
const ANY = fc.string({ unit: fc.integer({ min: 0, max: 0xffff }).map(letter) });

function letter(code: number): string {
  return String.fromCharCode(code);
}

/** The bytes of an address with others around them. */
function viewOf(address: string, offset: number): DataView {
  const bytes = new TextEncoder().encode(`${"<".repeat(offset)}${address}</loc>`);
  return new DataView(bytes.buffer);
}

function addBytes(set: AddressSet, address: string, start = "", offset = 0): boolean | undefined {
  return set.addBytes(
    viewOf(address, offset),
    offset,
    offset + address.length,
    set.beginning(start),
  );
}

Deno.test("AddressSet.add() tells new addresses from those given before", () => {
  fc.assert(fc.property(fc.array(ANY), (addresses) => {
    const set = new AddressSet(SEED);
    const seen = new Set<string>();
    for (const address of [...addresses, ...addresses]) {
      assertEquals(set.add(address), !seen.has(address));
      seen.add(address);
    }
  }));
});

Deno.test("AddressSet.addBytes() is the same as add() of the text, whatever begins alike", () => {
  fc.assert(fc.property(PRINTABLE, fc.nat(60), fc.nat(3), (address, length, offset) => {
    const start = address.slice(0, length);
    const byText = new AddressSet(SEED);
    assertEquals(byText.add(address), true);
    assertEquals(addBytes(byText, address, start, offset), false);
    const byBytes = new AddressSet(SEED);
    assertEquals(addBytes(byBytes, address, start, offset), true);
    assertEquals(byBytes.add(address), false);
    assertEquals(addBytes(byBytes, address), false, "without a beginning");
  }));
});

Deno.test("AddressSet.addBytes() does nothing for other than printable ASCII", () => {
  const odd = [" ", "\n", "\0", "\x1f", "é", "\x80", "😀"];
  fc.assert(fc.property(PRINTABLE, fc.constantFrom(...odd), PRINTABLE, (before, odd, behind) => {
    const set = new AddressSet(SEED);
    const address = before + odd + behind;
    const view = viewOf(address, 0);
    const end = new TextEncoder().encode(address).length;
    assertEquals(set.addBytes(view, 0, end, set.beginning("")), undefined);
    assertEquals(set.add(address), true);
    assertEquals(set.add(address), false);
  }));
});

Deno.test("AddressSet.add() looks at all of each character", () => {
  const set = new AddressSet(SEED);
  // all of them have the lowest seven or eight bits in common
  const alike = ["/a", "/\u0161", "/\u0261", "/\u00e1", "/\u2061", "/a\0", "/a\0\0", "\0/a", "/ a"];
  assertEquals(alike.map((address) => set.add(address)), alike.map(() => true));
  assertEquals(alike.map((address) => set.add(address)), alike.map(() => false));
});

Deno.test("AddressSet knows addresses apart that are made of the same parts", () => {
  const set = new AddressSet(SEED);
  const parts = ["abcd", "bcda", "aaaa", "aaab", "a", "ab", "ab/c", ""];
  const addresses = new Set(
    parts.flatMap((a) => parts.flatMap((b) => parts.map((c) => `https://a.test/${a}${b}${c}`))),
  );
  for (const address of addresses) assert(set.add(address), address);
  for (const address of addresses) assert(!set.add(address), address);
});

Deno.test("AddressSet takes a million addresses without a collision", () => {
  for (const seed of [SEED, [0, 0], [-1, 1]] as const) {
    const set = new AddressSet(seed);
    const start = "https://www.site.test/";
    const beginning = set.beginning(start);
    const encoder = new TextEncoder();
    const bytes = new Uint8Array(64);
    const view = new DataView(bytes.buffer);
    let known = 0;
    for (let number = 0; number < 1_000_000; number++) {
      // numbers of one length and of several, such as addresses have
      const address = number % 2 === 0
        ? `${start}products/${number}`
        : `${start}p?id=${String(number).padStart(8, "0")}&x`;
      const { written } = encoder.encodeInto(address, bytes);
      if (set.addBytes(view, 0, written, beginning) !== true) known++;
    }
    assertEquals(known, 0);
    assertEquals(set.add(`${start}products/0`), false);
    assertEquals(set.add(`${start}p?id=00999999&x`), false);
    assertEquals(set.add(`${start}products/1`), true);
  }
});

Deno.test("AddressSet takes an address whose hash is zero", () => {
  const set = new AddressSet([0, 0]);
  assertEquals([set.add(""), set.add(""), addBytes(set, "")], [true, false, false]);
});

Deno.test("AddressSet.clear() forgets all addresses, of few or of many", () => {
  const set = new AddressSet(SEED);
  for (const count of [1, 30, 5000, 3, 0, 200, 20_000, 1]) {
    for (let number = 0; number < count; number++) assert(set.add(`/${number}`));
    for (let number = 0; number < count; number++) assert(!set.add(`/${number}`));
    set.clear();
  }
  assertEquals(set.add("/0"), true);
});

Deno.test("AddressSets hands out empty sets, and those given back again", () => {
  const sets = new AddressSets(SEED);
  const [first, second] = [sets.take(), sets.take()];
  assert(first !== second);
  first.add("/a");
  assertEquals(second.add("/a"), true);
  sets.give(first);
  const third = sets.take();
  assert(third === first);
  assertEquals(third.add("/a"), true);
  assertEquals(new AddressSets().take().add("/a"), true);
});

Deno.test("randomSeed() gives another seed each time", () => {
  assertNotEquals(randomSeed(), randomSeed());
});
