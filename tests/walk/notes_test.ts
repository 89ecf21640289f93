import { assert, assertEquals } from "@std/assert";
import { NOTE_CODES, type NoteEvent, parseSitemap } from "../../mod.ts";
import type { TreeEvent } from "../../src/data/events.ts";
import { walkWith } from "../../src/walk/walk.ts";
import { FakeClock } from "../http/fake_clock.ts";
import { bytes, redirect, status, text } from "../http/scripted_fetch.ts";
import { chunked } from "../support/chunked.ts";
import { readFixtures } from "../support/golden_events.ts";
import { timeless } from "../support/timeless.ts";
import { at, HOME, type Pages, robots, siteFetch, urlset } from "./site.ts";
import { eventsOf, walked } from "./walked.ts";

const URLSET = "http://www.sitemaps.org/schemas/sitemap/0.9";
const IMAGE = "http://www.google.com/schemas/sitemap-image/1.1";

/** Returns a `urlset` with the content of an entry. */
function entry(content: string, attributes = ""): string {
  const url = `<url><loc>${HOME}1</loc>${content}</url>`;
  return `<urlset xmlns="${URLSET}"${attributes}>\n${url}\n</urlset>`;
}

async function parsed(source: Parameters<typeof parseSitemap>[0]): Promise<TreeEvent[]> {
  const url = `${HOME}sitemap.xml`;
  return await Array.fromAsync(parseSitemap(source, { url, notes: true }));
}

async function notesOf(source: Parameters<typeof parseSitemap>[0]): Promise<NoteEvent[]> {
  return eventsOf(await parsed(source), "note");
}

/** Documents with the notes they have, as `code line`. */
const CASES: readonly (readonly [what: string, document: string | Uint8Array, notes: string[]])[] =
  [
    ["nothing of note", entry(""), []],
    ["no namespace", "<urlset/>", ["namespace 1"]],
    ["an old namespace", entry("").replace("0.9", "0.84"), ["namespace 1"]],
    ["https in the namespace", entry("").replace("http:", "https:"), ["namespace 1"]],
    ["a root with a prefix", `<s:urlset xmlns:s="${URLSET}"/>`, []],
    ["an index without namespace", "<sitemapindex/>", ["namespace 1"]],
    ["RSS without namespace", "<rss><channel/></rss>", []],
    ["Atom", '<feed xmlns="http://www.w3.org/2005/Atom"/>', []],
    ["Atom of an old version", '<feed xmlns="http://purl.org/atom/ns#"/>', ["namespace 1"]],
    ["an extension", entry("", ` xmlns:image="${IMAGE}"`), []],
    ["an extension with any prefix", entry("", ` xmlns:i="${IMAGE}"`), []],
    ["another version of it", entry("", ` xmlns:i="${IMAGE}0"`), ["namespace 1"]],
    ["the prefix of one", entry("", ' xmlns:video="urn:x"'), ["namespace 1"]],
    ["a prefix of another kind", entry("", ' xmlns:x="urn:x"'), []],
    ["an extension, bound inside", entry('<a xmlns:news="u"/>'), ["namespace 2"]],
    ["an unbound attribute", entry("", ' xsi:schemaLocation="a b"'), ["prefix-unbound 1"]],
    ["a bound attribute", entry("", ' xmlns:xsi="urn:i" xsi:schemaLocation="a b"'), []],
    ["an attribute of XML", entry("", ' xml:lang="en"'), []],
    ["a byte order mark", `\ufeff${entry("")}`, ["bom 1"]],
    ["UTF-16", utf16(entry("")), ["encoding"]],
    ["another encoding", `<?xml version="1.0" encoding="iso-8859-1"?>${entry("")}`, ["encoding"]],
    ["UTF-8, declared", `<?xml version="1.0" encoding="UTF-8"?>${entry("")}`, []],
    ["a DOCTYPE", `<!DOCTYPE urlset SYSTEM\n"x">\n${entry("")}`, ["doctype 2"]],
    ["a DOCTYPE with a subset", `<!DOCTYPE urlset [<!ENTITY a "b">]>${entry("")}`, []],
    ["a frequency in capitals", entry("<changefreq>DAILY</changefreq>"), ["changefreq-case 2"]],
    ["a padded frequency", entry("<changefreq> daily </changefreq>"), []],
    ["an unknown frequency", entry("<changefreq>Sometimes</changefreq>"), []],
    ...["2024", "2024-05", "2024-05-01", "2024-05-01T10:20Z", "2024-05-01T10:20:30.5+01:00"]
      .map((date) => dateCase(date)),
    ...["2024-05-01T10:20", "2024-05-01T10:20:30", "2024-05-01T10:20:30.123"]
      .map((date) => dateCase(date, "date-zone 2")),
    ...[
      "2024/05/01",
      "2024-5-1",
      "20240501",
      "2024-05-01 10:20:30",
      "2024-05-01 10:20:30Z",
      "2024-05-01T10:20:30+0100",
      "2024-05-01T10:20:30 +01:00",
      "2024-05-01T10:20:30 GMT",
      "2024-05-01t10:20:30z",
      "2024-05-01Z",
      "Wed, 01 May 2024 10:20:30 GMT",
      "1714558830",
    ].map((date) => dateCase(date, "date-format 2")),
    ["an unreadable date", entry("<lastmod>soon</lastmod>"), []],
    ["an unknown zone", entry("<lastmod>01 May 2024 10:20 XYZ</lastmod>"), []],
    ["an unreadable date in an index", indexWith("soon"), ["date-format 1"]],
    ["a date in an index", indexWith("2024-05-01"), []],
    ["a date of RSS", rssWith("Wed, 01 May 2024 10:20:30 GMT"), []],
    ["a canonical link", entry(link('rel="canonical"')), ["link-rel 2"]],
    ["a link without rel", entry(link("")), ["link-rel 2"]],
    ["an alternate in capitals", entry(link('rel="Alternate" hreflang="en"')), []],
    ["an element of another kind", entry('<m:mobile xmlns:m="urn:m"/>'), ["element-unknown 2"]],
    ["what is inside of it", entry('<m:a xmlns:m="u"><m:b/></m:a>'), ["element-unknown 2"]],
    ["an unknown element, warned of", entry("<author/>"), []],
    ["unknown elements of RSS", rssWith("").replace("<item>", "<item><x/>"), []],
  ];

