/**
 * Arbitrary records of a `urlset`. Most have the common form with one or two deviations: a record with
 * many is read by the general path from the start, which hides faults of the fast ones.
 *
 * @module
 */

import fc from "../support/fast_check.ts";
import { raw } from "./reading.ts";

/** Stands for the white space that a document has between its elements. */
export const GAP = "\ue000";

/** Mostly the first, once in a while one of the others. */
export function mostly<T>(
  usual: fc.Arbitrary<T>,
  weight: number,
  ...others: fc.Arbitrary<T>[]
): fc.Arbitrary<T> {
  return fc.oneof(
    { weight, arbitrary: usual },
    ...others.map((arbitrary) => ({ weight: 1, arbitrary })),
  );
}

// ------------------------------------------------------------------------------------------ values

const BAD_BYTES = [raw(0xff), raw(0xc3), raw(0xe2, 0x82), raw(0xed, 0xa0, 0x80), raw(0x80)];

const SPACES = ["", "", "", " ", "\n", "\r\n", "\t", "  \n\t", "\r\n\r\n"];
const ODD_SPACES = ["\r", "\r\r\n", "\xa0", "\x85", "\u3000", "\ufeff", "\f", "\x0b", "&#32;"];
const SPACE = mostly(fc.constantFrom(...SPACES), 20, fc.constantFrom(...ODD_SPACES));

/** Things that may stand in the middle of a value. */
const INSIDE = fc.constantFrom(
  ..."&amp; &amp; &amp; &#38; &#x26; &lt; &quot; &apos; &eacute; &nosuch; & &; &am &#0; &#xFFFE;"
    .split(" "),
  ..."&#xD800; &#10; &#x20; &#160; &#x85; &#65533; &#x1F600;".split(" "),
  ..."&amp;amp; &amp;eacute; &ac;".split(" "),
  ..."é ü 日本語 😀 \xa0 \x85 \ufeff \ufffd \ufffe \uffff \u2028 \x7f \x01 \x00 \x1f".split(" "),
  ..."> ]]> ' \" = / < <b> </b> <br/> < </ url> </url <url </url> <url> <!-- <![CDATA[".split(" "),
  ..."<!--x--> <!--</url>--> <![CDATA[x]]> <![CDATA[</url>&amp;]]> <?x </url>?>".split(" "),
  ...[" ", "\t", "\n", "\r\n", "\r", ...BAD_BYTES],
);

const WORD = fc.string({ unit: fc.constantFrom(..."abcxyz019-_.~%"), maxLength: 12 });
const TAME = fc.constantFrom("&amp;", "é", "日本", "/", "?a=b", "#c", "%20", "+");

function joined(...parts: fc.Arbitrary<string>[]): fc.Arbitrary<string> {
  return fc.tuple(...parts).map((all) => all.join(""));
}

/** Text with the one or other thing in it, around `usual`. */
function textAround(usual: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 24, arbitrary: joined(usual, WORD) },
    { weight: 6, arbitrary: joined(usual, TAME, WORD) },
    { weight: 1, arbitrary: joined(usual, INSIDE, WORD) },
    { weight: 1, arbitrary: joined(usual, INSIDE) },
    { weight: 1, arbitrary: joined(INSIDE, usual) },
  );
}

/** A value, with white space around it now and then. */
function spaced(value: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.oneof(
    { weight: 24, arbitrary: value },
    { weight: 4, arbitrary: joined(SPACE, value, SPACE) },
    { weight: 1, arbitrary: value.map((text) => `<![CDATA[${text}]]>`) },
  );
}

const START = mostly(
  fc.constant("https://site.test/"),
  60,
  fc.constantFrom("https://site.test", "https://www.site.test/", "http://site.test:8080/"),
  fc.constantFrom("HTTPS://Site.test/", "https://me:pw@site.test/", "https://site.test?"),
  fc.constantFrom("", "/", "//site.test/", "../", "?", "#", "https:site.test/", "https:///"),
  fc.constantFrom("ftp://site.test/", "https://", "http://a b/", "http://[::1]/", "http://[/"),
  fc.constantFrom("http://a&amp;b/", "http://a&b/", "http://u&amp;lt;@a/", "http://u&lt;@a/"),
  fc.constantFrom("http://a&amp;#x20;", "http://a&#x20;b/", "http://a&amp;#47;", "http://a&#47;b/"),
  fc.constantFrom("https://bücher.test/", "https://日本.test/", "https://site.test\\"),
);

