import { assert, assertEquals } from "@std/assert";
import fc from "../support/fast_check.ts";
import { TruncatedError } from "../../src/data/errors.ts";
import { DocumentReader } from "../../src/formats/document.ts";
import { DEFAULT_LIMITS } from "../../src/data/limits.ts";
import { utf16 } from "../bytes/utf16.ts";
import { chunked } from "../support/chunked.ts";
import { ATOM, RSS, TEXT } from "./feed_documents.ts";
import {
  assertReadsAlike,
  documentBytes,
  newPool,
  NO_SINK,
  type Reading,
  readingOf,
  type ReadingOptions,
} from "./reading.ts";
import { urlsOf } from "./rules.ts";

const encoder = new TextEncoder();

type Content = string | Uint8Array;

/** Reads a document whole, in small chunks and byte by byte, with equal results. */
function read(content: Content, options: ReadingOptions = {}): Reading {
  const bytes = typeof content === "string" ? encoder.encode(content) : content;
  return assertReadsAlike(bytes, [[512]], options);
}

function kindOf({ outcome }: Reading): string | undefined {
  return outcome && ("type" in outcome ? outcome.type : outcome.code);
}

function latin1(text: string): Uint8Array {
  return Uint8Array.from(text, (letter) => letter.charCodeAt(0));
}

const URLSET = "<urlset><url><loc>https://site.test/é</loc></url></urlset>";

Deno.test("DocumentReader classifies documents by their content", () => {
  const kinds: readonly (readonly [Content, string])[] = [
    [URLSET, "PagesXmlSitemap"],
    [` \n\t${URLSET}`, "PagesXmlSitemap"],
    [`\ufeff\ufeff\xa0\x85\ufeff${URLSET}`, "PagesXmlSitemap"],
    ["<sitemapindex/>", "IndexXmlSitemap"],
    ["<rss/>", "PagesRssSitemap"],
    ["<r:RDF/>", "PagesRssSitemap"],
    ["<feed/>", "PagesAtomSitemap"],
    ["https://site.test/", "PagesTextSitemap"],
    ["prose", "not-a-sitemap"],
    ['{"url": "https://site.test/"}', "not-a-sitemap"],
    ["<html></html>", "not-a-sitemap"],
    ["<!-- nothing -->", "not-a-sitemap"],
    ["<!DOCTYPE urlset []><urlset/>", "xml-dtd"],
    ["", "empty"],
    [" \r\n\ufeff\x85 ", "empty"],
    [encoder.encode("\n".repeat(200)), "empty"],
  ];
  for (const [content, kind] of kinds) assertEquals(kindOf(read(content)), kind, String(content));
});

Deno.test("DocumentReader reads a robots.txt as robots.txt unless it is XML", () => {
  const isRobots = true;
  const robots = read("\ufeff\n Sitemap: /a.xml\nsitemap:/b.xml # b\nDisallow: /", { isRobots });
  assertEquals(kindOf(robots), "IndexRobotsTxtSitemap");
  assertEquals(urlsOf(robots), ["https://site.test/a.xml", "https://site.test/b.xml"]);
  assertEquals(kindOf(read("", { isRobots })), "IndexRobotsTxtSitemap");
  assertEquals(kindOf(read(" \n", { isRobots })), "IndexRobotsTxtSitemap");
  assertEquals(kindOf(read(` \n${URLSET}`, { isRobots })), "PagesXmlSitemap");
});

