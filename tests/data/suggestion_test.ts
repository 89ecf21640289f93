import { assertEquals } from "@std/assert";
import { suggestion } from "../../src/data/suggestion.ts";

const WORDS = ["format", "output", "known-path", "no-known"];

Deno.test("suggestion() names the word that was meant", () => {
  assertEquals(suggestion("fromat", WORDS), '; did you mean "format"?');
  assertEquals(suggestion("FORMAT", WORDS, "--"), '; did you mean "--format"?');
  assertEquals(suggestion("no", WORDS), '; did you mean "no-known"?');
  assertEquals(suggestion("know-path", WORDS), '; did you mean "known-path"?');
});

Deno.test("suggestion() is empty if no word is close", () => {
  assertEquals(suggestion("foo", WORDS), "");
  assertEquals(suggestion("verbose", WORDS), "");
  assertEquals(suggestion("", WORDS), "");
  assertEquals(suggestion("format", []), "");
});
