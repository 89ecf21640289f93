/** Terminals of any width: no word is cut, and nothing but a URL or a command is wider. @module */

import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { COMMAND_NAMES } from "../../src/cli/commands.ts";
import { helpText, itemsHelp } from "../../src/cli/help.ts";
import { OPTIONS } from "../../src/cli/options.ts";
import { serveSite } from "../support/fixture_server.ts";
import { assertFits, WIDTHS } from "./fitting.ts";
import { hasTerminal, runInTerminal } from "./pseudo_terminal.ts";
import { runCli } from "./run_cli.ts";
import { transcripts } from "./transcript.ts";

transcripts("terminal", { report: { sites: { demo: "demo" } } });

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

const ERASE = "\r\x1b[K";

/** Returns output without lines that were erased. */
function shown(output: string): string {
  return output.split("\n").map((line) => line.split(ERASE).at(-1)).join("\n");
}

for (const columns of [80, 40]) {
  Deno.test(`ls shows progress in a terminal of ${columns} columns, and erases it`, {
    ignore: !hasTerminal(),
  }, async () => {
    const drawn = Promise.withResolvers<void>();
    await using server = serveSite("demo", {
      routes: {
        async "/sitemap_index.xml"() {
          await drawn.promise;
          return undefined;
        },
      },
    });
    const run = (args: readonly string[], redirect: string) =>
      runInTerminal(["ls", ...args, server.url], {
        columns,
        redirect,
        // drawn a few times
        onOutput: (output) => output.split(ERASE).length > 3 ? drawn.resolve() : undefined,
      });
    const { code, output } = await run(["-f", "pages"], "> /dev/null");
    const progress = output.split(ERASE).slice(1, -1).filter((line) => line !== "");
    assert(progress.length >= 2, output);
    for (const line of progress) {
      assertMatch(line, /^\d+\.\d s {2}(?:\d+\/\d+ sitemaps {2}\d+ pages|asking known paths)/);
      // with space for the "^C" of the terminal
      assert(line.length <= columns - 3, line);
    }
    assertEquals(progress.some((line) => line.includes("http://")), columns === 80);
    const left = shown(output);
    assertMatch(left, /^.\[33mpartial.\[39m: 10 sitemaps, 20 pages, 1\sinvalid, 1\s/);
    assertFits(left, columns);
    assertEquals(code, 3);
    const tree = (await run([], "")).output;
    // deno-lint-ignore no-control-regex -- matches colors
    const plain = shown(tree).replace(/\x1b\[[\d;]*m/g, "");
    assertStringIncludes(plain, (await runCli(["ls", server.url])).stdout);
  });
}