Deno.test("DocumentReader returns why a document is not a sitemap", () => {
  const reasons = [
    ["", "No content"],
    ["prose", "Text without a URL"],
    ["\0\0", "Text without a URL"],
    ["<!---->", "XML without a root element"],
    ["<opml/>", 'Unknown root element "opml"'],
    ["<html><head/><body>", "HTML page"],
    ["<html><title> Log\n  in &amp; wait </title>", 'HTML page "Log in & wait"'],
    [`<html><title>${"x".repeat(3000)}</title>`, `HTML page "${"x".repeat(200)}…"`],
    ["<html><TITLE>a</title><body><title>b</title>", 'HTML page "a"'],
    ["<html><body><title>b</title>", "HTML page"],
    ["<!DOCTYPE x [", "DOCTYPE with an internal subset"],
  ] as const;
  for (const [content, reason] of reasons) {
    const { outcome } = read(content);
    assertEquals(outcome && "reason" in outcome && outcome.reason, reason);
  }
});

Deno.test("control characters before the first tag do not hide it, whatever the chunks", () => {
  for (const junk of ["\0", "\x01\x02 \x1f\n", "\0".repeat(40), ` \x0b${"\x08".repeat(20)} `]) {
    const reading = read(junk + URLSET);
    assertEquals(kindOf(reading), "PagesXmlSitemap", JSON.stringify(junk));
    assertEquals(urlsOf(reading), ["https://site.test/é"]);
    const codes = reading.warnings.map(([code]) => code);
    assertEquals(codes, codes.map(() => "xml-control-character"));
    assert(codes.length > 0);
  }
});

Deno.test("a document of control characters is not a sitemap, but a valid robots.txt", () => {
  for (const content of ["\0", "\0".repeat(100), " \x01\n\x02 "]) {
    assertEquals(kindOf(read(content)), "not-a-sitemap");
    assertEquals(kindOf(read(content, { isRobots: true })), "IndexRobotsTxtSitemap");
  }
});

Deno.test("DocumentReader decodes documents by their encoding", () => {
  const documents: readonly (readonly [string, Uint8Array, ReadingOptions?])[] = [
    ["a mark", encoder.encode(`\ufeff${URLSET}`)],
    ["UTF-16LE with mark", utf16(`\ufeff${URLSET}`, true)],
    ["UTF-16BE with mark", utf16(`\ufeff${URLSET}`, false)],
    ["UTF-16LE without", utf16(URLSET, true)],
    ["UTF-16BE without", utf16(`\n\n${URLSET}`, false)],
    ["a charset", latin1(URLSET), { charset: "iso-8859-1" }],
    ["a declaration", latin1(`<?xml version="1.0" encoding='latin1'?>${URLSET}`)],
    ["UTF-8", encoder.encode(URLSET), { charset: "utf-8" }],
  ];
  for (const [name, bytes, options] of documents) {
    const reading = read(bytes, options);
    assertEquals(urlsOf(reading), ["https://site.test/é"], name);
    assertEquals([reading.warnings, reading.replaced], [[], 0], name);
  }
});

Deno.test("DocumentReader reports encodings that are unknown or wrong", () => {
  const claimed = read(`<?xml version="1.0" encoding="utf-16"?>${URLSET}`, { charset: "nonsense" });
  assertEquals(urlsOf(claimed), ["https://site.test/é"]);
  assertEquals(claimed.warnings, [
    ["encoding-unknown", 'Unknown encoding "nonsense"', undefined],
    ["encoding-mismatch", 'Content is not in its encoding "utf-16"', undefined],
  ]);
  const broken = read(Uint8Array.from([...encoder.encode("https://site.test/\n# "), 0xc3, 0xff]));
  assertEquals([kindOf(broken), broken.replaced], ["PagesTextSitemap", 2]);
  assertEquals(read(Uint8Array.of(0xe2, 0x82)).replaced, 1, "an unfinished character at the end");
});

Deno.test("leading whitespace of any length is skipped, and its lines are counted", () => {
  for (const count of [0, 5, 15, 16, 17, 1000, 64 * 1024 - 1]) {
    for (const content of ["<urlset>\n<url/></urlset>", "https://site.test/\nbad"]) {
      const bytes = encoder.encode("\n".repeat(count) + content);
      for (const size of [count > 1000 ? 97 : 1, 511, 4096, 65536, Infinity]) {
        const { warnings } = readingOf(chunked(bytes, size));
        assertEquals(warnings[0]?.[2], count + 2, `${count} lines, in chunks of ${size}`);
      }
    }
  }
  const long = encoder.encode(" ".repeat(200_000) + URLSET);
  for (const size of [97, 4096, Infinity]) {
    assertEquals(readingOf(chunked(long, size)).pages.length, 1, `in chunks of ${size}`);
  }
});

