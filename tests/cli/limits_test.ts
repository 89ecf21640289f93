import { assertEquals, assertStringIncludes } from "@std/assert";
import { type FixtureServer, type Route, serveRoutes } from "../support/fixture_server.ts";
import { runCli } from "./run_cli.ts";
import { assertTranscript } from "./transcript.ts";

function route(body: string): Route {
  return (request) => new Response(body.replaceAll("{{origin}}", new URL(request.url).origin));
}

function robots(...paths: string[]): Route {
  return route(paths.map((path) => `Sitemap: {{origin}}${path}\n`).join(""));
}

function index(...paths: string[]): Route {
  const entries = paths.map((path) => `<sitemap><loc>{{origin}}${path}</loc></sitemap>`);
  return route(`<sitemapindex>${entries.join("")}</sitemapindex>`);
}

/** Serves a sitemap of pages, with dates unless empty. */
function urlset(pages: Readonly<Record<string, string>>): Route {
  const entries = Object.entries(pages).map(([path, date]) => {
    const lastmod = date === "" ? "" : `<lastmod>${date}</lastmod>`;
    return `<url><loc>{{origin}}${path}</loc>${lastmod}</url>`;
  });
  return route(`<urlset>${entries.join("")}</urlset>`);
}

const SITE: Readonly<Record<string, Route>> = {
  "/robots.txt": robots("/index.xml"),
  "/index.xml": index("/news.xml", "/shop.xml", "/deep/index.xml"),
  "/news.xml": urlset({ "/news/1": "2024-05-01", "/news/2": "2023-01-01", "/news/3": "" }),
  "/shop.xml": urlset({ "/shop/1": "", "/shop/2": "2024-06-01" }),
  "/deep/index.xml": index("/deep/old.xml"),
  "/deep/old.xml": urlset({ "/old/1": "2001-01-01" }),
};

/** The site with a dead link. */
const BROKEN: Readonly<Record<string, Route>> = {
  ...SITE,
  "/index.xml": index("/gone.xml", "/news.xml", "/shop.xml", "/deep/index.xml"),
};

const LS: readonly string[] = ["ls", "-k", "-f", "pages", "--concurrency", "1"];

Deno.test("limits that the user set exit with 0 and report what was left out", async () => {
  await using server = serveRoutes(SITE);
  const results = await assertTranscript(
    "limits_of_the_user",
    { site: server.url },
    [
      [...LS, "--max-pages", "2", server.url],
      [...LS, "--max-pages", "1", "--match", "shop", server.url],
      [...LS, "--max-depth", "2", server.url],
      [...LS, "--max-sitemaps", "3", server.url],
      [...LS, "--exclude", "deep", server.url],
      [...LS, "--include", "news", server.url],
      [...LS, "--since", "2024-01-01", server.url],
      [...LS, "--match", "news", "--ignore", "2$", server.url],
      ["report", "-k", "--max-pages", "2", "-f", "json", "-o", "/dev/null", server.url],
    ].map((args) => ({ args, options: { permissions: ["--allow-all"] } })),
  );
  for (const { code } of results) assertEquals(code, 0);
});

Deno.test("--deadline, --max-bytes and losses in addition to a limit exit with 3", async () => {
  await using whole = serveRoutes(SITE);
  await using broken = serveRoutes(BROKEN);
  const results = await assertTranscript("limits_with_losses", {
    whole: whole.url,
    broken: broken.url,
  }, [
    [...LS, "--max-bytes", "200", whole.url],
    [...LS, "--deadline", "0s", whole.url],
    [...LS, "--max-pages", "2", broken.url],
    [...LS, "--max-depth", "2", broken.url],
    [...LS, "--match", "shop", broken.url],
  ]);
  for (const { code } of results) assertEquals(code, 3);
});

Deno.test("a limit that the user set leaves the verdict partial", async () => {
  await using server = serveRoutes(SITE);
  const limits = [["--max-pages=2"], ["--max-depth=2"], ["--max-sitemaps=3"]];
  const verdicts = await Promise.all(limits.map(async (limit) => {
    const [events, report] = await Promise.all([
      runCli(["ls", "-k", "-f", "events", ...limit, server.url]),
      runCli(["report", "-k", "-f", "json", ...limit, server.url]),
    ]);
    const last = JSON.parse(events.stdout.trimEnd().split("\n").at(-1)!);
    assertEquals([events.code, report.code], [0, 0]);
    return [last.verdict, JSON.parse(report.stdout).sites[0].verdict];
  }));
  assertEquals(verdicts, limits.map(() => ["partial", "partial"]));
});

