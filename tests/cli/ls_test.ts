import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { collect } from "../../mod.ts";
import { FORMATS } from "../../src/cli/option_table.ts";
import { fromNdjson } from "../../src/write/mod.ts";
import { serveRoutes, serveSite } from "../support/fixture_server.ts";
import { assertGolden, normalized } from "./golden.ts";
import { runCli } from "./run_cli.ts";

const URLSET = "<urlset><url><loc>/a</loc></url><url><loc>/b</loc></url></urlset>";

Deno.test("ls writes every format", async () => {
  await using server = serveSite("demo");
  for (const format of Object.keys(FORMATS)) {
    const { code, stdout } = await runCli(["ls", "-f", format, server.url]);
    assertEquals(code, 3);
    await assertGolden(`ls_${format}`, normalized(stdout, server.url));
  }
});

Deno.test("ls writes events that collect() makes the tree of", async () => {
  await using server = serveSite("demo");
  const { stdout } = await runCli(["ls", "--format=events", server.url]);
  const events = new Blob([stdout]).stream().pipeThrough(fromNdjson());
  const tree = await collect(events);
  assertEquals([...tree.allPages()].length, 20);
});

Deno.test("ls takes everything as usp ls spells it", async () => {
  await using server = serveSite("demo");
  const [tabtree, stripped, pages] = await Promise.all([
    runCli(["ls", "-f", "tabtree", "-k", server.url]),
    runCli(["ls", server.url, "--format", "tabtree", "--no-known", "--strip-url"]),
    runCli(["ls", "-rufpages", server.url]),
  ]);
  assertEquals(tabtree.stdout.split("\n").slice(0, 5), [
    server.url,
    `\t${server.url}robots.txt`,
    `\t\t${server.url}sitemap_index.xml`,
    `\t\t\t${server.url}sitemaps/pages.xml`,
    `\t\t\t\t${server.url}`,
  ]);
  assertEquals(stripped.stdout.split("\n").slice(0, 5), [
    server.url,
    "\t/robots.txt",
    "\t\t/sitemap_index.xml",
    "\t\t\t/sitemaps/pages.xml",
    "\t\t\t\t/",
  ]);
  // Without robots.txt, the known paths lead to the index and to the undeclared sitemap.
  assertEquals(pages.stdout.split("\n").length, 12);
  assertStringIncludes(pages.stdout, "\n/news/night-of-the-open-mills\n");
  assertEquals(pages.code, 0);
});

Deno.test("ls says nothing on standard error where all went well and nobody watches", async () => {
  await using server = serveRoutes({ "/sitemap.xml": () => new Response(URLSET) });
  const { code, stdout, stderr } = await runCli(["ls", "-f", "pages", server.url]);
  assertEquals({ code, stderr }, { code: 0, stderr: "" });
  assertEquals(stdout, `${server.url}a\n${server.url}b\n`);
});

Deno.test("ls exits with 3 and names the fault where a declared sitemap is missing", async () => {
  await using server = serveSite("demo");
  const { code, stderr } = await runCli(["ls", "-f", "pages", server.url]);
  assertEquals(code, 3);
  assertMatch(stderr, /^partial: 11 sitemaps, 20 pages, 1 invalid, 1 warning, \d+\.\d s\n/);
  assertStringIncludes(stderr, "archive-2019.xml: 404 Not Found (http-status)");
});

Deno.test("ls names one fault and counts the others", async () => {
  await using server = serveRoutes({
    "/robots.txt": () => new Response("Sitemap: /a.xml\nSitemap: /b.xml\nSitemap: /s.xml\n"),
    "/s.xml": () => new Response(URLSET),
  });
  const { code, stderr } = await runCli(["ls", "-kf", "pages", server.url]);
  assertEquals(code, 3);
  assertMatch(
    stderr,
    /\/a\.xml: 404 Not Found \(http-status\)\n {2}and 1 more; -v tells of each\n$/,
  );
});

Deno.test("ls exits with 4 and says what to try where there is no sitemap", async () => {
  await using server = serveRoutes({});
  const { code, stdout, stderr } = await runCli(["ls", "-f", "pages", server.url]);
  assertEquals({ code, stdout }, { code: 4, stdout: "" });
  assertMatch(stderr, /^none: 0 sitemaps, 0 pages, /);
  assertStringIncludes(stderr, "--known-path");
});

