import { type Rules, testRules } from "./rules.ts";

function wrapped(items: string): string {
  return '<rss version="2.0" xmlns:dc="http://purl.org/dc/elements/1.1/" ' +
    'xmlns:atom="http://www.w3.org/2005/Atom" xmlns:media="http://search.yahoo.com/mrss/">' +
    `<channel><title>C</title><link>https://site.test/channel</link>${items}</channel></rss>`;
}

const [A, B] = ["https://site.test/a", "https://site.test/b"];
const DATE = "2005-06-07T08:09:10.000Z";
const MAIL_DATE = "Tue, 07 Jun 2005 08:09:10 GMT";

const LINKS: Rules = {
  "the last usable link is used": [
    `<link>${A}</link><link>${B}</link><link>mailto:x</link>`,
    { urls: [B], warnings: ["repeated-element", "repeated-element", "bad-address"] },
  ],
  "the href of a link without text is used": [`<link href="${A}"/>`, [A]],
  "the href of an alternate is used": [`<link rel="Alternate" href="${A}"></link>`, [A]],
  "the href of another relation is not used": [
    `<link rel="self" href="${A}"/>`,
    { urls: [], warnings: ["no-address"] },
  ],
  "the text of a link is preferred to an href": [`<link href="${B}">${A}</link>`, [A]],
  "a guid replaces an empty link": [`<link> </link><guid isPermaLink="true">${A}</guid>`, [A]],
  "a guid that is not a URL is not used": [
    "<guid>tag:site.test,2005:1</guid>",
    { urls: [], warnings: ["no-address"] },
  ],
  "a link inside of another element is not the page": [
    `<x><link>${B}</link></x><link>${A}</link>`,
    [A],
  ],
};

testRules("an RSS item", LINKS, (item) => wrapped(`<item>${item}</item>`));

const BASES: Rules = {
  "of the item": [
    '<item xml:base="https://b.test/x/"><link>a</link></item>',
    { urls: ["https://b.test/x/a"], warnings: ["relative-address"] },
  ],
  "of the link": [
    '<item xml:base="https://b.test/x/"><link xml:base="y/">a</link></item>',
    { urls: ["https://b.test/x/y/a"], warnings: ["relative-address"] },
  ],
  "of the link with an href": [
    '<item xml:base="/x/"><link xml:base="y/" href="a"/></item>',
    { urls: ["https://site.test/x/y/a"], warnings: ["relative-address"] },
  ],
  "ends with its element": [
    '<item><title xml:base="/x/">T</title><link>a</link></item>',
    { urls: ["https://site.test/dir/a"], warnings: ["relative-address"] },
  ],
  "does not matter to absolute addresses": [
    `<item xml:base="/x/"><link>${A}</link></item>`,
    [A],
  ],
};

testRules("xml:base in RSS", BASES, wrapped);

const STORIES: Rules = {
  "prefers the title, wherever it is": [
    "<description>D</description><title>T</title>",
    { page: { newsStory: { title: "T" } } },
  ],
  "has the last title": [
    "<title>T</title><title>U</title>",
    { page: { newsStory: { title: "U" } }, warnings: ["repeated-element"] },
  ],
  "has the dc:date without a pubDate": [
    "<title>T</title><dc:date>2005</dc:date>",
    { page: { newsStory: { title: "T", publishDate: "2005" } } },
  ],
  "prefers the pubDate, wherever it is": [
    `<title>T</title><dc:date>2001</dc:date><pubDate>${MAIL_DATE}</pubDate>`,
    { page: { newsStory: { title: "T", publishDate: DATE } } },
  ],
  "has a date of an unknown zone as UTC": [
    "<title>T</title><pubDate>7 Jun 2005 08:09:10 XX</pubDate>",
    {
      page: { newsStory: { title: "T", publishDate: DATE } },
      warnings: ["unknown-zone"],
    },
  ],
  "has the title with the text of elements inside it": [
    "<title>a<b>c</b>d</title>",
    { page: { newsStory: { title: "acd" } } },
  ],
};

testRules(
  "the story of an RSS item",
  STORIES,
  (fields) => wrapped(`<item><link>${A}</link>${fields}</item>`),
);

testRules("RSS", {
  "an item beside the channel is reported": [
    `<rss><channel/><item><link>${A}</link></item></rss>`,
    { urls: [A], warnings: ["misplaced-element"] },
  ],
  "an item below another element of the channel is reported": [
    `<rss><channel><items><item><link>${A}</link></item></items></channel></rss>`,
    { urls: [A], warnings: ["misplaced-element"] },
  ],
  "items of RSS 1.0 are beside the channel, and may be in it": [
    '<rdf:RDF xmlns="http://purl.org/rss/1.0/" xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">' +
    `<channel><item><link>${A}</link></item></channel><item><link>${B}</link></item></rdf:RDF>`,
    [A, B],
  ],
  "an unclosed item ends where the next one begins": [
    `<rss><channel><item><link>${A}<item><link>${B}</link></item></channel></rss>`,
    { urls: [A, B], warnings: ["unclosed-entry"] },
  ],
  "xml:base of the root and of the channel are nested": [
    '<rss xml:base="https://b.test/x/"><channel xml:base="y/"><item><link>a</link></item></channel></rss>',
    { urls: ["https://b.test/x/y/a"], warnings: ["relative-address"] },
  ],
  "an unusable xml:base is ignored": [
    '<rss xml:base="https://b.test/x/"><channel xml:base="https://["><item><link>a</link></item>' +
    "</channel></rss>",
    { urls: ["https://b.test/x/a"], warnings: ["relative-address"] },
  ],
});
