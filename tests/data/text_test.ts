import { assertEquals } from "@std/assert";
import { duration } from "../../src/data/text.ts";

Deno.test("duration() has tenths of seconds in the first minute, and hours and minutes after it", () => {
  const times = [0, 449, 59_999, 60_000, 3_599_999, 3_723_000, 187_200_000];
  assertEquals(times.map(duration), [
    ...["0.0 s", "0.4 s", "59.9 s", "1:00", "59:59", "1:02:03", "52:00:00"],
  ]);
});
