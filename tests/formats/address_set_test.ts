import { assert, assertEquals, assertNotEquals } from "@std/assert";
import fc from "fast-check";
import { type HashSeed, randomSeed } from "../../src/formats/address_hash.ts";
import { AddressSet, AddressSets } from "../../src/formats/address_set.ts";

const SEED: HashSeed = [20240506, 70809];

/** Characters of one to four bytes, control characters among them. */
const ANY = fc.string({ unit: "binary" });
const PLAIN = fc.string({ unit: "grapheme", minLength: 8 });

/** Adds an address by its bytes, which have others around them. */
function addBytes(set: AddressSet, address: string, offset = 0): boolean {
  const bytes = new TextEncoder().encode(`${"<".repeat(offset)}${address}</loc>`);
  set.hash.take(new DataView(bytes.buffer), offset, bytes.length - "</loc>".length);
  return set.addHash(set.hash.high, set.hash.low);
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

Deno.test("AddressHash makes the same of bytes and of text", () => {
  fc.assert(fc.property(PLAIN, fc.nat(9), (address, offset) => {
    const byText = new AddressSet(SEED);
    assertEquals(byText.add(address), true);
    assertEquals(addBytes(byText, address, offset), false);
    const byBytes = new AddressSet(SEED);
    assertEquals(addBytes(byBytes, address, offset), true);
    assertEquals(byBytes.add(address), false);
    assertEquals(byBytes.hash.hasControl, false);
  }));
  const long = `https://site.test/${"ab".repeat(5000)}`;
  const set = new AddressSet(SEED);
  assertEquals([set.add(long), addBytes(set, long), addBytes(set, `${long}c`)], [
    true,
    false,
    true,
  ]);
});

Deno.test("AddressHash.takeToTag() hashes up to the next tag as take() does", () => {
  const addresses = fc.tuple(fc.webUrl(), fc.string({ unit: "grapheme" })).map((parts) =>
    parts.join("").replaceAll("<", "")
  );
  fc.assert(fc.property(addresses, fc.nat(9), fc.nat(40), (address, offset, known) => {
    const { hash } = new AddressSet(SEED);
    const bytes = new TextEncoder().encode(`${"<".repeat(offset)}${address}</loc></url>`);
    const end = bytes.length - "</loc></url>".length;
    const view = new DataView(bytes.buffer);
    hash.take(view, offset, end);
    const expected = [end, hash.high, hash.low, hash.hasControl];
    const beginning = hash.behind(/^[!-~]{8,}/.exec(address)![0].slice(0, 8 + known));
    assertEquals([hash.high, hash.low], expected.slice(1, 3));
    hash.takeText("https://site.test/another");
    const found = hash.takeToTag(view, offset, beginning);
    assertEquals([found, hash.high, hash.low, hash.hasControl], expected);
  }));
});

Deno.test("AddressHash.takeToTag() finds control characters, and the first tag alone", () => {
  const { hash } = new AddressSet(SEED);
  const beginning = hash.behind("https://");
  for (let length = 0; length < 20; length++) {
    for (
      const [rest, hasControl] of [["/<<;=\x01", false], ["\n<loc>", true], [
        "\x80<",
        false,
      ]] as const
    ) {
      const bytes = new TextEncoder().encode(`https://${"x".repeat(length)}${rest}<<<<<<<<`);
      const found = hash.takeToTag(new DataView(bytes.buffer), 0, beginning);
      assertEquals([found, hash.hasControl], [bytes.indexOf(0x3c), hasControl]);
    }
  }
});

Deno.test("AddressHash.takeToTag() gives up without a tag, and on long addresses", () => {
  const { hash } = new AddressSet(SEED);
  for (const length of [0, 1, 7, 8, 100, 8192, 20_000]) {
    const address = `https://site.test/${"a".repeat(length)}`;
    const beginning = hash.behind("https://site.test/");
    const bytes = new TextEncoder().encode(`${address}</loc></url>`);
    assertEquals(hash.takeToTag(new DataView(bytes.buffer, 0, address.length), 0, beginning), -1);
    const found = hash.takeToTag(new DataView(bytes.buffer), 0, beginning);
    assertEquals(found, length < 8000 ? address.length : -1);
  }
});

Deno.test("AddressHash makes the same of long bytes and of long text, whatever its letters", () => {
  const letters = ["a", "é", "€", "\u{1f577}"];
  for (const letter of letters) {
    for (let shift = 0; shift < 4; shift++) {
      for (const count of [2040, 2700, 4090, 4096, 8180, 8192, 12_290, 40_000]) {
        const address = `https://site.test/${"b".repeat(shift)}${letter.repeat(count)}`;
        const set = new AddressSet(SEED);
        assertEquals([set.add(address), addBytes(set, address)], [true, false]);
        assertEquals(addBytes(set, `${address}b`), true);
        assertEquals(set.add(`c${address}`), true);
      }
    }
  }
});

Deno.test("AddressHash finds a control character in any piece of a long address", () => {
  const { hash } = new AddressSet(SEED);
  for (const at of [0, 100, 4095, 4096, 9000, 19_999]) {
    const address = `${"a".repeat(at)}\n${"a".repeat(20_000 - at)}`;
    hash.takeText(address);
    assertEquals(hash.hasControl, true);
    hash.takeText("a".repeat(20_000));
    assertEquals(hash.hasControl, false);
  }
});

Deno.test("AddressHash finds a control character wherever it stands", () => {
  const { hash } = new AddressSet(SEED);
  for (let length = 8; length < 30; length++) {
    for (let at = 0; at < length; at++) {
      for (const odd of ["\0", "\n", "\x1f", " ", "~", "\x7f"]) {
        hash.takeText("x".repeat(at) + odd + "x".repeat(length - at - 1));
        assertEquals(hash.hasControl, odd < " ", `${JSON.stringify(odd)} at ${at} of ${length}`);
      }
    }
  }
  hash.takeText("https://site.test/größe/日本/😀");
  assertEquals(hash.hasControl, false);
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
      set.hash.take(view, 0, written);
      if (!set.addHash(set.hash.high, set.hash.low)) known++;
    }
    assertEquals(known, 0);
    assertEquals(set.add(`${start}products/0`), false);
    assertEquals(set.add(`${start}p?id=00999999&x`), false);
    assertEquals(set.add(`${start}products/1`), true);
  }
});

Deno.test("AddressSet takes an address whose hash is zero", () => {
  const set = new AddressSet(SEED);
  assertEquals([set.addHash(0, 0), set.addHash(0, 0)], [true, false]);
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
