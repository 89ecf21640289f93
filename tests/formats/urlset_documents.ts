/** Arbitrary documents: records with faults among many valid ones. @module */

import fc from "../support/fast_check.ts";
import { raw } from "./reading.ts";
import { BETWEEN, GAP, mostly, RECORD } from "./urlset_records.ts";

const SITEMAP = "http://www.sitemaps.org/schemas/sitemap/0.9";
const IMAGES = "http://www.google.com/schemas/sitemap-image/1.1";
const NEWS_URI = "http://www.google.com/schemas/sitemap-news/0.9";
const VIDEOS = "http://www.google.com/schemas/sitemap-video/1.1";
const XHTML = "http://www.w3.org/1999/xhtml";

const ALL_EXTENSIONS =
  `xmlns:image="${IMAGES}" xmlns:news="${NEWS_URI}" xmlns:video="${VIDEOS}" xmlns:xhtml="${XHTML}"`;

function root(name: string, attributes: string): readonly [string, string] {
  return [`<${name} ${attributes}>`, `</${name}>`];
}

export const USUAL_ROOT: readonly [string, string] = root(
  "urlset",
  `xmlns="${SITEMAP}" ${ALL_EXTENSIONS}`,
);

const ROOT = mostly(
  fc.constant(USUAL_ROOT),
  20,
  fc.constantFrom(
    root("urlset", `xmlns="${SITEMAP}"`),
    root("urlset", ALL_EXTENSIONS),
    root("urlset", ""),
    root("urlset", `xmlns="http://other.test/" ${ALL_EXTENSIONS}`),
    root("urlset", `xmlns="${SITEMAP}" xmlns:image="${NEWS_URI}" xmlns:news="${IMAGES}"`),
    root("urlset", `xmlns="${SITEMAP}" xmlns:image="${SITEMAP}" xmlns:xhtml="${SITEMAP}"`),
    root("urlset", `xmlns="${SITEMAP}" xmlns:image="http://a.test/" xmlns:xhtml=" ${XHTML} "`),
    root("urlset", `xmlns="${SITEMAP}" xmlns:image="" xmlns:news="" xmlns:xhtml=""`),
    root("urlset", `xmlns="${IMAGES}" ${ALL_EXTENSIONS}`),
  ),
  fc.constantFrom(
    root("sm:urlset", `xmlns:sm="${SITEMAP}" ${ALL_EXTENSIONS}`),
    root("sm:urlset", `xmlns:sm="${SITEMAP}" xmlns="http://other.test/" ${ALL_EXTENSIONS}`),
    root("image:urlset", `xmlns:image="${SITEMAP}"`),
    root("URLSET", `xmlns="${SITEMAP}" ${ALL_EXTENSIONS}`),
    root("urlset", `xmlns="${SITEMAP}" a="<url>" b="</url>" ${ALL_EXTENSIONS}`),
    root("sitemapindex", `xmlns="${SITEMAP}"`),
    root("rss", ""),
    root("html", ""),
    root("url", ""),
    ["", ""] as const,
  ),
);

const PROLOG = mostly(
  fc.constantFrom('<?xml version="1.0" encoding="UTF-8"?>', "", "\ufeff"),
  8,
  fc.constantFrom(" \n", "\r\n", "\n".repeat(40), "\xa0", "\ufeff\ufeff"),
  fc.constantFrom("junk", "\0", "\x01\x02", "&amp;", "<!DOCTYPE urlset>"),
  fc.constantFrom("<!-- <url></url> -->\r", '<?xml version="1.0"?>\n<!-- <url> -->'),
  fc.constantFrom("<!DOCTYPE urlset [<!ENTITY x 'y'>]>", '<!DOCTYPE urlset SYSTEM "<url>">'),
  fc.constantFrom('<?xml version="1.0" encoding="latin1"?>', '<?xml encoding="nonsense"?>'),
);

const TAIL = mostly(
  fc.constant("\n"),
  10,
  fc.constantFrom("", "</urlset>", "junk", "<!-- end -->", "<url><loc>/x</loc></url>", "\0\0", "&"),
  fc.constantFrom("<urlset></urlset>", "<?xml?>", "\r\n\r\n", raw(0xe2, 0x82), "<!DOCTYPE x>"),
);

/** Records that nothing is wrong with, so that others stand far enough from the edges of a chunk. */
export function fillerRecords(count: number, stem: string): string {
  let records = "";
  for (let number = 0; number < count; number++) {
    records += `${GAP}<url>${GAP}<loc>https://site.test/${stem}/${number}</loc>` +
      `${GAP}<lastmod>2020-01-02</lastmod>${GAP}<priority>0.6</priority>${GAP}</url>`;
  }
  return records;
}

export function withGaps(text: string, gap: string): string {
  return text.replaceAll(GAP, gap);
}

interface DocumentParts {
  readonly before: number;
  readonly after: number;
  readonly maxRecords: number;
}

/** Texts of whole documents with so many good records before and after the others at most. */
function documents({ before, after, maxRecords }: DocumentParts): fc.Arbitrary<string> {
  return fc.record({
    prolog: PROLOG,
    root: ROOT,
    records: fc.array(fc.tuple(BETWEEN, RECORD), {
      minLength: 1,
      maxLength: maxRecords,
      size: "max",
    }),
    before: fc.nat(before),
    after: fc.nat(after),
    tail: TAIL,
    isCut: mostly(fc.constant(false), 10, fc.constant(true)),
    gap: fc.constantFrom("\n", "\n  ", "", "\r\n\t", " ", "\n\n"),
  }).map(({ prolog, root, records, before, after, tail, isCut, gap }) => {
    const filled = fillerRecords(before, "before") + records.flat().join("") +
      fillerRecords(after, "after");
    const end = isCut ? "" : `${GAP}${root[1]}${tail}`;
    return withGaps(`${prolog}${GAP}${root[0]}${filled}${end}`, gap);
  });
}

/** Texts of documents of a few chunks for the fast lane; `documentBytes` makes bytes of them. */
export const DOCUMENT: fc.Arbitrary<string> = documents({ before: 8, after: 16, maxRecords: 8 });

/** The same, of up to 200 KiB. */
export const LARGE_DOCUMENT: fc.Arbitrary<string> = documents({
  before: 900,
  after: 600,
  maxRecords: 60,
});