Deno.test("lines of more than 64 KiB of leading white space count alike in all chunks", () => {
  const bytes = encoder.encode("\n".repeat(70_000) + "<urlset>\n<url/></urlset>");
  const lines = [97, 4096, Infinity].map((size) =>
    readingOf(chunked(bytes, size)).warnings[0]?.[2]
  );
  assertEquals(new Set(lines).size, 1);
});

Deno.test("DocumentReader replaces invalid UTF-8, and reports each sequence up to a thousand", () => {
  const page = latin1("<urlset><url><loc>https://site.test/\xff\xe2\x82</loc></url></urlset>");
  const reading = read(page);
  assertEquals(urlsOf(reading), ["https://site.test/\ufffd\ufffd"]);
  assertEquals(reading.replaced, 2);
  const genuine = read("<urlset><url><loc>https://site.test/\ufffd\ufffd</loc></url></urlset>");
  assertEquals([urlsOf(genuine).length, genuine.replaced], [1, 0]);
  const many = latin1(`<urlset><!--${"\xff".repeat(5000)}--></urlset>`);
  assertEquals(read(many).replaced, 1000);
});

Deno.test("DocumentReader knows the type as soon as the root element begins", () => {
  const reader = new DocumentReader({ url: "", isRobots: false }, NO_SINK);
  const types = ["<?xml version='1.0'", "?>", "<!-- -->", "<urls", "et>", "</urlset>"].map(
    (text) => {
      reader.write(encoder.encode(text));
      return reader.type;
    },
  );
  const none = undefined;
  assertEquals(types, [none, none, none, none, "PagesXmlSitemap", "PagesXmlSitemap"]);
  assertEquals(reader.end(), { type: "PagesXmlSitemap", complete: true });
});

Deno.test("a settled document ignores further chunks", () => {
  let calls = 0;
  const readers = newPool({ ...DEFAULT_LIMITS, maxEntries: 1 });
  const reader = new DocumentReader({ url: "", isRobots: false, readers }, {
    ...NO_SINK,
    page: () => calls++,
    warning: () => calls++,
  });
  reader.write(encoder.encode("https://site.test/1\n"));
  assertEquals([reader.settled, calls], [false, 1]);
  reader.write(encoder.encode("https://site.test/2\n"));
  assertEquals([reader.settled, calls], [true, 2]);
  reader.write(encoder.encode("https://site.test/3\nbad\n"));
  assertEquals(reader.end(new TruncatedError("body-cut", "gone")), {
    type: "PagesTextSitemap",
    complete: false,
  });
  assertEquals(calls, 2);
});

Deno.test("a truncated body is reported, and its complete entries are kept", () => {
  const cut = new TruncatedError("body-cut", "The connection broke");
  const documents: readonly (readonly [string, readonly string[], string, ReadingOptions?])[] = [
    [`${URLSET.replace("</urlset>", "")}<url><loc>https://site.test/2</loc><lastmod>2005`, [
      "https://site.test/é",
      "https://site.test/2",
    ], "PagesXmlSitemap"],
    [`${URLSET.replace("</urlset>", "")}<url><lastmod>2005</lastmod><loc>https://site.test/2</lo`, [
      "https://site.test/é",
    ], "PagesXmlSitemap"],
    ["https://site.test/1\nhttps://site.test/2", ["https://site.test/1"], "PagesTextSitemap"],
    [
      "Sitemap: https://site.test/1\nSitemap: https://site.test/2",
      ["https://site.test/1"],
      "IndexRobotsTxtSitemap",
      { isRobots: true },
    ],
  ];
  for (const [content, addresses, type, options] of documents) {
    const reading = read(content, { ...options, cut });
    assertEquals(urlsOf(reading), addresses);
    assertEquals(reading.outcome as unknown, { type, complete: false });
    assertEquals(reading.warnings, [["body-cut", "The connection broke", undefined]]);
  }
});

