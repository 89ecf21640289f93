import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { formatsOf } from "../../src/cli/formats.ts";
import { FaultServer, ok } from "../support/fault_server.ts";
import { serveRoutes, serveSite } from "../support/fixture_server.ts";
import { assertGolden, normalized } from "./golden.ts";
import { runCli } from "./run_cli.ts";

Deno.test("ls writes every format", async () => {
  await using server = serveSite("demo");
  await Promise.all(
    [
      ...Object.keys(formatsOf({})).map((format) => [format, "-f", format] as const),
      ...Object.keys(formatsOf({ ofSitemaps: true })).map((format) =>
        [`sitemaps_${format}`, "--sitemaps", "-f", format] as const
      ),
    ].map(async ([name, ...options]) => {
      const { code, stdout } = await runCli(["ls", ...options, server.url]);
      assertEquals(code, 3);
      const text = normalized(stdout, server.url);
      // The port has more or fewer digits, which moves the columns.
      await assertGolden(`ls_${name}`, text.replace(/(?<=\S)  +/g, "  "));
    }),
  );
});

Deno.test("ls accepts the options of usp ls", async () => {
  await using server = serveSite("demo");
  const [stripped, pages] = await Promise.all([
    runCli(["ls", server.url, "--format", "tabtree", "--no-known", "--strip-url"]),
    runCli(["ls", "-rufpages", server.url]),
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

Deno.test("ls --max-pages ends a filtered walk with every sitemap left", async () => {
  await using server = serveSite("demo");
  const args = ["ls", "-f", "events", "--match", "/news/", "--max-pages", "1", server.url];
  const { code, stdout } = await runCli(args);
  assertEquals(code, 0);
  const events = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  const ids = (type: string) =>
    events.filter((event) => event.type === type).map(({ sitemap }) => sitemap.id).sort();
  assertEquals(ids("sitemap-entered"), ids("sitemap-left"));
  assertEquals(events.filter(({ type }) => type === "page").length, 1);
  assertEquals(events.find(({ type }) => type === "warning").code, "max-pages");
});

Deno.test("ls suggests what to try for a site without sitemaps, by its options", async () => {
  await using server = serveRoutes({});
  await using polite = new FaultServer({ "/robots.txt": ok("User-agent: *\n") });
  const adviceOn = async ({ url }: { url: string }, ...args: string[]) =>
    (await runCli(["ls", "-f", "pages", ...args, url])).stderr.split("\n")[1];
  const advice = (...args: string[]) => adviceOn(server, ...args);
  const all = [adviceOn(polite), advice(), advice("-k"), advice("-r"), advice("-rk")];
  assertEquals(await Promise.all(all), [
    "  none is declared in robots.txt, found at a known path or named by the homepage: try --known-path",
    "  every response was 404 Not Found: check the host; --known-path names other paths",
    "  none is declared in robots.txt: try without --no-known",
    "  none is found at a known path or named by the homepage: try --known-path, or without --no-robots",
    "  --no-robots and --no-known leave nothing to read",
  ]);
  assertEquals(server.requests.length > 0, true);
});

Deno.test("ls -v logs warnings and errors with their place, and no requests", async () => {
  await using server = serveSite("demo");
  const { stderr } = await runCli(["ls", "-v", "-f", "pages", server.url]);
  assertMatch(stderr, /^\d{4}-\d\d-\d\dT[\d:.]+Z WARN .*shop\.xml:4: .*\(xml-bare-ampersand\)$/m);
  assertMatch(stderr, / ERROR .*archive-2019\.xml: 404 Not Found \(http-status\)$/m);
  assert(!stderr.includes("DEBUG"));
});
