import { assertEquals, assertNotStrictEquals, assertStrictEquals } from "@std/assert";
import fc from "fast-check";
import { ValueScan } from "../../src/bytes/value_scan.ts";
import { Namespaces, Scope } from "../../src/xml/names.ts";

Deno.test("Namespaces.lookup() returns the innermost binding", () => {
  const namespaces = new Namespaces(new ValueScan([1, 1]));
  assertEquals(namespaces.lookup("a"), undefined);
  assertEquals(namespaces.lookup(""), undefined);
  namespaces.bind("a", "1");
  namespaces.bind("", "2");
  namespaces.bind("a", "3");
  assertEquals([namespaces.lookup("a"), namespaces.lookup("")], ["3", "2"]);
  assertEquals(namespaces.lookup("b"), undefined);
});

Deno.test("Namespaces binds xml and xmlns from the start", () => {
  const namespaces = new Namespaces(new ValueScan([1, 1]));
  namespaces.releaseTo(new Scope());
  assertEquals(namespaces.lookup("xml"), "http://www.w3.org/XML/1998/namespace");
  assertEquals(namespaces.lookup("xmlns"), "http://www.w3.org/2000/xmlns/");
});

Deno.test("Namespaces.releaseTo() drops the bindings behind a scope, and no others", () => {
  const prefix = fc.constantFrom("", "a", "b", "aa", "xml", "é");
  const element = fc.array(fc.tuple(prefix, fc.constantFrom("u", "v", "")), { maxLength: 4 });
  fc.assert(
    fc.property(fc.array(fc.option(element), { maxLength: 30 }), fc.integer(), (steps, seed) => {
      const namespaces = new Namespaces(new ValueScan([seed, 1]));
      const stack: (readonly [Scope, ReadonlyMap<string, string>])[] = [[new Scope(), new Map()]];
      for (const bindings of steps) {
        const [outer, known] = stack.at(-1)!;
        if (bindings === null) {
          if (stack.length > 1) stack.pop();
          namespaces.releaseTo(stack.at(-1)![0]);
        } else {
          let scope = outer;
          const inner = new Map(known);
          for (const [prefix, uri] of bindings) {
            scope = scope.with(prefix, uri);
            namespaces.bind(prefix, uri);
            inner.set(prefix, uri);
          }
          stack.push([scope, inner]);
        }
        const expected = stack.at(-1)![1];
        for (const prefix of ["", "a", "b", "aa", "é"]) {
          assertEquals(namespaces.lookup(prefix), expected.get(prefix));
        }
      }
    }),
    { numRuns: 500 },
  );
});

Deno.test("Scope.with() returns the same scope for the same bindings, as far as they are kept", () => {
  const root = new Scope();
  const scope = root.with("a", "u").with("b", "v");
  assertStrictEquals(root.with("a", "u").with("b", "v"), scope);
  assertNotStrictEquals(root.with("b", "v").with("a", "u"), scope);
  assertEquals([scope.size, scope.weight, root.size, root.weight], [2, 4, 0, 0]);
  const kept = Array.from({ length: 14 }, (_, at) => root.with("p", String(at)));
  for (const [at, scope] of kept.entries()) assertStrictEquals(root.with("p", String(at)), scope);
  // one too many, and one too long
  assertNotStrictEquals(root.with("p", "x"), root.with("p", "x"));
  const other = new Scope(), long = "u".repeat(300);
  assertNotStrictEquals(other.with("p", long), other.with("p", long));
  assertEquals(other.with("p", long).uri, long);
});
