import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { type FixtureServer, serveRoutes } from "../support/fixture_server.ts";
import { ALL_PERMISSIONS, runCli, startCli } from "./run_cli.ts";

/** Serves a site with a page; its sitemap waits for a promise. */
function serveSite(ready: Promise<void> = Promise.resolve()): FixtureServer {
  return serveRoutes({
    "/robots.txt": () => new Response("Sitemap: /s.txt\n"),
    "/s.txt": async (request) => {
      await ready;
      return new Response(`${new URL(request.url).origin}/page\n`);
    },
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
    for (const [name, from] of [["a.db", ["--from", "sites.txt"]], ["b.db", ["-"]]] as const) {
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
      const { code, stderr } = await runCli(["sync", "-", "site.db"], { ...options, stdin });
      assertEquals(code, 2);
      assertStringIncludes(stderr, `error: Cannot read line 2 of "-": ${reason}`);
    }
    assertEquals(site.requests, []);
    assertEquals([...Deno.readDirSync(options.cwd)], []);
  }));

Deno.test("sync --serve shows how the sites in progress go", () =>
  inFolder(async (options) => {
    const ready = Promise.withResolvers<void>();
    await using quick = serveSite();
    await using slow = serveSite(ready.promise);
    await using denied = serveRoutes({ "*": () => new Response("no", { status: 403 }) });
    const slowUrl = slow.url.replace("127.0.0.1", "localhost");
    const sites = [quick.url, denied.url, slowUrl];
    const args = ["sync", ...sites, "site.db", "-k", "--retries", "0", "--serve", "0"];
    const child = startCli(args, options);
    let stderr = "", served: string | undefined;
    const reading = child.stderr.pipeThrough(new TextDecoderStream());
    for await (const text of reading) {
      stderr += text;
      if (served !== undefined) continue;
      [, served] = /^status of "site\.db" at (http:\S+)\n/m.exec(stderr) ?? [];
      if (served === undefined) continue;
      let status;
      do status = await (await fetch(`${served}status.json`)).json(); while (status.done < 2);
      assertEquals([status.run, status.total, status.done, status.pages], ["site.db", 3, 2, 1]);
      assertEquals([status.verdicts.complete, status.verdicts.blocked], [1, 1]);
      assertEquals([status.active, status.hosts[0]?.homepage], [1, slowUrl]);
      assertEquals(
        status.unread.map(({ homepage, verdict }: Record<string, string>) => [homepage, verdict]),
        [[denied.url, "blocked"]],
      );
      assertMatch(status.unread[0].reason, /403 Forbidden/);
      const html = await (await fetch(served)).text();
      for (const part of ["site.db", "2 of 3 sites", slowUrl]) assertStringIncludes(html, part);
      ready.resolve();
    }
    await child.stdout.cancel();
    assertEquals((await child.status).code, 5);
    assertMatch(stderr, /\n3 sites: .*1 blocked/);
  }));
