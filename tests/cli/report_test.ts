/** `sitetree report`: operands, formats, summaries, exit codes and interruption. @module */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import type { SitemapRef, TreeEvent } from "../../mod.ts";
import type { Report } from "../../src/report/mod.ts";
import { FaultServer, ok, silence, status } from "../support/fault_server.ts";
import { serveSite } from "../support/fixture_server.ts";
import { inFolder } from "../support/in_folder.ts";
import { assertInert, dataOf } from "../support/report_html.ts";
import { timeless } from "../support/timeless.ts";
import { test, testOnUnix } from "./folder_cases.ts";
import { assertGolden, normalized } from "./golden.ts";
import { hasTerminal, runInTerminal } from "./pseudo_terminal.ts";
import { ALL_PERMISSIONS, type CliResult, commandWords, runCli, startCli } from "./run_cli.ts";
import { TextReader } from "./text_reader.ts";
import { assertSteps, type Step } from "./transcript.ts";

const MISSING = status(404);

/** Runs `report` with all permissions, in a folder. */
async function report(cwd: string, ...args: readonly string[]): Promise<CliResult> {
  return await runCli(["report", ...args], { cwd, permissions: ALL_PERMISSIONS });
}

/** Returns a report without times, which differ from run to run. */
function fixed({ created: _created, ...report }: Report): unknown {
  return JSON.parse(timeless(JSON.stringify(report)));
}

test("report writes one HTML file, or the same figures as JSON", async (folder) => {
  await using server = serveSite("demo");
  const [file, piped, json, gzipped] = await Promise.all([
    report(folder, server.url, "-o", "report.html"),
    report(folder, server.url, "-f", "html"),
    report(folder, server.url, "-o", "report.json"),
    report(folder, server.url, "-q", "-o", "report.htm.gz"),
  ]);
  assertEquals([file, piped, json, gzipped].map(({ code }) => code), [3, 3, 3, 3]);
  assertMatch(file!.stderr, /^partial: 10 sitemaps, 20 pages, /);
  const html = await Deno.readTextFile(`${folder}/report.html`);
  await assertInert(html);
  const saved: Report = JSON.parse(await Deno.readTextFile(`${folder}/report.json`));
  assertEquals(saved.totals.pages, 20);
  assertEquals(saved.sites.map(({ url, verdict }) => [url, verdict]), [[server.url, "partial"]]);
  assert(saved.findings !== undefined && saved.findings.items.length > 0);
  assertEquals(fixed(dataOf(html)), fixed(saved));
  assertEquals(fixed(dataOf(piped!.stdout)), fixed(saved));
  const stream = (await Deno.open(`${folder}/report.htm.gz`)).readable;
  const text = await new Response(stream.pipeThrough(new DecompressionStream("gzip"))).text();
  assertEquals(fixed(dataOf(text)), fixed(saved));
});

Deno.test("report prints text, in 80 columns without a terminal", async () => {
  await using server = serveSite("nested");
  const { code, stdout, stderr } = await runCli(["report", server.url]);
  assertEquals({ code, stderr }, { code: 0, stderr: "" });
  await assertGolden("report_nested", normalized(stdout, server.url));
});

/** Counts the summaries in a text. */
function endings(text: string): number {
  return text.match(/\bpartial: 10 sitemaps, 20 pages/g)?.length ?? 0;
}

testOnUnix(
  "report and ls print the summary on standard error if the output is a file",
  async (folder) => {
    await using server = serveSite("demo");
    const run = async (command: string, redirect: string) => {
      const words = commandWords([command, server.url], ["-A"]);
      const script = `${words.map((word) => `'${word}'`).join(" ")} ${redirect}`;
      const { stderr } = await new Deno.Command("sh", { args: ["-c", script], cwd: folder })
        .output();
      const output = await Deno.readTextFile(`${folder}/out`);
      return [endings(output), endings(new TextDecoder().decode(stderr))];
    };
    for (const command of ["report", "ls"]) {
      const inFile = command === "report" ? 1 : 0;
      assertEquals(await run(command, "> out"), [inFile, 1]);
      assertEquals(await run(command, "-o out"), [inFile, 1]);
      // both are the same file, with one summary
      assertEquals(await run(command, "> out 2>&1"), [1, 0]);
    }
  },
);

