import { assertEquals, assertStrictEquals } from "@std/assert";
import { Cancellation } from "../../src/http/cancellation.ts";
import { sleep, SYSTEM_CLOCK } from "../../src/http/clock.ts";
import { FakeClock } from "./fake_clock.ts";

Deno.test("SYSTEM_CLOCK tells the time, calls back, and can be told not to", async () => {
  assertEquals(Math.abs(SYSTEM_CLOCK.now() - Date.now()) < 1000, true);
  const chance = SYSTEM_CLOCK.random();
  assertEquals(chance >= 0 && chance < 1, true);
  const called: string[] = [];
  const cancelAfter = SYSTEM_CLOCK.after(1, () => called.push("after, cancelled"));
  const cancelMeanwhile = SYSTEM_CLOCK.meanwhile(1, () => called.push("meanwhile, cancelled"));
  cancelAfter();
  cancelMeanwhile();
  await new Promise<void>((resolve) => {
    SYSTEM_CLOCK.meanwhile(1, () => called.push("meanwhile"));
    SYSTEM_CLOCK.after(20, resolve);
  });
  assertEquals(called, ["meanwhile"]);
});

Deno.test("SYSTEM_CLOCK does not take a long delay for none", async () => {
  const called: string[] = [];
  const cancelAfter = SYSTEM_CLOCK.after(2 ** 31, () => called.push("after"));
  const cancelMeanwhile = SYSTEM_CLOCK.meanwhile(Infinity, () => called.push("meanwhile"));
  await new Promise((resolve) => setTimeout(resolve, 5));
  cancelAfter();
  cancelMeanwhile();
  assertEquals(called, []);
});

Deno.test("SYSTEM_CLOCK sets alarms, which may be let go of and held again", async () => {
  const called: string[] = [];
  SYSTEM_CLOCK.alarm(1, () => called.push("stopped")).stop();
  const alarm = SYSTEM_CLOCK.alarm(1, () => called.push("rang"));
  alarm.release();
  alarm.hold();
  SYSTEM_CLOCK.alarm(2, () => called.push("released")).release();
  await new Promise((resolve) => setTimeout(resolve, 20));
  assertEquals(called, ["rang", "released"]);
  const late = SYSTEM_CLOCK.alarm(2 ** 40, () => called.push("late"));
  await new Promise((resolve) => setTimeout(resolve, 5));
  late.stop();
  assertEquals(called.length, 2);
});

Deno.test("SYSTEM_CLOCK.elapsed() is unaffected by the system time being set", () => {
  const { now } = Date;
  try {
    for (const offset of [-86_400_000, 86_400_000]) {
      const start = SYSTEM_CLOCK.elapsed();
      Date.now = () => now() + offset;
      const elapsed = SYSTEM_CLOCK.elapsed() - start;
      assertEquals(elapsed >= 0 && elapsed < 3_600_000, true, `${elapsed} ms after ${offset}`);
    }
  } finally {
    Date.now = now;
  }
});

Deno.test("sleep() waits as long as it is told", async () => {
  const clock = new FakeClock();
  const start = clock.time;
  await clock.run(sleep(500, clock, new Cancellation()));
  assertEquals(clock.time - start, 500);
  await sleep(0, clock, new Cancellation());
  await sleep(-5, clock, new Cancellation());
  assertEquals([clock.time - start, clock.pending], [500, 0]);
});

Deno.test("sleep() ends when it is given up, before or meanwhile, and leaves no timer", async () => {
  const clock = new FakeClock();
  const cancellation = new Cancellation();
  const sleeping = sleep(500, clock, cancellation);
  assertEquals(clock.pending, 1);
  const reason = new Error("enough");
  cancellation.cancel(reason);
  assertEquals(clock.pending, 0);
  assertStrictEquals(await sleeping.catch((error) => error), reason);
  assertStrictEquals(await sleep(500, clock, cancellation).catch((error) => error), reason);
  assertEquals(clock.pending, 0);
});
