import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { gunzipSync } from "node:zlib";
import { chunked } from "./chunked.ts";
import { serveRoutes, serveSite } from "./fixture_server.ts";
import { SiteFiles } from "./site_files.ts";

const IDENTITY = { headers: { "accept-encoding": "identity" } };

async function bytesOf(response: Response): Promise<Uint8Array> {
  return new Uint8Array(await response.arrayBuffer());
}

Deno.test("chunked() cuts bytes without losing any", () => {
  const bytes = Uint8Array.from({ length: 20 }, (_, i) => i);
  for (const size of [1, 7, 20, 21, Infinity]) {
    const chunks = chunked(bytes, size);
    assertEquals(chunks.flatMap((chunk) => [...chunk]), [...bytes]);
    assertEquals(chunks.length, Math.max(1, Math.ceil(20 / size)));
  }
  assertEquals(chunked(new Uint8Array(), 7), []);
  assertThrows(() => chunked(bytes, 0), RangeError);
});

Deno.test("a fixture site has the origin of its server", async () => {
  await using server = serveSite("demo");
  const response = await fetch(`${server.url}robots.txt`);
  assertEquals(response.status, 200);
  assertEquals(response.headers.get("content-type"), "text/plain; charset=utf-8");
  assert((await response.text()).includes(`Sitemap: ${server.url}sitemap_index.xml\n`));
  assertEquals((await fetch(server.url).then((home) => home.text())).includes("Two Mills"), true);
});

Deno.test("a fixture site can have another origin", async () => {
  await using server = serveSite("demo", { origin: "https://example.com" });
  const text = await fetch(`${server.url}robots.txt`).then((response) => response.text());
  assert(text.includes("Sitemap: https://example.com/sitemap_index.xml\n"));
});

Deno.test("a .gz.src file is served as gzip", async () => {
  await using server = serveSite("demo");
  const response = await fetch(`${server.url}sitemaps/news.xml.gz`);
  assertEquals(response.headers.get("content-type"), "application/gzip");
  assertEquals(response.headers.get("content-encoding"), null);
  const text = new TextDecoder().decode(gunzipSync(await bytesOf(response)));
  assert(text.includes(`<loc>${server.url}news/rye-harvest</loc>`));
});

Deno.test("a Content-Encoding is used only if accepted", async () => {
  await using server = serveSite("demo");
  const url = `${server.url}sitemaps/pages.xml`;
  const plain = await fetch(url, IDENTITY);
  assertEquals(plain.headers.get("content-encoding"), null);
  const packed = await fetch(url, { headers: { "accept-encoding": "gzip" } });
  assertEquals(packed.headers.get("vary"), "Accept-Encoding");
  assert(packed.headers.get("etag") !== plain.headers.get("etag"));
  assertEquals(await packed.text(), await plain.text());
});

Deno.test("a matching ETag gets 304 Not Modified", async () => {
  await using server = serveSite("demo");
  const url = `${server.url}sitemaps/pages.xml`;
  const first = await fetch(url, IDENTITY);
  await first.body?.cancel();
  const etag = first.headers.get("etag")!;
  const again = await fetch(url, { headers: { ...IDENTITY.headers, "if-none-match": etag } });
  assertEquals([again.status, await again.text()], [304, ""]);
});

Deno.test("a missing file is an HTML page with status 404, or 200 if the site has 200.html", async () => {
  await using demo = serveSite("demo");
  const missing = await fetch(`${demo.url}nothing.xml`);
  assertEquals(missing.status, 404);
  assertEquals(missing.headers.get("content-type"), "text/html; charset=utf-8");
  assert((await missing.text()).startsWith("<!DOCTYPE html>"));
  await using plain = serveSite("nested");
  assert((await fetch(`${plain.url}<a>`).then((page) => page.text())).includes("&#60;a&#62;"));
  await using soft = serveSite("soft-404");
  const anything = await fetch(`${soft.url}robots.txt`);
  assertEquals(anything.status, 200);
  assert((await anything.text()).includes("<h1>Oops!</h1>"));
});

