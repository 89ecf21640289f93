import { assertEquals, assertStrictEquals } from "@std/assert";
import { hashByte, type InternedName, NameTable, passingName } from "../../src/xml/names.ts";

const encoder = new TextEncoder();

function find(table: NameTable, name: string): InternedName | undefined {
  const bytes = encoder.encode(`<${name}>`);
  const end = bytes.length - 1;
  const hash = bytes.subarray(1, end).reduce((hash, byte) => hashByte(hash, byte), 0);
  return table.find(bytes, 1, end, hash);
}

Deno.test("InternedName splits a name at its first colon", () => {
  const samples: readonly (readonly [string, string, string])[] = [
    ["loc", "", "loc"],
    ["image:Loc", "image", "Loc"],
    ["a:b:c", "a", "b:c"],
    [":b", "", ":b"],
    ["É:x", "É", "x"],
  ];
  for (const [name, prefix, local] of samples) {
    const interned = find(new NameTable(), name)!;
    assertEquals([interned.name, interned.prefix, interned.local], [name, prefix, local]);
    assertEquals(interned.lowerName, name.toLowerCase());
    assertEquals(interned.lowerLocal, local.toLowerCase());
    assertEquals([...interned.bytes], [...encoder.encode(name)]);
  }
});

Deno.test("InternedName knows which attributes bind namespaces", () => {
  const prefixes = { "xmlns": "", "xmlns:a": "a", "xmlnsx": undefined, "xml:base": undefined };
  for (const [name, prefix] of Object.entries(prefixes)) {
    const interned = find(new NameTable(), name)!;
    assertEquals([interned.boundPrefix, interned.isSpecial], [prefix, name !== "xmlnsx"], name);
  }
});

Deno.test("NameTable.find() returns the same name for the same bytes, each with its own id", () => {
  const table = new NameTable();
  const names = Array.from({ length: 400 }, (_, at) => find(table, `name-${at}`)!);
  for (const [at, name] of names.entries()) {
    assertStrictEquals(find(table, `name-${at}`), name);
    assertEquals([name.name, name.id], [`name-${at}`, at]);
  }
});

Deno.test("NameTable.find() keeps no more names than it should, and none that are long", () => {
  const table = new NameTable();
  assertEquals(find(table, "n".repeat(65)), undefined);
  let kept = 0;
  for (let at = 0; at < 2000; at++) if (find(table, `n${at}`) !== undefined) kept++;
  assertEquals(kept, 512);
  assertEquals(find(table, "n0")?.name, "n0", "those that are kept are still found");
  assertEquals(find(table, "new"), undefined);
});

Deno.test("NameTable.find() tells names of the same hash apart, and gives up if there are many", () => {
  const table = new NameTable();
  const found: (string | undefined)[] = [];
  for (let at = 0; at < 40; at++) {
    const bytes = encoder.encode(`n${at}`);
    found.push(table.find(bytes, 0, bytes.length, 7)?.name);
  }
  for (const [at, name] of found.entries()) {
    const bytes = encoder.encode(`n${at}`);
    assertEquals(table.find(bytes, 0, bytes.length, 7)?.name, name);
  }
  assertEquals(found.slice(0, 10), Array.from({ length: 10 }, (_, at) => `n${at}`));
  assertEquals(found.at(-1), undefined);
});

Deno.test("passingName() reads a name up to a limit", () => {
  const bytes = encoder.encode("é".repeat(3000));
  const name = passingName(bytes, 0, bytes.length);
  assertEquals([name.name, name.id], ["é".repeat(512), -1]);
  const short = encoder.encode("a:b");
  assertEquals(passingName(short, 0, 3).prefix, "a");
});