Deno.test("a filter that dropped all pages is reported on a pipe too", async () => {
  await using server = serveRoutes(SITE);
  const results = await assertTranscript("limits_all_filtered", { site: server.url }, [
    [...LS, "--match", "nothing", server.url],
    [...LS, "--ignore", ".", server.url],
    [...LS, "--since", "2030-01-01", server.url],
    [...LS, "--include", "nothing", server.url],
    [...LS, "--exclude", ".", server.url],
    ["ls", "-k", "-f", "csv", "--match", "nothing", server.url],
    ["ls", "-k", "-f", "pages", "-q", "--match", "nothing", server.url],
  ]);
  for (const { code } of results) assertEquals(code, 0);
});

Deno.test("--since drops and counts pages without a date; --undated keeps them", async () => {
  await using server = serveRoutes(SITE);
  await assertTranscript("limits_undated", { site: server.url }, [
    [...LS, "--since", "2024-01-01", server.url],
    [...LS, "--since", "2024-01-01", "--undated", server.url],
  ]);
});

/** Returns an endless sitemap, and a promise that resolves when it is cancelled. */
function endless(): { route: Route; cancelled: Promise<void> } {
  const { promise, resolve } = Promise.withResolvers<void>();
  let number = 0;
  const next = () => {
    const pages = Array.from({ length: 1000 }, () => `<url><loc>/${number++}</loc></url>`);
    return new TextEncoder().encode(pages.join(""));
  };
  const body = () =>
    new ReadableStream<Uint8Array<ArrayBuffer>>({
      start: (controller) => controller.enqueue(new TextEncoder().encode("<urlset>")),
      pull: (controller) => controller.enqueue(next()),
      cancel: () => resolve(),
    });
  return { route: () => new Response(body()), cancelled: promise };
}

Deno.test("--include does not count known paths that do not exist", async () => {
  await using server = serveRoutes(SITE);
  const { stderr } = await runCli(["ls", "-vf", "pages", "--include", "news", server.url]);
  assertStringIncludes(stderr, "\n  --include left out 2 sitemaps\n");
});

Deno.test("--include requests other sitemaps too, and cancels those that are not an index", async () => {
  const shop = endless();
  await using server = serveRoutes({
    ...SITE,
    "/index.xml": index("/shop.xml", "/more.xml", "/news.xml"),
    "/shop.xml": shop.route,
    "/more.xml": index("/more-news.xml", "/more-shop.xml"),
    "/more-news.xml": urlset({ "/news/4": "" }),
    "/more-shop.xml": route("<rss><channel><item><link>/shop/9</link></item></channel></rss>"),
  });
  const [result] = await assertTranscript("limits_include", { site: server.url }, [
    ["ls", "-k", "--include", "news", server.url],
  ]);
  await shop.cancelled;
  assertEquals(result!.code, 0);
  assertEquals(Object.keys(server.counts).sort(), [
    "/index.xml",
    "/more-news.xml",
    "/more-shop.xml",
    "/more.xml",
    "/news.xml",
    "/robots.txt",
    "/shop.xml",
  ]);
});

Deno.test("--include emits no events of other sitemaps, not even of broken ones", async () => {
  await using server = serveRoutes({
    ...SITE,
    // with a warning if it were included
    "/shop.xml": route("<urlset><url><loc>/a & b</loc></url>"),
    "/deep/old.xml": route("https://a.test/1\n"),
  });
  const args = ["ls", "-k", "-f", "events", "--include", "news", server.url];
  const { code, stdout } = await runCli(args);
  assertEquals(code, 0);
  const events = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  const urls = new Set(events.flatMap(({ sitemap }) => sitemap === undefined ? [] : [sitemap.url]));
  const paths = [...urls].map((url) => url.slice(server.url.length - 1));
  assertEquals(paths, ["/", "/robots.txt", "/index.xml", "/news.xml", "/deep/index.xml"]);
  const { verdict, stats } = events.at(-1);
  assertEquals([verdict, stats.pages, stats.warnings, stats.invalid], ["complete", 3, 0, 0]);
});

Deno.test("--exclude skips sitemaps without requesting them", async () => {
  await using server = serveRoutes({ ...SITE, "/sitemap.xml": urlset({ "/known": "" }) });
  const args = ["ls", "-f", "pages", "--exclude", "deep|/sitemap", "--exclude", "shop", server.url];
  const { code, stdout } = await runCli(args);
  assertEquals([code, stdout.split("\n").length], [0, 4]);
  const { counts } = server;
  for (const path of ["/deep/index.xml", "/deep/old.xml", "/shop.xml", "/sitemap.xml"]) {
    assertEquals(counts[path], undefined, path);
  }
});

Deno.test("--include and --exclude apply to known paths", async () => {
  await using server: FixtureServer = serveRoutes({
    "/sitemap.xml": urlset({ "/one": "" }),
    "/sitemap_news.xml": urlset({ "/two": "" }),
  });
  const run = async (...args: string[]) =>
    (await runCli(["ls", "-uf", "pages", ...args, server.url])).stdout;
  assertEquals(
    await Promise.all([run(), run("--include", "news"), run("--exclude", "news")]),
    ["/one\n/two\n", "/two\n", "/one\n"],
  );
});
