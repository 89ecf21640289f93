import { assert, assertEquals } from "@std/assert";
import type { ReaderLimits } from "../../src/data/limits.ts";
import type { XmlStop } from "../../src/xml/consumer.ts";
import { XmlTokenizer } from "./tokenizer.ts";
import { assertTokens, SIZES, tokensOf } from "./tokens.ts";

type Row = readonly [
  document: string,
  tokens: string,
  faults?: string,
  limits?: Partial<ReaderLimits>,
];

function times(count: number, fault: string): string {
  return Array(count).fill(fault).join(" ");
}

const REFERENCES = "&amp;&lt;&gt;&quot;&apos;&#65;&#x42;&#X43;&eacute;&amp;amp;";

/** A start tag without its end. */
const tagOf = (length: number) => `<b c="${"y".repeat(length)}"`;

/** Thirty tags with a forbidden character each. */
const MANY = "<b\x01/>".repeat(30);
const MANY_TOKENS = "<b>|</b>|".repeat(30);
const MANY_FAULTS = times(30, "xml-control-character@1");

const NAMES = Array.from({ length: 1500 }, (_, at) => `n${at}`);
const NAMED = NAMES.map((name) => `<${name} ${name}="1"><p:${name}/></${name}>`).join("");
const NAMED_TOKENS = NAMES.map((name) =>
  `<${name} ${name}="1">|<{u}p:${name}>|</p:${name}>|</${name}>|`
).join("");

