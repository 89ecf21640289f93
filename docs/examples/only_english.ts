/**
 * Prints the pages below `/en/` without fetching the sitemaps of other languages.
 *
 *     deno run --allow-net only_english.ts https://example.com/
 *
 * @module
 */

import { pages } from "@sitetree/sitetree";
import process from "node:process";

const [homepage] = process.argv.slice(2);
if (homepage === undefined) throw new TypeError("Usage: HOMEPAGE");

/** Language in a path, two letters: `/de/sitemap.xml`. */
const LANGUAGE = /\/(?<language>[a-z]{2})\//;

const found = pages(homepage, {
  // a sitemap that is refused here is not requested
  recurseCallback: (url) => (LANGUAGE.exec(url)?.groups?.language ?? "en") === "en",
});
for await (const { url } of found) {
  if (new URL(url).pathname.startsWith("/en/")) console.log(url);
}