const ADDRESS = spaced(textAround(fc.tuple(START, fc.nat(60)).map((parts) => parts.join(""))));

/** Plain words, and long ones: some copies depend on the length. */
const TITLE = spaced(textAround(mostly(
  WORD,
  10,
  fc.constantFrom("A title with several words", "Größe, Maß & Zahl", "Ein längerer Titel: 日本語"),
  fc.nat(3000).map((length) => "long ".repeat(length / 5)),
)));

const TWO_DIGITS = fc.nat(65).map((number) => String(number).padStart(2, "0"));
const DATE = spaced(mostly(
  fc.constantFrom("2024-05-06", "2024-05-06T07:08:09Z", "2024-05-06T07:08:09+02:00", "1999-12-31"),
  30,
  fc.constantFrom("2024", "2024-05", "20240506", "2024-W05-1", "2024-05-06 07:08"),
  fc.constantFrom("2024-05-06T07:08:09.123456Z", "2024-05-06t07:08:09z"),
  fc.constantFrom("2024-02-30", "0000-00-00", "24:00", "-", ""),
  fc.constantFrom("Mon, 06 May 2024 07:08:09 GMT", "6 May 2024", "2024-05-06T24:00:00Z", "é2024-5"),
  fc.constantFrom("2024-05-06T07:08:09,5Z", "2024-05-06T07:08:09+0200", "2024-05-06T07:08:09 Z"),
  fc.constantFrom("2024-05-06&#32;", "2024-05-06T07:08:09&#x5A;", `2024-05-0${raw(0xff)}`),
  fc.tuple(TWO_DIGITS, TWO_DIGITS, TWO_DIGITS, TWO_DIGITS, TWO_DIGITS)
    .map(([month, day, hour, minute, second]) =>
      `2024-${month}-${day}T${hour}:${minute}:${second}-${hour}:${minute}`
    ),
));

const FREQUENCY = mostly(
  fc.constantFrom("always", "hourly", "daily", "weekly", "monthly", "yearly", "never"),
  30,
  fc.constantFrom("Daily", " daily", "daily ", "dail", "dailyx", "annually", "", "n", "weekly\n"),
  spaced(fc.constantFrom("daily", "never")),
);

const PRIORITY = mostly(
  fc.constantFrom("0.5", "0.8", "1.0", "0.0", "1", "0", "0.64", "0.3"),
  30,
  fc.constantFrom("+.5", "+0.5", ".5", "1.", "5e-1", "00.5"),
  fc.constantFrom("1.1", "1.9", "2.0", "9.9", "-0.5"),
  fc.constantFrom("", "<a>", "0.<", "<.5", "0<5"),
  fc.constantFrom("0,5", "0.x", "x.5", "NaN", "0x1", "٠.٥", "0.5.", "abc"),
  spaced(fc.constantFrom("0.5", "0.25", "high")),
);

// ---------------------------------------------------------------------------------------- elements

/** An element, its tags mostly as they should be. */
function element(name: string, content: fc.Arbitrary<string>): fc.Arbitrary<string> {
  const plain = content.map((text) => `<${name}>${text}</${name}>`);
  return mostly(
    plain,
    500,
    content.map((text) => `<${name.toUpperCase()}>${text}</${name}>`),
    content.map((text) => `<${name}>${text}</${name.toUpperCase()}>`),
    content.map((text) => `<${name} a="1">${text}</${name}>`),
    content.map((text) => `<${name} a="</url>">${text}</${name}>`),
    content.map((text) => `<${name}\n>${text}</${name}\n>`),
    content.map((text) => `<${name}>${text}`),
    content.map((text) => `${text}</${name}>`),
    content.map((text) => `<${name}>${text}</${name.slice(0, -1)}>`),
    content.map((text) => `<${name}>${text}</${name}x>`),
    content.map((text) => `<${name}>${text}</${name}`),
    content.map((text) => `<${name} xmlns="http://other.test/">${text}</${name}>`),
    content.map((text) => `<x:${name}>${text}</x:${name}>`),
    content.map((text) => `<other><${name}>${text}</${name}></other>`),
    fc.constantFrom(`<${name}/>`, `<${name}></${name}>`, `<${name} />`, `<${name}> </${name}>`),
    joined(plain, plain),
  );
}

