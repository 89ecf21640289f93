import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { formatsOf } from "../../src/cli/formats.ts";
import { test } from "./folder_cases.ts";
import { assertGolden, normalized } from "./golden.ts";
import { hasTerminal, runInTerminal } from "./pseudo_terminal.ts";
import { type CliResult, runCli } from "./run_cli.ts";

const FIXTURES = new URL("../../fixtures/", import.meta.url).pathname;
const READ = { permissions: ["--allow-read"] };
const URL_OF_STDIN = "https://site.test/dir/sitemap.xml";

/** Terminal controls in a URL, as a text sitemap may contain them. */
const HOSTILE = "https://site.test/\x1b]0;owned\x07\x1b[31mred\u009b2J\x7f";
const BIDI = "https://site.test/\u202efdp.exe\u2066\u200e\u200f\u061c";
// deno-lint-ignore no-control-regex -- these must not be there
const CONTROLS_REGEXP = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]/;
const BIDI_REGEXP = /\p{Bidi_Control}/u;

/** Options of every format, by its name; those of sitemaps have no page. */
const EVERY_FORMAT: readonly (readonly [name: string, options: readonly string[]])[] = [
  ...Object.keys(formatsOf({})).map((name) => [name, ["-f", name]] as const),
  ...Object.keys(formatsOf({ ofSitemaps: true })).map((name) =>
    [`sitemaps_${name}`, ["--sitemaps", "-f", name]] as const
  ),
];

/** Reads standard input in every format, at the same time. */
function inEveryFormat(stdin: string, url?: string): Promise<[format: string, CliResult][]> {
  const more = url === undefined ? [] : ["--url", url];
  return Promise.all(
    EVERY_FORMAT.map(async ([format, options]) => [
      format,
      await runCli(["ls", "-", ...options, ...more], { permissions: [], stdin }),
    ]),
  );
}

Deno.test("ls reads standard input without any permission, in every format", async () => {
  const xml = await Deno.readTextFile(`${FIXTURES}sites/demo/sitemaps/languages.xml`);
  const stdin = xml.replaceAll("{{origin}}", "https://site.test");
  for (const [format, { code, stdout, stderr }] of await inEveryFormat(stdin, URL_OF_STDIN)) {
    assertEquals({ code, stderr }, { code: 0, stderr: "" });
    await assertGolden(`documents_${format}`, normalized(stdout, "https://site.test/"));
  }
});

Deno.test("ls escapes terminal controls in every format", async () => {
  for (const [format, { stdout }] of await inEveryFormat(`${HOSTILE}\n`)) {
    assertStringIncludes(stdout, format.startsWith("sitemaps") ? "stdin" : "https://site.test/");
    assertEquals(CONTROLS_REGEXP.exec(stdout), null, `${format}: ${JSON.stringify(stdout)}`);
  }
});

Deno.test("ls escapes bidirectional controls, except in CSV that is not printed on a terminal", async () => {
  for (const [format, { stdout }] of await inEveryFormat(`${BIDI}\n`)) {
    if (format === "csv") assertStringIncludes(stdout, `\n${BIDI},`);
    else assertEquals(BIDI_REGEXP.exec(stdout), null, `${format}: ${JSON.stringify(stdout)}`);
    if (format === "ndjson") assertEquals(JSON.parse(stdout).url, BIDI);
  }
});

test("ls escapes bidirectional controls on a terminal, in every format", async (folder) => {
  await Deno.writeTextFile(`${folder}/s.txt`, `${BIDI}\n`);
  const outputs = await Promise.all(
    EVERY_FORMAT.map(async ([format, options]) => {
      const args = ["ls", `${folder}/s.txt`, ...options];
      const terminal = { columns: 80, permissions: ["--allow-read"] };
      return [format, (await runInTerminal(args, terminal)).output] as const;
    }),
  );
  for (const [format, output] of outputs) {
    assertStringIncludes(output, format.startsWith("sitemaps") ? "s.txt" : "fdp.exe");
    assertEquals(BIDI_REGEXP.exec(output), null, `${format}: ${JSON.stringify(output)}`);
    if (format === "csv") {
      assertStringIncludes(output, "\n" + String.raw`https://site.test/\u202efdp`);
    }
  }
}, !hasTerminal());

