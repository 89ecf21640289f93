import { assertEquals } from "@std/assert";
import { CutError } from "../../src/errors.ts";
import { DocumentReader } from "../../src/formats/document.ts";
import { DEFAULT_LIMITS } from "../../src/limits.ts";
import { chunked } from "../support/chunked.ts";
import { type Reading, readingOf, type ReadingOptions } from "./reading.ts";

const encoder = new TextEncoder();

type Content = string | Uint8Array;

/** Reads a document whole, in small pieces and byte by byte, which must be all the same. */
function read(content: Content, options: ReadingOptions = {}): Reading {
  const bytes = typeof content === "string" ? encoder.encode(content) : content;
  const expected = readingOf([bytes], options);
  for (const size of [1, 7, 512]) {
    assertEquals(readingOf(chunked(bytes, size), options), expected, `In chunks of ${size}`);
  }
  return expected;
}

/** The addresses of what a document holds. */
function addressesOf({ pages, children }: Reading): string[] {
  return [...pages.map((page) => JSON.parse(page).url), ...children];
}

function kindOf({ outcome }: Reading): string | undefined {
  return outcome && ("type" in outcome ? outcome.type : outcome.code);
}

const URLSET = "<urlset><url><loc>https://site.test/é</loc></url></urlset>";

Deno.test("DocumentReader tells kinds apart by their content", () => {
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

Deno.test("DocumentReader takes robots.txt as such unless it is XML", () => {
  const isRobots = true;
  const robots = read("\ufeff\n Sitemap: /a.xml\nsitemap:/b.xml # b\nDisallow: /", { isRobots });
  assertEquals(kindOf(robots), "IndexRobotsTxtSitemap");
  assertEquals(addressesOf(robots), ["https://site.test/a.xml", "https://site.test/b.xml"]);
  assertEquals(kindOf(read("", { isRobots })), "IndexRobotsTxtSitemap");
  assertEquals(kindOf(read(" \n", { isRobots })), "IndexRobotsTxtSitemap");
  assertEquals(kindOf(read(` \n${URLSET}`, { isRobots })), "PagesXmlSitemap");
});

Deno.test("DocumentReader says why something is no sitemap", () => {
  const reasons = [
    ["", "No content"],
    ["prose", "Text without a URL"],
    ["\0\0", "Text without a URL"],
    ["<!---->", "XML without a root element"],
    ["<opml/>", 'Root element "opml" is that of no sitemap'],
    ["<html><head/><body>", "HTML page"],
    ["<html><title> Log\n  in &amp; wait </title>", 'HTML page "Log in & wait"'],
    [`<html><title>${"x".repeat(3000)}</title>`, `HTML page "${"x".repeat(200)}…"`],
    ["<html><TITLE>a</title><body><title>b</title>", 'HTML page "a"'],
    ["<html><body><title>b</title>", "HTML page"],
    ["<!DOCTYPE x [", "DOCTYPE with an internal subset refused"],
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
    assertEquals(addressesOf(reading), ["https://site.test/é"]);
    assertEquals(reading.warnings.every(([code]) => code === "xml-control-character"), true);
  }
});

Deno.test("a document of control characters alone is no sitemap, but a robots.txt", () => {
  for (const content of ["\0", "\0".repeat(100), " \x01\n\x02 "]) {
    assertEquals(kindOf(read(content)), "not-a-sitemap");
    assertEquals(kindOf(read(content, { isRobots: true })), "IndexRobotsTxtSitemap");
  }
});

Deno.test("DocumentReader reads what the encoding says", () => {
  const utf16 = (text: string, isLittle: boolean, mark: boolean) => {
    const units = Array.from(mark ? `\ufeff${text}` : text, (letter) => letter.charCodeAt(0));
    return Uint8Array.from(
      units.flatMap((unit) => isLittle ? [unit & 255, unit >> 8] : [unit >> 8, unit & 255]),
    );
  };
  const latin1 = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));
  const documents: readonly (readonly [string, Uint8Array, ReadingOptions?])[] = [
    ["a mark", encoder.encode(`\ufeff${URLSET}`)],
    ["UTF-16LE with mark", utf16(URLSET, true, true)],
    ["UTF-16BE with mark", utf16(URLSET, false, true)],
    ["UTF-16LE without", utf16(URLSET, true, false)],
    ["UTF-16BE without", utf16(`\n\n${URLSET}`, false, false)],
    ["a charset", latin1(URLSET), { charset: "iso-8859-1" }],
    ["a declaration", latin1(`<?xml version="1.0" encoding='latin1'?>${URLSET}`)],
    ["UTF-8", encoder.encode(URLSET), { charset: "utf-8" }],
  ];
  for (const [name, bytes, options] of documents) {
    const reading = read(bytes, options);
    assertEquals(addressesOf(reading), ["https://site.test/é"], name);
    assertEquals([reading.warnings, reading.replaced], [[], 0], name);
  }
});

