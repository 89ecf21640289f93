import { assert, assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { gzipSync } from "node:zlib";
import { parseSitemap } from "../../mod.ts";
import { bytes, TrackedBody, unfinished } from "../http/scripted_fetch.ts";
import { chunked } from "../support/chunked.ts";
import { at, entry, index, numbered, urlset } from "./site.ts";
import { sitemapsOf, Walked } from "./walked.ts";

const XML = urlset("https://a.test/1", "https://a.test/2?a&b");

type SitemapSource = Parameters<typeof parseSitemap>[0];

async function parsed(source: SitemapSource, options = {}): Promise<Walked> {
  return new Walked(await Array.fromAsync(parseSitemap(source, options)));
}

async function pagesOf(source: SitemapSource, options = {}): Promise<string[]> {
  return (await parsed(source, options)).pages;
}

Deno.test("parseSitemap() accepts strings, bytes, buffers, blobs, streams and responses", async () => {
  const sources: readonly (() => SitemapSource)[] = [
    () => XML,
    () => bytes(XML),
    () => bytes(XML).buffer as ArrayBuffer,
    () => new Blob([XML]),
    () => new Response(XML),
    () => new Response(XML).body!,
  ];
  for (const source of sources) {
    assertEquals(await pagesOf(source()), ["https://a.test/1", "https://a.test/2?a&b"]);
  }
  assertEquals((await parsed(new Response(null))).verdict, "partial");
});

Deno.test("parseSitemap() decompresses gzip, and reads the charset of a response", async () => {
  const packed = new Response(XML).body!.pipeThrough(new CompressionStream("gzip"));
  assertEquals((await pagesOf(packed)).length, 2);
  const latin = Uint8Array.from(urlset("https://a.test/é"), (character) => character.charCodeAt(0));
  const contentType = "text/xml; charset=latin1";
  const response = new Response(latin, { headers: { "content-type": contentType } });
  assertEquals(await pagesOf(response), ["https://a.test/é"]);
  assertEquals(await pagesOf(latin, { contentType }), ["https://a.test/é"]);
});

Deno.test("parseSitemap() decompresses three layers of gzip, but not a fourth", async () => {
  let packed = bytes(XML);
  for (let layers = 1; layers <= 4; layers++) {
    packed = new Uint8Array(gzipSync(packed));
    const { outline, pages } = await parsed(packed);
    if (layers <= 3) assertEquals(pages.length, 2);
    else assertEquals(outline[0], "invalid not-a-sitemap ");
  }
});

Deno.test("parseSitemap() makes the document the root, at level 0", async () => {
  const { events, outline, stats } = await parsed(index("/a", "/b"), { url: at("/i") });
  assertEquals(outline, [
    ...["entered /i", "invalid unfetched /a", "invalid unfetched /b", "left /i"],
    "finished complete",
  ]);
  const places = sitemapsOf(events).map((ref) => [ref.id, ref.level, ref.parent, ref.index]);
  const root = [0, 0, null, 0];
  assertEquals(places, [root, [1, 1, 0, 0], [2, 1, 0, 1], root]);
  assertEquals([stats.sitemaps, stats.invalid, stats.requests, stats.probes], [1, 2, 0, 0]);
});

Deno.test("parseSitemap() resolves against the URL, that of a response included", async () => {
  assertEquals(await pagesOf(urlset("x"), { url: new URL("https://a.test/dir/s.xml") }), [
    "https://a.test/dir/x",
  ]);
  const response = Object.defineProperty(new Response(urlset("x")), "url", {
    value: "https://b.test/dir/s.xml",
  });
  assertEquals(await pagesOf(response), ["https://b.test/dir/x"]);
  assertEquals(await pagesOf(urlset("x")), []);
});

Deno.test("parseSitemap() reads robots.txt by its URL", async () => {
  const text = "Sitemap: https://site.test/a.xml";
  const robots = await parsed(text, { url: at("/robots.txt") });
  assertEquals(robots.outline[1], "invalid unfetched /a.xml");
  assertEquals((await parsed(text)).outline[0], "invalid not-a-sitemap ");
});

Deno.test("parseSitemap() is partial if the address of a child was dropped", async () => {
  const documents: Readonly<Record<string, readonly [document: string, warning: string]>> = {
    "missing": ["<sitemapindex><sitemap></sitemap></sitemapindex>", "no-address"],
    "empty": [index("https://a.test/s", ""), "no-address"],
    "unusable": [index("ftp://a.test/s", "https://a.test/s"), "bad-address"],
    "relative, without a base": [index("s.xml"), "bad-address"],
    "too long": [
      index(`https://a.test/${"x".repeat(2 ** 20)}`, "https://a.test/s"),
      "value-too-long",
    ],
  };
  for (const [name, [document, warning]] of Object.entries(documents)) {
    const { warnings, verdict, complete } = await parsed(document);
    assertEquals([warnings, verdict], [[`${warning} `], "partial"], name);
    assertEquals(complete, { "": true }, "the document itself was read to its end");
  }
  const declared = "Sitemap: https://a.test/s\nSitemap: ftp://a.test/s\n";
  assertEquals((await parsed(declared, { url: at("/robots.txt") })).verdict, "partial");
  const page = await parsed(urlset("https://a.test/1", "ftp://a.test/2"));
  assertEquals(page.verdict, "complete", "pages do not count");
});

Deno.test("parseSitemap() gives a reason for the children that it does not fetch", async () => {
  const paths = numbered(2500, (at) => `/${at}`);
  const result = await parsed(index(...paths));
  const invalid = result.of("invalid");
  assertEquals(invalid.map(({ sitemap }) => sitemap.url), paths.map(at));
  assertEquals(invalid.map(({ sitemap }) => sitemap.id), paths.map((_, position) => position + 1));
  const reasons = new Set(invalid.map(({ reason }) => reason));
  assertEquals([...reasons], ["Not fetched: parsing does not use the network"]);
  assertEquals(result.stats.invalid, 2500);
});

Deno.test("parseSitemap() reports invalid documents without throwing", async () => {
  for (const source of ["", " ", "<html/>", "prose", "<!DOCTYPE a [", "{}", "\x1f\x8b"]) {
    const { events, verdict } = await parsed(source);
    assertEquals([events[0]?.type, verdict], ["invalid", "partial"], JSON.stringify(source));
  }
  assertEquals((await parsed(XML.slice(0, -4))).verdict, "partial");
});

Deno.test("parseSitemap() reads with backpressure, and cancels the stream when it is left", async () => {
  const body = new TrackedBody((at) => bytes(at === 0 ? "<urlset>" : entry(`/${at}`)));
  const events = parseSitemap(body.stream());
  assertEquals(body.pulled, 0);
  for (let taken = 0; taken < 4; taken++) await events.next();
  assertEquals(body.pulled, 4);
  await events.return();
  assert(body.cancelled);
});

Deno.test("parseSitemap() obeys its signal", async () => {
  const abort = new AbortController();
  const body = unfinished(XML.slice(0, 60));
  const events = parseSitemap(body.stream(), { signal: abort.signal });
  await events.next();
  await events.next();
  const pending = events.next();
  const reason = new Error("enough");
  abort.abort(reason);
  assertStrictEquals(await pending.catch((error) => error), reason);
  assert(body.cancelled);
});

Deno.test("parseSitemap() rejects a locked stream", async () => {
  const stream = new Response(XML).body!;
  const reader = stream.getReader();
  await assertRejects(() => parseSitemap(stream).next(), TypeError);
  await reader.cancel();
});

Deno.test("parseSitemap() reports truncated gzip data beyond a limit alike in chunks of any size", async () => {
  // a tag with too many attributes, held back as it is incomplete
  const attributes = Array.from({ length: 999 }, (_, at) => `a${at}=""`).join(" ");
  const tag = `<sitemapindex ${attributes} xmlns="http"he/l`;
  const cut = new Uint8Array(gzipSync(tag)).subarray(0, -9);
  for (const size of [1, Infinity]) {
    const body = ReadableStream.from(chunked(cut, size));
    const { warnings } = await parsed(body);
    assertEquals(warnings.map((line) => line.trim()), ["xml-bad-attribute", "xml-bad-attribute"]);
  }
});

Deno.test("parseSitemap() shortens names, values and labels in messages", async () => {
  const long = "x".repeat(50_000), name = "y".repeat(900);
  const documents: readonly (readonly [text: string, contentType: string])[] = [
    [`<?xml version="1.0" encoding="${name}"?><urlset/>`, "text/xml"],
    [`<urlset><a ${name}="1" ${name}="2"/></urlset>`, `text/xml; charset=${long}`],
    [`<urlset><url><loc>&${long};</loc><lastmod>${long}</lastmod></url></urlset>`, "text/xml"],
    [`<${long}:urlset><${long}:url/></${long}></urlset>`, "text/xml"],
    [`<html><title>${long}</title></html>`, "text/html"],
    [`${long}\nhttps://${long} ${long}\n`, "text/plain"],
  ];
  for (const [text, contentType] of documents) {
    const result = await parsed(bytes(text), { contentType });
    const reported = [...result.messages, ...result.of("invalid").map(({ reason }) => reason)];
    assert(reported.length > 0, contentType);
    for (const text of reported) {
      assert(text.length < 300, `${text.length} characters: ${text.slice(0, 40)}`);
    }
  }
});
