import { assert, assertEquals } from "@std/assert";
import { type XmlHandler, XmlTokenizer } from "./tokenizer.ts";
import { assertTokens, SIZES, tokensOf } from "./tokens.ts";

const NO_HANDLER: XmlHandler = { open() {}, text() {}, close() {}, fault() {} };

// -------------------------------------------------------------------------------- well-formed

Deno.test("XmlTokenizer reads elements, text and empty elements", () => {
  assertTokens("<a>x<b>y</b>z<c/><d /></a>", [
    ...["<a>", "x", "<b>", "y", "</b>", "z", "<c>", "</c>", "<d>", "</d>", "</a>"],
  ]);
  assertTokens("<a></a>", ["<a>", "</a>"]);
  assertTokens("<a\n\t >x</a\n\t >", ["<a>", "x", "</a>"]);
  assertTokens("", []);
});

Deno.test("XmlTokenizer reads attributes in both quotes, with space around the equals sign", () => {
  assertTokens(`<a b="1" c='2'\n\td = "3"/>`, ['<a b="1" c="2" d="3">', "</a>"]);
  assertTokens(`<a b='"' c="'" d="a>b" e="/"/>`, [`<a b=""" c="'" d="a>b" e="/">`, "</a>"]);
  assertTokens(`<a b=""/>`, ['<a b="">', "</a>"]);
});

Deno.test("XmlTokenizer normalises line ends, and white space in attributes", () => {
  assertTokens("<a>1\r\n2\r3\n4</a>", ["<a>", "1\n2\n3\n4", "</a>"]);
  assertTokens('<a b="1\r\n2\t3\n4"/>', ['<a b="1 2 3 4">', "</a>"]);
  assertTokens('<a b="1&#10;2&#9;"/>', ['<a b="1\n2\t">', "</a>"]);
  assertTokens("<a>\r\r\n\n</a>\r\n", ["<a>", "\n\n\n", "</a>"]);
});

Deno.test("XmlTokenizer decodes references in text and attributes, once", () => {
  const text = "&amp;&lt;&gt;&quot;&apos;&#65;&#x42;&#X43;&eacute;&amp;amp;";
  assertTokens(`<a b="${text}">${text}</a>`, [`<a b="&<>"'ABCé&amp;">`, `&<>"'ABCé&amp;`, "</a>"]);
  assertTokens("<a>&#128375;&#x10FFFF;&CounterClockwiseContourIntegral;</a>", [
    ...["<a>", "\u{1f577}\u{10ffff}∳", "</a>"],
  ]);
});

Deno.test("XmlTokenizer reads CDATA as text, and decodes nothing in it", () => {
  assertTokens("<a>1<![CDATA[<b>&amp;]]]]><![CDATA[>]]>2</a>", ["<a>", "1<b>&amp;]]>2", "</a>"]);
  assertTokens("<a><![CDATA[]]></a>", ["<a>", "</a>"]);
  assertTokens("<a><![CDATA[]]]]></a>", ["<a>", "]]", "</a>"]);
});

Deno.test("XmlTokenizer skips comments and instructions without splitting text", () => {
  assertTokens(
    "<?xml version='1.0'?><!-- a > <b> --><a>1<!-- -- -->2<?php echo '>' ?>3</a><!--x-->",
    ["<a>", "123", "</a>"],
  );
  assertTokens("<a><!----><??><?x?><!-->--></a>", ["<a>", "</a>"]);
  assertTokens("<?x?><a/><?y?>\n<!-- z -->\n", ["<a>", "</a>"]);
});

Deno.test("XmlTokenizer skips a DOCTYPE, whatever is in its quotes", () => {
  assertTokens(`<!DOCTYPE a PUBLIC "-//X//[>" 'http://x/"['><a/>`, ["<a>", "</a>"]);
  assertTokens("<!doctype html><a/>", ["<a>", "</a>"]);
});

