import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { helpText } from "../../src/cli/help.ts";
import { type CommandName, COMMANDS, optionsOf } from "../../src/cli/option_table.ts";
import { VERSION } from "../../src/version.ts";
import { serveRoutes } from "../support/fixture_server.ts";
import { runCli } from "./run_cli.ts";

const COMMAND_NAMES = Object.keys(COMMANDS) as CommandName[];

Deno.test("help fits a screen of 24 lines and 80 columns", () => {
  for (const command of [undefined, ...COMMAND_NAMES]) {
    const lines = helpText(command).trimEnd().split("\n");
    assert(lines.length <= 24, `${command}: ${lines.length} lines`);
    for (const line of lines) assert(line.length <= 80, line);
  }
});

Deno.test("the help of a command names all its options and no others", () => {
  for (const command of COMMAND_NAMES) {
    const named = new Set(
      [...helpText(command).matchAll(/(?<=[\s(])--([a-z-]+)/g)].map((match) => match[1]!),
    );
    const there = optionsOf(command).map(({ name }) => name).filter((name) => name !== "help");
    assertEquals([...named].sort(), there.sort(), command);
    for (const { short, name } of optionsOf(command)) {
      if (short === undefined || name === "help") continue;
      assertStringIncludes(helpText(command), `-${short}, --${name}`);
    }
  }
});

Deno.test("--help and --version print on standard output and need no permission", async () => {
  const none = { permissions: [] };
  const [help, ofLs, byWord, version, bare] = await Promise.all([
    runCli(["--help"], none),
    runCli(["ls", "--help"], none),
    runCli(["help", "stats"], none),
    runCli(["--version"], none),
    runCli([], none),
  ]);
  assertEquals(help, { code: 0, stdout: helpText(), stderr: "" });
  assertEquals(ofLs, { code: 0, stdout: helpText("ls"), stderr: "" });
  assertEquals(byWord, { code: 0, stdout: helpText("stats"), stderr: "" });
  assertEquals(version, { code: 0, stdout: `sitetree ${VERSION}\n`, stderr: "" });
  assertEquals(bare, { code: 2, stdout: "", stderr: helpText() });
});

const WRONG: readonly (readonly [args: string[], message: string])[] = [
  [
    ["ls", "--fromat=pages", "http://a.test"],
    'There is no option "--fromat"\n  the nearest is "--format"',
  ],
  [["list"], 'There is no command "list"\n  the nearest is "ls"'],
  [["ls", "example.com"], 'No scheme in "example.com"\n  try "https://example.com"'],
  [["ls", "http://a..test/"], 'Invalid host name "a..test"\n  check how it is spelt'],
  [
    ["ls", "--proxy=http://{proxy}:80", "http://a.test/"],
    'Invalid host name "{proxy}"\n  check how it is spelt',
  ],
];

Deno.test("wrong usage is told on standard error, with what to write instead, and exits with 2", async () => {
  for (const [args, message] of WRONG) {
    const { code, stdout, stderr } = await runCli(args);
    assertEquals({ code, stdout, stderr }, { code: 2, stdout: "", stderr: `error: ${message}\n` });
  }
});

Deno.test("a missing permission is told with the flag that gives it", async () => {
  const { code, stderr } = await runCli(["ls", "http://site.test/"], { permissions: [] });
  assertEquals(code, 1);
  assertEquals(
    stderr,
    'error: Cannot reach "site.test": Deno has no permission\n' +
      "  run it with --allow-net, or with --allow-net=site.test\n",
  );
});

Deno.test("ls goes on after hosts that no permission can name, and keeps what it found", async () => {
  await using server = serveRoutes({
    "/robots.txt": () => new Response("Sitemap: /index.xml\n"),
    "/index.xml": (request) => {
      const hosts = ["{host}.example", "*.example.com", "a..b", new URL(request.url).host];
      const entries = hosts.map((host) => `<sitemap><loc>http://${host}/s.txt</loc></sitemap>`);
      return new Response(`<sitemapindex>${entries.join("")}</sitemapindex>`);
    },
    "/s.txt": () => new Response("http://site.test/a\n"),
  });
  const folder = await Deno.makeTempDir();
  const net = `--allow-net=${new URL(server.url).host}`;
  const args = ["ls", "-k", "-f", "pages", "-o", `${folder}/pages.txt`, server.url];
  const { code, stderr } = await runCli(args, {
    permissions: [net, "--allow-env", "--allow-read", "--allow-write"],
  });
  const written = await Deno.readTextFile(`${folder}/pages.txt`);
  await Deno.remove(folder, { recursive: true });
  assertEquals({ code, written }, { code: 3, written: "http://site.test/a\n" });
  assertMatch(stderr, /^partial: 3 sitemaps, 1 page, 3 invalid, /);
  assertStringIncludes(stderr, "http://{host}.example/s.txt: ");
});

Deno.test("ls names few of many hosts without permission", async () => {
  const hosts = Array.from({ length: 500 }, (_, at) => `host-${at}.${"x".repeat(60)}.test`);
  await using server = serveRoutes({
    "/robots.txt": () =>
      new Response(hosts.map((host) => `Sitemap: http://${host}/s.txt\n`).join("")),
  });
  const { code, stderr } = await runCli(["ls", "-k", "-f", "pages", server.url], {
    permissions: [`--allow-net=${new URL(server.url).host}`],
  });
  assertEquals(code, 5);
  assertMatch(stderr, /\n {2}Deno has no permission for host-0\.x+\.test,[^ ]*…: run it with /);
  for (const line of stderr.split("\n")) assert(line.length < 400, line);
});

Deno.test("a permission that is missing for one host only is told in the end", async () => {
  await using server = serveRoutes({
    "/robots.txt": (request) => {
      const { port } = new URL(request.url);
      return new Response(
        `Sitemap: http://127.0.0.1:${port}/a.txt\nSitemap: http://localhost:${port}/b.txt\n`,
      );
    },
    "/a.txt": () => new Response("http://site.test/a\n"),
    "/b.txt": () => new Response("http://site.test/b\n"),
  });
  const { code, stdout, stderr } = await runCli(["ls", "-kf", "pages", server.url], {
    permissions: [`--allow-net=${new URL(server.url).host}`],
  });
  assertEquals({ code, stdout }, { code: 3, stdout: "http://site.test/a\n" });
  assertMatch(stderr, /\n {2}Deno has no permission for localhost: run it with --allow-net\n$/);
});
