import { assertEquals } from "@std/assert";
import { pagesLine, progressLine, Totals } from "../../src/cli/run/progress.ts";
import type { Reading } from "../../src/cli/run/reading.ts";
import { idleReading } from "./idle_reading.ts";

const WALK = {
  sitemaps: 13,
  done: 12,
  known: 40,
  pages: 34_567,
  bytes: 4_500_000,
  current: "https://example.com/sitemaps/products-0012.xml",
};

Deno.test("progressLine() shows what fits", () => {
  const line = (width: number) => progressLine(WALK, 12_000, width);
  assertEquals(
    line(120),
    "12.0 s  12/40 sitemaps  34,567 pages  2,881/s  4.5 MB  " +
      "https://example.com/sitemaps/products-0012.xml",
  );
  assertEquals(
    line(82),
    "12.0 s  12/40 sitemaps  34,567 pages  2,881/s  4.5 MB  /sitemaps/products-0012.xml",
  );
  assertEquals(line(79), "12.0 s  12/40 sitemaps  34,567 pages  2,881/s  4.5 MB");
  assertEquals(line(40), "12.0 s  12/40 sitemaps  34,567 pages");
  assertEquals(line(20), "12.0 s");
  assertEquals(line(3), "");
});

Deno.test("progressLine() shows no rate in the first half second", () => {
  const line = progressLine({ ...WALK, current: "" }, 400, 77);
  assertEquals(line, "0.4 s  12/40 sitemaps  34,567 pages  0/s  4.5 MB");
});

Deno.test("progressLine() shows a pending request instead of rates", () => {
  const waiting = "retrying /500.xml in 4 s (2 of 4, 503)";
  const line = (width: number) => progressLine({ ...WALK, waiting }, 12_000, width);
  assertEquals(line(80), `12.0 s  12/40 sitemaps  34,567 pages  ${waiting}`);
  assertEquals(line(62), `12.0 s  12/40 sitemaps  ${waiting}`);
  assertEquals(line(59), `12.0 s  ${waiting}`);
  assertEquals(line(40), "12.0 s  12/40 sitemaps  34,567 pages");
});

Deno.test("progressLine() says that only known paths are being asked", () => {
  const line = (width: number, more = {}) =>
    progressLine({ ...WALK, ...more, isProbing: true }, 12_000, width);
  assertEquals(line(60), "12.0 s  12/40 sitemaps  34,567 pages  asking known paths");
  assertEquals(line(50), "12.0 s  12/40 sitemaps  asking known paths");
  assertEquals(line(40), "12.0 s  asking known paths");
  const waiting = "waiting for /sitemap.xml.gz, 2 s";
  assertEquals(
    line(120, { waiting }),
    `12.0 s  12/40 sitemaps  34,567 pages  asking known paths  ${waiting}`,
  );
  assertEquals(line(75, { waiting }), `12.0 s  asking known paths  ${waiting}`);
});

Deno.test("Totals say that known paths are asked once nothing else is", () => {
  const totals = new Totals();
  const [one, two] = ["https://a.test/", "https://b.test/"].map((name) => {
    const reading = idleReading(name);
    totals.begin(reading);
    reading.watch.knownPaths.add(`${name}sitemap.xml`);
    return reading;
  });
  const place = { level: 0, parent: 0, index: 0 };
  const ask = ({ watch, name }: Reading, path: string) => {
    const url = name + path;
    watch.add({ phase: "request", url, sitemap: url, attempt: 1 });
  };
  const enter = (reading: Reading, id: number) => {
    const url = `${reading.name}${id}`;
    reading.add({
      type: "sitemap-entered",
      sitemap: { id, type: "PagesXmlSitemap", url, ...place },
    });
  };
  const isProbing = () => totals.now.isProbing === true;
  for (const reading of [one!, two!]) {
    enter(reading, 0);
    ask(reading, "robots.txt");
  }
  assertEquals(isProbing(), false);
  ask(one!, "sitemap.xml");
  assertEquals(isProbing(), false, "the other reads robots.txt");
  ask(two!, "sitemap.xml");
  assertEquals(isProbing(), true);
  enter(two!, 1);
  assertEquals(isProbing(), false, "one was found");
  totals.end(two!);
  assertEquals(isProbing(), true);
  ask(one!, "0123456789abc.xml");
  assertEquals(isProbing(), true, "a path that cannot exist");
  ask(one!, "");
  assertEquals(isProbing(), false, "the homepage");
  totals.end(one!);
  assertEquals(isProbing(), false);
});

Deno.test("progressLine() escapes terminal controls", () => {
  const line = progressLine({ ...WALK, current: "https://a.test/\x1b[2J" }, 3_723_000, 120);
  assertEquals(line.endsWith("  https://a.test/\\x1b[2J"), true);
  assertEquals(line.startsWith("1:02:03  "), true);
});

Deno.test("Totals include the operands that ended", () => {
  const totals = new Totals();
  const [one, two] = ["https://a.test/", "https://b.test/"].map((name) => {
    const reading = idleReading(name);
    const sitemap = { id: 1, type: "PagesXmlSitemap", url: `${name}s.xml` } as const;
    const place = { level: 0, parent: null, index: 0 };
    totals.begin(reading);
    reading.add({ type: "sitemap-entered", sitemap: { ...sitemap, ...place } });
    reading.tally.pages = 5;
    return reading;
  });
  assertEquals(totals.now, {
    sitemaps: 2,
    done: 0,
    known: 2,
    pages: 10,
    bytes: 0,
    current: "https://b.test/s.xml",
  });
  one!.ending = "complete";
  totals.end(one!);
  totals.end(two!);
  assertEquals([totals.now.known, totals.now.pages], [2, 10]);
  assertEquals([...totals.endings], [["complete", 1], ["interrupted", 1]]);
});

Deno.test("pagesLine() estimates the time left", () => {
  const cases: readonly (readonly [done: number, total: number, elapsed: number, end: string])[] = [
    [0, 9, 9000, "0 of 9"],
    [3, 9, 400, "3 of 9"],
    [1234, 10_000, 100_000, "1,234 of 10,000, 12/s, about 12 min left"],
    [9990, 10_000, 1_000_000, "9,990 of 10,000, 10/s, about 2 s left"],
    [1000, 2_600_000, 5000, "1,000 of 2,600,000, 200/s, about 4 h left"],
    [9, 9, 1000, "9 of 9, 9/s"],
  ];
  for (const [done, total, elapsed, end] of cases) {
    assertEquals(pagesLine({ done, total }, elapsed, 100), `checking pages: ${end}`);
  }
  const waiting = "rate limited: 1 request/s";
  const line = (width: number) => pagesLine({ done: 5, total: 9, waiting }, 5000, width);
  assertEquals(line(100), `checking pages: 5 of 9, 1/s, about 4 s left, ${waiting}`);
  assertEquals(line(30), "checking pages: 5 of 9, 1/s");
});