Deno.test("_redirects redirects and sets the status of a page", async () => {
  await using server = serveSite("broken");
  const moved = await fetch(`${server.url}moved.xml`, { redirect: "manual" });
  assertEquals([moved.status, moved.headers.get("location")], [308, "/new/home.xml"]);
  await moved.body?.cancel();
  const forbidden = await fetch(`${server.url}forbidden.xml`);
  assertEquals(forbidden.status, 403);
  assert((await forbidden.text()).includes("<title>Something went wrong</title>"));
  const latin1 = await fetch(`${server.url}latin1.xml`, IDENTITY);
  assertEquals(latin1.headers.get("content-type"), "text/xml; charset=ISO-8859-1");
  assert((await bytesOf(latin1)).includes(0xe9));
  const empty = await fetch(`${server.url}empty.xml`);
  assertEquals([empty.status, await empty.text()], [200, ""]);
});

Deno.test("every site has files, and the broken one lists only existing files", () => {
  for (const name of ["demo", "broken", "nested", "no-robots", "soft-404"]) {
    assert(new SiteFiles(name).paths.length > 0);
  }
  const broken = new SiteFiles("broken");
  const index = new TextDecoder().decode(broken.answer("/index.xml", "").body);
  const listed = [...index.matchAll(/<loc>(\/[^<]+)<\/loc>/g)].map((match) => match[1]!);
  const missing = listed.filter((path) => !broken.paths.includes(path));
  assertEquals(missing, ["/not-found.xml"]);
});

Deno.test("routes precede files, and * matches every other path", async () => {
  await using server = serveSite("demo", {
    routes: {
      "/robots.txt": () => new Response("mine"),
      "/sitemap_news.xml": () => undefined,
      "*": (request, path) =>
        path === "/star" ? new Response(request.headers.get("x-seen")) : undefined,
    },
  });
  const textOf = (path: string) =>
    fetch(`${server.url}${path}`, { headers: { "x-seen": "yes" } }).then((r) => r.text());
  assertEquals(await textOf("robots.txt"), "mine");
  assertEquals(await textOf("star?query"), "yes");
  assert((await textOf("sitemap_news.xml")).includes("<urlset"));
  assertEquals(server.requests.map(({ path }) => path), [
    "/robots.txt",
    "/star?query",
    "/sitemap_news.xml",
  ]);
  assertEquals(server.requests[1]?.headers.get("x-seen"), "yes");
  assertEquals(server.counts, { "/robots.txt": 1, "/star?query": 1, "/sitemap_news.xml": 1 });
});

Deno.test("a route that throws is a 500, a server without a site a 404", async () => {
  await using server = serveRoutes({
    "/throws": () => {
      throw new Error("Cannot do that");
    },
  });
  const failed = await fetch(`${server.url}throws`);
  assertEquals([failed.status, await failed.text()], [500, "Error: Cannot do that"]);
  const missing = await fetch(`${server.url}%zz`);
  assertEquals([missing.status, await missing.text()], [404, "Not found\n"]);
});

Deno.test("pending requests are counted", async () => {
  await using server = serveSite("demo", { delay: 2 });
  let next = 0;
  const worker = async () => {
    while (next++ < 200) {
      const response = await fetch(`${server.url}sitemaps/pages.xml?${next}`);
      await response.text();
    }
  };
  await Promise.all(Array.from({ length: 8 }, worker));
  assertEquals(server.maxUnderWay, 8);
  assertEquals(server.requests.length, 200);
});

Deno.test("a server stops with unread, pending and endless bodies", async () => {
  const server = serveSite("demo", {
    routes: {
      "/endless": () => {
        const filler = new Uint8Array(65536);
        return new Response(
          new ReadableStream({ pull: (controller) => controller.enqueue(filler) }),
        );
      },
      "/silent": () => new Response(new ReadableStream({})),
    },
  });
  const endless = await fetch(`${server.url}endless`);
  const silent = await fetch(`${server.url}silent`);
  const unread = await fetch(`${server.url}robots.txt`);
  const held = endless.body!.getReader();
  await held.read();
  assert(server.underWay >= 2);
  await server[Symbol.asyncDispose]();
  await assertRejects(async () => {
    while (!(await held.read()).done);
  });
  await assertRejects(() => silent.text());
  await unread.body?.cancel();
  assertEquals(server.underWay, 0);
});

Deno.test("a server stops with delayed responses", async () => {
  const server = serveSite("demo", { delay: 60_000 });
  const answer = assertRejects(() => fetch(server.url));
  while (server.underWay === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  await server[Symbol.asyncDispose]();
  await answer;
});
