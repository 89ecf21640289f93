/** Misspelt end tags and CDATA sections are read as they are meant, in all fields; a raw `<` ends addresses. */

import { assert, assertEquals } from "@std/assert";
import fc from "../support/fast_check.ts";
import { bytesOf, cutsOf, entriesOf, PLACES } from "./places.ts";
import { assertReadsAlike, documentBytes, readingOf } from "./reading.ts";
import { type Rules, testRules } from "./rules.ts";

/** Codes of warnings about misspelt markup, and about what the places have anyway. */
const CODES: ReadonlySet<string> = new Set(["xml-bare-less-than", "address-repaired"]);

/** Asserts that documents of all places read like those that are written as usual. */
function assertReadAsUsual(write: (value: string, name: string) => string): void {
  for (const place of PLACES) {
    const expected = entriesOf(readingOf([bytesOf(place)]));
    const bytes = bytesOf(place, write);
    const reading = assertReadsAlike(bytes, cutsOf(place, bytes));
    const text = new TextDecoder().decode(bytes);
    assertEquals(entriesOf(reading), expected, text);
    for (const [code] of reading.warnings) assert(CODES.has(code), text);
  }
}

const END_TAGS = [
  ...["</ NAME>", "< /NAME>", "< / NAME >", "<\n/\tNAME\r\n>", "<\r\n  /NAME>"],
  ...["</\t\t\tNAME>", "</ NAME\n>", "< \x01/\x02 NAME>", `<${" ".repeat(600)}/NAME>`],
];
for (const tag of END_TAGS) {
  Deno.test(`${JSON.stringify(tag.slice(0, 20))} is the end tag of any field`, () => {
    const write = (value: string, name: string) => `<${name}>${value}${tag.replace("NAME", name)}`;
    if (!tag.includes("\x01")) assertReadAsUsual(write);
    assertReadsAlike(bytesOf(PLACES[0]!, write));
    assertEquals(
      entriesOf(
        readingOf([bytesOf(PLACES[0]!, (value, name) => write(value, name.toUpperCase()))]),
      ),
      entriesOf(readingOf([bytesOf(PLACES[0]!)])),
    );
  });
}

const CDATA_STARTS = [
  ...["<!CDATA[", "<! [CDATA[", "<!\n[\tCDATA [", "<! CDATA[", "<![ CDATA[", "<!cdata["],
  ...["<! [cData[", `<!${" ".repeat(600)}[CDATA[`],
];
for (const start of CDATA_STARTS) {
  Deno.test(`${JSON.stringify(start.slice(0, 20))} begins a CDATA section in any field`, () => {
    assertReadAsUsual((value, name) => `<${name}>${start}${value}]]></${name}>`);
    assertReadAsUsual((value, name) => `<${name}>\n ${start}${value}]]>\n</${name}>`);
    assertReadAsUsual((value, name) =>
      `<${name}>${value.slice(0, 1)}${start}${value.slice(1)}]]></${name}>`
    );
  });
}

const [A, B] = ["https://site.test/a", "https://site.test/b"];
const LOC_B = `<url><loc>${B}</loc></url>`;
const BARE = ["xml-bare-less-than"] as const;

const END_TAG_RULES: Rules = {
  "closes entries": [
    `<url><loc>${A}</loc></ url><url><loc>${B}</loc>< /url>`,
    { urls: [A, B], warnings: [...BARE, ...BARE] },
  ],
  "closes the elements inside": [
    `<url><loc>${A}</ url>${LOC_B}`,
    { urls: [A, B], warnings: [...BARE, "xml-mismatched-tag"] },
  ],
  "closes elements that hide their content": [
    `<url><x><loc>${A}</loc></ x><loc>${B}</loc></url>`,
    { urls: [B], warnings: ["misplaced-element", ...BARE] },
  ],
  "closes elements that hide entries": [
    `<url><loc>${A}</loc><x><url><loc>https://site.test/no</loc></url>< / x></url>${LOC_B}`,
    { urls: [A, B], warnings: ["misplaced-element", ...BARE] },
  ],
  "is text if no element of its name is open": [
    `<url><loc>${A}</ lock></loc></url>${LOC_B}`,
    { urls: [A, B], warnings: [...BARE, "address-repaired"] },
  ],
  "is text if it has more than its name": [
    `<url><loc>${A}</ loc x></loc></url>${LOC_B}`,
    { urls: [A, B], warnings: [...BARE, "address-repaired"] },
  ],
  "is text if it is longer than any": [
    `<url><loc>${A}<${" ".repeat(2000)}/loc></loc></url>${LOC_B}`,
    { urls: [A, B], warnings: [...BARE, "address-repaired"] },
  ],
  "is text outside of the root element": [`${LOC_B}</urlset></ urlset>`, {
    urls: [B],
    warnings: ["xml-trailing-content"],
  }],
};

testRules(
  "an end tag with blanks around its slash",
  END_TAG_RULES,
  (content) => `<urlset>${content}</urlset>`,
);

