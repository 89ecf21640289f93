/** Properties of all XML documents: neither chunks nor earlier documents change what is read. @module */

import { assert, assertEquals } from "@std/assert";
import fc from "../support/fast_check.ts";
import { DocumentReader } from "../../src/formats/document.ts";
import { DEFAULT_LIMITS, type ReaderLimits } from "../../src/data/limits.ts";
import { mutated, MUTATION, type Mutation } from "./byte_mutations.ts";
import { FEED } from "./feed_documents.ts";
import {
  assertReadsAlike,
  cutInto,
  documentBytes,
  newPool,
  NO_SINK,
  type Reading,
  readingOf,
  trainedPool,
} from "./reading.ts";
import {
  DOCUMENT,
  fillerRecords,
  LARGE_DOCUMENT,
  USUAL_ROOT,
  withGaps,
} from "./urlset_documents.ts";
import { saxesPages } from "./urlset_saxes.ts";

/** Sizes of chunks, taken in turn. */
const SIZES = fc.array(
  fc.oneof(
    { weight: 2, arbitrary: fc.integer({ min: 1024, max: 3000 }) },
    { weight: 2, arbitrary: fc.integer({ min: 1, max: 1100 }) },
    { weight: 1, arbitrary: fc.constantFrom(2, 5, 6, 8, 31, 32, 33, 4095, 4096, 65536) },
  ),
  { minLength: 1, maxLength: 6, size: "max" },
);

const LIMITS = fc.oneof(
  { weight: 8, arbitrary: fc.constant(DEFAULT_LIMITS) },
  {
    weight: 1,
    arbitrary: fc.record({
      maxEntries: fc.nat(20),
      maxValueLength: fc.integer({ min: 1, max: 2000 }),
      maxAttributes: fc.nat(6),
      maxElementDepth: fc.nat(8),
    }, { requiredKeys: [] }).map((limits): ReaderLimits => ({ ...DEFAULT_LIMITS, ...limits })),
  },
);

const DAMAGE = fc.array(MUTATION, { minLength: 1, maxLength: 4 });
const MAYBE_DAMAGE = fc.oneof(fc.constant([]), DAMAGE);

/** The same document as an index: its pages are sitemaps then. */
function asIndex(text: string): string {
  return text.replaceAll(/\burlset\b/g, "sitemapindex").replaceAll(/(<\/?)url\b/g, "$1sitemap");
}

const ANY_DOCUMENT: fc.Arbitrary<Uint8Array> = fc.tuple(
  fc.oneof(
    { weight: 3, arbitrary: DOCUMENT },
    { weight: 1, arbitrary: DOCUMENT.map(asIndex) },
    { weight: 2, arbitrary: FEED },
  ),
  MAYBE_DAMAGE,
).map(([text, damage]) => mutated(documentBytes(text), damage)).filter(isXml);

/** Damage may make text of a document, which `lines_test.ts` is about. */
function isXml(bytes: Uint8Array): boolean {
  return new TextDecoder().decode(bytes.subarray(0, 200)).trimStart().startsWith("<");
}

/** Asserts that saxes reads the same pages, if the document is well-formed; returns whether it is. */
function agreesWithSaxes(bytes: Uint8Array, { pages }: Reading): boolean {
  const expected = saxesPages(bytes);
  if (expected !== undefined && JSON.stringify(expected) !== `[${pages}]`) {
    // fields are in another order there
    assertEquals(pages.map((page) => JSON.parse(page)), expected, "saxes gives other pages");
  }
  return expected !== undefined;
}

/** Asserts that documents read alike; returns the number of children and of well-formed documents. */
function assertAllReadAlike(
  documents: fc.Arbitrary<string>,
  damage: fc.Arbitrary<readonly Mutation[]>,
  { numRuns, sizes = SIZES }: { readonly numRuns: number; readonly sizes?: typeof SIZES },
): { readonly children: number; readonly wellFormed: number } {
  let children = 0, wellFormed = 0;
  fc.assert(
    fc.property(documents, damage, sizes, LIMITS, (text, mutations, sizes, limits) => {
      const bytes = mutated(documentBytes(text), mutations);
      fc.pre(mutations.length === 0 || isXml(bytes));
      const reading = assertReadsAlike(bytes, [sizes], { limits });
      children += reading.children.length;
      if (limits === DEFAULT_LIMITS && agreesWithSaxes(bytes, reading)) wellFormed++;
    }),
    { numRuns },
  );
  return { children, wellFormed };
}

Deno.test("generated documents read alike whatever their chunks, and as saxes reads them", () => {
  const { wellFormed } = assertAllReadAlike(DOCUMENT, fc.constant([]), { numRuns: 400 });
  assert(wellFormed > 50, "some of them are well-formed");
});

