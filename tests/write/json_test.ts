import { assertEquals, assertNotMatch } from "@std/assert";
import fc from "../support/fast_check.ts";
import { toJson } from "../../src/write/mod.ts";
import { hostilePage, OBEYED_REGEXP } from "../data/arbitrary_page.ts";
import { PLAIN_PAGE, WALK } from "./samples.ts";
import { written } from "./written.ts";

Deno.test("toJson() writes an array with a page a line", async () => {
  assertEquals(
    await written(toJson(), [PLAIN_PAGE, { url: "https://a.test/", priority: 1 }]),
    '[\n{"url":"https://example.com/plain"},\n{"url":"https://a.test/","priority":1}\n]\n',
  );
});

Deno.test("toJson() writes valid JSON without pages", async () => {
  assertEquals(await written(toJson(), []), "[]\n");
  assertEquals(await written(toJson(), WALK.filter((event) => event.type !== "page")), "[]\n");
});

Deno.test("toJson() writes pages that read back equal, and nothing a terminal obeys", async () => {
  await fc.assert(fc.asyncProperty(fc.array(hostilePage(), { maxLength: 4 }), async (pages) => {
    const text = await written(toJson(), pages);
    assertNotMatch(text, OBEYED_REGEXP);
    assertEquals(JSON.parse(text), pages);
  }));
});
