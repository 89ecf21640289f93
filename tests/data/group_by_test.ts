import { assertEquals } from "@std/assert";
import { groupBy } from "../../src/data/group_by.ts";

Deno.test("groupBy() keeps the order of keys and of items", () => {
  const groups = groupBy([3, 1, 4, 1, 5, 9], (number) => number % 2 === 0 ? "even" : "odd");
  assertEquals([...groups], [["odd", [3, 1, 1, 5, 9]], ["even", [4]]]);
  assertEquals([...groupBy([], String)], []);
});