/** Documents, with their tokens and faults, by what they show. */
const DOCUMENTS: Readonly<Record<string, readonly Row[]>> = {
  "reads elements, text and empty elements": [
    ["<a>x<b>y</b>z<c/><d /></a>", "<a>|x|<b>|y|</b>|z|<c>|</c>|<d>|</d>|</a>"],
    ["<a></a>", "<a>|</a>"],
    ["<a\n\t >x</a\n\t >", "<a>|x|</a>"],
    ["", ""],
  ],
  "reads attributes in both quotes, with space around the equals sign": [
    [`<a b="1" c='2'\n\td = "3"/>`, '<a b="1" c="2" d="3">|</a>'],
    [`<a b='"' c="'" d="a>b" e="/"/>`, `<a b=""" c="'" d="a>b" e="/">|</a>`],
    [`<a b=""/>`, '<a b="">|</a>'],
  ],
  "normalises line ends, and white space in attributes": [
    ["<a>1\r\n2\r3\n4</a>", "<a>|1\n2\n3\n4|</a>"],
    ['<a b="1\r\n2\t3\n4"/>', '<a b="1 2 3 4">|</a>'],
    ['<a b="1&#10;2&#9;"/>', '<a b="1\n2\t">|</a>'],
    ["<a>\r\r\n\n</a>\r\n", "<a>|\n\n\n|</a>"],
  ],
  "decodes references in text and attributes, once": [
    [`<a b="${REFERENCES}">${REFERENCES}</a>`, `<a b="&<>"'ABCé&amp;">|&<>"'ABCé&amp;|</a>`],
    [
      "<a>&#128375;&#x10FFFF;&CounterClockwiseContourIntegral;</a>",
      "<a>|\u{1f577}\u{10ffff}∳|</a>",
    ],
  ],
  "reads CDATA as text, and decodes nothing in it": [
    ["<a>1<![CDATA[<b>&amp;]]]]><![CDATA[>]]>2</a>", "<a>|1<b>&amp;]]>2|</a>"],
    ["<a><![CDATA[]]></a>", "<a>|</a>"],
    ["<a><![CDATA[]]]]></a>", "<a>|]]|</a>"],
    ["<a> <![CDATA[x]]>\n</a>", "<a>| x\n|</a>"],
  ],
  "skips comments and instructions without splitting text": [
    [
      "<?xml version='1.0'?><!-- a > <b> --><a>1<!-- -- -->2<?php echo '>' ?>3</a><!--x-->",
      "<a>|123|</a>",
    ],
    ["<a><!----><??><?x?><!-->--></a>", "<a>|</a>"],
    ["<?x?><a/><?y?>\n<!-- z -->\n", "<a>|</a>"],
  ],
  "skips a DOCTYPE, whatever is in its quotes": [
    [`<!DOCTYPE a PUBLIC "-//X//[>" 'http://x/"['><a/>`, "<a>|</a>"],
    ["<!doctype html><a/>", "<a>|</a>"],
  ],
  "reads names of any letters": [
    ["<élan_1.x-y>☃</élan_1.x-y>", "<élan_1.x-y>|☃|</élan_1.x-y>"],
    ["<_a><:b/></_a>", "<_a>|<:b>|</:b>|</_a>"],
    ["<𝒳>\u{1f577}</𝒳>", "<𝒳>|\u{1f577}|</𝒳>"],
  ],

  // ---------------------------------------------------------------------------------- namespaces
  "binds prefixes and the default namespace, in their scopes": [
    [
      '<a xmlns="u"><b xmlns=""><c/></b><d/></a>',
      '<{u}a xmlns="u">|<b xmlns="">|<c>|</c>|</b>|<{u}d>|</d>|</a>',
    ],
    [
      '<p:a xmlns:p=" v "><p:b xmlns:p="w"/><p:c/></p:a>',
      '<{v}p:a xmlns:p=" v ">|<{w}p:b xmlns:p="w">|</p:b>|<{v}p:c>|</p:c>|</p:a>',
    ],
    ["<xml:a/>", "<{http://www.w3.org/XML/1998/namespace}xml:a>|</xml:a>"],
    ["<xmlns:a/>", "<{http://www.w3.org/2000/xmlns/}xmlns:a>|</xmlns:a>"],
    ["<xmlnsx:a xmlnsx='u'/>", '<{?}xmlnsx:a xmlnsx="u">|</xmlnsx:a>', "xml-unbound-prefix@1"],
  ],
  "reports unbound prefixes, each time": [
    [
      "<a>\n<p:b/>\n<p:b/></a>",
      "<a>|\n|<{?}p:b>|</p:b>|\n|<{?}p:b>|</p:b>|</a>",
      "xml-unbound-prefix@2 xml-unbound-prefix@3",
    ],
  ],

  // ------------------------------------------------------------------------------------- repairs
  "keeps a bare ampersand and unknown entities": [
    [
      '<a b="x&y">R&D &\n&unknown; &amp &#; &#x; &;&#99</a>',
      '<a b="x&y">|R&D &\n&unknown; &amp &#; &#x; &;&#99|</a>',
      `${times(3, "xml-bare-ampersand@1")} xml-unknown-entity@2 ${
        times(5, "xml-bare-ampersand@2")
      }`,
    ],
  ],
  "drops references to forbidden characters": [
    [
      "<a>1&#0;2&#x1F;3&#xD800;4&#xFFFE;5&#99999999;6</a>",
      "<a>|123456|</a>",
      times(5, "xml-bad-reference@1"),
    ],
  ],
  "reads a < that does not start a tag as text": [
    [
      "<a>1 < 2 <3 <= << </ <!x <a\n<b/></a>",
      "<a>|1 < 2 <3 <= << </ <!x <a\n|<b>|</b>|</a>",
      `${times(7, "xml-bare-less-than@1")} xml-bare-less-than@2`,
    ],
  ],
  "reads a tag that meets another < as text, whatever its length": [
    [
      '<a>x <b c="d" e=f &amp; <g/></a>',
      '<a>|x <b c="d" e=f & |<g>|</g>|</a>',
      `${times(2, "xml-bad-attribute@1")} xml-bare-less-than@1`,
    ],
    ...[0, 1000, 1024, 5000, 9000].map((length): Row => [
      `<a>${tagOf(length)}<d/></a>`,
      `<a>|${tagOf(length)}|<d>|</d>|</a>`,
      "xml-bare-less-than@1",
    ]),
    ["<a>\n<b\nc='1'\n<d/></a>", "<a>|\n<b\nc='1'\n|<d>|</d>|</a>", "xml-bare-less-than@4"],
  ],
  "repairs and reports malformed attributes": [
    ["<a b c=d e = f/></a>", '<a b="" c="d" e="f/">|</a>', times(3, "xml-bad-attribute@1")],
    ['<a b="x<y"/>', '<a b="x<y">|</a>', "xml-bad-attribute@1"],
    [`<a b="1"c='2'd="3"/>`, '<a b="1" c="2" d="3">|</a>', times(2, "xml-bad-attribute@1")],
    ['<a ="x" = b></a>', '<a ="x"="b">|</a>', "xml-bad-attribute@1"],
  ],
  "ignores a stray slash in a tag": [
    ['<a / b="1"><c / ></a>', '<a b="1">|<c>|</c>|</a>', times(2, "xml-bad-attribute@1")],
    ["<a//>", "<a>|</a>", "xml-bad-attribute@1"],
  ],
  "keeps the first of a repeated attribute": [
    ['<a b="1" b="2" B="3"/>', '<a b="1" B="3">|</a>', "xml-duplicate-attribute@1"],
  ],
  "closes the elements inside, and ignores end tags without a start tag": [
    ["<a><b><c>x</b>y</d></a>", "<a>|<b>|<c>|x|</c>|</b>|y|</a>", times(2, "xml-mismatched-tag@1")],
    ["</x><a/>", "<a>|</a>", "xml-mismatched-tag@1"],
  ],
  "reads end tags with blanks around their slash, if their element is open": [
    ["<a>x</ a>", "<a>|x|</a>", "xml-bare-less-than@1"],
    ["<a>\n<b>x< /B\n></a>", "<a>|\n|<b>|x|</b>|</a>", "xml-bare-less-than@2"],
    ["<a><b>x< / a\t>", "<a>|<b>|x|</b>|</a>", "xml-bare-less-than@1 xml-mismatched-tag@1"],
    [
      "<a></ b>< /b></ a x></></a>",
      "<a>|</ b>< /b></ a x></>|</a>",
      times(4, "xml-bare-less-than@1"),
    ],
    [
      "<a>x</ \x01a\x02></a>",
      "<a>|x|</a>",
      `${times(2, "xml-control-character@1")} xml-bare-less-than@1 xml-trailing-content@1`,
    ],
    ["<a>x</ a", "<a>|x</ a", "xml-bare-less-than@1"],
    [`<a><${" ".repeat(1021)}/a></a>`, `<a>|<${" ".repeat(1021)}/a>|</a>`, "xml-bare-less-than@1"],
    [`<a><${" ".repeat(1020)}/a>`, "<a>|</a>", "xml-bare-less-than@1"],
  ],
  "reads misspelt starts of CDATA sections": [
    [
      "<a>1<!CDATA[<b>&amp;]]>2<! [CDATA[</a>]]></a>",
      "<a>|1<b>&amp;2</a>|</a>",
      times(2, "xml-bare-less-than@1"),
    ],
    ["<a><!\n[\tcdata [x]]></a>", "<a>|x|</a>", "xml-bare-less-than@1"],
    ["<a><!CDAT[x]]></a>", "<a>|<!CDAT[x]]>|</a>", "xml-bare-less-than@1"],
    ["<a>x<! [CDAT", "<a>|x<! [CDAT", "xml-bare-less-than@1"],
  ],
  "matches end tags case-insensitively": [
    ["<URL><Loc>x</LOC></url>", "<URL>|<Loc>|x|</Loc>|</URL>"],
  ],
  "reads end tags with attributes, or without their >": [
    ['<a><b>x</b c="d"></a/>', "<a>|<b>|x|</b>|</a>", times(2, "xml-bad-attribute@1")],
    ["<a><b>x</b\n<c/></a>", "<a>|<b>|x|</b>|<c>|</c>|</a>", "xml-bare-less-than@2"],
  ],
  "removes forbidden characters, and reports each with its line": [
    [
      "<a>\0x\n\x08y\ufffe\n<b\x01 c='\x02d'/>\x1f</a>",
      '<a>|x\ny\n|<b c="d">|</b>|</a>',
      [1, 2, 2, 3, 3, 3].map((line) => `xml-control-character@${line}`).join(" "),
    ],
    ["<a>\t\n\r\x7f\x85</a>", "<a>|\t\n\n\x7f\x85|</a>"],
    ["<a b=\x01'x y'/>", '<a b="x y">|</a>', "xml-control-character@1"],
    ["<a><!x\0y</a>", "<a>|<!xy|</a>", "xml-bare-less-than@1 xml-control-character@1"],
  ],
  "reports faults in document order, forbidden characters of a text first": [
    [
      "<a>\x01&\n\x02<b &>\x03</c>\n\x04</a>",
      '<a>|&\n|<b &="">|\n|</b>|</a>',
      "xml-control-character@1 xml-control-character@2 xml-bare-ampersand@1 " +
      "xml-bad-attribute@2 xml-control-character@2 xml-mismatched-tag@2 " +
      "xml-control-character@3 xml-mismatched-tag@3",
    ],
  ],
  "removes forbidden characters from any markup, however many": [
    [
      "<\x01a\x02 b\x03='\x051\x06'\x07><\x08!-- \x0b c --><\x0e/\x0fa\x10>",
      '<a b="1">|</a>',
      times(10, "xml-control-character@1"),
    ],
    [
      "<a><![CDATA[1\x012]]><!\x02[CDATA[3]]><!\x03-- 4 --></a>",
      "<a>|123|</a>",
      times(3, "xml-control-character@1"),
    ],
    [`<a>${MANY}</a>`, `<a>|${MANY_TOKENS}</a>`, MANY_FAULTS],
  ],
  "keeps what follows markup with forbidden characters unchanged": [
    [`<a>${MANY}<!-- -\x02-> <c/> --></a>`, `<a>|${MANY_TOKENS}</a>`, MANY_FAULTS],
    [
      `<a>${MANY}<![CDATA[]\x02]>]]></a>`,
      `<a>|${MANY_TOKENS}]]>|</a>`,
      `${MANY_FAULTS} xml-control-character@1`,
    ],
    [
      `<a>${MANY}</a>\x02<b>\x03</b>`,
      `<a>|${MANY_TOKENS}</a>`,
      `${MANY_FAULTS} xml-control-character@1 xml-trailing-content@1`,
    ],
  ],
  "finds the end of a tag with forbidden characters in any place": [
    [
      `<a \x01b\x02=\x03">"\x04/\x05>x`,
      '<a b=">">|</a>',
      `${times(5, "xml-control-character@1")} xml-trailing-content@1`,
    ],
    [
      "<a>\n<b \x01\n\x02<c/></a>",
      "<a>|\n<b \n|<c>|</c>|</a>",
      "xml-control-character@2 xml-control-character@3 xml-bare-less-than@3",
    ],
    ['<a><b \x01c="\x02>', "<a>", times(2, "xml-control-character@1")],
    ["<a></a\x01\n\x02", "<a>", "xml-control-character@1 xml-control-character@2"],
  ],
  "reports faults of a text behind an empty element with their lines": [
    ...["<!-- -->", "<?c?>"].map((markup): Row => [
      `<a><b/>\x01&\n${markup}</a>`,
      "<a>|<b>|</b>|&\n|</a>",
      "xml-control-character@1 xml-bare-ampersand@1",
    ]),
    [
      "<a><b/>\x01&\n<</a>",
      "<a>|<b>|</b>|&\n<|</a>",
      "xml-control-character@1 xml-bare-ampersand@1 xml-bare-less-than@2",
    ],
  ],
  "reports content before the declaration or the root": [
    [" \ufeff\n<?xml version='1.0'?><a/>", "<a>|</a>", "xml-leading-junk@2"],
    ["<!-- x --><?xml version='1.0'?><a/>", "<a>|</a>", "xml-leading-junk@1"],
    ["\n\njunk & more\n<!-- x -->junk<a/>", "<a>|</a>", "xml-leading-junk@3"],
    ["<!-- -->\x01\njunk<a/>", "<a>|</a>", "xml-control-character@1 xml-leading-junk@2"],
    ["<![CDATA[junk]]><a/>", "<a>|</a>", "xml-leading-junk@1"],
    ["<?xml-stylesheet x?><a/>", "<a>|</a>"],
    ["<a><?xml version='1.0'?></a>", "<a>|</a>"],
  ],
  "counts lines by LF, in all constructs": [
    [
      "<a>\r\n\n&\n<!--\n\n--><b\n c='\n'\n>&</b><![CDATA[\n]]>&<?x\n?>&</a>",
      '<a>|\n\n&\n|<b c=" ">|&|</b>|\n&&|</a>',
      [3, 9, 10, 11].map((line) => `xml-bare-ampersand@${line}`).join(" "),
    ],
    // a lone CR ends a line of text, but is not counted
    [
      "<a>\r\r<b/><c/>&\n&</a>",
      "<a>|\n\n|<b>|</b>|<c>|</c>|&\n&|</a>",
      "xml-bare-ampersand@1 xml-bare-ampersand@2",
    ],
    ["<a>\r\r&</a>", "<a>|\n\n&|</a>", "xml-bare-ampersand@1"],
  ],
  "reads what is complete of a truncated document": [
    ["<a><b>x</b><c>y", "<a>|<b>|x|</b>|<c>|y"],
    ['<a><b c="d', "<a>"],
    ["<a>x&am", "<a>|x&am", "xml-bare-ampersand@1"],
    ["<a><!", "<a>|<!", "xml-bare-less-than@1"],
    ["<a>x\ud83d", "<a>|x\ufffd"],
  ],
  "reads a DTD inside of the root as text": [
    [
      "<a><!DOCTYPE b [<!ENTITY c 'd'>]></a>",
      "<a>|<!DOCTYPE b [<!ENTITY c 'd'>]>|</a>",
      times(2, "xml-bare-less-than@1"),
    ],
  ],
  "drops attributes that are too long, and reports them": [
    [
      '<a b="12345" c="123456" d="1234567"/>',
      '<a b="12345">|</a>',
      times(2, "value-too-long@1"),
      { maxValueLength: 5 },
    ],
    [
      "<a b=123456 c=1/>",
      '<a c="1/">',
      "xml-bad-attribute@1 value-too-long@1 xml-bad-attribute@1",
      { maxValueLength: 5 },
    ],
    [`<a ${"n".repeat(2000)}="1" b="2"/>`, '<a b="2">|</a>', "value-too-long@1"],
  ],
  "reads more names than it interns": [
    [
      `<a xmlns:p="u">${NAMED}${NAMED}<b href="2" href="3" xmlns:q="v"><q:c/></b></a>`,
      `<a xmlns:p="u">|${NAMED_TOKENS}${NAMED_TOKENS}<b href="2" xmlns:q="v">|<{v}q:c>|</q:c>|</b>|</a>`,
      "xml-duplicate-attribute@1",
    ],
  ],
};

