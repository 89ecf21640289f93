import { assertEquals, assertStringIncludes } from "@std/assert";
import { type FixtureServer, serveRoutes } from "../support/fixture_server.ts";
import { ALL_PERMISSIONS, runCli } from "./run_cli.ts";

/** Serves a site with a page. */
function serveSite(): FixtureServer {
  return serveRoutes({
    "/robots.txt": () => new Response("Sitemap: /s.txt\n"),
    "/s.txt": (request) => new Response(`${new URL(request.url).origin}/page\n`),
  });
}

async function inFolder(
  test: (options: { cwd: string; permissions: readonly string[] }) => Promise<void>,
) {
  const cwd = await Deno.makeTempDir();
  try {
    await test({ cwd, permissions: ALL_PERMISSIONS });
  } finally {
    await Deno.remove(cwd, { recursive: true });
  }
}

Deno.test("sync --from applies the options of a line to the walk of its site", () =>
  inFolder(async (options) => {
    await using plain = serveSite();
    await using special = serveSite();
    await using extra = serveSite();
    const { host } = new URL(extra.url);
    const list = `# sites\n${plain.url}\n\n` +
      `{"url": "${special.url}", "userAgent": "mill/1", "useKnownPaths": false}\n` +
      `{"url": "${host}", "headers": {"X-Mill": "2"}, "sitemaps": ["${extra.url}s.txt"]}\n`;
    await Deno.writeTextFile(`${options.cwd}/sites.txt`, list);
    for (
      const [name, from] of [["a.db", ["--from", "sites.txt"]], ["b.db", ["--from", "-"]]] as const
    ) {
      const args = ["sync", ...from, name, "-A", "sync/1"];
      const { code, stderr } = await runCli(args, { ...options, stdin: list });
      assertEquals(code, 0, stderr);
      const { stdout } = await runCli(["ls", name, "-f", "pages"], options);
      assertEquals(
        stdout.trim().split("\n").sort(),
        [plain, special, extra].map(({ url }) => `${url}page`).sort(),
      );
    }
    const sent = (
      { requests }: FixtureServer,
      name: string,
    ) => [...new Set(requests.map(({ headers }) => headers.get(name)))];
    assertEquals(sent(plain, "user-agent"), ["sync/1"]);
    assertEquals(sent(special, "user-agent"), ["mill/1"]);
    assertEquals(sent(extra, "x-mill"), ["2"]);
    assertEquals(Object.keys(special.counts).sort(), ["/robots.txt", "/s.txt"]);
    assertEquals(plain.requests.length > special.requests.length, true);
  }));

Deno.test("sync --from names the line that it cannot use, before it walks", () =>
  inFolder(async (options) => {
    await using site = serveSite();
    const faults = [
      ["ftp://a.test/", 'Invalid site "ftp://a.test/": expected http(s)'],
      ['{"url": "a.test", "wiat": 5}', 'Invalid site "https://a.test": Unknown option "wiat"'],
      ['{"url": "a.test", "retries": -1}', 'Invalid site "https://a.test": '],
      ['{"url": "a.test", "full": true}', 'Invalid site "https://a.test": Unknown option "full"'],
      ["./dist", '"./dist" is a path: expected a URL or a host'],
      ['{"url": "sitemap.xml"}', '"sitemap.xml" is a path: expected a URL or a host'],
      ["{x", "invalid JSON"],
      ['{"wait": 5}', 'no "url"'],
    ] as const;
    for (const [line, reason] of faults) {
      const stdin = `${site.url}\n${line}\n`;
      const { code, stderr } = await runCli(["sync", "--from", "-", "site.db"], {
        ...options,
        stdin,
      });
      assertEquals(code, 2);
      assertStringIncludes(stderr, `error: Cannot read line 2 of "-": ${reason}`);
    }
    assertEquals(site.requests, []);
    assertEquals([...Deno.readDirSync(options.cwd)], []);
  }));