const CDATA_RULES: Rules = {
  "is not closed before its end": [
    `<url><loc><!CDATA[${A}</loc></url>]]></loc></url>${LOC_B}`,
    { urls: ["https://site.test/a</loc></url>", B], warnings: BARE },
  ],
  "may hide entries": [
    `<url><loc>${A}</loc><x><! [CDATA[</x>]]><url><loc>${B}</loc></url></x></url>`,
    { urls: [A], warnings: ["misplaced-element", ...BARE] },
  ],
};
testRules("a misspelt CDATA section", CDATA_RULES, (content) => `<urlset>${content}</urlset>`);

// ------------------------------------------------------------------------------------- addresses

/** Raw `<` that are no markup. */
const RAW = [
  ...["<3", "<", "< b", "<<", "<!- x ->", "<![CDAT[", "<!x", "</>", "</ x>", "<\\loc>", "<1/>"],
  ...["</", "<b ", "<!DOCTYPE x>", "< ! [CDATA[", "<=", "<a href='x'", "<\tx"],
];

for (const raw of RAW) {
  Deno.test(`an address ends before ${JSON.stringify(raw)}`, () => {
    for (const place of PLACES.filter(({ isAddress }) => isAddress)) {
      const expected = entriesOf(readingOf([bytesOf(place)]));
      for (const after of ["", " & more"]) {
        const bytes = bytesOf(place, (value, name) => `<${name}>${value}${raw}${after}</${name}>`);
        const reading = assertReadsAlike(bytes, cutsOf(place, bytes));
        assertEquals(entriesOf(reading), expected, new TextDecoder().decode(bytes));
        const codes = reading.warnings.map(([code]) => code);
        assert(codes.includes("address-repaired") && codes.includes("xml-bare-less-than"));
      }
    }
  });
}

Deno.test("a < that is written as a reference or in CDATA is part of an address", () => {
  const spellings = ["&lt;", "&#60;", "&#x3c;", "&LT;", "<![CDATA[<]]>", "<!CDATA[<]]>"];
  for (const place of PLACES.filter(({ isAddress }) => isAddress)) {
    for (const spelling of spellings) {
      const bytes = bytesOf(place, (value, name) => `<${name}>${value}${spelling}3</${name}>`);
      const { pages, children } = assertReadsAlike(bytes, cutsOf(place, bytes));
      const urls = [...pages.map((page) => JSON.parse(page).url), ...children];
      assertEquals(urls, place.values.map((value) => `${value}<3`));
    }
  }
});

const ATTRIBUTES: Rules = {
  "ends before it": [`<link href="${A}<b"/>`, {
    urls: [A],
    warnings: ["xml-bad-attribute", "address-repaired"],
  }],
  "may have it as a reference": [`<link href="${A}&lt;b"/>`, [`${A}<b`]],
  "is dropped if it ends inside its host": [
    `<link href="https://site.te</title><link rel="/>`,
    { urls: [], warnings: ["xml-bad-attribute", "bad-address", "no-address"] },
  ],
  "is missing if nothing precedes it": [
    `<link href="<b">${A}</link>`,
    { urls: [A], warnings: ["xml-bad-attribute"] },
  ],
};
testRules(
  "an address with a raw < in an attribute",
  ATTRIBUTES,
  (content) => `<feed><entry>${content}</entry></feed>`,
);

testRules("the address of a sitemap outside of loc", {
  "ends before a raw <": [
    `<sitemapindex><sitemap>${A}<3</sitemap><sitemap><3${B}</sitemap></sitemapindex>`,
    {
      urls: [A],
      warnings: [...BARE, "misplaced-element", "address-repaired", ...BARE, "no-address"],
    },
  ],
});

Deno.test("no page has markup in its address, however it is misspelt", () => {
  const piece = fc.constantFrom(
    ...["https://site.test/", "a", "b?c", " ", "\n", "&lt", "/", "<br>", "</br>", "<b", "</b"],
    ...[
      "<",
      "</",
      "< /",
      "</ ",
      "< / ",
      ">",
      "!",
      "<!",
      "<! ",
      "[",
      "<!-",
      "<!--",
      "-->",
      "?>",
      "<?",
    ],
    ...["loc", "url", "</loc>", "<loc>", "</url>", "<url>", "</ loc>", "< /url>", "\0", "\t"],
  );
  const content = fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.join(""));
  const addresses = PLACES.filter(({ isAddress }) => isAddress);
  let count = 0;
  fc.assert(
    fc.property(content, fc.constantFrom(...addresses), (content, place) => {
      const bytes = documentBytes(place.document([
        `<${place.name}>https://site.test/${content}</${place.name}>`,
        `<${place.name}>https://site.test/last</${place.name}>`,
      ]));
      const { pages, children } = assertReadsAlike(bytes);
      const urls = [...pages.map((page) => JSON.parse(page).url), ...children];
      for (const url of urls) assert(!url.includes("<"), url);
      count += urls.length;
    }),
    { numRuns: 800 },
  );
  assert(count > 300, "there was something to read");
});