Deno.test("XmlTokenizer reads names of any letters", () => {
  assertTokens("<élan_1.x-y>☃</élan_1.x-y>", ["<élan_1.x-y>", "☃", "</élan_1.x-y>"]);
  assertTokens("<_a><:b/></_a>", ["<_a>", "<:b>", "</:b>", "</_a>"]);
  assertTokens("<𝒳>\u{1f577}</𝒳>", ["<𝒳>", "\u{1f577}", "</𝒳>"]);
});

// ------------------------------------------------------------------------------------ namespaces

Deno.test("XmlTokenizer binds prefixes and the default namespace, in their scopes", () => {
  assertTokens('<a xmlns="u"><b xmlns=""><c/></b><d/></a>', [
    ...['<{u}a xmlns="u">', '<b xmlns="">', "<c>", "</c>", "</b>", "<{u}d>", "</d>", "</a>"],
  ]);
  assertTokens('<p:a xmlns:p=" v "><p:b xmlns:p="w"/><p:c/></p:a>', [
    ...['<{v}p:a xmlns:p=" v ">', '<{w}p:b xmlns:p="w">', "</p:b>", "<{v}p:c>", "</p:c>", "</p:a>"],
  ]);
  assertTokens("<xml:a/>", ["<{http://www.w3.org/XML/1998/namespace}xml:a>", "</xml:a>"]);
  assertTokens("<xmlnsx:a xmlnsx='u'/>", ['<{?}xmlnsx:a xmlnsx="u">', "</xmlnsx:a>"], [
    "xml-unbound-prefix@1",
  ]);
});

Deno.test("XmlTokenizer reports unbound prefixes, each time", () => {
  assertTokens("<a>\n<p:b/>\n<p:b/></a>", [
    ...["<a>", "\n", "<{?}p:b>", "</p:b>", "\n", "<{?}p:b>", "</p:b>", "</a>"],
  ], ["xml-unbound-prefix@2", "xml-unbound-prefix@3"]);
});

Deno.test("XmlTokenizer splits names, and looks up namespaces in scope", () => {
  const seen: unknown[] = [];
  const tokenizer = new XmlTokenizer({
    ...NO_HANDLER,
    open({ name: { name, prefix, local, lowerName, lowerLocal } }) {
      seen.push(
        [name, prefix, local, lowerName, lowerLocal],
        tokenizer.uriOf("P"),
        tokenizer.uriOf(""),
      );
    },
  });
  tokenizer.write('<P:Loc xmlns:P="u">');
  assertEquals(seen, [["P:Loc", "P", "Loc", "p:loc", "loc"], "u", ""]);
  assertEquals(tokenizer.uriOf("q"), undefined);
});

// ---------------------------------------------------------------------------------------- repairs

Deno.test("XmlTokenizer keeps a bare ampersand and unknown entities", () => {
  assertTokens('<a b="x&y">R&D &\n&unknown; &amp &#; &#x; &;&#99</a>', [
    ...['<a b="x&y">', "R&D &\n&unknown; &amp &#; &#x; &;&#99", "</a>"],
  ], [
    ...["xml-bare-ampersand@1", "xml-bare-ampersand@1", "xml-bare-ampersand@1"],
    ...["xml-unknown-entity@2", "xml-bare-ampersand@2", "xml-bare-ampersand@2"],
    ...["xml-bare-ampersand@2", "xml-bare-ampersand@2", "xml-bare-ampersand@2"],
  ]);
});

Deno.test("XmlTokenizer drops references to forbidden characters", () => {
  assertTokens("<a>1&#0;2&#x1F;3&#xD800;4&#xFFFE;5&#99999999;6</a>", ["<a>", "123456", "</a>"], [
    ...Array<string>(5).fill("xml-bad-reference@1"),
  ]);
});

Deno.test("XmlTokenizer reads a < that does not start a tag as text", () => {
  assertTokens("<a>1 < 2 <3 <= << </ <!x <a\n<b/></a>", [
    ...["<a>", "1 < 2 <3 <= << </ <!x <a\n", "<b>", "</b>", "</a>"],
  ], Array<string>(8).fill("xml-bare-less-than@1").with(7, "xml-bare-less-than@2"));
});