Deno.test("damaged documents read alike whatever their chunks, and as saxes reads them", () => {
  assertAllReadAlike(DOCUMENT, DAMAGE, { numRuns: 500 });
});

Deno.test("generated and damaged indexes read alike whatever their chunks", () => {
  const { children } = assertAllReadAlike(DOCUMENT.map(asIndex), MAYBE_DAMAGE, { numRuns: 300 });
  assert(children > 300, "there was something to read");
});

Deno.test("large documents read alike whatever their chunks, and as saxes reads them", () => {
  const sizes = fc.array(
    fc.oneof(fc.constantFrom(65536, 16384), fc.integer({ min: 1, max: 90_000 })),
    { minLength: 1, maxLength: 3 },
  );
  const damage = fc.array(MUTATION, { maxLength: 2 });
  assertAllReadAlike(LARGE_DOCUMENT, damage, { numRuns: 15, sizes });
});

Deno.test("a reused reader reads like a new one", () => {
  const others = fc.array(ANY_DOCUMENT, { minLength: 1, maxLength: 4 });
  fc.assert(
    fc.property(others, ANY_DOCUMENT, SIZES, LIMITS, (documents, bytes, sizes, limits) => {
      assertReadsAlike(bytes, [sizes], { limits, readers: trainedPool(documents, limits) });
    }),
    { numRuns: 400 },
  );
});

Deno.test("a reader that was stopped inside a document reads the next like a new one", () => {
  fc.assert(
    fc.property(ANY_DOCUMENT, fc.double({ min: 0, max: 1, noNaN: true }), ANY_DOCUMENT, SIZES, (
      first,
      part,
      bytes,
      sizes,
    ) => {
      const readers = trainedPool([first.subarray(0, Math.floor(part * first.length))]);
      const expected = readingOf([bytes]);
      assertEquals(readingOf(cutInto(bytes, sizes), { readers }), expected);
    }),
    { numRuns: 400 },
  );
});

Deno.test("a reader reads many documents like new ones", () => {
  const sequence = fc.array(ANY_DOCUMENT, { minLength: 60, maxLength: 60, size: "max" });
  fc.assert(
    fc.property(sequence, SIZES, (documents, sizes) => {
      const readers = newPool();
      for (const bytes of documents) {
        const actual = readingOf(cutInto(bytes, sizes), { readers });
        assertEquals(actual, readingOf([bytes]));
      }
    }),
    { numRuns: 12 },
  );
});

Deno.test("faults and lines of a tag without attributes are reported each time", () => {
  const record = "<url\n/ ><loc>https://site.test/</loc></url>";
  const { warnings } = assertReadsAlike(documentBytes(`<urlset>${record.repeat(3)}</urlset>`));
  const expected = Array.from({ length: 3 }, (_, at) => at + 2);
  assertEquals(
    warnings.filter(([code]) => code === "xml-bad-attribute").map(([, , line]) => line),
    expected,
  );
  const limits = { ...DEFAULT_LIMITS, maxValueLength: 20 };
  const long = `<x\na="${"x".repeat(30)}"/><p:y/>`;
  assertReadsAlike(documentBytes(`<urlset>${long.repeat(3)}</urlset>`), [], { limits });
});

Deno.test("fields of an overlong entry are not compared with those of another", () => {
  const limits = { ...DEFAULT_LIMITS, maxValueLength: 30 };
  const news = "<news:news><news:publication_date>2024-05-06</news:publication_date></news:news>";
  const long = `<url><loc>https://site.test/${"x".repeat(30)}</loc>${news}</url>`;
  const bytes = documentBytes(`${USUAL_ROOT[0]}${long}${long}</urlset>`);
  const codes = new Set(readingOf([bytes], { limits }).warnings.map(([code]) => code));
  assertEquals(codes, new Set(["value-too-long", "xml-unbound-prefix"]));
});

Deno.test("a forbidden character in the text of an entry is reported whatever the chunks", () => {
  assertReadsAlike(documentBytes("<sitemapindex><sitemap>\x01x</sitemap></sitemapindex>"));
});

Deno.test("whitespace before text in an entry is part of it, whatever the chunks", () => {
  for (const space of ["\n ", " ".repeat(5000)]) {
    const text = `https://site.test/<!-- -->${space}a.xml`;
    assertReadsAlike(documentBytes(`<sitemapindex><sitemap>${text}</sitemap></sitemapindex>`));
  }
});

Deno.test("nothing after the place where a root element was expected is read, whatever the chunks", () => {
  const junk = (bytes: number) => `<other>${"<a:b/>\n".repeat(bytes / 7)}`;
  for (const after of [junk(4096), "<urlset><url><loc>/a</loc></url></urlset>"]) {
    for (const length of [65_600, 70_000]) {
      const bytes = documentBytes(junk(length) + after + "<a:b/>".repeat(20_000));
      const { outcome, pages } = assertReadsAlike(bytes, [[1], [7], [1000], [65_536]]);
      assertEquals(pages, []);
      assertEquals(outcome, { code: "not-a-sitemap", reason: 'Unknown root element "other"' });
    }
  }
});

