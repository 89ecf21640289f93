import { assertEquals, assertThrows } from "@std/assert";
import { parse } from "@std/csv/parse";
import fc from "../support/fast_check.ts";
import { type CsvOptions, toCsv } from "../../src/write/mod.ts";
import type { WriterInput } from "../../src/write/text_stream.ts";
import { cellOf, spreadsheetCells } from "./csv_oracle.ts";
import { anyText, hostilePage } from "../data/arbitrary_page.ts";
import { CSV_COLUMNS, type CsvColumn, FULL_PAGE, PLAIN_PAGE, WALK } from "./samples.ts";
import { csvRow } from "./writer_oracle.ts";
import { written } from "./written.ts";

/** Rows of pages, without the header. */
function rowsOf(pages: Iterable<WriterInput>, options: CsvOptions = {}): Promise<string> {
  return written(toCsv({ header: false, ...options }), pages);
}

Deno.test("toCsv() writes the plain columns by default", async () => {
  assertEquals(
    await written(toCsv(), [PLAIN_PAGE, FULL_PAGE]),
    "url,priority,lastModified,changeFrequency\r\n" +
      "https://example.com/plain,,,\r\n" +
      "https://example.com/full?a=1&b=2,0.8,2005-01-01T10:20:30.456Z,daily\r\n",
  );
});

Deno.test("toCsv() writes the header by default, even without pages", async () => {
  const columns = ["url", "sitemap.url"] as const;
  assertEquals(await written(toCsv({ columns }), []), "url,sitemap.url\r\n");
  assertEquals(await rowsOf([], { columns }), "");
  assertEquals(
    await rowsOf(WALK, { columns }),
    "https://example.com/plain,https://example.com/sitemap.xml\r\n" +
      "https://example.com/full?a=1&b=2,https://example.com/sitemap.xml\r\n",
  );
});

Deno.test("toCsv() writes every column there is", async () => {
  const text = await written(toCsv({ columns: CSV_COLUMNS }), WALK);
  const rows: Record<string, string>[] = parse(text, { skipFirstRow: true });
  assertEquals(rows[1], {
    "url": "https://example.com/full?a=1&b=2",
    "priority": "0.8",
    "lastModified": "2005-01-01T10:20:30.456Z",
    "changeFrequency": "daily",
    "newsStory.title": "Two mills & one <river>",
    "newsStory.publishDate": "2008-12-23",
    "newsStory.publicationName": "The Example Times",
    "newsStory.publicationLanguage": "en",
    "newsStory.access": "Subscription",
    "newsStory.genres": "PressRelease|Blog",
    "newsStory.keywords": "mill|river",
    "newsStory.stockTickers": "NASDAQ:AMAT",
    "images.loc": "https://example.com/1.png|https://example.com/2.png",
    "images.caption": "A mill|Another mill",
    "images.geoLocation": "Limerick, Ireland|Cork, Ireland",
    "images.title": "Mill|Second mill",
    "images.license": "https://example.com/license|https://example.com/license?2",
    "videos.thumbnailLoc": "https://example.com/thumb.png",
    "videos.title": "Grinding",
    "videos.description": "How a mill works",
    "videos.contentLoc": "https://example.com/video.mp4",
    "videos.playerLoc": "https://example.com/player?v=1",
    "videos.duration": "600",
    "videos.expirationDate": "2030-01-01T00:00:00Z",
    "videos.rating": "4.2",
    "videos.viewCount": "12345",
    "videos.publicationDate": "2007-11-05T19:20:30Z",
    "videos.familyFriendly": "true",
    "videos.restriction": "allow: IE GB",
    "videos.platform": "deny: tv",
    "videos.requiresSubscription": "false",
    "videos.uploader": "Miller",
    "videos.uploaderInfo": "https://example.com/users/miller",
    "videos.live": "false",
    "videos.tags": "mill, grain",
    "videos.gallery": "https://example.com/gallery?1",
    "videos.galleryTitle": "Mills & grain",
    "videos.prices": "1.99 EUR rent HD, 12 USD purchase SD",
    "alternates.hreflang": "de|x-default",
    "alternates.href": "https://example.com/de/full?a=1&b=2|https://example.com/full",
    "sitemap": "https://example.com/sitemap.xml",
    "sitemap.id": "2",
    "sitemap.type": "PagesXmlSitemap",
    "sitemap.url": "https://example.com/sitemap.xml",
    "sitemap.requestedUrl": "",
    "sitemap.level": "1",
    "sitemap.parent": "1",
    "sitemap.index": "0",
    "sitemap.lastModified": "",
    "sitemap.foundBy": "",
  });
  const empty = Object.values(rows[0] ?? {}).filter((cell) => cell === "");
  // All but url and the seven columns of its sitemap.
  assertEquals(empty.length, CSV_COLUMNS.length - 8);
});

Deno.test("toCsv() leaves the cell of a priority empty unless one was given", async () => {
  const columns = ["priority", "lastModified"] as const;
  const pages = [{ url: "", lastModified: "2024" }, { url: "", priority: 0.5 }];
  assertEquals(await rowsOf(pages, { columns }), ",2024\r\n0.5,\r\n");
});

Deno.test("toCsv() leaves the sitemap's cells empty where only pages come in", async () => {
  const columns = CSV_COLUMNS.filter((column) => column.startsWith("sitemap"));
  assertEquals(await rowsOf([PLAIN_PAGE], { columns }), ",,,,,,,,,\r\n");
});

