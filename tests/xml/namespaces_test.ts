import { assertEquals } from "@std/assert";
import { nameHash } from "../../src/xml/name_hash.ts";
import { Namespaces } from "../../src/xml/namespaces.ts";

Deno.test("Namespaces binds and releases, and knows two without being told", () => {
  const namespaces = new Namespaces();
  assertEquals(namespaces.lookup("xml"), "http://www.w3.org/XML/1998/namespace");
  assertEquals(namespaces.lookup("xmlns"), "http://www.w3.org/2000/xmlns/");
  assertEquals([namespaces.lookup(""), namespaces.lookup("a")], [undefined, undefined]);
  const { count } = namespaces;
  namespaces.bind({ prefix: "a", uri: "1" });
  namespaces.bind({ prefix: "a", uri: "2" });
  assertEquals([namespaces.lookup("a"), namespaces.count], ["2", count + 2]);
  namespaces.releaseTo(count + 1);
  assertEquals([namespaces.lookup("a"), namespaces.count], ["1", count + 1]);
  namespaces.releaseTo(count);
  namespaces.releaseTo(count);
  assertEquals([namespaces.lookup("a"), namespaces.count], [undefined, count]);
  assertEquals(namespaces.lookup("xml"), "http://www.w3.org/XML/1998/namespace");
});

/** Two names with the same hash; among 200,000 there are some. */
function collidingNames(): [string, string] {
  const seen = new Map<number, string>();
  for (let at = 0;; at++) {
    const name = `n${at}`, hash = nameHash(name);
    const other = seen.get(hash);
    if (other !== undefined) return [other, name];
    seen.set(hash, name);
  }
}

Deno.test("Namespaces tells prefixes apart whose hashes are the same", () => {
  const [first, second] = collidingNames();
  const namespaces = new Namespaces();
  const { count } = namespaces;
  const assertBound = (...uris: (string | undefined)[]) => {
    assertEquals([first, second].map((prefix) => namespaces.lookup(prefix)), uris);
  };
  namespaces.bind({ prefix: first, uri: "1" });
  assertBound("1", undefined);
  namespaces.bind({ prefix: second, uri: "2" });
  assertBound("1", "2");
  namespaces.bind({ prefix: first, uri: "3" });
  assertBound("3", "2");
  namespaces.releaseTo(count + 2);
  assertBound("1", "2");
  namespaces.releaseTo(count + 1);
  assertBound("1", undefined);
  namespaces.releaseTo(count);
  assertBound(undefined, undefined);
});
