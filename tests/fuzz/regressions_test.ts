import { gzipSync } from "node:zlib";
import { assertEquals } from "@std/assert";
import { parseSitemap } from "../../mod.ts";
import { DEFAULT_LIMITS, type ReaderLimits } from "../../src/data/limits.ts";
import { readingOf } from "../formats/reading.ts";
import { chunked } from "../support/chunked.ts";

/**
 * Defects that the fuzzer found and fixtures cannot show: lines, reasons, or warnings of documents
 * that are not sitemaps.
 */
interface Regression {
  readonly document: string | Uint8Array;
  /** Limits of the reader, which then reads the document by itself. */
  readonly limits?: Partial<ReaderLimits>;
  /** Warnings as `code line`, sorted; `code` alone without a line. */
  readonly warnings: readonly string[];
  /** Reason of the `invalid` event, if any. */
  readonly reason?: string;
  /** Whether the sitemap was read to its end, where it matters. */
  readonly complete?: boolean;
}

/** Gzip data with a wrong checksum. */
function badlyPacked(text: string): Uint8Array {
  const packed = new Uint8Array(gzipSync(text));
  const checksum = packed.length - 8;
  packed[checksum] = packed[checksum]! ^ 1;
  return packed;
}

const REGRESSIONS: Readonly<Record<string, Regression>> = {
  "junk before the root was reported once for every chunk": {
    document: "<!-- c -->\n\njunk, and more junk\n<urlset/>",
    warnings: ["xml-leading-junk 3"],
  },
  "content behind the root was reported with the line of the white space before it": {
    document: "<urlset>\n</urlset>\n\n\ntrailing",
    warnings: ["xml-trailing-content 5"],
  },
  "control characters behind the end of reading were reported if their chunk reached that far": {
    document: "<unknown/>\0\0\0",
    warnings: [],
    reason: 'Unknown root element "unknown"',
  },
  "control characters behind a document type were reported though nothing behind it is read": {
    document: "<!DOCTYPE a [\0\0]><urlset/>",
    warnings: [],
    reason: "DOCTYPE with an internal subset",
  },
  "a control character right behind a root of unknown prefix was reported or not": {
    document: "<a:b>\0<c>",
    warnings: ["xml-unbound-prefix 1"],
    reason: 'Unknown root element "a:b"',
  },
  "references in an abandoned tag were reported with later lines": {
    document: "<urlset>\n<a &b <url>\n</url>\n</urlset>\n",
    warnings: ["no-address 3", "xml-bad-attribute 2", "xml-bare-less-than 2"],
  },
  "the title of an HTML page went on with the text of its body": {
    document: "<html><head><title>Log\n in</title></head><body>Members only</body></html>",
    warnings: [],
    reason: 'HTML page "Log in"',
  },
  "faults behind the last entry that is read were reported if their chunk reached that far": {
    document:
      "<urlset><url><loc>https://a.test/1</loc></url><url><loc>https://a.test/2</loc></url>" +
      "<url><loc>&</loc></urlset>trailing",
    limits: { maxEntries: 1 },
    warnings: ["too-many-entries"],
  },
  "the rest of an overlong value counted as a value where a chunk began there": {
    document:
      "<urlset><url><loc>https://a.test/long</loc><lastmod>2005-01-01</lastmod></url></urlset>",
    limits: { maxValueLength: 9 },
    warnings: ["value-too-long 1"],
  },
  "an overlong date drops its entry alone": {
    document:
      "<urlset><url><loc>https://a.test/1</loc><lastmod>2005-01-01, or so they say</lastmod>" +
      "</url><url><loc>https://a.test/2</loc></url></urlset>",
    limits: { maxValueLength: 20 },
    warnings: ["value-too-long 1"],
  },
  "an overlong attribute was looked into or not": {
    document: `<feed><entry><link href="https://a.test/<b>"/></entry></feed>`,
    limits: { maxValueLength: 9 },
    warnings: ["value-too-long 1", "xml-bad-attribute 1"],
  },
  "a control character at the start affected the detected format depending on chunks": {
    document: `\0${" ".repeat(40)}<urlset/>`,
    warnings: ["xml-control-character 1"],
  },
  "control characters behind a root with many of them were reported if in the same chunk": {
    document: `<a\n${"\0b".repeat(9)}>\0\0`,
    warnings: ["xml-bad-attribute 2", ...Array<string>(9).fill("xml-control-character 2")],
    reason: 'Unknown root element "a"',
  },
  "a comment behind many tags with control characters ended where one was removed from it": {
    document: `<urlset>${"<url\0></url>".repeat(9)}<!-- -\0-><url/> -->\n</urlset>`,
    warnings: [
      ...Array<string>(9).fill("no-address 1"),
      ...Array<string>(9).fill("xml-control-character 1"),
    ],
  },
  "faults in an overlong value were reported if it was so long that it came in pieces": {
    document: `<urlset><url><loc>&#1;https://a.test/${"a".repeat(5000)}</loc></url></urlset>`,
    limits: { maxValueLength: 9 },
    warnings: ["value-too-long 1", "xml-bad-reference 1"],
  },
  "control characters in an overlong CDATA section, or behind one, were reported or not": {
    document: `<urlset>${
      "<url><loc><![CDATA[https://a.test/\0]]>\0</loc></url>".repeat(3)
    }</urlset>`,
    limits: { maxValueLength: 9 },
    warnings: [
      ...Array<string>(3).fill("value-too-long 1"),
      ...Array<string>(6).fill("xml-control-character 1"),
    ],
  },
  "a long value that is not used made its entry overlong if it came in one piece": {
    document: "<rss><channel><item><link>/1</link><title>1</title>" +
      `<description>${"a".repeat(5000)}</description></item></channel></rss>`,
    limits: { maxValueLength: 4999 },
    warnings: ["relative-address 1"],
  },
  "a checksum behind the end of reading was reported if its chunk reached that far": {
    document: badlyPacked(
      `<urlset><url><loc>https://a.test/${"a".repeat(1024)}</loc></url><url>${"<b>".repeat(255)}`,
    ),
    warnings: ["misplaced-element 1", "too-deep-elements 1"],
  },
  "a sitemap was complete though a limit ended it, if its last tag was read at its end": {
    document: `<urlset ${"a".repeat(1100)}="${"b".repeat(400)}"></urlset><url/>`,
    limits: { maxElementDepth: 1 },
    warnings: ["too-deep-elements 1", "value-too-long 1", "xml-trailing-content 1"],
    complete: false,
  },
  "an unknown element too late for a root was named as the root, or not, depending on chunks": {
    document: `<![CDATA[${"a".repeat(70_000)}]]>junk<changefreq/>`,
    warnings: [],
    reason: "XML without a root element",
  },
};

