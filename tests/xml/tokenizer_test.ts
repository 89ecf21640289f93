import { assert, assertEquals } from "@std/assert";
import { XmlTokenizer } from "../../src/xml/tokenizer.ts";
import { assertTokens, SIZES, tokensOf } from "./tokens.ts";

// ------------------------------------------------------------------------------- what is right

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

Deno.test("XmlTokenizer takes CDATA for text, and decodes nothing in it", () => {
  assertTokens("<a>1<![CDATA[<b>&amp;]]]]><![CDATA[>]]>2</a>", ["<a>", "1<b>&amp;]]>2", "</a>"]);
  assertTokens("<a><![CDATA[]]></a>", ["<a>", "</a>"]);
  assertTokens("<a><![CDATA[]]]]></a>", ["<a>", "]]", "</a>"]);
});

Deno.test("XmlTokenizer skips comments and instructions, which do not cut text", () => {
  assertTokens(
    "<?xml version='1.0'?><!-- a > <b> --><a>1<!-- -- -->2<?php echo '>' ?>3</a><!--x-->",
    [
      ...["<a>", "123", "</a>"],
    ],
  );
  assertTokens("<a><!----><??><?x?><!-->--></a>", ["<a>", "</a>"]);
  assertTokens("<?x?><a/><?y?>\n<!-- z -->\n", ["<a>", "</a>"]);
});

