import { assertEquals, assertStrictEquals } from "@std/assert";
import { XmlNames } from "../../src/xml/names.ts";
import { PADDING, sourceOf } from "./sources.ts";

/** The names of the start tags that stand at each `<`, `undefined` for what is no whole tag. */
function namesOf(text: string): (string | undefined)[] {
  const names = new XmlNames();
  const source = sourceOf(text);
  const found: (string | undefined)[] = [];
  for (let at = text.indexOf("<"); at >= 0; at = text.indexOf("<", at + 1)) {
    source.at = at;
    found.push(names.ofTag(source)?.name);
  }
  return found;
}

Deno.test("XmlNames takes each name apart once", () => {
  const names = new XmlNames();
  const { name, prefix, local, lowerName, lowerLocal, index } = names.get("Image:Loc");
  assertEquals([name, prefix, local, lowerName, lowerLocal, index], [
    ...["Image:Loc", "Image", "Loc", "image:loc", "loc"],
    0,
  ]);
  assertStrictEquals(names.get("Image:Loc"), names.get("Image:Loc"));
  assertEquals(names.get(":a").prefix, "");
  assertEquals([names.get("a:b:c").local, names.get("a:b:c").index], ["b:c", 2]);
});

Deno.test("XmlNames keeps no more than so many names, and no long ones", () => {
  const names = new XmlNames();
  for (let i = 0; i < 1000; i++) names.get(`n${i}`);
  assertEquals(names.get("late") === names.get("late"), false);
  assertEquals(names.get("late").index, -1);
  for (let i = 0; i < 1000; i++) assertEquals(names.get(`n${i}`).index, i);
  assertStrictEquals(names.get("n5"), names.get("n5"));
  const long = "l".repeat(65);
  assertEquals([new XmlNames().get(long).name, new XmlNames().get(long).index], [long, -1]);
});

Deno.test("XmlNames tells names apart that are alike to it, and keeps no more than some of them", () => {
  const names = new XmlNames();
  // 31 times "A" and "a" is as much as 31 times "B" and "B"
  let alike = [""];
  for (let pair = 0; pair < 5; pair++) alike = alike.flatMap((name) => [`${name}Aa`, `${name}BB`]);
  assertEquals(alike.map((name) => names.get(name).name), alike);
  const indexes = [...Array(16).keys(), ...Array(16).fill(-1)];
  assertEquals(alike.map((name) => names.get(name).index), indexes);
  assertEquals(names.get("other").index, 16);
});

Deno.test("XmlNames finds the names of start tags, the same ones and others, with and without bytes", () => {
  const record = '<url><loc><lac><loc id="1"><Loc\n><loc><loca>';
  const names = ["url", "loc", "lac", "loc", "Loc", "loc", "loca"];
  for (const padding of ["", PADDING, "é"]) {
    assertEquals(namesOf(record + record + record + padding), [...names, ...names, ...names]);
  }
});

Deno.test("XmlNames leaves to others what is no whole name before white space or the end of a tag", () => {
  const long = "l".repeat(257);
  for (const tag of ["</a>", "<!--", "<?a?>", "< a>", "<1>", "<a/>", "<a<b", `<${long}>`]) {
    assertEquals(namesOf(tag)[0], undefined, tag);
    assertEquals(namesOf(tag + PADDING)[0], undefined, tag);
  }
  assertEquals(namesOf("<abc"), [undefined], "it may go on in the next chunk");
  assertEquals(namesOf(`<a><b><a><b${PADDING}`), ["a", "b", "a", "b"]);
  assertEquals(namesOf(`${PADDING}<a><b><a><b><a><b`), ["a", "b", "a", "b", "a", undefined]);
});