function dateCase(date: string, ...notes: string[]): [string, string, string[]] {
  return [date, entry(`<lastmod>${date}</lastmod>`), notes];
}

function indexWith(date: string): string {
  const sitemap = `<sitemap><loc>${HOME}a</loc><lastmod>${date}</lastmod></sitemap>`;
  return `<sitemapindex xmlns="${URLSET}">${sitemap}</sitemapindex>`;
}

function rssWith(date: string): string {
  const item = `<item><link>${HOME}1</link><pubDate>${date}</pubDate></item>`;
  return `<rss><channel>${item}</channel></rss>`;
}

function link(attributes: string): string {
  return `<x:link xmlns:x="http://www.w3.org/1999/xhtml" ${attributes} href="${HOME}2"/>`;
}

function utf16(content: string): Uint8Array {
  const units = Uint16Array.from(`\ufeff${content}`, (character) => character.charCodeAt(0));
  return new Uint8Array(units.buffer);
}

for (const [what, document, expected] of CASES) {
  Deno.test(`notes of a document with ${what}`, async () => {
    const notes = await notesOf(typeof document === "string" ? bytes(document) : document);
    const found = notes.map(({ code, line }) => line === undefined ? code : `${code} ${line}`);
    assertEquals(found, expected);
    for (const { message } of notes) assert(/^[A-Z].*[^.]$/.test(message), message);
  });
}

Deno.test("every note code has a document, but those of responses and robots.txt", () => {
  const found = new Set(CASES.flatMap(([, , notes]) => notes.map((note) => note.split(" ")[0]!)));
  const rest = Object.keys(NOTE_CODES).filter((code) => !found.has(code));
  assertEquals(rest, ["content-type", "robots-txt"]);
});

Deno.test("notes are found in each of many entries, and at most 100 of a code are sent", async () => {
  const one = "<changefreq>Daily</changefreq><lastmod>2024-05-01 10:20</lastmod>" +
    `${link('rel="x"')}<m:x xmlns:m="u" a:b="c">y</m:x>`;
  const urls = Array.from({ length: 250 }, (_, i) => `<url>\n<loc>${HOME}${i}</loc>${one}</url>`);
  const events = await parsed(`<urlset xmlns="${URLSET}">${urls.join("\n")}</urlset>`);
  const codes = ["changefreq-case", "date-format", "link-rel", "element-unknown", "prefix-unbound"];
  const [left] = eventsOf(events, "sitemap-left");
  assertEquals(left?.notes, Object.fromEntries(codes.map((code) => [code, 250])));
  for (const code of codes) {
    const notes = eventsOf(events, "note").filter((note) => note.code === code);
    assertEquals(notes.map(({ line }) => line), Array.from({ length: 100 }, (_, i) => 2 + 2 * i));
  }
});

