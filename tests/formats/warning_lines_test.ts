import { assertEquals } from "@std/assert";
import { DEFAULT_LIMITS } from "../../src/data/limits.ts";
import { assertReadsAlike, documentBytes, type ReadingOptions } from "./reading.ts";
import { fillerRecords, USUAL_ROOT, withGaps } from "./urlset_documents.ts";

const SIZES = [[1025, 1], [600]];

/** Warnings as `code@line`. */
function reportedOf(text: string, options?: ReadingOptions): string[] {
  const { warnings } = assertReadsAlike(documentBytes(text), SIZES, options);
  return warnings.map(([code, , line]) => `${code}@${line}`);
}

function below(reported: readonly string[], lines: number): string[] {
  return reported.map((warning) => warning.replace(/\d+$/, (line) => `${Number(line) + lines}`));
}

/** Three records of five lines each without any fault. */
const FILLED_LINES = 3 * 5;

function filler(stem: string, end: string): string {
  return withGaps(fillerRecords(3, stem), end);
}

/** Warnings about text on line 3 of a `urlset`, with records behind it, and the same text again. */
function reportedInUrlset(text: string, end: string): string[] {
  const behind = text.split("\n").length - 1;
  const reported = reportedOf(
    `${USUAL_ROOT[0]}${end}${end}${text}${filler("a", end)}${end}${text.replaceAll("/w", "/x")}` +
      `${filler("b", end)}${end}${USUAL_ROOT[1]}`,
  );
  const first = reported.slice(0, reported.length / 2);
  const further = behind + FILLED_LINES + 1;
  assertEquals(reported.slice(reported.length / 2), below(first, further));
  return first;
}

/** Faults with their lines, counted from 0. */
const FAULTS: readonly (readonly [text: string, ...reported: string[]])[] = [
  // repairs of the XML are reported with the line of the fault
  ["<url><loc>https://site.test/w&</loc></url>", "xml-bare-ampersand@0"],
  ["<url>\n<loc>\nhttps://site.test/w&nosuch;\n</loc>\n</url>", "xml-unknown-entity@2"],
  [
    "<url>\n<loc>https://site.test/w&#0;\n&#xFFFE;</loc></url>",
    "xml-bad-reference@1",
    "xml-bad-reference@2",
  ],
  ["<url><loc>https://site.test/w</loc>\n<</url>", "xml-bare-less-than@1"],
  ["<url>\n<loc>https://site.test/w\x01</loc>\n\x02</url>", "xml-control-character@1"],
  ["<url\n\na><loc>https://site.test/w</loc></url>", "xml-bad-attribute@2"],
  ['<url a="1"\na="2"\n><loc>https://site.test/w</loc></url>', "xml-duplicate-attribute@1"],
  ["<url><loc>https://site.test/w</loc>\n</b>\n</url>", "xml-mismatched-tag@1"],
  ["<url>\n<loc>https://site.test/w\n</url>", "xml-mismatched-tag@2"],
  ["<url><loc>https://site.test/w</loc>\n\n<x:y/></url>", "xml-unbound-prefix@2"],
  // values are reported with the line of their end
  ["<url><loc>https://site.test/w</loc><lastmod>\nnever\n</lastmod>\n</url>", "bad-date@2"],
  ["<url><loc>https://site.test/w</loc>\n<changefreq>now</changefreq></url>", "bad-changefreq@1"],
  ["<url><loc>https://site.test/w</loc>\n\n<priority>\n2</priority></url>", "bad-priority@3"],
  ["<url><loc>https://site.test/w</loc>\n<image:image>\n</image:image></url>", "bad-image@2"],
  ["<url><loc>https://site.test/w</loc>\n<news:news>\n</news:news></url>", "bad-news@2"],
  ['<url><loc>https://site.test/w</loc>\n<xhtml:link\nrel="alternate"/></url>', "bad-alternate@2"],
  [
    "<url><loc>https://site.test/w</loc><video:video>\n<video:duration>x</video:duration>" +
    "</video:video></url>",
    "bad-video@1",
  ],
  ["<url><loc>https://site.test/w</loc>\n<sitemap>\n</sitemap></url>", "misplaced-element@1"],
  // entries are reported with the line of their end
  ["<url>\n</url>", "no-address@1"],
  ["<url>\n<loc></loc>\n\n</url>", "no-address@3"],
  ["<url>\n<loc>mailto:w</loc>\n</url>", "bad-address@1"],
  [
    "<url><loc>https://site.test/w</loc></url>\n<url>\n<loc>https://site.test/w</loc>\n</url>",
    "duplicate-address@3",
  ],
  [
    "<url>\n<loc>/w1</loc>\n<url>\n<loc>/w2</loc></url>",
    "relative-address@1",
    "unclosed-entry@2",
    "relative-address@3",
  ],
  // lines inside of skipped markup count
  ["<!--\n\n-->\n<url>\n</url>", "no-address@4"],
  ["<![CDATA[\n\n]]>\n<url/>", "no-address@3"],
  ["<?x\n\n?>\n<url/>", "no-address@3"],
  ['<url\n\na="\n\n"><loc>\n\n</loc></url>', "no-address@6"],
  ["<other>\n\n</other>\n<url/>", "misplaced-element@0", "no-address@3"],
];

