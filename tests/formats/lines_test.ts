/** Line by line: text sitemaps; `robots_test.ts` has the rules of robots.txt. @module */

import { assert, assertEquals } from "@std/assert";
import fc from "../support/fast_check.ts";
import { DEFAULT_LIMITS } from "../../src/data/limits.ts";
import { assertReadsAlike, documentBytes, raw } from "./reading.ts";
import { urlsOf } from "./rules.ts";

function read(text: string, maxValueLength = DEFAULT_LIMITS.maxValueLength) {
  const limits = { ...DEFAULT_LIMITS, maxValueLength };
  const reading = assertReadsAlike(documentBytes(text), [[2], [3], [64]], { limits });
  return {
    urls: urlsOf(reading),
    warnings: reading.warnings.map(([code, , line]) => [code, line]),
  };
}

const ENDS = ["\n", "\r", "\r\n", "\v", "\f", "\x1c", "\x1d", "\x1e", "\x85", "\u2028", "\u2029"];

Deno.test("lines of text end where they do for Python", () => {
  const text = ENDS.map((end, at) => `https://site.test/${at}${end}`).join("");
  const { urls, warnings } = read(`${text}bad line`);
  assertEquals(urls, ENDS.map((_, at) => `https://site.test/${at}`));
  assertEquals(warnings, [["bad-line", ENDS.length + 1]]);
});

Deno.test("empty lines are counted, CRLF as one, also if a chunk ends between", () => {
  assertEquals(read("https://site.test/\n\r\n\r\r\n\nbad").warnings, [["bad-line", 6]]);
  assertEquals(read("https://site.test/\r\r\rbad\r\n").warnings, [["bad-line", 4]]);
});

Deno.test("a line is a page if it is an absolute http(s) URL after trimming", () => {
  const lines: readonly (readonly [string, string | undefined])[] = [
    ["https://site.test/", "https://site.test/"],
    [" \thttps://site.test/\u3000 ", "https://site.test/"],
    ["HTTP://Site.test/Ä?a&amp;b#c", "HTTP://Site.test/Ä?a&amp;b#c"],
    ["https://site.test/a b", undefined],
    ["https://site.test/a\u00a0b", undefined],
    ["https://site.test/a\tb", undefined],
    ["/relative", undefined],
    ["www.site.test/", undefined],
    ["https:/site.test/", undefined],
    ["ftp://site.test/", undefined],
    ["https://[", undefined],
  ];
  for (const [line, url] of lines) {
    const { urls, warnings } = read(`https://first.test/\n${line}\nhttps://last.test/`);
    const between = url === undefined ? [] : [url];
    assertEquals(urls, ["https://first.test/", ...between, "https://last.test/"], line);
    assertEquals(warnings, url === undefined ? [["bad-line", 2]] : [], line);
  }
  assertEquals(
    read("https://site.test/\n# comment\n \n").warnings,
    [],
    "comments are not reported",
  );
});

Deno.test("only the first of duplicate lines is a page", () => {
  const { urls, warnings } = read("https://site.test/\n https://site.test/\nhttps://site.test/#a");
  assertEquals(urls, ["https://site.test/", "https://site.test/#a"]);
  assertEquals(warnings, [["duplicate-address", 2]]);
});

Deno.test("only an overlong line is skipped and reported", () => {
  const long = `https://site.test/${"x".repeat(300)}`;
  const text = `https://site.test/1\n${long}\nhttps://site.test/2\r\n${long}é${long}\n\n${long}`;
  const limits = { ...DEFAULT_LIMITS, maxValueLength: 60 };
  const reading = assertReadsAlike(documentBytes(text), [[2], [3], [64]], { limits });
  assertEquals(urlsOf(reading), ["https://site.test/1", "https://site.test/2"]);
  const warning = ["value-too-long", "Overlong line skipped"];
  assertEquals(reading.warnings as unknown, [2, 4, 6].map((line) => [...warning, line]));
});

Deno.test("invalid bytes in lines are replaced, and counted whatever the chunks", () => {
  const bytes = documentBytes(
    `https://site.test/${raw(0xff)}\nhttps://site.test/\ufffd${raw(0xc3)}\r${raw(0xe2, 0x82)}`,
  );
  const reading = assertReadsAlike(bytes, [[2], [3], [20]]);
  assertEquals(urlsOf(reading), ["https://site.test/\ufffd", "https://site.test/\ufffd\ufffd"]);
  assertEquals(reading.replaced, 3);
});

Deno.test("text yields the pages of its lines, one by one", () => {
  const word = fc.constantFrom(
    "https://site.test/",
    "https://site.test/é",
    "a",
    " ",
    "#",
    "/b",
    "http:",
  );
  const end = fc.constantFrom(...ENDS, "\n", "\n", "\n\n", "");
  const text = fc.array(fc.tuple(word, end), { maxLength: 20 })
    .map((parts) => `https://site.test/first\n${parts.flat().join("")}`);
  fc.assert(
    fc.property(text, (text) => {
      const seen = new Set<string>();
      // deno-lint-ignore no-control-regex -- they are line ends here
      for (const line of text.split(/\r\n|[\n\r\v\f\x1c-\x1e\x85\u2028\u2029]/)) {
        const url = line.trim();
        if (/^https?:\/\/[^\s/]+\S*$/.test(url)) seen.add(url);
      }
      assertEquals(read(text).urls, [...seen]);
    }),
    { numRuns: 300 },
  );
});

Deno.test("the type of text is known before its end, its pages with their lines", () => {
  const many = Array.from({ length: 5000 }, (_, at) => `https://site.test/${at}`);
  const { urls, warnings } = read(many.join("\n"));
  assert(urls.length === many.length && urls.every((url, at) => url === many[at]));
  assertEquals(warnings, []);
});

for (const end of ["\u2028", "\v", "\r"]) {
  Deno.test(`lines that end in ${JSON.stringify(end)} are read in small chunks too`, () => {
    const lines = Array.from({ length: 50 }, (_, at) => `https://site.test/${at}`);
    assertEquals(read(lines.join(end), 60).urls, lines);
  });
}
