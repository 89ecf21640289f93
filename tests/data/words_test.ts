import { assertEquals } from "@std/assert";
import { DAY, HOUR, MINUTE } from "../../src/data/calendar.ts";
import {
  duration,
  namedCounts,
  rate,
  roughDuration,
  share,
  size,
  walkFigures,
  wholeDuration,
} from "../../src/data/words.ts";

const CASES: Readonly<Record<string, readonly (readonly [actual: string, expected: string])[]>> = {
  "duration() has tenths of seconds in the first minute, and hours and minutes after it": [
    [duration(0), "0.0 s"],
    [duration(449), "0.4 s"],
    [duration(59_999), "59.9 s"],
    [duration(MINUTE), "1:00"],
    [duration(HOUR - 1), "59:59"],
    [duration(3_723_000), "1:02:03"],
    [duration(52 * HOUR), "52:00:00"],
  ],
  "wholeDuration() has no tenths": [
    [wholeDuration(0), "0 s"],
    [wholeDuration(45_900), "45 s"],
    [wholeDuration(3_600_500), "1:00:00"],
  ],
  "roughDuration() has one unit, rounded up": [
    [roughDuration(1), "1 s"],
    [roughDuration(100_000), "100 s"],
    [roughDuration(100_001), "2 min"],
    [roughDuration(90 * MINUTE), "90 min"],
    [roughDuration(101 * MINUTE), "2 h"],
    [roughDuration(2 * DAY), "48 h"],
    [roughDuration(2 * DAY + 1), "3 days"],
    [roughDuration(5 * DAY), "5 days"],
  ],
  "rate() has tenths below 10, and a noun in its number": [
    [rate(0), "0/s"],
    [rate(2.54), "2.5/s"],
    [rate(9.96), "10/s"],
    [rate(71.4), "71/s"],
    [rate(2880.6), "2,881/s"],
    [rate(1, "request"), "1 request/s"],
    [rate(0.04, "page"), "0 pages/s"],
    [rate(2.5, "site"), "2.5 sites/s"],
    [rate(1234, "page"), "1,234 pages/s"],
  ],
  "share() shows neither nothing nor all for what is between": [
    [share(0, 0), "0 %"],
    [share(0, 5), "0 %"],
    [share(5, 5), "100 %"],
    [share(1, 8), "12.5 %"],
    [share(1, 1000), "0.1 %"],
    [share(1, 100_000), "< 0.1 %"],
    [share(99_999, 100_000), "99.9 %"],
  ],
  "namedCounts() leaves out what is zero": [
    [namedCounts({ complete: 1234, none: 0, failed: 1 }).join(", "), "1,234 complete, 1 failed"],
  ],
  "walkFigures() leaves out what is zero or the same": [
    [
      walkFigures({ sitemaps: 1, pages: 2, kept: 2, invalid: 0, warnings: 0 }, 400),
      "1 sitemap, 2 pages, 0.4 s",
    ],
    [
      walkFigures(
        { sitemaps: 2, pages: 1, kept: 0, notFetched: 3, invalid: 4, warnings: 1 },
        61_000,
      ),
      "2 sitemaps, 1 page (0 kept), 3 not fetched, 4 invalid, 1 warning, 1:01",
    ],
  ],
  "size() has three digits": [
    [size(0), "0 B"],
    [size(44), "44 B"],
    [size(4_500_000), "4.5 MB"],
  ],
};

for (const [name, cases] of Object.entries(CASES)) {
  Deno.test(name, () => {
    assertEquals(cases.map(([actual]) => actual), cases.map(([, expected]) => expected));
  });
}
