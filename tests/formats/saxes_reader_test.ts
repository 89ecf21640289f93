/** Well-formed documents are read as an independent reader reads them. @module */

import { assert, assertEquals } from "@std/assert";
import fc from "../support/fast_check.ts";
import { parseSitemap, sitemapFromString, type TreeEvent } from "../../mod.ts";
import { utf16 } from "../bytes/utf16.ts";
import { cutInto } from "./reading.ts";
import { readWithSaxes } from "./saxes_reader.ts";
import { WELL_FORMED } from "./well_formed_documents.ts";

const URL = "https://site.test/dir/sitemap.xml";

/** Sizes of chunks, taken in turn. */
const SIZES = fc.array(fc.constantFrom(1, 2, 7, 33, 64, 100, 1000, 65536), {
  minLength: 1,
  maxLength: 4,
});

/** Encodings of a document that declares UTF-8 or none. */
const ENCODINGS: readonly ((text: string) => Uint8Array)[] = [
  (text) => new TextEncoder().encode(text),
  (text) => new TextEncoder().encode(`\ufeff${text}`),
  (text) => utf16(`\ufeff${text}`, true),
  (text) => utf16(`\ufeff${text}`, false),
];

/** Returns the type, then the pages or the sitemaps. */
function readingOf(events: readonly TreeEvent[]): unknown[] {
  return events.flatMap((event): unknown[] => {
    if (event.type === "sitemap-entered") return [event.sitemap.type];
    if (event.type === "page") return [event.page];
    return event.type === "invalid" ? [listed(event.sitemap)] : [];
  });
}

function listed({ url, lastModified }: { readonly url: string; readonly lastModified?: string }) {
  return lastModified === undefined ? { url } : { url, lastModified };
}

Deno.test("parseSitemap() reads well-formed documents as saxes_reader.ts does", async () => {
  let entries = 0;
  const encoding = fc.constantFrom(...ENCODINGS);
  await fc.assert(
    fc.asyncProperty(WELL_FORMED, SIZES, encoding, async (text, sizes, encode) => {
      const expected = readWithSaxes(text, URL);
      const stream = ReadableStream.from(cutInto(encode(text), sizes));
      const events = await Array.fromAsync(parseSitemap(stream, { url: URL }));
      assertEquals(readingOf(events), expected);
      entries += expected.length - 1;
    }),
    { numRuns: 1000 },
  );
  assert(entries > 1000, "there was something to read");
});

Deno.test("sitemapFromString() reads well-formed documents as saxes_reader.ts does", async () => {
  let entries = 0;
  await fc.assert(
    fc.asyncProperty(WELL_FORMED, async (text) => {
      const expected = readWithSaxes(text);
      const { type, pages, subSitemaps } = (await sitemapFromString(text)).toJSON();
      const children = subSitemaps.map(listed);
      assertEquals([type, ...pages!, ...children], expected);
      entries += expected.length - 1;
    }),
    { numRuns: 300 },
  );
  assert(entries > 300, "there was something to read");
});