Deno.test("DocumentReader tells of encodings that are not what they seem", () => {
  const claimed = read(`<?xml version="1.0" encoding="utf-16"?>${URLSET}`, { charset: "nonsense" });
  assertEquals(addressesOf(claimed), ["https://site.test/é"]);
  assertEquals(claimed.warnings, [
    ["encoding-unknown", 'Unknown encoding "nonsense"', undefined],
    ["encoding-mismatch", 'Content is not in its encoding "utf-16"', undefined],
  ]);
  const broken = read(Uint8Array.from([...encoder.encode("https://site.test/\n# "), 0xc3, 0xff]));
  assertEquals([kindOf(broken), broken.replaced], ["PagesTextSitemap", 2]);
  assertEquals(read(Uint8Array.of(0xe2, 0x82)).replaced, 1, "an unfinished character at the end");
});

Deno.test("leading white space is skipped however long, and counted up to 64 Ki characters", () => {
  const bad = "<urlset>\n<url/></urlset>";
  const space = 64 * 1024;
  for (
    const count of [0, 5, 15, 16, 17, 1000, space - 1, space, space + 1, space + 3000, 200_000]
  ) {
    const lines = Math.min(count, space);
    for (const content of [bad, "https://site.test/\nbad"]) {
      const bytes = encoder.encode("\n".repeat(count) + content);
      const [, , line] = readingOf([bytes]).warnings[0]!;
      assertEquals(line, lines + 2, `${count} lines`);
      const isLong = count > 1000 && count !== space + 1;
      for (const size of [isLong ? 97 : 1, 511, 4096, 65536]) {
        const { warnings } = readingOf(chunked(bytes, size));
        assertEquals(warnings[0]?.[2], lines + 2, `${count} lines, in chunks of ${size}`);
      }
    }
  }
});

Deno.test("DocumentReader knows the type as soon as the first tag tells", () => {
  const reader = new DocumentReader({ url: "", isRobots: false }, {
    page: () => {},
    child: () => {},
    warning: () => {},
  });
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

Deno.test("a settled document takes no more", () => {
  let told = 0;
  const limits = { ...DEFAULT_LIMITS, maxEntries: 1 };
  const reader = new DocumentReader({ url: "", isRobots: false, limits }, {
    page: () => told++,
    child: () => {},
    warning: () => told++,
  });
  reader.write(encoder.encode("https://site.test/1\n"));
  assertEquals([reader.settled, told], [false, 1]);
  reader.write(encoder.encode("https://site.test/2\n"));
  assertEquals([reader.settled, told], [true, 2]);
  reader.write(encoder.encode("https://site.test/3\nbad\n"));
  assertEquals(reader.end(new CutError("body-cut", "gone")), {
    type: "PagesTextSitemap",
    complete: false,
  });
  assertEquals(told, 2);
});

Deno.test("a cut is told, keeps what was complete and drops what was not", () => {
  const cut = new CutError("body-cut", "The connection broke");
  const documents: readonly (readonly [string, readonly string[], string, ReadingOptions?])[] = [
    [`${URLSET.replace("</urlset>", "")}<url><loc>https://site.test/2</loc>`, [
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
    assertEquals(addressesOf(reading), addresses);
    assertEquals(reading.outcome as unknown, { type, complete: false });
    assertEquals(reading.warnings, [["body-cut", "The connection broke", undefined]]);
  }
});

Deno.test("a cut that is muted is not told again", () => {
  const warnings: string[] = [];
  const reader = new DocumentReader({ url: "", isRobots: false }, {
    page: () => {},
    child: () => {},
    warning: (code) => void warnings.push(code),
  });
  reader.write(encoder.encode(URLSET.replace("</urlset>", "")));
  const outcome = reader.end(new CutError("body-cut", "gone"), true);
  assertEquals([outcome, warnings], [{ type: "PagesXmlSitemap", complete: false }, []]);
});

Deno.test("a document that is too large before anything was complete is too large", () => {
  const cut = new CutError("too-large", "More than 10 bytes");
  for (const content of ["<urlset><url>", "https://site", " ", "", "<html>"]) {
    assertEquals(read(content, { cut }).outcome as unknown, {
      code: "too-large",
      reason: "More than 10 bytes",
    });
  }
  assertEquals(kindOf(read(URLSET, { cut })), "PagesXmlSitemap");
  assertEquals(kindOf(read("", { cut: new CutError("body-cut", "gone") })), "empty");
});

Deno.test("overlong lines are skipped and told", () => {
  const limits = { ...DEFAULT_LIMITS, maxValueLength: 30 };
  const long = `https://site.test/${"x".repeat(30)}`;
  const text = read(`https://site.test/1\n${long}\nhttps://site.test/2\n${long}`, { limits });
  assertEquals(addressesOf(text), ["https://site.test/1", "https://site.test/2"]);
  assertEquals(text.warnings, [
    ["value-too-long", "Overlong line skipped", 2],
    ["value-too-long", "Overlong line skipped", 4],
  ]);
});

Deno.test("nothing is told of lines behind the entry that was one too many", () => {
  const limits = { ...DEFAULT_LIMITS, maxEntries: 1, maxValueLength: 50 };
  const tail = `bad\n${"x".repeat(60)}\n`;
  const told = ["too-many-entries", "Document cut after 1 entries", undefined] as const;
  const text = read(`https://site.test/1\nhttps://site.test/2\n${tail}`, { limits });
  assertEquals([text.warnings, text.pages.length], [[told], 1]);
  const robots = read(`Sitemap: /1\nSitemap: /2\nSitemap: mailto:me\n${tail}`, {
    limits,
    isRobots: true,
  });
  assertEquals([robots.warnings, robots.children.length], [[told], 1]);
});
