import { assert, assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { gzipSync } from "node:zlib";
import { parseSitemap, sitemapFromString, type SitemapSource } from "../../mod.ts";
import type { TreeEvent } from "../../src/data/events.ts";
import { bytes, TrackedBody } from "../http/scripted_fetch.ts";
import { at, finishedOf, index, outline, urlset } from "./walk_support.ts";

const XML = urlset("https://a.test/1", "https://a.test/2?a&b");

async function pagesOf(source: SitemapSource, options = {}): Promise<string[]> {
  const events: TreeEvent[] = await Array.fromAsync(parseSitemap(source, options));
  return events.flatMap((event) => event.type === "page" ? [event.page.url] : []);
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
  assertEquals(
    finishedOf(await Array.fromAsync(parseSitemap(new Response(null)))).verdict,
    "partial",
  );
});

Deno.test("parseSitemap() decompresses gzip, and reads the charset of a response", async () => {
  const packed = new Response(XML).body!.pipeThrough(new CompressionStream("gzip"));
  assertEquals((await pagesOf(packed)).length, 2);
  const latin = Uint8Array.from(urlset("https://a.test/é"), (character) => character.charCodeAt(0));
  const response = new Response(latin, { headers: { "content-type": "text/xml; charset=latin1" } });
  assertEquals(await pagesOf(response), ["https://a.test/é"]);
  assertEquals(await pagesOf(latin, { contentType: "text/xml; charset=latin1" }), [
    "https://a.test/é",
  ]);
});

Deno.test("parseSitemap() decompresses three layers of gzip, but not a fourth", async () => {
  let packed = bytes(XML);
  for (let layers = 1; layers <= 4; layers++) {
    packed = new Uint8Array(gzipSync(packed));
    const events = await Array.fromAsync(parseSitemap(packed));
    const [first] = events;
    if (layers <= 3) assertEquals(events.filter(({ type }) => type === "page").length, 2);
    else assertEquals(first?.type === "invalid" && first.code, "not-a-sitemap");
  }
});

Deno.test("parseSitemap() makes the document the root, at level 0", async () => {
  const events = await Array.fromAsync(
    parseSitemap(index("/a", "/b"), { url: "https://site.test/i" }),
  );
  assertEquals(outline(events), [
    "entered /i",
    "invalid unfetched /a",
    "invalid unfetched /b",
    "left /i",
    "finished complete",
  ]);
  const refs = events.flatMap((event) => event.type === "finished" ? [] : [event.sitemap]);
  assertEquals(refs.map(({ id, level, parent, index }) => [id, level, parent, index]), [
    [0, 0, null, 0],
    [1, 1, 0, 0],
    [2, 1, 0, 1],
    [0, 0, null, 0],
  ]);
  const { stats } = finishedOf(events);
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
  const robots = await Array.fromAsync(parseSitemap(text, { url: "https://site.test/robots.txt" }));
  assertEquals(outline(robots)[1], "invalid unfetched /a.xml");
  assertEquals(outline(await Array.fromAsync(parseSitemap(text)))[0], "invalid not-a-sitemap ");
});

Deno.test("parseSitemap() is partial if the address of a child was dropped", async () => {
  const documents: Readonly<Record<string, readonly [document: string, warning: string]>> = {
    "missing": ["<sitemapindex><sitemap></sitemap></sitemapindex>", "no-address"],
    "empty": [index("https://a.test/s", ""), "no-address"],
    "unusable": [index("ftp://a.test/s", "https://a.test/s"), "bad-address"],
    "relative, without a base": [index("s.xml"), "bad-address"],
    "too long": [index(`https://a.test/${"x".repeat(200)}`, "https://a.test/s"), "value-too-long"],
  };
  for (const [name, [document, warning]] of Object.entries(documents)) {
    const events = await Array.fromAsync(parseSitemap(document, { maxValueLength: 100 }));
    const codes = events.flatMap((event) => event.type === "warning" ? [event.code as string] : []);
    assertEquals([name, codes, finishedOf(events).verdict], [name, [warning], "partial"]);
    const left = events.find((event) => event.type === "sitemap-left");
    assertEquals(left?.complete, true, "the document itself was read to its end");
  }
  const robots = parseSitemap("Sitemap: https://a.test/s\nSitemap: ftp://a.test/s\n", {
    url: "https://a.test/robots.txt",
  });
  assertEquals(finishedOf(await Array.fromAsync(robots)).verdict, "partial");
  const page = parseSitemap(urlset("https://a.test/1", "ftp://a.test/2"));
  assertEquals(finishedOf(await Array.fromAsync(page)).verdict, "complete", "pages do not count");
});