for (const [name, end] of [["LF", "\n"], ["CRLF", "\r\n"]] as const) {
  Deno.test(`warnings of a urlset have the right line, with ${name}`, () => {
    for (const [text, ...reported] of FAULTS) {
      const actual = reportedInUrlset(text.replaceAll("\n", end), end);
      assertEquals(actual, below(reported, 3), JSON.stringify(text));
    }
  });
}

Deno.test("LF and CRLF end lines, a lone CR does not", () => {
  const records = withGaps(fillerRecords(3, "a"), "\n") + withGaps(fillerRecords(3, "b"), "\r\n") +
    withGaps(fillerRecords(3, "c"), "\r") + withGaps(fillerRecords(3, "d"), "\n\r") +
    withGaps(fillerRecords(12, "e"), "\r\r\n");
  const lines = 3 * 5 + 3 * 5 + 3 * 5 + 12 * 5;
  assertEquals(reportedOf(`${USUAL_ROOT[0]}${records}<url/></urlset>`), [
    `no-address@${lines + 1}`,
  ]);
});

Deno.test("warnings about a whole document have the line where reading stops, or none", () => {
  const good = filler("a", "\n");
  const documents: readonly (readonly [string, readonly string[], ReadingOptions?])[] = [
    [`${USUAL_ROOT[0]}${good}\n\n<url>`, [`xml-cut@${FILLED_LINES + 3}`]],
    [`${USUAL_ROOT[0]}${good}`, [`xml-cut@${FILLED_LINES + 1}`]],
    [`${USUAL_ROOT[0]}${good}\n</urlset>\n\njunk\n&\n`, [
      `xml-trailing-content@${FILLED_LINES + 4}`,
    ]],
    [`\n\n<?xml version="1.0"?>${USUAL_ROOT[0]}${good}</urlset>`, ["xml-leading-junk@3"]],
    [`<!-- -->\njunk\n${USUAL_ROOT[0]}${good}</urlset>`, ["xml-leading-junk@2"]],
    [`${USUAL_ROOT[0]}${good}\n<url><a><b>`, [
      `misplaced-element@${FILLED_LINES + 2}`,
      `too-deep-elements@${FILLED_LINES + 2}`,
    ], { limits: { ...DEFAULT_LIMITS, maxElementDepth: 3 } }],
    [`${USUAL_ROOT[0]}${good}\n<url>\n<a 1="" 2="" 3="" 4="" 5="" 6="">`, [
      `too-many-attributes@${FILLED_LINES + 3}`,
    ], { limits: { ...DEFAULT_LIMITS, maxAttributes: 5 } }],
    [`${USUAL_ROOT[0]}${good}</urlset>`, ["too-many-entries@undefined"], {
      limits: { ...DEFAULT_LIMITS, maxEntries: 2 },
    }],
    [`${USUAL_ROOT[0]}${good}\n<url>\n<loc>${"x".repeat(600)}\n</loc></url></urlset>`, [
      `value-too-long@${FILLED_LINES + 4}`,
    ], { limits: { ...DEFAULT_LIMITS, maxValueLength: 500 } }],
  ];
  for (const [text, reported, options] of documents) {
    assertEquals(reportedOf(text, options), reported, text.slice(0, 20));
  }
});

Deno.test("warnings of other formats have the right line", () => {
  const documents: readonly (readonly [string, readonly string[], ReadingOptions?])[] = [
    [
      "<sitemapindex>\n<sitemap>\n<loc>\n</loc>\n</sitemap>\n<sitemap><loc>http://a/</loc></sitemap>" +
      "\n<sitemap>\n<loc>http://a/</loc>\n</sitemap></sitemapindex>",
      ["no-address@5", "duplicate-address@9"],
    ],
    ["<rss><channel>\n<item>\n<pubDate>\nsoon</pubDate>\n</item></channel></rss>", [
      "bad-date@4",
      "no-address@5",
    ]],
    ["<feed>\r\n<entry>\r\n<updated>x</updated>\r\n</entry></feed>", [
      "bad-date@3",
      "no-address@4",
    ]],
    ["\n# comment\nhttps://site.test/\r\nbad\r\rhttps://site.test/\x85/a b", [
      "bad-line@4",
      "duplicate-address@6",
      "bad-line@7",
    ]],
    ["User-agent: *\n\nSitemap:\nSitemap: mailto:x\r\nSitemap: http://a/\nSitemap: http://a/#b", [
      "no-address@3",
      "bad-address@4",
      "duplicate-address@6",
    ], { isRobots: true }],
  ];
  for (const [text, reported, options] of documents) {
    assertEquals(reportedOf(text, options), reported, text.slice(0, 20));
  }
});
