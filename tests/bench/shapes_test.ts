import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { gzipSync } from "node:zlib";
import { SaxesParser } from "saxes";
import type { BenchPage } from "../../tools/bench/contender.ts";
import { compareDocuments, type DocumentsReport } from "../../tools/bench/documents_bench.ts";
import { pageJson, PageTally } from "../../tools/bench/page_tally.ts";
import { inFolder } from "../support/in_folder.ts";
import { Random } from "../support/random.ts";
import { generateShape, type Shape, SHAPES } from "../../tools/bench/shapes.ts";
import { checkShape, shapesWith } from "../../tools/bench/shapes_bench.ts";

const decoder = new TextDecoder();

function shapeNamed(name: string): Shape {
  return SHAPES.find((shape) => shape.name === name)!;
}

Deno.test("SHAPES has at least 25 shapes with distinct names", () => {
  assert(SHAPES.length >= 25, String(SHAPES.length));
  assertEquals(new Set(SHAPES.map(({ name }) => name)).size, SHAPES.length);
});

for (const shape of SHAPES) {
  Deno.test(`shape "${shape.name}" is well-formed, namespaces included, and the same every time`, () => {
    const { bytes, pages } = generateShape(shape, 20);
    assertEquals(pages, 20);
    const parser = new SaxesParser({ xmlns: true });
    parser.on("error", (error) => {
      throw error;
    });
    parser.write(decoder.decode(bytes)).close();
    assertEquals(generateShape(shape, 20).bytes, bytes);
  });

  Deno.test(`shape "${shape.name}" makes the same pages with sitetree and with saxes`, async () => {
    await checkShape(shape, 20);
  });
}

Deno.test("shapesWith() selects by a part of the name, in any case", () => {
  assertEquals(shapesWith([]), SHAPES);
  const names = shapesWith(["cdata", "two hosts"]).map(({ name }) => name);
  assertEquals(names, [
    "CDATA in loc",
    "CDATA in padded loc",
    "CDATA everywhere",
    "two hosts",
    "CDATA in image titles",
  ]);
});

/** A text that must be in every entry of a shape, which is named after it. */
const SPELLINGS: Readonly<Record<string, RegExp>> = {
  "&amp; in addresses": /<loc>[^&<]*&amp;[^&<]*<\/loc>/,
  "&amp; several times": /<loc>([^&<]*&amp;){4}[^&<]*<\/loc>/,
  "&#38; in addresses": /<loc>[^&<]*&#38;[^&<]*<\/loc>/,
  "&amp; in padded values": /<loc>\s+([^&<]*&amp;){4}[^&<]*\s+<\/loc>/,
  "several references": /<loc>[^<]*&apos;[^<]*&amp;[^<]*&#38;[^<]*&#x26;[^<]*<\/loc>/,
  "CDATA in loc": /<loc><!\[CDATA\[[^\]]*&[^\]]*\]\]><\/loc>/,
  "CDATA in padded loc": /<loc>\s+<!\[CDATA\[[^\]]*&[^\]]*\]\]>\s+<\/loc>/,
  "single quotes": /<url class='page'>\s+<loc type='text\/html'>/,
  "attribute on url": /<url class="page">/,
  "varying attribute on url": /<url id="p\d+">/,
  "comments between records": /<!--[^>]*> -->\s*<url>/,
  "PageMap": /<PageMap xmlns="[^"]*">\s*<DataObject type="document" id="d\d+">\s*<Attribute name=/,
  "hreflang": /(<xhtml:link rel="alternate" hreflang="[^"]*" href="[^"]*"\/>\s+){5}/,
  "hreflang, other order": /(<xhtml:link hreflang="[^"]*" rel="alternate" href="[^"]*" \/>\s+){5}/,
  "hreflang, href first": /(<xhtml:link href="[^"]*" hreflang="[^"]*" rel="alternate"\/>\s+){5}/,
  "hreflang, &amp; in addresses": /&amp;[^<]*<\/loc>[^]*(<xhtml:link [^>]*&amp;[^>]*>\s+){5}/,
  "hreflang, single quotes": /(<xhtml:link rel='alternate' hreflang='[^']*' href='[^']*'\/>\s+){5}/,
  "images with attributes":
    /<image:image id="i\d+">\s+<image:loc type="image\/jpeg">[^<]+<\/image:loc>\s+<image:title xml:lang="en">/,
  "sitemapindex, &amp; in addresses": /<sitemap>\s+<loc>[^<]*&amp;[^<]*<\/loc>/,
};

Deno.test("shapes have the spelling that they are named after in every entry", () => {
  for (const [name, spelling] of Object.entries(SPELLINGS)) {
    const random = new Random(1);
    for (let number = 0; number < 20; number++) {
      const entry = shapeNamed(name).entry(random, number);
      assert(spelling.test(entry), `${name}: ${entry}`);
    }
  }
});

const FULL_PAGE: BenchPage = {
  url: "https://example.com/",
  priority: 0.8,
  lastModified: new Date(1),
  changeFrequency: "daily",
  newsStory: {
    title: "a",
    publishDate: new Date(2),
    publicationName: "b",
    publicationLanguage: "c",
    access: "d",
    genres: ["e"],
    keywords: ["f"],
    stockTickers: ["g"],
  },
  images: [{ loc: "h", caption: "i", geoLocation: "j", title: "k", license: "l" }],
  alternates: [{ hreflang: "m", href: "n" }],
  videos: [{
    thumbnailLoc: "o",
    title: "p",
    description: "q",
    contentLoc: "r",
    playerLoc: "s",
    duration: 1,
    expirationDate: new Date(3),
    rating: 4.5,
    viewCount: 2,
    publicationDate: new Date(4),
    familyFriendly: true,
    restriction: { relationship: "allow", values: ["t"] },
    platform: { relationship: "deny", values: ["u"] },
    requiresSubscription: false,
    uploader: { name: "v", info: "w" },
    live: true,
    tags: ["x"],
  }],
};

