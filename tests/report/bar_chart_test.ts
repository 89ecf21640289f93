import { assert, assertEquals } from "@std/assert";
import { chartLines } from "../../src/report/bar_chart.ts";
import { widthOf } from "../../src/write/layout.ts";

const ROWS: readonly (readonly [string, number])[] = [
  ["example.com", 12_000],
  ["a-rather-long-name.example.com", 3000],
  ["cdn.example.com", 1],
  ["none", 0],
];

Deno.test("chartLines() draws eighths, and at least one for any count above zero", () => {
  const counts = [320_000, 16_000, 12_000, 1000, 8, 0];
  const lines = chartLines(counts.map((count) => ["", count]), 100, (bar) => bar);
  const bars = lines.map((line) => line.replace(/^[ \d,]*/, ""));
  assertEquals(bars, ["█".repeat(40), "██", "█▌", "▏", "▏", ""]);
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
      const isLabel = ROWS.some(([label]) => label === line);
      assert(isLabel || widthOf(line) <= width, `${width}: ${line}`);
    }
  }
});