for (const [name, rows] of Object.entries(DOCUMENTS)) {
  Deno.test(`XmlTokenizer ${name}`, () => {
    for (const row of rows) assertTokens(...row);
  });
}

Deno.test("XmlTokenizer ignores content after the root, and reports it once", () => {
  const after = [
    "x",
    "<b/>",
    "</b>",
    "<!DOCTYPE b [<!ENTITY c 'd'>]>",
    "<![CDATA[x]]>",
    "<",
    "& x",
  ];
  for (const content of after) {
    for (const more of ["", " <c>&</d> more \x01 <"]) {
      const faults = tokensOf(`<a/>\n${content}${more}`, Infinity).faults;
      const expected = content === "<" && more === "" ? [] : ["xml-trailing-content@2"];
      assertEquals(
        faults.filter((fault) => fault.startsWith("xml-trailing")),
        expected,
        content + more,
      );
      for (const size of SIZES) {
        const actual = tokensOf(`<a/>\n${content}${more}`, size);
        assertEquals([actual.tokens, actual.closed], [["<a>", "</a>"], true]);
        assertEquals(actual.faults, faults, `${content}${more} by ${size}`);
      }
    }
  }
});

Deno.test("XmlTokenizer.end() returns whether the root has ended, wherever a document is truncated", () => {
  const document =
    `<?xml version="1.0"?><!DOCTYPE a><a b="c"><!-- d --><e>f&amp;</e><![CDATA[g]]></a>`;
  for (let length = 0; length <= document.length; length++) {
    const cut = document.slice(0, length);
    const whole = tokensOf(cut, Infinity);
    assertEquals(whole.closed, length === document.length);
    for (const size of SIZES) assertEquals(tokensOf(cut, size), whole, `${cut} by ${size}`);
  }
});

