/** Arbitrary feeds and text sitemaps, some with a fault. @module */

import fc from "../support/fast_check.ts";
import { raw } from "./reading.ts";

const ODDITIES = fc.constantFrom(
  ...[
    "&",
    "&amp;",
    "&bogus;",
    "&#0;",
    "<",
    "<b>",
    "</b>",
    "<!-- x -->",
    "<![CDATA[ & ]]>",
    " ",
    "\n",
  ],
  ...["\r\n", "\r", "\t", "\x01", "\u0085", "é", "\u{1f577}", raw(0xff), "<q:x/>", "</x>", '"'],
);

/** Adds an oddity to one value in sixteen. */
function mostly(usual: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const odd = fc.tuple(usual, ODDITIES, fc.nat(40)).map(([text, oddity, at]) =>
    text.slice(0, at) + oddity + text.slice(at)
  );
  return fc.oneof({ weight: 15, arbitrary: usual }, { weight: 1, arbitrary: odd });
}

const ADDRESS = mostly(fc.oneof(
  { weight: 10, arbitrary: fc.nat(200).map((number) => `https://site.test/page-${number}.html`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom("/relative", "http://a/", "mailto:me", "", "https://b.test"),
  },
));
const TITLE = mostly(
  fc.constantFrom("A title of some length", "short", "Caf&amp;eacute; &amp; bar"),
);
const MAIL_DATE = mostly(fc.constantFrom(
  ...["Sat, 01 Jan 2005 10:20:30 GMT", "Sun, 02 Jan 2005 10:20:30 +0200", "1 Jan 2005", "no date"],
));
const ISO_DATE = mostly(
  fc.constantFrom("2005-01-01T10:20:30+02:00", "2005-01-01", "2005", "no date"),
);

function tag(name: string, content: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return content.map((text) => `<${name}>${text}</${name}>`);
}

function shuffled(...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> {
  return fc.tuple(...parts).chain((texts) =>
    fc.shuffledSubarray(texts, { minLength: texts.length - 1 }).map((some) => some.join("\n"))
  );
}

const ITEM = mostly(
  tag(
    "item",
    shuffled(
      tag("title", TITLE),
      tag("link", ADDRESS),
      ADDRESS.map((address) => `<guid isPermaLink="true">${address}</guid>`),
      tag("pubDate", MAIL_DATE),
      tag("description", TITLE),
    ),
  ),
);
const ENTRY = mostly(
  tag(
    "entry",
    shuffled(
      tag("title", TITLE),
      ADDRESS.map((address) => `<link rel="alternate" type="text/html" href="${address}"/>`),
      tag("published", ISO_DATE),
      tag("updated", ISO_DATE),
      tag("summary", TITLE),
    ),
  ),
);

export const RSS: fc.Arbitrary<string> = fc.array(ITEM, { maxLength: 50 }).map((items) =>
  `<rss xmlns:dc="http://purl.org/dc/elements/1.1/"><channel>\n${items.join("\n")}</channel></rss>`
);
export const ATOM: fc.Arbitrary<string> = fc.array(ENTRY, { maxLength: 50 }).map((entries) =>
  `<feed xmlns="http://www.w3.org/2005/Atom">\n${entries.join("\n")}\n</feed>`
);
const LINE_END = fc.oneof({ weight: 20, arbitrary: fc.constant("\n") }, ODDITIES);
export const TEXT: fc.Arbitrary<string> = fc.array(fc.tuple(ADDRESS, LINE_END), {
  minLength: 1,
  maxLength: 100,
}).map((lines) => `https://site.test/first\n${lines.flat().join("")}`);

export const FEED: fc.Arbitrary<string> = fc.oneof(RSS, ATOM);
