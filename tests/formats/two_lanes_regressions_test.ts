import { assertEquals } from "@std/assert";
import { DEFAULT_LIMITS } from "../../src/limits.ts";
import { documentBytes } from "./document_bytes.ts";
import { assertReadsAlike, type Reading } from "./reading.ts";
import { fillerRecords, USUAL_ROOT, withGaps } from "./urlset_documents.ts";

/** A document of these records, with good ones behind them, so that they stand in a large chunk. */
function withFiller(records: string): Uint8Array {
  const filler = withGaps(fillerRecords(20, "filler"), "\n");
  return documentBytes(`${USUAL_ROOT[0]}\n${records}${filler}${USUAL_ROOT[1]}`);
}

/** Reads records in chunks for both lanes: what there was, without the good ones behind. */
function read(
  records: string,
  sizes = [[Infinity], [1024], [1], [7]],
): Pick<Reading, "pages" | "warnings"> {
  const { pages, warnings } = assertReadsAlike(withFiller(records), sizes);
  assertEquals(pages.splice(-20).filter((page) => page.includes("/filler/")).length, 20);
  return { pages, warnings };
}

Deno.test("the fields of an image come in the order of the document", () => {
  const { pages } = read(
    "<url><loc>https://site.test/</loc><image:image><image:title>T</image:title>" +
      "<image:loc>https://site.test/i.png</image:loc></image:image></url>",
  );
  assertEquals(pages, [
    '{"url":"https://site.test/","priority":0.5,' +
    '"images":[{"title":"T","loc":"https://site.test/i.png"}]}',
  ]);
});

Deno.test("attributes of an alternate that touch each other are told", () => {
  const { pages, warnings } = read(
    '<url><loc>https://site.test/</loc>\n<xhtml:link rel="alternate"hreflang="en" href="/en"/></url>',
  );
  assertEquals(pages.length, 1);
  assertEquals(warnings, [["xml-bad-attribute", "No white space between two attributes", 3]]);
});

Deno.test("a control character that ends a value of an extension is told", () => {
  const { pages, warnings } = read(
    "<url><loc>https://site.test/</loc><image:image>\n<image:loc>/i\x0b</image:loc></image:image>" +
      "\n<news:news><news:title>T\x01\n</news:title>" +
      "<news:publication_date>2024-05-06\f</news:publication_date></news:news></url>",
  );
  assertEquals(pages.length, 1);
  assertEquals(warnings, [
    ["xml-control-character", "Forbidden U+000B left out", 3],
    ["xml-control-character", "Forbidden U+0001 left out", 4],
    ["xml-control-character", "Forbidden U+000C left out", 5],
  ]);
});

Deno.test("an authority that only looks like a known one is not taken for it", () => {
  const { pages, warnings } = read(
    "<url><loc>http://a&amp;#x20;b/</loc></url>\n<url><loc>http://a&#x20;b/</loc></url>",
  );
  assertEquals(pages, ['{"url":"http://a&#x20;b/","priority":0.5}']);
  assertEquals(warnings, [["bad-address", 'Address "http://a b/" is no http(s) URL', 3]]);
});

Deno.test("attributes that are too long together drop their entry in one large chunk too", () => {
  const long = "x".repeat(600_000);
  const { pages, warnings } = read(
    `<url><loc>https://site.test/</loc>` +
      `<xhtml:link rel="alternate" hreflang="${long}" href="${long}"/></url>`,
    [[Infinity], [65536]],
  );
  assertEquals(pages, []);
  assertEquals(warnings, [["value-too-long", "Entry with an overlong value left out", 2]]);
});

Deno.test("attributes of the root count for what those of an alternate may have", () => {
  const limit = 1024 * 1024;
  const link = '<xhtml:link rel="alternate" hreflang="en" href="https://site.test/en"/>';
  const root = (length: number) => USUAL_ROOT[0].replace(">", ` a="${"x".repeat(length)}">`);
  const record = `<url><loc>https://site.test/</loc>${link}</url>`;
  const filler = withGaps(fillerRecords(20, "filler"), "\n");
  for (const [length, pages] of [[limit - 1000, 21], [limit - 280, 20]] as const) {
    const bytes = documentBytes(`${root(length)}${filler}${record}${USUAL_ROOT[1]}`);
    assertEquals(assertReadsAlike(bytes, [[Infinity], [65536]]).pages.length, pages);
  }
  // both of them short enough for the fast lane
  const long = record.replace("/en", `/${"x".repeat(limit - 300_000)}`);
  const bytes = documentBytes(`${root(400_000)}${filler}${long}${USUAL_ROOT[1]}`);
  assertEquals(assertReadsAlike(bytes, [[Infinity], [65536]]).pages.length, 20);
});