Deno.test("ls escapes terminal controls on standard error", async () => {
  const stdin = `<urlset><url><loc>${BIDI}</loc><lastmod>\x1b[31m\u202e\u009b</lastmod></url>`;
  const { code, stderr } = await runCli(["ls", "-", "-vvv"], { permissions: [], stdin });
  assertEquals(code, 3);
  assertStringIncludes(stderr, String.raw`page https://site.test/\u202efdp.exe`);
  assertStringIncludes(stderr, String.raw`"[31m\u202e\x9b"`);
  assertEquals(CONTROLS_REGEXP.exec(stderr), null, JSON.stringify(stderr));
  assertEquals(BIDI_REGEXP.exec(stderr), null, JSON.stringify(stderr));
  const wrong = await runCli(["ls", "-", `--since=\x1b${BIDI}`], { permissions: [], stdin });
  assertStringIncludes(wrong.stderr, "\\u202e");
  assertEquals(BIDI_REGEXP.exec(wrong.stderr), null, JSON.stringify(wrong.stderr));
});

Deno.test("ls shortens values in messages, but never a page", async () => {
  const long = "x".repeat(100_000);
  const url = `https://site.test/${long.slice(0, 5000)}`;
  const stdin = `<urlset><url><loc>${url}</loc><lastmod>${long}</lastmod></url>`;
  const from = `--url=https://site.test/${long}`;
  const args = ["ls", "-", "-vvv", "-f", "pages", from];
  const { stdout, stderr } = await runCli(args, { permissions: [], stdin });
  assertEquals(stdout, `${url}\n`);
  assertMatch(stderr, /DEBUG page https:\/\/site\.test\/x+…\n/);
  for (const line of stderr.split("\n")) assert(line.length < 600, line.slice(0, 1000));
  const wrong = await runCli(["ls", `/no/${long}/such/file`], READ);
  assertMatch(wrong.stderr, /^error: Cannot read "\/no\/x+…x+\/such\/file": /);
  assert(wrong.stderr.length < 2100);
});

Deno.test("ls lists the sitemaps of an index, and applies --max-pages and --strip-url", async () => {
  const index = "<sitemapindex><sitemap><loc>a.xml</loc></sitemap></sitemapindex>";
  const urlset = "<urlset><url><loc>/1</loc></url><url><loc>/2</loc></url></urlset>";
  const run = (args: string[], stdin: string) =>
    runCli(["ls", "-", ...args, "--url", URL_OF_STDIN], { permissions: [], stdin });
  const [listed, cut] = await Promise.all([
    run(["-f", "tabtree"], index),
    run(["-u", "--max-pages", "1"], urlset),
  ]);
  assertEquals(listed.stdout, `${URL_OF_STDIN}\n\thttps://site.test/dir/a.xml\n`);
  assertEquals(cut.stdout, "/dir/sitemap.xml (XML)\n├ /1\n└ 1 page, 65 B, 2 warnings, cut short\n");
  assertEquals(cut.code, 0);
  assertMatch(cut.stderr, /\n {2}--max-pages 1 reached: further pages were left out\n$/);
});

test("ls needs permission to read only the file", async (folder) => {
  await Deno.writeTextFile(`${folder}/robots.txt`, "Sitemap: https://site.test/s.xml\n");
  const { stdout, stderr } = await runCli(["ls", "-f", "tabtree", "robots.txt"], {
    permissions: ["--allow-read=robots.txt"],
    cwd: folder,
  });
  assertEquals(stderr, "");
  assertMatch(
    stdout,
    /^file:\/\/.*\/robots\.txt\n\thttps:\/\/site\.test\/s\.xml\n$/,
  );
});

Deno.test("ls reports why a document is partial, and how to read the pages of an index", async () => {
  const run = (stdin: string, ...args: string[]) =>
    runCli(["ls", "-", ...args], { permissions: [], stdin });
  const index = "<sitemapindex><sitemap><loc>https://a.test/</loc></sitemap></sitemapindex>";
  const [cut, listed, shown, empty] = await Promise.all([
    run("<urlset><url><loc>https://a.test/</loc></url>", "-f", "pages"),
    run(index, "-f", "pages"),
    run(index),
    run("", "-f", "pages"),
  ]);
  assertEquals([cut.code, cut.stdout], [3, "https://a.test/\n"]);
  assertMatch(cut.stderr, /^partial: 1 sitemap, .*\n {2}file:\/\/\/dev\/stdin: .* \(xml-cut\)\n$/);
  assertEquals([listed.code, listed.stdout], [0, ""]);
  assertMatch(listed.stderr, /^complete: .*\n {2}it lists 1 sitemap and no pages: -f tree shows /);
  assertEquals(shown.stderr, "");
  assertMatch(shown.stdout, /^file:.* \(index\)\n├ https:\/\/a\.test\/ \(not fetched\)\n└ .*\n$/);
  assertMatch(empty.stderr, /\n {2}file:\/\/\/dev\/stdin: No content \(empty\)\n$/);
});
