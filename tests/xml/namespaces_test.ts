import { assertEquals } from "@std/assert";
import { nameHash } from "../../src/xml/name_hash.ts";
import { Namespaces } from "../../src/xml/namespaces.ts";

Deno.test("Namespaces binds and releases, and knows two without being told", () => {
  const namespaces = new Namespaces();
  assertEquals(namespaces.lookup("xml"), "http://www.w3.org/XML/1998/namespace");
  assertEquals(namespaces.lookup("xmlns"), "http://www.w3.org/2000/xmlns/");
  assertEquals([namespaces.lookup(""), namespaces.lookup("a")], [undefined, undefined]);
  namespaces.bind({ prefix: "a", uri: "1", outer: undefined });
  namespaces.bind({ prefix: "a", uri: "2", outer: undefined });
  assertEquals(namespaces.lookup("a"), "2");
  namespaces.release("a");
  assertEquals(namespaces.lookup("a"), "1");
  namespaces.release("a");
  namespaces.release("a");
  assertEquals(namespaces.lookup("a"), undefined);
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
  const bind = (namespaces: Namespaces, prefix: string, uri: string) =>
    namespaces.bind({ prefix, uri, outer: undefined });
  for (const order of [[first, second], [second, first]]) {
    const namespaces = new Namespaces();
    bind(namespaces, first, "1");
    assertEquals([first, second].map((prefix) => namespaces.lookup(prefix)), ["1", undefined]);
    bind(namespaces, second, "2");
    bind(namespaces, first, "3");
    assertEquals([first, second].map((prefix) => namespaces.lookup(prefix)), ["3", "2"]);
    for (const prefix of order) namespaces.release(prefix);
    assertEquals([first, second].map((prefix) => namespaces.lookup(prefix)), ["1", undefined]);
    namespaces.release(first);
    assertEquals(namespaces.lookup(first), undefined);
  }
});
