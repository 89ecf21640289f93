import { assertEquals } from "@std/assert";
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
