/** Terminals of any width: no word is cut, and nothing but a URL or a command is wider. @module */

import { assertEquals, assertMatch } from "@std/assert";
import { COMMAND_NAMES } from "../../src/cli/commands.ts";
import { helpText, itemsHelp } from "../../src/cli/help.ts";
import { OPTIONS } from "../../src/cli/options.ts";
import { progressLine } from "../../src/cli/run/progress.ts";
import { hanging, paragraph } from "../../src/write/layout.ts";
import { table, widthOf } from "../../src/write/table.ts";
import { inFolder } from "../support/in_folder.ts";
import { serveRoutes } from "../support/fixture_server.ts";
import { assertFits, WIDTHS } from "./fitting.ts";
import { hasTerminal, runInTerminal } from "./pseudo_terminal.ts";
import { ALL_PERMISSIONS, runCli } from "./run_cli.ts";

Deno.test("help fits a terminal of any width", () => {
  for (const width of WIDTHS) {
    for (const command of [undefined, "fleet" as const, ...COMMAND_NAMES]) {
      assertFits(helpText(command, width), width, command);
    }
    for (const spec of OPTIONS.filter(({ items }) => items?.["help"])) {
      assertFits(itemsHelp(spec, width), width, `--${spec.name} help`);
    }
    assertEquals(helpText("ls", 200), helpText("ls"));
  }
});

Deno.test("paragraph() keeps the indentation, long words and commands", () => {
  const url = "https://site.test/sitemaps/archive-2019.xml";
  const rows: readonly (readonly [text: string, width: number, lines: readonly string[]])[] = [
    ["one two three", 7, ["one two", "three"]],
    ["  one two three", 9, ["  one two", "  three"]],
    [`  ${url}: 404 Not Found`, 40, [`  ${url}:`, "  404 Not Found"]],
    [`not read: ${url}`, 40, ["not read:", url]],
    [
      "no permission; run: deno run --allow-net main.ts ls",
      30,
      ["no permission;", "run: deno run --allow-net main.ts ls"],
    ],
    ["the run: sites by verdict, pages", 20, ["the run: sites by", "verdict, pages"]],
    ["complete: 1 page, 0.2 s", 21, ["complete: 1 page,", "0.2 s"]],
    ["waiting for /a.xml, 12 s, or", 23, ["waiting for /a.xml,", "12 s, or"]],
    ["1 such", 4, ["1", "such"]],
    ["", 5, [""]],
  ];
  for (const [text, width, lines] of rows) assertEquals(paragraph(text, width), lines);
});

Deno.test("hanging() puts a text beside another, or below it", () => {
  const beside = (width: number, head = "  --name VALUE") =>
    hanging(head, "what it is good for and why", 20, width);
  assertEquals(beside(80), ["  --name VALUE      what it is good for and why"]);
  assertEquals(beside(44), [
    "  --name VALUE      what it is good for and",
    "                    why",
  ]);
  assertEquals(beside(43), ["  --name VALUE", "    what it is good for and why"]);
  assertEquals(beside(80, "  --a-rather-long-name VALUE"), [
    "  --a-rather-long-name VALUE",
    "                    what it is good for and why",
  ]);
  assertEquals(hanging("", "with nothing before", 0, 80), ["with nothing before"]);
  assertEquals(hanging("      ", "below another", 8, 20), ["    below another"]);
});

Deno.test("table() leaves out columns, and gives a long first cell a line", () => {
  const rows = [
    ["URL", "TYPE", "PAGES"],
    ["/sitemaps/a.xml", "XML", "1,000"],
    ["/sitemaps/a-much-longer-name.xml", "index", "7"],
  ];
  const draw = (width: number) =>
    table(rows, { numbers: [2], drop: [1], width }).trimEnd().split("\n");
  assertEquals(draw(46), [
    "URL                               TYPE   PAGES",
    "/sitemaps/a.xml                   XML    1,000",
    "/sitemaps/a-much-longer-name.xml  index      7",
  ]);
  assertEquals(
    draw(36),
    [
      "URL                   TYPE   PAGES",
      "/sitemaps/a.xml       XML    1,000",
      "/sitemaps/a-much-longer-name.xml",
      "                      index      7",
    ].map((line) =>
      line.replace(/^(\S{3,16} +|  {2,})(?=TYPE|XML|index)/, (start) => start.padEnd(24))
    ),
  );
  assertEquals(draw(30), [
    "URL                      PAGES",
    "/sitemaps/a.xml          1,000",
    "/sitemaps/a-much-longer-name.xml",
    "                             7",
  ]);
  for (const width of [20, 24, 28]) assertFits(draw(width).join("\n"), width);
});