/** Content between elements. */
export const BETWEEN: fc.Arbitrary<string> = mostly(
  fc.constant(GAP),
  200,
  fc.constantFrom("", " ", "\t", "\n", "\r\n", "\r", "\n\n\n"),
  fc.constantFrom("\xa0", "\x85", "\f", "\0", raw(0xff)),
  fc.constantFrom("text", "&", "&amp;", "<", "]]>", "é", "<!-- x -->", "<!-- </url> <url> -->"),
  fc.constantFrom("<![CDATA[ </url> ]]>", "<?x </url>?>", "</loc>", "</other>", "<loc>", "<url>"),
  fc.constantFrom("</url>", "</URL>", "</url >", "<url/>", "<sitemap><loc>/x</loc></sitemap>"),
);

function listed(parts: fc.Arbitrary<string>, maxLength: number): fc.Arbitrary<string> {
  return fc.array(fc.tuple(BETWEEN, parts), { maxLength, size: "max" })
    .map((all) => all.flat().join("") + GAP);
}

const IMAGE = element(
  "image:image",
  fc.tuple(
    mostly(element("image:loc", ADDRESS), 60, fc.constant("")),
    listed(
      fc.oneof(
        element("image:title", TITLE),
        element("image:caption", TITLE),
        element("image:geo_location", TITLE),
        element("image:license", ADDRESS),
        element("image:license", ADDRESS),
        fc.oneof(element("image:loc", ADDRESS), element("image:other", TITLE)),
      ),
      3,
    ),
    fc.boolean(),
  ).map(([loc, rest, isLast]) => isLast ? GAP + rest + loc + GAP : GAP + loc + rest),
);

const PUBLICATION = element(
  "news:publication",
  fc.tuple(element("news:name", TITLE), element("news:language", fc.constantFrom("en", "zh-cn")))
    .map(([name, language]) => GAP + name + GAP + language + GAP),
);

const NEWS = element(
  "news:news",
  fc.tuple(
    mostly(PUBLICATION, 20, fc.constant("")),
    mostly(element("news:publication_date", DATE), 60, fc.constant("")),
    mostly(element("news:title", TITLE), 60, fc.constant("")),
    listed(
      fc.oneof(
        element("news:keywords", fc.constantFrom("a, b,c", ",", "é,ü", "one word or several", "")),
        element("news:genres", fc.constantFrom("Blog", "PressRelease, Blog", "Satire,&#160;Blog")),
        element("news:stock_tickers", fc.constantFrom("NASDAQ:A", "NASDAQ:A, NASDAQ:B")),
        fc.oneof(
          element("news:access", fc.constantFrom("Subscription", "Registration")),
          element("news:title", TITLE),
          element("news:publication_date", DATE),
          element("news:name", TITLE),
        ),
      ),
      2,
    ),
  ).map(([publication, date, title, rest]) => GAP + publication + GAP + date + GAP + title + rest),
);

