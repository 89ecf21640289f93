/** Which pages `--max-pages` and filters keep, of sources of every kind. */

import { assertEquals } from "@std/assert";
import type { FinishedEvent, TreeEvent } from "../../mod.ts";
import { index } from "../faults/documents.ts";
import { FaultServer, type FaultSite, ok, silence } from "../support/fault_server.ts";
import { inFolder } from "../support/in_folder.ts";
import { runCli } from "./run_cli.ts";

const ALL = { permissions: ["--allow-all"] };

function urlset(...paths: string[]): string {
  return `<urlset>${
    paths.map((path) => `<url><loc>{{origin}}${path}</loc></url>`).join("")
  }</urlset>`;
}

const ROBOTS = "Sitemap: {{origin}}/index.xml\nSitemap: {{origin}}/last.xml\n";
const FIRST = urlset("/1", "/2", "/3", "/4"), SECOND = urlset("/5", "/6", "/7", "/8");

const SITE: FaultSite = {
  "/robots.txt": ok(ROBOTS),
  "/index.xml": index("{{origin}}/first.xml", "{{origin}}/second.xml"),
  "/first.xml": ok(FIRST),
  "/second.xml": ok(SECOND),
  "/last.xml": ok(urlset("/9")),
};

type Row = readonly [args: readonly string[], pages: string, end: Partial<FinishedEvent>];

const COMPLETE = { verdict: "complete" } as const;
const LIMITED = { verdict: "partial", endedBy: "max-pages", limited: true } as const;

const ROWS: readonly Row[] = [
  [["--max-pages=1"], "1", LIMITED],
  [["--max-pages=4"], "1234", LIMITED],
  [["--max-pages=5"], "12345", LIMITED],
  [["--max-pages=8"], "12345678", LIMITED],
  [["--max-pages=10"], "123456789", COMPLETE],
  [["--match=[2468]$"], "2468", COMPLETE],
  [["--match=[2468]$", "--max-pages=3"], "246", LIMITED],
  [["--ignore=[1-8]$", "--max-pages=2"], "9", COMPLETE],
  [["--match=x"], "", COMPLETE],
];

/** Reads an operand; returns its pages, the last event, and the pages that its sitemaps count. */
async function read(args: readonly string[]): Promise<{
  readonly pages: string;
  readonly counted: number;
  readonly end: FinishedEvent;
  readonly code: number;
}> {
  const { code, stdout } = await runCli(["ls", "-f", "events", "--concurrency=1", ...args], ALL);
  const events: TreeEvent[] = stdout.trimEnd().split("\n").map((line) => JSON.parse(line));
  let pages = "", counted = 0;
  for (const event of events) {
    if (event.type === "page") pages += new URL(event.page.url).pathname.slice(1);
    if (event.type === "sitemap-left") counted += event.pages;
  }
  return { pages, counted, end: events.at(-1) as FinishedEvent, code };
}

Deno.test("--max-pages and filters keep the same pages of every source", () =>
  inFolder(async (folder) => {
    await using server = new FaultServer(SITE);
    const home = server.url;
    const written = (text: string) => text.replaceAll("{{origin}}", server.origin);
    const file = (name: string, text: string) =>
      Deno.writeTextFile(`${folder}/${name}`, written(text));
    await Deno.mkdir(`${folder}/site`);
    const children = ["/first.xml", "/second.xml"]
      .map((path) => `<sitemap><loc>{{origin}}${path}</loc></sitemap>`);
    await file("site/robots.txt", ROBOTS);
    await file("site/index.xml", `<sitemapindex>${children.join("")}</sitemapindex>`);
    await file("site/first.xml", FIRST);
    await file("site/second.xml", SECOND);
    await file("site/last.xml", urlset("/9"));
    await file("all.xml", urlset(..."123456789".split("").map((name) => `/${name}`)));
    const [saved, snapshot] = [`${folder}/saved.ndjson`, `${folder}/site.db`];
    await runCli(["ls", "-k", "-f", "events", "-o", saved, home], ALL);
    await runCli(["sync", "-k", home, snapshot], ALL);
    const sources: readonly (readonly [FinishedEvent["source"], string[]])[] = [
      ["walk", ["-k", home]],
      ["parse", [`${folder}/all.xml`]],
      ["folder", ["-k", `${folder}/site`]],
      ["walk", [saved]],
      ["snapshot", [snapshot]],
    ];
    for (const [args, expected, { verdict, endedBy, limited }] of ROWS) {
      for (const [source, operand] of sources) {
        const { pages, counted, end, code } = await read([...args, ...operand]);
        const found = { pages, counted, stats: end.stats.pages, code, source: end.source };
        const { length } = expected;
        const wanted = { pages: expected, counted: length, stats: length, code: 0, source };
        assertEquals(found, wanted, JSON.stringify([args, operand]));
        assertEquals([end.verdict, end.endedBy, end.limited], [verdict, endedBy, limited]);
      }
    }
  }));

Deno.test("nothing is requested after the last page of --max-pages", async () => {
  for (
    const [limit, last] of [[1, "/first.xml"], [4, "/first.xml"], [5, "/second.xml"]] as const
  ) {
    await using server = new FaultServer(SITE);
    await read([`--max-pages=${limit}`, server.url]);
    assertEquals(server.requests.at(-1)?.path, last);
  }
});

Deno.test("operands that are read at once share --max-pages, and all end with the last page", async () => {
  await using one = new FaultServer(SITE);
  await using other = new FaultServer(SITE);
  await using slow = new FaultServer({ "/robots.txt": silence() });
  const args = ["ls", "-k", "-f", "pages", "--concurrency=3", "--max-pages=7"];
  const { code, stdout } = await runCli([...args, slow.url, one.url, other.url], ALL);
  assertEquals([code, stdout.trimEnd().split("\n").length], [0, 7]);
  assertEquals(slow.counts, { "/robots.txt": 1 });
});
