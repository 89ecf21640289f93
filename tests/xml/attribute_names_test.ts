import { assertEquals } from "@std/assert";
import { AttributeName, AttributeNames } from "../../src/xml/attribute_names.ts";
import { PADDING, sourceOf } from "./sources.ts";

/** The names found at each `|`, which is not part of the text. */
function namesOf(marked: string): (string | undefined)[] {
  const pieces = marked.split("|");
  const names = new AttributeNames();
  const source = sourceOf(pieces.join(""));
  let at = 0;
  return pieces.slice(0, -1).map((piece) => {
    source.at = at += piece.length;
    return names.whole(source)?.name;
  });
}

Deno.test("AttributeName knows what it binds", () => {
  const bound = (name: string) => new AttributeName(name).boundPrefix;
  assertEquals(["xmlns", "xmlns:a", "xmlns:a:b", "xmlns:"].map(bound), ["", "a", "a:b", ""]);
  assertEquals(["xmlnsx", "xml", "a:xmlns", "", "XMLNS"].map(bound), Array(5).fill(undefined));
});

Deno.test("AttributeNames finds names before quotes, again and again, with and without bytes", () => {
  const tag = `<a |rel="x" |type='y' |href="z" |rel="x"/>`;
  const names = ["rel", "type", "href", "rel"];
  for (const padding of ["", PADDING, "é"]) {
    assertEquals(namesOf(tag + tag + tag + padding), [...names, ...names, ...names]);
  }
});

Deno.test("AttributeNames leaves to others what is not whole, or has no quotes", () => {
  const unwhole = ['|a ="b"', "|a", "|a=", "|a=b", '|a= "b"', '|a>="b"', `|${"n".repeat(257)}="b"`];
  for (const text of unwhole) {
    assertEquals(namesOf(text), [undefined], text);
    assertEquals(namesOf(PADDING + text), [undefined], text);
  }
  assertEquals(namesOf(`${PADDING}|a="1" |b="2" |a='1' |b=`), ["a", "b", "a", undefined]);
});
