import { assert, assertEquals } from "@std/assert";
import { cutMiddle, padEnd, padStart, widthOf, wrap } from "../../src/cli/terminal.ts";

Deno.test("widthOf() counts columns, not characters", () => {
  assertEquals(widthOf("abc"), 3);
  assertEquals(widthOf("müllerei"), 8);
  assertEquals(widthOf("水車小屋"), 8);
  assertEquals(widthOf("e\u0301"), 1);
  assertEquals(widthOf("🌾"), 2);
});

Deno.test("cutMiddle() never exceeds the width", () => {
  assertEquals(cutMiddle("https://example.com/a", 11), "https…com/a");
  assertEquals(cutMiddle("short", 5), "short");
  for (const text of ["https://example.com/水車小屋/🌾🌾🌾", "水車小屋水車小屋"]) {
    for (let width = 0; width <= 20; width++) {
      assert(widthOf(cutMiddle(text, width)) <= width);
    }
  }
});

Deno.test("padEnd() and padStart() fill up to a width", () => {
  assertEquals([padEnd("水", 4), padStart("7", 3), padEnd("long", 2)], ["水  ", "  7", "long"]);
});

Deno.test("wrap() breaks at spaces and cuts words that are too long", () => {
  assertEquals(wrap("one two three", 7), ["one two", "three"]);
  assertEquals(wrap("a https://example.com/a b", 11), ["a", "https…com/a", "b"]);
  assertEquals(wrap("", 5), [""]);
});