/** Every copy of a value that lacks one of its fields, at any depth. */
function withoutOneField(value: unknown): unknown[] {
  if (typeof value !== "object" || value === null || value instanceof Date) return [];
  return Object.entries(value).flatMap(([key, inner]): unknown[] => {
    const { [key]: _, ...rest } = value as Record<string, unknown>;
    const deeper = withoutOneField(inner).map((changed) => ({ ...value, [key]: changed }));
    const copies = [rest, ...deeper];
    return Array.isArray(value) ? copies.map((copy) => Object.values(copy)) : copies;
  });
}

Deno.test("PageTally and pageJson() notice every field that is missing", () => {
  const checksumOf = (page: BenchPage) => {
    const tally = new PageTally();
    tally.add(page);
    return tally.checksum;
  };
  const variants = (withoutOneField(FULL_PAGE) as BenchPage[])
    .filter(({ url, priority }) => url !== undefined && priority !== undefined);
  assert(variants.length > 40, String(variants.length));
  for (const variant of variants) {
    assertNotEquals(checksumOf(variant), checksumOf(FULL_PAGE), pageJson(variant));
    assertNotEquals(pageJson(variant), pageJson(FULL_PAGE));
  }
});

Deno.test("PageTally notices the order of pages", () => {
  const [ab, ba] = ["ab", "ba"].map((order) => {
    const tally = new PageTally();
    for (const url of order) tally.add({ url, priority: 0.5 });
    return tally;
  });
  assertEquals(ab!.pages, ba!.pages);
  assertNotEquals(ab!.checksum, ba!.checksum);
});

/** Creates a folder of files for the time of a test. */
function withFiles<T>(
  files: Readonly<Record<string, Uint8Array | string>>,
  run: (folder: string) => Promise<T>,
): Promise<T> {
  return inFolder(async (folder) => {
    for (const [name, content] of Object.entries(files)) {
      const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
      await Deno.writeFile(`${folder}/${name}`, bytes);
    }
    return await run(folder);
  });
}

const NO_TIMING = { minRounds: 1, seconds: 0, secondsPerRound: 0 };

Deno.test("compareDocuments() reads plain and compressed files, repeated and unusable addresses", async () => {
  const plain = generateShape(shapeNamed("plain"), 30).bytes;
  const index = generateShape(shapeNamed("sitemapindex"), 7).bytes;
  const odd = "<urlset><url><loc>https://a.test/1</loc></url><url><loc>/2</loc></url>" +
    "<url><loc>https://a.test/1</loc></url></urlset>";
  const latin1 = Uint8Array.from(
    "<?xml version='1.0' encoding='iso-8859-1'?><urlset><url><loc>https://a.test/\xe9</loc></url></urlset>",
    (letter) => letter.charCodeAt(0),
  );
  const files = {
    "a.xml": plain,
    "b.xml.gz": new Uint8Array(gzipSync(plain)),
    "c": index,
    "d.xml": odd,
    "e.xml": latin1,
  };
  const report = await withFiles(files, (folder) => compareDocuments(folder, NO_TIMING));
  const { documents, geometricMean, minimum } = report;
  assertEquals(
    documents.map(({ file, bytes, pages, identical }) => [file, bytes, pages, identical]),
    [
      ["a.xml", plain.length, 30, true],
      ["b.xml.gz", plain.length, 30, true],
      ["c", index.length, 7, true],
      ["d.xml", odd.length, 1, true],
      ["e.xml", latin1.length, 1, true],
    ],
  );
  for (const { ours, saxes, ratio, error } of documents) {
    assertEquals(ratio, saxes!.seconds / ours.seconds);
    assertEquals(error, undefined);
  }
  assertEquals(minimum, Math.min(...documents.map(({ ratio }) => ratio!)));
  assert(geometricMean! >= minimum!);
});

Deno.test("compareDocuments() leaves documents that saxes cannot read out of the mean", async () => {
  const files = {
    "cut.xml": "<urlset><url><loc>https://a.test/</loc></url>",
    "page.html": "<html></html>",
  };
  const report = await withFiles(files, (folder) => compareDocuments(folder, NO_TIMING));
  assertEquals(
    report.documents.map(({ pages, identical, saxes, ratio }) => [pages, identical, saxes, ratio]),
    [1, 0].map((pages) => [pages, false, null, null]),
  );
  assertEquals(report.documents[1]!.error, 'Unknown root element "html"');
  assert(report.documents.every(({ ours }) => ours.seconds > 0));
  assertEquals([report.geometricMean, report.minimum], [null, null]);
});

Deno.test("bench.ts --documents prints one JSON object", async () => {
  const { bytes } = generateShape(shapeNamed("RSS"), 5);
  const report = await withFiles({ "feed.xml": bytes }, async (folder) => {
    const script = new URL("../../tools/bench/bench.ts", import.meta.url).pathname;
    const { stdout, success } = await new Deno.Command(Deno.execPath(), {
      args: ["run", "--allow-all", "--no-check", script, "--documents", folder],
      stderr: "inherit",
    }).output();
    assert(success);
    return JSON.parse(decoder.decode(stdout)) as DocumentsReport;
  });
  const [document] = report.documents;
  assertEquals(document!.file, "feed.xml");
  assertEquals([document!.pages, document!.identical], [5, true]);
  assertEquals([report.geometricMean, report.minimum].map((value) => value!.toFixed(9)), [
    document!.ratio!.toFixed(9),
    document!.ratio!.toFixed(9),
  ]);
});