test("report shows hosts, paths, patterns, dates and findings of a saved walk", async (folder) => {
  const urls = [
    "https://example.com/",
    ...Array.from({ length: 30 }, (_, at) => `https://example.com/blog/a-post-${at}`),
    ...Array.from({ length: 12 }, (_, at) => `https://example.com/${"abcdefghijkl"[at]}x/about`),
    "https://shop.example.com/blog/sale",
  ];
  const url = "https://example.com/s.xml";
  const sitemap: SitemapRef = {
    ...{ id: 1, type: "PagesXmlSitemap", url, level: 0, parent: 0, index: 1 },
  };
  const saved: TreeEvent[] = [
    { type: "sitemap-entered", sitemap },
    ...urls.map((url, at): TreeEvent => ({
      type: "page",
      page: { url, ...(at < 3 && { lastModified: "2999-01-01" }) },
      sitemap,
    })),
    { type: "sitemap-left", sitemap, pages: 44, bytes: 1, complete: true, warnings: {} },
  ];
  const events = saved.map((event) => `${JSON.stringify(event)}\n`).join("");
  await Deno.writeTextFile(`${folder}/walk.ndjson`, events);
  const { stdout } = await report(folder, "walk.ndjson");
  const row = (label: string) => {
    const line = stdout.split("\n").find((line) => line.startsWith(`  ${label}  `));
    return line?.slice(label.length + 2).match(/\d+/)?.[0];
  };
  const labels = ["example.com", "shop.example.com", "/blog", "/", "no date"];
  assertEquals(labels.map(row), ["43", "1", "31", "1", "41"]);
  assertEquals(row("other paths"), "4");
  assertEquals(row("example.com/blog/{slug}"), "30");
  assertStringIncludes(stdout, `\n  warning lastmod-future: ${url}: 3 dates in the future\n`);
});

test("report reads folders, sitemaps, saved walks and lists, and several at once", async (folder) => {
  await using server = serveSite("nested");
  await Deno.mkdir(`${folder}/dist`);
  const sitemap = "<urlset><url><loc>https://mill.example/a</loc></url></urlset>";
  await Deno.writeTextFile(`${folder}/dist/sitemap.xml`, sitemap);
  await Deno.writeTextFile(`${folder}/list.txt`, `${server.url}\n./dist\n`);
  await runCli(["ls", server.url, "-q", "-f", "events", "-o", "walk.ndjson.gz"], {
    cwd: folder,
    permissions: ALL_PERMISSIONS,
  });
  const jsonOf = async (...args: readonly string[]): Promise<Report> =>
    JSON.parse((await report(folder, ...args, "-q", "-f", "json")).stdout);
  const [site, walk, dist, file, list, all] = await Promise.all([
    jsonOf(server.url),
    jsonOf("walk.ndjson.gz"),
    jsonOf("./dist", "--url", "https://mill.example/"),
    jsonOf("dist/sitemap.xml"),
    jsonOf("--from", "list.txt"),
    jsonOf(server.url, "./dist", "walk.ndjson.gz"),
  ]);
  const { pages } = site!.totals;
  assert(pages > 3);
  assertEquals([walk, dist, file].map((report) => report!.totals.pages), [pages, 1, 1]);
  assertEquals([list!.totals.sites, list!.totals.pages], [2, pages + 1]);
  assertEquals([all!.totals.sites, all!.totals.pages], [3, 2 * pages + 1]);
  assertEquals(all!.sites.map(({ pages }) => pages).sort((a, b) => a - b), [1, pages, pages]);
  assertEquals(walk!.command, "sitetree ls walk.ndjson.gz -f pages");
  assertEquals(dist!.command, "sitetree ls ./dist --url=https://mill.example/ -f pages");
  assertEquals(list!.command, "sitetree ls --from=list.txt -f pages");
});

