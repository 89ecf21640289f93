/**
 * Commands that Ctrl-C ends before the first event, in the middle and at the end: each says so, and
 * none that something is complete or without problems; and what a second Ctrl-C leaves.
 *
 * @module
 */

import { assert, assertEquals, assertMatch } from "@std/assert";
import { gunzipSync } from "node:zlib";
import { type FixtureServer, serveRoutes } from "../support/fixture_server.ts";
import { testOnUnix } from "./folder_cases.ts";
import { ALL_PERMISSIONS, runCli, startCli } from "./run_cli.ts";
import { TextReader } from "./text_reader.ts";

const encoder = new TextEncoder();
const ON_UNIX = { ignore: Deno.build.os === "windows" };

const NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9";

/** What a site leaves without an answer: everything, the rest of its sitemap, or its pages. */
type Stall = "site" | "sitemap" | "page";

/** A site with two pages that stalls somewhere; `stalled` resolves then, and `release` ends that. */
function stallingSite(at: Stall) {
  const { promise: stalled, resolve } = Promise.withResolvers<void>();
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const stall = () => {
    resolve();
    return released.then(() => new Response());
  };
  const server = serveRoutes({
    "/robots.txt": ({ url }) =>
      at === "site" ? stall() : new Response(`Sitemap: ${new URL("/s.xml", url)}\n`),
    "/s.xml": ({ url }) => {
      const { origin } = new URL(url);
      const pages = ["a", "b"].map((name) => `<url><loc>${origin}/${name}</loc></url>`).join("");
      const start = new TextEncoder().encode(`<urlset xmlns="${NAMESPACE}">${pages}`);
      const end = new TextEncoder().encode("</urlset>");
      return new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(start);
            if (at === "sitemap") return;
            controller.enqueue(end);
            controller.close();
          },
        }),
        { headers: { "content-type": "application/xml" } },
      );
    },
    "/a": stall,
    "/b": stall,
  });
  return { server, stalled, release };
}

interface Row {
  readonly args: string;
  readonly stdout: RegExp;
  /** Standard error, without the log. Default: the summary of a walk. */
  readonly stderr?: RegExp;
  /** Files that are left, packed ones as they were. Default: not looked at. */
  readonly files?: Readonly<Record<string, RegExp>>;
  /** Default: `SIGINT`. */
  readonly signal?: "SIGINT" | "SIGTERM";
}

const NOTHING = /^interrupted: 0 sitemaps, 0 pages, [\d.]+ s\n$/;
const TWO_PAGES = /^interrupted: 1 sitemap, 2 pages, [\d.]+ s\n$/;
const INCOMPLETE = /^interrupted: the output is incomplete\n$/;
const SYNC =
  /^interrupted: \+0 ~0 -0, .*\n {2}what was found is kept; its changes: .* --after 0\n$/;
const KEPT =
  /^Interrupted: partial output kept in "[\w.]+\.part"\ninterrupted: 1 sitemap, 2 pages, [\d.]+ s\n$/;

/** Documents of two pages, which are complete. */
const PARTS: Readonly<Record<string, RegExp>> = {
  "pages.txt": /^SITEa\nSITEb\n$/,
  "pages.ndjson": /^\{"url":"SITEa".*\}\n\{"url":"SITEb".*\}\n$/,
  "pages.csv": /^url,.*\r\nSITEa,.*\r\nSITEb,.*\r\n$/,
  "pages.json": /^\[\n\{"url":"SITEa".*\},\n\{"url":"SITEb".*\}\n\]\n$/,
  "pages.xml": /^<\?xml [^]*<loc>SITEa<[^]*<loc>SITEb<[^]*<\/urlset>\n$/,
};