Deno.test("XmlTokenizer reads a tag that meets another < as text, whatever its length", () => {
  assertTokens('<a>x <b c="d" e=f &amp; <g/></a>', [
    ...["<a>", 'x <b c="d" e=f & ', "<g>", "</g>", "</a>"],
  ], ["xml-bad-attribute@1", "xml-bad-attribute@1", "xml-bare-less-than@1"]);
  for (const length of [0, 1000, 1024, 5000, 9000]) {
    const value = "y".repeat(length);
    assertTokens(`<a><b c="${value}"<d/></a>`, [
      ...["<a>", `<b c="${value}"`, "<d>", "</d>", "</a>"],
    ], ["xml-bare-less-than@1"]);
  }
  assertTokens("<a>\n<b\nc='1'\n<d/></a>", ["<a>", "\n<b\nc='1'\n", "<d>", "</d>", "</a>"], [
    "xml-bare-less-than@4",
  ]);
});

Deno.test("XmlTokenizer repairs and reports malformed attributes", () => {
  assertTokens("<a b c=d e = f/></a>", ['<a b="" c="d" e="f/">', "</a>"], [
    ...["xml-bad-attribute@1", "xml-bad-attribute@1", "xml-bad-attribute@1"],
  ]);
  assertTokens('<a b="x<y"/>', ['<a b="x<y">', "</a>"], ["xml-bad-attribute@1"]);
  assertTokens(`<a b="1"c='2'd="3"/>`, ['<a b="1" c="2" d="3">', "</a>"], [
    ...["xml-bad-attribute@1", "xml-bad-attribute@1"],
  ]);
  assertTokens('<a ="x" = b></a>', ['<a ="x"="b">', "</a>"], ["xml-bad-attribute@1"]);
});

Deno.test("XmlTokenizer ignores a stray slash in a tag", () => {
  assertTokens('<a / b="1"><c / ></a>', ['<a b="1">', "<c>", "</c>", "</a>"], [
    ...["xml-bad-attribute@1", "xml-bad-attribute@1"],
  ]);
  assertTokens("<a//>", ["<a>", "</a>"], ["xml-bad-attribute@1"]);
});

Deno.test("XmlTokenizer keeps the first of a repeated attribute", () => {
  assertTokens('<a b="1" b="2" B="3"/>', ['<a b="1" B="3">', "</a>"], [
    "xml-duplicate-attribute@1",
  ]);
});

Deno.test("XmlTokenizer closes the elements inside, and ignores end tags without a start tag", () => {
  assertTokens("<a><b><c>x</b>y</d></a>", [
    ...["<a>", "<b>", "<c>", "x", "</c>", "</b>", "y", "</a>"],
  ], ["xml-mismatched-tag@1", "xml-mismatched-tag@1"]);
  assertTokens("</x><a/>", ["<a>", "</a>"], ["xml-mismatched-tag@1"]);
});

Deno.test("XmlTokenizer matches end tags case-insensitively", () => {
  assertTokens("<URL><Loc>x</LOC></url>", ["<URL>", "<Loc>", "x", "</Loc>", "</URL>"]);
});

Deno.test("XmlTokenizer reads end tags with attributes, or without their >", () => {
  assertTokens('<a><b>x</b c="d"></a/>', ["<a>", "<b>", "x", "</b>", "</a>"], [
    ...["xml-bad-attribute@1", "xml-bad-attribute@1"],
  ]);
  assertTokens("<a><b>x</b\n<c/></a>", ["<a>", "<b>", "x", "</b>", "<c>", "</c>", "</a>"], [
    "xml-bare-less-than@2",
  ]);
});

Deno.test("XmlTokenizer removes forbidden characters, and reports each with its line", () => {
  assertTokens("<a>\0x\n\x08y\ufffe\n<b\x01 c='\x02d'/>\x1f</a>", [
    ...["<a>", "x\ny\n", '<b c="d">', "</b>", "</a>"],
  ], [1, 2, 2, 3, 3, 3].map((line) => `xml-control-character@${line}`));
  assertTokens("<a>\t\n\r\x7f\x85</a>", ["<a>", "\t\n\n\x7f\x85", "</a>"]);
});