Deno.test("ls exits with 5 and says what to try where it is refused", async () => {
  await using server = serveRoutes({ "*": () => new Response(null, { status: 403 }) });
  const { code, stderr } = await runCli(["ls", "-f", "pages", server.url]);
  assertEquals(code, 5);
  assertMatch(stderr, /^blocked: 0 sitemaps, 0 pages, /);
  assertStringIncludes(stderr, "--user-agent");
});

Deno.test("ls --quiet says nothing on standard error, whatever happens", async () => {
  await using server = serveRoutes({});
  assertEquals(await runCli(["ls", "--quiet", "-f", "pages", server.url]), {
    code: 4,
    stdout: "",
    stderr: "",
  });
});

Deno.test("ls keeps the pages that are asked for", async () => {
  await using server = serveSite("demo");
  const run = async (...args: string[]) => {
    const { stdout } = await runCli(["ls", "-uf", "pages", ...args, server.url]);
    return stdout.trimEnd().split("\n");
  };
  assertEquals(await run("--match", "/(news|blog)/", "--ignore", "stone$"), [
    "/news/wheel-turns-again",
    "/news/rye-harvest",
    "/blog/high-water",
    "/news/night-of-the-open-mills",
  ]);
  assertEquals(await run("--since", "2024-05-02"), [
    "/",
    "/news/wheel-turns-again",
    "/news/night-of-the-open-mills",
  ]);
  assertEquals(await run("--match=news", "--max-pages=2"), [
    "/news/wheel-turns-again",
    "/news/rye-harvest",
  ]);
  assertEquals(await run("--max-pages=2"), ["/", "/about"]);
});

Deno.test("ls counts what it keeps in the tree, and both in the summary", async () => {
  await using server = serveSite("demo");
  const args = ["ls", "-u", "--match", "/news/", server.url];
  const [tree, pages] = await Promise.all([runCli(args), runCli([...args, "-f", "pages"])]);
  assertStringIncludes(tree.stdout, "│ │ ├ /sitemaps/pages.xml (XML)\n│ │ │ └ 0 pages, ");
  assertMatch(tree.stdout, /\npartial: 11 sitemaps, 3 pages, 1 invalid, /);
  assertMatch(pages.stderr, /^partial: 11 sitemaps, 20 pages \(3 kept\), 1 invalid, /);
});

Deno.test("ls --max-pages ends a filtered walk with every sitemap left", async () => {
  await using server = serveSite("demo");
  const args = ["ls", "-f", "events", "--match", "/news/", "--max-pages", "1", server.url];
  const { code, stdout } = await runCli(args);
  assertEquals(code, 3);
  const events = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  const ids = (type: string) =>
    events.filter((event) => event.type === type).map(({ sitemap }) => sitemap.id).sort();
  assertEquals(ids("sitemap-entered"), ids("sitemap-left"));
  assertEquals(events.filter(({ type }) => type === "page").length, 1);
  assertEquals(events.find(({ type }) => type === "warning").code, "max-pages");
});

Deno.test("ls reads the sitemaps that are asked for, and says so where that is none", async () => {
  await using server = serveSite("demo");
  const args = ["ls", "-kuf", "pages"];
  const [excluded, included] = await Promise.all([
    runCli([...args, "--exclude", "shop|news|languages", server.url]),
    runCli([...args, "--include", "/shop.xml", server.url]),
  ]);
  assertEquals(
    excluded.stdout,
    [
      "/",
      "/about",
      "/museum/opening-hours?season=summer&day=all",
      "/museum/how-a-millstone-is-dressed",
      "/contact",
      "",
    ].join("\n"),
  );
  assertEquals(included.stdout, "");
  assertStringIncludes(included.stderr, "2 sitemaps passed over");
});

Deno.test("ls reads what stands at known paths only if it is asked for", async () => {
  await using server = serveSite("demo");
  const run = async (...args: string[]) =>
    (await runCli(["ls", "-uf", "pages", ...args, server.url])).stdout;
  assertEquals(
    await run("--include", "shop"),
    "/shop/item?id=7&size=500g\n/shop/item?id=8&size=1kg\n",
  );
  assertEquals(await run("-r", "--exclude", "index"), "/news/night-of-the-open-mills\n");
});

