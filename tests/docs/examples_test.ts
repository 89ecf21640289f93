import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { type Route, serveRoutes, serveSite } from "../support/fixture_server.ts";
import { inFolder } from "../support/in_folder.ts";
import { serveSitemaps, urlset } from "./recipes.ts";
import { commandOf, EXAMPLES, printed, runExample, startExample } from "./run_example.ts";

/** The pages of the demo site, in the order of its sitemaps. */
const DEMO_PATHS = [
  ...["/", "/about", "/museum/opening-hours?season=summer&day=all"],
  ...["/museum/how-a-millstone-is-dressed", "/contact"],
  ...["/news/wheel-turns-again", "/news/rye-harvest"],
  ...["/en/bread", "/de/brot", "/en/videos/sourdough-in-ten-minutes"],
  ...["/blog/why-stone", "/blog/high-water", "/recipes/spelt-rolls", "/recipes/honey-cake"],
  ...["/trails/river-walk", "/trails/mill-to-mill", "/trails/winter-round"],
  ...["/shop/item?id=7&size=500g", "/shop/item?id=8&size=1kg", "/news/night-of-the-open-mills"],
];

function lines(text: string): string[] {
  return text.trimEnd().split("\n");
}

Deno.test("every example has its command in the first comment and rejects missing arguments", async () => {
  const examples = [...Deno.readDirSync(EXAMPLES)].map(({ name }) => name).sort();
  assertEquals(examples.length, 8);
  for (const name of examples) {
    assertEquals(commandOf(name)[0], "run");
    const { code, stderr } = await runExample(name, []);
    assertEquals(code, 1);
    assertMatch(stderr, /TypeError: Usage: HOMEPAGE/);
  }
});

Deno.test("all_pages_to_ndjson.ts writes a line of JSON for each page", async () => {
  await using server = serveSite("demo");
  await inFolder(async (folder) => {
    const path = `${folder}/pages.ndjson`;
    assertEquals(await printed("all_pages_to_ndjson.ts", server.url, path), "");
    const pages = lines(await Deno.readTextFile(path)).map((line) => JSON.parse(line));
    assertEquals(pages.map(({ url }) => url), DEMO_PATHS.map((path) => server.origin + path));
    assertEquals(pages[0], {
      url: server.url,
      priority: 1,
      lastModified: "2024-05-02T07:00:00.000Z",
      changeFrequency: "daily",
    });
  });
});

Deno.test("newest_first.ts prints the newest pages, newest first", async () => {
  await using server = serveSite("demo");
  const stdout = await printed("newest_first.ts", server.url, "6");
  assertEquals(lines(stdout.replaceAll(server.origin, "")), [
    "2024-05-04  /news/night-of-the-open-mills",
    "2024-05-03  /news/wheel-turns-again",
    "2024-05-02  /",
    "2024-04-28  /news/rye-harvest",
    "2024-04-20  /recipes/spelt-rolls",
    "2024-04-15  /blog/why-stone",
  ]);
  const all = lines(await printed("newest_first.ts", server.url, "1000"));
  assertEquals(all.length, DEMO_PATHS.length);
  assertEquals(all.at(-1), `no date     ${server.origin}/shop/item?id=8&size=1kg`);
});

Deno.test("only_english.ts prints the pages below /en/ and requests no sitemap of another language", async () => {
  const site: Record<string, (origin: string) => string> = {
    "/robots.txt": (origin) => `Sitemap: ${origin}/sitemap.xml`,
    "/sitemap.xml": (origin) => {
      const paths = ["/en/sitemap.xml", "/de/sitemap.xml", "/shop.xml"];
      const sitemaps = paths.map((path) => `<sitemap><loc>${origin}${path}</loc></sitemap>`);
      return `<sitemapindex>${sitemaps.join("\n")}</sitemapindex>`;
    },
    "/en/sitemap.xml": (origin) => urlset([`${origin}/en/bread`, `${origin}/en/rolls`]),
    "/de/sitemap.xml": (origin) => urlset([`${origin}/de/brot`]),
    "/shop.xml": (origin) => urlset([`${origin}/shop/1`, `${origin}/en/shop/1`]),
  };
  const route: Route = (request, path) => {
    const document = Object.hasOwn(site, path) ? site[path] : undefined;
    return document && new Response(document(new URL(request.url).origin));
  };
  await using server = serveRoutes({ "*": route });
  const expected = ["/en/bread", "/en/rolls", "/en/shop/1"].map((path) => server.origin + path);
  assertEquals(lines(await printed("only_english.ts", server.url)), expected);
  assertEquals(server.counts["/en/sitemap.xml"], 1);
  assertEquals(server.counts["/de/sitemap.xml"], undefined);
});

