import { assert, assertEquals, assertMatch } from "@std/assert";
import { FORMAT_NAMES } from "../../src/cli/format_names.ts";
import { serveRoutes, serveSite } from "../support/fixture_server.ts";
import { type CliResult, runCli, startCli } from "./run_cli.ts";
import { timeless } from "../support/timeless.ts";

/** A command with its format, in each format that it has. */
const COMMANDS: readonly (readonly string[])[] = [
  ...Object.keys(FORMAT_NAMES.list).map((format) => ["ls", "-f", format]),
  ["report", "-f", "text"],
  ["report", "-f", "json"],
];

/** Lines that are not data. */
const MESSAGE_REGEXP = /^(?:partial|complete): |http-status\)$|^error: |\d\.\d s {2}/m;

/** Returns the output without times, which differ from run to run. */
function withoutTimes(text: string): string {
  return timeless(text).replace(/\b\d+\.\d s\b|(?<="created": )".*"/g, "{{time}}");
}

Deno.test("only data is written to standard output, and -q silences the rest", async () => {
  await using server = serveSite("demo");
  const run = (args: readonly string[]): Promise<CliResult> => runCli([...args, server.url]);
  await Promise.all(COMMANDS.map(async (args) => {
    const [loud, quiet] = await Promise.all([run(args), run([...args, "-q"])]);
    const name = args.join(" ");
    assertEquals([loud.code, quiet.code], [3, 3], name);
    assertEquals(withoutTimes(quiet.stdout), withoutTimes(loud.stdout), name);
    assertEquals(quiet.stderr, "", name);
    // a report has the verdict and the losses as data
    if (args[0] === "report") return assertEquals(loud.stderr, "", name);
    if (args[2] !== "tree") assertEquals(MESSAGE_REGEXP.exec(loud.stdout), null, name);
    assert(!loud.stdout.includes("partial: 10 sitemaps"), name);
    assertMatch(loud.stderr, /archive-2019\.xml: 404 Not Found \(http-status\)\n$/, name);
  }));
});

/** Pages of which two are in two sitemaps, and one is twice in one. */
const PAGES = {
  "/a.xml": ["/1", "/2", "/2", "/3"],
  "/b.xml": ["/2", "/3", "/4"],
};

/** Returns the number of pages that a format shows. */
const COUNTERS: Readonly<Record<string, (text: string) => number>> = {
  "ls -f tree": (text) => sum(text, /└ (\d+) pages?/g),
  "ls -f tabtree": (text) => text.match(/\/\d$/gm)!.length,
  "ls -f pages": (text) => text.trimEnd().split("\n").length,
  "ls -f ndjson": (text) => text.trimEnd().split("\n").map((line) => JSON.parse(line)).length,
  "ls -f json": (text) => JSON.parse(text).length,
  "ls -f csv": (text) => text.trimEnd().split("\r\n").length - 1,
  "ls -f xml": (text) => text.match(/<loc>/g)!.length,
  "ls -f events": (text) => JSON.parse(text.trimEnd().split("\n").at(-1)!).stats.pages,
  "ls --sitemaps": (text) => columnSum(text.trimEnd().split("\n").slice(1), / {2,}/, -3),
  "ls --sitemaps -f csv": (text) => columnSum(text.trimEnd().split("\r\n").slice(1), ",", -3),
  "ls --sitemaps -f ndjson": (text) => sum(text, /"pages":(\d+)/g),
  "report -f text": (text) => sum(text, /^ {2}(?:https?:\S*|\/\S*\.xml) +(\d+) /gm),
  "report -f json": (text) => JSON.parse(text).totals.pages,
};

const SUMMARY_REGEXP = /^ *\w+: \d+ sitemaps?, (\d+) pages?(?: \((\d+) kept\))?/m;

function sum(text: string, numbers: RegExp): number {
  return [...text.matchAll(numbers)].reduce((all, [, number]) => all + Number(number), 0);
}

function columnSum(rows: readonly string[], by: string | RegExp, column: number): number {
  return rows.reduce((all, row) => all + Number(row.split(by).at(column)), 0);
}

for (const filters of [[], ["--match", "/[23]$"], ["--unique"], ["--max-pages", "2"]]) {
  Deno.test(`counts agree between formats, ${filters.join(" ") || "unfiltered"}`, async () => {
    await using server = serveRoutes({
      "/robots.txt": ({ url }) =>
        new Response(
          Object.keys(PAGES).map((path) => `Sitemap: ${new URL(path, url)}\n`).join(""),
        ),
      ...Object.fromEntries(
        Object.entries(PAGES).map(([path, pages]) => [
          path,
          ({ url }: Request) => {
            const entries = pages.map((page) => `<url><loc>${new URL(page, url)}</loc></url>`);
            return new Response(`<urlset>${entries.join("")}</urlset>`);
          },
        ]),
      ),
    });
    const commands = Object.keys(COUNTERS)
      .filter((name) => !(name.startsWith("report") && filters[0] === "--unique"));
    const results = await Promise.all(
      commands.map((name) => runCli([...name.split(" "), "-k", "-v", ...filters, server.url])),
    );
    const counted = results.map(({ stdout }, at) => COUNTERS[commands[at]!]!(stdout));
    // the summary of ls is a message, that of report a part of it
    const summarized = results.flatMap(({ stdout, stderr }, at) => {
      if (commands[at] === "report -f json") return [];
      const text = commands[at]!.startsWith("report") ? stdout : stderr;
      const [, pages, kept] = SUMMARY_REGEXP.exec(text) ?? [];
      return [Number(kept ?? pages)];
    });
    // an address that a sitemap repeats is one page of it
    const expected = { "": 6, "--match": 4, "--unique": 4, "--max-pages": 2 }[filters[0] ?? ""];
    assertEquals(counted, commands.map(() => expected));
    assertEquals(summarized, summarized.map(() => expected));
  });
}

Deno.test("ls writes the pages that it has found when the body of a sitemap pauses", async () => {
  const encoder = new TextEncoder();
  for (const format of ["pages", "ndjson", "csv"]) {
    const gate = Promise.withResolvers<void>();
    await using server = serveRoutes({
      "/robots.txt": ({ url }) => new Response(`Sitemap: ${new URL("/s.xml", url)}`),
      "/s.xml": () =>
        new Response(ReadableStream.from((async function* () {
          yield encoder.encode("<urlset><url><loc>https://a.test/first</loc></url>");
          // only the output lets it go on
          await gate.promise;
          yield encoder.encode("<url><loc>https://a.test/last</loc></url></urlset>");
        })())),
    });
    const child = startCli(["ls", "-k", "-f", format, server.url]);
    let text = "";
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      text += chunk;
      if (text.includes("https://a.test/first")) gate.resolve();
    }
    assertEquals(text.match(/https:..a.test.\w+/g), [
      "https://a.test/first",
      "https://a.test/last",
    ]);
    assertEquals([(await child.status).code, await new Response(child.stderr).text()], [0, ""]);
  }
});