Deno.test("XmlTokenizer reports faults in document order, forbidden characters of a text first", () => {
  assertTokens("<a>\x01&\n\x02<b &>\x03</c>\n\x04</a>", [
    "<a>",
    "&\n",
    '<b &="">',
    "\n",
    "</b>",
    "</a>",
  ], [
    ...["xml-control-character@1", "xml-control-character@2", "xml-bare-ampersand@1"],
    ...["xml-bad-attribute@2", "xml-control-character@2", "xml-mismatched-tag@2"],
    ...["xml-control-character@3", "xml-mismatched-tag@3"],
  ]);
});

Deno.test("XmlTokenizer removes forbidden characters from any markup, however many", () => {
  assertTokens("<\x01a\x02 b\x03='\x051\x06'\x07><\x08!-- \x0b c --><\x0e/\x0fa\x10>", [
    ...['<a b="1">', "</a>"],
  ], Array<string>(10).fill("xml-control-character@1"));
  assertTokens("<a><![CDATA[1\x012]]><!\x02[CDATA[3]]><!\x03-- 4 --></a>", ["<a>", "123", "</a>"], [
    ...Array<string>(3).fill("xml-control-character@1"),
  ]);
  const many = "<b\x01/>".repeat(30);
  assertTokens(`<a>${many}</a>`, ["<a>", ...Array(30).fill(["<b>", "</b>"]).flat(), "</a>"], [
    ...Array<string>(30).fill("xml-control-character@1"),
  ]);
});

Deno.test("XmlTokenizer keeps what follows markup with forbidden characters unchanged", () => {
  const many = "<b\x01/>".repeat(10), pairs = Array(10).fill(["<b>", "</b>"]).flat();
  const faults = Array<string>(10).fill("xml-control-character@1");
  assertTokens(`<a>${many}<!-- -\x02-> <c/> --></a>`, ["<a>", ...pairs, "</a>"], faults);
  assertTokens(`<a>${many}<![CDATA[]\x02]>]]></a>`, ["<a>", ...pairs, "]]>", "</a>"], [
    ...[...faults, "xml-control-character@1"],
  ]);
  assertTokens(`<a>${many}</a>\x02<b>\x03</b>`, ["<a>", ...pairs, "</a>"], [
    ...[...faults, "xml-control-character@1", "xml-trailing-content@1"],
  ]);
});

Deno.test("XmlTokenizer finds the end of a tag with forbidden characters in any place", () => {
  assertTokens(`<a \x01b\x02=\x03">"\x04/\x05>x`, ['<a b=">">', "</a>"], [
    ...[...Array<string>(5).fill("xml-control-character@1"), "xml-trailing-content@1"],
  ]);
  assertTokens(`<a>\n<b \x01\n\x02<c/></a>`, ["<a>", "\n<b \n", "<c>", "</c>", "</a>"], [
    ...["xml-control-character@2", "xml-control-character@3", "xml-bare-less-than@3"],
  ]);
  assertTokens(`<a><b \x01c="\x02>`, ["<a>"], [
    ...["xml-control-character@1", "xml-control-character@1"],
  ]);
  assertTokens("<a></a\x01\n\x02", ["<a>"], ["xml-control-character@1", "xml-control-character@2"]);
});

Deno.test("XmlTokenizer reports faults of a text behind an empty element with their lines", () => {
  const faults = ["xml-control-character@1", "xml-bare-ampersand@1"];
  const tokens = ["<a>", "<b>", "</b>", "&\n", "</a>"];
  assertTokens("<a><b/>\x01&\n<!-- --></a>", tokens, faults);
  assertTokens("<a><b/>\x01&\n<?c?></a>", tokens, faults);
  assertTokens("<a><b/>\x01&\n<</a>", tokens.with(3, "&\n<"), [...faults, "xml-bare-less-than@2"]);
});

