import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { proposals } from "../../src/cli/completions.ts";
import { helpText } from "../../src/cli/help.ts";
import { COMMAND_NAMES } from "../../src/cli/commands.ts";
import { optionsOf } from "../../src/cli/options.ts";
import { resolveWalkOptions } from "../../src/walk/options.ts";
import { VERSION } from "../../src/data/version.ts";
import { houseSources, importsOf, withoutTypeImports } from "../support/house.ts";
import { manualPage } from "../../src/cli/man.ts";
import { serveRoutes } from "../support/fixture_server.ts";
import { test } from "./folder_cases.ts";
import { HAS_PERMISSIONS, runCli } from "./run_cli.ts";
import { transcripts } from "./transcript.ts";

transcripts("usage");

Deno.test("the overview fits 24 lines, and every help text 80 columns", () => {
  const lines = helpText().trimEnd().split("\n");
  assert(lines.length <= 24, `${lines.length} lines`);
  for (const command of [undefined, "fleet" as const, "snapshot" as const, ...COMMAND_NAMES]) {
    for (const line of helpText(command).split("\n")) assert(line.length <= 80, line);
  }
});

Deno.test("the help of a command lists exactly its options", () => {
  for (const command of COMMAND_NAMES) {
    const listed = [...helpText(command).matchAll(/^ {2}(?:-(\w), | {4})--([a-z-]+)/gm)]
      .map(([, short, name]) => [short, name]);
    const there = optionsOf(command).map(({ short, name }) => [short, name]);
    assertEquals(listed.sort(), there.sort(), command);
  }
});

Deno.test("the help of a command has the default of every option with a value", () => {
  for (const command of COMMAND_NAMES) {
    const text = helpText(command).replace(/\n +/g, " ");
    for (const { name, value, default: usual } of optionsOf(command)) {
      assertEquals(usual === undefined, value === undefined, `${command} --${name}`);
      if (usual === undefined) continue;
      const [line = ""] =
        new RegExp(`--${name} ${value?.replace(/[|[\]]/g, "\\$&")} .*?(?= --|\n|$)`).exec(text) ??
          [];
      assertStringIncludes(line, `; default: ${usual}`);
    }
  }
});

Deno.test("the defaults in the help are those of walk()", () => {
  const text = helpText("ls").replace(/\n {10,}/g, " ");
  const defaults = Object.fromEntries(
    [...text.matchAll(/--([a-z-]+) [A-Z]+ .*; default: (.*)/g)].map((
      [, name, value],
    ) => [name, value]),
  );
  const { timeout, retries, concurrency, maxDepth, maxSitemaps, maxBytes } = resolveWalkOptions({});
  assertEquals(defaults["timeout"], `${timeout / 1000}s`);
  assertEquals(defaults["retries"], String(retries));
  assertEquals(defaults["concurrency"], String(concurrency));
  assertEquals(defaults["max-depth"], String(maxDepth));
  assertEquals(defaults["max-sitemaps"], maxSitemaps.toLocaleString("en"));
  assertEquals(defaults["max-bytes"], `${maxBytes / 1024 / 1024}MiB`);
  assertEquals([defaults["deadline"], defaults["max-pages"]], ["none", "none"]);
});

Deno.test("help and the version need no permission", async () => {
  const none = { permissions: [] };
  const [help, version] = await Promise.all([
    runCli(["ls", "--help"], none),
    runCli(["--version"], none),
  ]);
  assertEquals(help, { code: 0, stdout: helpText("ls"), stderr: "" });
  const runtime = String.raw`(?:Deno|Node\.js|Bun) [\d.]+, \w+ \w+`;
  assertMatch(version.stdout, new RegExp(`^sitetree ${VERSION} \\(${runtime}\\)\n$`));
  assertEquals({ ...version, stdout: "" }, { code: 0, stdout: "", stderr: "" });
});

