import { assertEquals } from "@std/assert";
import { DEFAULT_LIMITS } from "../../src/data/limits.ts";
import { assertReadsAlike, documentBytes } from "./reading.ts";
import { type Rules, testRules } from "./rules.ts";
import { fillerRecords, USUAL_ROOT, withGaps } from "./urlset_documents.ts";

function wrapped(records: string): string {
  return `${USUAL_ROOT[0]}\n${records}\n${USUAL_ROOT[1]}`;
}

const [A, B] = ["https://site.test/a", "https://site.test/b"];
const LOC_A = `<loc>${A}</loc>`;

function entry(fields: string): string {
  return `<url>${LOC_A}${fields}</url>`;
}

const ENTRIES: Rules = {
  "an entry is recognised below an unknown element": [
    `<x><y>${entry("")}</y></x>`,
    { urls: [A], warnings: ["misplaced-element", "misplaced-element"] },
  ],
  "an entry is recognised below a foreign element": [
    `<html:div xmlns:html="urn:x">${entry("")}</html:div>`,
    { urls: [A], warnings: ["misplaced-element"] },
  ],
  "entries are recognised below an unclosed element": [
    `<br>${entry("")}<url><loc>${B}</loc></url>`,
    {
      urls: [A, B],
      warnings: [
        "misplaced-element",
        "misplaced-element",
        "misplaced-element",
        "xml-mismatched-tag",
      ],
    },
  ],
  "an entry of a foreign namespace is not an entry": [
    `<url xmlns="urn:x">${LOC_A}</url>${entry("")}`,
    [A],
  ],
  "an entry that is unclosed in a block ends where the next one begins": [
    `<url>${LOC_A}<image:image><image:loc>i:/i</image:loc><url><loc>${B}</loc></url>`,
    { urls: [A, B], page: { images: [{ loc: "i:/i" }] }, warnings: ["unclosed-entry"] },
  ],
  "an entry inside of a skipped element of an entry is skipped with it": [
    `<url>${LOC_A}<x:y xmlns:x="urn:x"><url><loc>${B}</loc></url></x:y></url>`,
    [A],
  ],
  "other elements after the root element are ignored with their content": [
    `${entry("")}</urlset>\ntext<x><url><loc>${B}</loc></url></x>`,
    { urls: [A], warnings: ["xml-trailing-content"] },
  ],
};

testRules("urlset", ENTRIES, wrapped);

const REPEATED: Rules = {
  "an unusable loc does not replace a usable one": [
    `<url>${LOC_A}<loc>mailto:b</loc></url>`,
    { urls: [A], warnings: ["repeated-element", "bad-address"] },
  ],
  "a usable loc replaces an unusable one": [
    `<url><loc>mailto:b</loc>${LOC_A}</url>`,
    { urls: [A], warnings: ["bad-address", "repeated-element"] },
  ],
  "the last readable value of each field is used": [
    entry(
      "<priority>0.1</priority><priority>0.9</priority><priority>high</priority>" +
        "<lastmod>2005</lastmod><lastmod>2006</lastmod><lastmod>soon</lastmod>" +
        "<changefreq>daily</changefreq><changefreq>weekly</changefreq><changefreq>now</changefreq>",
    ),
    {
      page: { priority: 0.9, lastModified: "2006", changeFrequency: "weekly" },
      warnings: ["bad-priority", "bad-date", "bad-changefreq"]
        .flatMap((code) => ["repeated-element", "repeated-element", code]),
    },
  ],
  "fields of an image are single-valued": [
    entry("<image:image><image:loc>i:/1</image:loc><image:loc>i:/2</image:loc></image:image>"),
    { page: { images: [{ loc: "i:/2" }] }, warnings: ["repeated-element"] },
  ],
  "fields of a video are single-valued, except for its tags": [
    entry(
      "<video:video><video:tag>a</video:tag><video:tag>b</video:tag>" +
        "<video:duration>5</video:duration><video:duration>x</video:duration></video:video>",
    ),
    {
      page: { videos: [{ tags: ["a", "b"], duration: 5 }] },
      warnings: ["repeated-element", "bad-video"],
    },
  ],
  "fields of news are single-valued, those of its publication included": [
    entry(
      "<news:news><news:publication><news:name>N</news:name><news:name>M</news:name>" +
        "</news:publication><news:title>T</news:title><news:title>U</news:title>" +
        "<news:publication_date>2005</news:publication_date>" +
        "<news:publication_date>x</news:publication_date></news:news>",
    ),
    {
      page: { newsStory: { title: "U", publishDate: "2005", publicationName: "M" } },
      warnings: ["repeated-element", "repeated-element", "repeated-element", "bad-date"],
    },
  ],
  "a story that lacks a title does not replace one that is complete": [
    entry(
      "<news:news><news:title>T</news:title><news:publication_date>2005</news:publication_date>" +
        "</news:news><news:news><news:publication_date>2006</news:publication_date></news:news>",
    ),
    {
      page: { newsStory: { title: "T", publishDate: "2005" } },
      warnings: ["repeated-element", "bad-news"],
    },
  ],
};

