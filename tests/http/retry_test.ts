import { assertEquals, assertStrictEquals } from "@std/assert";
import {
  delayBefore,
  isRetried,
  Pace,
  type PaceOptions,
  parseRetryAfter,
} from "../../src/http/retry.ts";
import { FakeClock } from "./fake_clock.ts";

const DELAYS = { retryDelay: 1000, maxRetryDelay: 60_000 };
const NOW = Date.UTC(2024, 0, 1, 12);

Deno.test("isRetried() is true for the statuses that USP retries, and no others", () => {
  const retried = Array.from({ length: 600 }, (_, status) => status).filter(isRetried);
  assertEquals(retried, [
    ...[400, 408, 429, 499, 500, 502, 503, 504, 509],
    ...[520, 521, 522, 523, 524, 525, 526, 527, 530, 598],
  ]);
});

Deno.test("isBusy() is true for 429 and 503", () => {
  assertEquals([400, 429, 500, 502, 503].filter(isBusy), [429, 503]);
});

Deno.test("delayBefore() doubles with each retry, with jitter between half and all of it", () => {
  const delays = (random: number) =>
    [1, 2, 3, 4].map((retry) => delayBefore(retry, undefined, DELAYS, () => random));
  assertEquals(delays(0), [500, 1000, 2000, 4000]);
  assertEquals(delays(0.5), [750, 1500, 3000, 6000]);
  assertEquals(delays(1), [1000, 2000, 4000, 8000]);
});

Deno.test("delayBefore() never exceeds the longest delay", () => {
  assertEquals(delayBefore(20, undefined, DELAYS, () => 1), 60_000);
  assertEquals(delayBefore(2000, undefined, DELAYS, () => 1), 60_000);
  assertEquals(delayBefore(1, 120_000, DELAYS, () => 0), 60_000);
  assertEquals(delayBefore(1, Infinity, DELAYS, () => 0), 60_000);
});

Deno.test("delayBefore() returns a Retry-After without jitter", () => {
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

Deno.test("parseRetryAfter() ignores invalid values", () => {
  const unreadable = ["", "soon", "-5", "1.5", "5 s", "2024-01-01T12:00:30Z", "Mon, 99 Jan 2024"];
  assertEquals(
    unreadable.map((value) => parseRetryAfter(value, NOW)),
    unreadable.map(() => undefined),
  );
  assertEquals(parseRetryAfter(null, NOW), undefined);
});

const NO_WAIT: PaceOptions = { wait: 0, randomWait: false };

/** Returns the start times of requests to these hosts that are made at once. */
async function startsOf(pace: Pace, clock: FakeClock, hosts: readonly string[]): Promise<number[]> {
  const begin = clock.time;
  const starts = hosts.map(async (host) => {
    await pace.turn(new URL(`http://${host}`), []);
    return clock.time - begin;
  });
  return await clock.run(Promise.all(starts));
}

Deno.test("Pace without a wait delays no request", async () => {
  const clock = new FakeClock();
  assertEquals(await startsOf(new Pace(NO_WAIT, clock), clock, ["a.test", "a.test"]), [0, 0]);
});

Deno.test("Pace keeps the wait between requests to one host, host by host", async () => {
  const clock = new FakeClock();
  const pace = new Pace({ wait: 100, randomWait: false }, clock);
  const hosts = ["a.test", "a.test", "b.test", "a.test", "b.test"];
  assertEquals(await startsOf(pace, clock, hosts), [0, 100, 0, 200, 100]);
  clock.skip(1000);
  assertEquals(await startsOf(pace, clock, ["a.test"]), [0], "time without requests counts");
});

Deno.test("Pace varies the wait from half to one and a half of it", async () => {
  const clock = new FakeClock(0, 0.999, 0.5, 0);
  const pace = new Pace({ wait: 1000, randomWait: true }, clock);
  const starts = await startsOf(pace, clock, ["a.test", "a.test", "a.test", "a.test"]);
  assertEquals(starts.map(Math.round), [0, 500, 1999, 2999]);
});

Deno.test("Pace keeps a pause of a host, also for requests that already wait", async () => {
  const clock = new FakeClock();
  const pace = new Pace(NO_WAIT, clock);
  pace.pause("a.test", 500);
  pace.pause("a.test", 200);
  pace.pause("a.test", 0);
  const starts = startsOf(pace, clock, ["a.test", "b.test"]);
  pace.pause("a.test", 700);
  assertEquals(await starts, [700, 0]);
  assertEquals(await startsOf(pace, clock, ["a.test"]), [0], "the pause is over");
});

Deno.test("Pace keeps the Crawl-delay of a host where it is longer", async () => {
  const clock = new FakeClock();
  const pace = new Pace({ wait: 100, randomWait: false }, clock);
  pace.setCrawlDelay("slow.test", 300);
  pace.setCrawlDelay("fast.test", 10);
  const hosts = ["slow.test", "slow.test", "fast.test", "fast.test"];
  assertEquals(
    await startsOf(pace, clock, hosts),
    [300, 600, 10, 110],
    "robots.txt was just requested",
  );
});

Deno.test("Pace.turn() rejects when its signal aborts, and leaves no timer", async () => {
  const clock = new FakeClock();
  const pace = new Pace({ wait: 100, randomWait: false }, clock);
  const controller = new AbortController();
  await pace.turn(new URL("http://a.test"), [controller.signal]);
  const waiting = pace.turn(new URL("http://a.test"), [controller.signal]);
  const reason = new Error("enough");
  controller.abort(reason);
  assertStrictEquals(await waiting!.catch((error) => error), reason);
  assertEquals(clock.pending, 0);
});
