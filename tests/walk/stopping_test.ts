import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { pages, walk } from "../../mod.ts";
import type { TreeEvent } from "../../src/data/events.ts";
import { serveSite } from "../support/fixture_server.ts";
import { MemorySite } from "./memory_site.ts";
import { HOME, ORDERS, SITES, untilIdle } from "./walk_support.ts";

/** A walk that can be stopped. */
interface Stoppable {
  readonly events: AsyncGenerator<TreeEvent, void, void>;
  readonly abort: AbortController;
}

/** Takes `count` events. */
async function take(events: AsyncGenerator<TreeEvent, void, void>, count: number): Promise<void> {
  for (let taken = 0; taken < count; taken++) assertEquals((await events.next()).done, false);
}

/** Every way to leave a walk after so many events. */
const WAYS: Readonly<Record<string, (walk: Stoppable, after: number) => Promise<void>>> = {
  async "break"({ events }, after) {
    let taken = 0;
    for await (const _ of events) if (++taken === after) break;
    assertEquals(taken, after);
  },
  async "an exception in the loop"({ events }, after) {
    const mine = new Error("mine");
    let taken = 0;
    const loop = async () => {
      for await (const _ of events) if (++taken === after) throw mine;
    };
    assertStrictEquals(await loop().catch((error) => error), mine);
  },
  async "return()"({ events }, after) {
    await take(events, after);
    assertEquals(await events.return(), { done: true, value: undefined });
  },
  async "throw()"({ events }, after) {
    await take(events, after);
    const mine = new Error("mine");
    assertStrictEquals(await events.throw(mine).catch((error) => error), mine);
  },
  async "return() while next() is pending"({ events }, after) {
    await take(events, after - 1);
    const pending = [events.next(), events.next(), events.next()];
    const last = await pending[0]!;
    const returned = events.return();
    const rest = await Promise.all(pending.slice(1));
    assertEquals((await returned).done, true);
    assert(!last.done || rest.every(({ done }) => done));
  },
  async "await using"({ events }, after) {
    await using using = events;
    await take(using, after);
  },
  async "signal"({ events, abort }, after) {
    await take(events, after);
    const reason = new Error("enough");
    abort.abort(reason);
    assertStrictEquals(await events.next().catch((error) => error), reason);
  },
  async "signal while next() is pending"({ events, abort }, after) {
    await take(events, after - 1);
    const pending = events.next();
    const reason = { any: "reason" };
    abort.abort(reason);
    const outcome = await pending.catch((error) => ({ error }));
    if ("error" in outcome) assertStrictEquals(outcome.error, reason);
    else assertStrictEquals(await events.next().catch((error) => error), reason);
  },
};

async function assertEnded(
  events: AsyncGenerator<TreeEvent, void, void>,
  how: string,
): Promise<void> {
  assertEquals(await events.next(), { done: true, value: undefined }, how);
  assertEquals(await events.return(), { done: true, value: undefined }, how);
}

/** The deadline is never reached: its timer must not outlive the walk. */
const SETTINGS = ORDERS.flatMap((order) =>
  [1, 4].map((concurrency) => ({ order, concurrency, deadline: 3_600_000 }))
);

for (const site of SITES) {
  Deno.test(`walk() leaves nothing open however it is left, at every event of the site "${site}"`, async () => {
    const memory = new MemorySite(site);
    const total =
      (await Array.fromAsync(walk(HOME, { fetch: memory.fetch, retryDelay: 0 }))).length;
    for (let after = 1; after <= total; after++) {
      for (const [number, [way, leave]] of Object.entries(WAYS).entries()) {
        // each event meets every way, and two ways in every setting
        const setting = SETTINGS[(number + after) % SETTINGS.length]!;
        const abort = new AbortController();
        const { signal } = abort;
        const events = walk(HOME, { ...setting, fetch: memory.fetch, retryDelay: 0, signal });
        memory.maxOpen = 0;
        await leave({ events, abort }, after);
        const how = `${way} after ${after} events, ${JSON.stringify(setting)}`;
        await assertEnded(events, how);
        assertEquals(memory.open, 0, how);
        assert(memory.maxOpen <= setting.concurrency, how);
      }
    }
  });
}

for (const site of SITES) {
  Deno.test(`walk() leaves nothing open on a real network, at every event of the site "${site}"`, async () => {
    await using server = serveSite(site);
    const ways = Object.entries(WAYS);
    const total = (await Array.fromAsync(walk(server.url, { retryDelay: 0 }))).length;
    for (let after = 1; after <= total; after++) {
      const setting = SETTINGS[after % SETTINGS.length]!;
      const [way, leave] = ways[Math.floor(after / SETTINGS.length) % ways.length]!;
      const abort = new AbortController();
      const events = walk(server.url, { ...setting, retryDelay: 0, signal: abort.signal });
      await leave({ events, abort }, after);
      await assertEnded(events, `${way} after ${after} events`);
      await untilIdle(server);
    }
  });
}

Deno.test("pages() leaves nothing open when it is left in the middle", async () => {
  const memory = new MemorySite("demo");
  const total = (await Array.fromAsync(pages(HOME, { fetch: memory.fetch }))).length;
  for (let after = 1; after <= total; after++) {
    let taken = 0;
    for await (const _ of pages(HOME, { fetch: memory.fetch })) if (++taken === after) break;
    assertEquals([taken, memory.open], [after, 0]);
  }
});

Deno.test("walk() with a signal that is aborted already asks for nothing, and throws its reason", async () => {
  const memory = new MemorySite("demo");
  const reason = new Error("before");
  const events = walk(HOME, { fetch: memory.fetch, signal: AbortSignal.abort(reason) });
  assertStrictEquals(await events.next().catch((error) => error), reason);
  await assertEnded(events, "aborted before");
  assertEquals(memory.maxOpen, 0);
});

Deno.test("walk() answers concurrent calls of next() in order, and goes no faster for them", async () => {
  const memory = new MemorySite("demo");
  const options = { fetch: memory.fetch };
  const one = await Array.fromAsync(walk(HOME, options));
  const events = walk(HOME, options);
  const calls = Array.from({ length: one.length + 3 }, () => events.next());
  const results = await Promise.all(calls);
  const all = results.flatMap(({ done, value }) => done ? [] : [value as TreeEvent]);
  const withoutTime = (taken: readonly TreeEvent[]) =>
    JSON.stringify(taken).replace(/"durationMs":\d+/, "");
  assertEquals(withoutTime(all), withoutTime(one));
  assertEquals(results.slice(-3).map(({ done }) => done), [true, true, true]);
});
