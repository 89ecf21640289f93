import { assert, assertEquals } from "@std/assert";
import { gzipSync } from "node:zlib";
import type { Fetch } from "../../mod.ts";
import { summaryOf } from "./summary.ts";

const PAGES = Array.from({ length: 60 }, (_, at) => `/page/${at * 7919 % 1000}`);
const DOCUMENT = `<urlset>${
  PAGES.map((page) => `<url><loc>${page}</loc></url>`).join("\n")
}</urlset>`;

/** Returns a `fetch` for a site whose only sitemap has these bytes. */
function webOf(bytes: Uint8Array<ArrayBuffer>): Fetch {
  return (url) =>
    Promise.resolve(
      url.endsWith("/robots.txt")
        ? new Response("Sitemap: https://example.com/s.xml.gz")
        : new Response(bytes),
    );
}

for (
  const [name, whole] of [
    ["one member", new Uint8Array(gzipSync(DOCUMENT))],
    ["stored blocks", new Uint8Array(gzipSync(DOCUMENT, { level: 0 }))],
    ["two layers", new Uint8Array(gzipSync(gzipSync(DOCUMENT)))],
  ] as const
) {
  Deno.test(`walk() keeps the pages of truncated gzip data of ${name}, and is never complete`, async () => {
    let most = 0;
    for (let length = 0; length < whole.length; length++) {
      const { pages, verdict } = await summaryOf("https://example.com/", {
        fetch: webOf(whole.slice(0, length)),
        useKnownPaths: false,
      });
      assertEquals(pages, PAGES.slice(0, pages.length), `cut at byte ${length}`);
      assert(pages.length >= most, `more bytes give no fewer pages: cut at byte ${length}`);
      most = pages.length;
      // the last bytes of gzip data are its checksum
      assertEquals(verdict, "partial", `cut at byte ${length}`);
    }
    assertEquals(most, PAGES.length);
  });
}
