import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { DocumentReader } from "../../src/formats/document.ts";
import { DEFAULT_LIMITS, type DocumentLimits } from "../../src/limits.ts";
import { mutated, MUTATION } from "./byte_mutations.ts";
import { documentBytes } from "./document_bytes.ts";
import { assertReadsAlike, cutInto, readingOf, SMALL_CHUNKS } from "./reading.ts";
import {
  DOCUMENT,
  fillerRecords,
  LARGE_DOCUMENT,
  USUAL_ROOT,
  withGaps,
} from "./urlset_documents.ts";
import { saxesPages } from "./urlset_saxes.ts";

/**
 * In the normal run the same documents in every run; with `FUZZ_SECONDS` for so long each, from
 * `FUZZ_SEED` or a new seed, which is told.
 */
function runs(numRuns: number): fc.Parameters<unknown> {
  const seconds = Number(Deno.env.get("FUZZ_SECONDS") ?? 0);
  if (seconds === 0) return { numRuns, seed: 20240506 };
  const seed = Number(Deno.env.get("FUZZ_SEED") ?? crypto.getRandomValues(new Int32Array(1))[0]);
  console.log(`FUZZ_SEED=${seed}`);
  const numRunsUntilThen = Number.MAX_SAFE_INTEGER;
  return { numRuns: numRunsUntilThen, interruptAfterTimeLimit: seconds * 1000, seed };
}

/** Sizes of chunks, taken in turn: most of them large enough for the fast lane. */
const SIZES = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.integer({ min: 1024, max: 3000 }) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 1100 }) },
    { weight: 1, arbitrary: fc.constantFrom(1, 5, 6, 7, 31, 32, 33, 38, 1023, 1024, 65536) },
  ),
  { minLength: 1, maxLength: 6, size: "max" },
);

const LIMITS = fc.oneof(
  { weight: 8, arbitrary: fc.constant(DEFAULT_LIMITS) },
  {
    weight: 1,
    arbitrary: fc.record({
      maxEntries: fc.nat(20),
      maxValueLength: fc.oneof(fc.nat(60), fc.nat(2000)),
      maxAttributes: fc.nat(6),
      maxElementDepth: fc.nat(8),
    }, { requiredKeys: [] }).map((limits): DocumentLimits => ({ ...DEFAULT_LIMITS, ...limits })),
  },
);

const DAMAGE = fc.array(MUTATION, { minLength: 1, maxLength: 4 });

/** Both lanes, and saxes where a document is well-formed: whether it was. */
function assertAgrees(
  bytes: Uint8Array,
  sizes: readonly number[],
  limits: DocumentLimits,
): boolean {
  // twice: the second time what a document begins with is known
  const { pages } = assertReadsAlike(bytes, [sizes, [Infinity], sizes, [Infinity]], { limits });
  const expected = limits === DEFAULT_LIMITS ? saxesPages(bytes) : undefined;
  if (expected !== undefined && JSON.stringify(expected) !== `[${pages}]`) {
    // the order of fields is no business of saxes
    assertEquals(pages.map((page) => JSON.parse(page)), expected, "saxes gives other pages");
  }
  return expected !== undefined;
}

Deno.test("both lanes and saxes read generated documents alike, however they are chunked", () => {
  let wellFormed = 0;
  fc.assert(
    fc.property(DOCUMENT, SIZES, LIMITS, (text, sizes, limits) => {
      if (assertAgrees(documentBytes(text), sizes, limits)) wellFormed++;
    }),
    runs(1200),
  );
  assert(wellFormed > 100, "saxes had something to say");
});

Deno.test("both lanes and saxes read damaged documents alike, however they are chunked", () => {
  fc.assert(
    fc.property(DOCUMENT, DAMAGE, SIZES, LIMITS, (text, mutations, sizes, limits) => {
      assertAgrees(mutated(documentBytes(text), mutations), sizes, limits);
    }),
    runs(1200),
  );
});

/** The same document as an index: its pages are sitemaps then. */
function asIndex(text: string): string {
  return text.replaceAll(/\burlset\b/g, "sitemapindex").replaceAll(/(<\/?)url\b/g, "$1sitemap");
}

Deno.test("both lanes read generated indexes alike, however they are chunked", () => {
  let children = 0;
  fc.assert(
    fc.property(DOCUMENT, fc.option(DAMAGE), SIZES, LIMITS, (text, mutations, sizes, limits) => {
      const bytes = mutated(documentBytes(asIndex(text)), mutations ?? []);
      children += assertReadsAlike(bytes, [sizes, [Infinity]], { limits }).children.length;
    }),
    runs(1200),
  );
  assert(children > 1000, "there was something to read");
});

Deno.test("both lanes and saxes read large documents alike, however they are chunked", () => {
  const sizes = fc.array(
    fc.oneof(fc.constantFrom(65536, 16384), fc.integer({ min: 1, max: 90_000 })),
    {
      minLength: 1,
      maxLength: 3,
    },
  );
  const damage = fc.array(MUTATION, { maxLength: 2 });
  fc.assert(
    fc.property(LARGE_DOCUMENT, damage, sizes, LIMITS, (text, mutations, sizes, limits) => {
      assertAgrees(mutated(documentBytes(text), mutations), sizes, limits);
    }),
    runs(40),
  );
});

