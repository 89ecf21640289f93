import { assertEquals } from "@std/assert";
import { progressLine } from "../../src/cli/progress.ts";

const WALK = {
  sitemapsRead: 11,
  invalid: 1,
  known: 40,
  sitemaps: 12,
  pages: 34_567,
  bytes: 4_500_000,
  current: "https://example.com/sitemaps/products-0012.xml",
};

Deno.test("progressLine() tells what fits into the width, and keeps room for ^C", () => {
  const line = (columns: number) => progressLine(WALK, 12_000, columns);
  assertEquals(
    line(120),
    "0:12  12/40 sitemaps  34,567 pages  2,881/s  4.5 MB  " +
      "https://example.com/sitemaps/products-0012.xml",
  );
  assertEquals(
    line(80),
    "0:12  12/40 sitemaps  34,567 pages  2,881/s  4.5 MB  https://exam…ts-0012.xml",
  );
  assertEquals(line(60), "0:12  12/40 sitemaps  34,567 pages  2,881/s  4.5 MB");
  assertEquals(line(40), "0:12  12/40 sitemaps  34,567 pages");
  assertEquals(line(20), "0:12");
  assertEquals(line(6), "0…2");
});

Deno.test("progressLine() knows at least what it has seen, and gives no rate at once", () => {
  const line = progressLine({ ...WALK, known: 0, current: "" }, 400, 80);
  assertEquals(line, "0:00  12/13 sitemaps  34,567 pages  0/s  4.5 MB  ");
});

Deno.test("progressLine() shows what a terminal would obey", () => {
  const line = progressLine({ ...WALK, current: "https://a.test/\x1b[2J" }, 3_723_000, 120);
  assertEquals(line.endsWith("  https://a.test/\\x1b[2J"), true);
  assertEquals(line.startsWith("1:02:03  "), true);
});
