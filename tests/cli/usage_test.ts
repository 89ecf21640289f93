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
];

Deno.test("wrong usage is told on standard error, with what to write instead, and exits with 2", async () => {
  for (const [args, message] of WRONG) {
    const { code, stdout, stderr } = await runCli(args, { permissions: [] });
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