interface Reported {
  readonly warnings: string[];
  readonly reason: string | undefined;
  readonly complete: boolean | undefined;
}

async function parse(chunks: Iterable<Uint8Array>): Promise<Reported> {
  const warnings: string[] = [];
  let reason: string | undefined, complete: boolean | undefined;
  const stream = ReadableStream.from(chunks);
  for await (const event of parseSitemap(stream, { url: "https://a.test/s.xml" })) {
    if (event.type === "invalid") reason = event.reason;
    if (event.type === "sitemap-left") complete = event.complete;
    if (event.type === "warning") warnings.push(named(event.code, event.line));
  }
  return { warnings, reason, complete };
}

function read(chunks: Iterable<Uint8Array>, limits: Partial<ReaderLimits>): Reported {
  const { warnings, outcome } = readingOf(chunks, { limits: { ...DEFAULT_LIMITS, ...limits } });
  return {
    warnings: warnings.map(([code, , line]) => named(code, line)),
    reason: undefined,
    complete: outcome && "complete" in outcome ? outcome.complete : undefined,
  };
}

function named(code: string, line: number | undefined): string {
  return line === undefined ? code : `${code} ${line}`;
}

for (const [name, { document, limits, ...expected }] of Object.entries(REGRESSIONS)) {
  Deno.test(`regression: ${name}`, async () => {
    const bytes = typeof document === "string" ? new TextEncoder().encode(document) : document;
    for (const size of [1, 7, 40, Infinity]) {
      const chunks = chunked(bytes, size);
      const { warnings, reason, complete } = limits === undefined
        ? await parse(chunks)
        : read(chunks, limits);
      assertEquals(warnings.sort(), expected.warnings, `chunks of ${size}`);
      assertEquals(reason, expected.reason, `chunks of ${size}`);
      assertEquals(complete, expected.complete ?? complete, `chunks of ${size}`);
    }
  });
}
