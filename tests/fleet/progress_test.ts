import { assertEquals, assertRejects } from "@std/assert";
import { FleetError, type FleetProgress, type ProgressOptions } from "../../src/fleet/mod.ts";
import { progress } from "../../src/fleet/progress.ts";
import type { Postgres } from "../../src/sync/postgres.ts";
import { FakeClock } from "../http/fake_clock.ts";

/** Answers of the database, in turn: columns that differ from a run in progress, or an error. */
type Answer = Record<string, unknown> | Error;

const ROW = {
  ...{ total: 100, paused: false, round: 1, waiting: 0, active: 2, pages: 0 },
  ...{ complete: 0, partial: 0, none: 0, blocked: 0, failed: 0 },
};

/** A generator on scripted answers, with a clock that jumps. */
function scripted(answers: Answer[], options: ProgressOptions = {}) {
  const clock = new FakeClock();
  const server = {
    query() {
      const answer = answers.length > 1 ? answers.shift()! : answers[0]!;
      if (answer instanceof Error) return Promise.reject(answer);
      return Promise.resolve({ rows: [{ ...ROW, ...answer }], count: 1 });
    },
  } as unknown as Postgres;
  const values = progress(server, "news", options, clock);
  const next = async () => (await clock.run(values.next())).value as FleetProgress;
  return { clock, values, next };
}

function brokenConnection(): Error {
  return Object.assign(new Error("Connection terminated unexpectedly"), { code: "ECONNRESET" });
}

Deno.test("progress() yields at once, then after each interval", async () => {
  const { clock, values, next } = scripted([{}], { interval: 250 });
  await next();
  assertEquals(clock.waited, []);
  await next();
  await next();
  assertEquals(clock.waited, [250, 250]);
  await values.return();
});

Deno.test("progress() computes rates and the time left from the last 30 seconds", async () => {
  const { clock, values, next } = scripted([
    { complete: 10, pages: 1000 },
    { complete: 12, failed: 1, pages: 1300 },
    { complete: 40, failed: 1, pages: 5000 },
    { complete: 45, failed: 1, pages: 8000 },
  ]);
  const first = await next();
  assertEquals([first.pagesPerSecond, first.sitesPerSecond, first.etaMs], [0, 0, undefined]);
  const second = await next();
  assertEquals([second.pagesPerSecond, second.sitesPerSecond], [300, 3]);
  assertEquals(second.etaMs, 87 / 3 * 1000);
  // the first two are too old then
  clock.skip(40_000);
  const third = await next();
  assertEquals([third.pagesPerSecond, third.etaMs], [0, undefined]);
  const fourth = await next();
  assertEquals([fourth.pagesPerSecond, fourth.sitesPerSecond], [3000, 5]);
  await values.return();
});

Deno.test("progress() gives no time left for a run that is paused", async () => {
  const { values, next } = scripted([{ complete: 1 }, { complete: 2, paused: true }]);
  await next();
  const { sitesPerSecond, etaMs, paused } = await next();
  assertEquals([sitesPerSecond, etaMs, paused], [1, undefined, true]);
  await values.return();
});

Deno.test("progress() ends after the value in which every site has a verdict", async () => {
  const { clock, values } = scripted([{ complete: 98, none: 1, waiting: 1 }, {
    complete: 98,
    blocked: 1,
    none: 1,
  }]);
  const found: FleetProgress[] = [];
  await clock.run((async () => {
    for await (const value of values) found.push(value);
  })());
  assertEquals(found.map(({ done, waiting, etaMs }) => [done, waiting, etaMs]), [
    [99, 1, undefined],
    [100, 0, 0],
  ]);
  assertEquals(found[1]!.verdicts, { complete: 98, partial: 0, none: 1, blocked: 1, failed: 0 });
});

Deno.test("progress() ends when its signal aborts, also while it waits", async () => {
  const controller = new AbortController();
  const { clock, values, next } = scripted([{}], { signal: controller.signal });
  await next();
  clock.after(10, () => controller.abort(new Error("enough")));
  assertEquals((await clock.run(values.next())).done, true);
  assertEquals(clock.running, 0);
  const aborted = scripted([{}], { signal: AbortSignal.abort() });
  assertEquals((await aborted.values.next()).done, true);
});

Deno.test("progress() survives an outage of the database of less than a minute", async () => {
  const { next, values, clock } = scripted([
    { complete: 1 },
    ...Array.from({ length: 50 }, brokenConnection),
    { complete: 2 },
    brokenConnection(),
  ]);
  await next();
  assertEquals((await next()).done, 2);
  const start = clock.time;
  await assertRejects(next, Error, "Connection terminated");
  assertEquals(clock.time - start, 60_000);
  assertEquals((await values.next()).done, true);
});

Deno.test("progress() throws at once if the first look or the statement fails", async () => {
  await assertRejects(scripted([brokenConnection()]).next, Error, "Connection terminated");
  const wrong = Object.assign(new Error("column does not exist"), { code: "42703" });
  const { next } = scripted([{}, wrong]);
  await next();
  await assertRejects(next, Error, "column does not exist");
});

Deno.test("progress() throws for an unknown run and for an invalid interval", async () => {
  const server = { query: () => Promise.resolve({ rows: [], count: 0 }) };
  const values = progress(server as unknown as Postgres, "x");
  const error = await assertRejects(() => values.next(), FleetError, 'Unknown run "x"');
  assertEquals(error.code, "unknown-run");
  await assertRejects(() => scripted([{}], { interval: 0 }).values.next(), RangeError, "interval");
});