const ATTRIBUTE_VALUE = mostly(
  fc.oneof(ADDRESS.map((text) => text.replaceAll(/["<]/g, ""))),
  40,
  fc.constantFrom("", " ", " x ", "a\nb", "a\tb", "a>b", "a<b", "</url>", "<url>", "a&b", "&lt;"),
  fc.constantFrom("é", "\xa0x", "&#160;x", "&quot;", raw(0xff), "\x01", "a\r\nb", "x".repeat(1100)),
);

const ATTRIBUTE = fc.oneof(
  { weight: 12, arbitrary: ATTRIBUTE_VALUE.map((value) => `href="${value}"`) },
  {
    weight: 12,
    arbitrary: fc.constantFrom("en", "de-CH", "x-default", "zh-Hant-TW-something-long")
      .map((value) => `hreflang="${value}"`),
  },
  { weight: 12, arbitrary: fc.constant('rel="alternate"') },
  ATTRIBUTE_VALUE.map((value) => `hreflang="${value}"`),
  fc.constantFrom('rel="Alternate"', "rel='alternate'", "rel=alternate", 'rel="canonical"', "rel"),
  fc.constantFrom('HREF="/x"', 'href = "/x"', "href='/x'", "href=/x", 'xml:lang="en"'),
  fc.constantFrom("=", '"', "/"),
  fc.constantFrom('media="print"', 'hreflang=" en "', 'rel=" alternate"', 'rel="alternate" '),
);

const USUAL_ATTRIBUTES = fc.tuple(
  fc.constant('rel="alternate"'),
  fc.constantFrom("en", "de-CH", "x-default").map((value) => `hreflang="${value}"`),
  ATTRIBUTE_VALUE.map((value) => `href="${value}"`),
);

const ALTERNATE = fc.tuple(
  mostly(
    USUAL_ATTRIBUTES as fc.Arbitrary<string[]>,
    20,
    fc.shuffledSubarray([0, 1, 2], { minLength: 3 }).chain((order) =>
      USUAL_ATTRIBUTES.map((all) => order.map((at) => all[at]!))
    ),
    fc.array(ATTRIBUTE, { maxLength: 5 }),
  ),
  mostly(fc.constant(" "), 40, fc.constantFrom("", "\n", "\r\n", "\t", "  ", "\r", "\f")),
  mostly(
    fc.constantFrom("/>", " />"),
    60,
    fc.constantFrom("></xhtml:link>", ">", "/ >", "//>", ""),
  ),
).map(([attributes, gap, end]) => `<xhtml:link ${attributes.join(gap)}${end}`);

const VIDEO = element(
  "video:video",
  listed(
    fc.oneof(
      element("video:thumbnail_loc", ADDRESS),
      element("video:title", TITLE),
      element("video:content_loc", ADDRESS),
      element("video:duration", fc.constantFrom("600", "6.5", "ten", "")),
      element("video:publication_date", DATE),
      element("video:family_friendly", fc.constantFrom("yes", "No", "maybe")),
      element("video:live", fc.constantFrom("yes", "false", "")),
      element("video:tag", TITLE),
      fc.constant('<video:restriction relationship="allow">IE GB</video:restriction>'),
      fc.constant('<video:platform relationship="other">web</video:platform>'),
      fc.constant('<video:uploader info="https://site.test/me">Me</video:uploader>'),
      fc.constant(
        '<video:gallery_loc title="All &amp; more">https://site.test/all</video:gallery_loc>',
      ),
      fc.constantFrom(
        '<video:price currency="EUR">1.99</video:price>',
        '<video:price currency="USD" type="rent" resolution="HD">2</video:price>',
        "<video:price>3</video:price>",
      ),
    ),
    4,
  ),
);

const LOC = element("loc", ADDRESS);

const FIELD = fc.oneof(
  { weight: 6, arbitrary: element("lastmod", DATE) },
  { weight: 4, arbitrary: element("changefreq", FREQUENCY) },
  { weight: 4, arbitrary: element("priority", PRIORITY) },
  { weight: 5, arbitrary: IMAGE },
  { weight: 4, arbitrary: NEWS },
  { weight: 5, arbitrary: ALTERNATE },
  fc.oneof(VIDEO, LOC),
  fc.constantFrom("<foreign>x</foreign>", "<x:y/>", "<loc2>/x</loc2>", "<image:loc>/x</image:loc>"),
);

export const RECORD: fc.Arbitrary<string> = element(
  "url",
  fc.tuple(mostly(LOC, 60, fc.constant("")), listed(FIELD, 5), fc.boolean())
    .map(([loc, fields, isLast]) => isLast ? fields + loc + GAP : GAP + loc + fields),
);