Deno.test("the command of a report is quoted for a shell, and has no secrets", async () => {
  await using server = serveSite("nested");
  const { stdout } = await runCli([
    ...["report", server.url.replace("//", "//user:secret@"), "-qf", "json", "--no-check"],
    ...["-H", "Authorization: secret", "--match", "a b|$(c)|it's", "--max-pages=3"],
  ]);
  const { command } = JSON.parse(stdout) as Report;
  const url = server.url.replace("//", "//user@");
  assert(!stdout.includes("secret"), "no secrets");
  assertStringIncludes(command!, `'--match=a b|$(c)|it'\\''s' --max-pages=3 -f pages`);
  assertStringIncludes(command!.replace(":***@", "@"), url);
});

test("--no-check leaves out the findings, and settings of check apply", async (folder) => {
  await using server = serveSite("demo");
  const findingsOf = async (...args: readonly string[]) => {
    const { stdout } = await report(folder, server.url, "-q", "-f", "json", ...args);
    return (JSON.parse(stdout) as Report).findings;
  };
  const codes = (
    findings: Report["findings"],
  ) => [...new Set(findings?.items.map(({ code }) => code))];
  assertEquals(await findingsOf("--no-check"), undefined);
  const all = codes(await findingsOf());
  assert(all.includes("loc-entity") && all.includes("lastmod-missing"));
  assertEquals(codes(await findingsOf("--only", "loc-entity")), ["loc-entity"]);
  assert(!codes(await findingsOf("--skip", "lastmod-missing")).includes("lastmod-missing"));
  await Deno.writeTextFile(`${folder}/sitetree.json`, '{"check":{"only":["lastmod-missing"]}}');
  assertEquals(codes(await findingsOf()), ["lastmod-missing"]);
});

/** Sites by what a walk ends with, and the exit code. */
const ENDINGS = {
  none: [4, { "*": MISSING }],
  blocked: [5, { "*": MISSING, "/robots.txt": ok("Sitemap: /s.xml\n"), "/s.xml": status(403) }],
} as const;

test("a site without pages has a report that says why", async (folder) => {
  for (const [verdict, [code, routes]] of Object.entries(ENDINGS)) {
    await using server = new FaultServer(routes);
    const result = await report(folder, server.url, "-q", "-o", `${verdict}.html`);
    assertEquals([result.code, result.stderr], [code, ""]);
    const { sites, totals } = dataOf(await Deno.readTextFile(`${folder}/${verdict}.html`));
    assertEquals([sites[0]?.verdict, totals.pages], [verdict, 0]);
    if (verdict === "blocked") assertMatch(sites[0]?.reason ?? "", /403/);
  }
});

test("filters and --max-pages leave pages out of a report, and the exit code is 0", async (folder) => {
  await using server = serveSite("nested");
  const args = [server.url, "-q", "-f", "json", "--max-pages", "2"];
  const { code, stdout } = await report(folder, ...args);
  const { totals, sites } = JSON.parse(stdout) as Report;
  assertEquals([code, totals.pages, sites[0]?.endedBy], [0, 2, "max-pages"]);
  const none = await report(folder, server.url, "-q", "-f", "json", "--match", "nothing");
  assertEquals([none.code, (JSON.parse(none.stdout) as Report).totals.pages], [0, 0]);
});

