import { ATOM, RDF, RSS } from "./feeds.ts";
import type { Draft, Format } from "./schema.ts";
import { SITEMAP_INDEX } from "./sitemap_index.ts";
import { URLSET } from "./urlset.ts";

/** Maximum number of bytes of content before the root element. */
export const MAX_JUNK: number = 64 * 1024;

/** Formats by the local name of their root element in lower case, in any namespace. */
export const FORMATS: ReadonlyMap<string, Format<Draft>> = new Map<string, Format<Draft>>([
  ["urlset", URLSET],
  ["sitemapindex", SITEMAP_INDEX],
  ["rss", RSS],
  ["rdf", RDF],
  ["feed", ATOM],
]);

const ROOT_REGEXP = new RegExp(
  `<(?:[^\\s<>/:]+:)?(?:${[...FORMATS.keys()].join("|")})[\\s/>]`,
  "i",
);

/** Whether one of the formats begins in a text, where junk may precede it. */
export function hasRootElement(text: string): boolean {
  return ROOT_REGEXP.test(text.slice(0, MAX_JUNK));
}
