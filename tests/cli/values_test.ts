import { assertEquals, assertThrows } from "@std/assert";
import { UsageError } from "../../src/cli/failure.ts";
import { parseRegexp, parseSince, parseTime } from "../../src/cli/values.ts";

Deno.test("parseTime() reads seconds and units", () => {
  const times: [string, number][] = [
    ["10", 10_000],
    ["0.5", 500],
    [".5s", 500],
    ["500ms", 500],
    ["2m", 120_000],
    ["1.5H", 5_400_000],
    ["7d", 604_800_000],
    ["0", 0],
  ];
  for (const [text, milliseconds] of times) assertEquals(parseTime("wait", text), milliseconds);
});

Deno.test("parseSince() reads dates, and how long ago", () => {
  const now = Date.UTC(2024, 4, 8);
  assertEquals(parseSince("since", "2024-05-01", now), Date.UTC(2024, 4, 1));
  assertEquals(parseSince("since", "2024-05-01T12:00:00+02:00", now), Date.UTC(2024, 4, 1, 10));
  assertEquals(parseSince("since", "2024", now), Date.UTC(2024, 0, 1));
  assertEquals(parseSince("since", "7d", now), Date.UTC(2024, 4, 1));
  assertEquals(parseSince("since", "1W", now), Date.UTC(2024, 4, 1));
  assertEquals(parseSince("since", "36h", now), Date.UTC(2024, 4, 6, 12));
  // Minutes or months?
  assertThrows(() => parseSince("since", "6m", now), UsageError, "not a date");
});

Deno.test("parseRegexp() knows Unicode, and takes needless escapes", () => {
  assertEquals(parseRegexp("match", "^.$").test("😀"), true);
  assertEquals(parseRegexp("match", String.raw`a\-b\_c`).test("a-b_c"), true);
});
