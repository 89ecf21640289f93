import { assertEquals } from "@std/assert";
import fc from "../support/fast_check.ts";
import { toText } from "../../src/write/mod.ts";
import { hostilePage } from "../data/arbitrary_page.ts";
import { written } from "./written.ts";

Deno.test("toText() writes any URL as one line", async () => {
  const page = { url: "https://a.test/\r\nhttps://evil.test/\u2028\x1b[2J" };
  assertEquals(
    await written(toText(), [page]),
    "https://a.test/%0D%0Ahttps://evil.test/%E2%80%A8%1B[2J\n",
  );
  await fc.assert(fc.asyncProperty(fc.array(hostilePage(), { maxLength: 5 }), async (pages) => {
    const text = await written(toText(), pages);
    // Everything that the reader of text sitemaps takes for the end of a line.
    // deno-lint-ignore no-control-regex
    const lines = text.split(/[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/);
    assertEquals(lines.length, pages.length + 1);
  }));
});
