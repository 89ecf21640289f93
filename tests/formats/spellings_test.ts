/** Every spelling of an address is that address: it is one page, and repeated it is a duplicate. */

import { assertEquals } from "@std/assert";
import fc from "../support/fast_check.ts";
import { documentBytes, readingOf } from "./reading.ts";

/** Parts of addresses, with the characters that are written as references. */
const PART = fc.constantFrom(
  "a",
  "bc",
  "&",
  "=",
  "'",
  '"',
  ">",
  "<",
  "amp;",
  "#38;",
  ";",
  "é",
  "日",
);
const ADDRESS = fc.array(PART, { minLength: 1, maxLength: 12 })
  .map((parts) => `https://site.test/?${parts.join("")}`);

const NAMES: Readonly<Record<string, string>> = {
  "&": "amp",
  "<": "lt",
  ">": "gt",
  "'": "apos",
  '"': "quot",
  "é": "eacute",
};

/** A way to write one character; those that a position does not allow fall back to a reference. */
type Spelling = "bare" | "name" | "decimal" | "hex" | "padded" | "CDATA";
const SPELLING = fc.constantFrom<Spelling>("bare", "name", "decimal", "hex", "padded", "CDATA");
const PADDING = fc.constantFrom("", " ", "\n", "\r\n\t", "    \n    ");

/** Whether a bare `&` before this text would be read as a reference. */
const REFERENCE_REGEXP = /^(?:#\d+|#x[\da-f]+|[a-z]\w*);/i;

function spell(address: string, spellings: readonly Spelling[]): string {
  let written = "";
  for (const [at, character] of [...address].entries()) {
    const code = character.codePointAt(0)!, rest = [...address].slice(at + 1).join("");
    const spelling = at < "https://site.test/".length ? "bare" : spellings[at % spellings.length];
    const isBare = character !== "<" && !(character === "&" && REFERENCE_REGEXP.test(rest));
    if (spelling === "CDATA") written += `<![CDATA[${character}]]>`;
    else if (spelling === "bare" && isBare) written += character;
    else if (spelling === "hex") written += `&#x${code.toString(16)};`;
    else if (spelling === "padded") written += `&#0${code};`;
    else if (spelling !== "decimal" && character in NAMES) written += `&${NAMES[character]};`;
    else written += `&#${code};`;
  }
  return written;
}

const WRITTEN = fc.record({
  spellings: fc.array(SPELLING, { minLength: 1, maxLength: 9 }),
  isCdata: fc.boolean(),
  isSimple: fc.boolean(),
  before: PADDING,
  after: PADDING,
}).map(({ spellings, isCdata, isSimple, before, after }) => (address: string) => {
  // most addresses have one kind of reference, or none
  const used = isSimple
    ? spellings.slice(0, 1).filter((spelling) => spelling !== "CDATA")
    : spellings;
  const written = spell(address, used.length === 0 ? ["name"] : used);
  return before + (isCdata ? `<![CDATA[${address}]]>` : written) + after;
});

function urlset(addresses: readonly string[]): Uint8Array {
  const entries = addresses.map((address) => `  <url>\n    <loc>${address}</loc>\n  </url>\n`);
  return documentBytes(`<urlset>\n${entries.join("")}</urlset>`);
}

function urlsIn(pages: readonly string[]): string[] {
  return pages.map((page) => JSON.parse(page).url);
}

Deno.test("every spelling of an address is the same address", () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(ADDRESS, { minLength: 1, maxLength: 6 }),
      fc.array(WRITTEN, { minLength: 2, maxLength: 5 }),
      (addresses, writings) => {
        const written = writings.flatMap((write) => addresses.map(write));
        const { pages, warnings } = readingOf([urlset(written)]);
        assertEquals(urlsIn(pages), addresses);
        const duplicates = warnings.filter(([code]) => code === "duplicate-address");
        assertEquals(duplicates.length, written.length - addresses.length);
      },
    ),
    { numRuns: 2000 },
  );
});

Deno.test("addresses that differ by a reference in their text are not duplicates", () => {
  const written = ["?a&amp;b", "?a&#38;b", "?a&#x26;b", "?a&b", "<![CDATA[?a&b]]>"];
  const other = ["?a&amp;amp;b", "<![CDATA[?a&amp;b]]>", "?a&#38;amp;b", "?a&amp;#97;mp;b"];
  const different = ["?a&amp;#38;b", "<![CDATA[?a&#38;b]]>"];
  const addresses = [...written, ...other, ...different].map((text) =>
    text.startsWith("<") ? text.replace("?", "https://site.test/?") : `https://site.test/${text}`
  );
  const { pages } = readingOf([urlset(addresses)]);
  assertEquals(urlsIn(pages), [
    "https://site.test/?a&b",
    "https://site.test/?a&amp;b",
    "https://site.test/?a&#97;mp;b",
    "https://site.test/?a&#38;b",
  ]);
});