// ------------------------------------------------------------------------------------------ limits

const STOPS: readonly (readonly [string, tokens: string[], XmlStop, Partial<ReaderLimits>?])[] = [
  ['<!DOCTYPE a [<!ENTITY b "c"><!ENTITY d "&b;&b;">]><a>&d;</a>', [], "xml-dtd"],
  [' <!-- x --><!doctype a SYSTEM "x" [', [], "xml-dtd"],
  ["<!DOCTYPE[]><a/>", [], "xml-dtd"],
  [
    '<a><b c="1" d="2"/><b c="1" d="2" e="3"/>x</a>',
    ["<a>", '<b c="1" d="2">', "</b>"],
    "too-many-attributes",
    { maxAttributes: 2 },
  ],
  [
    "<a><b/><b><c/></b></a>",
    ["<a>", "<b>", "</b>", "<b>"],
    "too-deep-elements",
    { maxElementDepth: 2 },
  ],
];

Deno.test("XmlTokenizer stops at DTDs and limits, expands nothing, and ignores the rest", () => {
  for (const [document, expected, stop, limits] of STOPS) {
    for (const size of SIZES) {
      const { tokens, closed, stopped } = tokensOf(document, size, limits);
      assertEquals([tokens, closed, stopped], [expected, false, stop], document);
    }
  }
});

