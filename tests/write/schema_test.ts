import { assert, assertEquals } from "@std/assert";
import { pages, type SitemapPage } from "../../mod.ts";
import { toSitemapXml } from "../../src/write/mod.ts";
import { serveSite } from "../support/fixture_server.ts";
import { FULL_PAGE, PLAIN_PAGE } from "./samples.ts";
import { assertValid, hasXmllint, schemaErrors, type SchemaName } from "./schema_validation.ts";
import { written } from "./written.ts";

const HOSTILE = [
  "\0\x01\x08\x0b\x0c\x0e\x1b[31m\x1f\x7f\x80\x9b\ufffe\uffff",
  "lone \ud800 and \udc00 halves",
  "]]>",
  "<![CDATA[x]]>",
  `"'&quot;&apos;`,
  "&amp;&#0;&nbsp;&unknown;",
  "<!-- --><?xml?><!DOCTYPE x>",
  "\r\n\t\r",
  "\u202e\u2028\ufeff😀é漢",
  "%zz [brackets] {braces} |\\^` #a#b",
];

/** The full page with a text in every place that takes one. */
function pageWith(text: string): SitemapPage {
  const fill = (value: unknown): unknown => {
    if (typeof value === "string") return value.startsWith("http") ? value + text : text;
    if (Array.isArray(value)) return value.map(fill);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, field]) => [
        name,
        // These have fixed words or formats, which no text takes the place of.
        /Date$|lastModified|changeFrequency|restriction|platform/.test(name) ? field : fill(field),
      ]),
    );
  };
  return fill(FULL_PAGE) as never;
}

function test(name: string, fn: () => Promise<void>): void {
  Deno.test({ name, ignore: !hasXmllint(), fn });
}

test("the schemas refuse what they should", async () => {
  const urlset = (url: string) =>
    '<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" ' +
    'xmlns:i="http://www.google.com/schemas/sitemap-image/1.1" ' +
    'xmlns:n="http://www.google.com/schemas/sitemap-news/0.9" ' +
    'xmlns:v="http://www.google.com/schemas/sitemap-video/1.1" ' +
    `xmlns:x="http://www.w3.org/1999/xhtml">${url}</urlset>`;
  const page = (inside: string) => urlset(`<url><loc>https://a.test/</loc>${inside}</url>`);
  const news = "<n:publication_date>2020-01-01</n:publication_date><n:title>T</n:title>";
  const table: readonly (readonly [SchemaName, valid: boolean, document: string])[] = [
    ["sitemap", true, page("<lastmod>2020-01-01</lastmod>")],
    ["sitemap", false, page("<i:image><i:loc>https://a.test/</i:loc></i:image>")],
    ["urlset", true, page("<i:image><i:loc>https://a.test/</i:loc></i:image>")],
    ["urlset", false, urlset("")],
    ["urlset", false, urlset("<url></url>")],
    ["urlset", false, urlset("<url><loc>/relative</loc></url>")],
    ["urlset", false, urlset(`<url><loc>https://a.test/${"a".repeat(2048)}</loc></url>`)],
    ["urlset", false, page("<lastmod>yesterday</lastmod>")],
    ["urlset", false, page("<changefreq>often</changefreq>")],
    ["urlset", false, page("<priority>1.1</priority>")],
    ["urlset", false, page("<priority>1</priority><changefreq>daily</changefreq>")],
    ["urlset", false, page("<i:image><i:title>T</i:title></i:image>")],
    ["urlset", false, page('<x:link rel="alternate" hreflang="de"/>')],
    ["urlset", true, page(`<n:news>${news}</n:news>`)],
    ["urlset", true, page("<v:video><v:rating>9</v:rating></v:video>")],
  ];
  for (const [schema, valid, document] of table) {
    assertEquals(await schemaErrors(schema, [document]) === "", valid, `${schema}: ${document}`);
  }
});

test("toSitemapXml() writes pages with every extension validly", async () => {
  await assertValid("urlset", [await written(toSitemapXml(), [PLAIN_PAGE, FULL_PAGE])]);
  await assertValid("sitemap", [await written(toSitemapXml(), [PLAIN_PAGE])]);
});

for (const site of ["demo", "nested", "broken", "no-robots"]) {
  test(`the pages of the fixture site "${site}" make a valid sitemap`, async () => {
    await using server = serveSite(site);
    const listed = await Array.fromAsync(pages(server.url, { retryDelay: 0 }));
    assert(listed.length > 0);
    await assertValid("urlset", [await written(toSitemapXml(), listed)]);
  });
}

test("toSitemapXml() writes hostile text validly, in every field", async () => {
  const documents: string[] = [];
  for (const text of HOSTILE) {
    // URLs are written as they are, and only URIs are valid.
    const words = {
      ...pageWith(text),
      url: "https://example.com/",
      images: [{ loc: "https://example.com/1.png", caption: text, geoLocation: text, title: text }],
      videos: [{ title: text, description: text, uploader: { name: text }, tags: [text, text] }],
      alternates: [{ hreflang: text, href: "https://example.com/de" }],
    };
    documents.push(await written(toSitemapXml(), [words]));
  }
  await assertValid("urlset", documents);
});
