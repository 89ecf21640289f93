/**
 * What is repeated is compared with what was read before instead of being parsed again. Byte by byte,
 * everything is parsed; both must read the same, warnings and their lines included.
 */

import { assert, assertEquals } from "@std/assert";
import fc from "../support/fast_check.ts";
import { assertReadsAlike, documentBytes, newPool, readingOf } from "./reading.ts";
import { mostly } from "./urlset_records.ts";

/** Values of attributes: those that a step can skip, and those that it cannot. */
const VALUE = mostly(
  fc.constantFrom("de", "en-GB", "alternate", "https://site.test/de", ""),
  6,
  fc.constantFrom("a&amp;b", "&#160;x", "a\nb", "é", " x ", "a>b", "a<b", "&x;", "'", "a\tb"),
);
const NAME = fc.constantFrom("rel", "hreflang", "href", "type", "xmlns:q", "xml:base", "class");
const [GAP, QUOTE] = [fc.constantFrom(" ", " ", "\n  "), fc.constantFrom(...'""\'')];
const ATTRIBUTE = fc.tuple(GAP, NAME, QUOTE, VALUE).map(([gap, name, quote, value]) =>
  `${gap}${name}=${quote}${value.replaceAll(quote, "")}${quote}`
);
const ATTRIBUTES = fc.oneof(
  { weight: 3, arbitrary: fc.constant("") },
  { weight: 2, arbitrary: fc.array(ATTRIBUTE, { maxLength: 3 }).map((parts) => parts.join("")) },
  {
    weight: 3,
    arbitrary: fc.tuple(VALUE, VALUE).map(([lang, href]) =>
      ` rel="alternate" hreflang="${lang.replaceAll('"', "")}" href="${href.replaceAll('"', "")}"`
    ),
  },
);
const SPACE = fc.constantFrom("", "\n", "\n  ");

/** What a `url` has besides its address. */
const FIELD = fc.oneof(
  ATTRIBUTES.map((attributes) => `<xhtml:link${attributes}/>`),
  ATTRIBUTES.map((attributes) => `<xhtml:link${attributes}></xhtml:link>`),
  ATTRIBUTES.map((attributes) => `<lastmod${attributes}>2005-01-02</lastmod>`),
  ATTRIBUTES.map((attributes) =>
    `<image:image${attributes}><image:loc${attributes}>i:/1</image:loc></image:image>`
  ),
  fc.tuple(ATTRIBUTES, VALUE).map(([attributes, text]) =>
    `<x:map><x:data${attributes}>${text.replaceAll("<", "")}<x:no/></x:data> t </x:map>`
  ),
  fc.constantFrom("", " 1 ", " <url> ", " a\nb ", "-").map((text) => `<!--${text}-->`),
  fc.constantFrom("a", 'b c="?"', "d\ne").map((text) => `<?${text}?>`),
  fc.constantFrom("<priority>0.5</priority>", "<priority>x</priority>", "stray", "<loc/>"),
);
const ENTRY = fc.record({
  attributes: ATTRIBUTES,
  fields: fc.array(fc.tuple(SPACE, FIELD).map((parts) => parts.join("")), { maxLength: 4 }),
  space: SPACE,
});
/** Few kinds of entries in any order, so that most are repeated. */
const ENTRIES = fc.array(ENTRY, { minLength: 1, maxLength: 4 }).chain((kinds) =>
  fc.array(fc.constantFrom(...kinds), { minLength: 4, maxLength: 24 })
);

const HEAD = '<urlset xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"\n' +
  '  xmlns:xhtml="http://www.w3.org/1999/xhtml" xmlns:x="urn:x">';

function documentOf(entries: readonly { attributes: string; fields: string[]; space: string }[]) {
  const written = entries.map(({ attributes, fields, space }, at) =>
    `${space}<url${attributes}>${space}<loc>https://site.test/${at}</loc>${fields.join("")}` +
    `${space}</url>`
  );
  return documentBytes(`${HEAD}${written.join("")}\n</urlset>`);
}

Deno.test("repeated tags, attributes and comments read like the first ones", () => {
  let pages = 0;
  fc.assert(
    fc.property(ENTRIES, (entries) => {
      pages += assertReadsAlike(documentOf(entries)).pages.length;
    }),
    { numRuns: 800 },
  );
  assert(pages > 1000, "there was something to read");
});

Deno.test("a base in a tag applies to the document that it is in", () => {
  const item =
    '<entry xml:base="x/"><link rel="alternate" href="1"/><updated>2005</updated></entry>';
  const feed = documentBytes(`<feed xmlns="http://www.w3.org/2005/Atom">${item.repeat(3)}</feed>`);
  const readers = newPool();
  for (const site of ["https://a.test/", "https://b.test/"]) {
    const { pages } = readingOf([feed], { readers, url: `${site}feed` });
    assertEquals(pages.map((page) => JSON.parse(page).url), [`${site}x/1`]);
  }
});

Deno.test("links whose attributes change are read with their own values", () => {
  const links = [
    ...['rel="alternate" hreflang="de" href="u:1"', 'rel="alternate" hreflang="de" href="u:2"'],
    ...['rel="alternate" hreflang="fr" href="u:3"', 'rel="canonical" hreflang="fr" href="u:3"'],
    ...['hreflang="fr" rel="alternate" href="u:4"', 'rel="alternate" hreflang="fr" href="u:5"'],
    ...["rel='alternate' hreflang='fr' href='u:6'", 'rel="alternate" hreflang="it" href="u:5"'],
  ];
  const written = [...links, ...links].map((link) => `<xhtml:link ${link}/>\n`).join("");
  const document = `${HEAD}<url><loc>https://site.test/</loc>${written}</url></urlset>`;
  const { pages } = assertReadsAlike(documentBytes(document));
  const expected = links.filter((link) => !link.includes("canonical")).map((link) => ({
    hreflang: /hreflang=.(\w+)/.exec(link)![1]!,
    href: /href=.(u:\d)/.exec(link)![1]!,
  }));
  assertEquals(JSON.parse(pages[0]!).alternates, [...expected, ...expected]);
});

Deno.test("elements that bind their own prefix are read by its namespace", () => {
  const image = "http://www.google.com/schemas/sitemap-image/1.1";
  // a long one is not part of a step
  for (const namespaces of [[image, "urn:x"], [image, "urn:y"].map((uri) => uri.padEnd(99, "/"))]) {
    const images = [0, 0, 0, 1, 0, 0, 0, 1, 1, 0].map((at, number) => {
      const title = number === 2 ? "<q:title>t</q:title>" : "";
      return `<q:image xmlns:q="${namespaces[at]}"><q:loc>i:/${number}</q:loc>${title}</q:image>\n`;
    });
    const document = `<urlset><url><loc>https://site.test/</loc>${images.join("")}</url></urlset>`;
    const { pages, warnings } = assertReadsAlike(documentBytes(document));
    assertEquals(
      JSON.parse(pages[0]!).images,
      [0, 1, 2, 4, 5, 6, 9].map((at) =>
        at === 2 ? { loc: "i:/2", title: "t" } : { loc: `i:/${at}` }
      ),
    );
    assertEquals(warnings, []);
  }
});
