import { assertEquals } from "@std/assert";
import { DEFAULT_LIMITS } from "../../src/limits.ts";
import { documentBytes } from "./document_bytes.ts";
import { assertReadsAlike, type ReadingOptions } from "./reading.ts";
import { fillerRecords, USUAL_ROOT, withGaps } from "./urlset_documents.ts";

/** A warning's code and its line. */
type Told = readonly [code: string, line: number | undefined];

/** Chunks for either lane, and such as cut everything in two. */
const SIZES = [[Infinity], [1024], [1025, 1], [1], [7], [2000, 600]];

function toldOf(text: string, options?: ReadingOptions): Told[] {
  const { warnings } = assertReadsAlike(documentBytes(text), SIZES, options);
  return warnings.map(([code, , line]) => [code, line]);
}

/** Twelve records of five lines each that nothing is wrong with, for the fast lane. */
const FILLED_LINES = 12 * 5;

function filler(stem: string, end: string): string {
  return withGaps(fillerRecords(12, stem), end);
}

/**
 * What is told of text that stands on line 3 of a `urlset`, with records for the fast lane on other
 * lines before and behind it.
 */
function toldInUrlset(text: string, end: string): Told[] {
  const behind = text.split(/\r\n|[\r\n]/).length - 1;
  const told = toldOf(
    `${USUAL_ROOT[0]}${end}${end}${text}${filler("a", end)}${end}${text.replaceAll("/w", "/x")}` +
      `${filler("b", end)}${end}${USUAL_ROOT[1]}`,
  );
  // the second time it stands so many lines further down
  const first = told.slice(0, told.length / 2);
  const second = told.slice(told.length / 2);
  const further = behind + FILLED_LINES + 1;
  assertEquals(
    second,
    first.map(([code, line]) => [code, line === undefined ? line : line + further]),
  );
  return first;
}

/** What is wrong on line 3, or on the line that is named, counted from there as 0. */
const FAULTS: readonly (readonly [text: string, ...told: (readonly [string, number])[]])[] = [
  // what the tokenizer repairs is told where it stands
  ["<url><loc>https://site.test/w&</loc></url>", ["xml-bare-ampersand", 0]],
  ["<url>\n<loc>\nhttps://site.test/w&nosuch;\n</loc>\n</url>", ["xml-unknown-entity", 2]],
  ["<url>\n<loc>https://site.test/w&#0;\n&#xFFFE;</loc></url>", ["xml-bad-reference", 1], [
    "xml-bad-reference",
    2,
  ]],
  ["<url><loc>https://site.test/w</loc>\n<</url>", ["xml-bare-less-than", 1]],
  ["<url>\n<loc>https://site.test/w\x01</loc>\n\x02</url>", ["xml-control-character", 1], [
    "xml-control-character",
    2,
  ]],
  ["<url\n\na><loc>https://site.test/w</loc></url>", ["xml-bad-attribute", 2]],
  ['<url a="1"\na="2"\n><loc>https://site.test/w</loc></url>', ["xml-duplicate-attribute", 1]],
  ["<url><loc>https://site.test/w</loc>\n</b>\n</url>", ["xml-mismatched-tag", 1]],
  ["<url>\n<loc>https://site.test/w\n</url>", ["xml-mismatched-tag", 2]],
  ["<url><loc>https://site.test/w</loc>\n\n<x:y/></url>", ["xml-unbound-prefix", 2]],
  // values are told where they end
  ["<url><loc>https://site.test/w</loc><lastmod>\nnever\n</lastmod>\n</url>", ["bad-date", 2]],
  ["<url><loc>https://site.test/w</loc>\n<changefreq>now</changefreq></url>", [
    "bad-changefreq",
    1,
  ]],
  ["<url><loc>https://site.test/w</loc>\n\n<priority>\n2</priority></url>", ["bad-priority", 3]],
  ["<url><loc>https://site.test/w</loc>\n<image:image>\n</image:image></url>", ["bad-image", 2]],
  ["<url><loc>https://site.test/w</loc>\n<news:news>\n</news:news></url>", ["bad-news", 2]],
  ['<url><loc>https://site.test/w</loc>\n<xhtml:link\nrel="alternate"/></url>', [
    "bad-alternate",
    2,
  ]],
  [
    "<url><loc>https://site.test/w</loc><video:video>\n<video:duration>x</video:duration>" +
    "</video:video></url>",
    ["bad-video", 1],
  ],
  ["<url><loc>https://site.test/w</loc>\n<sitemap>\n</sitemap></url>", ["misplaced-element", 1]],
  // entries are told where they end
  ["<url>\n</url>", ["no-address", 1]],
  ["<url>\n<loc></loc>\n\n</url>", ["no-address", 3]],
  ["<url>\n<loc>mailto:w</loc>\n</url>", ["bad-address", 2]],
  ["<url><loc>/w</loc></url>\n<url>\n<loc>/w</loc>\n</url>", ["duplicate-address", 3]],
  ["<url>\n<loc>/w1</loc>\n<url>\n<loc>/w2</loc></url>", ["unclosed-entry", 2]],
  // lines inside of what is skipped count
  ["<!--\n\n-->\n<url>\n</url>", ["no-address", 4]],
  ["<![CDATA[\n\n]]>\n<url/>", ["no-address", 3]],
  ["<?x\n\n?>\n<url/>", ["no-address", 3]],
  ['<url\n\na="\n\n"><loc>\n\n</loc></url>', ["no-address", 6]],
  ["<other>\n\n</other>\n<url/>", ["misplaced-element", 0], ["no-address", 3]],
];

