import { assertEquals } from "@std/assert";
import { delayBefore, parseRetryAfter } from "../../src/http/retry.ts";

const DELAYS = { retryDelay: 1000, maxRetryDelay: 60_000 };
const NOW = Date.UTC(2024, 0, 1, 12);

Deno.test("delayBefore() doubles with each retry, with jitter up to a quarter more", () => {
  const delays = (random: number) =>
    [1, 2, 3, 4].map((retry) => delayBefore(retry, DELAYS, { random: () => random }));
  assertEquals(delays(0), [1000, 2000, 4000, 8000]);
  assertEquals(delays(0.5), [1125, 2250, 4500, 9000]);
  assertEquals(delays(1), [1250, 2500, 5000, 10_000]);
});

Deno.test("delayBefore() doubles no more than up to the longest delay", () => {
  assertEquals(delayBefore(20, DELAYS, { random: () => 0 }), 60_000);
  assertEquals(delayBefore(2000, DELAYS, { random: () => 0 }), 60_000);
});

/** Values of Retry-After with the delays they mean, in milliseconds. */
const DELAYS_AFTER: readonly (readonly [value: string | null, delay: number | undefined])[] = [
  ["0", 0],
  [" 120 ", 120_000],
  ["99999999999999999999", 1e23],
  // the three forms of HTTP dates
  ["Mon, 01 Jan 2024 12:00:30 GMT", 30_000],
  ["Monday, 01-Jan-24 12:00:30 GMT", 30_000],
  ["Mon Jan  1 12:00:30 2024 GMT", 30_000],
  ["Mon, 01 Jan 2024 11:59:00 GMT", 0],
  // invalid
  ["", undefined],
  ["soon", undefined],
  ["-5", undefined],
  ["1.5", undefined],
  ["5 s", undefined],
  ["2024-01-01T12:00:30Z", undefined],
  ["Mon, 99 Jan 2024", undefined],
  [null, undefined],
];

Deno.test("parseRetryAfter() reads seconds and HTTP dates, and ignores invalid values", () => {
  for (const [value, delay] of DELAYS_AFTER) {
    assertEquals(parseRetryAfter(value, NOW), delay, `${value}`);
  }
});