test("report names what is wrong with an operand, and a report is none", async (folder) => {
  const saved = { format: "sitetree-report", version: 1 };
  await Deno.writeTextFile(`${folder}/report.json`, JSON.stringify(saved, null, 2));
  await Deno.writeTextFile(`${folder}/short.json`, JSON.stringify(saved));
  const options = { cwd: folder, permissions: ALL_PERMISSIONS };
  const step = (...args: string[]): Step => ({ args, options });
  const results = await assertSteps("report_errors", {}, [
    step("report", "report.json", "-o", "report.html"),
    step("report", "short.json"),
    step("report", "short.json", "-o", "report.pdf"),
    step("report"),
  ]);
  assertEquals(results.map(({ stdout }) => stdout).join(""), "");
  assertEquals([...Deno.readDirSync(folder)].length, 2);
});

Deno.test("HTML is not written to a terminal unless asked for, and a file is named", {
  ignore: !hasTerminal(),
}, async () => {
  await using server = serveSite("nested");
  await inFolder(async (folder) => {
    const options = { columns: 80, env: ["NO_COLOR=1"], permissions: ALL_PERMISSIONS };
    const refused = await runInTerminal(["report", server.url, "-f", "html"], options);
    assertEquals(refused, {
      code: 2,
      output: "error: Cannot write HTML to a terminal\n  add -o report.html\n",
    });
    assertEquals(server.requests.length, 0);
    const path = `${folder}/report.html`;
    const written = await runInTerminal(["report", server.url, "-o", path], options);
    assertEquals(written.code, 0);
    const [last] = written.output.trimEnd().split("\n").slice(-1);
    assertMatch(last!.slice(path.length), /^: \d+ pages in \d+ sitemaps, \d+(?:\.\d+)? k?B$/);
    const again = await runInTerminal(["report", server.url, "-qf", "html", "-o", "-"], options);
    assertMatch(again.output, /^<!doctype html>/i);
  });
});

testOnUnix("Ctrl-C keeps a report on what was read, without a verdict", async (folder) => {
  await using server = new FaultServer({
    "*": MISSING,
    "/robots.txt": ok("Sitemap: {{origin}}/s.xml\n"),
    "/s.xml": silence(
      "HTTP/1.1 200 OK\r\nContent-Type: text/xml\r\n\r\n",
      "<urlset><url><loc>http://a.test/a</loc></url><url>",
    ),
  });
  const child = startCli(["report", "-vvv", "-o", "report.html", server.url], {
    cwd: folder,
    permissions: ALL_PERMISSIONS,
  });
  const log = new TextReader(child.stderr);
  await log.until("page http://a.test/a");
  child.kill("SIGINT");
  await log.all();
  await child.stdout.cancel();
  assertEquals((await child.status).code, 130);
  const { sites, totals } = dataOf(await Deno.readTextFile(`${folder}/report.html.part`));
  assertEquals([sites[0]?.verdict, totals.pages], [undefined, 1]);
});

test("the report on a snapshot has its runs, and all its sites", async (folder) => {
  await using server = serveSite("nested");
  await using other = serveSite("demo");
  const options = { cwd: folder, permissions: [...ALL_PERMISSIONS, "--allow-sys"] };
  for (const site of [server.url, server.url, other.url]) {
    await runCli(["sync", site, "site.db", "-q"], options);
  }
  const jsonOf = async (...args: readonly string[]): Promise<Report> =>
    JSON.parse((await runCli(["report", "site.db", "-f", "json", ...args], options)).stdout);
  const { totals, runs = [], command } = await jsonOf();
  assertEquals(totals.sites, 2);
  assertEquals(runs.map(({ site }) => site), [server.url, server.url, other.url]);
  const [first, second, third] = runs;
  assertEquals([first!.pages, first!.added, first!.removed], [first!.pages, first!.pages, 0]);
  assertEquals([second!.pages, second!.added, second!.changed], [first!.pages, 0, 0]);
  assertEquals(second!.pages + third!.pages, totals.pages);
  assertEquals(command, "sitetree ls site.db -f pages");
  const one = await jsonOf("--site", other.url);
  assertEquals([one.totals.sites, one.runs?.length], [1, 1]);
});
