/** Places of values in documents of each format, for tests that write the values in unusual ways. @module */

import { documentBytes, type Reading } from "./reading.ts";

/** A field in an entry, of which a document has two so that repeated tags are read too. */
export interface Place {
  /** Name of the element. */
  readonly name: string;
  /** Returns a document with elements of these contents, one in each entry. */
  readonly document: (elements: readonly string[]) => string;
  readonly values: readonly string[];
  /** Whether the values are addresses of pages or sitemaps. */
  readonly isAddress: boolean;
}

const XMLNS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" ' +
  'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1" ' +
  'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"';
const ADDRESSES = ["https://site.test/a?b", "https://site.test/c", "https://site.test/d"];

/** Returns the content of an entry with a field, and with an address of its own if it needs one. */
type Entry = (field: string, address: string) => string;

function inRoot(start: string, entry: Entry, end: string): Place["document"] {
  const written = (field: string, at: number) => entry(field, `https://site.test/${at}`);
  return (fields) => `${start}${fields.map(written).join("\n")}${end}`;
}

function inUrlset(entry: Entry): Place["document"] {
  return inRoot(
    `<urlset ${XMLNS}>`,
    (field, url) => `<url>${entry(field, url)}</url>`,
    "</urlset>",
  );
}
function inRss(entry: Entry): Place["document"] {
  const start = '<rss xmlns:atom="http://www.w3.org/2005/Atom"><channel>';
  return inRoot(start, (field, url) => `<item>${entry(field, url)}</item>`, "</channel></rss>");
}
function inAtom(entry: Entry): Place["document"] {
  const start = '<feed xmlns="http://www.w3.org/2005/Atom">';
  return inRoot(start, (field, url) => `<entry>${entry(field, url)}</entry>`, "</feed>");
}

export const PLACES: readonly Place[] = [
  { name: "loc", document: inUrlset((loc) => loc), values: ADDRESSES, isAddress: true },
  {
    name: "image:loc",
    document: inUrlset((image, url) => `<loc>${url}</loc><image:image>${image}</image:image>`),
    values: ["i:/1", "i:/2"],
    isAddress: false,
  },
  ...[["lastmod", "2005-01-02"], ["priority", "0.7"], ["changefreq", "daily"]].map((
    [name, value],
  ): Place => ({
    name: name!,
    document: inUrlset((field, url) => `<loc>${url}</loc>${field}`),
    values: [value!, value!],
    isAddress: false,
  })),
  {
    name: "news:title",
    document: inUrlset((title, url) =>
      `<loc>${url}</loc><news:news>${title}<news:publication_date>2005</news:publication_date></news:news>`
    ),
    values: ["T", "U"],
    isAddress: false,
  },
  {
    name: "loc",
    document: inRoot("<sitemapindex>", (loc) => `<sitemap>${loc}</sitemap>`, "</sitemapindex>"),
    values: ADDRESSES,
    isAddress: true,
  },
  { name: "link", document: inRss((link) => link), values: ADDRESSES, isAddress: true },
  { name: "guid", document: inRss((guid) => guid), values: ADDRESSES, isAddress: true },
  {
    name: "title",
    document: inRss((title, url) => `${title}<link>${url}</link>`),
    values: ["A title", "B"],
    isAddress: false,
  },
  {
    name: "pubDate",
    document: inRss((date, url) => `${date}<link>${url}</link>`),
    values: ["Tue, 07 Jun 2005 08:09:10 GMT", "2005"],
    isAddress: false,
  },
  { name: "link", document: inAtom((link) => link), values: ADDRESSES, isAddress: true },
  { name: "id", document: inAtom((id) => id), values: ADDRESSES, isAddress: true },
  {
    name: "summary",
    document: inAtom((summary, url) => `${summary}<link href="${url}"/>`),
    values: ["A summary", "B"],
    isAddress: false,
  },
];

/** Returns the document of a place, whose values are written by a function. */
export function bytesOf(
  { name, document, values }: Place,
  write: (value: string, name: string) => string = (value) => `<${name}>${value}</${name}>`,
): Uint8Array {
  return documentBytes(document(values.map((value) => write(value, name))));
}

/** Pages and sitemaps of a reading. */
export function entriesOf({ pages, children }: Reading): readonly string[] {
  return [...pages, ...children];
}

/** Returns chunk sizes that cut a document once, at each of the bytes of its first field and after it. */
export function cutsOf(place: Place, bytes: Uint8Array): number[][] {
  const first = new TextDecoder().decode(bytes).indexOf(`<${place.name}`);
  const length = Math.min(bytes.length - first, 60);
  return Array.from({ length }, (_, at) => [first + at, Infinity]);
}
