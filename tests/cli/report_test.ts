/** `sitetree report`: operands, formats, summaries and interruption. @module */

import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Report } from "../../src/report/mod.ts";
import { FaultServer, ok, silence } from "../support/fault_server.ts";
import { serveSite } from "../support/fixture_server.ts";
import { assertInert, dataOf } from "../support/report_html.ts";
import { timeless } from "../support/timeless.ts";
import { test, testOnUnix } from "./folder_cases.ts";
import { ALL_PERMISSIONS, commandWords, runCli, startCli } from "./run_cli.ts";
import { robots, urlset } from "./sites.ts";
import { TextReader } from "./text_reader.ts";
import { transcripts } from "./transcript.ts";

/** Saved events of a walk with 44 pages, in 30 of one pattern, three of them dated in the future. */
function savedWalk(): string {
  const urls = [
    "https://example.com/",
    ...Array.from({ length: 30 }, (_, at) => `https://example.com/blog/a-post-${at}`),
    ...Array.from("abcdefghijkl", (name) => `https://example.com/${name}x/about`),
    "https://shop.example.com/blog/sale",
  ];
  const url = "https://example.com/s.xml";
  const sitemap = { id: 1, type: "PagesXmlSitemap", url, level: 0, parent: 0, index: 1 };
  const end = { pages: 44, bytes: 1, complete: true, warnings: {} };
  const events = [
    { type: "sitemap-entered", sitemap },
    ...urls.map((url, at) => {
      const page = { url, ...(at < 3 && { lastModified: "2999-01-01" }) };
      return { type: "page", page, sitemap };
    }),
    { type: "sitemap-left", sitemap, ...end },
  ];
  return events.map((event) => `${JSON.stringify(event)}\n`).join("");
}

const SAVED_REPORT = { format: "sitetree-report", version: 1 };

transcripts("report", {
  text: {
    sites: {
      nested: "nested",
      demo: "demo",
      none: {},
      blocked: { "/robots.txt": robots("/s.xml"), "/s.xml": 403 },
    },
  },
  operands: {
    sites: { nested: "nested", demo: "demo" },
    files: {
      "dist/sitemap.xml": urlset("https://mill.example/a"),
      "list.txt": "http://nested.test/\n./dist\n",
    },
  },
  findings: {
    files: {
      "walk.ndjson": savedWalk(),
      "dist/sitemap.xml": urlset("https://mill.example/a&b"),
    },
  },
  usage: {
    files: {
      "report.json": JSON.stringify(SAVED_REPORT, null, 2),
      "short.json": JSON.stringify(SAVED_REPORT),
    },
  },
});

/** Returns a report without times, which differ from run to run. */
function fixed({ created: _created, ...report }: Report): unknown {
  return JSON.parse(timeless(JSON.stringify(report)));
}

test("report writes one HTML file, or the same figures as JSON", async (folder) => {
  await using server = serveSite("demo");
  const report = (...args: readonly string[]) =>
    runCli(["report", server.url, ...args], { cwd: folder, permissions: ALL_PERMISSIONS });
  const [file, piped, json, gzipped] = await Promise.all([
    report("-o", "report.html"),
    report("-f", "html"),
    report("-o", "report.json"),
    report("-q", "-o", "report.htm.gz"),
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

testOnUnix("Ctrl-C keeps a report on what was read, without a verdict", async (folder) => {
  await using server = new FaultServer({
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
