import { assertEquals } from "@std/assert";
import { AddressSet } from "../../src/formats/address_set.ts";
import { Entries } from "../../src/formats/entries.ts";
import { FastChunk } from "../../src/formats/fast_chunk.ts";
import { PAGE_FORM } from "../../src/formats/fast_elements.ts";
import { FastRecords, type FastRecordsOptions } from "../../src/formats/fast_records.ts";
import { documentBytes } from "./document_bytes.ts";

const USUAL: FastRecordsOptions = {
  form: PAGE_FORM,
  maxValueLength: 1000,
  hasUsualImages: true,
  hasUsualNews: true,
  hasUsualAlternates: true,
};

/** What the fast lane alone makes of records. */
interface Scan {
  /** How many bytes it read. */
  readonly read: number;
  readonly lines: number;
  readonly pages: unknown[];
}

function scan(records: string, options = USUAL, maxEntries = 100): Scan {
  const pages: unknown[] = [];
  const entries = new Entries("https://site.test/", {
    page: (page) => void pages.push(page.toJSON()),
    child: () => {},
    warning: (code) => {
      throw new Error(`The fast lane told "${code}"`);
    },
  }, { maxEntries, seen: new AddressSet([1, 2]) });
  const text = documentBytes(records);

  const chunk = new FastChunk(text);
  let lines = 0;
  const last = chunk.text.lastIndexOf(PAGE_FORM.end);
  const read = new FastRecords(entries, options).scan(chunk, 0, last, (count) => lines += count);
  return { read, lines, pages };
}

/** A record with something in it besides its address. */
function record(more: string): string {
  return `<url><loc>https://site.test/</loc>${more}</url>`;
}

const IMAGE = "<image:image><image:loc>/i</image:loc></image:image>";
const NEWS = "<news:news><news:publication_date>2024-05-06</news:publication_date>" +
  "<news:title>T</news:title></news:news>";
const LINK = '<xhtml:link rel="alternate" hreflang="en" href="/en"/>';

/** Records of the common form: were one refused, reading it would only be slow, and no test fail. */
const COMMON: readonly string[] = [
  record(""),
  record("<lastmod>2024-05-06</lastmod><changefreq>weekly</changefreq><priority>0.8</priority>"),
  record("<lastmod>\n2024-05-06T07:08:09.5+02:00 </lastmod><priority>1</priority>"),
  record("<priority>0.25</priority><priority> .5 </priority><lastmod>2024-05-06</lastmod>"),
  "\n  <url>\r\n\t<loc> https://site.test/ </loc>\r\n</url>",
  "<url><loc>https://site.test/?a=1&amp;b=%20&#233;&eacute;</loc></url>",
  "<url><loc>https://site.test/größe/日本/😀</loc></url>",
  "<url><loc>HTTP://me@site.test:80?x</loc></url>",
  "<url><lastmod>2024-05-06</lastmod><loc>https://site.test/#a</loc></url>",
  record(IMAGE + IMAGE),
  record(
    "<image:image>\n<image:title>Größe &amp; Maß</image:title><image:loc> /i </image:loc>" +
      "<image:caption>C</image:caption>\r\n<image:geo_location>G</image:geo_location>" +
      "<image:license>/l</image:license></image:image>",
  ),
  record(NEWS),
  record(
    "<news:news><news:publication>\n<news:name>N</news:name><news:language>en</news:language>" +
      "</news:publication><news:publication_date> 2024-05-06T07:08:09Z\n</news:publication_date>" +
      "<news:title>A &amp;amp; B</news:title><news:keywords>a, b</news:keywords>" +
      "<news:genres>Blog</news:genres><news:stock_tickers>X:Y</news:stock_tickers></news:news>",
  ),
  record(LINK + LINK),
  record('<xhtml:link rel="alternate" href="/en?a&amp;b"  hreflang="en"\n\t/>'),
];