testRules("repeated fields of a urlset", REPEATED, wrapped);

const ADDRESSES: Rules = {
  "is trimmed by Unicode": ["\u00a0\u2003https://site.test/é\u3000\u0085", ["https://site.test/é"]],
  "is cleaned of line breaks and tabs": [
    "https://site.test/a\n b\t/c",
    { urls: ["https://site.test/a b/c"], warnings: ["address-repaired"] },
  ],
  "is serialised if its slashes are wrong": [
    "https:/site.test/Ä",
    { urls: ["https://site.test/%C3%84"], warnings: ["address-repaired"] },
  ],
  "is serialised if it has too many slashes": [
    "https:////site.test\\a",
    { urls: ["https://site.test/a"], warnings: ["address-repaired"] },
  ],
  "gets the scheme of the sitemap if it begins with www.": [
    "www.site.test/ä",
    { urls: ["https://www.site.test/ä"], warnings: ["address-repaired"] },
  ],
  "does not include the text of elements inside it": [
    "https://site.test/<b>x</b>y",
    { urls: ["https://site.test/y"], warnings: ["misplaced-element"] },
  ],
};

testRules("the address of a page", ADDRESSES, (loc) => wrapped(`<url><loc>${loc}</loc></url>`));

testRules("urlset", {
  "duplicates are compared after resolution, fragments included": [
    ["/a", "https://site.test/a", " https://site.test/&#97; ", "https://site.test/a#b"].map((loc) =>
      `<url><loc>${loc}</loc></url>`
    ).join(""),
    {
      urls: [A, `${A}#b`],
      warnings: ["relative-address", "duplicate-address", "duplicate-address"],
    },
  ],
  "xml:base is ignored": [
    '<url xml:base="https://other.test/"><loc xml:base="/x/">b</loc></url>',
    { urls: ["https://site.test/dir/b"], warnings: ["relative-address"] },
  ],
}, wrapped);

const FIELDS: Rules = {
  "an unknown zone is read as UTC and reported": [
    "<lastmod>07 Jun 2005 08:09:10 XYZ</lastmod>",
    { page: { lastModified: "2005-06-07T08:09:10.000Z" }, warnings: ["unknown-zone"] },
  ],
  "a zone name behind an offset is not reported": [
    "<lastmod>7 Jun 2005 08:09 -0700 XYZ</lastmod>",
    { page: { lastModified: "2005-06-07T15:09:00.000Z" } },
  ],
  "a date may have white space, references and CDATA": [
    "<lastmod>\n<![CDATA[2005-01]]>\n</lastmod>",
    { page: { lastModified: "2005-01" } },
  ],
  "a number that JSON cannot hold is invalid": [
    `<video:video><video:duration>${"9".repeat(309)}</video:duration>` +
    `<video:view_count>${"9".repeat(300)}</video:view_count></video:video>`,
    { page: { videos: [{ viewCount: 1e300 }] }, warnings: ["bad-video"] },
  ],
  "a priority may have references": ["<priority>&#48;.7</priority>", { page: { priority: 0.7 } }],
  "a priority may be zero with a sign": ["<priority>-0</priority>", { page: { priority: 0 } }],
  "a prefix that is bound to another family denotes that family": [
    '<video:image xmlns:video="http://x/sitemap-image/1.1"><video:loc>i:/i</video:loc></video:image>',
    { page: { images: [{ loc: "i:/i" }] } },
  ],
  "fields of an image keep their order": [
    "<image:image><image:title>T</image:title><image:loc>i:/i</image:loc></image:image>",
    { page: { images: [{ title: "T", loc: "i:/i" }] } },
  ],
  "an alternate needs hreflang and href, in any case of rel": [
    '<xhtml:link rel="ALTERNATE" hreflang="de" href=" i:/de "/><xhtml:link rel="alternate" href="/x"/>' +
    '<xhtml:link rel="canonical" hreflang="en" href="/y"/>',
    {
      page: { alternates: [{ hreflang: "de", href: "i:/de" }] },
      warnings: ["bad-alternate"],
    },
  ],
  "a price needs an amount and a currency, a gallery an address": [
    '<video:video><video:price currency="EUR">free</video:price><video:price>1</video:price>' +
    '<video:price currency="EUR">2</video:price><video:gallery_loc title="t"/></video:video>',
    {
      page: { videos: [{ prices: [{ amount: 2, currency: "EUR" }] }] },
      warnings: ["bad-video", "bad-video"],
    },
  ],
  "attributes of an alternate that touch each other are reported": [
    '<xhtml:link rel="alternate"hreflang="en" href="i:/en"/>',
    {
      page: { alternates: [{ hreflang: "en", href: "i:/en" }] },
      warnings: ["xml-bad-attribute"],
    },
  ],
  "a control character that ends a value is reported": [
    "<image:image><image:loc>i:/i\x0b</image:loc></image:image><lastmod>2005\x01</lastmod>",
    {
      page: { images: [{ loc: "i:/i" }], lastModified: "2005" },
      warnings: ["xml-control-character", "xml-control-character"],
    },
  ],
  "lists of news are split, trimmed and freed of empty items": [
    "<news:news><news:title>A &amp;amp; B</news:title><news:publication_date>2005</news:publication_date>" +
    "<news:keywords> a, ,b,</news:keywords><news:genres>,</news:genres></news:news>",
    { page: { newsStory: { title: "A & B", publishDate: "2005", keywords: ["a", "b"] } } },
  ],
};

