/** Arbitrary feeds and text sitemaps, some with a fault. @module */

import fc from "../support/fast_check.ts";
import { raw } from "./reading.ts";
import { mostly } from "./urlset_records.ts";

const ODDITIES = fc.constantFrom(
  ...["&", "&amp;", "&bogus;", "&#0;", "<", "<b>", "</b>", "<!-- x -->", "<![CDATA[ & ]]>"],
  ...["\r\n", "\r", "\t", "\x01", "\u0085", "é", "\u{1f577}", raw(0xff), "<q:x/>", "</x>", '"'],
  ...[" ", "\n", "</ title>", "< /link>", "<! [CDATA[", "<br>", "<x:link href='/x'/>", "<link>"],
);

/** Adds an oddity to one value in sixteen. */
function withOddities(usual: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const odd = fc.tuple(usual, ODDITIES, fc.nat(40)).map(([text, oddity, at]) =>
    text.slice(0, at) + oddity + text.slice(at)
  );
  return mostly(usual, 15, odd);
}

const ADDRESS = withOddities(mostly(
  fc.nat(200).map((number) => `https://site.test/page-${number}.html`),
  10,
  fc.constantFrom("/relative", "http://a/", "mailto:me", "", "https://b.test"),
));
const TITLE = withOddities(
  fc.constantFrom("A title of some length", "short", "Caf&amp;eacute; &amp; bar"),
);
const MAIL_DATE = withOddities(fc.constantFrom(
  ...["Sat, 01 Jan 2005 10:20:30 GMT", "Sun, 02 Jan 2005 10:20:30 +0200", "1 Jan 2005", "no date"],
));
const ISO_DATE = withOddities(
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

const ITEM = withOddities(
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
const ENTRY = withOddities(
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
