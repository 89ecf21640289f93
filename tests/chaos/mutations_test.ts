import { assertEquals, assertThrows } from "@std/assert";
import { mutate, type Mutation, MUTATIONS, sourceOf } from "../../tools/chaos/mutations.ts";

for (const mutation of MUTATIONS) {
  Deno.test(`the mutation "${mutation.name}" applies to the source`, () => {
    const source = sourceOf(mutation);
    const mutated = mutate(source, mutation);
    const { search, replacement } = mutation;
    assertEquals(mutated.length, source.length - search.length + replacement.length);
  });
}

Deno.test("mutate() refuses a text that does not occur once", () => {
  const mutation: Mutation = {
    ...{ name: "x", file: "x.ts", search: "a", replacement: "b", tests: [] },
  };
  assertEquals(mutate("-a-", mutation), "-b-");
  assertThrows(() => mutate("-", mutation), Error, "0 times");
  assertThrows(() => mutate("aa", mutation), Error, "2 times");
});
