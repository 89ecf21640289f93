import { assertEquals } from "@std/assert";
import { delayBefore, isRetried, parseRetryAfter } from "../../src/http/retry.ts";

const DELAYS = { retryDelay: 1000, maxRetryDelay: 60_000 };
const NOW = Date.UTC(2024, 0, 1, 12);

Deno.test("isRetried() is true for the statuses that USP retries, and no others", () => {
  const retried = Array.from({ length: 600 }, (_, status) => status).filter(isRetried);
  assertEquals(retried, [
    ...[400, 408, 429, 499, 500, 502, 503, 504, 509],
    ...[520, 521, 522, 523, 524, 525, 526, 527, 530, 598],
  ]);
});

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

Deno.test("parseRetryAfter() reads seconds", () => {
  assertEquals(parseRetryAfter("0", NOW), 0);
  assertEquals(parseRetryAfter(" 120 ", NOW), 120_000);
  assertEquals(parseRetryAfter("99999999999999999999", NOW), 1e23);
});

Deno.test("parseRetryAfter() reads the three forms of HTTP dates", () => {
  const dates = [
    "Mon, 01 Jan 2024 12:00:30 GMT",
    "Monday, 01-Jan-24 12:00:30 GMT",
    "Mon Jan  1 12:00:30 2024 GMT",
  ];
  assertEquals(dates.map((date) => parseRetryAfter(date, NOW)), [30_000, 30_000, 30_000]);
  assertEquals(parseRetryAfter("Mon, 01 Jan 2024 11:59:00 GMT", NOW), 0);
});

Deno.test("parseRetryAfter() ignores invalid values", () => {
  const unreadable = ["", "soon", "-5", "1.5", "5 s", "2024-01-01T12:00:30Z", "Mon, 99 Jan 2024"];
  assertEquals(
    unreadable.map((value) => parseRetryAfter(value, NOW)),
    unreadable.map(() => undefined),
  );
  assertEquals(parseRetryAfter(null, NOW), undefined);
});
