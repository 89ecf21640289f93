import { assertEquals } from "@std/assert";
import { DateHistogram } from "../../src/cli/stats_report.ts";

function rowsOf(...dates: string[]): string[] {
  const histogram = new DateHistogram();
  for (const date of dates) histogram.add(Date.parse(date));
  return histogram.rows().map(({ label, count }) => `${label} ${count}`);
}

Deno.test("DateHistogram counts by day where the dates are close, gaps included", () => {
  assertEquals(rowsOf("2024-05-03T23:59:59Z", "2024-05-01", "2024-05-03"), [
    "2024-05-01 1",
    "2024-05-02 0",
    "2024-05-03 2",
  ]);
});

Deno.test("DateHistogram counts by month where the dates are further apart", () => {
  assertEquals(rowsOf("2023-12-31", "2024-02-01"), ["2023-12 1", "2024-01 0", "2024-02 1"]);
});

Deno.test("DateHistogram counts by year where the dates are far apart", () => {
  assertEquals(rowsOf("2021-05-01", "2024-02-01", "2024-03-01"), [
    "2021 1",
    "2022 0",
    "2023 0",
    "2024 2",
  ]);
});

Deno.test("DateHistogram counts what is long ago and far ahead together", () => {
  const rows = rowsOf("0001-01-01", "1995-01-01", "2024-01-01", "9999-12-31");
  assertEquals([rows[0], rows[1], rows.at(-2), rows.at(-1)], [
    "earlier 2",
    "2001 0",
    "2024 1",
    "later 1",
  ]);
  assertEquals(rowsOf(), []);
});