Deno.test("XmlTokenizer reports content before the declaration or the root", () => {
  assertTokens(" \ufeff\n<?xml version='1.0'?><a/>", ["<a>", "</a>"], ["xml-leading-junk@2"]);
  assertTokens("<!-- x --><?xml version='1.0'?><a/>", ["<a>", "</a>"], ["xml-leading-junk@1"]);
  assertTokens("\n\njunk & more\n<!-- x -->junk<a/>", ["<a>", "</a>"], ["xml-leading-junk@3"]);
  assertTokens("<![CDATA[junk]]><a/>", ["<a>", "</a>"], ["xml-leading-junk@1"]);
  assertTokens("<?xml-stylesheet x?><a/>", ["<a>", "</a>"]);
  assertTokens("<a><?xml version='1.0'?></a>", ["<a>", "</a>"]);
});

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

Deno.test("XmlTokenizer counts lines by LF, in all constructs", () => {
  assertTokens("<a>\r\n\n&\n<!--\n\n--><b\n c='\n'\n>&</b><![CDATA[\n]]>&<?x\n?>&</a>", [
    ...["<a>", "\n\n&\n", '<b c=" ">', "&", "</b>", "\n&&", "</a>"],
  ], [3, 9, 10, 11].map((line) => `xml-bare-ampersand@${line}`));
  // a lone CR ends a line of text, but is not counted
  assertTokens("<a>\r\r<b/>\r&\n&</a>".replace("\r&", "<c/>&"), [
    ...["<a>", "\n\n", "<b>", "</b>", "<c>", "</c>", "&\n&", "</a>"],
  ], ["xml-bare-ampersand@1", "xml-bare-ampersand@2"]);
});

// -------------------------------------------------------------------------------------- truncated

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

Deno.test("XmlTokenizer reads what is complete of a truncated document", () => {
  assertTokens("<a><b>x</b><c>y", ["<a>", "<b>", "x", "</b>", "<c>", "y"]);
  assertTokens('<a><b c="d', ["<a>"]);
  assertTokens("<a>x&am", ["<a>", "x&am"], ["xml-bare-ampersand@1"]);
  assertTokens("<a><!", ["<a>", "<!"], ["xml-bare-less-than@1"]);
  for (const start of ["<a><", "<a></", "<a></a", "<a><!-- ", "<a><?x", "<!DOCTYPE 'x"]) {
    assertEquals(tokensOf(start, Infinity).closed, false);
  }
});

// ------------------------------------------------------------------------------------------ limits

Deno.test("XmlTokenizer refuses a DTD with an internal subset, and expands nothing", () => {
  const bomb = '<!DOCTYPE a [<!ENTITY b "c"><!ENTITY d "&b;&b;">]><a>&d;</a>';
  for (const document of [bomb, ' <!-- x --><!doctype a SYSTEM "x" [', "<!DOCTYPE[]><a/>"]) {
    for (const size of SIZES) {
      const { tokens, closed, stopped } = tokensOf(document, size);
      assertEquals([tokens, closed, stopped], [[], false, "xml-dtd"]);
    }
  }
  assertTokens(
    "<a><!DOCTYPE b [<!ENTITY c 'd'>]></a>",
    ["<a>", "<!DOCTYPE b [<!ENTITY c 'd'>]>", "</a>"],
    ["xml-bare-less-than@1", "xml-bare-less-than@1"],
  );
});

Deno.test("XmlTokenizer stops at too many attributes, and ignores the rest", () => {
  const document = '<a><b c="1" d="2"/><b c="1" d="2" e="3"/>x</a>';
  for (const size of SIZES) {
    const { tokens, closed, stopped } = tokensOf(document, size, { maxAttributes: 2 });
    assertEquals(tokens, ["<a>", '<b c="1" d="2">', "</b>"]);
    assertEquals([closed, stopped], [false, "too-many-attributes"]);
  }
});