Deno.test("parseSitemap() gives a reason for the children that it does not fetch", async () => {
  const paths = Array.from({ length: 2500 }, (_, at) => `/${at}`);
  const events = await Array.fromAsync(parseSitemap(index(...paths)));
  const invalid = events.flatMap((event) => event.type === "invalid" ? [event] : []);
  assertEquals(invalid.map(({ sitemap }) => sitemap.url), paths.map(at));
  assertEquals(invalid.map(({ sitemap }) => sitemap.id), paths.map((_, position) => position + 1));
  assertEquals(new Set(invalid.map(({ reason }) => reason)), new Set([invalid[0]!.reason]));
  assertEquals(invalid[0]!.reason, "Not fetched: parsing does not use the network");
  assertEquals(finishedOf(events).stats.invalid, 2500);
});

Deno.test("parseSitemap() reports invalid documents without throwing", async () => {
  for (const source of ["", " ", "<html/>", "prose", "<!DOCTYPE a [", "{}", "\x1f\x8b"]) {
    const events = await Array.fromAsync(parseSitemap(source));
    assertEquals(events[0]?.type, "invalid", JSON.stringify(source));
    assertEquals(finishedOf(events).verdict, "partial");
  }
  const cut = await Array.fromAsync(parseSitemap(XML.slice(0, -4)));
  assertEquals(finishedOf(cut).verdict, "partial");
});

Deno.test("parseSitemap() reads with backpressure, and cancels the stream when it is left", async () => {
  const body = new TrackedBody((at) =>
    bytes(at === 0 ? "<urlset>" : `<url><loc>https://a.test/${at}</loc></url>`)
  );
  const events = parseSitemap(body.stream());
  assertEquals(body.pulled, 0);
  for (let taken = 0; taken < 4; taken++) await events.next();
  assertEquals(body.pulled, 4);
  await events.return();
  assert(body.cancelled);
});

Deno.test("parseSitemap() obeys its signal", async () => {
  const abort = new AbortController();
  const body = new TrackedBody((at) => at === 0 ? bytes(XML.slice(0, 60)) : new Promise(() => {}));
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

Deno.test("sitemapFromString() obeys the limits", async () => {
  const sitemap = await sitemapFromString(XML, { maxEntries: 1 });
  assertEquals(sitemap.pages.length, 1);
});

Deno.test("parseSitemap() reports truncated gzip data beyond a limit alike in chunks of any size", async () => {
  // a tag with too many attributes, held back as it is incomplete
  const document = new TextEncoder().encode('<sitemapindex xmlns="http"he/l');
  const packed = new Uint8Array(
    await new Response(
      new Blob([document]).stream().pipeThrough(new CompressionStream("gzip")),
    ).arrayBuffer(),
  );
  const cut = packed.subarray(0, -9);
  const codes = async (size: number) => {
    const chunks: Uint8Array[] = [];
    for (let at = 0; at < cut.length; at += size) chunks.push(cut.slice(at, at + size));
    const found: string[] = [];
    for await (const event of parseSitemap(ReadableStream.from(chunks), { maxAttributes: 1 })) {
      if (event.type === "warning") found.push(event.code);
    }
    return found;
  };
  assertEquals(await codes(1), await codes(cut.length));
  assertEquals(await codes(1), ["xml-bad-attribute", "xml-bad-attribute"]);
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
    let reported = 0;
    for await (const event of parseSitemap(new TextEncoder().encode(text), { contentType })) {
      const message = event.type === "warning" ? event.message : "";
      const quoted = event.type === "invalid" ? event.reason : message;
      assertEquals(
        quoted.length < 300,
        true,
        `${quoted.length} characters: ${quoted.slice(0, 40)}`,
      );
      if (quoted !== "") reported++;
    }
    assertEquals(reported > 0, true, contentType);
  }
});