Deno.test("notes are the same in any chunks, and change nothing else", async () => {
  for (const { path, bytes, options } of readFixtures()) {
    const read = async (notes: boolean, size: number) => {
      const body = ReadableStream.from(chunked(bytes, size));
      return await Array.fromAsync(parseSitemap(body, { ...options, notes }));
    };
    const whole = await read(true, Infinity);
    const notes = eventsOf(whole, "note");
    for (const size of [1, 7, 64]) {
      assertEquals(eventsOf(await read(true, size), "note"), notes, `${path} by ${size}`);
    }
    const others = whole.filter(({ type }) => type !== "note").map((event) => {
      if (event.type !== "sitemap-left") return event;
      const { notes: counts, ...rest } = event;
      assertEquals(Object.keys(counts!), [...new Set(notes.map(({ code }) => code))]);
      return rest;
    });
    const without = await read(false, Infinity);
    assertEquals(timeless(JSON.stringify(others)), timeless(JSON.stringify(without)), path);
  }
});

// ---------------------------------------------------------------------------------------- responses

Deno.test("the Content-Type of a response is noted unless it is one of a sitemap", async () => {
  const types: Readonly<Record<string, boolean>> = {
    "application/xml": false,
    "text/xml; charset=utf-8": false,
    "TEXT/PLAIN": false,
    "application/rss+xml": false,
    "application/atom+xml;charset=utf-8": false,
    "application/x-gzip": false,
    "application/gzip": false,
    "text/html": true,
    "application/octet-stream": true,
    "application/json": true,
    "text/xmlx": true,
  };
  for (const [type, isNoted] of Object.entries(types)) {
    const notes = await notesOf(new Response(entry(""), { headers: { "content-type": type } }));
    assertEquals(notes.map(({ code }) => code), isNoted ? ["content-type"] : [], type);
  }
  assertEquals(await notesOf(new Response(new Blob([entry("")]))), []);
});

Deno.test("robots.txt is noted with its text", async () => {
  const content = "User-agent: *\nDisallow: /ä\nSitemap: /a\n";
  const robotsNotesOf = async (site: Pages) =>
    (await walked(site, { notes: true, useKnownPaths: true })).of("note")
      .filter(({ code }) => code === "robots-txt")
      .map(({ message, sitemap }) => [message, sitemap.url]);
  const site = { "/robots.txt": content, "/a": urlset("/1") };
  assertEquals(await robotsNotesOf(site), [[content, `${HOME}robots.txt`]]);
  const html = { "/robots.txt": "<html><body>Not found</body></html>", "/sitemap.xml": urlset() };
  assertEquals(await robotsNotesOf(html), []);
});

Deno.test("sitemaps have the response that they were read from, invalid ones too", async () => {
  const xml = { "content-type": "text/xml" };
  const { events } = await walked({
    "/robots.txt": text(robots("/a", "/moved", "/gone", "/lost", "/html"), {
      "content-type": "text/plain",
    }),
    "/a": text(urlset("/1"), xml),
    "/moved": redirect(at("/further")),
    "/further": redirect(at("/end")),
    "/end": text(urlset("/2"), xml),
    "/gone": status(410, { "content-type": "text/html" }),
    "/lost": redirect(at("/nowhere")),
    "/nowhere": status(404),
    "/html": text("<html/>", { "content-type": "text/html" }),
  });
  const found = events.flatMap((event) => {
    if (event.type !== "sitemap-entered" && event.type !== "invalid") return [];
    const { response } = event;
    const { status, contentType = "none", redirects } = response ?? {};
    return [`${new URL(event.sitemap.url).pathname} ${status} ${contentType} ${redirects}`];
  });
  assertEquals(found, [
    "/ undefined none undefined",
    "/robots.txt 200 text/plain 0",
    "/a 200 text/xml 0",
    "/end 200 text/xml 2",
    "/gone 410 text/html 0",
    "/lost 404 none 1",
    "/html 200 text/html 0",
  ]);
});

Deno.test("the duration of a sitemap is without the time of its consumer", async () => {
  const clock = new FakeClock();
  const slow = (body: string, milliseconds: number) => () =>
    new Promise<Response>((resolve) => {
      clock.after(milliseconds, () => resolve(new Response(body)));
    });
  const { fetch } = siteFetch({
    "/robots.txt": robots("/a", "/b"),
    "/a": slow(urlset("/1", "/2"), 300),
    "/b": slow(urlset("/3"), 20),
  });
  const options = { fetch, useKnownPaths: false, concurrency: 1 };
  const durations: Record<string, number | undefined> = {};
  let endedAt: string | undefined;
  await clock.run((async () => {
    for await (const event of walkWith(HOME, options, { clock })) {
      if (event.type === "page") clock.time += 5000;
      if (event.type === "finished") endedAt = event.endedAt;
      if (event.type !== "sitemap-left") continue;
      durations[new URL(event.sitemap.url).pathname] = event.durationMs;
    }
  })());
  assertEquals(durations, { "/a": 300, "/b": 20, "/robots.txt": 0, "/": undefined });
  assertEquals(endedAt, new Date(clock.time).toISOString());
});
