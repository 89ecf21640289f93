import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { SaxesParser } from "saxes";
import { parseSitemap } from "../../mod.ts";
import { openSnapshot } from "../../src/sync/mod.ts";
import { serveRoutes } from "../support/fixture_server.ts";
import { inFolder } from "../support/in_folder.ts";
import { readText, section } from "./markdown.ts";
import { blocksOf, FORBIDDEN, PAGE, runProgram, serveSitemaps, update, urlset } from "./recipes.ts";
import { runShell } from "./shell.ts";

Deno.test("recipe: Crawlee crawls pages before the sitemap has ended, and each once", async () => {
  const { promise: crawled, resolve: setCrawled } = Promise.withResolvers<void>();
  const paths = Array.from({ length: 25 }, (_, at) => `/page/${at}`);
  await using server = serveRoutes({
    "/sitemap.xml": ({ url }) => {
      const xml = urlset([...paths, ...paths].map((path) => new URL(path, url).href));
      const middle = xml.indexOf("<url>", xml.indexOf("/page/20<"));
      return new Response(
        new ReadableStream<string>({
          async start(controller) {
            controller.enqueue(xml.slice(0, middle));
            // a crawler that waits for the end gets no more pages, and the request times out
            await crawled;
            controller.enqueue(xml.slice(middle));
            controller.close();
          },
        }).pipeThrough(new TextEncoderStream()),
        { headers: { "content-type": "application/xml" } },
      );
    },
    "*": (_request, path) => {
      if (!path.startsWith("/page/")) return undefined;
      setCrawled();
      return new Response("<p>page", { headers: { "content-type": "text/html" } });
    },
  });
  const [program = ""] = blocksOf("Pages for Crawlee", "ts ignore", {
    "https://example.com/": server.url,
  });
  await inFolder(async (folder) => {
    const { code, stdout, stderr } = await runProgram(program, folder);
    assertEquals(code, 0, stderr);
    for (const path of paths) {
      assertEquals(server.counts[path], 1, path);
      assertStringIncludes(stdout, `${server.origin}${path} 7\n`);
    }
    assertMatch(stdout, /^complete$/m);
  });
});

Deno.test("recipe: Crawlee's run() rejects if the site is blocked", async () => {
  await using server = serveRoutes({ "*": FORBIDDEN });
  const [program = ""] = blocksOf("Pages for Crawlee", "ts ignore", {
    "https://example.com/": server.url,
  });
  await inFolder(async (folder) => {
    const { code, stderr } = await runProgram(program, folder);
    assertEquals(code, 1);
    assertStringIncludes(stderr, "BlockedError");
  });
});

/** Returns the elements of a document below their parents; throws if it is not well-formed. */
function elementsOf(xml: string): string[] {
  const open: string[] = [], elements: string[] = [];
  const parser = new SaxesParser({ xmlns: true });
  parser.on("error", (error) => {
    throw error;
  });
  parser.on("opentag", ({ local, uri }) => {
    assertEquals(uri, "http://www.w3.org/2005/Atom");
    open.push(local);
    elements.push(open.join("/"));
  });
  parser.on("closetag", () => void open.pop());
  parser.write(xml).close();
  return elements;
}

