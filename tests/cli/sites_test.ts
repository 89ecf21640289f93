import { assertEquals, assertMatch } from "@std/assert";
import { FaultServer, ok } from "../support/fault_server.ts";
import { test } from "./folder_cases.ts";
import { hasTerminal, runInTerminal } from "./pseudo_terminal.ts";
import { ALL_PERMISSIONS, runCli } from "./run_cli.ts";
import { assertTranscript } from "./transcript.ts";

/** Returns a site with one sitemap and one page. */
function site(page: string): FaultServer {
  return new FaultServer({
    "/robots.txt": ok("Sitemap: {{origin}}/s.xml\n"),
    "/s.xml": ok(`<urlset><url><loc>{{origin}}/${page}</loc></url></urlset>`),
  });
}

Deno.test("ls of several sites writes the site of each page and sitemap", async () => {
  await using one = site("a");
  await using two = site("b");
  const ofPages = ["csv", "ndjson", "json", "pages"].map((format) => ["-f", format]);
  const ofSitemaps = ["csv", "ndjson", "json", "text"].map((
    format,
  ) => ["--sitemaps", "-f", format]);
  await assertTranscript(
    "sites",
    { one: one.url, two: two.url },
    [...ofPages, ...ofSitemaps].map((format) => {
      // a single request at a time, so that the sites are in order
      return ["ls", "-q", "-k", "--concurrency", "1", ...format, one.url, two.url];
    }),
  );
});

test("ls writes the site of a list of one, of a URL with user info, and of a file", async (folder) => {
  await using one = site("a");
  await Deno.writeTextFile(`${folder}/s.txt`, "https://c.test/c\n");
  const options = { permissions: ALL_PERMISSIONS, cwd: folder };
  const list = (...args: string[]) => ({ args: ["ls", "-q", "-k", ...args], options });
  const columns = ["-f", "csv", "--columns", "site,loc"];
  const operand = `${one.url.replace("//", "//user:secret@")}s.xml`;
  await assertTranscript("sites_column", { one: one.url }, [
    { ...list("-f", "csv", "--from", "-"), options: { ...options, stdin: `${one.url}\n` } },
    list("-f", "csv", one.url),
    list(...columns, operand),
    list(...columns, "--concurrency", "1", "s.txt", operand),
  ]);
});

const MARK = "\ufeff";

test("--bom begins CSV with a byte order mark, once", async (folder) => {
  await using one = site("a");
  await using two = site("b");
  const options = { permissions: ["--allow-all"], cwd: folder };
  const written = async (...args: string[]) => {
    const { code, stderr } = await runCli([...args, "-q", "--bom", "-o", "a.csv"], options);
    assertEquals([code, stderr], [0, ""]);
    const bytes = await Deno.readFile(`${folder}/a.csv`);
    const [mark, ...text] = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
    assertEquals([mark, text.includes(MARK)], [MARK, false]);
    return text.join("").split(",")[0];
  };
  assertEquals(await written("ls", "-k", one.url, two.url), "site");
  assertEquals(await written("ls", "-k", "--sitemaps", "-f", "csv", one.url), "url");
  assertEquals(await written("sync", "-k", one.url, "site.db"), "type");
  assertEquals(await written("changes", "site.db"), "type");
});

/** Returns a site with a sitemap of 700 pages, and a small one. */
function largeSite(): FaultServer {
  const urls = Array.from({ length: 700 }, (_, at) => `<url><loc>{{origin}}/${at}</loc></url>`);
  return new FaultServer({
    "/robots.txt": ok("Sitemap: {{origin}}/large.xml\nSitemap: {{origin}}/small.xml\n"),
    "/large.xml": ok(`<urlset>${urls.join("")}</urlset>`),
    "/small.xml": ok("<urlset><url><loc>{{origin}}/last</loc></url></urlset>"),
  });
}

Deno.test("the tree on a terminal has 10 pages of each sitemap, and --all has all of them", {
  ignore: !hasTerminal(),
}, async () => {
  await using server = largeSite();
  const ls = ["ls", "-k", "-u", "--color=never", server.url];
  const shown = async (args: readonly string[], redirect = "") => {
    const { output } = await runInTerminal(args, { columns: 80, redirect });
    // deno-lint-ignore no-control-regex -- the progress line
    return output.replace(/\r\x1b\[K[^\r\n]*(?=\r\x1b\[K)/g, "").replaceAll("\r\x1b[K", "");
  };
  const [short, all, piped] = await Promise.all([
    shown(ls),
    shown([...ls, "--all"]),
    shown(ls, "2> /dev/null | cat"),
  ]);
  const pages = (text: string) => text.match(/^│ │ ├ \/(?:\d+|last)$/gm)?.length;
  assertEquals([pages(short), pages(all), pages(piped)], [11, 701, 701]);
  assertMatch(short, /│ │ ├ \/9\n│ │ ├ … 690 more\n│ │ └ 700 pages, /);
  assertMatch(short, /\n {2}--all shows all pages, --sitemaps lists the sitemaps only\n$/);
  for (const text of [all, piped]) assertEquals(/ more$|--sitemaps/m.test(text), false);
});
