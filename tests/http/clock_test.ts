import { assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { abortable, sleep, SYSTEM_CLOCK, Watchdog, type Watched } from "../../src/http/clock.ts";
import { CountingAbort } from "./counting_abort.ts";
import { FakeClock } from "./fake_clock.ts";

Deno.test("SYSTEM_CLOCK fires timers in order, unless they are cleared", async () => {
  assertEquals(Math.abs(SYSTEM_CLOCK.now() - Date.now()) < 1000, true);
  const random = SYSTEM_CLOCK.random();
  assertEquals(random >= 0 && random < 1, true);
  const fired: string[] = [];
  SYSTEM_CLOCK.startTimer(1, () => fired.push("cleared")).clear();
  SYSTEM_CLOCK.startBackgroundTimer(1, () => fired.push("cleared")).clear();
  await new Promise<void>((resolve) => {
    SYSTEM_CLOCK.startBackgroundTimer(1, () => fired.push("background"));
    const timer = SYSTEM_CLOCK.startTimer(2, () => fired.push("timer"));
    timer.unref();
    timer.ref();
    SYSTEM_CLOCK.startTimer(20, resolve);
  });
  assertEquals(fired, ["background", "timer"]);
});

Deno.test("SYSTEM_CLOCK does not fire a timer with a long delay at once", async () => {
  const fired: string[] = [];
  const timers = [
    SYSTEM_CLOCK.startTimer(2 ** 31, () => fired.push("timer")),
    SYSTEM_CLOCK.startBackgroundTimer(Infinity, () => fired.push("background")),
  ];
  await new Promise((resolve) => setTimeout(resolve, 5));
  for (const timer of timers) timer.clear();
  assertEquals(fired, []);
});

Deno.test("SYSTEM_CLOCK.elapsed() does not depend on the system time", () => {
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

Deno.test("abortable() settles as its promise, and leaves no listener", async () => {
  const abort = new CountingAbort();
  const signals = [new AbortController().signal, abort.signal];
  assertEquals(await abortable(Promise.resolve(1), signals), 1);
  await assertRejects(() => abortable(Promise.reject(new Error("mine")), signals), Error, "mine");
  await Promise.resolve();
  assertEquals(abort.listeners, 0);
});

Deno.test("abortable() rejects with the reason of the first signal that aborts", async () => {
  const [first, second] = [new AbortController(), new AbortController()];
  const signals = [first.signal, second.signal];
  const pending = abortable(new Promise(() => {}), signals);
  const reason = new Error("enough");
  second.abort(reason);
  first.abort(new Error("later"));
  assertStrictEquals(await pending.catch((error) => error), reason);
  const aborted = abortable(Promise.reject(new Error("unused")), [second.signal]);
  assertStrictEquals(await aborted.catch((error) => error), reason);
});

Deno.test("abortable() leaves no listener when another signal aborts a promise that never settles", async () => {
  const abort = new CountingAbort(), other = new AbortController();
  const pending = abortable(new Promise(() => {}), [abort.signal, other.signal]);
  assertEquals(abort.listeners, 1);
  other.abort();
  await assertRejects(() => pending);
  assertEquals(abort.listeners, 0);
});

Deno.test("sleep() waits, and not at all for 0 and less", async () => {
  const clock = new FakeClock();
  for (const milliseconds of [500, 0, -5]) await clock.run(sleep(milliseconds, clock, []));
  assertEquals([clock.waited, clock.running], [[500], 0]);
});

Deno.test("sleep() rejects when its signal aborts, before or meanwhile, and leaves no timer", async () => {
  const clock = new FakeClock();
  const controller = new AbortController();
  const sleeping = sleep(500, clock, [controller.signal]).catch((error) => error);
  const reason = new Error("enough");
  controller.abort(reason);
  const late = sleep(500, clock, [controller.signal]).catch((error) => error);
  for (const outcome of [sleeping, late]) assertStrictEquals(await outcome, reason);
  assertEquals(clock.running, 0);
});

/** Returns a watchdog, and the names of waits that expired. */
function watchdogTest() {
  const clock = new FakeClock();
  const expired: string[] = [];
  const wait = (name: string, milliseconds: number): Watched => ({
    deadline: clock.time + milliseconds,
    expire: () => void expired.push(name),
  });
  return { clock, watchdog: new Watchdog(clock), expired, wait };
}

Deno.test("Watchdog expires waits at their deadlines, with one timer", () => {
  const { clock, watchdog, expired, wait } = watchdogTest();
  const start = clock.time;
  for (const [name, milliseconds] of [["b", 200], ["c", 300], ["a", 100], ["b2", 200]] as const) {
    watchdog.watch(wait(name, milliseconds));
    assertEquals(clock.running, 1);
  }
  assertEquals([clock.jump(), expired, clock.time - start], [true, ["a"], 100]);
  assertEquals([clock.jump(), expired, clock.time - start], [true, ["a", "b", "b2"], 200]);
  assertEquals([clock.jump(), expired.at(-1), clock.time - start], [true, "c", 300]);
  assertEquals(clock.running, 0);
});

Deno.test("Watchdog without a wait does not keep the process alive", () => {
  const { clock, watchdog, expired, wait } = watchdogTest();
  const [first, second] = [wait("first", 100), wait("second", 200)];
  watchdog.watch(first);
  watchdog.watch(second);
  watchdog.forget(first);
  watchdog.forget(first);
  assertEquals([clock.jump(), expired, clock.pending], [true, [], 1]);
  watchdog.forget(second);
  assertEquals(clock.pending, 0);
  watchdog.watch(second);
  assertEquals([clock.jump(), expired, clock.running], [true, ["second"], 0]);
});

Deno.test("Watchdog.stop() stops the timer", () => {
  const { clock, watchdog, wait } = watchdogTest();
  watchdog.watch(wait("first", 100));
  watchdog.stop();
  watchdog.stop();
  assertEquals(clock.running, 0);
});

Deno.test("Watchdog starts no timer for a wait without a limit", () => {
  const { clock, watchdog, wait } = watchdogTest();
  watchdog.watch(wait("unlimited", Infinity));
  assertEquals(clock.running, 0);
  watchdog.watch(wait("limited", 10));
  assertEquals([clock.jump(), clock.running], [true, 0]);
});

Deno.test("Watchdog may be changed by a wait that expires", () => {
  const { clock, watchdog, expired, wait } = watchdogTest();
  const other = wait("other", 100), next = wait("next", 150);
  watchdog.watch({
    deadline: clock.time + 100,
    expire() {
      expired.push("first");
      watchdog.forget(other);
      watchdog.watch(next);
    },
  });
  watchdog.watch(other);
  clock.jump();
  assertEquals([expired, clock.pending], [["first"], 1]);
  clock.jump();
  assertEquals([expired, clock.pending], [["first", "next"], 0]);
});
