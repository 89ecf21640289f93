import { assertEquals, assertNotMatch } from "@std/assert";
import fc from "fast-check";
import type { TreeEvent } from "../../src/data/events.ts";
import { SitemapPage } from "../../src/data/page.ts";
import type { SitemapPage } from "../../src/data/page_schema.ts";
import type { Time } from "../../src/data/calendar.ts";
import { toNdjson } from "../../src/write/mod.ts";
import { pageToJsonText } from "../../src/write/ndjson.ts";
import { anyText, hostileFields, hostilePage, OBEYED_REGEXP } from "./page_arbitrary.ts";
import { FULL_PAGE, PLAIN_PAGE, ref, WALK } from "./samples.ts";
import { written } from "./written.ts";

/** Pages and events as lines, pages by `pageToJsonText()`. */
function lines(values: readonly unknown[]): string {
  return values.map((value) => `${JSON.stringify(withGiven(value))}\n`).join("");
}

/** A page, or an event with one, as plain data of what was given. */
function withGiven(value: unknown): unknown {
  if (value instanceof SitemapPage) return JSON.parse(pageToJsonText(value));
  return isRecord(value) && "page" in value ? { ...value, page: withGiven(value.page) } : value;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null;
}

/** The JSON of given fields: stories have lists. */
function givenJson(fields: SitemapPage): unknown {
  const { newsStory, ...rest } = JSON.parse(JSON.stringify(fields));
  const lists = { genres: [], keywords: [], stockTickers: [] };
  return newsStory === undefined ? rest : { ...rest, newsStory: { ...lists, ...newsStory } };
}

Deno.test("toNdjson() writes pages and events as JSON, a line each", async () => {
  assertEquals(await written(toNdjson(), [PLAIN_PAGE, FULL_PAGE]), lines([PLAIN_PAGE, FULL_PAGE]));
  assertEquals(await written(toNdjson(), WALK), lines(WALK));
  assertEquals(await written(toNdjson(), []), "");
});

Deno.test("toNdjson() writes plain data as it is", async () => {
  const fields = { url: "https://a.test/", lastModified: "2005-01-01" };
  const event = JSON.parse(JSON.stringify(WALK[3]));
  assertEquals(await written(toNdjson(), [fields, event]), lines([fields, event]));
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
    assertEquals(read.map((line) => JSON.parse(line)), events.map(withGiven));
  }));
});

Deno.test("pageToJsonText() writes times and priorities as JSON.stringify() does", () => {
  const full = FULL_PAGE.toJSON();
  assertEquals(JSON.parse(pageToJsonText(full)), full.toJSON());
});

Deno.test("pageToJsonText() writes what was given, and nothing else", () => {
  fc.assert(fc.property(hostileFields(), (fields) => {
    assertEquals(JSON.parse(pageToJsonText(fields)), givenJson(fields));
  }));
});

Deno.test("pageToJsonText() omits an absent priority and writes an explicit one", () => {
  const url = "https://a.test/";
  assertEquals(pageToJsonText({ url }), `{"url":"${url}"}`);
  assertEquals(
    pageToJsonText({ url, priority: 0.5 }),
    `{"url":"${url}","priority":0.5}`,
  );
});

Deno.test("pageToJsonText() writes a date at the precision that was given", () => {
  const written: readonly (readonly [given: Time, text: string])[] = [
    ["2024", "2024"],
    ["2024-05", "2024-05"],
    ["2024-05-01", "2024-05-01"],
    ["2024-05-01T00:00Z", "2024-05-01T00:00:00.000Z"],
    ["+012024-05", "+012024-05"],
    [Date.UTC(2024, 4), "2024-05-01T00:00:00.000Z"],
    [new Date(Date.UTC(2024, 4)), "2024-05-01T00:00:00.000Z"],
  ];
  for (const [lastModified, text] of written) {
    const page = { url: "", lastModified };
    assertEquals(pageToJsonText(page), `{"url":"","lastModified":"${text}"}`);
  }
});

Deno.test("pageToJsonText() adds the URL of the sitemap as the last field", () => {
  const json = pageToJsonText(FULL_PAGE, 'https://a.test/"');
  assertEquals(Object.entries(JSON.parse(json)).at(-1), ["sitemap", 'https://a.test/"']);
  assertEquals(`${json.slice(0, json.lastIndexOf(',"sitemap"'))}}`, pageToJsonText(FULL_PAGE));
});