Deno.test("XmlTokenizer stops at elements that are too deep", () => {
  const document = "<a><b/><b><c/></b></a>";
  for (const size of SIZES) {
    const { tokens, closed, stopped } = tokensOf(document, size, { maxElementDepth: 2 });
    assertEquals(tokens, ["<a>", "<b>", "</b>", "<b>"]);
    assertEquals([closed, stopped], [false, "too-deep-elements"]);
  }
});

Deno.test("XmlTokenizer drops attributes that are too long, and reports them", () => {
  assertTokens('<a b="12345" c="123456" d="1234567"/>', ['<a b="12345">', "</a>"], [
    ...["value-too-long@1", "value-too-long@1"],
  ], { maxValueLength: 5 });
  assertTokens("<a b=123456 c=1/>", ['<a c="1/">'], [
    ...["xml-bad-attribute@1", "value-too-long@1", "xml-bad-attribute@1"],
  ], { maxValueLength: 5 });
  const name = "n".repeat(2000);
  assertTokens(`<a ${name}="1" b="2"/>`, ['<a b="2">', "</a>"], ["value-too-long@1"]);
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
      ...NO_HANDLER,
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

Deno.test("XmlTokenizer reads more names than it interns", () => {
  const names = Array.from({ length: 1500 }, (_, at) => `n${at}`);
  const elements = names.map((name) => `<${name} ${name}="1"><p:${name}/></${name}>`).join("");
  const expected = names.flatMap((name) => [
    ...[`<${name} ${name}="1">`, `<{u}p:${name}>`, `</p:${name}>`, `</${name}>`],
  ]);
  const last = '<b href="2" href="3" xmlns:q="v"><q:c/></b>';
  assertTokens(`<a xmlns:p="u">${elements}${elements}${last}</a>`, [
    ...['<a xmlns:p="u">', ...expected, ...expected],
    ...['<b href="2" xmlns:q="v">', "<{v}q:c>", "</q:c>", "</b>", "</a>"],
  ], ["xml-duplicate-attribute@1"]);
});

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
  const expected = [
    ...["<r>", "\n ", '<a b="1" c="2">', "x", "</a>", "\n ", "<d>", "y", "</d>"],
    ...["<{?}p:e>", "</p:e>", "\n", "</r>", "\n"],
  ];
  assertTokens(`<s>${record.repeat(30)}</s>`, [
    ...["<s>", ...Array<string[]>(30).fill(expected).flat(), "</s>"],
  ], Array.from({ length: 30 }, (_, at) => `xml-unbound-prefix@${4 * at + 3}`));
});

