import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { SitemapPage, SitemapRef, TreeEvent } from "../../mod.ts";
import { INVALID_CODES, WARNING_CODES } from "../../src/data/codes.ts";
import { WalkTally } from "../../src/cli/reading.ts";
import { assertFits } from "./fitting.ts";
import { bar, chartLines, statsJson, statsText } from "../../src/cli/stats.ts";
import { widthOf } from "../../src/cli/terminal.ts";
import { Aggregate } from "../../src/report/aggregate.ts";
import type { Report } from "../../src/report/report.ts";
import { serveRoutes, serveSite } from "../support/fixture_server.ts";
import { inFolder } from "../support/in_folder.ts";
import { assertGolden, normalized } from "./golden.ts";
import { ALL_PERMISSIONS, commandWords, runCli } from "./run_cli.ts";

Deno.test("stats reports on a site, in 80 columns without a terminal", async () => {
  await using server = serveSite("nested");
  const { code, stdout, stderr } = await runCli(["stats", server.url]);
  assertEquals({ code, stderr }, { code: 0, stderr: "" });
  await assertGolden("stats_nested", normalized(stdout, server.url));
});

Deno.test("stats reports on a site without sitemaps", async () => {
  await using server = serveRoutes({});
  const { code, stdout } = await runCli(["stats", "-q", server.url]);
  assertEquals(code, 4);
  assertEquals(
    normalized(stdout, server.url),
    "{{origin}}/\n\nVerdict\n  none: 0 sitemaps, 0 pages, {{time}}\n",
  );
});

/** Counts the summaries in a text. */
function endings(text: string): number {
  return text.match(/\bpartial: 10 sitemaps, 20 pages/g)?.length ?? 0;
}

for (const args of [["stats"], ["ls"], ["stats", "-v"]]) {
  Deno.test(`${args.join(" ")} prints one summary if its output is piped`, async () => {
    await using server = serveSite("demo");
    const { code, stdout, stderr } = await runCli([...args, server.url]);
    assertEquals(code, 3);
    // a report contains it, a list does not
    const expected = args[0] === "stats" ? [1, 0] : [0, 1];
    assertEquals([endings(stdout), endings(stderr)], expected);
  });
}

Deno.test("stats -f json reports on a site as one JSON document", async () => {
  await using server = serveSite("demo");
  const { code, stdout } = await runCli(["stats", "-f", "json", server.url]);
  assertEquals(code, 3);
  assertEquals(JSON.parse(stdout).verdict, "partial");
  await assertGolden("stats_json", normalized(stdout, server.url));
});

