import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
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

Deno.test("--help and --version print to standard output without any permission", async () => {
  const none = { permissions: [] };
  const [help, ofLs, byWord, version, bare] = await Promise.all([
    runCli(["--help"], none),
    runCli(["ls", "--help"], none),
    runCli(["help", "report"], none),
    runCli(["--version"], none),
    runCli([], none),
  ]);
  assertEquals(help, { code: 0, stdout: helpText(), stderr: "" });
  assertEquals(ofLs, { code: 0, stdout: helpText("ls"), stderr: "" });
  assertEquals(byWord, { code: 0, stdout: helpText("report"), stderr: "" });
  assertMatch(
    version.stdout,
    new RegExp(`^sitetree ${VERSION} \\((?:Deno|Node\\.js|Bun) [\\d.]+, \\w+ \\w+\\)\n$`),
  );
  assertEquals({ ...version, stdout: "" }, { code: 0, stdout: "", stderr: "" });
  assertEquals(bare, { code: 2, stdout: "", stderr: helpText() });
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
    "src/cli": "arguments columns commands completions conflicts dispatch " +
      "format_names help options values",
    "src/cli/run": "failure print terminal",
    "src/data": "calendar codes date errors limits page_schema suggestion text url version words",
    "src/platform": "environment host process proxies",
    "src/write": "ansi columns escape layout table",
  },
];

Deno.test("--version loads no table; help, completions and wrong usage load nothing else", () => {
  for (const [at, entry] of ["main", "dispatch"].entries()) {
    const expected = Object.entries(LOADED[at]!)
      .flatMap(([folder, names]) => names.split(" ").map((name) => `${folder}/${name}.ts`));
    assertEquals(loadedWith(`src/cli/${entry}.ts`), expected.sort());
  }
});

const INVALID: readonly (readonly [args: string[], message: string])[] = [
  [
    ["ls", "--fromat=pages", "http://a.test"],
    'Unknown option "--fromat"; did you mean "--format"?\n  "sitetree ls --help" lists all options',
  ],
  [
    ["fleet", "sites", "--limit", "5", "nov"],
    'Unknown option "--limit"\n  "sitetree fleet sites --help" lists all options',
  ],
  [
    ["ls"],
    'Missing operand\n  expected SITE..., as in "sitetree ls example.com -f pages --match /blog/ --since 3mo"',
  ],
  [
    ["sync"],
    'Missing operand\n  expected [SITE...] SNAPSHOT, as in "sitetree sync example.com site.db"',
  ],
  [
    ["sync", "site.db"],
    'Missing operand\n  expected [SITE...] SNAPSHOT, as in "sitetree sync example.com site.db"',
  ],
  [
    ["sync", "a.test", "https://b.test/"],
    'Missing snapshot after "https://b.test/": expected a file or a database as the last operand\n' +
    '  try "sitetree sync https://example.com/ site.db"',
  ],
  [
    ["sync", "a.test", "b.test"],
    'Missing snapshot after "b.test": expected a file or a database as the last operand\n' +
    '  try "sitetree sync https://example.com/ site.db", or for a new file write "./b.test"',
  ],
  [
    ["sync", "-"],
    'Missing snapshot after "-": expected a file or a database as the last operand\n' +
    '  for a list of sites: "sitetree sync --from - site.db"',
  ],
  [
    ["sync", "ftp://a.test", "site.db"],
    'Invalid site "ftp://a.test": expected a homepage, a sitemap or a host',
  ],
  [["changes"], 'Missing operand\n  expected SNAPSHOT, as in "sitetree changes site.db"'],
  [["changes", "a.db", "b.db"], 'Unexpected operand "b.db"'],
  [
    ["changes", "a.db", "--since", "7d", "--consumer", "index"],
    'Option "--since" cannot be combined with "--consumer"',
  ],
  [
    ["changes", "a.db", "--ack", "--consumer", "index", "--site", "a.test"],
    'Option "--ack" cannot be combined with "--site"',
  ],
  [
    ["changes", "a.db", "--ack"],
    'Missing option "--consumer" for "--ack"\n  expected --consumer=NAME',
  ],
  [
    ["snapshot", "sites"],
    'Missing operand\n  expected SNAPSHOT, as in "sitetree snapshot sites sites.db"',
  ],
  [
    ["snapshot", "site"],
    'Unknown command "snapshot site"; did you mean "snapshot sites"?\n' +
    "  expected sites, runs, forget, prune",
  ],
  [
    ["snapshot", "forget", "a.db"],
    'Missing operand after "a.db"\n' +
    '  expected SNAPSHOT SITE, as in "sitetree snapshot forget sites.db example.com"',
  ],
  [
    ["snapshot", "prune", "a.db"],
    'Missing option "--keep-changes", "--keep-runs" or "--keep-quiet-runs"\n' +
    '  as in "sitetree snapshot prune a.db --keep-changes 90d"',
  ],
  [
    ["completions"],
    'Missing operand\n  expected SHELL, as in "source <(sitetree completions bash)"',
  ],
  [
    ["demo", "https://a.test/"],
    'Unexpected operand "https://a.test/"\n  try "sitetree ls https://a.test/"',
  ],
  [["completions", "bash", "zsh"], 'Unexpected operand "zsh"'],
  [["ls", "ftp://example.com"], 'Invalid URL "ftp://example.com": expected http(s)'],
  [["ls", "http://"], 'Invalid URL "http://": expected http(s)'],
  [["ls", "?x"], 'Invalid operand "?x": expected a URL, a host, a folder or a file'],
  [["ls", "http://a..test/"], 'Invalid host name "a..test"'],
  [["ls", "a..test"], 'Invalid host name "a..test"'],
  [["ls", "--proxy=http://{proxy}:80", "http://a.test/"], 'Invalid host name "{proxy}"'],
];

Deno.test("invalid usage is reported on standard error and exits with 2", async () => {
  const results = await Promise.all(INVALID.map(([args]) => runCli(args)));
  for (const [at, [, message]] of INVALID.entries()) {
    assertEquals(results[at], { code: 2, stdout: "", stderr: `error: ${message}\n` });
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
