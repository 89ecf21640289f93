import { assert, assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import fc from "../support/fast_check.ts";
import { pages, parseSitemap, type SitemapPage } from "../../mod.ts";
import { toSitemapXml, writeSitemapSet } from "../../src/write/mod.ts";
import { serveSite } from "../support/fixture_server.ts";
import { anyPage, anyText, hostilePage, webUrl } from "../data/arbitrary_page.ts";
import { MemoryFiles } from "./memory_files.ts";
import { FULL_PAGE, PLAIN_PAGE } from "./samples.ts";
import { assertValid, hasXmllint, schemaErrors, type SchemaName } from "./schema_validation.ts";
import { readPages } from "./urlset_oracle.ts";
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
    ["strict/urlset", false, page(`<n:news>${news}</n:news>`)],
    ["urlset", true, page("<v:video><v:rating>9</v:rating></v:video>")],
    ["strict/urlset", false, page("<v:video><v:rating>9</v:rating></v:video>")],
  ];
  for (const [schema, valid, document] of table) {
    assertEquals(await schemaErrors(schema, [document]) === "", valid, `${schema}: ${document}`);
  }
});

test("toSitemapXml() writes pages with every extension validly", async () => {
  const listed = [PLAIN_PAGE, FULL_PAGE];
  for (const pretty of [false, true]) {
    const documents = [
      await written(toSitemapXml({ pretty }), listed),
      await written(toSitemapXml({ pretty, strict: true }), listed),
    ];
    // There is nothing about these pages that strictness would change.
    assertEquals(documents[0], documents[1]);
    await assertValid("strict/urlset", documents);
  }
  await assertValid("sitemap", [await written(toSitemapXml(), [PLAIN_PAGE])]);
});

for (const site of ["demo", "nested", "broken", "no-robots"]) {
  test(`the pages of the fixture site "${site}" make a valid sitemap`, async () => {
    await using server = serveSite(site);
    const listed = await Array.fromAsync(pages(server.url, { retryDelay: 0 }));
    assert(listed.length > 0);
    await assertValid("urlset", [await written(toSitemapXml(), listed)]);
    await assertValid("strict/urlset", [await written(toSitemapXml({ strict: true }), listed)]);
  });
}

for (const strict of [false, true]) {
  test(`writeSitemapSet() writes valid sitemaps and a valid index, strict: ${strict}`, async () => {
    const files = new MemoryFiles();
    await using server = serveSite("demo");
    const set = await writeSitemapSet(pages(server.url), {
      baseUrl: "https://example.com/a&b/",
      maxUrls: 3,
      maxSitemaps: 4,
      lastModified: new Date("2024-05-01T10:20:30.456Z"),
      strict,
      target: files.target,
    });
    const read = (list: typeof set.sitemaps) =>
      Promise.all(list.map(({ name }) => files.text(name)));
    assertEquals([set.sitemaps.length, set.indexes.length], [7, 2]);
    await assertValid(strict ? "strict/urlset" : "urlset", await read(set.sitemaps));
    await assertValid("sitemap", await read(set.indexes));
  });
}

test("toSitemapXml() writes hostile text validly, in every field", async () => {
  const documents: string[] = [];
  for (const text of HOSTILE) {
    // In addresses only what `strict` encodes is valid whatever it is.
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

test("toSitemapXml({ strict: true }) is valid whatever pages hold", async () => {
  const documents: string[] = [];
  for (const text of HOSTILE) {
    documents.push(await written(toSitemapXml({ strict: true }), [pageWith(text)]));
  }
  // The address of every page can be encoded, so that none is left out.
  for (const document of documents) assertEquals(readPages(document).length, 1);
  await assertValid("strict/urlset", documents);

  const address = fc.oneof(
    anyText().map((text) => `https://example.com/${text}`),
    anyText().map((text) => `http://${text}/?${text}#${text}`),
    webUrl(),
    anyText(),
  );
  const page = fc.oneof(
    hostilePage(),
    anyPage({ text: fc.oneof(anyText(), address), url: address }),
  );
  const property = fc.asyncProperty(
    fc.array(page, { minLength: 40, maxLength: 60 }),
    fc.boolean(),
    async (pages, pretty) => {
      const document = await written(toSitemapXml({ strict: true, pretty }), [
        PLAIN_PAGE,
        ...pages,
      ]);
      await assertValid("strict/urlset", [document]);
      // What was written validly is read without repairs.
      for await (const event of parseSitemap(document, { url: "https://example.com/s.xml" })) {
        if (event.type !== "warning") continue;
        assertMatch(event.code, /^duplicate/);
      }
    },
  );
  await fc.assert(property, { numRuns: 25 });
});

test("toSitemapXml() without strict tells validators of addresses that are no URIs", async () => {
  // This is what strictness is for: the address stays as the site has it.
  const page = { url: "https://example.com/?a[]=100%" };
  assertNotEquals(await schemaErrors("urlset", [await written(toSitemapXml(), [page])]), "");
});
