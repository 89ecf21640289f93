/**
 * The pages below `/en/`, without reading the sitemaps of other languages.
 *
 *     deno run --allow-net only_english.ts https://example.com/
 *
 * @module
 */

import { pages } from "@sitetree/sitetree";

const [homepage] = Deno.args;
if (homepage === undefined) throw new TypeError("Usage: HOMEPAGE");

/** A language stands in a path as two letters: `/de/sitemap.xml`. */
const LANGUAGE = /\/(?<language>[a-z]{2})\//;

const found = pages(homepage, {
  // What is refused here is never asked for.
  recurseCallback: (url) => (LANGUAGE.exec(url)?.groups?.language ?? "en") === "en",
});
for await (const { url } of found) {
  if (new URL(url).pathname.startsWith("/en/")) console.log(url);
}