Deno.test("recipe: the Atom feed has new pages, newest first, and each at least once", async () => {
  const news = (title: string) =>
    `<news:news xmlns:news="http://www.google.com/schemas/sitemap-news/0.9"><news:publication>` +
    `<news:name>N</news:name><news:language>en</news:language></news:publication>` +
    `<news:publication_date>2024-05-01</news:publication_date>` +
    `<news:title>${title}</news:title></news:news>`;
  const title = 'Rye & <spelt>: "harvest"', escaped = 'Rye &amp; &lt;spelt>: \u0001"harvest"';
  let pages: Record<string, string> = { "/old": "" };
  await using server = serveSitemaps({ "/a.xml": () => urlset(pages) });
  const [program = ""] = blocksOf("An Atom feed of new pages", "ts ignore");
  const [, start = ""] = /`(sitetree changes [^`]+)`/.exec(
    section(readText(PAGE), "An Atom feed of new pages"),
  ) ?? [];
  await inFolder(async (folder) => {
    const path = `${folder}/feed.xml`;
    const pagesOf = async (): Promise<unknown[]> => {
      const events = await Array.fromAsync(parseSitemap(await Deno.readFile(path)));
      assertEquals(events.filter(({ type }) => type === "warning"), []);
      return events.flatMap((event) =>
        event.type === "page"
          ? [[event.page.url.replace(server.origin, ""), event.page.newsStory?.title]]
          : []
      );
    };
    await update(folder, server.url);
    assertEquals((await runShell(start, { folder })).code, 0);
    pages = {
      "/old": "",
      "/a?x=1&amp;y=%22": news(escaped),
    };
    await update(folder, server.url);
    // a crash before the feed is replaced
    await Deno.mkdir(`${path}.new`);
    assertEquals((await runProgram(program, folder)).code, 1);
    await Deno.remove(`${path}.new`);
    assertEquals((await runProgram(program, folder)).stderr, "");
    assertEquals(await pagesOf(), [["/a?x=1&y=%22", title]]);

    pages = { ...pages, "/b": "" };
    delete pages["/old"];
    await update(folder, server.url);
    assertEquals((await runProgram(program, folder)).stderr, "");
    assertEquals(await pagesOf(), [["/b", `${server.origin}/b`], ["/a?x=1&y=%22", title]]);
    const xml = await Deno.readTextFile(path);
    const entry = ["id", "title", "link", "updated"].map((name) => `feed/entry/${name}`);
    assertEquals(elementsOf(xml), [
      ...["feed", "feed/id", "feed/title", "feed/author", "feed/author/name", "feed/updated"],
      ...["feed/entry", ...entry, "feed/entry", ...entry],
    ]);
    const dates = [...xml.matchAll(/<updated>(.*?)<\/updated>/g)].map(([, date]) => date!);
    for (const date of dates) assertMatch(date, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    {
      await using snapshot = await openSnapshot(`${folder}/site.db`, { readOnly: true });
      assertEquals(await Array.fromAsync(snapshot.changes({ consumer: "feed" })), []);
    }

    delete pages["/a?x=1&amp;y=%22"];
    await update(folder, server.url);
    assertEquals((await runProgram(program, folder)).stderr, "");
    assertEquals(await pagesOf(), [["/b", `${server.origin}/b`]]);
  });
});

/** Runs the queries of a file, and prints their rows. */
const DUCKDB_PROGRAM = `
  import { DuckDBInstance } from "@duckdb/node-api";
  const database = await DuckDBInstance.create(":memory:");
  const connection = await database.connect();
  for (const sql of JSON.parse(await Deno.readTextFile("queries.json"))) {
    console.log(JSON.stringify((await connection.runAndReadAll(sql)).getRowsJson()));
  }
  connection.closeSync();
  database.closeSync();
`;

Deno.test("recipe: DuckDB counts pages by month and path, and finds duplicates", async () => {
  const dated = (date: string) => `<lastmod>${date}</lastmod>`;
  // by default, DuckDB guesses types by this number of rows
  const archive = Array.from({ length: 20_480 }, (_, at) => `/archive/${at}`);
  await using server = serveSitemaps({
    "/a.xml": (origin) =>
      urlset({
        ...Object.fromEntries(
          archive.map((path) => [origin + path, dated("2022-01-01T00:00:00Z")]),
        ),
        [`${origin}/`]: dated("2024-05-02T07:00:00Z"),
        [`${origin}/news/a?b=/c`]: dated("2024-05"),
        [`${origin}/news/b`]: dated("2023"),
      }),
    "/b.xml": (origin) => urlset([`${origin}/news/b`, `${origin}/shop?c=/d`]),
    "/c.xml": () => "<html>",
  });
  const heading = "Questions by DuckDB";
  const [script = ""] = blocksOf(heading, "bash", { "https://example.com/": server.url });
  await inFolder(async (folder) => {
    const { code, stderr } = await runShell(script, { folder });
    assertEquals(code, 3, stderr);
    await Deno.writeTextFile(`${folder}/queries.json`, JSON.stringify(blocksOf(heading, "sql")));
    const queries = await runProgram(DUCKDB_PROGRAM, folder);
    assertEquals(queries.code, 0, queries.stderr);
    const answers = queries.stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
    assertEquals(answers.slice(1), [
      [["2024-05", "2"], ["2023", "1"], ["2022-01", "20480"], [null, "2"]],
      [["/archive", "20480"], ["/news", "3"], ["/", "1"], ["/shop", "1"]],
      [[`${server.origin}/news/b`, [`${server.origin}/a.xml`, `${server.origin}/b.xml`]]],
    ]);
  });
});
