import { assertEquals, assertStrictEquals } from "@std/assert";
import { Cancellation } from "../../src/http/cancellation.ts";
import { Pace, type PaceOptions } from "../../src/http/retry.ts";
import { FakeClock } from "./fake_clock.ts";

const EAGER: PaceOptions = { wait: 0, randomWait: false };

/** When each of so many requests to these hosts would start, all wanted at once. */
async function startsOf(pace: Pace, clock: FakeClock, hosts: readonly string[]): Promise<number[]> {
  const begin = clock.time;
  const starts = hosts.map(async (host) => {
    await pace.turn(new URL(`http://${host}`), new Cancellation());
    return clock.time - begin;
  });
  return await clock.run(Promise.all(starts));
}

Deno.test("Pace without a wait holds nobody up", () => {
  const pace = new Pace(EAGER, new FakeClock());
  assertEquals(pace.turn(new URL("http://a.test"), new Cancellation()), undefined);
  assertEquals(pace.turn(new URL("http://a.test"), new Cancellation()), undefined);
});

Deno.test("Pace keeps the wait between requests to one host, host by host", async () => {
  const clock = new FakeClock();
  const pace = new Pace({ wait: 100, randomWait: false }, clock);
  const hosts = ["a.test", "a.test", "b.test", "a.test", "b.test"];
  assertEquals(await startsOf(pace, clock, hosts), [0, 100, 0, 200, 100]);
  clock.skip(1000);
  assertEquals(await startsOf(pace, clock, ["a.test"]), [0], "no debt is kept");
});

Deno.test("Pace varies the wait from half to one and a half of it", async () => {
  const clock = new FakeClock(0, 0.999, 0.5, 0);
  const pace = new Pace({ wait: 1000, randomWait: true }, clock);
  const starts = await startsOf(pace, clock, ["a.test", "a.test", "a.test", "a.test"]);
  assertEquals(starts.map(Math.round), [0, 500, 1999, 2999]);
});

Deno.test("Pace keeps a pause that a host asks for, also in the middle of waiting", async () => {
  const clock = new FakeClock();
  const pace = new Pace(EAGER, clock);
  pace.pause("a.test", 500);
  pace.pause("a.test", 200);
  pace.pause("a.test", 0);
  const starts = startsOf(pace, clock, ["a.test", "b.test"]);
  pace.pause("a.test", 700);
  assertEquals(await starts, [700, 0]);
  assertEquals(pace.turn(new URL("http://a.test"), new Cancellation()), undefined, "it is over");
});

Deno.test("Pace keeps the Crawl-delay of a host where it is longer", async () => {
  const clock = new FakeClock();
  const pace = new Pace({ wait: 100, randomWait: false }, clock);
  pace.setCrawlDelay("slow.test", 300);
  pace.setCrawlDelay("fast.test", 10);
  const hosts = ["slow.test", "slow.test", "fast.test", "fast.test"];
  assertEquals(await startsOf(pace, clock, hosts), [300, 600, 10, 110], "it was just asked for it");
});

Deno.test("Pace lets go of those who give up", async () => {
  const clock = new FakeClock();
  const pace = new Pace({ wait: 100, randomWait: false }, clock);
  const cancellation = new Cancellation();
  await pace.turn(new URL("http://a.test"), cancellation);
  const waiting = pace.turn(new URL("http://a.test"), cancellation)!;
  const reason = new Error("enough");
  cancellation.cancel(reason);
  assertStrictEquals(await waiting.catch((error) => error), reason);
  assertEquals(clock.pending, 0);
});
