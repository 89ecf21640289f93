import { assertEquals, assertNotStrictEquals, assertStrictEquals } from "@std/assert";
import fc from "../support/fast_check.ts";
import { Window } from "../../src/bytes/window.ts";
import { InternedName, NameTable, Scope } from "../../src/xml/names.ts";

const ENCODER = new TextEncoder();

function windowOf(text: string): Window {
  const window = new Window();
  window.load(ENCODER.encode(text));
  return window;
}

function intern(table: NameTable, name: string): InternedName {
  const window = windowOf(`<${name}>`);
  return table.intern(window, 1, window.bytes.length - 1);
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
    const interned = intern(new NameTable(), name);
    assertEquals([interned.name, interned.prefix, interned.local], [name, prefix, local]);
    assertEquals(interned.lowerName, name.toLowerCase());
    assertEquals(interned.lowerLocal, local.toLowerCase());
    assertEquals(interned.isAt(windowOf(`</${name}>`).view, 2), true);
  }
});

Deno.test("InternedName reads a name up to a limit", () => {
  const window = windowOf("é".repeat(3000));
  const name = new InternedName(window, 0, window.bytes.length);
  assertEquals([name.name, name.length, name.id], ["é".repeat(512), 1024, -1]);
});

Deno.test("NameTable.intern() returns the same object for the same name, with an id", () => {
  const table = new NameTable();
  const names = Array.from({ length: 400 }, (_, at) => intern(table, `name-${at}`));
  for (const [at, name] of names.entries()) {
    assertStrictEquals(intern(table, `name-${at}`), name);
    assertEquals([name.name, name.id], [`name-${at}`, at]);
  }
});

Deno.test("NameTable.intern() keeps a limited number of names, and no long ones", () => {
  const table = new NameTable();
  assertEquals(intern(table, "n".repeat(65)).id, -1);
  let kept = 0;
  for (let at = 0; at < 2000; at++) if (intern(table, `n${at}`).id >= 0) kept++;
  assertEquals(kept, 512);
  assertStrictEquals(intern(table, "n0"), intern(table, "n0"));
  const other = intern(table, "other");
  assertEquals([other.name, other.id], ["other", -1]);
});

Deno.test("Scope.lookup() finds the innermost binding of a prefix", () => {
  const prefix = fc.constantFrom("", "a", "b", "aa", "xml", "é");
  const bindings = fc.array(fc.tuple(prefix, fc.constantFrom("u", "v", "")), { maxLength: 30 });
  fc.assert(
    fc.property(bindings, (bindings) => {
      const expected = new Map([["xml", "http://www.w3.org/XML/1998/namespace"]]);
      let scope = new Scope();
      for (const [prefix, uri] of bindings) {
        scope = scope.with(prefix, uri);
        expected.set(prefix, uri);
        for (const prefix of ["", "a", "b", "aa", "xml", "é"]) {
          assertEquals(scope.lookup(prefix), expected.get(prefix));
        }
      }
    }),
    { numRuns: 500 },
  );
});

Deno.test("Scope.with() returns the same scope for the same bindings, up to a limit", () => {
  const root = new Scope();
  const scope = root.with("a", "u").with("b", "v");
  assertStrictEquals(root.with("a", "u").with("b", "v"), scope);
  assertNotStrictEquals(root.with("b", "v").with("a", "u"), scope);
  assertEquals([scope.weight, root.weight], [2052, 0]);
  const kept = Array.from({ length: 14 }, (_, at) => root.with("p", String(at)));
  for (const [at, scope] of kept.entries()) assertStrictEquals(root.with("p", String(at)), scope);
  // one too many, and one too long
  assertNotStrictEquals(root.with("p", "x"), root.with("p", "x"));
  const other = new Scope(), long = "u".repeat(300);
  assertNotStrictEquals(other.with("p", long), other.with("p", long));
});
