import { assert, assertEquals } from "@std/assert";
import { FastChunk } from "../../src/formats/fast_chunk.ts";
import { CHILD_FORM, PAGE_FORM } from "../../src/formats/fast_elements.ts";
import { type Place, Places, placesOf } from "../../src/formats/fast_glue.ts";
import { documentBytes } from "./document_bytes.ts";

const ALL = { hasUsualImages: true, hasUsualNews: true, hasUsualAlternates: true };
const NONE = { hasUsualImages: false, hasUsualNews: false, hasUsualAlternates: false };

function chunkOf(text: string): FastChunk {
  return new FastChunk(documentBytes(text));
}

/** The place that a piece of text leads to. */
function after(places: Places, from: Place, text: string): Place | undefined {
  return places.follow(from, chunkOf(`${text}…`), 0)?.to;
}

/** The elements that pieces of text lead to, one from the other, beginning between two records. */
function path(usual: typeof ALL, ...texts: readonly string[]): (string | undefined)[] {
  const places = new Places(PAGE_FORM.elements(usual));
  const names: (string | undefined)[] = [];
  let place: Place | undefined = places.outside;
  for (const text of texts) {
    place = place && after(places, place, text);
    names.push(place === places.outside ? "outside" : place?.element?.name);
  }
  return names;
}

Deno.test("glue leads from value to value, and out of the record", () => {
  assertEquals(
    path(ALL, "\n\t<url>\r\n <loc>", "</loc> <lastmod>", "</lastmod></url>", "<url><priority>"),
    ["loc", "lastmod", "outside", "priority"],
  );
  assertEquals(
    path(
      ALL,
      "<url><image:image><image:loc>",
      "</image:loc></image:image><image:image><image:title>",
      "</image:title></image:image><news:news><news:publication><news:name>",
      "</news:name></news:publication><news:publication_date>",
      '</news:publication_date></news:news><xhtml:link rel="alternate" href="',
      '"\n hreflang="',
      '" /><xhtml:link rel="alternate"  hreflang="',
      '"/></url>',
    ),
    [
      "image:loc",
      "image:title",
      "news:name",
      "news:publication_date",
      "href",
      "hreflang",
      "hreflang",
      "outside",
    ],
  );
});

Deno.test("glue tells what it ends and begins, and how many lines", () => {
  const places = new Places(PAGE_FORM.elements(ALL));
  const first = places.follow(places.outside, chunkOf("\n<url>\n<image:image><image:loc>"), 0)!;
  assertEquals([first.lines, first.ended, first.begun?.name], [2, undefined, "image:image"]);
  const text = "\r\n</image:image><news:news><news:title>";
  const second = places.follow(first.to, chunkOf(`</image:loc>${text}`), 0)!;
  assertEquals([second.lines, second.ended?.name, second.begun?.name], [
    1,
    "image:image",
    "news:news",
  ]);
});

Deno.test("glue of any other form leads nowhere", () => {
  const others = [
    "",
    "<url>",
    "<loc>",
    "</url>",
    "<url><url><loc>",
    "<url ><loc>",
    "<url><!-- c --><loc>",
    "<url>text<loc>",
    "<url>\r<loc>",
    "<url><Loc>",
    "<url><loc2>",
    "<url><lastmod/>",
    "<url><news:title>",
    "<url><image:image></image:image><loc>",
    "<url><news:news><news:publication></news:news>",
    '<url><xhtml:link rel="alternate"/>',
    '<url><xhtml:link rel="alternate"href="',
    '<url><xhtml:link rel="alternate"> href="',
    '<url><xhtml:link rel="canonical" href="',
    '<url><xhtml:link href="',
    "<url><hreflang>",
    `<url>${" ".repeat(512)}<loc>`,
  ];
  for (const text of others) assertEquals(path(ALL, text), [undefined], text);
  assertEquals(path(ALL, "<url><loc>", "</lastmod></url>"), ["loc", undefined]);
  assertEquals(path(ALL, "<url><loc>", "</loc></urlset>"), ["loc", undefined]);
});

Deno.test("prefixes that mean something else lead nowhere", () => {
  for (
    const text of [
      "<url><image:image><image:loc>",
      "<url><news:news><news:title>",
      '<url><xhtml:link rel="alternate" href="',
    ]
  ) {
    assertEquals(path(NONE, text), [undefined]);
    assert(path(ALL, text)[0] !== undefined);
  }
});

Deno.test("what was learned is known from then on, the last few at a place", () => {
  const places = new Places(PAGE_FORM.elements(ALL));
  const texts = Array.from({ length: 12 }, (_, blanks) => `${" ".repeat(blanks)}<url><loc>`);
  const follow = (text: string) => places.follow(places.outside, chunkOf(`${text}x`), 0)!;
  const first = texts.map(follow);
  const again = texts.toReversed().map(follow).toReversed();
  // the last eight are the same objects, the others had to make room
  assertEquals(again.map((glue, at) => glue === first[at]), texts.map((_, at) => at >= 4));
  for (const [at, glue] of again.entries()) assertEquals(glue.pattern.length, texts[at]!.length);
});

Deno.test("documents with the same records and prefixes share what was learned", () => {
  assert(placesOf(PAGE_FORM, ALL) === placesOf(PAGE_FORM, { ...ALL }));
  assert(placesOf(PAGE_FORM, ALL) !== placesOf(PAGE_FORM, NONE));
  assert(placesOf(PAGE_FORM, NONE) !== placesOf(CHILD_FORM, NONE));
});
