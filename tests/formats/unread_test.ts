/** No document with entries is complete, without pages and without a warning. */

import { assert } from "@std/assert";
import fc from "../support/fast_check.ts";
import { assertReadsAlike, documentBytes } from "./reading.ts";
import { type Rules, testRules } from "./rules.ts";
import { mostly } from "./urlset_records.ts";

const RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#";
const NAMESPACES = [
  ...["", "urn:unknown", "http://site.test/other/ns", "http://www.w3.org/2005/Atom", RDF],
  ...["http://www.sitemaps.org/schemas/sitemap/0.9", "http://purl.org/rss/1.0/", " urn:x "],
  ...["http://www.google.com/schemas/sitemap-image/1.1", "http://purl.org/dc/elements/1.1/"],
  ...["http://my.netscape.com/rdf/simple/0.9/", "http://www.w3.org/1999/xhtml"],
];
const PREFIXES = ["", "", "x", "rdf", "image", "atom", "sm", "xml"];

/** A name in some case, with a prefix that is perhaps bound in its tag. */
interface Name {
  readonly local: string;
  readonly prefix: string;
  readonly uri: string | undefined;
}

function nameOf(...locals: readonly string[]): fc.Arbitrary<Name> {
  const cases = locals.flatMap((local) => [local, local, local.toUpperCase()]);
  return fc.record({
    local: fc.constantFrom(...cases),
    prefix: mostly(fc.constant(""), 2, fc.constantFrom(...PREFIXES)),
    uri: mostly(fc.constant(undefined), 2, fc.constantFrom(...NAMESPACES)),
  });
}

function written({ local, prefix, uri }: Name, content: string): string {
  const name = prefix === "" ? local : `${prefix}:${local}`;
  const binding = uri === undefined || prefix === "xml"
    ? ""
    : ` xmlns${prefix && `:${prefix}`}="${uri}"`;
  return `<${name}${binding}>${content}</${name}>`;
}

const ROOT = nameOf("urlset", "sitemapindex", "rss", "RDF", "feed");
const WRAPPER = nameOf(
  "channel",
  "items",
  "x",
  "div",
  "urlset",
  "rss",
  "image",
  "a",
  "url",
  "html",
);
const ENTRY = fc.oneof(
  fc.tuple(nameOf("url", "sitemap"), nameOf("loc")),
  fc.tuple(nameOf("item"), nameOf("link", "guid")),
  fc.tuple(nameOf("entry"), nameOf("link", "id")),
  fc.tuple(nameOf("url", "sitemap", "item", "entry"), nameOf("loc", "link", "id", "url")),
);
const VALUE = fc.constantFrom("https://site.test/a", "https://site.test/b", "/c", "mailto:me", "");

const DOCUMENT = fc.record({
  root: ROOT,
  wrappers: fc.array(WRAPPER, { maxLength: 2 }),
  entries: fc.array(fc.tuple(ENTRY, VALUE), { minLength: 1, maxLength: 3 }),
}).filter(({ root, wrappers, entries }) =>
  // the `url` of the `image` of a feed is none
  !/^(?:rss|rdf|feed)$/i.test(root.local) || !/^image$/i.test(wrappers.at(-1)?.local ?? "") ||
  entries.some(([[entry]]) => !/^url$/i.test(entry.local))
).map(({ root, wrappers, entries }) => {
  const body = entries.map(([[entry, address], value]) => written(entry, written(address, value)));
  return written(
    root,
    wrappers.reduceRight((content, name) => written(name, content), body.join("")),
  );
});

Deno.test("a complete document with entries has pages or a warning", () => {
  let read = 0;
  fc.assert(
    fc.property(DOCUMENT, (text) => {
      const { outcome, pages, children, warnings } = assertReadsAlike(documentBytes(text));
      const isRead = pages.length + children.length > 0;
      if (isRead) read++;
      assert(isRead || warnings.length > 0 || "code" in outcome!, text);
    }),
    { numRuns: 1500 },
  );
  assert(read > 100, "there was something to read");
});

const A = "https://site.test/a";
const LOC = `<url><loc>${A}</loc></url>`, ITEM = `<item><link>${A}</link></item>`;
const UNREAD = { urls: [], warnings: ["misplaced-element"] };

const RULES: Rules = {
  "in an unknown namespace": [
    `<urlset xmlns:x="urn:x"><x:url><x:loc>${A}</x:loc></x:url></urlset>`,
    UNREAD,
  ],
  "in a default namespace other than that of the root element": [
    `<x:urlset xmlns:x="urn:x" xmlns="urn:y">${LOC}</x:urlset>`,
    UNREAD,
  ],
  "of a sitemap in a feed": [`<rss><channel>${LOC.repeat(3)}</channel></rss>`, UNREAD],
  "of a feed in a sitemap": [`<urlset>${ITEM}</urlset>`, UNREAD],
  "of Atom in RSS": [`<rss><channel><entry><link href="${A}"/></entry></channel></rss>`, UNREAD],
  "of a document inside another": [`<feed><urlset>${LOC}</urlset></feed>`, UNREAD],
  "in an element of a foreign namespace": [
    `<rss><channel xmlns="urn:x">${ITEM}</channel></rss>`,
    UNREAD,
  ],
  "beside ones that are read are not reported": [
    `<rss xmlns:x="urn:x"><channel><x:item/>${ITEM}<x:item/></channel></rss>`,
    [A],
  ],
  "do not include the url of an image": [
    "<rss><channel><image><url>https://site.test/i.png</url></image></channel></rss>",
    [],
  ],
};
testRules("entries that are not read", RULES);

const RDF_RULES: Rules = {
  "in an unknown default namespace": [
    `<rdf:RDF xmlns:rdf="${RDF}" xmlns="urn:x"><channel/>${ITEM}</rdf:RDF>`,
    [A],
  ],
  "in a default namespace of their own": [
    `<rdf:RDF xmlns:rdf="${RDF}">${ITEM.replace("<item", '<item xmlns="urn:x"')}</rdf:RDF>`,
    [A],
  ],
  "in an unknown default namespace, apart from elements of others": [
    `<rdf:RDF xmlns:rdf="${RDF}" xmlns="urn:x" xmlns:y="urn:y"><item><y:link>/no</y:link>` +
    `<title xmlns="http://purl.org/dc/elements/1.1/">no</title><link>${A}</link></item></rdf:RDF>`,
    { urls: [A], page: {} },
  ],
  "not in an unknown namespace with a prefix": [
    `<rdf:RDF xmlns:rdf="${RDF}" xmlns:x="urn:x"><x:item><x:link>${A}</x:link></x:item></rdf:RDF>`,
    UNREAD,
  ],
};
testRules("items of RSS 1.0 are read", RDF_RULES);