/** Documents with more names, namespaces and places of elements than a reader keeps. */
const HOSTILE: Readonly<Record<string, string>> = {
  "element names": `<urlset>${
    Array.from({ length: 1500 }, (_, at) => `<n${at}><m${at % 7}/></n${at}>`).join("")
  }</urlset>`,
  "attribute names": `<urlset>${
    Array.from({ length: 1500 }, (_, at) => `<x a${at}="1" b${at % 9}="2"/>`).join("")
  }</urlset>`,
  "namespaces": `<urlset>${
    Array.from({ length: 1500 }, (_, at) =>
      `<url xmlns="urn:${at}"><loc xmlns:p="${at}">/</loc></url>`)
      .join("")
  }</urlset>`,
  "roots": `<a${Array.from({ length: 900 }, (_, at) => ` a${at}="b"`).join("")}>`,
  "tags with attributes": `<feed>${
    Array.from({ length: 900 }, (_, at) =>
      `<entry><link${" ".repeat(1 + at % 40)}x='1' href='/'/></entry>`)
      .join("")
  }</feed>`,
};

const RICH =
  `${
    USUAL_ROOT[0]
  }\n<url><loc>https://site.test/a</loc><image:image><image:loc>/i</image:loc></image:image>` +
  '<xhtml:link rel="alternate" hreflang="de" href="/de"/><video:video><video:restriction ' +
  'relationship="allow">IE</video:restriction></video:video></url>\n<other/><url/></urlset>';
const ATOM = '<feed xml:base="/base/"><entry><link rel="self" href="no"/><link type="text/html" ' +
  'rel="alternate" href="a" xml:base="b/"/><title>T</title></entry></feed>';
const RSS =
  '<rss xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><item><link href="https://site.test/a"/>' +
  '<dc:date>2005</dc:date><title>T</title></item><item><guid isPermaLink="false">https://site.test/b' +
  "</guid></item></channel></rss>";

for (const [name, hostile] of Object.entries(HOSTILE)) {
  Deno.test(`a reader after too many ${name} reads like a new one`, () => {
    const readers = trainedPool([documentBytes(hostile)]);
    for (const document of [RICH, ATOM, RSS, asIndex(RICH), hostile]) {
      assertReadsAlike(documentBytes(document), [[64]], { readers });
    }
  });
}

Deno.test("documents read concurrently from one pool do not mix", () => {
  const documents = [RICH, ATOM, RSS, asIndex(RICH), "https://site.test/1\nhttps://site.test/2"]
    .map(documentBytes);
  const readers = newPool();
  const expected = documents.map((bytes) => readingOf([bytes]).pages);
  const pages = documents.map((): string[] => []);
  const open = documents.map((_, at) =>
    new DocumentReader({ url: "https://site.test/dir/sitemap.xml", isRobots: false, readers }, {
      ...NO_SINK,
      page: (page) => void pages[at]!.push(JSON.stringify(page)),
    })
  );
  for (let at = 0; at < 1000; at += 7) {
    for (const [number, bytes] of documents.entries()) {
      if (at < bytes.length) open[number]!.write(bytes.slice(at, at + 7));
    }
  }
  for (const reader of open) reader.end();
  assertEquals(pages, expected);
});

const FIXTURES = new URL("../../fixtures/formats/", import.meta.url);

Deno.test("fixtures read alike whatever their chunks and whatever was read before, damaged or not", () => {
  const fixtures: (readonly [string, Uint8Array])[] = [];
  for (const format of ["urlset", "index", "rss", "atom"]) {
    for (const { name } of Deno.readDirSync(new URL(`${format}/`, FIXTURES))) {
      if (!name.endsWith(".xml")) continue;
      fixtures.push([name, Deno.readFileSync(new URL(`${format}/${name}`, FIXTURES))]);
    }
  }
  fixtures.sort(([a], [b]) => a < b ? -1 : 1);
  assert(fixtures.length > 120);
  const all = trainedPool(fixtures.map(([, bytes]) => bytes));
  for (const [, bytes] of fixtures) {
    const reading = assertReadsAlike(bytes, [[64, 3]], { readers: all });
    agreesWithSaxes(bytes, reading);
  }
  const fixture = fc.constantFrom(...fixtures);
  fc.assert(
    fc.property(fixture, fixture, DAMAGE, SIZES, ([, other], [, bytes], damage, sizes) => {
      assertReadsAlike(mutated(bytes, damage), [sizes], { readers: trainedPool([other]) });
    }),
    { numRuns: 300 },
  );
});

