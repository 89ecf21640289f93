import { assertEquals } from "@std/assert";
import { pagesLine, progressLine } from "../../src/cli/run/progress.ts";
import { SlowDowns } from "../../src/cli/run/slow_downs.ts";
import { widthOf } from "../../src/write/layout.ts";

const WALK = {
  sitemaps: 13,
  done: 12,
  known: 40,
  pages: 34_567,
  bytes: 4_500_000,
  current: "https://example.com/sitemaps/products-0012.xml",
};

const START = "12.0 s  12/40 sitemaps  34,567 pages";
const RETRYING = "retrying /500.xml in 4 s (2 of 4, 503)";

Deno.test("progressLine() shows what fits", () => {
  const isProbing = true, waiting = RETRYING;
  const rows = [
    [{}, 120, `${START}  2,881/s  4.5 MB  ${WALK.current}`],
    [{}, 82, `${START}  2,881/s  4.5 MB  /sitemaps/products-0012.xml`],
    [{}, 79, `${START}  2,881/s  4.5 MB`],
    [{}, 40, START],
    [{}, 20, "12.0 s"],
    [{}, 3, ""],
    [{ waiting }, 80, `${START}  ${RETRYING}`],
    [{ waiting }, 62, `12.0 s  12/40 sitemaps  ${RETRYING}`],
    [{ waiting }, 59, `12.0 s  ${RETRYING}`],
    [{ waiting }, 40, START],
    [{ isProbing }, 60, `${START}  asking known paths`],
    [{ isProbing }, 50, "12.0 s  12/40 sitemaps  asking known paths"],
    [{ isProbing }, 40, "12.0 s  asking known paths"],
    [{ isProbing, waiting }, 120, `${START}  asking known paths  ${RETRYING}`],
    [{ isProbing, waiting }, 80, `12.0 s  asking known paths  ${RETRYING}`],
    [
      { current: "https://a.test/\x1b[2J" },
      80,
      `${START}  2,881/s  4.5 MB  https://a.test/\\x1b[2J`,
    ],
  ] as const;
  for (const [more, width, line] of rows) {
    assertEquals(progressLine({ ...WALK, ...more }, 12_000, width), line);
  }
  // without a rate in the first half second
  const early = "0.4 s  12/40 sitemaps  34,567 pages  0/s  4.5 MB";
  assertEquals(progressLine({ ...WALK, current: "" }, 400, 77), early);
});

Deno.test("progressLine() fits any width, without a word cut", () => {
  for (const isProbing of [false, true]) {
    for (const more of [{}, { waiting: RETRYING }]) {
      const all = { ...WALK, ...more, isProbing };
      const words = progressLine(all, 12_000, Infinity).split("  ")
        .concat("/sitemaps/products-0012.xml");
      for (let width = 10; width < 150; width++) {
        const line = progressLine(all, 12_000, width);
        assertEquals(line.split("  ").filter((part) => !words.includes(part)), []);
        assertEquals(widthOf(line) <= width, true);
      }
    }
  }
});

Deno.test("pagesLine() estimates the time left", () => {
  const rows: readonly (readonly [done: number, total: number, elapsed: number, end: string])[] = [
    [0, 9, 9000, "0 of 9"],
    [3, 9, 400, "3 of 9"],
    [1234, 10_000, 100_000, "1,234 of 10,000, 12/s, about 12 min left"],
    [9990, 10_000, 1_000_000, "9,990 of 10,000, 10/s, about 2 s left"],
    [1000, 2_600_000, 5000, "1,000 of 2,600,000, 200/s, about 4 h left"],
    [9, 9, 1000, "9 of 9, 9/s"],
  ];
  for (const [done, total, elapsed, end] of rows) {
    assertEquals(pagesLine({ done, total }, elapsed, 100), `checking pages: ${end}`);
  }
  const waiting = "rate limited: 1 request/s";
  const line = (width: number) => pagesLine({ done: 5, total: 9, waiting }, 5000, width);
  assertEquals(line(100), `checking pages: 5 of 9, 1/s, about 4 s left, ${waiting}`);
  assertEquals(line(30), "checking pages: 5 of 9, 1/s");
});

Deno.test("SlowDowns sums up refusals by status with the slowest rate, and shows the last", () => {
  const url = "https://a.test/1";
  const refusal = { phase: "slow-down", url, sitemap: url, attempt: 1 } as const;
  const slowDowns = new SlowDowns();
  const rows = [
    [429, 10, 0, "1 × 429, down to 100 requests/s", "100 requests/s"],
    [429, 400, 0, "2 × 429, down to 2.5 requests/s", "2.5 requests/s"],
    [429, 1040, 900, "3 × 429, down to 1 request/s", "1 request/s"],
    [503, 1500, 0, "3 × 429, 1 × 503, down to 1 request every 1.5 s", "1 request every 1.5 s"],
    [503, 100, 0, "3 × 429, 2 × 503, down to 1 request every 1.5 s", "10 requests/s"],
    [
      ...[429, 60_000, 3_600_500, "4 × 429, 2 × 503, down to 1 request every 1:00"],
      "next request in 1:00:00",
    ],
  ] as const;
  for (const [status, intervalMs, delayMs, summary, now] of rows) {
    slowDowns.add({ ...refusal, status, intervalMs, delayMs });
    slowDowns.add({ ...refusal, phase: "retry", status: 500, delayMs: 1 });
    assertEquals(slowDowns.summary(), `slowed down by the server: ${summary}`);
    assertEquals(slowDowns.now(), `rate limited: ${now}`);
  }
  assertEquals([new SlowDowns().summary(), new SlowDowns().now()], [undefined, undefined]);
});
