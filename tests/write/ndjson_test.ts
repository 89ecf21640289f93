import { assertEquals, assertNotMatch } from "@std/assert";
import fc from "../support/fast_check.ts";
import type { TreeEvent } from "../../src/data/events.ts";
import { toNdjson } from "../../src/write/mod.ts";
import { anyText, hostilePage, OBEYED_REGEXP } from "../data/arbitrary_page.ts";
import { ref } from "./samples.ts";
import { written } from "./written.ts";

Deno.test("toNdjson() writes one line for any content of a page or an event", async () => {
  const event: fc.Arbitrary<TreeEvent> = fc.oneof(
    fc.record({
      type: fc.constant("page" as const),
      page: hostilePage(),
      sitemap: anyText().map((path) => ref(1, "PagesXmlSitemap", path)),
    }),
    fc.record({
      type: fc.constant("invalid" as const),
      sitemap: fc.constant(ref(1, "InvalidSitemap", "/")),
      code: fc.constant("http-status" as const),
      reason: anyText(),
    }),
  );
  await fc.assert(fc.asyncProperty(fc.array(event, { maxLength: 4 }), async (events) => {
    const text = await written(toNdjson(), events);
    assertNotMatch(text, OBEYED_REGEXP);
    const read = text.split("\n");
    assertEquals(read.pop(), "");
    assertEquals(read.map((line) => JSON.parse(line)), events);
  }));
});
