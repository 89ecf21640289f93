import { type Rules, testRules } from "./rules.ts";

function wrapped(entries: string): string {
  return `<feed xmlns="http://www.w3.org/2005/Atom"><title>F</title>${entries}</feed>`;
}

const [A, B, C] = ["https://site.test/a", "https://site.test/b", "https://site.test/c"];
const IANA = "http://www.iana.org/assignments/relation/";

function link(href: string, attributes = ""): string {
  return `<link ${attributes} href="${href}"/>`;
}

const LINKS: Rules = {
  "is the first alternate": [link(C, 'rel="self"') + link(A, 'rel="Alternate"') + link(B), [A]],
  "is preferably HTML": [link(B, 'type="application/pdf"') + link(A, 'type="text/html"'), [A]],
  "is preferably XHTML": [
    link(B, 'type="text/plain"') + link(A, 'type="Application/XHTML+xml; q=1"'),
    [A],
  ],
  "is preferably without type": [
    link(B, 'type="text/plain"') + link(A) + link(C, 'type="text/html"'),
    [A],
  ],
  "is of any type without a better one": [
    link(A, 'type="text/plain"') + link(B, 'rel="self"'),
    [A],
  ],
  "is the link to itself without an alternate": [link(B, 'rel="via"') + link(A, 'rel="self"'), [A]],
  "is the first of via and related at last": [link(A, 'rel="related"') + link(B, 'rel="via"'), [A]],
  "may have its relation as IANA address": [
    link(B, 'rel="self"') + link(A, `rel="${IANA}alternate"`),
    [A],
  ],
  "may be the text of a link": [`<link rel="self" href="${B}"/><link>${A}</link>`, [A]],
  "is not the text of a link with href": [`<link href="${A}">${B}</link>`, [A]],
  "is not a link of another namespace": [`<x:link xmlns:x="urn:x" href="${B}"/>${link(A)}`, [A]],
  "is decoded once": [link("https://site.test/?a=1&amp;amp;b"), ["https://site.test/?a=1&amp;b"]],
};

testRules("the page of an Atom entry", LINKS, (content) => wrapped(`<entry>${content}</entry>`));

testRules("xml:base in Atom", {
  "of feed, entry and link are nested": [
    `<feed xml:base="https://b.test/x/"><entry xml:base="y/"><link xml:base="z/" href="a"/></entry></feed>`,
    { urls: ["https://b.test/x/y/z/a"], warnings: ["relative-address"] },
  ],
  "of a relative address is resolved against the document": [
    '<feed xml:base="x/"><entry><link href="a"/></entry></feed>',
    { urls: ["https://site.test/dir/x/a"], warnings: ["relative-address"] },
  ],
  "of one entry does not count for the next": [
    `<feed><entry xml:base="/x/"><link href="a"/></entry><entry><link href="a"/></entry></feed>`,
    {
      urls: ["https://site.test/x/a", "https://site.test/dir/a"],
      warnings: ["relative-address", "relative-address"],
    },
  ],
  "of the link that is chosen counts, not that of the last": [
    '<feed><entry><link xml:base="/x/" href="a"/><link xml:base="/y/" rel="self" href="b"/></entry></feed>',
    { urls: ["https://site.test/x/a"], warnings: ["relative-address"] },
  ],
  "counts for the text of a link": [
    '<feed><entry><link xml:base="/x/">a</link></entry></feed>',
    { urls: ["https://site.test/x/a"], warnings: ["relative-address"] },
  ],
  "alternates in the same tag as before": [
    "<feed>" + ["x", "y", "x", "y", "z", "x"].map((base) =>
      `<entry xml:base="/${base}/"><link href="${base}"/></entry>`
    ).join("") + "</feed>",
    {
      urls: ["https://site.test/x/x", "https://site.test/y/y", "https://site.test/z/z"],
      warnings: [
        ...["relative-address", "relative-address", "relative-address", "duplicate-address"],
        ...["relative-address", "duplicate-address", "relative-address", "relative-address"],
        "duplicate-address",
      ],
    },
  ],
});

const STORIES: Rules = {
  "has the title, markup included": [
    "<title>a <b>c <i>d</i></b> e</title>",
    { page: { newsStory: { title: "a c d e" } } },
  ],
  "has the title as CDATA in markup": [
    "<title><div> <![CDATA[x]]> </div>y</title>",
    { page: { newsStory: { title: "x y" } } },
  ],
  "prefers the title, wherever it is": [
    "<summary>S</summary><title>T</title>",
    { page: { newsStory: { title: "T" } } },
  ],
  "has the first of several dates": [
    "<title>T</title><updated>2005</updated><updated>2006</updated>",
    { page: { newsStory: { title: "T", publishDate: "2005" } } },
  ],
  "prefers published to issued only by their order": [
    "<title>T</title><issued>2004</issued><published>2005</published>",
    { page: { newsStory: { title: "T", publishDate: "2004" } } },
  ],
  "prefers published, then updated, modified and created": [
    "<title>T</title><created>2001</created><modified>2002</modified><updated>2003</updated>",
    { page: { newsStory: { title: "T", publishDate: "2003" } } },
  ],
  "has the last of several titles": [
    "<title>T</title><title>U</title>",
    { page: { newsStory: { title: "U" } }, warnings: ["repeated-element"] },
  ],
};

testRules(
  "the story of an Atom entry",
  STORIES,
  (fields) => wrapped(`<entry>${link(A)}${fields}</entry>`),
);

testRules("Atom", {
  "an entry below another element is reported": [
    `<x>${`<entry>${link(A)}</entry>`}</x>`,
    { urls: [A], warnings: ["misplaced-element"] },
  ],
  "an unclosed entry ends where the next one begins": [
    `<entry>${link(A)}<entry>${link(B)}</entry>`,
    { urls: [A, B], warnings: ["unclosed-entry"] },
  ],
  "an entry inside of skipped content is not read": [
    `<entry>${link(A)}<content><entry>${link(B)}</entry></content></entry>`,
    [A],
  ],
}, wrapped);