Deno.test("toCsv() writes other separators and a byte order mark on request", async () => {
  const columns = ["url", "images.loc"] as const;
  const options = { columns, separator: "\t", bom: true };
  assertEquals(
    await written(toCsv(options), [FULL_PAGE]),
    "\ufeffurl\timages.loc\r\n" +
      "https://example.com/full?a=1&b=2\t" +
      '"https://example.com/1.png|https://example.com/2.png"\r\n',
  );
  assertEquals(await rowsOf([PLAIN_PAGE], options), "\ufeffhttps://example.com/plain\t\r\n");
});

Deno.test("toCsv() puts an apostrophe before what a spreadsheet takes for a formula", async () => {
  for (const start of ["=", "+", "-", "@", "\t", "\r", "\n", "\uff1d", " =", "\u3000 +"]) {
    const url = `${start}HYPERLINK(1)`;
    const columns = ["url", "priority"] as const;
    const rows: string[][] = parse(await rowsOf([{ url }], { columns }));
    assertEquals(rows, [[`'${url.replace("\r", "\n")}`, ""]]);
  }
});

Deno.test("toCsv() quotes cells that hold a separator of any locale", async () => {
  for (const separator of [",", ";", "\t", "|"]) {
    for (const inside of [",", ";", "\t", "|", '"', "\n"]) {
      const url = `https://e.com/${inside}=1+1`;
      const text = await rowsOf([{ url }], { separator });
      const quoted = `"${url.replace('"', '""')}"`;
      assertEquals(text, [quoted, "", "", "\r\n"].join(separator));
    }
  }
});

Deno.test("toCsv() writes no formula, whatever a spreadsheet splits at", async () => {
  const columns = ["url", "newsStory.title", "images.caption"] as const;
  const formula = /^\s*[=+\-@\uff0b\uff0d\uff1d\uff20]/;
  const check = async (url: string, title: string, caption: string) => {
    const page = {
      url,
      newsStory: { title },
      images: [{ loc: "", caption }, { loc: "", caption }],
    };
    const text = await rowsOf([page], { columns });
    for (const separator of [",", ";", "\t", "|"]) {
      const formulas = spreadsheetCells(text, separator).filter((cell) => formula.test(cell));
      assertEquals(formulas, [], JSON.stringify(text));
    }
  };
  await check("https://e.com/;=1+1", "mill;=1+1;", '=1+1|"=1+1');
  await check("https://e.com/", "mill\n=1+1", 'mill; "=1+1;');
  await fc.assert(fc.asyncProperty(anyText(), anyText(), anyText(), check));
});

Deno.test("toCsv() adds nothing to a first cell that no reader splits", async () => {
  const url = "https://e.com/;-a,-b|@c\t=d";
  assertEquals(parse(await rowsOf([{ url }], { columns: ["url"] })), [[url]]);
});

Deno.test("toCsv() leaves negative numbers alone", async () => {
  const event = { ...WALK[3], sitemap: { ...WALK[0], level: -1 } };
  const columns = ["url", "sitemap.level"] as const;
  const text = await rowsOf([JSON.parse(JSON.stringify(event))], { columns });
  assertEquals(text, "https://example.com/plain,-1\r\n");
});

Deno.test("toCsv() escapes control characters", async () => {
  const page = { url: "https://a.test/\x1b[2J\x9b\0\t" };
  const columns = ["url"] as const;
  assertEquals(await rowsOf([page], { columns }), '"https://a.test/\\x1b[2J\\x9b\\x00\t"\r\n');
});

Deno.test("toCsv() writes the cell of every column", async () => {
  const ofPages = CSV_COLUMNS.filter((column) => !column.startsWith("sitemap"));
  // A number goes first: a byte order mark at the beginning is taken for one, whatever was meant.
  const columns: CsvColumn[] = ["priority", ...ofPages];
  const pages = fc.array(hostilePage(), { minLength: 1, maxLength: 4 });
  const separator = fc.constantFrom(",", ";", "\t");
  await fc.assert(fc.asyncProperty(pages, separator, async (pages, separator) => {
    const writer = toCsv({ columns, header: false, separator });
    const rows = pages.map((page) =>
      csvRow(columns.map((column) => cellOf(page, column)), { separator })
    );
    assertEquals(await written(writer, pages), rows.join(""));
  }));
});

Deno.test("toCsv() makes one row of a page whatever is in it, by any reader's rules", async () => {
  await fc.assert(fc.asyncProperty(anyText(), async (url) => {
    const columns = ["url", "priority"] as const;
    const text = await rowsOf([{ url }], { columns });
    // Outside of quotes there is one line break: the row's own.
    const unquoted = text.replace(/"(?:[^"]|"")*"/g, "");
    assertEquals(unquoted.match(/\r\n|\r|\n/g), ["\r\n"]);
  }));
});

Deno.test("toCsv() refuses unknown columns and names the nearest", () => {
  assertThrows(
    () => toCsv({ columns: ["url", "lastmodified" as CsvColumn] }),
    TypeError,
    'Cannot write CSV: unknown column "lastmodified"; did you mean "lastModified"?',
  );
  assertThrows(
    () => toCsv({ columns: ["image.loc" as CsvColumn] }),
    TypeError,
    'did you mean "images.loc"?',
  );
  // Names that every object has are no columns either.
  assertThrows(() => toCsv({ columns: ["toString" as CsvColumn] }), TypeError);
});

Deno.test("toCsv() refuses to write no columns, or to separate them by quotes or nothing", () => {
  assertThrows(() => toCsv({ columns: [] }), TypeError, "Cannot write CSV: no columns");
  for (const separator of ['"', "\n", "\r", ""]) {
    assertThrows(() => toCsv({ separator }), TypeError, "Cannot write CSV: invalid separator");
  }
});
