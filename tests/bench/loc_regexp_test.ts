import { assertEquals } from "@std/assert";
import type { Contender } from "../../tools/bench/contender.ts";
import { contender as bound } from "../../tools/bench/peers/loc_regexp.ts";
import { contender as sitetree } from "../../tools/bench/sitetree.ts";

async function urlsOf(contender: Contender, bytes: Uint8Array): Promise<string[]> {
  const urls: string[] = [];
  await contender.read("plain", [bytes], (page) => void urls.push(page.url));
  return urls;
}

function urlset(content: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(
    `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${content}</urlset>`,
  );
}

const PLAIN = urlset(
  "<url><loc>\n https://a.test/1\n</loc></url><url><loc>https://a.test/2</loc></url>",
);
const IMAGE = '<image xmlns="http://www.google.com/schemas/sitemap-image/1.1">' +
  "<loc>https://a.test/1.png</loc></image>";

/** Documents that the regular expression reads wrongly, what it reads, and what they list. */
const MISREAD: Readonly<Record<string, readonly [Uint8Array, string[], string[]]>> = {
  "references": [
    urlset("<url><loc>https://a.test/?b=1&amp;c=2</loc></url>"),
    ["https://a.test/?b=1&amp;c=2"],
    ["https://a.test/?b=1&c=2"],
  ],
  "CDATA": [
    urlset("<url><loc><![CDATA[https://a.test/1]]></loc></url>"),
    ["<![CDATA[https://a.test/1]]>"],
    ["https://a.test/1"],
  ],
  "images": [
    urlset(`<url><loc>https://a.test/1</loc>${IMAGE}</url>`),
    ["https://a.test/1", "https://a.test/1.png"],
    ["https://a.test/1"],
  ],
  "encodings": [
    Uint8Array.from(
      '<?xml version="1.0" encoding="iso-8859-1"?><urlset><url><loc>https://a.test/\xe9</loc></url></urlset>',
      (character) => character.charCodeAt(0),
    ),
    ["https://a.test/\ufffd"],
    ["https://a.test/\xe9"],
  ],
};

Deno.test("the upper bound reads the addresses of plain documents", async () => {
  assertEquals(await urlsOf(bound, PLAIN), ["https://a.test/1", "https://a.test/2"]);
});

for (const [name, [bytes, misread, urls]] of Object.entries(MISREAD)) {
  Deno.test(`the upper bound reads ${name} wrongly, sitetree does not`, async () => {
    assertEquals(await urlsOf(bound, bytes), misread);
    assertEquals(await urlsOf(sitetree, bytes), urls);
  });
}