Deno.test("crawler_queue.ts requests every page once", async () => {
  await using server = serveSite("demo");
  const stdout = await printed("crawler_queue.ts", server.url, "3");
  const urls = lines(stdout).map((line) => line.split(" ")[2]);
  assertEquals(urls.toSorted(), DEMO_PATHS.map((path) => server.origin + path).sort());
  for (const path of DEMO_PATHS) assertEquals(server.counts[path], 1);
});

Deno.test("crawler_queue.ts holds back a site while its workers are busy", async () => {
  const pieces = 64;
  const filling = `<!--${"x".repeat(1024 * 1024)}-->`;
  let served = 0;
  let crawled = 0;
  const { promise: busy, resolve: setBusy } = Promise.withResolvers<void>();
  const { promise: release, resolve: resolveRelease } = Promise.withResolvers<void>();
  const encoder = new TextEncoder();
  await using server = serveRoutes({
    "/sitemap.xml": ({ url }) =>
      new Response(
        new ReadableStream({
          start: (controller) => controller.enqueue(encoder.encode("<urlset>")),
          pull(controller) {
            const entry = `<url><loc>${new URL(`/page/${served++}`, url).href}</loc></url>`;
            controller.enqueue(encoder.encode(entry + filling));
            if (served < pieces) return;
            controller.enqueue(encoder.encode("</urlset>"));
            controller.close();
          },
        }),
      ),
    "*": async (_request, path) => {
      if (!path.startsWith("/page/")) return undefined;
      if (++crawled === 2) setBusy();
      await release;
      return new Response("page");
    },
  });
  const child = startExample("crawler_queue.ts", [server.url, "2"]);
  await busy;
  // buffers on the way fill up first
  for (let before = -1; before < served;) {
    before = served;
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  assertEquals(crawled, 2);
  assert(served < pieces / 2, `${served} of ${pieces} pieces went out with both workers busy`);
  resolveRelease();
  const { code, stdout } = await child.output();
  assertEquals(code, 0);
  assertEquals(lines(new TextDecoder().decode(stdout)).length, pieces);
});

Deno.test("pages_to_sqlite.ts fills a table and updates it", async () => {
  await using server = serveSite("demo");
  await inFolder(async (folder) => {
    const path = `${folder}/site.db`;
    for (let run = 1; run <= 2; run++) {
      await printed("pages_to_sqlite.ts", server.url, path);
      using database = new DatabaseSync(path);
      const count = database.prepare("SELECT count(*) AS pages FROM page").get();
      assertEquals(count?.pages, DEMO_PATHS.length);
      const story = database.prepare("SELECT * FROM page WHERE url LIKE '%/rye-harvest'").get();
      assertEquals({ ...story }, {
        url: `${server.origin}/news/rye-harvest`,
        priority: null,
        last_modified: "2024-04-28",
        change_frequency: null,
        title: "Rye & spelt: what this year’s harvest brings",
      });
      database.exec("UPDATE page SET title = 'stale', priority = 0");
    }
  });
});

Deno.test("pages_to_sqlite.ts keeps the date of a page that another sitemap lists without one", async () => {
  const facts = "<lastmod>2024-05-01</lastmod><changefreq>daily</changefreq>";
  await using server = serveSitemaps({
    "/dated.xml": () => urlset({ "/a": facts }),
    "/undated.xml": () => urlset(["/a"]),
  });
  await inFolder(async (folder) => {
    const path = `${folder}/site.db`;
    await printed("pages_to_sqlite.ts", server.url, path);
    using database = new DatabaseSync(path);
    const page = database.prepare("SELECT last_modified, change_frequency FROM page").get();
    assertEquals({ ...page }, { last_modified: "2024-05-01", change_frequency: "daily" });
  });
});

Deno.test("behind_a_proxy.ts sends every request to the proxy", async () => {
  await using server = serveSite("demo", { origin: "http://site.test" });
  // a forward proxy receives the whole URL
  const requested: string[] = [];
  await using proxy = serveRoutes({
    "*": (request) => {
      const { hostname, pathname, search } = new URL(request.url);
      requested.push(hostname + pathname);
      return fetch(server.origin + pathname + search, { redirect: "manual" });
    },
  });
  const stdout = await printed("behind_a_proxy.ts", "http://site.test/", proxy.url);
  assertEquals(lines(stdout), DEMO_PATHS.map((path) => `http://site.test${path}`));
  assertEquals(requested[0], "site.test/robots.txt");
  assertEquals(requested.length, server.requests.length);
});

Deno.test("stream_to_browser.ts sends pages before the walk ends", async () => {
  const { promise: release, resolve: resolveRelease } = Promise.withResolvers<void>();
  await using server = serveRoutes({
    "/robots.txt": ({ url }) => {
      const { origin } = new URL(url);
      return new Response(`Sitemap: ${origin}/first.xml\nSitemap: ${origin}/second.xml`);
    },
    "/first.xml": () => new Response(urlset(["https://example.com/first?a=1&amp;b=&lt;2&gt;"])),
    "/second.xml": async () => {
      await release;
      return new Response(urlset(["https://example.com/second"]));
    },
  });
  const child = startExample("stream_to_browser.ts", [server.url, "0"]);
  const errors = child.stderr.pipeThrough(new TextDecoderStream()).getReader();
  try {
    const { value = "" } = await errors.read();
    const [url = ""] = /http:\/\/127\.0\.0\.1:\d+\//.exec(value) ?? [];
    assert(url !== "", value);
    const icon = await fetch(`${url}favicon.ico`);
    assertEquals([icon.status, await icon.text()], [404, "Not found\n"]);
    const response = await fetch(url);
    assertEquals(response.headers.get("content-type"), "text/html; charset=utf-8");
    let html = "";
    for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
      html += text;
      // the second sitemap waits until the first page has arrived
      if (html.includes("</a>")) resolveRelease();
    }
    assertStringIncludes(html, `<a href="https://example.com/first?a=1&#38;b=&#60;2&#62;">`);
    assertStringIncludes(html, ">https://example.com/second</a>");
    assertMatch(html, /<p>complete: 2 pages\n$/);
  } finally {
    child.kill();
    await child.status;
    await child.stdout.cancel();
  }
  assertEquals((await errors.read()).done, true, "no other output");
});

Deno.test("replay_saved_walk.ts walks the site only once", async () => {
  await inFolder(async (folder) => {
    const path = `${folder}/walk.ndjson`;
    let url = "", first = "";
    {
      await using server = serveSite("demo");
      url = server.url;
      first = await printed("replay_saved_walk.ts", url, path);
      assertEquals(lines(first.replaceAll(server.origin, "")).slice(0, 3), [
        "0 pages in /robots.txt (IndexRobotsTxtSitemap)",
        "0 pages in /sitemap_index.xml (IndexXmlSitemap)",
        "5 pages in /sitemaps/pages.xml (PagesXmlSitemap)",
      ]);
      assertStringIncludes(first, "archive-2019.xml (InvalidSitemap)");
    }
    assertEquals(await printed("replay_saved_walk.ts", url, path), first);
    assertEquals([...Deno.readDirSync(folder)].map(({ name }) => name), ["walk.ndjson"]);
  });
});
