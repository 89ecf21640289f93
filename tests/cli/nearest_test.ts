import { assertEquals } from "@std/assert";
import { nearest } from "../../src/cli/arguments.ts";

const WORDS = ["format", "output", "known-path", "no-known"];

Deno.test("nearest() finds the word that was meant", () => {
  assertEquals(nearest("fromat", WORDS), "format");
  assertEquals(nearest("FORMAT", WORDS), "format");
  assertEquals(nearest("no", WORDS), "no-known");
  assertEquals(nearest("know-path", WORDS), "known-path");
});

Deno.test("nearest() does not guess", () => {
  assertEquals(nearest("foo", WORDS), undefined);
  assertEquals(nearest("verbose", WORDS), undefined);
  assertEquals(nearest("", WORDS), undefined);
  assertEquals(nearest("format", []), undefined);
});
