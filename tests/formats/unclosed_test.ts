/** Unclosed elements hide neither the text nor the links behind them; closed ones hide both. */

import { assert, assertEquals } from "@std/assert";
import { bytesOf, cutsOf, entriesOf, PLACES } from "./places.ts";
import { assertReadsAlike, readingOf } from "./reading.ts";
import { type Rules, testRules } from "./rules.ts";

const UNCLOSED = [
  ...["<br>", "\n<BR>\n", "<p><b>", "<x:y>", "<b/><i>", "<b>no</b><i>", "<a href='/no'>"],
  ...["<b></x>", "<!-- --><b>", "<b><!-- -->", "<b><i></i>", "<hr\n>"],
];
for (const tags of UNCLOSED) {
  Deno.test(`text of any field behind ${JSON.stringify(tags)} is read`, () => {
    // text in a closed element is that of a title
    const isKept = (name: string) => !tags.includes("no</b>") || !/title|summary/.test(name);
    for (const place of PLACES.filter(({ name }) => isKept(name))) {
      const expected = entriesOf(readingOf([bytesOf(place)]));
      for (const after of ["", "<br>", "\n<i>\n"]) {
        const bytes = bytesOf(place, (value, name) => `<${name}>${tags}${value}${after}</${name}>`);
        const reading = assertReadsAlike(bytes, after === "" ? cutsOf(place, bytes) : []);
        const text = new TextDecoder().decode(bytes);
        assertEquals(entriesOf(reading), expected, text);
        const codes = reading.warnings.map(([code]) => code);
        assert(codes.includes("xml-mismatched-tag"), text);
        assert(codes.includes("misplaced-element") || /title|summary/.test(place.name), text);
      }
    }
  });
}

Deno.test("text of a field in a closed element is hidden, whatever is unclosed in it", () => {
  const isTitle = /title|summary/;
  for (const place of PLACES.filter(({ name }) => !isTitle.test(name))) {
    for (const start of ["<b>", "<b><br>", "<b><br><i>", "<b>no<br>", "<br><b>"]) {
      const bytes = bytesOf(place, (value, name) => `<${name}>${start}${value}</b></${name}>`);
      const empty = bytesOf(place, (_value, name) => `<${name}></${name}>`);
      assertEquals(entriesOf(assertReadsAlike(bytes)), entriesOf(readingOf([empty])));
    }
  }
});

Deno.test("a field keeps its own text, whatever is behind an unclosed element", () => {
  for (const place of PLACES.filter(({ isAddress }) => isAddress)) {
    const expected = entriesOf(readingOf([bytesOf(place)]));
    for (
      const after of ["<br>text", "<p>https://site.test/no", "<x><y>text", "<br/>\n<b>text</i>"]
    ) {
      const bytes = bytesOf(place, (value, name) => `<${name}>${value}${after}</${name}>`);
      assertEquals(entriesOf(assertReadsAlike(bytes)), expected);
    }
  }
});

const [A, B, NO] = ["https://site.test/a", "https://site.test/b", "https://site.test/no"];
const MISMATCHED = "xml-mismatched-tag", MISPLACED = "misplaced-element";

const URLSET: Rules = {
  "the text of a field is not that of another behind it": [
    `<url><loc><lastmod>2005-01-01<priority>0.5</url>`,
    { urls: [], warnings: [MISPLACED, MISMATCHED, "no-address"] },
  ],
  "the text of an unclosed field behind an unclosed element is read": [
    `<url><loc><br>${A}<url><loc>${B}</loc></url>`,
    { urls: [A, B], warnings: [MISPLACED, "unclosed-entry", MISPLACED] },
  ],
  "both faults of an address are repaired": [
    `<url><br><loc><b>${A}</loc></url>`,
    { urls: [A], warnings: [MISPLACED, MISPLACED, MISMATCHED, MISPLACED, MISMATCHED, MISPLACED] },
  ],
  "an overlong text in an element that is closed is ignored": [
    `<url><loc><x>${"y".repeat(1024 * 1024 + 1)}</x>${A}</loc></url>`,
    { urls: [A], warnings: [MISPLACED] },
  ],
};
testRules("urlset", URLSET, (content) => `<urlset>${content}</urlset>`);

