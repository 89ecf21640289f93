import { assertEquals, assertThrows } from "@std/assert";
import { SitemapPage, type TreeEvent } from "../../mod.ts";
import { Failure } from "../../src/cli/failure.ts";
import { limitedSitemap } from "../../src/cli/sources.ts";
import { sitemapXmlFormat } from "../../src/write/xml.ts";

const MAX_BYTES = 52_428_800;

function pageEvent(url: string): TreeEvent {
  const sitemap = { id: 1, type: "PagesTextSitemap", url, level: 0, parent: 0, index: 0 } as const;
  return { type: "page", page: new SitemapPage({ url }), sitemap };
}

Deno.test("one XML sitemap holds 50,000 URLs and no more", () => {
  const format = limitedSitemap(sitemapXmlFormat({}));
  const event = pageEvent("https://a.test/");
  for (let at = 0; at < 50_000; at++) format.write(event);
  const error = assertThrows(() => format.write(event), Failure);
  assertEquals(error.message, "Cannot write one XML sitemap: more than 50,000 URLs");
  assertEquals(error.hint, "use --split DIR to write several sitemaps and their index");
  assertEquals(error.exitCode, 1);
});

for (const character of ["a", "水"]) {
  Deno.test(`one XML sitemap holds 52,428,800 bytes of "${character}" and no more`, () => {
    const bytesOf = (text: string) => new TextEncoder().encode(text).length;
    const plain = sitemapXmlFormat({});
    const framed = bytesOf(plain.head! + plain.end!() + plain.write(pageEvent("https://a.test/")));
    const room = MAX_BYTES - framed;
    const size = bytesOf(character);
    const path = character.repeat(Math.floor(room / size)) + "a".repeat(room % size);
    const format = limitedSitemap(sitemapXmlFormat({}));
    const text = format.write(pageEvent(`https://a.test/${path}`));
    assertEquals(bytesOf(format.head + text + format.end!()), MAX_BYTES);
    const other = limitedSitemap(sitemapXmlFormat({}));
    assertThrows(() => other.write(pageEvent(`https://a.test/${path}a`)), Failure, "50 MB");
  });
}
