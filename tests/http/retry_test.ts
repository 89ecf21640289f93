import { assertEquals } from "@std/assert";
import { delayBefore, isBusy, isRetried, parseRetryAfter } from "../../src/http/retry.ts";

const DELAYS = { retryDelay: 1000, maxRetryDelay: 60_000 };
const NOW = Date.UTC(2024, 0, 1, 12);

Deno.test("isRetried() knows the statuses that may pass by themselves, and no others", () => {
  const retried = Array.from({ length: 600 }, (_, status) => status).filter(isRetried);
  assertEquals(retried, [
    ...[400, 408, 429, 499, 500, 502, 503, 504, 509],
    ...[520, 521, 522, 523, 524, 525, 526, 527, 530, 598],
  ]);
});

Deno.test("isBusy() knows by which statuses a host asks to be left alone", () => {
  assertEquals([400, 429, 500, 502, 503].filter(isBusy), [429, 503]);
});

Deno.test("delayBefore() doubles with each retry, with jitter between half and all of it", () => {
  const delays = (random: number) =>
    [1, 2, 3, 4].map((retry) => delayBefore(retry, undefined, DELAYS, () => random));
  assertEquals(delays(0), [500, 1000, 2000, 4000]);
  assertEquals(delays(0.5), [750, 1500, 3000, 6000]);
  assertEquals(delays(1), [1000, 2000, 4000, 8000]);
});

Deno.test("delayBefore() never passes the longest wait", () => {
  assertEquals(delayBefore(20, undefined, DELAYS, () => 1), 60_000);
  assertEquals(delayBefore(2000, undefined, DELAYS, () => 1), 60_000);
  assertEquals(delayBefore(1, 120_000, DELAYS, () => 0), 60_000);
  assertEquals(delayBefore(1, Infinity, DELAYS, () => 0), 60_000);
});

Deno.test("delayBefore() obeys the server, without jitter", () => {
  assertEquals(delayBefore(4, 2000, DELAYS, () => 1), 2000);
  assertEquals(delayBefore(1, 0, DELAYS, () => 1), 0);
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

Deno.test("parseRetryAfter() leaves what it cannot read", () => {
  const unreadable = ["", "soon", "-5", "1.5", "5 s", "2024-01-01T12:00:30Z", "Mon, 99 Jan 2024"];
  assertEquals(
    unreadable.map((value) => parseRetryAfter(value, NOW)),
    unreadable.map(() => undefined),
  );
  assertEquals(parseRetryAfter(null, NOW), undefined);
});
