import { assertEquals } from "@std/assert";
import { CutError } from "../../src/errors.ts";
import { AddressSets } from "../../src/formats/address_set.ts";
import { DeferredXmlReader } from "../../src/formats/deferred_xml.ts";
import { Entries } from "../../src/formats/entries.ts";
import { DEFAULT_LIMITS, type DocumentLimits } from "../../src/limits.ts";
import { documentBytes } from "./document_bytes.ts";
import { cutInto, readingOf, type ReadingOptions } from "./reading.ts";
import { takenEntries } from "./taken_entries.ts";

const XMLNS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';
const HEAD = `<?xml version="1.0"?>\n<urlset ${XMLNS}>\n`;

/** Enough of them for the fast lane, two lines each. */
function records(count = 30): string {
  const record = (at: number) => `<url>\n<loc>https://site.test/page-${at}</loc></url>\n`;
  return Array.from({ length: count }, (_, at) => record(at)).join("");
}

/** What is read of a document whose head is new, and of it again: it must be the same. */
function readTwice(head: string, rest: string, options: ReadingOptions = {}) {
  const text = (mark: string) => documentBytes(head.replace("?>", `?><!--${mark}-->`) + rest);
  const whole = (mark: string) => readingOf(cutInto(text(mark), [Infinity]), options);
  const fresh = crypto.randomUUID();
  // a head in between makes the other one forgotten
  const first = whole(fresh);
  whole(crypto.randomUUID());
  const unknown = whole(fresh), known = whole(fresh);
  assertEquals([unknown, known], [first, first]);
  assertEquals(readingOf(cutInto(text(fresh), [512]), options), first, "by the general lane");
  return first;
}

Deno.test("a document reads the same whether its head is known or not", () => {
  const { pages, warnings, outcome } = readTwice(HEAD, `${records()}</urlset>\n`);
  assertEquals([pages.length, warnings.length], [30, 0]);
  assertEquals(outcome, { type: "PagesXmlSitemap", complete: true });
});

Deno.test("what is wrong behind a known head is told with its line", () => {
  const { pages, warnings } = readTwice(HEAD, `${records()}<url>\n</url>${records(1)}</urlset>`);
  assertEquals(pages.length, 30);
  assertEquals(warnings.map(([code, , line]) => [code, line]), [
    ["no-address", 64],
    ["duplicate-address", 65],
  ]);
});

const TAILS: readonly (readonly [tail: string, complete: boolean, ...codes: string[]])[] = [
  ["</urlset>", true],
  [" \r\n\t</urlset> \r\n", true],
  ["</urlset ><!-- comment -->", true],
  ["</URLSET>", true],
  ["", false, "xml-cut"],
  ["</url", false, "xml-cut"],
  ["</urlset>x", true, "xml-trailing-content"],
  ["</urlset></urlset>", true, "xml-trailing-content"],
  ["</other></urlset>", true, "xml-mismatched-tag"],
  ["x</urlset>", true],
  ["\x01</urlset>", true, "xml-control-character"],
];

for (const [tail, complete, ...codes] of TAILS) {
  Deno.test(`${JSON.stringify(tail)} ends a document with a known head as any other`, () => {
    const { warnings, outcome } = readTwice(HEAD, records() + tail);
    assertEquals(warnings.map(([code]) => code), codes);
    assertEquals(outcome, { type: "PagesXmlSitemap", complete });
  });
}

Deno.test("a document with a known head is cut as any other", () => {
  const cut = new CutError("body-cut", "Body broke off");
  const reading = readTwice(HEAD, `${records()}</urlset>`, { cut });
  assertEquals(reading.outcome, { type: "PagesXmlSitemap", complete: false });
  assertEquals(reading.warnings, [["body-cut", "Body broke off", undefined]]);
  const limits = { ...DEFAULT_LIMITS, maxEntries: 10 };
  const full = readTwice(HEAD, `${records()}</urlset>`, { limits });
  assertEquals(full.pages.length, 10);
  assertEquals(full.outcome, { type: "PagesXmlSitemap", complete: false });
});

Deno.test("a record before the first that is of the common form keeps its place", () => {
  const odd = "<url\n><loc>https://site.test/odd</loc></url\n>";
  const { pages } = readTwice(HEAD + odd, `${records()}</urlset>`);
  assertEquals(pages[0], '{"url":"https://site.test/odd","priority":0.5}');
});

Deno.test("roots of other names and heads with something to tell read the same again", () => {
  const roots = [
    `<s:urlset xmlns:s="http://www.sitemaps.org/schemas/sitemap/0.9" ${XMLNS}>`,
    `<URLSET ${XMLNS}>`,
    `<urlset ${XMLNS} a=b>`,
    `<urlset ${XMLNS}><other/>`,
    `<urlset ${XMLNS}>&amp;`,
  ];
  for (const root of roots) {
    for (const tail of ["</urlset>", "</s:urlset>", "</URLSET>"]) {
      readTwice(`<?xml version="1.0"?>\n${root}`, records() + tail);
    }
  }
});

/** A reader that has read a head, and one that comes behind it. */
function afterHead(limits: DocumentLimits, head = HEAD) {
  const { entries } = takenEntries();
  const first = new DeferredXmlReader(entries, DEFAULT_LIMITS);
  first.write(head);
  first.remember(head);
  const sink = { page() {}, child() {}, warning() {} };
  const seen = new AddressSets().take();
  return new DeferredXmlReader(new Entries("", sink, { maxEntries: 10, seen }), limits);
}

Deno.test("DeferredXmlReader puts off a head that it knows, and no other", () => {
  const text = `${HEAD}<url>`;
  assertEquals(afterHead(DEFAULT_LIMITS).putsOff(text, HEAD.length), true);
  assertEquals(afterHead(DEFAULT_LIMITS).putsOff(` ${text}`, HEAD.length + 1), false);
  assertEquals(afterHead(DEFAULT_LIMITS).putsOff(`<a>${text}`, HEAD.length), false);
  assertEquals(
    afterHead({ ...DEFAULT_LIMITS }).putsOff(text, HEAD.length),
    false,
    "other ceilings",
  );
  const long = `<!--${"x".repeat(2048)}-->${HEAD}`;
  assertEquals(afterHead(DEFAULT_LIMITS, long).putsOff(`${long}<url>`, long.length), false);
});

Deno.test("DeferredXmlReader is where it would be if it had read the head", () => {
  const reader = afterHead(DEFAULT_LIMITS);
  assertEquals([reader.type, reader.settled, reader.betweenRecords], [undefined, false, false]);
  reader.putsOff(HEAD, HEAD.length);
  const usual = { hasUsualImages: false, hasUsualNews: false, hasUsualAlternates: false };
  const place = () => {
    const { type, settled, betweenRecords, hasUsualNames } = reader;
    const { hasUsualImages, hasUsualNews, hasUsualAlternates } = reader.usualPrefixes;
    assertEquals({ hasUsualImages, hasUsualNews, hasUsualAlternates }, usual);
    return [type, settled, betweenRecords, hasUsualNames];
  };
  assertEquals(place(), ["PagesXmlSitemap", false, true, true]);
  reader.write("");
  assertEquals(place(), ["PagesXmlSitemap", false, true, true]);
  reader.write("<!-- -->");
  assertEquals(place(), ["PagesXmlSitemap", false, true, true], "read after all");
  reader.write("</urlset>");
  assertEquals(reader.betweenRecords, false);
  assertEquals(reader.end(false), { type: "PagesXmlSitemap", complete: true });
});