Deno.test("XmlTokenizer shortens names that are too long, and still matches their end tags", () => {
  const name = "n".repeat(5000);
  for (const size of SIZES) {
    const { tokens, faults, closed } = tokensOf(`<a><${name}>x</${name}></a>`, size);
    assertEquals([tokens.length, tokens[2], faults, closed], [5, "x", [], true]);
    assert(tokens[1]!.length < 1100);
  }
});

Deno.test("XmlTokenizer limits the namespaces of all open elements together", () => {
  const uri = "u".repeat(600 * 1024);
  for (const size of [Infinity, 4096]) {
    const nested = tokensOf(`<a xmlns="${uri}"><c xmlns:p="${uri}"><p:d/></c></a>`, size);
    assertEquals(nested.faults, ["value-too-long@1", "xml-unbound-prefix@1"]);
    const beside = tokensOf(`<a><c xmlns="${uri}"/><c xmlns="${uri}"/><d/></a>`, size);
    assertEquals([beside.faults, beside.tokens.at(-3)], [[], "<d>"]);
    // other attributes are not kept while their element is open
    const attributes = tokensOf(`<a b="${uri}"><c d="${uri}"/></a>`, size);
    assertEquals(attributes.faults, []);
    // two elements, as a tag has 1,000 attributes at most
    const prefixes = (from: number) =>
      Array.from({ length: 600 }, (_, at) => ` xmlns:p${from + at}="u"`).join("");
    const many = tokensOf(`<a${prefixes(0)}><c${prefixes(600)}><p0:d/></c></a>`, size);
    assertEquals(new Set(many.faults), new Set(["value-too-long@1"]));
    assertEquals(many.tokens.slice(-4), ["<{u}p0:d>", "</p0:d>", "</c>", "</a>"]);
  }
});