Deno.test("a record that gathers too much is dropped in one large chunk too", () => {
  const image = "<image:image><image:loc>a</image:loc></image:image>";
  const { pages, warnings } = read(
    `<url><loc>https://site.test/</loc>${image.repeat(70_000)}</url>` +
      `<url><loc>https://site.test/2</loc>${image.repeat(1000)}</url>`,
    [[Infinity], [65536]],
  );
  assertEquals(pages.length, 1);
  assertEquals(warnings, [["value-too-long", "Entry with an overlong value left out", 2]]);
});

Deno.test("a list with too many items is dropped in one large chunk too", () => {
  const { pages, warnings } = read(
    "<url><loc>https://site.test/</loc><news:news><news:title>T</news:title>" +
      "<news:publication_date>2024-05-06</news:publication_date>" +
      `<news:keywords>${"a,".repeat(200_000)}a</news:keywords></news:news></url>`,
    [[Infinity], [65536]],
  );
  assertEquals(pages, []);
  assertEquals(warnings, [["value-too-long", "Entry with an overlong value left out", 2]]);
});

Deno.test("a value as long as may be passes, one that is longer drops its entry", () => {
  const limits = { ...DEFAULT_LIMITS, maxValueLength: 3000 };
  const addressOf = (length: number) => `https://site.test/${"x".repeat(length - 18)}`;
  for (const [length, space] of [[3000, ""], [2998, "\n "], [3001, ""], [2999, "\n "]] as const) {
    const address = addressOf(length);
    const bytes = withFiller(
      `<url><loc>${space}${address}</loc></url>` +
        `<url><loc>https://site.test/</loc><image:image><image:loc>${space}${address}` +
        `</image:loc></image:image></url>`,
    );
    const { pages } = assertReadsAlike(bytes, [[Infinity], [5000], [7]], { limits });
    assertEquals(pages.length, length + space.length > 3000 ? 20 : 22);
  }
});

Deno.test("a record longer than what is carried over takes the general lane unseen", () => {
  const title = `<image:title>${"words and ".repeat(20_000)}</image:title>`;
  const { pages, warnings } = read(
    `<url><loc>https://site.test/</loc><image:image><image:loc>/i</image:loc>${title}` +
      "</image:image></url>",
  );
  assertEquals(pages.length, 1);
  assertEquals(warnings, []);
  const bytes = withFiller(`<url><loc>https://site.test/</loc>${" ".repeat(200_000)}</url>`);
  assertEquals(assertReadsAlike(bytes, [[16384], [65536], [1024]]).pages.length, 21);
});

Deno.test("nothing is told of what stands behind the entry that was one too many", () => {
  const limits = { ...DEFAULT_LIMITS, maxEntries: 20, maxElementDepth: 6 };
  const bytes = withFiller(
    "<url><loc>https://site.test/</loc></url>" +
      `<url><loc>https://site.test/2</loc></url>${"<a>".repeat(10)}&\x01</b>`,
  );
  const { pages, warnings } = assertReadsAlike(
    documentBytes(`${new TextDecoder().decode(bytes)}<a>`),
    [[Infinity], [1024], [7]],
    { limits: { ...limits, maxEntries: 1 } },
  );
  assertEquals(pages.length, 1);
  assertEquals(warnings, [["too-many-entries", "Document cut after 1 entries", undefined]]);
});

Deno.test("a root that is told as cut by its ceilings is told so in either lane", () => {
  const bytes = withFiller("<url><loc>https://site.test/</loc></url>");
  for (const limits of [{ maxElementDepth: 2 }, { maxAttributes: 1 }, { maxElementDepth: 4 }]) {
    assertReadsAlike(bytes, [[Infinity], [1024], [7]], {
      limits: { ...DEFAULT_LIMITS, ...limits },
    });
  }
});