/** Records with something about them that the general lane must see. */
const UNCOMMON: readonly string[] = [
  // addresses
  "<url></url>",
  "<url><loc></loc></url>",
  "<url><loc> </loc></url>",
  "<url><loc>/relative</loc></url>",
  "<url><loc>https://site.test</loc></url>",
  "<url><loc>https://bücher.test/</loc></url>",
  "<url><loc>https://[/</loc></url>",
  "<url><loc>https://site.test/\n</loc><loc>https://site.test/2</loc></url>",
  "<url><loc>https://site.test/&</loc></url>",
  "<url><loc>https://site.test/&nosuch;</loc></url>",
  "<url><loc>https://site.test/&#32;</loc></url>",
  "<url><loc>https://site.test/\x01</loc></url>",
  "<url><loc>\rhttps://site.test/</loc></url>",
  "<url><loc>https://site.test/\r</loc></url>",
  "<url><loc>https://site.test/\ufffd</loc></url>",
  "<url><loc>https://site.test/é\xa0</loc></url>",
  `<url><loc>https://site.test/${"x".repeat(1000)}</loc></url>`,
  // markup
  '<url id="1"><loc>https://site.test/</loc></url>',
  "<URL><loc>https://site.test/</loc></URL></url>",
  "<url><LOC>https://site.test/</LOC></url>",
  "<url><loc>https://site.test/</LOC></url>",
  "<url><loc >https://site.test/</loc></url>",
  "<url><loc>https://site.test/<b/></loc></url>",
  "<url><loc><![CDATA[https://site.test/]]></loc></url>",
  "<loc>https://site.test/</loc></url>",
  "<url><url><loc>https://site.test/</loc></url>",
  "<lastmod>2024-05-06</lastmod><url><loc>https://site.test/</loc></url>",
  "text<url><loc>https://site.test/</loc></url>",
  "\0<url><loc>https://site.test/</loc></url>",
  "\xa0<url><loc>https://site.test/</loc></url>",
  record("text"),
  record("<!-- c -->"),
  record("<other/>"),
  record("</other>"),
  record("</urx>"),
  record("\r"),
  record("<loc2>/</loc2>"),
  // fields
  record("<lastmod></lastmod>"),
  record("<lastmod>6 May 2024</lastmod>"),
  record("<lastmod>2024-02-30</lastmod>"),
  record("<lastmod>2024-05-06</lastxxx>"),
  record("<lastmod>2024-05-06</lastmox>"),
  record("<lastmod>2024-05-06</last>"),
  record("<lastmodx>2024-05-06</lastmodx>"),
  record("<last>2024-05-06</last>"),
  record('<xhtml:link href="/en" hreflang="en" rel="alternate"/>'),
  record("<changefreq>Weekly</changefreq>"),
  record("<changefreq> weekly</changefreq>"),
  record("<changefreq>weekly</changefrex>"),
  record("<changefreq>x</changefreq>"),
  record("<change>weekly</change>"),
  record("<changefred>weekly</changefred>"),
  record("<priority>2</priority>"),
  record("<priority>1.1</priority>"),
  record("<priority>0.x</priority>"),
  record("<priority><a></priority>"),
  record("<priority></priority>"),
  record("<priority>0.5</prioritx>"),
  record("<priority>0.5</prioxxxx>"),
  record("<priority>0.5</pri>"),
  record("<prioritx>0.5</prioritx>"),
  record("<prio>0.5</prio>"),
  // images
  record("<image:image></image:image>"),
  record("<image:image><image:loc></image:loc></image:image>"),
  record("<image:image>text<image:loc>/i</image:loc></image:image>"),
  record("<image:image><image:loc>/i</image:loc><image:other/></image:image>"),
  record("<image:image><image:loc>/i</image:loc></image:imagx>"),
  record("<image:image><image:loc>/i</image:lox></image:image>"),
  record("<image:image><image:loc>\x01/i</image:loc></image:image>"),
  record("<image:image><image:loc>/i\x01</image:loc></image:image>"),
  record("<image:image><image:loc>/i\r</image:loc></image:image>"),
  record(`<image:image><image:loc>${"x".repeat(1001)}</image:loc></image:image>`),
  record("<image:loc>/i</image:loc>"),
  // news
  record("<news:news><news:title>T</news:title></news:news>"),
  record("<news:news><news:publication_date>2024-05-06</news:publication_date></news:news>"),
  record(NEWS + NEWS),
  record(NEWS.replace("2024-05-06", "yesterday")),
  record(NEWS.replace("2024-05-06", "")),
  record(NEWS.replace("2024-05-06<", "2024-05-06<b/><")),
  record(NEWS.replace(">T<", "><")),
  record(NEWS.replace(">T<", ">&amp;#0;<")),
  record(NEWS.replace("</news:news>", "<news:access>Registration</news:access></news:news>")),
  record(NEWS.replace("</news:news>", "</news:new>")),
  record(
    NEWS.replace("<news:title>", "<news:publication><news:x/></news:publication><news:title>"),
  ),
  record(NEWS.replace("<news:title>", "<news:publication></news:publicatiox><news:title>")),
  record(NEWS.replace("<news:title>", "<news:keywords></news:keywords><news:title>")),
  // alternates
  record(LINK.replace("alternate", "Alternate")),
  record(LINK.replace("alternate", "canonical")),
  record(LINK.replace('rel="alternate" ', "")),
  record(LINK.replace('hreflang="en" ', "")),
  record(LINK.replace('href="/en"', "")),
  record(LINK.replace('href="/en"', 'href="/en" href="/de"')),
  record(LINK.replace('href="/en"', 'href=""')),
  record(LINK.replace('hreflang="en"', 'hreflang=""')),
  record(LINK.replace('href="/en"', 'href=" /en"')),
  record(LINK.replace('href="/en"', 'href="/en "')),
  record(LINK.replace('href="/en"', 'href="/e\nn"')),
  record(LINK.replace('href="/en"', 'href="<"')),
  record(LINK.replace('href="/en"', "href='/en'")),
  record(LINK.replace('href="/en"', `href="${"x".repeat(1001)}"`)),
  record(LINK.replace('href="/en"', 'href="/en')),
  record(LINK.replace('" href', '"href')),
  record(LINK.replace("/>", "></xhtml:link>")),
  record(LINK.replace("xhtml:link ", "xhtml:link\n")),
  record(LINK.replace("xhtml:link ", "xhtml:line ")),
  record(LINK.replace(" hreflang", "\x01hreflang")),
];