Deno.test("XmlTokenizer drops the attributes of a tag of several MiB, and continues behind it", () => {
  const value = "v".repeat(5 * 1024 * 1024);
  for (const size of [Infinity, 1024 * 1024, 65536, 65537]) {
    const { tokens, faults, closed } = tokensOf(`<a>\n<b c="1" d="${value}">x</b>\n&</a>`, size);
    assertEquals(tokens, ["<a>", "\n", "<b>", "x", "</b>", "\n&", "</a>"], `by ${size}`);
    assertEquals([faults, closed], [["value-too-long@2", "xml-bare-ampersand@3"], true]);
  }
});

Deno.test("XmlTokenizer reads a tag that never ends in bounded memory", () => {
  const megabyte = 1024 * 1024;
  const chunk = new TextEncoder().encode("v".repeat(65536));
  for (const start of ['<a><b c="', "<a><", "<a></", "<a><b ", "<a><!-- ", "<a><?", "<!DOCTYPE "]) {
    let length = 0, faults = 0;
    const tokenizer = new XmlTokenizer({
      text: (text) => void (length += text.length),
      fault: () => void faults++,
    });
    tokenizer.write(start);
    const before = memory();
    for (let written = 0; written < 64 * megabyte; written += chunk.length) tokenizer.write(chunk);
    const growth = memory() - before;
    assert(growth < 48 * megabyte, `${start} takes ${growth} bytes`);
    assertEquals(tokenizer.end(), false);
    assert(faults < 10 && length <= 64 * megabyte);
  }
});