for (const [name, end] of [["LF", "\n"], ["CRLF", "\r\n"], ["CR", "\r"]] as const) {
  Deno.test(`warnings of a urlset name the right line, in either lane, with ${name}`, () => {
    for (const [text, ...told] of FAULTS) {
      const expected = told.map(([code, line]) => [code, line + 3]);
      assertEquals(toldInUrlset(text.replaceAll("\n", end), end), expected, JSON.stringify(text));
    }
  });
}

Deno.test("line ends of several kinds count once each, also where records are of the common form", () => {
  const records = withGaps(fillerRecords(3, "a"), "\n") + withGaps(fillerRecords(3, "b"), "\r\n") +
    withGaps(fillerRecords(3, "c"), "\r") + withGaps(fillerRecords(3, "d"), "\n\r") +
    withGaps(fillerRecords(12, "e"), "\r\r\n");
  const lines = 3 * 5 + 3 * 5 + 3 * 5 + 3 * 5 * 2 + 12 * 5 * 2;
  assertEquals(toldOf(`${USUAL_ROOT[0]}${records}<url/></urlset>`), [["no-address", lines + 1]]);
});

Deno.test("warnings about a whole document name the line where it stops, or none", () => {
  const good = filler("a", "\n");
  const documents: readonly (readonly [string, readonly Told[], ReadingOptions?])[] = [
    [`${USUAL_ROOT[0]}${good}\n\n<url>`, [["xml-cut", FILLED_LINES + 3]]],
    [`${USUAL_ROOT[0]}${good}`, [["xml-cut", FILLED_LINES + 1]]],
    [`${USUAL_ROOT[0]}${good}\n</urlset>\n\njunk\n&\n`, [
      ["xml-trailing-content", FILLED_LINES + 4],
    ]],
    [`\n\n<?xml version="1.0"?>${USUAL_ROOT[0]}${good}</urlset>`, [["xml-leading-junk", 3]]],
    [`<!-- -->\njunk\n${USUAL_ROOT[0]}${good}</urlset>`, [["xml-leading-junk", 2]]],
    [`${USUAL_ROOT[0]}${good}\n<url><a><b>`, [
      ["misplaced-element", FILLED_LINES + 2],
      ["too-deep-elements", FILLED_LINES + 2],
    ], { limits: { ...DEFAULT_LIMITS, maxElementDepth: 3 } }],
    [`${USUAL_ROOT[0]}${good}\n<url>\n<a 1="" 2="" 3="" 4="" 5="" 6="">`, [
      ["too-many-attributes", FILLED_LINES + 3],
    ], { limits: { ...DEFAULT_LIMITS, maxAttributes: 5 } }],
    [`${USUAL_ROOT[0]}${good}</urlset>`, [["too-many-entries", undefined]], {
      limits: { ...DEFAULT_LIMITS, maxEntries: 5 },
    }],
    [`${USUAL_ROOT[0]}${good}\n<url>\n<loc>${"x".repeat(600)}\n</loc></url></urlset>`, [
      ["value-too-long", FILLED_LINES + 4],
    ], { limits: { ...DEFAULT_LIMITS, maxValueLength: 500 } }],
  ];
  for (const [text, told, options] of documents) {
    assertEquals(toldOf(text, options), told, text.slice(0, 20));
  }
});

Deno.test("warnings of other formats name the right line", () => {
  const documents: readonly (readonly [string, readonly Told[], ReadingOptions?])[] = [
    [
      "<sitemapindex>\n<sitemap>\n<loc>\n</loc>\n</sitemap>\n<sitemap><loc>/a</loc></sitemap>" +
      "\n<sitemap>\n<loc>/a</loc>\n</sitemap></sitemapindex>",
      [
        ["no-address", 5],
        ["duplicate-address", 9],
      ],
    ],
    ["<rss><channel>\n<item>\n<pubDate>\nsoon</pubDate>\n</item></channel></rss>", [
      ["bad-date", 4],
      ["no-address", 5],
    ]],
    ["<feed>\r\n<entry>\r\n<updated>x</updated>\r\n</entry></feed>", [
      ["bad-date", 3],
      ["no-address", 4],
    ]],
    ["\n# comment\nhttps://site.test/\r\nbad\r\rhttps://site.test/\x85/a b", [
      ["bad-line", 4],
      ["duplicate-address", 6],
      ["bad-line", 7],
    ]],
    ["User-agent: *\n\nSitemap:\nSitemap: mailto:x\r\nSitemap: /a\nSitemap: /a#b", [
      ["no-address", 3],
      ["bad-address", 4],
      ["duplicate-address", 6],
    ], { isRobots: true }],
  ];
  for (const [text, told, options] of documents) {
    assertEquals(toldOf(text, options), told, text.slice(0, 20));
  }
});
