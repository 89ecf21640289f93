import { assertEquals, assertNotMatch } from "@std/assert";
import fc from "../support/fast_check.ts";
import type { TreeEvent } from "../../src/data/events.ts";
import { toNdjson } from "../../src/write/mod.ts";
import { anyText, hostilePage, OBEYED_REGEXP } from "../data/arbitrary_page.ts";
import { FULL_PAGE, PLAIN_PAGE, ref, WALK } from "./samples.ts";
import { written } from "./written.ts";

function lines(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(value)}\n`).join("");
}

Deno.test("toNdjson() writes pages and events as JSON, a line each", async () => {
  assertEquals(await written(toNdjson(), [PLAIN_PAGE, FULL_PAGE]), lines([PLAIN_PAGE, FULL_PAGE]));
  assertEquals(await written(toNdjson(), WALK), lines(WALK));
  assertEquals(await written(toNdjson(), []), "");
});

Deno.test("toNdjson() writes the ref of each page event, as sitemaps take turns", async () => {
  const events: TreeEvent[] = [0, 1, 0, 0, 1].map((id) => ({
    type: "page",
    page: PLAIN_PAGE,
    sitemap: ref(id, "PagesXmlSitemap", `/${id}.xml`),
  }));
  assertEquals(await written(toNdjson(), events), lines(events));
});

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
