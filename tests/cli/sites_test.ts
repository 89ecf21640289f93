/** Pages of several sites, and of large ones. @module */

import { robots, urlset } from "./sites.ts";
import { type Site, transcripts } from "./transcript.ts";

/** Returns a site of sitemaps of pages. */
function site(...sitemaps: readonly string[][]): Site {
  const documents = sitemaps.map((pages, at) =>
    [`/${at === 0 ? "s" : at}.xml`, urlset(...pages.map((page) => `{{origin}}/${page}`))] as const
  );
  const declared = documents.map(([path]) => `{{origin}}${path}`);
  return { "/robots.txt": robots(...declared), ...Object.fromEntries(documents) };
}

transcripts("sites", {
  tree: {
    sites: { large: site(Array.from({ length: 25 }, (_, at) => `${at}`), ["last"]) },
  },
}, {
  sites: { one: site(["a"]), two: site(["b"]) },
  files: { "s.txt": "https://c.test/c\n" },
});