/** Before the first event: `SITE` is replaced by the URL of the site. */
const FIRST: readonly Row[] = [
  { args: "check SITE", stdout: /^SITE: interrupted before a sitemap was read\n$/ },
  { args: "check SITE -f json", stdout: /^\{\n {2}"site": "SITE",\n {2}"verdict": "interrupted",/ },
  {
    args: "check SITE -f markdown",
    stdout: /^## Sitemaps of `SITE`\n\n\*\*interrupted before a sitemap was read\*\*\n/,
  },
  {
    args: "check SITE -f github",
    stdout: /^Checked SITE: interrupted before a sitemap was read\n$/,
  },
  {
    args: "check SITE -f junit",
    stdout: /<testsuite name="SITE" tests="(\d+)" failures="0" skipped="\1"/,
  },
  {
    args: "check SITE -f sarif",
    stdout:
      /"executionSuccessful": false,[^]*"text": "SITE: interrupted before a sitemap was read"/,
  },
  {
    args: "report SITE",
    stdout: /^SITE\n\nVerdict\n {2}interrupted: 0 sitemaps, 0 pages, [\d.]+ s\n$/,
  },
  { args: "explain SITE", stdout: /^SITE\ninterrupted before the walk ended\n$/ },
  {
    args: "explain SITE -f json",
    stdout: /^\{\n {2}"url": "SITE",\n {2}"verdict": "interrupted",/,
  },
  { args: "report SITE -f json", stdout: /"sites": \[\],/ },
  { args: "report SITE -f html", stdout: /^<!DOCTYPE html>/ },
  { args: "ls SITE -f pages", stdout: /^$/ },
  { args: "ls SITE -f json", stdout: /^\[\]\n$/ },
  { args: "diff SITE ./none.txt --url https://a.test/", stdout: /^$/, stderr: INCOMPLETE },
  { args: "diff SITE ./none.txt -f json", stdout: /^\[\]\n$/, stderr: INCOMPLETE },
  { args: "diff SITE ./none.txt -f markdown", stdout: /^$/, stderr: INCOMPLETE },
  { args: "diff SITE ./none.txt --summary", stdout: /^$/, stderr: INCOMPLETE },
  { args: "sync SITE site.db", stdout: /^$/, stderr: SYNC },
];

/** After two pages. */
const MIDDLE: readonly Row[] = [
  {
    args: "check SITE --skip sitemap-slow,size-over-limit",
    stdout: /^SITE: interrupted: nothing found so far in 1 sitemap, 2 pages\n$/,
  },
  { args: "check SITE -f json", stdout: /^\{\n {2}"site": "SITE",\n {2}"verdict": "interrupted",/ },
  { args: "check SITE -f markdown", stdout: /\n\*\*interrupted: nothing found so far in 1 sit/ },
  { args: "check SITE -f github", stdout: /^Checked SITE: interrupted: nothing found so far in / },
  {
    args: "check SITE -f junit",
    stdout: /<testsuite name="SITE" tests="(\d+)" failures="0" skipped="\1"/,
  },
  { args: "check SITE -f sarif", stdout: /"text": "SITE: interrupted: nothing found so far in 1 / },
  {
    args: "report SITE --skip sitemap-slow,size-over-limit",
    stdout:
      /\nFindings\n {2}nothing found\n[^]*\nVerdict\n {2}interrupted: 1 sitemap, 2 pages, [\d.]+ s\n$/,
  },
  {
    args: "report SITE -f json",
    stdout: /"sites": \[\n {4}\{\n {6}"url": "SITE",\n {6}"pages": 2,\n {6}"sitemaps": 1\n/,
  },
  { args: "ls SITE -f json", stdout: /^\[\n.*SITEa.*\n.*SITEb.*\n\]\n$/ },
  {
    args: "diff ./none.txt SITE -f json --url https://a.test/",
    stdout: /^\[[^]*\]\n$/,
    stderr: /\ninterrupted: the output is incomplete\n$/,
  },
  {
    args: "ls SITE -f json",
    signal: "SIGTERM",
    stdout: /^\[\n.*SITEa.*\n.*SITEb.*\n\]\n$/,
  },
  {
    args: "ls SITE -o pages.ndjson.gz --discard-partial",
    stdout: /^$/,
    files: {},
  },
  {
    args: "ls SITE --sitemaps -o sitemaps.csv",
    stdout: /^$/,
    stderr: KEPT,
    files: {
      "sitemaps.csv.part":
        /^url,.*\r\n.*,IndexRobotsTxtSitemap,truncated,.*\r\n.*,PagesXmlSitemap,truncated,.*\r\n$/,
    },
  },
  ...Object.entries(PARTS).flatMap(([name, part]) =>
    ["", ".gz"].map((end) => ({
      args: `ls SITE -o ${name}${end}`,
      stdout: /^$/,
      stderr: KEPT,
      files: { [`${name}${end}.part`]: part },
    }))
  ),
];

/** When the walk is complete, and pages are being requested. */
const PAGES: readonly Row[] = [
  {
    args: "check SITE --pages --skip lastmod-missing",
    stdout:
      /^SITE: interrupted: nothing found so far in 1 sitemap, 2 pages; interrupted after 0 of 2 pages\n/,
  },
  {
    args: "check SITE --pages -f json",
    stdout: /^\{\n {2}"site": "SITE",\n {2}"verdict": "interrupted",/,
    stderr: /^interrupted after 0 of 2 pages\ninterrupted: 1 sitemap, 2 pages, /,
  },
  {
    args: "check SITE --pages -f junit",
    stdout: /failures="0" skipped="(\d+)" errors="0">\n {2}<testsuite name="SITE" tests="\1" /,
    stderr: /^interrupted after 0 of 2 pages\ninterrupted: 1 sitemap, 2 pages, /,
  },
];

/** Interrupts a command once its site stalls, and has got what it sent before. */
async function interrupted({ args, signal = "SIGINT" }: Row, at: Stall, cwd: string) {
  const { server, stalled, release } = stallingSite(at);
  await using _server = server;
  const site = server.url;
  const words = args.replaceAll("SITE", site).split(" ");
  const log = `${cwd}/log.txt`;
  const child = startCli([...words, "-k", "-vvv", "-l", log], {
    permissions: ALL_PERMISSIONS,
    cwd,
  });
  const output = child.output();
  if (at !== "sitemap") await stalled;
  else while (!await hasRead(log, `page ${site}b`)) await new Promise((end) => setTimeout(end, 20));
  child.kill(signal);
  const { code, stdout, stderr } = await output;
  release();
  const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes).replaceAll(site, "SITE");
  return { code, stdout: text(stdout), stderr: text(stderr), text };
}

async function hasRead(log: string, text: string): Promise<boolean> {
  return (await Deno.readTextFile(log).catch(() => "")).includes(text);
}

const CASES = [
  ["site", FIRST, NOTHING],
  ["sitemap", MIDDLE, TWO_PAGES],
  ["page", PAGES, TWO_PAGES],
] as const;

for (const [at, rows, summary] of CASES) {
  for (const row of rows) {
    const name = `${row.args}, ended by ${
      row.signal ?? "SIGINT"
    } while a ${at} is awaited, says so`;
    testOnUnix(name, async (cwd) => {
      await Deno.writeTextFile(`${cwd}/none.txt`, "https://a.test/\n");
      const { code, stdout, stderr, text } = await interrupted(row, at, cwd);
      assertMatch(stdout, row.stdout);
      assertMatch(stderr, row.stderr ?? summary);
      assertEquals(code, row.signal === "SIGTERM" ? 143 : 130);
      const shown = /^report .* -f/.test(row.args) ? stderr : stdout + stderr;
      assert(!/no problems|no changes|^complete:|"complete"/m.test(shown), shown);
      if (row.files === undefined) return;
      const left = [...Deno.readDirSync(cwd)].map(({ name }) => name);
      assertEquals(left.sort(), ["log.txt", "none.txt", ...Object.keys(row.files)].sort());
      for (const [name, content] of Object.entries(row.files)) {
        const bytes = Deno.readFileSync(`${cwd}/${name}`);
        assertMatch(text(name.endsWith(".gz.part") ? gunzipSync(bytes) : bytes), content);
      }
    });
  }
}

/** Serves more pages than any pipe holds. */
function serveHugeSite(): FixtureServer {
  const urls = Array.from(
    { length: 50_000 },
    (_, at) => `https://a.test/${"page/".repeat(20)}${at}\n`,
  );
  return serveRoutes({
    "/robots.txt": ({ url }) => new Response(`Sitemap: ${new URL("/s.txt", url)}\n`),
    "/s.txt": () => new Response(urls.join("")),
  });
}

testOnUnix("changes that are interrupted say that they are incomplete", async (cwd) => {
  const options = { cwd, permissions: ALL_PERMISSIONS };
  await using server = serveHugeSite();
  assertEquals((await runCli(["sync", server.url, "site.db", "-k"], options)).code, 0);
  const child = startCli(["changes", "site.db", "-f", "json"], options);
  const reader = child.stdout.getReader();
  const { value } = await reader.read();
  child.kill("SIGINT");
  const decoder = new TextDecoder();
  let text = decoder.decode(value, { stream: true });
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    text += decoder.decode(part.value, { stream: true });
  }
  assert(JSON.parse(text).length < 50_000);
  assertMatch(await new Response(child.stderr).text(), INCOMPLETE);
  assertEquals((await child.status).code, 130);
});

Deno.test(
  "SIGINT ends ls while it waits for standard input",
  ON_UNIX,
  async () => {
    const event = '{"type":"sitemap-entered","sitemap":{"id":0,"type":"PagesTextSitemap",' +
      '"url":"https://a.test/s.txt","level":0,"parent":null,"index":0}}\n';
    for (const start of ["https://a.test/\n".repeat(1000), event]) {
      const child = startCli(["ls", "-", "-v"], { stdin: "" });
      const writer = child.stdin.getWriter();
      await writer.write(encoder.encode(start));
      const reader = new TextReader(child.stderr);
      await reader.until("INFO reading");
      child.kill("SIGINT");
      assertMatch(await reader.all(), /^interrupted: 1 sitemap, /m);
      assertEquals((await child.status).code, 130);
      await writer.close().catch(() => {});
      await child.stdout.cancel();
    }
  },
);

/** Writes a page, and gathers another one that is not written yet when the process has to exit. */
const FORCED_EXIT = `
  import { openFile } from "${new URL("open_file.ts", import.meta.url)}";
  import { eventWriter } from "${new URL("../../src/cli/commands/ls.ts", import.meta.url)}";
  import { interruptSignal } from "${new URL("../../src/cli/run/interrupt.ts", import.meta.url)}";
  const [folder, name, format] = Deno.args;
  const output = await openFile(folder + "/" + name);
  const firstWrite = Promise.withResolvers();
  const observed = {
    write: (bytes) => output.write(bytes).then(firstWrite.resolve, firstWrite.reject),
  };
  const settings = { format, stripUrl: false, columns: undefined };
  const writer = await eventWriter(settings, observed, undefined, false);
  const sitemap = { id: 1, type: "PagesXmlSitemap", url: "https://a.test/s.xml", level: 0 };
  const write = (url) => writer.writeAll([{ type: "page", page: { url }, sitemap }]);
  const signal = interruptSignal(() => {
    write("https://a.test/b");
    output.keepPartialSync(writer.takeRest());
  });
  write("https://a.test/a");
  await firstWrite.promise;
  // the grace period never ends
  globalThis.setTimeout = () => 0;
  signal.addEventListener("abort", () => Deno.kill(Deno.pid, "SIGINT"));
  Deno.kill(Deno.pid, "SIGINT");
  await new Promise(() => {});
`;

for (const [name, part] of Object.entries(PARTS)) {
  testOnUnix(`a second SIGINT leaves a complete ${name}.part`, async (folder) => {
    const format = name.replace(/^pages\.(?:txt$)?/, "") || "pages";
    const child = new Deno.Command(Deno.execPath(), {
      args: ["eval", FORCED_EXIT, folder, name, format],
      stderr: "piped",
      stdout: "null",
    }).spawn();
    const timer = setTimeout(() => child.kill("SIGKILL"), 20_000);
    const { code, stderr } = await child.output();
    clearTimeout(timer);
    assertEquals([code, new TextDecoder().decode(stderr)], [130, ""]);
    assertEquals([...Deno.readDirSync(folder)].map((entry) => entry.name), [`${name}.part`]);
    const text = await Deno.readTextFile(`${folder}/${name}.part`);
    assertMatch(text.replaceAll("https://a.test/", "SITE"), part);
  });
}

Deno.test("a second SIGINT ends ls at once, though its output is not read", {
  ignore: Deno.build.os === "windows",
}, async () => {
  await using server = serveHugeSite();
  const child = startCli(["ls", "-f", "pages", server.url]);
  const reader = child.stdout.getReader();
  await reader.read();
  child.kill("SIGINT");
  const interval = setInterval(() => child.kill("SIGINT"), 100);
  const { code } = await child.status;
  clearInterval(interval);
  assertEquals(code, 130);
  await reader.cancel();
  await child.stderr.cancel();
});