Deno.test("a truncation that is muted is not reported again", () => {
  const warnings: string[] = [];
  const reader = new DocumentReader({ url: "", isRobots: false }, {
    ...NO_SINK,
    warning: (code) => void warnings.push(code),
  });
  reader.write(encoder.encode(URLSET.replace("</urlset>", "")));
  const outcome = reader.end(new TruncatedError("body-cut", "gone"), true);
  assertEquals([outcome, warnings], [{ type: "PagesXmlSitemap", complete: false }, []]);
});

Deno.test("a document over maxBytes before its first complete entry is too-large", () => {
  const cut = new TruncatedError("too-large", "More than 10 bytes");
  for (const content of ["<urlset><url>", "https://site", " ", "", "<html>"]) {
    assertEquals(read(content, { cut }).outcome as unknown, {
      code: "too-large",
      reason: "More than 10 bytes",
    });
  }
  assertEquals(kindOf(read(URLSET, { cut })), "PagesXmlSitemap");
  assertEquals(kindOf(read("", { cut: new TruncatedError("body-cut", "gone") })), "empty");
});

Deno.test("lines behind the last entry that is read are not reported", () => {
  const limits = { ...DEFAULT_LIMITS, maxEntries: 1, maxValueLength: 50 };
  const tail = `bad\n${"x".repeat(60)}\n`;
  const reported = ["too-many-entries", "Truncated after 1 entries", undefined] as const;
  const text = read(`https://site.test/1\nhttps://site.test/2\n${tail}`, { limits });
  assertEquals([text.warnings, text.pages.length], [[reported], 1]);
  const robots = read(
    `Sitemap: https://site.test/1\nSitemap: https://site.test/2\nSitemap: mailto:me\n${tail}`,
    { limits, isRobots: true },
  );
  assertEquals([robots.warnings, robots.children.length], [[reported], 1]);
});

Deno.test("addresses whose unkeyed hashes collide are all pages", () => {
  // in a hash that multiplies words, the highest bits of a product depend on few bits: these three
  // changes once cancelled each other in every second address, whatever the seed
  const changes = [[27, 0x40], [35, 0x40], [38, 0x02]] as const;
  const addresses: string[] = [];
  for (let number = 0; number < 200; number++) {
    const address = `https://site.test/page-a${1e15 + number * 7_919_000_001}`;
    const bytes = encoder.encode(address);
    for (const [at, bits] of changes) bytes[at] = bytes[at]! ^ bits;
    addresses.push(address, new TextDecoder().decode(bytes));
  }
  const entries = addresses.map((address) => `<url><loc>${address}</loc></url>`);
  assertEquals(urlsOf(read(`<urlset>${entries.join("")}</urlset>`)), addresses);
  assertEquals(urlsOf(read(addresses.join("\n"))), addresses);
});

for (const [kind, document] of Object.entries({ RSS, ATOM, TEXT })) {
  Deno.test(`generated ${kind} reads alike whatever its chunks, under any maxEntries`, () => {
    const runs = 100;
    let pages = 0;
    fc.assert(
      fc.property(document, fc.constantFrom(0, 3, 33, 1000), (text, maxEntries) => {
        const options = { limits: { ...DEFAULT_LIMITS, maxEntries } };
        const sizes = [[700, 3], [64, 65, 66]];
        pages += assertReadsAlike(documentBytes(text), sizes, options).pages.length;
      }),
      { numRuns: runs },
    );
    assert(pages > runs, "pages are read too");
  });
}
