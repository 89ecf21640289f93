import { assertEquals } from "@std/assert";
import { assertReadsAlike, documentBytes } from "./reading.ts";

/** Dates of sitemaps and feeds, and how they are written. */
const DATES: Readonly<Record<string, string>> = {
  "2024": "2024",
  "2024-05": "2024-05",
  "2024-05-01": "2024-05-01",
  "2024-05-01Z": "2024-05-01",
  " 2024-05-01\n": "2024-05-01",
  "<![CDATA[2024-05]]>": "2024-05",
  "2024&#45;05-01": "2024-05-01",
  "May 2024": "2024-05",
  "2024-05-01<": "2024-05-01",
  "2024-05-01+02:00": "2024-04-30T22:00:00.000Z",
  "1714521600": "2024-05-01T00:00:00.000Z",
  "2024-05-01T00:00:00Z": "2024-05-01T00:00:00.000Z",
  "2024-05-01T10:20:30+02:00": "2024-05-01T08:20:30.000Z",
  "Wed, 01 May 2024 00:00:00 GMT": "2024-05-01T00:00:00.000Z",
  "Wed, 01 May 2024 10:20 EST": "2024-05-01T15:20:00.000Z",
};

const NAMESPACES = 'xmlns:news="http://www.google.com/schemas/sitemap-news/0.9" ' +
  'xmlns:video="http://www.google.com/schemas/sitemap-video/1.1" ' +
  'xmlns:dc="http://purl.org/dc/elements/1.1/"';
const URL = "https://site.test/a";

function inUrlset(fields: string): string {
  return `<urlset ${NAMESPACES}><url><loc>${URL}</loc>${fields}</url></urlset>`;
}

function inRss(fields: string): string {
  return `<rss ${NAMESPACES}><channel><item><title>T</title><link>${URL}</link>${fields}</item>` +
    "</channel></rss>";
}

const STORY = { newsStory: { title: "T", publishDate: "DATE" } };

/** Documents with a date, `DATE`, and the page that is read of each, by the place of the date. */
const PLACES: Readonly<Record<string, readonly [document: string, page: object]>> = {
  lastmod: [inUrlset("<lastmod>DATE</lastmod>"), { lastModified: "DATE" }],
  "news:publication_date": [
    inUrlset(
      "<news:news><news:title>T</news:title>" +
        "<news:publication_date>DATE</news:publication_date></news:news>",
    ),
    STORY,
  ],
  "video:expiration_date": [
    inUrlset(
      "<video:video><video:expiration_date>DATE</video:expiration_date>" +
        "<video:publication_date>2000</video:publication_date></video:video>",
    ),
    { videos: [{ expirationDate: "DATE", publicationDate: "2000" }] },
  ],
  "video:publication_date": [
    inUrlset("<video:video><video:publication_date>DATE</video:publication_date></video:video>"),
    { videos: [{ publicationDate: "DATE" }] },
  ],
  pubDate: [inRss("<pubDate>DATE</pubDate><dc:date>2001-02</dc:date>"), STORY],
  "dc:date": [inRss("<dc:date>DATE</dc:date>"), STORY],
  published: [
    `<feed><entry><title>T</title><link href="${URL}"/><updated>2001-02</updated>` +
    "<published>DATE</published><published>2002</published></entry></feed>",
    STORY,
  ],
};

for (const [name, [document, page]] of Object.entries(PLACES)) {
  Deno.test(`the precision of a date in "${name}" is kept`, () => {
    for (const [date, written] of Object.entries(DATES)) {
      const { pages } = assertReadsAlike(documentBytes(document.replace("DATE", date)));
      const expected = JSON.stringify({ url: URL, ...page }).replace("DATE", written);
      assertEquals([date, pages], [date, [expected]]);
    }
  });
}

Deno.test("the precision of a date does not affect the next page", () => {
  const entries = ["2024", "2024-05-01T10:20:30Z", "", "2024-05", "", "2024-05-01"];
  const document = entries.map((date, number) =>
    `<url><loc>${URL}${number}</loc>${date && `<lastmod>${date}</lastmod>`}</url>`
  );
  const { pages } = assertReadsAlike(documentBytes(`<urlset>${document.join("")}</urlset>`));
  assertEquals(pages.map((page) => JSON.parse(page).lastModified), [
    "2024",
    "2024-05-01T10:20:30.000Z",
    undefined,
    "2024-05",
    undefined,
    "2024-05-01",
  ]);
});

Deno.test("a readable priority counts as given", () => {
  const priorities = ["", "0.5", " 0.50 ", "", "0.8", "5e-1", "2", "high", "1"];
  const document = priorities.map((priority, number) =>
    `<url><loc>${URL}${number}</loc><priority>${priority}</priority></url>`
  );
  const { pages } = assertReadsAlike(documentBytes(`<urlset>${document.join("")}</urlset>`));
  assertEquals(
    pages.map((page) => JSON.parse(page).priority),
    [undefined, 0.5, 0.5, undefined, 0.8, 0.5, undefined, undefined, 1],
  );
});