function memory(): number {
  const { heapUsed, external } = Deno.memoryUsage();
  return heapUsed + external;
}

Deno.test("XmlTokenizer finds repeated attributes among few and among many", () => {
  for (const count of [1, 8, 15, 16, 17, 40, 900]) {
    const attributes = Array.from({ length: count }, (_, at) => `a${at}="${at}"`);
    const tag = `<a ${attributes.join(" ")}>`;
    for (const repeated of ["a0", `a${count - 1}`]) {
      const document = `<a ${attributes.join(" ")} ${repeated}="x" b="y"></a>`;
      const { tokens, faults } = tokensOf(document, Infinity);
      assertEquals(tokens, [`${tag.slice(0, -1)} b="y">`, "</a>"]);
      assertEquals(faults, ["xml-duplicate-attribute@1"]);
    }
    assertEquals(tokensOf(`${tag}</a>`, Infinity).faults, []);
  }
});

// ------------------------------------------------------------------------------------ repeated tags

Deno.test("XmlTokenizer reads repeated tags like the first ones, faults and lines included", () => {
  const record = '<r>\n <a b="1" c="2">x</a>\n <d>y</d><p:e/>\n</r>\n';
  const tokens = '<r>|\n |<a b="1" c="2">|x|</a>|\n |<d>|y|</d>|<{?}p:e>|</p:e>|\n|</r>|\n|';
  const faults = Array.from({ length: 30 }, (_, at) => `xml-unbound-prefix@${4 * at + 3}`);
  assertTokens(`<s>${record.repeat(30)}</s>`, `<s>|${tokens.repeat(30)}</s>`, faults.join(" "));
});

Deno.test("XmlTokenizer distinguishes tags that begin like those before", () => {
  const variants: readonly (readonly [tag: string, tokens: string, fault?: string])[] = [
    ['<a b="1" c="2"/>', '<a b="1" c="2">|</a>'],
    ['<a b="1" c="2" d="3"/>', '<a b="1" c="2" d="3">|</a>'],
    ['<a b="1" c="2"></a>', '<a b="1" c="2">|</a>'],
    [`<a b="1' c='2"/>`, `<a b="1' c='2">|</a>`],
    ['<a b="1<" c="2"/>', '<a b="1<" c="2">|</a>', "xml-bad-attribute@1"],
    ['<a b="&" c="&lt;"/>', '<a b="&" c="<">|</a>', "xml-bare-ampersand@1"],
    ['<a b="\x01" c="é"/>', '<a b="" c="é">|</a>', "xml-control-character@1"],
    ['<a b="1" c="2" b="3"/>', '<a b="1" c="2">|</a>', "xml-duplicate-attribute@1"],
    ['<a b="1"c="2"/>', '<a b="1" c="2">|</a>', "xml-bad-attribute@1"],
    ['<A b="1" c="2"/>', '<A b="1" c="2">|</A>'],
    ['<a xmlns="u" c="2"/>', '<{u}a xmlns="u" c="2">|</a>'],
    ['<a b="1" c="2"\t/>', '<a b="1" c="2">|</a>'],
  ];
  const usual = '<a b="1" c="2"/><a xmlns="u" c="2"/>';
  const seen = '<a b="1" c="2">|</a>|<{u}a xmlns="u" c="2">|</a>';
  for (const [tag, tokens, fault] of variants) {
    assertTokens(
      `<s>${usual.repeat(4)}${tag}${usual}${tag}</s>`,
      `<s>|${`${seen}|`.repeat(4)}${tokens}|${seen}|${tokens}|</s>`,
      fault && times(2, fault),
    );
  }
});

// ---------------------------------------------------------------------------------------- chunks