Deno.test("the progress line fits a terminal of any width, without a word cut", () => {
  const figures = { sitemaps: 13, done: 12, known: 40, pages: 34_567, bytes: 4_500_000 };
  const current = "https://example.com/sitemaps/products-0012.xml";
  for (const isProbing of [false, true]) {
    for (const waiting of [undefined, "retrying /500.xml in 4 s (2 of 4, 503)"]) {
      const all = { ...figures, current, isProbing, ...(waiting && { waiting }) };
      const words = progressLine(all, 12_000, Infinity).split("  ").concat(
        "/sitemaps/products-0012.xml",
      );
      for (let width = 10; width < 150; width++) {
        const line = progressLine(all, 12_000, width);
        assertEquals(line.split("  ").filter((part) => !words.includes(part)), []);
        assertEquals(widthOf(line) <= width, true);
      }
    }
  }
});

const ERASE_LINE = "\r\x1b[K";
const NAMESPACE = "http://www.sitemaps.org/schemas/sitemap/0.9";
const PATH = "/catalogue/products/long/path/to/a/sitemap-of-many-things-0001.xml";

/** Commands of which each line is looked at; `SITE` stands for a site. */
const COMMANDS: readonly string[] = [
  "explain SITE",
  "check SITE",
  "check SITE -v -l /dev/null",
  "report SITE",
  "ls SITE --sitemaps",
  "ls SITE -f pages",
  "ls SITE ./none.xml -f pages",
  "ls nosuch/ -f pages",
  "ls dist -f pages --url https://www.exmaple.example/",
  "diff SITE dist --summary",
  "diff SITE dist",
  "snapshot sites site.db",
  "snapshot runs site.db",
  "changes site.db --summary",
  "sync dist site.db",
  "ls --columns help",
  "check --only help",
  "ls --fail-on x",
  "check SITE --fail-on notices",
  "ls --help",
];

for (const columns of [40, 60, 100]) {
  Deno.test({
    name: `what commands print fits a terminal of ${columns} columns`,
    ignore: !hasTerminal(),
    fn: () =>
      inFolder(async (folder) => {
        await using server = serveRoutes({
          "/robots.txt": ({ url }) =>
            new Response(`Sitemap: ${new URL(PATH, url)}\nSitemap: /gone.xml\n`),
          [PATH]: ({ url }) => {
            const loc = `${new URL(url).origin}/a/${"long-name-".repeat(10)}end`;
            const date =
              "<lastmod>2024-13-45 is not a date of this world; it is much too long to be one</lastmod>";
            return new Response(
              `<urlset xmlns="${NAMESPACE}"><url><loc>${loc}</loc>${date}</url></urlset>`,
            );
          },
        });
        const options = { permissions: [...ALL_PERMISSIONS, "--allow-env"] };
        await Deno.mkdir(`${folder}/dist`);
        await Deno.writeTextFile(
          `${folder}/dist/robots.txt`,
          "Sitemap: https://www.example.org/s.xml\n",
        );
        await runCli(["sync", server.url, "site.db"], { ...options, cwd: folder });
        const given = (word: string) =>
          word.replace("SITE", server.url).replace(
            /^(?:dist|site\.db)$/,
            (name) => `${folder}/${name}`,
          );
        for (const command of COMMANDS) {
          const { output } = await runInTerminal(command.split(" ").map(given), {
            columns,
            ...options,
          });
          assertMatch(output, /\S/);
          // without the progress line, which is erased
          const left = output.split("\n").map((line) => line.split(ERASE_LINE).at(-1)).join("\n");
          assertFits(left, columns, command);
        }
      }),
  });
}