Deno.test("XmlTokenizer skips a DOCTYPE, whatever stands in its quotes", () => {
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

Deno.test("XmlTokenizer tells of unbound prefixes, each time", () => {
  assertTokens("<a>\n<p:b/>\n<p:b/></a>", [
    ...["<a>", "\n", "<{?}p:b>", "</p:b>", "\n", "<{?}p:b>", "</p:b>", "</a>"],
  ], ["xml-unbound-prefix@2", "xml-unbound-prefix@3"]);
});

Deno.test("XmlTokenizer gives parts of names, and namespaces where it stands", () => {
  const seen: unknown[] = [];
  const tokenizer = new XmlTokenizer({
    open({ name, prefix, local, lowerName, lowerLocal }) {
      seen.push(
        [name, prefix, local, lowerName, lowerLocal],
        tokenizer.uriOf("P"),
        tokenizer.uriOf(""),
      );
    },
    text() {},
    close() {},
    fault() {},
  });
  tokenizer.write('<P:Loc xmlns:P="u">');
  assertEquals(seen, [["P:Loc", "P", "Loc", "p:loc", "loc"], "u", ""]);
  assertEquals(tokenizer.uriOf("q"), undefined);
});

// ---------------------------------------------------------------------------------------- repairs

Deno.test("XmlTokenizer takes a bare ampersand and unknown entities literally", () => {
  assertTokens('<a b="x&y">R&D &\n&unknown; &amp &#; &#x; &;&#99</a>', [
    ...['<a b="x&y">', "R&D &\n&unknown; &amp &#; &#x; &;&#99", "</a>"],
  ], [
    ...["xml-bare-ampersand@1", "xml-bare-ampersand@1", "xml-bare-ampersand@1"],
    ...["xml-unknown-entity@2", "xml-bare-ampersand@2", "xml-bare-ampersand@2"],
    ...["xml-bare-ampersand@2", "xml-bare-ampersand@2", "xml-bare-ampersand@2"],
  ]);
});

Deno.test("XmlTokenizer leaves out references to forbidden characters", () => {
  assertTokens("<a>1&#0;2&#x1F;3&#xD800;4&#xFFFE;5&#99999999;6</a>", ["<a>", "123456", "</a>"], [
    ...Array<string>(5).fill("xml-bad-reference@1"),
  ]);
});

Deno.test("XmlTokenizer takes a < that starts no tag as text", () => {
  assertTokens("<a>1 < 2 <3 <= << </ <!x <a\n<b/></a>", [
    ...["<a>", "1 < 2 <3 <= << </ <!x <a\n", "<b>", "</b>", "</a>"],
  ], Array<string>(8).fill("xml-bare-less-than@1").with(7, "xml-bare-less-than@2"));
});

Deno.test("XmlTokenizer gives up a tag that meets another <, up to a length", () => {
  assertTokens('<a>x <b c="d" e=f &amp; <g/></a>', [
    ...["<a>", 'x <b c="d" e=f & ', "<g>", "</g>", "</a>"],
  ], ["xml-bad-attribute@1", "xml-bad-attribute@1", "xml-bare-less-than@1"]);
  const long = "y".repeat(1100);
  assertTokens(`<a><b c="${long}"<d/></a>`, [
    ...["<a>", `<b c="${long}">`, "<d>", "</d>", "</b>", "</a>"],
  ], ["xml-bare-less-than@1", "xml-mismatched-tag@1"]);
  const just = "y".repeat(1024 - '<b c=""'.length);
  assertTokens(`<a><b c="${just}"<d/></a>`, [
    ...["<a>", `<b c="${just}"`, "<d>", "</d>", "</a>"],
  ], ["xml-bare-less-than@1"]);
});

Deno.test("XmlTokenizer reads attributes as meant, and tells what is wrong", () => {
  assertTokens("<a b c=d e = f/></a>", ['<a b="" c="d" e="f/">', "</a>"], [
    ...["xml-bad-attribute@1", "xml-bad-attribute@1", "xml-bad-attribute@1"],
  ]);
  assertTokens('<a b="x<y"/>', ['<a b="x<y">', "</a>"], ["xml-bad-attribute@1"]);
  assertTokens(`<a b="1"c='2'd="3"/>`, ['<a b="1" c="2" d="3">', "</a>"], [
    ...["xml-bad-attribute@1", "xml-bad-attribute@1"],
  ]);
  assertTokens('<a ="x" = b></a>', ['<a ="x"="b">', "</a>"], ["xml-bad-attribute@1"]);
});

Deno.test("XmlTokenizer passes over a stray slash in a tag", () => {
  assertTokens('<a / b="1"><c / ></a>', ['<a b="1">', "<c>", "</c>", "</a>"], [
    ...["xml-bad-attribute@1", "xml-bad-attribute@1"],
  ]);
  assertTokens("<a//>", ["<a>", "</a>"], ["xml-bad-attribute@1"]);
});

Deno.test("XmlTokenizer keeps the first of an attribute given twice", () => {
  assertTokens('<a b="1" b="2" B="3"/>', ['<a b="1" B="3">', "</a>"], [
    "xml-duplicate-attribute@1",
  ]);
});

Deno.test("XmlTokenizer closes what was opened inside, and ignores end tags of nothing", () => {
  assertTokens("<a><b><c>x</b>y</d></a>", [
    ...["<a>", "<b>", "<c>", "x", "</c>", "</b>", "y", "</a>"],
  ], ["xml-mismatched-tag@1", "xml-mismatched-tag@1"]);
  assertTokens("</x><a/>", ["<a>", "</a>"], ["xml-mismatched-tag@1"]);
});

Deno.test("XmlTokenizer matches end tags without regard to case", () => {
  assertTokens("<URL><Loc>x</LOC></url>", ["<URL>", "<Loc>", "x", "</Loc>", "</URL>"]);
});

Deno.test("XmlTokenizer reads end tags that hold too much or too little", () => {
  assertTokens('<a><b>x</b c="d"></a/>', ["<a>", "<b>", "x", "</b>", "</a>"], [
    ...["xml-bad-attribute@1", "xml-bad-attribute@1"],
  ]);
  assertTokens("<a><b>x</b\n<c/></a>", ["<a>", "<b>", "x", "</b>", "<c>", "</c>", "</a>"], [
    "xml-bare-less-than@2",
  ]);
});

Deno.test("XmlTokenizer leaves out characters that XML forbids, and tells the line of each", () => {
  assertTokens("<a>\0x\n\x08y\ufffe\n<b\x01 c='\x02d'/>\x1f</a>", [
    ...["<a>", "x\ny\n", '<b c="d">', "</b>", "</a>"],
  ], [1, 2, 2, 3, 3, 3].map((line) => `xml-control-character@${line}`));
  assertTokens("<a>\t\n\r\x7f\x85</a>", ["<a>", "\t\n\n\x7f\x85", "</a>"]);
});

Deno.test("XmlTokenizer tells faults in the order of the document", () => {
  assertTokens("<a>\x01&\n\x02<b &>\x03</c>\n\x04</a>", [
    "<a>",
    "&\n",
    '<b &="">',
    "\n",
    "</b>",
    "</a>",
  ], [
    ...["xml-control-character@1", "xml-bare-ampersand@1", "xml-control-character@2"],
    ...["xml-bad-attribute@2", "xml-control-character@2", "xml-mismatched-tag@2"],
    ...["xml-control-character@3", "xml-mismatched-tag@3"],
  ]);
});

Deno.test("XmlTokenizer tells what stands before the declaration or the root", () => {
  assertTokens(" \ufeff\n<?xml version='1.0'?><a/>", ["<a>", "</a>"], ["xml-leading-junk@2"]);
  assertTokens("<!-- x --><?xml version='1.0'?><a/>", ["<a>", "</a>"], ["xml-leading-junk@1"]);
  assertTokens("\n\njunk & more\n<!-- x -->junk<a/>", ["<a>", "</a>"], ["xml-leading-junk@3"]);
  assertTokens("<![CDATA[junk]]><a/>", ["<a>", "</a>"], ["xml-leading-junk@1"]);
  assertTokens("<?xml-stylesheet x?><a/>", ["<a>", "</a>"]);
  assertTokens("<a><?xml version='1.0'?></a>", ["<a>", "</a>"]);
});

Deno.test("XmlTokenizer ignores what follows the root, and says so once", () => {
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

Deno.test("XmlTokenizer counts lines over line ends of every kind", () => {
  assertTokens("<a>\r\n\r\r&\n<!--\n\n--><b\n c='\n'\n>&</b><![CDATA[\n]]>&</a>", [
    ...["<a>", "\n\n\n&\n", '<b c=" ">', "&", "</b>", "\n&", "</a>"],
  ], ["xml-bare-ampersand@4", "xml-bare-ampersand@10", "xml-bare-ampersand@11"]);
});

// ------------------------------------------------------------------------------------------- cuts

Deno.test("XmlTokenizer says whether the root had ended, wherever a document is cut", () => {
  const document =
    `<?xml version="1.0"?><!DOCTYPE a><a b="c"><!-- d --><e>f&amp;</e><![CDATA[g]]></a>`;
  for (let length = 0; length <= document.length; length++) {
    const cut = document.slice(0, length);
    const whole = tokensOf(cut, Infinity);
    assertEquals(whole.closed, length === document.length);
    for (const size of SIZES) assertEquals(tokensOf(cut, size), whole, `${cut} by ${size}`);
  }
});

Deno.test("XmlTokenizer gives what is complete of a cut document", () => {
  assertTokens("<a><b>x</b><c>y", ["<a>", "<b>", "x", "</b>", "<c>", "y"]);
  assertTokens('<a><b c="d', ["<a>"]);
  assertTokens("<a>x&am", ["<a>", "x&am"], ["xml-bare-ampersand@1"]);
  assertTokens("<a><!", ["<a>", "<!"], ["xml-bare-less-than@1"]);
  for (const start of ["<a><", "<a></", "<a></a", "<a><!-- ", "<a><?x", "<!DOCTYPE 'x"]) {
    assertEquals(tokensOf(start, Infinity).closed, false);
  }
});

Deno.test("XmlTokenizer takes nothing for a chunk, and ends more than once", () => {
  const tokens: string[] = [];
  const tokenizer = new XmlTokenizer({
    open: ({ name }) => void tokens.push(name),
    text: (text) => void tokens.push(text),
    close() {},
    fault() {},
  });
  for (const chunk of ["", "<a>", "", "x", ""]) tokenizer.write(chunk);
  assertEquals(tokenizer.idle, true);
  tokenizer.write("</");
  assertEquals(tokenizer.idle, false);
  tokenizer.write("a>");
  assertEquals([tokenizer.end(), tokenizer.end()], [true, true]);
  assertEquals(tokens, ["a", "x"]);
});

Deno.test("XmlTokenizer counts lines that somebody else has read in its place", () => {
  const lines: number[] = [];
  const tokenizer = new XmlTokenizer({
    open() {},
    text() {},
    close() {},
    fault: (_code, _message, line) => void lines.push(line),
  });
  tokenizer.write("<a>\n");
  assertEquals([tokenizer.idle, tokenizer.line], [true, 2]);
  tokenizer.passLines(10);
  tokenizer.write("\n&</a>");
  assertEquals(lines, [13]);
});

// --------------------------------------------------------------------------------------- ceilings

Deno.test("XmlTokenizer refuses a DTD with an internal subset, and expands nothing", () => {
  const bomb = '<!DOCTYPE a [<!ENTITY b "c"><!ENTITY d "&b;&b;">]><a>&d;</a>';
  for (const document of [bomb, ' <!-- x --><!doctype a SYSTEM "x" [', "<!DOCTYPE[]><a/>"]) {
    for (const size of SIZES) {
      const { tokens, closed, stopped } = tokensOf(document, size);
      assertEquals([tokens, closed, stopped], [[], false, "xml-dtd"]);
    }
  }
  assertTokens("<a><!DOCTYPE b [<!ENTITY c 'd'>]></a>", [
    "<a>",
    "<!DOCTYPE b [<!ENTITY c 'd'>]>",
    "</a>",
  ], [
    ...["xml-bare-less-than@1", "xml-bare-less-than@1"],
  ]);
});

Deno.test("XmlTokenizer stops at too many attributes, and takes nothing more", () => {
  for (const size of SIZES) {
    const { tokens, closed, stopped } = tokensOf(
      '<a><b c="1" d="2"/><b c="1" d="2" e="3"/>x</a>',
      size,
      {
        maxAttributes: 2,
      },
    );
    assertEquals(tokens, ["<a>", '<b c="1" d="2">', "</b>"]);
    assertEquals([closed, stopped], [false, "too-many-attributes"]);
  }
});

Deno.test("XmlTokenizer stops at elements that are too deep", () => {
  for (const size of SIZES) {
    const { tokens, closed, stopped } = tokensOf("<a><b/><b><c/></b></a>", size, {
      maxElementDepth: 2,
    });
    assertEquals(tokens, ["<a>", "<b>", "</b>", "<b>"]);
    assertEquals([closed, stopped], [false, "too-deep-elements"]);
  }
});

Deno.test("XmlTokenizer leaves out attributes that are too long, and tells it", () => {
  assertTokens('<a b="12345" c="123456" d="1234567"/>', ['<a b="12345">', "</a>"], [
    ...["value-too-long@1", "value-too-long@1"],
  ], { maxValueLength: 5 });
  assertTokens("<a b=123456 c=1/>", ['<a c="1/">'], [
    ...["xml-bad-attribute@1", "value-too-long@1", "xml-bad-attribute@1"],
  ], { maxValueLength: 5 });
  const name = "n".repeat(2000);
  assertTokens(`<a ${name}="1" b="2"/>`, ['<a b="2">', "</a>"], ["value-too-long@1"]);
});

Deno.test("XmlTokenizer reads elements with names that are too long, start and end alike", () => {
  const name = "n".repeat(5000);
  for (const size of SIZES) {
    const { tokens, faults, closed } = tokensOf(`<a><${name}>x</${name}></a>`, size);
    assertEquals([tokens.length, tokens[2], faults, closed], [5, "x", [], true]);
    assert(tokens[1]!.length < 1100);
  }
});

Deno.test("XmlTokenizer holds only so much of attributes in all open elements together", () => {
  const value = "v".repeat(600 * 1024);
  for (const size of [Infinity, 4096]) {
    const nested = tokensOf(`<a b="${value}"><c d="${value}"/></a>`, size);
    assertEquals(nested.faults, ["value-too-long@1"]);
    assertEquals(nested.tokens[1], "<c>");
    const beside = tokensOf(`<a><c d="${value}"/><c d="${value}"/></a>`, size);
    assertEquals(beside.faults, []);
  }
});

// ------------------------------------------------------------------------------------ closesBefore

Deno.test("XmlTokenizer closes open elements first where the handler says so", () => {
  assertTokens(
    "<a><e>1<e>2</e><x><e/></x></a>",
    [
      ...["<a>", "<e>", "1", "</e>", "<e>", "2", "</e>", "<x>", "</x>", "<e>", "</e>", "</a>"],
    ],
    ["xml-mismatched-tag@1"],
    {
      closesBefore: ({ name }, uri, depth) => {
        assertEquals(uri, "");
        return name === "e" && depth > 2 ? 1 : undefined;
      },
    },
  );
});

// ------------------------------------------------------------------------------ text nobody wants

Deno.test("XmlTokenizer passes over text that is ignored, and tells what is wrong with it", () => {
  const document = "<a>1 & 2<b>3 & 4</b>\n<b><![CDATA[5]]>&bogus;</b>\n<c>x&#0;y</c> &</a>";
  for (const size of SIZES) {
    const faults: string[] = [];
    let text = "", inside = "";
    const tokenizer = new XmlTokenizer({
      open: ({ name }) => void (inside = name),
      text: (piece) => void (text += piece),
      close: () => void (inside = ""),
      fault: (code, _message, line) => void faults.push(`${code}@${line}`),
      get ignoresText() {
        return inside !== "c";
      },
    });
    for (let at = 0; at < document.length; at += size) {
      tokenizer.write(document.slice(at, at + size));
    }
    assertEquals([tokenizer.end(), text], [true, "xy"]);
    assertEquals(faults, [
      ...["xml-bare-ampersand@1", "xml-bare-ampersand@1", "xml-unknown-entity@2"],
      ...["xml-bad-reference@3", "xml-bare-ampersand@3"],
    ]);
  }
});

Deno.test("XmlTokenizer tells where text stands in the bytes of its chunk, if it stands there", () => {
  const seen: unknown[] = [];
  const tokenizer = new XmlTokenizer({
    open() {},
    text(text, place) {
      const { bytes } = tokenizer;
      const codes = bytes === undefined || place < 0
        ? undefined
        : Array.from(text, (_, at) => bytes.getUint8(place + at));
      seen.push([text, codes && String.fromCharCode(...codes)]);
    },
    close() {},
    fault() {},
  });
  const padding = `<!--${"x".repeat(1024)}-->`;
  tokenizer.write(`<a>${padding}one<b>&lt;</b><![CDATA[two]]>${padding}<`);
  tokenizer.write(`c>thr${padding}ee\x01 four`);
  tokenizer.write("five");
  tokenizer.write(`é${padding}<b>six</b>`);
  assertEquals(seen, [
    ...[["one", "one"], ["<", undefined], ["two", "two"]],
    ...[["thr", "thr"], ["ee four", "ee four"], ["five", undefined]],
    ...[["é", undefined], ["six", undefined]],
  ]);
});