Deno.test("the fast lane reads records of the common form", () => {
  for (const records of COMMON) {
    const { read, pages } = scan(records);
    assertEquals(read, documentBytes(records).length, records);
    assertEquals(pages.length, 1, records);
  }
});

Deno.test("the fast lane stops before a record of any other form, with nothing done", () => {
  for (const records of UNCOMMON) {
    assertEquals(scan(records), { read: 0, lines: 0, pages: [] }, records);
    const good = "\n<url><loc>https://site.test/good</loc></url>";
    const behind = scan(good + records);
    assertEquals([behind.read, behind.lines, behind.pages.length], [good.length, 1, 1], records);
  }
});

Deno.test("the fast lane leaves extensions alone whose prefix means something else", () => {
  const none = { hasUsualImages: false, hasUsualNews: false, hasUsualAlternates: false };
  for (const extension of [IMAGE, NEWS, LINK]) {
    assertEquals(scan(record(extension), { ...USUAL, ...none }).read, 0);
  }
});

Deno.test("the fast lane leaves to the general one what must be told of an entry", () => {
  const one = record("");
  assertEquals(scan(one + one).read, one.length, "a duplicate");
  assertEquals(scan(one, USUAL, 0).read, 0, "one too many");
  const accented = "<url><loc>https://site.test/é</loc></url>";
  const { read, pages } = scan(one + accented, USUAL, 1);
  assertEquals([read, pages.length], [one.length, 1], "one too many that is not ASCII");
});

Deno.test("the fast lane counts the lines that it read", () => {
  const lines = scan(
    "\n<url>\r\n<loc>\nhttps://site.test/\n</loc>\n<lastmod>\n2024-05-06\n</lastmod>" +
      '\n<image:image>\n<image:loc>\n/i\n</image:loc>\n</image:image>\n<xhtml:link rel="alternate"' +
      '\nhreflang="en"\nhref="/"\n/>\n<priority>\n\n0.5\r\n\r\n</priority>\n</url>\n\n',
  ).lines;
  assertEquals(lines, 22);
});

Deno.test("the fast lane reads several authorities, each by its own rules", () => {
  const hosts = ["https://a.test/", "http://a.test/", "https://a.test:8443/", "https://a.test?"];
  const records = [...hosts, ...hosts].map((host, number) =>
    `<url><loc>${host}${number}</loc></url>`
  );
  const { pages } = scan(records.join(""));
  assertEquals(
    pages,
    [...hosts, ...hosts].map((host, number) => ({ url: `${host}${number}`, priority: 0.5 })),
  );
});
