import { assert, assertEquals } from "@std/assert";
import { bar, chartLines } from "../../src/cli/stats_report.ts";
import { widthOf } from "../../src/cli/terminal.ts";

const ROWS = [
  { label: "example.com", count: 12_000 },
  { label: "a-rather-long-name.example.com", count: 3000 },
  { label: "cdn.example.com", count: 1 },
  { label: "none", count: 0 },
];

Deno.test("bar() draws eighths, and something for whatever is more than nothing", () => {
  assertEquals([bar(2), bar(1.5), bar(0.125), bar(0.001), bar(0)], ["██", "█▌", "▏", "▏", ""]);
});

Deno.test("chartLines() fit every width that holds a number", () => {
  assertEquals(chartLines(ROWS, 60, (text) => text), [
    "example.com                     12,000  ████████████████████",
    "a-rather-long-name.example.com   3,000  █████",
    "cdn.example.com                      1  ▏",
    "none                                 0",
  ]);
  assertEquals(chartLines(ROWS, 30, (text) => text)[1], "a-rathe…le.com   3,000  █▌");
  for (let width = 12; width < 100; width++) {
    for (const line of chartLines(ROWS, width, (text) => text)) {
      assert(widthOf(line) <= width, `${width}: ${line}`);
    }
  }
});
