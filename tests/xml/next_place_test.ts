import { assertEquals } from "@std/assert";
import { NextPlace } from "../../src/xml/next_place.ts";

Deno.test("NextPlace tells whether a character stands between places that come in order", () => {
  const place = new NextPlace("&");
  assertEquals(place.isBetween(0, 10), false);
  place.begin("ab&d&f");
  const pairs = [[0, 2], [0, 3], [2, 3], [3, 4], [3, 5], [4, 6], [5, 6], [5, 6]] as const;
  assertEquals(pairs.map(([start, end]) => place.isBetween(start, end)), [
    ...[false, true, true, false],
    ...[true, true, false, false],
  ]);
  place.begin("&");
  assertEquals([place.isBetween(0, 0), place.isBetween(0, 1)], [false, true]);
  place.begin("");
  assertEquals(place.isBetween(0, 1), false);
});
