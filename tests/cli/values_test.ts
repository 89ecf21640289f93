import { assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "../../src/cli/failure.ts";
import { parseRegexp, parseSince, parseSize, parseTime } from "../../src/cli/settings.ts";

Deno.test("parseTime() reads numbers with their units", () => {
  const times: [string, number][] = [
    ["10s", 10_000],
    ["0.5s", 500],
    [".5s", 500],
    ["500ms", 500],
    ["2m", 120_000],
    ["1.5H", 5_400_000],
    ["7 d", 604_800_000],
    ["0s", 0],
  ];
  for (const [text, milliseconds] of times) assertEquals(parseTime("wait", text), milliseconds);
});

Deno.test("parseTime() refuses bare numbers, and names the units", () => {
  for (const text of ["10", "0", "1.5", "", "s", "-1s", "1e3ms", "10 parsecs"]) {
    assertThrows(
      () => parseTime("wait", text),
      UsageError,
      `Invalid value "${text}" for "--wait": expected a duration with its unit, such as 500ms, ` +
        "10s or 2m",
    );
  }
});

Deno.test("parseSize() reads bytes and their multiples", () => {
  const sizes: [string, number][] = [
    ["500000", 500_000],
    ["1b", 1],
    ["500KB", 500_000],
    ["1.5k", 1500],
    ["10MiB", 10_485_760],
    ["1gi", 1_073_741_824],
  ];
  for (const [text, bytes] of sizes) assertEquals(parseSize("max-bytes", text), bytes);
  for (const text of ["0", "KB", "-1", "1TB", "1 megabyte"]) {
    assertThrows(() => parseSize("max-bytes", text), UsageError, "a size such as 500KB");
  }
});

Deno.test("parseSince() reads dates, days, and how long ago", () => {
  const now = Date.UTC(2024, 4, 8, 15, 30);
  const since = (text: string) => new Date(parseSince("since", text, now)).toISOString();
  assertEquals(since("2024-05-01"), "2024-05-01T00:00:00.000Z");
  assertEquals(since("2024-05-01T12:00:00+02:00"), "2024-05-01T10:00:00.000Z");
  assertEquals(since("2024"), "2024-01-01T00:00:00.000Z");
  assertEquals(since("today"), "2024-05-08T00:00:00.000Z");
  assertEquals(since("Yesterday"), "2024-05-07T00:00:00.000Z");
  assertEquals(since("7d"), "2024-05-01T15:30:00.000Z");
  assertEquals(since("1W"), "2024-05-01T15:30:00.000Z");
  assertEquals(since("36h"), "2024-05-07T03:30:00.000Z");
  assertEquals(since("3mo"), "2024-02-08T15:30:00.000Z");
  assertEquals(since("1y"), "2023-05-08T15:30:00.000Z");
});

Deno.test("parseSince() stays in the month where it has fewer days", () => {
  const since = (text: string, now: number) =>
    new Date(parseSince("since", text, now)).toISOString().slice(0, 10);
  assertEquals(since("1mo", Date.UTC(2024, 2, 31)), "2024-02-29");
  assertEquals(since("1y", Date.UTC(2024, 1, 29)), "2023-02-28");
  assertEquals(since("13mo", Date.UTC(2024, 0, 15)), "2022-12-15");
});

Deno.test("parseSince() refuses what may be minutes or months", () => {
  for (const text of ["6m", "6", "soon", "mo", "-1d"]) {
    assertThrows(() => parseSince("since", text, 0), UsageError, "expected a date such as");
  }
});

Deno.test("parseRegexp() knows Unicode, and takes needless escapes", () => {
  assertEquals(parseRegexp("match", "^.$", false).test("😀"), true);
  assertEquals(parseRegexp("match", String.raw`a\-b\_c`, false).test("a-b_c"), true);
});

Deno.test("parseRegexp() regards case, unless it is to be ignored", () => {
  for (const text of ["/news/", String.raw`/news\-?/`]) {
    assertEquals(parseRegexp("match", text, false).test("/NEWS/"), false);
    assertEquals(parseRegexp("match", text, true).test("/NEWS/"), true);
  }
});