testRules("fields of a urlset", FIELDS, (fields) => wrapped(entry(fields)));

Deno.test("an authority that only looks like a known one is not taken for it", () => {
  const { pages, warnings } = assertReadsAlike(documentBytes(wrapped(
    "<url><loc>http://a&amp;#x20;b/</loc></url>\n<url><loc>http://a&#x20;b/</loc></url>",
  )));
  assertEquals(pages, ['{"url":"http://a&#x20;b/"}']);
  assertEquals(warnings, [["bad-address", 'Invalid URL "http://a b/": expected http(s)', 3]]);
});

Deno.test("addresses of many hosts in turn are read as those of one", () => {
  const hosts = ["a.test", "b.test", "bücher.test", "c.test:8080", "me@d.test", "e.test", "[::1]"];
  const urls = Array.from(
    { length: 200 },
    (_, at) => `https://${hosts[at * at % 7]}/é?${at}&amp;x`,
  );
  const records = urls.map((url) => `<url><loc>${url}</loc></url>`).join("\n");
  const { pages, warnings } = assertReadsAlike(documentBytes(wrapped(records + records)), [[997]]);
  assertEquals(
    pages.map((page) => JSON.parse(page).url),
    urls.map((url) => url.replace("&amp;", "&")),
  );
  assertEquals(warnings.length, urls.length);
});

// ------------------------------------------------------------------------------------------ limits

const LEFT = ["value-too-long", "Entry with an overlong value dropped", 2] as const;

/** Reads records between good ones; returns the pages of the records only. */
function readAmong(records: string, limits = DEFAULT_LIMITS) {
  const filler = withGaps(fillerRecords(5, "filler"), "\n");
  const bytes = documentBytes(wrapped(records + filler));
  const { pages, warnings } = assertReadsAlike(bytes, [[65536]], { limits });
  assertEquals(pages.splice(-5).filter((page) => page.includes("/filler/")).length, 5);
  return { pages: pages.map((page) => JSON.parse(page).url), warnings };
}

Deno.test("an entry with too many images is dropped, and only that", () => {
  const image = "<image:image><image:loc>i:a</image:loc></image:image>";
  const { pages, warnings } = readAmong(
    entry(image.repeat(130_000)) + `<url><loc>${B}</loc>${image.repeat(1000)}</url>`,
  );
  assertEquals([pages, warnings], [[B], [LEFT]]);
});

Deno.test("an entry whose list has too many items is dropped", () => {
  const { pages, warnings } = readAmong(entry(
    "<news:news><news:title>T</news:title><news:publication_date>2005</news:publication_date>" +
      `<news:keywords>${"a,".repeat(200_000)}a</news:keywords></news:news>`,
  ));
  assertEquals([pages, warnings], [[], [LEFT]]);
});

Deno.test("an entry with an attribute of several MiB is dropped, in chunks and whole", () => {
  const long = "x".repeat(3 * 1024 * 1024);
  const { pages, warnings } = readAmong(
    entry(`<xhtml:link rel="alternate" hreflang="de" href="${long}"/>`) +
      `<url><loc>${B}</loc></url>`,
  );
  assertEquals([pages, warnings], [[B], [LEFT]]);
});

Deno.test("a value as long as the limit is read, a longer one drops its entry", () => {
  const limits = { ...DEFAULT_LIMITS, maxValueLength: 300 };
  for (const [length, count] of [[300, 2], [301, 0]] as const) {
    const address = `https://site.test/${"x".repeat(length - 18)}`;
    const image = `<image:image><image:loc>${address}</image:loc></image:image>`;
    const { pages, warnings } = readAmong(
      `<url><loc>${address}</loc></url>${entry(image)}`,
      limits,
    );
    assertEquals([pages.length, warnings.length], [count, 2 - count]);
    // pieces count together
    const pieces = address.replace("xxx", "x<!-- -->x<!-- -->x");
    assertEquals(readAmong(`<url><loc>${pieces}</loc></url>`, limits).pages.length, count / 2);
  }
});