const INDEX: Rules = {
  "the text of an entry is read": [
    `<sitemap><br>${A}</sitemap>`,
    { urls: [A], warnings: [MISPLACED, MISMATCHED, MISPLACED] },
  ],
  "text behind the own text of an entry is not": [
    `<sitemap>${A}<br>text</sitemap>`,
    { urls: [A], warnings: [MISPLACED, MISMATCHED, MISPLACED] },
  ],
  "text in a closed element is not": [
    `<sitemap><b>${NO}</b></sitemap><sitemap><b><br>${NO}</b></sitemap>`,
    { urls: [], warnings: [MISPLACED, "no-address", MISPLACED, MISMATCHED, "no-address"] },
  ],
  "each loc of an entry is read": [
    `<sitemap><loc><br>${A}</loc><loc><br>${B}</loc></sitemap>`,
    {
      urls: [A, B],
      warnings: [MISPLACED, MISMATCHED, MISPLACED, MISPLACED, MISMATCHED, MISPLACED],
    },
  ],
};
testRules("sitemapindex", INDEX, (content) => `<sitemapindex>${content}</sitemapindex>`);

const ATOM = 'xmlns:a10="http://www.w3.org/2005/Atom"';
const A10 = `<a10:link href="${A}"/>`;
const IANA = "http://www.iana.org/assignments/relation/";

const RSS: Rules = {
  "a link of Atom in a description is read": [
    `<item><description>D</destion>${A10}</item>`,
    {
      urls: [A],
      page: { newsStory: { title: "D" } },
      warnings: [MISMATCHED, MISMATCHED, MISPLACED],
    },
  ],
  "a link of Atom behind an unknown element is read": [
    `<item><x>${A10}</item><item><x><a10:link rel="self" href="${NO}"/></item>`,
    { urls: [A], warnings: [MISMATCHED, MISPLACED, MISMATCHED, "no-address"] },
  ],
  "a link of Atom in a closed element is not": [
    `<item><x>${A10}</x></item><item><description>${A10}</description></item>`,
    { urls: [], warnings: ["no-address", "no-address"] },
  ],
  "a link is preferred to one of Atom": [
    `<item><x>${A10}<link>${B}</link></item>`,
    { urls: [B], warnings: [MISMATCHED, MISPLACED] },
  ],
  "the text of a link of Atom is not its address": [
    `<item><x><a10:link>${NO}</a10:link></item>`,
    { urls: [], warnings: [MISMATCHED, "no-address"] },
  ],
  "the text of a link is preferred to its href": [
    `<item><x>${A10}<link href="${NO}">${B}</link></item>`,
    { urls: [B], warnings: [MISMATCHED, MISPLACED] },
  ],
  "the href of a link is preferred to a link of Atom": [
    `<item><x>${A10}<link rel="self" href="${NO}"/><link rel="${IANA}Alternate" href="${B}"/></item>`,
    { urls: [B], warnings: [MISMATCHED, MISPLACED] },
  ],
  "a link is preferred to the guid": [
    `<item><guid>${NO}</guid><x><link>${A}</link></item>`,
    { urls: [A], warnings: [MISMATCHED, MISPLACED] },
  ],
  "a link in a title is read, and not as its text": [
    `<item><title>T<b>U<link>${A}</link>V</item>`,
    { urls: [A], page: { newsStory: { title: "TU" } }, warnings: [MISMATCHED, MISPLACED] },
  ],
  "an unclosed title keeps its own text": [
    `<item><link>${A}</link><title>T <b>U</b> <pubDate>2005</pubDate>V</item>`,
    { urls: [A], page: { newsStory: { title: "T U" } }, warnings: [MISMATCHED] },
  ],
  "a closed title has the text of all elements inside it": [
    `<item><link>${A}</link><title>T <link/><link>U</link> <pubDate>V</pubDate> <b>W</title></item>`,
    { urls: [A], page: { newsStory: { title: "T U V W" } }, warnings: [MISMATCHED] },
  ],
  "a closed title has the text of all elements inside a link in it": [
    `<item><link>${A}</link><title>T <link>U <b>V</b> <title>W</title></link> X</title></item>` +
    `<item><link>${B}</link><title><b><link>U<link>V<y>W</y></link></link></b></title></item>`,
    { urls: [A, B], page: { newsStory: { title: "T U V W X" } }, warnings: [] },
  ],
  "a link in an unclosed title is its own text": [
    `<item><title>T<link>${A}<b>no</b></link>V</item>` +
    `<item><title>T<link>${B}<guid>no</guid><link>${NO}</link></link>V</item>`,
    {
      urls: [A, B],
      page: { newsStory: { title: "T" } },
      warnings: [MISMATCHED, MISPLACED, MISMATCHED, MISPLACED],
    },
  ],
  "a field in one title does not end another": [
    `<item><link>${A}</link><title>T<link/></title><title>Title<br></item>`,
    {
      urls: [A],
      page: { newsStory: { title: "Title" } },
      warnings: [MISMATCHED, "repeated-element"],
    },
  ],
};
testRules("RSS", RSS, (content) => `<rss ${ATOM}><channel>${content}</channel></rss>`);

