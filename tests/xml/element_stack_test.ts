import { assertEquals, assertStrictEquals } from "@std/assert";
import { AttributeName } from "../../src/xml/attribute_names.ts";
import { Attributes } from "../../src/xml/attributes.ts";
import { ElementStack } from "../../src/xml/element_stack.ts";
import { XmlNames } from "../../src/xml/names.ts";
import { sourceOf } from "./sources.ts";

function attributesOf(values: Readonly<Record<string, string>>): Attributes {
  const attributes = new Attributes(sourceOf(""), { maxAttributes: 10, maxValueLength: 1000 });
  attributes.begin(0);
  for (const [name, value] of Object.entries(values)) {
    attributes.add(new AttributeName(name), value, true, "test");
  }
  return attributes;
}

Deno.test("ElementStack opens, closes and finds elements", () => {
  const names = new XmlNames();
  const stack = new ElementStack();
  assertEquals([stack.depth, stack.innermostName, stack.pop(), stack.depthOf("a")], [
    0,
    undefined,
    undefined,
    0,
  ]);
  const a = stack.push(names.get("p:A"), attributesOf({ "xmlns:p": " u ", "x": "y" }));
  const b = stack.push(names.get("b"), attributesOf({}));
  stack.push(names.get("c"));
  assertEquals([a.uri, b.uri, b.attributes.size, [...a.attributes.keys()]], [
    ...["u", "", 0],
    ["xmlns:p", "x"],
  ]);
  assertEquals([stack.depth, stack.weight, stack.innermostName?.name], [3, 12, "c"]);
  assertEquals(["p:a", "b", "c", "d"].map((name) => stack.depthOf(name)), [1, 2, 3, 0]);
  assertStrictEquals(stack.pop(), names.get("c"));
  assertStrictEquals(stack.pop(), names.get("b"));
  assertStrictEquals(stack.innermostName, names.get("p:A"));
  assertStrictEquals(stack.pop(), names.get("p:A"));
  assertEquals([stack.weight, stack.depth, stack.uriOf("p")], [0, 0, undefined]);
});

Deno.test("ElementStack shares elements without attributes where namespaces are the same", () => {
  const names = new XmlNames();
  const stack = new ElementStack();
  stack.push(names.get("root"), attributesOf({ "xmlns": "outer" }));
  const outer = stack.plain(names.get("a"));
  assertStrictEquals(stack.push(names.get("a")), outer);
  stack.pop();
  stack.push(names.get("b"), attributesOf({ "id": "1" }));
  assertStrictEquals(stack.plain(names.get("a")), outer);
  stack.push(names.get("c"), attributesOf({ "xmlns": "inner" }));
  assertEquals([outer.uri, stack.plain(names.get("a")).uri], ["outer", "inner"]);
  stack.push(names.get("c"), attributesOf({ "xmlns": "inmost" }));
  assertEquals(stack.plain(names.get("a")).uri, "inmost");
  stack.pop();
  assertEquals(stack.plain(names.get("a")).uri, "inner");
  stack.pop();
  assertEquals(stack.plain(names.get("a")), outer);
});

Deno.test("names do not keep namespaces that are longer than anybody means", () => {
  const names = new XmlNames();
  for (const [length, isKept] of [[256, true], [257, false]] as const) {
    const uri = "u".repeat(length);
    const stack = new ElementStack();
    stack.push(names.get(`root${length}`), attributesOf({ "xmlns": uri }));
    const name = names.get(`a${length}`);
    assertEquals(stack.plain(name).uri, uri);
    assertEquals(name.plain !== undefined, isKept);
  }
});