Deno.test("ls says what to try where there is nothing to look at", async () => {
  await using server = serveRoutes({});
  const advice = async (...args: string[]) =>
    (await runCli(["ls", "-f", "pages", ...args, server.url])).stderr.split("\n")[1];
  assertEquals(await advice("-k"), "  none is declared in robots.txt: try without --no-known");
  assertEquals(
    await advice("-r"),
    "  none stands at a known path: try --known-path, or without --no-robots",
  );
  assertEquals(await advice("-rk"), "  --no-robots and --no-known leave nothing to look at");
  assertEquals(server.requests.length > 0, true);
});

Deno.test("ls says so where one XML sitemap holds too much", async () => {
  const lines = Array.from({ length: 50_001 }, (_, at) => `https://a.test/${at}\n`);
  await using server = serveRoutes({ "/sitemap.txt": () => new Response(lines.join("")) });
  const run = (...args: string[]) => runCli(["ls", "-f", "xml", ...args, server.url]);
  const [whole, narrowed] = await Promise.all([run(), run("--match", "[1-9]$")]);
  assertMatch(whole.stderr, /^complete: .*\n {2}a sitemap may list 50,000 URLs: /);
  assertEquals([whole.code, narrowed.code, narrowed.stderr], [0, 0, ""]);
});

Deno.test("ls sends the headers it is given and probes the paths it is given", async () => {
  await using server = serveRoutes({ "/hidden/map.xml": () => new Response(URLSET) });
  const { code, stdout } = await runCli([
    "ls",
    "-f",
    "pages",
    "--header=Accept-Language: de",
    "--header",
    "X-Two: a: b",
    "--user-agent",
    "mill/1.0",
    "--known-path=/hidden/map.xml",
    server.url,
  ]);
  assertEquals(code, 0);
  // Relative addresses are those of the document.
  assertEquals(stdout, `${server.url}a\n${server.url}b\n`);
  for (const { headers } of server.requests) {
    assertEquals(headers.get("accept-language"), "de");
    assertEquals(headers.get("x-two"), "a: b");
    assertEquals(headers.get("user-agent"), "mill/1.0");
  }
  assert(server.requests.length > 10);
});

Deno.test("ls asks through a proxy", async () => {
  await using proxy = serveRoutes({
    "/sitemap.txt": ({ headers }) => {
      const token = headers.get("proxy-authorization")?.replace(" ", "-");
      return new Response(`http://${headers.get("host")}/${token}\n`);
    },
  });
  const credentials = {
    "miller:two%20mills": "miller:two mills",
    // A stray `%` stands for itself.
    "miller:%zz100%": "miller:%zz100%",
    "%E0%A4%A:%25zz": "\ufffd%A:%zz",
    ":secret": ":secret",
  };
  for (const [written, sent] of Object.entries(credentials)) {
    const through = proxy.url.replace("//", `//${written}@`);
    const { stdout } = await runCli(["ls", "-f", "pages", "--proxy", through, "http://site.test/"]);
    const token = new TextEncoder().encode(sent).toBase64();
    assertEquals(stdout, `http://site.test/Basic-${token}\n`);
  }
});

Deno.test("ls -v tells what happens, and -l tells it in a file", async () => {
  await using server = serveSite("demo");
  const path = await Deno.makeTempFile();
  const [told, logged] = await Promise.all([
    runCli(["ls", "-vv", "-f", "pages", server.url]),
    runCli(["ls", "-l", path, "-f", "pages", server.url], {
      permissions: ["--allow-net", `--allow-write=${path}`],
    }),
  ]);
  const log = await Deno.readTextFile(path);
  await Deno.remove(path);
  for (const text of [told.stderr, log]) {
    assertMatch(text, /^\d{4}-\d\d-\d\dT[\d:.]+Z INFO reading .*\/robots\.txt/m);
    assertMatch(text, / WARN .*shop\.xml:4: .*\(xml-bare-ampersand\)$/m);
    assertMatch(text, / ERROR .*archive-2019\.xml: 404 Not Found \(http-status\)$/m);
  }
  assertMatch(told.stderr, / DEBUG page .*\/about$/m);
  assert(!log.includes("DEBUG"));
  assert(!logged.stderr.includes("INFO"));
});