/** Pairs of records, by what is worth cutting in two about them. */
const PAIRS: Readonly<Record<string, string>> = {
  "plain ones":
    "\n<url>\n <loc>https://site.test/a</loc>\n <lastmod>2024-05-06T07:08:09Z</lastmod>\n</url>" +
    "\n<url>\n <loc>https://site.test/b</loc>\n <changefreq>daily</changefreq>\n</url>",
  "some that are not ASCII, and minified":
    "<url><loc>https://site.test/é/日本/😀</loc><priority>0.4</priority></url>" +
    "<url><loc>https://bücher.test/😀</loc></url>",
  "some with CRLF and references":
    "\r\n<url>\r\n\t<loc>\r\nhttps://site.test/?a=1&amp;b=2\r\n</loc>" +
    "\r\n</url>\r\n<url>\r\n\t<loc>https://site.test/&#233;&eacute;&nosuch;&</loc>\r\n</url>",
  "some with extensions":
    "\n<url><loc>https://site.test/c</loc><image:image>\n<image:loc>/i</image:loc>" +
    "<image:title>Größe</image:title></image:image></url>\n<url><loc>https://site.test/d</loc>\n" +
    '<xhtml:link rel="alternate" hreflang="de" href="https://site.test/de?a&amp;b"/>\n</url>',
  "news, and attributes and comments":
    "\n<url><loc>https://site.test/e</loc><news:news><news:publication><news:name>N</news:name>" +
    "<news:language>en</news:language></news:publication><news:publication_date>2024-05-06" +
    "</news:publication_date><news:title>T</news:title></news:news></url>\n" +
    '<url id="1"><loc>https://site.test/f</loc><!-- </url> --><x a="</url>"/></url>',
  "broken ones":
    "\n<url><loc>https://site.test/g</loc>\n<url><loc>https://site.test/\xa0</loc></url>" +
    "</url>\n<url><loc>https://site.test/\r\n\x01</loc></ur></url>\n<url>\n\n<loc></loc></url>",
};

/** A pair of records among others, and the offsets between which it is. */
function surrounded(pair: string): { bytes: Uint8Array; from: number; to: number } {
  const before = documentBytes(USUAL_ROOT[0] + withGaps(fillerRecords(4, "before"), "\n"));
  const inside = documentBytes(pair);
  const behind = documentBytes(withGaps(fillerRecords(4, "behind"), "\n") + USUAL_ROOT[1]);
  return {
    bytes: Uint8Array.from([...before, ...inside, ...behind]),
    from: before.length - 10,
    to: before.length + inside.length + 40,
  };
}

for (const [name, pair] of Object.entries(PAIRS)) {
  Deno.test(`a document may be cut at any byte of two records: ${name}`, () => {
    const { bytes, from, to } = surrounded(pair);
    const sizes: number[][] = [];
    for (let cut = from; cut < to; cut++) {
      sizes.push([cut, Infinity]);
      for (const size of [1, 6, 33]) sizes.push([cut, size, Infinity]);
    }
    assertReadsAlike(bytes, sizes);
  });

  // an entry without end tag ends with the next one
  if (name === "broken ones") continue;
  Deno.test(`a page is emitted as soon as its record ends: ${name}`, () => {
    const { bytes, from, to } = surrounded(pair);
    const text = new TextDecoder("latin1").decode(bytes);
    for (let cut = from; cut < to; cut++) {
      // a comment has an end tag in it
      const expected = text.slice(0, cut).replace(/<!--.*?(-->|$)|a="<[^"]*/g, "")
        .split("</url>").length - 1;
      assertEquals(pagesAfter(bytes.subarray(0, cut)), expected, `In a chunk of ${cut} bytes`);
    }
  });
}

/** Number of pages that are emitted before the end of the document is known. */
function pagesAfter(chunk: Uint8Array): number {
  let pages = 0;
  const reader = new DocumentReader({ url: "https://site.test/", isRobots: false }, {
    ...NO_SINK,
    page: () => void pages++,
  });
  reader.write(chunk);
  return pages;
}

Deno.test("chunks of 64 KiB may end at any byte of two records", () => {
  const records = Object.values(PAIRS).map((pair, number) =>
    withGaps(fillerRecords(600, `n${number}`), "\n") + pair
  );
  // offsets move, lines do not
  const shifted = (shift: number) =>
    documentBytes(`<!--${" ".repeat(shift)}-->${USUAL_ROOT[0]}${records.join("")}${USUAL_ROOT[1]}`);
  const expected = JSON.stringify(readingOf([shifted(0)]));
  assert(expected.length > 64 * 3600);
  for (let shift = 0; shift < 120; shift += 1) {
    const actual = JSON.stringify(readingOf(cutInto(shifted(shift), [65536])));
    assert(actual === expected, `Shifted by ${shift} bytes it reads otherwise`);
  }
});