Deno.test("__complete proposes every command and every option, with descriptions", () => {
  for (const command of COMMAND_NAMES) {
    const words = command.split(" ");
    assertStringIncludes(proposals(words).join("\n"), `${words.at(-1)}\t`);
    const options = proposals([...words, "-"]);
    for (const { name, short, about } of optionsOf(command)) {
      const spelled = short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`];
      for (const word of spelled) assertEquals(options.includes(`${word}\t${about}`), true, word);
    }
  }
});

Deno.test("the manual page is plain ASCII, without a date and without lines that roff would run", () => {
  const lines = manualPage().trimEnd().split("\n");
  assertEquals(lines[0], `.TH SITETREE 1 "" "sitetree ${VERSION}" "User Commands"`);
  for (const line of lines) {
    assertMatch(line, /^(?:\.(?:TH|SH|SS|PP|TP|EX|EE|nh|ad)(?: .*)?|[^.'].*)$/);
    assertMatch(line, /^[\x20-\x7e]*$/);
    // a dash that is none, and an escape that is unknown
    if (!line.startsWith(".")) assertMatch(line, /^(?:[^\\'`^~"-]|\\(?:[-e]|f[BIR]|\([a-z]{2}))*$/);
  }
});

/** Returns the modules of a module that are loaded with it. */
function loadedWith(entry: string): string[] {
  const sources = houseSources();
  const loaded = new Set([entry]);
  for (const path of loaded) {
    const source = withoutTypeImports(sources.get(path) ?? "").replaceAll(/\bimport\([^)]*\)/g, "");
    for (const imported of importsOf(path, source)) loaded.add(imported);
  }
  return [...loaded].filter((path) => path.startsWith("src/")).sort();
}

/** What is loaded by `--version`, and with the tables, by folder. */
const LOADED: readonly Readonly<Record<string, string>>[] = [
  {
    "src/cli": "main",
    "src/cli/run": "print",
    "src/data": "version",
    "src/platform": "environment process",
  },
  {
    "src/check": "rules",
    "src/cli": "arguments columns commands completions conflicts dispatch failure " +
      "format_names help options values",
    "src/cli/run": "print terminal",
    "src/data": "calendar codes date errors limits page_schema suggestion text url version words",
    "src/platform": "environment host process proxies",
    "src/write": "ansi columns escape layout",
  },
];

Deno.test("--version loads no table; help, completions and wrong usage load nothing else", () => {
  for (const [at, entry] of ["main", "dispatch"].entries()) {
    const expected = Object.entries(LOADED[at]!)
      .flatMap(([folder, names]) => names.split(" ").map((name) => `${folder}/${name}.ts`));
    assertEquals(loadedWith(`src/cli/${entry}.ts`), expected.sort());
  }
});

test("ls skips invalid host names and keeps the pages of other hosts", async (folder) => {
  await using server = serveRoutes({
    "/robots.txt": () => new Response("Sitemap: /index.xml\n"),
    "/index.xml": (request) => {
      const hosts = ["{host}.example", "*.example.com", "a..b", new URL(request.url).host];
      const entries = hosts.map((host) => `<sitemap><loc>http://${host}/s.txt</loc></sitemap>`);
      return new Response(`<sitemapindex>${entries.join("")}</sitemapindex>`);
    },
    "/s.txt": () => new Response("http://site.test/a\n"),
  });
  const net = `--allow-net=${new URL(server.url).host}`;
  const args = ["ls", "-k", "-f", "pages", "-o", `${folder}/pages.txt`, server.url];
  const { code, stderr } = await runCli(args, {
    permissions: [net, "--allow-env", "--allow-read", "--allow-write"],
  });
  const written = await Deno.readTextFile(`${folder}/pages.txt`);
  assertEquals({ code, written }, { code: 3, written: "http://site.test/a\n" });
  assertMatch(stderr, /^partial: 2 sitemaps, 1 page, 3 invalid, /);
  assertStringIncludes(stderr, "http://{host}.example/s.txt: ");
});

Deno.test("ls lists only the first hosts without permission", {
  ignore: !HAS_PERMISSIONS,
}, async () => {
  const hosts = Array.from({ length: 500 }, (_, at) => `host-${at}.${"x".repeat(60)}.test`);
  await using server = serveRoutes({
    "/robots.txt": () =>
      new Response(hosts.map((host) => `Sitemap: http://${host}/s.txt\n`).join("")),
  });
  const { code, stderr } = await runCli(["ls", "-k", "-f", "pages", server.url], {
    permissions: [`--allow-net=${new URL(server.url).host}`],
  });
  assertEquals(code, 5);
  assertMatch(stderr, /\n {2}no permission to contact host-0\.x+\.test, [^;]*…, …; run: deno run /);
  for (const line of stderr.split("\n")) assert(line.length < 600, line);
});