Deno.test("XmlTokenizer distinguishes tags that begin like those before", () => {
  const variants: readonly (readonly [string, readonly string[], readonly string[]])[] = [
    ['<a b="1" c="2"/>', ['<a b="1" c="2">', "</a>"], []],
    ['<a b="1" c="2" d="3"/>', ['<a b="1" c="2" d="3">', "</a>"], []],
    ['<a b="1" c="2"></a>', ['<a b="1" c="2">', "</a>"], []],
    [`<a b="1' c='2"/>`, [`<a b="1' c='2">`, "</a>"], []],
    ['<a b="1<" c="2"/>', ['<a b="1<" c="2">', "</a>"], ["xml-bad-attribute@1"]],
    ['<a b="&" c="&lt;"/>', ['<a b="&" c="<">', "</a>"], ["xml-bare-ampersand@1"]],
    ['<a b="\x01" c="é"/>', ['<a b="" c="é">', "</a>"], ["xml-control-character@1"]],
    ['<a b="1" c="2" b="3"/>', ['<a b="1" c="2">', "</a>"], ["xml-duplicate-attribute@1"]],
    ['<a b="1"c="2"/>', ['<a b="1" c="2">', "</a>"], ["xml-bad-attribute@1"]],
    ['<A b="1" c="2"/>', ['<A b="1" c="2">', "</A>"], []],
    ['<a xmlns="u" c="2"/>', ['<{u}a xmlns="u" c="2">', "</a>"], []],
    ['<a b="1" c="2"\t/>', ['<a b="1" c="2">', "</a>"], []],
  ];
  const usual = '<a b="1" c="2"/><a xmlns="u" c="2"/>';
  const seen = ['<a b="1" c="2">', "</a>", '<{u}a xmlns="u" c="2">', "</a>"];
  for (const [tag, tokens, faults] of variants) {
    assertTokens(`<s>${usual.repeat(4)}${tag}${usual}${tag}</s>`, [
      ...["<s>", ...Array<string[]>(4).fill(seen).flat(), ...tokens, ...seen, ...tokens, "</s>"],
    ], [...faults, ...faults]);
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
    ...NO_HANDLER,
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

Deno.test("XmlTokenizer accepts an empty chunk, and a second end", () => {
  const tokens: string[] = [];
  const tokenizer = new XmlTokenizer({
    ...NO_HANDLER,
    open: ({ name }) => void tokens.push(name.name),
    text: (text) => void tokens.push(text),
  });
  for (const chunk of ["", "<a>", "", "x", "", "</", "a>"]) tokenizer.write(chunk);
  assertEquals([tokenizer.line, tokenizer.depth, tokenizer.rootClosed], [1, 0, true]);
  assertEquals([tokenizer.end(), tokenizer.end()], [true, true]);
  assertEquals(tokens, ["a", "x"]);
});

// ------------------------------------------------------------------------------------ corner cases

Deno.test("XmlTokenizer keeps white space around a CDATA section", () => {
  assertTokens("<a> <![CDATA[x]]>\n</a>", ["<a>", " x\n", "</a>"]);
});

Deno.test("XmlTokenizer removes a forbidden character before the quote of an attribute", () => {
  assertTokens("<a b=\x01'x y'/>", ['<a b="x y">', "</a>"], ["xml-control-character@1"]);
});

Deno.test("XmlTokenizer reports a bare <! before forbidden characters behind it", () => {
  assertTokens("<a><!x\0y</a>", ["<a>", "<!xy", "</a>"], [
    ...["xml-bare-less-than@1", "xml-control-character@1"],
  ]);
});

Deno.test("XmlTokenizer does not count a lone CR as a line within a text", () => {
  assertTokens("<a>\r\r&</a>", ["<a>", "\n\n&", "</a>"], ["xml-bare-ampersand@1"]);
});

Deno.test("XmlTokenizer replaces half a surrogate pair at the end of a document", () => {
  assertTokens("<a>x\ud83d", ["<a>", "x\ufffd"]);
});

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

Deno.test("XmlTokenizer reports junk before the root at the same line, whatever the chunks", () => {
  assertTokens("<!-- -->\x01\njunk<a/>", ["<a>", "</a>"], [
    ...["xml-control-character@1", "xml-leading-junk@2"],
  ]);
});

Deno.test("XmlTokenizer.depth is right in callbacks, also of repeated tags", () => {
  const depths: (readonly [number, number])[] = [];
  const tokenizer = new XmlTokenizer({
    ...NO_HANDLER,
    open: (_element, depth) => void depths.push([depth, tokenizer.depth]),
    close: (_name, depth) => void depths.push([depth, tokenizer.depth + 1]),
  });
  tokenizer.write(`<a>${"<b><c>x</c></b>\n".repeat(5)}</a>`);
  for (const [expected, actual] of depths) assertEquals(actual, expected);
});

Deno.test("XmlTokenizer.line is that of the tag that stops it, also if that is read at the end", () => {
  // a tag that is cut and long is read again when it has doubled, or at the end
  const document = `<a>\n<b c="${">".repeat(5000)}">\n\n</a>`;
  for (const size of SIZES) {
    const tokenizer = new XmlTokenizer(NO_HANDLER, { maxElementDepth: 1 });
    for (let at = 0; at < document.length; at += size) {
      tokenizer.write(document.slice(at, at + size));
    }
    assertEquals([tokenizer.end(), tokenizer.stopped], [false, "too-deep-elements"]);
    assertEquals(tokenizer.line, 2, `by ${size}`);
  }
});