Deno.test("XmlTokenizer reads text and bytes in turn, split inside of characters", () => {
  const document = '<a b="é😀">x😀日é&#128512;</a>';
  const expected = tokensOf(document, Infinity);
  assertEquals(expected.tokens, ['<a b="é😀">', "x😀日é😀", "</a>"]);
  const bytes = new TextEncoder().encode(document);
  for (let size = 1; size < 12; size++) {
    // halves of surrogate pairs, parts of UTF-8 sequences
    assertEquals(tokensOf(document, size), expected, `text by ${size}`);
    assertEquals(tokensOf(bytes, size), expected, `bytes by ${size}`);
  }
  let text = "";
  const tokenizer = new XmlTokenizer({
    text: (piece) => void (text += piece),
  });
  for (const chunk of ["<a>", "é", "<b/>😀", "x</a>"]) {
    tokenizer.write(chunk);
    tokenizer.write(new TextEncoder().encode("").slice());
    tokenizer.write("");
  }
  assertEquals([tokenizer.end(), text], [true, "é😀x"]);
});

Deno.test("XmlTokenizer replaces lone surrogates and invalid bytes with U+FFFD", () => {
  for (const size of SIZES) {
    assertEquals(tokensOf("<a>x\ud83dy\ude00z</a>", size).tokens, [
      "<a>",
      "x\ufffdy\ufffdz",
      "</a>",
    ]);
    const bytes = Uint8Array.from("<a>x\xff\xc3y</a>", (letter) => letter.charCodeAt(0));
    assertEquals(tokensOf(bytes, size).tokens, ["<a>", "x\ufffd\ufffdy", "</a>"]);
  }
});

Deno.test("XmlTokenizer passes on long text in pieces that split no character, reference or line end", () => {
  const piece = "a&amp;é&#128512;\r\n]]&eacute;😀 & ";
  const decoded = "a&é😀\n]]é😀 & ";
  for (const wrap of [(text: string) => text, (text: string) => `<![CDATA[${text}]]>`]) {
    const isCdata = wrap("") !== "";
    const content = piece.repeat(700);
    const expected = isCdata ? content.replaceAll("\r\n", "\n") : decoded.repeat(700);
    for (const size of [Infinity, 1, 7, 13, 1000, 4096, 8191]) {
      const { tokens, faults } = tokensOf(`<a>${wrap(content)}</a>`, size);
      assertEquals(tokens.length, 3);
      assert(tokens[1] === expected, `by ${size}`);
      assertEquals(faults.length, isCdata ? 0 : 700);
    }
  }
});

// ------------------------------------------------------------------------------------ corner cases

Deno.test("XmlTokenizer reads the attributes behind an overlong one of a shorter tag", () => {
  const value = "v".repeat(1.5 * 1024 * 1024);
  for (const size of [Infinity, 65536]) {
    const { tokens, faults } = tokensOf(`<a b="${value}" c="1"/>`, size);
    assertEquals([tokens, faults], [['<a c="1">', "</a>"], ["value-too-long@1"]], `by ${size}`);
  }
});

Deno.test("XmlTokenizer closes an overlong empty element, wherever its tag is split", () => {
  const start = `<a><b c="${"v".repeat(3 * 1024 * 1024)}"/`;
  const { tokens, faults } = tokensOf(`${start}>x</a>`, start.length / 3);
  assertEquals(tokens, ["<a>", "<b>", "</b>", "x", "</a>"]);
  assertEquals(faults, ["value-too-long@1"]);
});

Deno.test("XmlTokenizer.line is that of the tag that stops it, also if that is read at the end", () => {
  // a tag that is cut and long is read again when it has doubled, or at the end
  const document = `<a>\n<b c="${">".repeat(5000)}">\n\n</a>`;
  for (const size of SIZES) {
    const tokenizer = new XmlTokenizer({}, { maxElementDepth: 1 });
    for (let at = 0; at < document.length; at += size) {
      tokenizer.write(document.slice(at, at + size));
    }
    assertEquals([tokenizer.end(), tokenizer.stopped], [false, "too-deep-elements"]);
    assertEquals(tokenizer.line, 2, `by ${size}`);
  }
});
