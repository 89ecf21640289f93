import { assertEquals } from "@std/assert";
import fc from "../support/fast_check.ts";
import { toText } from "../../src/write/mod.ts";
import { anyText, hostilePage } from "../data/arbitrary_page.ts";
import { FULL_PAGE, PLAIN_PAGE, WALK } from "./samples.ts";
import { written } from "./written.ts";

const LINES = "https://example.com/plain\nhttps://example.com/full?a=1&b=2\n";

Deno.test("toText() writes the URLs of pages and events, one per line", async () => {
  assertEquals(await written(toText(), [PLAIN_PAGE, FULL_PAGE]), LINES);
  assertEquals(await written(toText(), WALK), LINES);
  assertEquals(await written(toText(), []), "");
});

Deno.test("toText() accepts plain data of pages, and events from JSON", async () => {
  assertEquals(await written(toText(), [{ url: "https://a.test/" }]), "https://a.test/\n");
  assertEquals(await written(toText(), JSON.parse(JSON.stringify(WALK))), LINES);
});

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

Deno.test("toText() encodes bidirectional controls", async () => {
  const url = "https://a.test/\u202efdp.exe\u2069\u200f\u061c";
  assertEquals(
    await written(toText(), [{ url }]),
    "https://a.test/%E2%80%AEfdp.exe%E2%81%A9%E2%80%8F%D8%9C\n",
  );
});

Deno.test("toText() writes URLs without white space and control characters unchanged", async () => {
  const odd = /[\s\p{Cc}\p{Bidi_Control}]/gu;
  const url = anyText().map((text) => `https://a.test/${text.replace(odd, "")}`);
  await fc.assert(fc.asyncProperty(url, async (url) => {
    assertEquals(await written(toText(), [{ url }]), `${url.toWellFormed()}\n`);
  }));
});
