import { assertEquals } from "@std/assert";
import { GatheredText } from "../../src/formats/record.ts";

Deno.test("GatheredText gives what it was given, and begins anew", () => {
  const gathered = new GatheredText();
  assertEquals([gathered.length, gathered.take()], [0, ""]);
  gathered.add("one piece of text");
  assertEquals([gathered.length, gathered.take(), gathered.length], [17, "one piece of text", 0]);
  for (const piece of ["a", "", "bc", "d"]) gathered.add(piece);
  assertEquals([gathered.length, gathered.take()], [4, "abcd"]);
  gathered.add("lost");
  gathered.add("too");
  gathered.clear();
  assertEquals([gathered.length, gathered.take()], [0, ""]);
});

Deno.test("GatheredText takes text of megabytes, in pieces of any length", () => {
  for (const size of [64 * 1024, 700_001, 3 * 1024 * 1024]) {
    const gathered = new GatheredText();
    const pieces = Array.from({ length: 7 }, (_, at) => String(at).repeat(size));
    for (const piece of pieces) gathered.add(piece);
    gathered.add("end");
    const expected = `${pieces.join("")}end`;
    assertEquals(gathered.length, expected.length);
    assertEquals(gathered.take() === expected, true);
  }
});
