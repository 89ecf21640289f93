import { assertEquals } from "@std/assert";
import fc from "../support/fast_check.ts";
import { SaxesParser } from "saxes";
import { SIZES, tokensOf } from "./tokens.ts";

/** Returns the tokens of a document by saxes; throws if it is not well-formed. */
function saxesTokens(document: string): string[] {
  const tokens: string[] = [];
  let text = "";
  let depth = 0;
  const flush = () => {
    if (text !== "" && depth > 0) tokens.push(text);
    text = "";
  };
  const parser = new SaxesParser({ xmlns: true });
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ name, uri, attributes }) => {
    flush();
    depth++;
    const shown = Object.values(attributes).map(({ name, value }) => ` ${name}="${value}"`);
    tokens.push(`<${uri === "" ? "" : `{${uri}}`}${name}${shown.join("")}>`);
  });
  parser.on("text", (piece) => void (text += piece));
  parser.on("cdata", (piece) => void (text += piece));
  parser.on("closetag", ({ name }) => {
    flush();
    depth--;
    tokens.push(`</${name}>`);
  });
  parser.write(document).close();
  return tokens;
}

const NAMES = ["a", "b", "urlset", "x:loc", "y:loc", "Ünï-c0de.x", "_"];

/** Text that needs no escape, with all kinds of letters and line ends. */
const plainText = fc.string({ unit: "grapheme" })
  // deno-lint-ignore no-control-regex -- what XML forbids, and what has a meaning
  .map((text) => text.replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff<>&"'\]]/g, ""));

const reference = fc.constantFrom(
  ...["&amp;", "&lt;", "&gt;", "&quot;", "&apos;", "&#65;", "&#x1F600;", "&#10;", "&#13;", "&#9;"],
);

const value = fc.array(
  fc.oneof(plainText, reference, fc.constantFrom(" ", "\n", "\t", "\r\n", ">")),
)
  .map((parts) => parts.join(""));

const attribute = fc.tuple(
  fc.constantFrom("p", "q", "r-1", "x:s", "xmlns"),
  value,
  fc.constantFrom('"', "'"),
  fc.constantFrom("=", " = ", "\n="),
).map(([name, text, quote, equals]) => ({ name, text: `${name}${equals}${quote}${text}${quote}` }));

const space = fc.constantFrom("", " ", "\n", "\t\r\n ");

/** Well-formed content: text, references, CDATA, comments, instructions and elements. */
const { content } = fc.letrec<{ content: string; element: string }>((tie) => ({
  content: fc.array(
    fc.oneof(
      { depthSize: "small", withCrossShrink: true },
      plainText,
      reference,
      fc.constantFrom("\r", "\r\n", "\n", "]", "]]", '"', "'"),
      plainText.map((text) => `<![CDATA[${text}<&>]]>`),
      plainText.map((text) => `<!--${text.replaceAll("-", "")}<a>&-->`),
      plainText.map((text) => `<?target ${text.replaceAll("?", "")}?>`),
      tie("element"),
    ),
    { maxLength: 6 },
  ).map((parts) => parts.join("")),
  element: fc.tuple(
    fc.constantFrom(...NAMES),
    fc.uniqueArray(attribute, { selector: ({ name }) => name, maxLength: 3 }),
    space,
    fc.option(tie("content") as fc.Arbitrary<string>, { nil: undefined }),
  ).map(([name, attributes, before, inner]) => {
    const tag = [name, ...attributes.map(({ text }) => text)].join(" ") + before;
    return inner === undefined ? `<${tag}/>` : `<${tag}>${inner}</${name}${before}>`;
  }),
}));

const document = fc.tuple(
  fc.constantFrom("", "<?xml version='1.0'?>", '<?xml version="1.0" encoding="utf-8"?>\n'),
  fc.constantFrom("", "<!DOCTYPE root>", '<!DOCTYPE root SYSTEM "x>y">\n', "<!-- before -->\n"),
  content as fc.Arbitrary<string>,
  fc.constantFrom("", "\n", "<!-- after -->", "<?after?>"),
).map(([declaration, doctype, inner, after]) =>
  `${declaration}${doctype}<root xmlns:x="u:x" xmlns:y="u:y">${inner}</root>${after}`
);

const encoder = new TextEncoder();

function assertReadsAsSaxes(text: string): void {
  // "]]>" is not allowed in text, and pieces may form one
  fc.pre(!text.replace(/<!\[CDATA\[.*?\]\]>/gs, "").includes("]]>"));
  const expected = saxesTokens(text);
  for (const size of SIZES) {
    for (const form of [text, encoder.encode(text)]) {
      const { tokens, faults, closed } = tokensOf(form, size);
      assertEquals(tokens, expected, `by ${size}`);
      assertEquals([faults, closed], [[], true]);
    }
  }
}

Deno.test("XmlTokenizer reads well-formed documents as saxes does, whatever their chunks", () => {
  fc.assert(fc.property(document, assertReadsAsSaxes), { numRuns: 300 });
});

Deno.test("XmlTokenizer reads repeated elements as saxes does", () => {
  const repeated = fc.array(content as fc.Arbitrary<string>, { minLength: 1, maxLength: 3 })
    .chain((contents) => fc.array(fc.constantFrom(...contents), { minLength: 5, maxLength: 20 }))
    .map((contents) =>
      `<root xmlns:x="u:x" xmlns:y="u:y"><a>${contents.join("</a>\n <a>")}</a></root>`
    );
  fc.assert(fc.property(repeated, assertReadsAsSaxes), { numRuns: 600 });
});

Deno.test("XmlTokenizer reads malformed documents the same, whatever their chunks", () => {
  const piece = fc.constantFrom(
    ..."<>/='\"&;[]ab \n\r\0\x1f\ufeffé\u{1f577}",
    ...["</", "<!", "<!--", "-->", "--", "<![CDATA[", "]]>", "<?", "?>", "<!DOCTYPE"],
    ...["&amp;", "&#", "#x41;", "<a", "<b>", "</a>", "</b >", "<a b='c'"],
    ...["x:", "<x:y", "xmlns:x='u'"],
  );
  fc.assert(
    fc.property(
      fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join("")),
      fc.nat(),
      (text, at) => {
        const whole = tokensOf(text, Infinity);
        const bytes = encoder.encode(text);
        const size = 1 + at % Math.max(1, text.length);
        assertEquals(tokensOf(bytes, Infinity), whole, "as bytes");
        for (const other of [1, 2, 7, size]) {
          assertEquals(tokensOf(text, other), whole, `by ${other}`);
          assertEquals(tokensOf(bytes, other), whole, `as bytes by ${other}`);
        }
      },
    ),
    { numRuns: 3000 },
  );
});
