import { assert, assertEquals, assertMatch } from "@std/assert";
import { type FixtureServer, serveSite } from "../support/fixture_server.ts";
import { assertFits } from "./fitting.ts";
import { assertGolden, normalized } from "./golden.ts";
import { hasTerminal, runInTerminal } from "./pseudo_terminal.ts";
import { fittingLine, wrap } from "../../src/write/layout.ts";
import { padEnd, padStart, table, widthOf } from "../../src/write/table.ts";

const ERASE = "\r\x1b[K";
// deno-lint-ignore no-control-regex -- matches colors
const COLOR_REGEXP = /\x1b\[[\d;]*m/g;

/** Returns the progress lines that were drawn, and the final screen. */
function screenOf(output: string): { progress: string[]; left: string } {
  const [first = "", ...drawn] = output.split(ERASE);
  const last = drawn.pop() ?? "";
  return { progress: drawn.filter((line) => line !== ""), left: first + last };
}

/** Serves the demo site, its index only after the progress line was drawn a few times. */
function siteAwaitingProgress(): { server: FixtureServer; onOutput: (output: string) => void } {
  const drawn = Promise.withResolvers<void>();
  const server = serveSite("demo", {
    routes: {
      async "/sitemap_index.xml"() {
        await drawn.promise;
        return undefined;
      },
    },
  });
  return {
    server,
    onOutput: (output) => output.split(ERASE).length > 3 ? drawn.resolve() : undefined,
  };
}

for (const columns of [80, 40]) {
  Deno.test(`ls shows progress in a terminal of ${columns} columns and erases it`, {
    ignore: !hasTerminal(),
  }, async () => {
    const { server, onOutput } = siteAwaitingProgress();
    await using _stopped = server;
    const { code, output } = await runInTerminal(["ls", "-f", "pages", server.url], {
      columns,
      redirect: "> /dev/null",
      onOutput,
    });
    assertEquals(code, 3);
    const { progress, left } = screenOf(output);
    assert(progress.length >= 2, output);
    for (const line of progress) {
      assertMatch(line, /^\d+\.\d s {2}(?:\d+\/\d+ sitemaps {2}\d+ pages|asking known paths)/);
      // with space for the "^C" of the terminal
      assert(line.length <= columns - 3, line);
    }
    assertEquals(progress.some((line) => line.includes("http://")), columns === 80);
    assert(!left.includes("pages  "), left);
    const lines = left.replaceAll(COLOR_REGEXP, "").trimEnd().split("\n");
    assertMatch(lines.slice(0, -1).join(" "), /^partial: 10 sitemaps, 20 pages, 1 invalid, 1 /);
    assertFits(lines.join("\n"), columns);
  });

  Deno.test(`report fits a terminal of ${columns} columns`, {
    ignore: !hasTerminal(),
  }, async () => {
    await using server = serveSite("demo");
    const { output } = await runInTerminal(["report", "--quiet", server.url], { columns });
    assertMatch(output, COLOR_REGEXP);
    const plain = output.replaceAll(COLOR_REGEXP, "");
    assertFits(plain, columns);
    await assertGolden(`report_${columns}`, normalized(plain, server.url));
  });
}

Deno.test("the progress line leaves the tree in a terminal intact", {
  ignore: !hasTerminal(),
}, async () => {
  const { server, onOutput } = siteAwaitingProgress();
  await using _stopped = server;
  const { output } = await runInTerminal(["ls", server.url], { columns: 80, onOutput });
  const lines = output.replaceAll(COLOR_REGEXP, "").split("\n");
  // without the text of erased lines
  const shown = lines.map((line) => line.split(ERASE).at(-1)!);
  const [tree = "", summary] = normalized(shown.join("\n"), server.url).split(/(?=^partial: )/m);
  await assertGolden("ls_tree", tree);
  assertEquals(
    summary,
    "partial: 10 sitemaps, 20 pages, 1 invalid, 1 warning, {{time}}\n" +
      "  {{origin}}/sitemaps/archive-2019.xml: 404 Not Found (http-status)\n",
  );
});

Deno.test("--quiet prints only the output in a terminal", { ignore: !hasTerminal() }, async () => {
  await using server = serveSite("demo", { delay: 60 });
  const args = ["ls", "-f", "pages", "--quiet", server.url];
  const { output } = await runInTerminal(args, { columns: 80, redirect: "> /dev/null" });
  assertEquals(output, "");
});

Deno.test("widthOf() counts columns, not characters", () => {
  assertEquals(widthOf("abc"), 3);
  assertEquals(widthOf("müllerei"), 8);
  assertEquals(widthOf("水車小屋"), 8);
  assertEquals(widthOf("e\u0301"), 1);
  assertEquals(widthOf("한글、ｶﾅ（）…"), 13);
  assertEquals(widthOf("🌾"), 2);
});

Deno.test("padEnd() and padStart() pad to a width", () => {
  assertEquals([padEnd("水", 4), padStart("7", 3), padEnd("long", 2)], ["水  ", "  7", "long"]);
});

Deno.test("wrap() breaks at spaces, and not in words that are too long", () => {
  assertEquals(wrap("one two three", 7), ["one two", "three"]);
  assertEquals(wrap("a https://example.com/a b", 11), ["a", "https://example.com/a", "b"]);
  assertEquals(wrap("", 5), [""]);
});

Deno.test("table() aligns columns, numbers on the right", () => {
  const rows = [["NAME", "PAGES", "STATE"], ["水", "7", "ok"], ["long name", "1,000", ""]];
  assertEquals(
    table(rows, { numbers: [1] }),
    "NAME       PAGES  STATE\n水             7  ok\nlong name  1,000\n",
  );
});

Deno.test("fittingLine() has the first parts that fit, and no part of one", () => {
  const lines = [12, 11, 4, 2].map((width) => fittingLine(["0123", "ab", "cd"], width));
  assertEquals(lines, ["0123  ab  cd", "0123  ab", "0123", ""]);
});
