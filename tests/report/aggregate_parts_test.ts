import { assert, assertEquals } from "@std/assert";
import { DAY } from "../../src/data/calendar.ts";
import { UrlParts } from "../../src/data/url_parts.ts";
import { DayTally, fewerPeriods } from "../../src/report/dates.ts";
import { NO_DAY, Paths, prunedPath } from "../../src/report/paths.ts";
import type { ReportPath } from "../../src/report/report.ts";

function rowsOf(max: number, ...dates: string[]): string[] {
  const days = new DayTally();
  for (const date of dates) days.add(Math.floor(Date.parse(date) / DAY));
  const { unit, earlier, periods, later, none } = fewerPeriods(days.result(7), max);
  assertEquals(none, 7);
  const rows = periods.map(({ name, pages }) => `${name} ${pages}`);
  return [unit, `earlier ${earlier}`, ...rows, `later ${later}`];
}

Deno.test("fewerPeriods() counts by day if the dates are close, including gaps", () => {
  assertEquals(rowsOf(24, "2024-05-03T23:59:59Z", "2024-05-01", "2024-05-03"), [
    "day",
    "earlier 0",
    "2024-05-01 1",
    "2024-05-02 0",
    "2024-05-03 2",
    "later 0",
  ]);
});

Deno.test("fewerPeriods() counts by month if the dates are further apart", () => {
  const expected = ["month", "earlier 0", "2023-12 1", "2024-01 0", "2024-02 1", "later 0"];
  assertEquals(rowsOf(24, "2023-12-31", "2024-02-01"), expected);
});

Deno.test("fewerPeriods() counts by year if the dates are far apart", () => {
  const expected = ["year", "earlier 0", "2021 1", "2022 0", "2023 0", "2024 2", "later 0"];
  assertEquals(rowsOf(24, "2021-05-01", "2024-02-01", "2024-03-01"), expected);
  assertEquals(rowsOf(400, "2021-05-01", "2024-02-01")[0], "month");
});

Deno.test("fewerPeriods() counts dates long ago and far ahead together", () => {
  const rows = rowsOf(24, "0001-01-01", "1995-01-01", "2024-01-01", "9999-12-31");
  assertEquals([rows[1], rows[2], rows.at(-2), rows.at(-1)], [
    "earlier 2",
    "2001 0",
    "2024 1",
    "later 1",
  ]);
  assertEquals(rowsOf(24), ["day", "earlier 0", "later 0"]);
});

function treeOf(urls: Iterable<string>, maxNodes?: number): ReportPath {
  const paths = new Paths(maxNodes), parts = new UrlParts();
  for (const url of urls) {
    parts.set(url);
    paths.add(parts, NO_DAY);
  }
  return paths.result();
}

/** Returns a path with those below it as lines such as `a.test/blog 3`. */
function linesOf({ name, pages, own = 0, other = 0, children = [] }: ReportPath): string[] {
  const below = children.flatMap(linesOf).map((line) => `${name}/${line}`);
  return [`${name} ${pages} ${own} ${other}`, ...below];
}

function sizeOf({ children = [] }: ReportPath): number {
  return children.reduce((size, child) => size + sizeOf(child), 1);
}

Deno.test("Paths has hosts, directories and pages, without queries and final slashes", () => {
  const urls = ["/", "?a=/b", "/blog", "/blog/", "/blog/a?b=c/d#e", "//x//y/", "#z"];
  const tree = treeOf(["http://B.test:81/", ...urls.map((path) => `https://u:p@a.test${path}`)]);
  assertEquals(linesOf(tree), [
    " 8 0 0",
    "/a.test 7 3 0",
    "/a.test/blog 3 2 0",
    "/a.test/blog/a 1 1 0",
    "/a.test/x 1 0 0",
    "/a.test/x/y 1 1 0",
    "/b.test:81 1 1 0",
  ]);
});

Deno.test("Paths merges the smallest branches and counts further pages with them", () => {
  const urls = Array.from({ length: 5000 }, (_, at) => `https://a.test/${at % 3}/${at}`);
  const [, host] = linesOf(treeOf(urls, 500));
  assertEquals(host, "/a.test 5000 0 0");
  const { children = [] } = treeOf(urls, 500).children![0]!;
  assertEquals(children.map(({ name, pages }) => [name, pages]), [["0", 1667], ["1", 1667], [
    "2",
    1666,
  ]]);
  assert(children.every(({ other = 0 }) => other > 1400), JSON.stringify(children));
});

Deno.test("Paths counts small hosts one by one, whatever it merges", () => {
  const urls = Array.from({ length: 5000 }, (_, at) => `https://a.test/${at % 3}/${at}`);
  const small = Array.from({ length: 50 }, (_, at) => `https://h${at}.test/`);
  const { children = [], own, other } = treeOf([...small, ...urls, ...small], 500);
  assertEquals([children.length, children.at(-1)?.pages, own, other], [
    51,
    2,
    undefined,
    undefined,
  ]);
});

const HOSTILE: Readonly<Record<string, (at: number) => string>> = {
  "a directory for each page": (at) => `https://a.test/${at}/x/y/z`,
  "a host for each page": (at) => `https://h${at}.test/x`,
  "paths of a thousand levels": (at) => `https://a.test/${`${at}/`.repeat(1000)}`,
  "slashes only": (at) => `https://a.test/${"/".repeat(at)}`,
  "long names": (at) => `https://a.test/${"x".repeat(5000)}${at}/${"y".repeat(5000)}`,
  "no hosts": (at) => `urn:${at}/x/${at}`,
};

for (const [name, make] of Object.entries(HOSTILE)) {
  Deno.test(`Paths has a limited size with ${name}`, () => {
    const tree = treeOf(Array.from({ length: 3000 }, (_, at) => make(at)), 400);
    assert(sizeOf(tree) <= 400, String(sizeOf(tree)));
    assertEquals(tree.pages, 3000);
    for (const line of linesOf(tree)) assert(line.length < 24 * 310);
  });
}

Deno.test("prunedPath() keeps the first of equal branches", () => {
  const urls = Array.from({ length: 30 }, (_, at) => `https://a.test/${at % 10}/${at}`);
  assertEquals(linesOf(prunedPath(treeOf(urls), 5)), [
    " 30 0 0",
    "/a.test 30 0 21",
    "/a.test/0 3 0 3",
    "/a.test/1 3 0 3",
    "/a.test/2 3 0 3",
  ]);
  assertEquals(linesOf(prunedPath(treeOf(urls), 1)), [" 30 0 30"]);
});