const LINK = `<link href="${A}"/>`, ID = `<id>${NO}</id>`;
testRules("Atom", {
  "a link is preferred to the id": [
    `<entry>${ID}<x>${LINK}</entry><entry><updated>2005</updated>${ID}<title>${LINK}</entry>`,
    {
      urls: [A],
      warnings: [MISMATCHED, MISPLACED, MISMATCHED, MISPLACED, "duplicate-address"],
    },
  ],
  "a link is preferred to a link to itself": [
    `<entry><link rel="self" href="${NO}"/><x>${LINK}</entry>`,
    { urls: [A], warnings: [MISMATCHED, MISPLACED] },
  ],
  "an alternate is preferred to a link behind an element": [
    `<entry><link href="${A}"/><x><link href="${NO}"/></entry>`,
    { urls: [A], warnings: [MISMATCHED] },
  ],
  "a link to itself is preferred to the id": [
    `<entry>${ID}<x><link rel="via" href="${NO}"/><link rel="self">${A}</link></entry>`,
    { urls: [A], warnings: [MISMATCHED, MISPLACED] },
  ],
  "a link to itself is preferred to one behind an element": [
    `<entry><link rel="self" href="${A}"/><x><link rel="self" href="${NO}"/></entry>`,
    { urls: [A], warnings: [MISMATCHED] },
  ],
  "a relation may be an IANA address": [
    `<entry>${ID}<x><link rel="${IANA}self" href="${NO}"/><link rel="${IANA}alternate" href="${A}"/></entry>`,
    { urls: [A], warnings: [MISMATCHED, MISPLACED] },
  ],
  "a link of another relation is not a page": [
    `<entry><x><link rel="enclosure" href="${NO}">Text</link></entry>` +
    `<entry><x><link rel="enclosure">${NO}</link></entry>`,
    { urls: [], warnings: [MISMATCHED, "no-address", MISMATCHED, "no-address"] },
  ],
  "the text of a link with an address is not one": [
    `<entry><x><link rel="enclosure" href="${NO}">Text</link><link href="${A}">Text</link></entry>`,
    { urls: [A], warnings: [MISMATCHED, MISPLACED] },
  ],
  "a link in a closed element is not preferred to the id": [
    `<entry><id>${A}</id><x><br><link href="${NO}"/></x></entry>`,
    { urls: [A], warnings: [MISMATCHED, "address-repaired"] },
  ],
  "the text of a link in a title is read": [
    `<entry><title>T<link>${A}</link></entry>`,
    { urls: [A], page: { newsStory: { title: "T" } }, warnings: [MISMATCHED, MISPLACED] },
  ],
  "an entry in a closed element of a title is hidden": [
    `<entry>${LINK}<title>T<b><entry><link href="${NO}"/></entry></b></title></entry>`,
    [A],
  ],
}, (content) => `<feed xmlns="http://www.w3.org/2005/Atom">${content}</feed>`);
