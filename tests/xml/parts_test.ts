import { assertEquals, assertStrictEquals } from "@std/assert";
import { XmlNames } from "../../src/xml/element.ts";
import { ElementStack } from "../../src/xml/element_stack.ts";
import { Namespaces } from "../../src/xml/namespaces.ts";
import { TextNormalizer } from "../../src/xml/normalize.ts";

Deno.test("Namespaces binds and releases, and knows two without being told", () => {
  const namespaces = new Namespaces();
  assertEquals(namespaces.lookup("xml"), "http://www.w3.org/XML/1998/namespace");
  assertEquals(namespaces.lookup("xmlns"), "http://www.w3.org/2000/xmlns/");
  assertEquals([namespaces.lookup(""), namespaces.lookup("a")], [undefined, undefined]);
  namespaces.bind("a", "1");
  namespaces.bind("a", "2");
  assertEquals(namespaces.lookup("a"), "2");
  namespaces.release("a");
  assertEquals(namespaces.lookup("a"), "1");
  namespaces.release("a");
  namespaces.release("a");
  assertEquals(namespaces.lookup("a"), undefined);
});

Deno.test("XmlNames takes each name apart once", () => {
  const names = new XmlNames();
  const parts = names.get("Image:Loc");
  assertEquals(parts, {
    name: "Image:Loc",
    prefix: "Image",
    local: "Loc",
    lowerName: "image:loc",
    lowerLocal: "loc",
  });
  assertStrictEquals(names.get("Image:Loc"), parts);
  assertEquals(names.get(":a").prefix, "");
  assertEquals(names.get("a:b:c").local, "b:c");
});

Deno.test("XmlNames finds names in the middle of a text", () => {
  const names = new XmlNames();
  const text = "<loc><lac><loc>";
  assertEquals(
    [[1, 4], [6, 9], [11, 14]].map(([start, end]) => names.between(text, start!, end!)),
    [
      "loc",
      "lac",
      "loc",
    ],
  );
});

Deno.test("XmlNames keeps no more than so many names, and no long ones", () => {
  const names = new XmlNames();
  for (let i = 0; i < 1000; i++) names.get(`n${i}`);
  assertEquals(names.get("late") === names.get("late"), false);
  assertStrictEquals(names.get("n5"), names.get("n5"));
  const long = "l".repeat(65);
  assertEquals(new XmlNames().get(long).name, long);
});

Deno.test("ElementStack opens, closes and finds elements", () => {
  const names = new XmlNames();
  const stack = new ElementStack();
  assertEquals([stack.depth, stack.innermost, stack.pop(), stack.depthOf("a")], [
    0,
    undefined,
    undefined,
    0,
  ]);
  const a = stack.push(names.get("p:A"), new Map([["xmlns:p", " u "], ["x", "y"]]), 9);
  const b = stack.push(names.get("b"), undefined, 0);
  assertEquals([a.uri, b.uri, b.attributes.size], ["u", "", 0]);
  assertEquals([stack.depth, stack.weight, stack.depthOf("p:a"), stack.depthOf("b")], [2, 9, 1, 2]);
  assertStrictEquals(stack.innermost, b);
  assertStrictEquals(stack.pop(), b);
  assertStrictEquals(stack.pop(), a);
  assertEquals([stack.weight, stack.uriOf("p")], [0, undefined]);
});

Deno.test("TextNormalizer unites a CR and LF that an edge parts", () => {
  const normalized = (...chunks: string[]) => {
    const normalizer = new TextNormalizer();
    return chunks.map((chunk) => normalizer.normalize(chunk, () => {}));
  };
  assertEquals(normalized("a\r\nb\rc\n"), ["a\nb\nc\n"]);
  assertEquals(normalized("a\r", "\nb", "\n"), ["a\n", "b", "\n"]);
  assertEquals(normalized("\r", "\r", "\n", "\n"), ["\n", "\n", "", "\n"]);
});

Deno.test("TextNormalizer leaves out what is forbidden, and tells where it stood", () => {
  const told: unknown[] = [];
  const text = new TextNormalizer().normalize("a\0b\x1f\x1f\uffffc", (...what) => told.push(what));
  assertEquals(text, "abc");
  assertEquals(told, [["U+0000", 1], ["U+001F", 2], ["U+001F", 2], ["U+FFFF", 2]]);
});