const FIXTURES = new URL("../../fixtures/formats/urlset/", import.meta.url);

/** A fixture among so many records that it stands in chunks for the fast lane. */
function paddedFixture(name: string): Uint8Array {
  const latin1 = new TextDecoder("latin1").decode(Deno.readFileSync(new URL(name, FIXTURES)));
  const filler = withGaps(fillerRecords(10, "filler"), "\n");
  const padded = latin1.replace(/<url[\s>]/i, (start) => filler + start);
  return Uint8Array.from(padded, (letter) => letter.charCodeAt(0));
}

Deno.test("both lanes and saxes read the fixtures alike, and damaged ones too", () => {
  const names = [...Deno.readDirSync(FIXTURES)].map(({ name }) => name)
    .filter((name) => name.endsWith(".xml")).sort();
  const fixtures = new Map(names.map((name) => [name, paddedFixture(name)]));
  assert(fixtures.size > 90);
  for (const bytes of fixtures.values()) assertAgrees(bytes, [1024], DEFAULT_LIMITS);
  fc.assert(
    fc.property(fc.constantFrom(...names), DAMAGE, SIZES, (name, mutations, sizes) => {
      assertAgrees(mutated(fixtures.get(name)!, mutations), sizes, DEFAULT_LIMITS);
    }),
    runs(1200),
  );
});

/** Pairs of records, by what is worth cutting in two about them. */
const WINDOWS: Readonly<Record<string, string>> = {
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
  "news and what only the general lane reads":
    "\n<url><loc>https://site.test/e</loc><news:news><news:publication><news:name>N</news:name>" +
    "<news:language>en</news:language></news:publication><news:publication_date>2024-05-06" +
    "</news:publication_date><news:title>T</news:title></news:news></url>\n" +
    '<url id="1"><loc>https://site.test/f</loc><!-- </url> --><x a="</url>"/></url>',
  "broken ones":
    "\n<url><loc>https://site.test/g</loc>\n<url><loc>https://site.test/\xa0</loc></url>" +
    "</url>\r<url><loc>https://site.test/\r\n\x01</loc></ur></url>\n<url>\n\n<loc></loc></url>",
};

/** A window with enough records around it that all chunks are large enough for the fast lane. */
function windowed(window: string): { bytes: Uint8Array; from: number; to: number } {
  const before = documentBytes(USUAL_ROOT[0] + withGaps(fillerRecords(10, "before"), "\n"));
  const inside = documentBytes(window);
  const behind = documentBytes(withGaps(fillerRecords(20, "behind"), "\n") + USUAL_ROOT[1]);
  return {
    bytes: Uint8Array.from([...before, ...inside, ...behind]),
    from: before.length - 10,
    to: before.length + inside.length + 80,
  };
}

for (const [name, window] of Object.entries(WINDOWS)) {
  Deno.test(`a document may be cut at any byte of two records: ${name}`, () => {
    const { bytes, from, to } = windowed(window);
    const sizes: number[][] = [];
    for (let cut = from; cut < to; cut++) {
      sizes.push([cut, Infinity]);
      // a second cut, behind a chunk for either lane
      for (const size of [1, 6, 33, 1024, 1030]) sizes.push([cut, size, Infinity]);
    }
    assertReadsAlike(bytes, sizes);
  });

  // a record without end ends with the next one, which the fast lane waits for
  if (name === "broken ones") continue;
  Deno.test(`a page is there as soon as its record ends: ${name}`, () => {
    const { bytes, from, to } = windowed(window);
    for (let cut = from; cut < to; cut++) {
      const first = bytes.subarray(0, cut);
      const expected = pagesAfter(cutInto(first, SMALL_CHUNKS));
      assertEquals(pagesAfter([first]), expected, `In a chunk of ${cut} bytes`);
    }
  });
}

/** How many pages there are before anybody says that these were all bytes. */
function pagesAfter(chunks: Iterable<Uint8Array>): number {
  let pages = 0;
  const reader = new DocumentReader({ url: "https://site.test/", isRobots: false }, {
    page: () => void pages++,
    child: () => {},
    warning: () => {},
  });
  for (const chunk of chunks) reader.write(chunk);
  return pages;
}

Deno.test("chunks of 64 KiB may end at any byte of two records", () => {
  const records = Object.values(WINDOWS).map((window, number) =>
    withGaps(fillerRecords(600, `n${number}`), "\n") + window
  );
  // places move, lines do not
  const shifted = (shift: number) =>
    documentBytes(`<!--${" ".repeat(shift)}-->${USUAL_ROOT[0]}${records.join("")}${USUAL_ROOT[1]}`);
  const expected = JSON.stringify(readingOf(cutInto(shifted(0), SMALL_CHUNKS)));
  assert(expected.length > 64 * 3600);
  for (let shift = 0; shift < 240; shift++) {
    const actual = JSON.stringify(readingOf(cutInto(shifted(shift), [65536])));
    assert(actual === expected, `Shifted by ${shift} bytes it reads otherwise`);
  }
});
