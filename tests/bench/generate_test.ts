import { assert, assertEquals } from "@std/assert";
import { SaxesParser } from "saxes";
import {
  DOCUMENT_KINDS,
  generateDocument,
  generateIndex,
  generateSitemap,
} from "../../tools/bench/generate.ts";
import { HOSTILE_SHAPES } from "../../tools/bench/hostile.ts";

const decoder = new TextDecoder();

/** Counts elements by name; throws unless the document is well-formed. */
function elementsOf(bytes: Uint8Array): Map<string, number> {
  const counts = new Map<string, number>();
  const parser = new SaxesParser({ xmlns: true });
  parser.on("opentag", ({ name }) => void counts.set(name, (counts.get(name) ?? 0) + 1));
  parser.on("error", (error) => {
    throw error;
  });
  parser.write(decoder.decode(bytes)).close();
  return counts;
}

for (const kind of DOCUMENT_KINDS) {
  Deno.test(`generateDocument() returns the same "${kind}" for the same seed`, () => {
    assertEquals(generateDocument(kind, 20), generateDocument(kind, 20));
    assert(
      decoder.decode(generateDocument(kind, 20, 2)) !== decoder.decode(generateDocument(kind, 20)),
    );
  });
}

Deno.test("generateDocument() returns well-formed XML with the number of entries", () => {
  const entries = {
    "plain": "url",
    "rich": "url",
    "non-ascii": "url",
    "read": "url",
    "rss": "item",
    "atom": "entry",
  };
  for (const [kind, element] of Object.entries(entries)) {
    const document = generateDocument(kind as keyof typeof entries, 123);
    assertEquals(elementsOf(document).get(element), 123, kind);
  }
});

Deno.test("generateDocument() returns a text sitemap of distinct URLs", () => {
  const lines = decoder.decode(generateDocument("text", 500)).trimEnd().split("\n");
  assertEquals(new Set(lines).size, 500);
  assert(lines.every((line) => URL.canParse(line)));
});

Deno.test("generateDocument() includes all extensions in a rich urlset", () => {
  const elements = elementsOf(generateDocument("rich", 50));
  assertEquals(elements.get("image:image"), 50);
  assertEquals(elements.get("news:news"), 25);
  assert(elements.get("xhtml:link")! >= 100);
});

Deno.test("generateSitemap() returns about 143 bytes a page, different for each sitemap", () => {
  const [first, second] = [generateSitemap(1000, 1), generateSitemap(1000, 2)];
  assertEquals(elementsOf(first).get("loc"), 1000);
  assert(Math.abs(first.length / 1000 - 143) < 4, String(first.length));
  assert(decoder.decode(first) !== decoder.decode(second));
});

Deno.test("generateIndex() lists the sitemaps in order", () => {
  const index = generateIndex(3, (at) => `https://example.com/${at}.xml`);
  assertEquals(elementsOf(index).get("sitemap"), 3);
  assertEquals(
    [...decoder.decode(index).matchAll(/<loc>([^<]*)/g)].map((match) => match[1]),
    ["https://example.com/0.xml", "https://example.com/1.xml", "https://example.com/2.xml"],
  );
});

for (const { name, make } of HOSTILE_SHAPES) {
  Deno.test(`hostile shape "${name}" grows with its size`, () => {
    const ratio = make(20_000).length / make(2000).length;
    assert(ratio > 8 && ratio < 12.5, String(ratio));
  });
}
