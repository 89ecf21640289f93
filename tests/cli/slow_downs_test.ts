import { assertEquals } from "@std/assert";
import type { RequestReport } from "../../mod.ts";
import { SlowDowns } from "../../src/cli/run/slow_downs.ts";

function slowDown(status: number, intervalMs: number, delayMs = 0): RequestReport {
  const url = "https://a.test/1";
  return { phase: "slow-down", url, sitemap: url, attempt: 1, status, intervalMs, delayMs };
}

Deno.test("SlowDowns sums up refusals by status, and the slowest rate", () => {
  const slowDowns = new SlowDowns();
  assertEquals([slowDowns.summary(), slowDowns.now()], [undefined, undefined]);
  for (let at = 0; at < 12; at++) slowDowns.add(slowDown(429, 1000 - at));
  const one = "slowed down by the server: 12 × 429, down to 1 request/s";
  assertEquals(slowDowns.summary(), one);
  slowDowns.add(slowDown(503, 5000));
  const both = "slowed down by the server: 12 × 429, 1 × 503, down to 1 request every 5.0 s";
  assertEquals(slowDowns.summary(), both);
});

Deno.test("SlowDowns shows the last rate, or a long pause", () => {
  const slowDowns = new SlowDowns();
  slowDowns.add(slowDown(429, 1000, 900));
  assertEquals(slowDowns.now(), "rate limited: 1 request/s");
  slowDowns.add(slowDown(429, 1000, 3_600_500));
  assertEquals(slowDowns.now(), "rate limited: next request in 1:00:00");
});

Deno.test("SlowDowns ignores other reports", () => {
  const slowDowns = new SlowDowns();
  slowDowns.add({ ...slowDown(429, 1000), phase: "retry" });
  assertEquals([slowDowns.summary(), slowDowns.now()], [undefined, undefined]);
});

Deno.test("a rate is per second, or names the interval", () => {
  const rates = [10, 100, 250, 400, 1000, 1040, 1500, 60_000, 0].map((interval) => {
    const slowDowns = new SlowDowns();
    slowDowns.add(slowDown(429, interval));
    return slowDowns.summary()?.replace("slowed down by the server: 1 × 429, down to ", "");
  });
  assertEquals(rates, [
    "100 requests/s",
    "10 requests/s",
    "4 requests/s",
    "2.5 requests/s",
    "1 request/s",
    "1 request/s",
    "1 request every 1.5 s",
    "1 request every 1:00",
    "1,000 requests/s",
  ]);
});
