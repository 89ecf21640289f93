import { assert, assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { gzipSync } from "node:zlib";
import { parseSitemap, sitemapFromString, type SitemapSource } from "../../mod.ts";
import type { TreeEvent } from "../../src/events.ts";
import { bytes, TrackedBody } from "../http/scripted_fetch.ts";
import { finishedOf, index, outline, urlset } from "./walk_support.ts";

const XML = urlset("https://a.test/1", "https://a.test/2?a&b");

async function pagesOf(source: SitemapSource, options = {}): Promise<string[]> {
  const events: TreeEvent[] = await Array.fromAsync(parseSitemap(source, options));
  return events.flatMap((event) => event.type === "page" ? [event.page.url] : []);
}

Deno.test("parseSitemap() takes strings, bytes, buffers, blobs, streams and responses", async () => {
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

Deno.test("parseSitemap() undoes gzip, and reads the charset of a response", async () => {
  const packed = new Response(XML).body!.pipeThrough(new CompressionStream("gzip"));
  assertEquals((await pagesOf(packed)).length, 2);
  const latin = Uint8Array.from(urlset("https://a.test/é"), (character) => character.charCodeAt(0));
  const response = new Response(latin, { headers: { "content-type": "text/xml; charset=latin1" } });
  assertEquals(await pagesOf(response), ["https://a.test/é"]);
  assertEquals(await pagesOf(latin, { contentType: "text/xml; charset=latin1" }), [
    "https://a.test/é",
  ]);
});

Deno.test("parseSitemap() undoes three layers of gzip, and makes nothing of a fourth", async () => {
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

Deno.test("parseSitemap() reads robots.txt where the URL says so", async () => {
  const text = "Sitemap: /a.xml";
  const robots = await Array.fromAsync(parseSitemap(text, { url: "https://site.test/robots.txt" }));
  assertEquals(outline(robots)[1], "invalid unfetched /a.xml");
  assertEquals(outline(await Array.fromAsync(parseSitemap(text)))[0], "invalid not-a-sitemap ");
});

Deno.test("parseSitemap() tells what is wrong, and never throws for it", async () => {
  for (const source of ["", " ", "<html/>", "prose", "<!DOCTYPE a [", "{}", "\x1f\x8b"]) {
    const events = await Array.fromAsync(parseSitemap(source));
    assertEquals(events[0]?.type, "invalid", JSON.stringify(source));
    assertEquals(finishedOf(events).verdict, "partial");
  }
  const cut = await Array.fromAsync(parseSitemap(XML.slice(0, -4)));
  assertEquals(finishedOf(cut).verdict, "partial");
});

Deno.test("parseSitemap() reads as it is asked for, and lets go when it is left", async () => {
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

Deno.test("parseSitemap() minds its signal", async () => {
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

Deno.test("parseSitemap() of a stream that somebody else reads is misuse", async () => {
  const stream = new Response(XML).body!;
  const reader = stream.getReader();
  await assertRejects(() => parseSitemap(stream).next(), TypeError);
  await reader.cancel();
});

Deno.test("sitemapFromString() minds the ceilings", async () => {
  const sitemap = await sitemapFromString(XML, { maxEntries: 1 });
  assertEquals(sitemap.pages.length, 1);
});