Deno.test({
  name: "stats and ls print the summary on standard error if the output is a file",
  ignore: Deno.build.os === "windows",
  async fn() {
    await using server = serveSite("demo");
    const folder = await Deno.makeTempDir();
    const run = async (command: string, redirect: string) => {
      const words = commandWords([command, server.url], ["-A"]);
      const script = `${words.map((word) => `'${word}'`).join(" ")} ${redirect}`;
      const { stderr } = await new Deno.Command("sh", { args: ["-c", script], cwd: folder })
        .output();
      return [
        endings(await Deno.readTextFile(`${folder}/out`)),
        endings(
          new TextDecoder().decode(stderr),
        ),
      ];
    };
    try {
      for (const command of ["stats", "ls"]) {
        const inFile = command === "stats" ? 1 : 0;
        assertEquals(await run(command, "> out"), [inFile, 1]);
        assertEquals(await run(command, "-o out"), [inFile, 1]);
        // both are the same file, with one summary
        assertEquals(await run(command, "> out 2>&1"), [1, 0]);
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  },
});

function refOf(id: number, url: string, type: SitemapRef["type"] = "PagesXmlSitemap"): SitemapRef {
  return { id, type, url, level: id === 0 ? -1 : 0, parent: id === 0 ? null : 0, index: id };
}

const ROOT = refOf(0, "https://example.com/", "IndexWebsiteSitemap");

function reportOf(events: Iterable<TreeEvent>): Report {
  const aggregate = new Aggregate({ check: false });
  const walk = aggregate.walk();
  walk.add({ type: "sitemap-entered", sitemap: ROOT });
  for (const event of events) walk.add(event);
  return aggregate.result();
}

function textOf(report: Report, width: number): string {
  return statsText(report, "complete: 1 sitemap, 2 pages, 0.1 s", {
    width,
    color: false,
    future: 0,
  });
}

/** Sitemaps of rising size, each with its own host. */
function* manySitemaps(sitemaps: number): Generator<TreeEvent> {
  for (let id = 1; id <= sitemaps; id++) {
    const sitemap = refOf(id, `https://example.com/sitemap-${id}.xml`);
    yield { type: "sitemap-entered", sitemap };
    for (let at = 0; at < id; at++) {
      yield { type: "page", page: { url: `https://h${id}.test/${at}` }, sitemap };
    }
    yield { type: "sitemap-left", sitemap, pages: id, bytes: 1, complete: true, warnings: {} };
  }
}

Deno.test("statsText() shows the largest sitemaps and hosts, and counts the others", () => {
  const report = textOf(reportOf(manySitemaps(30)), 60);
  assertStringIncludes(report, "\nPages by sitemap (10 of 30)\n  /sitemap-30.xml  30  ███");
  assertEquals(report.match(/^ {2}\/sitemap-\d+\.xml/gm)?.length, 10);
  assertEquals(/^ {2}other hosts +(\d+)/m.exec(report)?.[1], String(20 * 21 / 2));
});

Deno.test("stats shows hosts, paths, patterns and dates of a saved walk", async () => {
  const urls = [
    "https://example.com/",
    ...Array.from({ length: 30 }, (_, at) => `https://example.com/blog/a-post-${at}`),
    ...Array.from({ length: 12 }, (_, at) => `https://example.com/${"abcdefghijkl"[at]}x/about`),
    "https://shop.example.com/blog/sale",
  ];
  const sitemap = refOf(1, "https://example.com/s.xml");
  const saved: TreeEvent[] = [
    { type: "sitemap-entered", sitemap },
    ...urls.map((url, at): TreeEvent => ({
      type: "page",
      page: { url, ...(at < 3 && { lastModified: "2999-01-01" }) },
      sitemap,
    })),
    { type: "sitemap-left", sitemap, pages: 44, bytes: 1, complete: true, warnings: {} },
  ];
  await inFolder(async (folder) => {
    const walk = `${folder}/walk.ndjson`;
    await Deno.writeTextFile(walk, saved.map((event) => `${JSON.stringify(event)}\n`).join(""));
    const { stdout } = await runCli(["stats", walk], { permissions: ALL_PERMISSIONS });
    const row = (label: string) => {
      const line = stdout.split("\n").find((line) => line.startsWith(`  ${label}  `));
      return line?.slice(label.length + 2).match(/\d+/)?.[0];
    };
    const labels = ["example.com", "shop.example.com", "/blog", "/", "no date"];
    assertEquals(labels.map(row), ["43", "1", "31", "1", "41"]);
    assertEquals(row("other paths"), "4");
    assertEquals(row("example.com/blog/{slug}"), "30");
    assertStringIncludes(stdout, "\n  3 pages dated in the future\n");
  });
});

Deno.test("statsText() counts warnings beyond those that were sent", () => {
  const sitemap = refOf(1, "https://example.com/s.xml");
  const figures = reportOf([
    { type: "sitemap-entered", sitemap },
    { type: "warning", code: "bad-date", message: 'Date "soon"', sitemap, line: 4 },
    {
      type: "sitemap-left",
      sitemap,
      pages: 0,
      bytes: 1,
      complete: true,
      warnings: { "bad-date": 5000 },
    },
    {
      type: "finished",
      verdict: "complete",
      stats: {
        sitemaps: 1,
        pages: 0,
        invalid: 0,
        warnings: 5000,
        bytes: 1,
        requests: 1,
        retries: 0,
        probes: 0,
        durationMs: 1,
      },
      discovery: [],
    },
  ]);
  const report = textOf(figures, 80);
  assertStringIncludes(report, "  5,000 × bad-date: an unreadable date; dropped\n");
  assertStringIncludes(report, '    /s.xml:4: Date "soon"\n');
});

Deno.test("statsText() fits any width and escapes terminal controls", () => {
  const sitemap = refOf(1, `https://example.com/\x1b[31m${"long/".repeat(30)}水車小屋.xml`);
  const url = `https://\x07example.com/${"x".repeat(300)}`;
  const figures = reportOf([
    { type: "sitemap-entered", sitemap },
    { type: "page", page: { url, priority: 0.55 }, sitemap },
    { type: "page", page: { url }, sitemap: refOf(2, "https://b.test/b.xml") },
    { type: "invalid", sitemap: refOf(3, url), code: "network", reason: `\x1b]0;${url}` },
    { type: "sitemap-left", sitemap, pages: 1, bytes: 1, complete: true, warnings: {} },
  ]);
  for (const width of [20, 40, 80, 100]) {
    const report = textOf(figures, width);
    assertEquals(/\p{Cc}/u.exec(report.replaceAll("\n", "")), null);
    assertFits(report, width);
  }
});

Deno.test("statsJson() has all figures, under stable names", () => {
  const [first, second] = [1, 2].map((id) => refOf(id, `https://example.com/${id}.xml`));
  const dead = refOf(3, "https://example.com/\u009b.xml", "InvalidSitemap");
  const page: SitemapPage = {
    url: "https://example.com/a",
    priority: 0.5,
    lastModified: "2024-05-01",
    changeFrequency: "daily",
    images: [{ loc: "https://example.com/1.png" }, { loc: "https://example.com/2.png" }],
  };
  const figures = reportOf([
    { type: "sitemap-entered", sitemap: first! },
    { type: "page", page, sitemap: first! },
    { type: "page", page: { url: "https://b.test/" }, sitemap: first! },
    { type: "sitemap-left", sitemap: first!, pages: 2, bytes: 1, complete: true, warnings: {} },
    { type: "sitemap-entered", sitemap: second! },
    { type: "page", page, sitemap: second! },
    { type: "warning", code: "bad-date", message: 'Date "soon"', sitemap: second!, line: 4 },
    { type: "sitemap-left", sitemap: second!, pages: 1, bytes: 1, complete: true, warnings: {} },
    { type: "invalid", sitemap: dead, code: "http-status", reason: "404 Not Found" },
  ]);
  const json = statsJson(figures, {
    ending: "partial",
    tally: Object.assign(new WalkTally({}), { sitemaps: 2, pages: 4, invalid: 1, warnings: 1 }),
    elapsed: 12.3,
  }, 3);
  assert(!json.includes("\u009b"), "written as an escape");
  assertEquals(JSON.parse(json), {
    url: "https://example.com/",
    verdict: "partial",
    durationMs: 12,
    sitemaps: {
      count: 2,
      byType: {
        IndexRobotsTxtSitemap: 0,
        IndexXmlSitemap: 0,
        PagesXmlSitemap: 2,
        PagesTextSitemap: 0,
        PagesRssSitemap: 0,
        PagesAtomSitemap: 0,
      },
      withPages: 2,
      largest: [{ url: first!.url, pages: 2 }, { url: second!.url, pages: 1 }],
    },
    pages: { count: 4, kept: 3, unique: 2, isEstimate: false },
    hosts: [{ host: "example.com", pages: 2 }, { host: "b.test", pages: 1 }],
    otherHosts: { pages: 0 },
    paths: [{ path: "/a", pages: 2 }, { path: "/", pages: 1 }],
    otherPaths: { pages: 0 },
    patterns: [
      { pattern: "example.com/a", pages: 2, example: page.url },
      { pattern: "b.test/", pages: 1, example: "https://b.test/" },
    ],
    otherPatterns: { pages: 0 },
    lastModified: { histogram: [{ period: "2024-05-01", pages: 2 }], none: 1, future: 3 },
    changeFrequency: {
      always: 0,
      hourly: 0,
      daily: 2,
      weekly: 0,
      monthly: 0,
      yearly: 0,
      never: 0,
      none: 1,
    },
    priority: {
      "0.0": 0,
      "0.1": 0,
      "0.2": 0,
      "0.3": 0,
      "0.4": 0,
      "0.5": 2,
      "0.6": 0,
      "0.7": 0,
      "0.8": 0,
      "0.9": 0,
      "1.0": 0,
      "none": 1,
    },
    extensions: { images: { pages: 2, items: 4 } },
    overlap: {
      pages: 1,
      isEstimate: false,
      examples: [{ url: page.url, sitemaps: [first!.url, second!.url] }],
    },
    warnings: {
      count: 1,
      byCode: {
        "bad-date": {
          count: 1,
          meaning: WARNING_CODES["bad-date"],
          examples: [{ url: second!.url, line: 4, message: 'Date "soon"' }],
        },
      },
    },
    invalid: {
      count: 1,
      byCode: {
        "http-status": {
          count: 1,
          meaning: INVALID_CODES["http-status"],
          examples: [{ url: dead.url, reason: "404 Not Found" }],
        },
      },
    },
  });
});

const ROWS = [
  { label: "example.com", count: 12_000 },
  { label: "a-rather-long-name.example.com", count: 3000 },
  { label: "cdn.example.com", count: 1 },
  { label: "none", count: 0 },
];

Deno.test("bar() draws eighths, and at least one for any length above zero", () => {
  assertEquals([bar(2), bar(1.5), bar(0.125), bar(0.001), bar(0)], ["██", "█▌", "▏", "▏", ""]);
});

Deno.test("chartLines() fits every width that fits a number, apart from long labels", () => {
  assertEquals(chartLines(ROWS, 60, (text) => text), [
    "example.com                     12,000  ████████████████████",
    "a-rather-long-name.example.com   3,000  █████",
    "cdn.example.com                      1  ▏",
    "none                                 0",
  ]);
  assertEquals(chartLines(ROWS, 30, (text) => text).slice(1, 3), [
    "a-rather-long-name.example.com",
    "                 3,000  █▌",
  ]);
  for (let width = 12; width < 100; width++) {
    for (const line of chartLines(ROWS, width, (text) => text)) {
      const isLabel = ROWS.some(({ label }) => label === line);
      assert(isLabel || widthOf(line) <= width, `${width}: ${line}`);
    }
  }
});
