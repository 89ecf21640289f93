import { assert, assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import fc from "../support/fast_check.ts";
import { MAX_BATCH_ITEMS } from "../../src/data/batches.ts";
import { EventQueue, type Producer, type Send } from "../../src/walk/event_stream.ts";
import { CountingAbort } from "../http/counting_abort.ts";
import { FINISHED } from "../tree/events.ts";
import { DONE } from "./walked.ts";

/** A producer that sends given batches, and logs how it starts and ends. */
class HandFed {
  readonly log: unknown[] = [];
  readonly #batches: (readonly number[] | Promise<readonly number[]>)[];

  constructor(...batches: (readonly number[] | Promise<readonly number[]>)[]) {
    this.#batches = batches;
  }

  readonly produce: Producer<number> = async (send, signal) => {
    const stopped = Promise.withResolvers<never>();
    stopped.promise.catch(() => {});
    signal.addEventListener("abort", () => {
      const { reason } = signal;
      this.log.push(["stopped", reason instanceof Error ? reason.name : reason]);
      stopped.reject(reason);
    });
    this.log.push("started");
    try {
      for (const batch of this.#batches) {
        await send(await Promise.race([batch, stopped.promise]));
      }
      return FINISHED;
    } finally {
      this.log.push("closed");
    }
  };
}

/** Returns a queue whose producer does not care for the last event. */
function queueOf<T>(produce: (send: Send<T>) => Promise<void>): EventQueue<T> {
  return new EventQueue<T>(async (send) => {
    await produce(send);
    return FINISHED;
  });
}

const NEVER = new Promise<never>(() => {});

function item(value: number): IteratorResult<number, void> {
  return { done: false, value };
}

/** Returns the numbers from `start` up to `end`, exclusive. */
function numbers(start: number, end: number): number[] {
  return Array.from({ length: end - start }, (_, index) => start + index);
}

/** The two ways to read a queue, and what the first call returns for the items 0 to 1,499. */
const READS: readonly (readonly [
  name: string,
  open: (queue: EventQueue<number>) => AsyncGenerator<number | readonly number[], void, void>,
  first: number | readonly number[],
])[] = [
  ["EventQueue", (queue) => queue, 0],
  ["EventQueue.batches()", (queue) => queue.batches(), numbers(0, 1000)],
];

for (const [name, open, first] of READS) {
  Deno.test(`${name} starts with its first next(), and is its own iterator`, async () => {
    const source = new HandFed(numbers(0, 1500));
    const stream = open(new EventQueue(source.produce));
    assertStrictEquals(stream[Symbol.asyncIterator](), stream);
    await Promise.resolve();
    assertEquals(source.log, []);
    assertEquals(await stream.next(), { done: false, value: first });
    assertEquals(source.log, ["started"]);
  });

  for (const way of ["return", "throw", Symbol.asyncDispose] as const) {
    Deno.test(`${name} stops the producer and ends all pending calls by ${String(way)}()`, async () => {
      const source = new HandFed([1], NEVER);
      const queue = new EventQueue(source.produce);
      const stream = open(queue);
      await stream.next();
      const pending = [stream.next(), queue.next(), stream.next()];
      const mine = new Error("mine");
      const outcome = await Promise.resolve(stream[way](mine as never)).catch((error) => error);
      assertEquals(outcome, { return: DONE, throw: mine, [Symbol.asyncDispose]: undefined }[way]);
      assertEquals(await Promise.all<unknown>(pending), [DONE, DONE, DONE]);
      assertEquals(source.log, ["started", ["stopped", "AbortError"], "closed"]);
      assertEquals([await stream.next(), await queue.next()], [DONE, DONE]);
      await queue.return();
      assertEquals(source.log.length, 3, "stopped once");
    });
  }

  Deno.test(`${name} throws the error of its producer once and is done then`, async () => {
    const mine = new Error("mine");
    const source = new HandFed([1], Promise.reject(mine));
    const stream = open(new EventQueue(source.produce));
    assertEquals([(await stream.next()).value].flat(), [1]);
    const calls = [stream.next(), stream.next()];
    assertStrictEquals(await calls[0]!.catch((error) => error), mine);
    assertEquals([await calls[1], await stream.next()], [DONE, DONE]);
    assertEquals(source.log, ["started", "closed", ["stopped", "Error"]]);
  });

  Deno.test(`${name} throws the reason of its signal in the pending call, or in the next one`, async () => {
    for (const waits of [true, false]) {
      const abort = new AbortController();
      const source = new HandFed(name === "EventQueue" ? [1, 2] : numbers(0, 1500), NEVER);
      const stream = open(new EventQueue(source.produce, abort.signal));
      for (let taken = 0; taken < (waits ? 2 : 1); taken++) await stream.next();
      const reason = { any: "reason" };
      const before = waits ? stream.next() : undefined;
      abort.abort(reason);
      assertStrictEquals(await (before ?? stream.next()).catch((error) => error), reason);
      assertEquals(await stream.next(), DONE);
      // within one turn of the event loop
      await new Promise((resolve) => setTimeout(resolve, 0));
      assertEquals(source.log, ["started", ["stopped", reason], "closed"]);
    }
  });

  Deno.test(`${name} with an aborted signal throws its reason without starting`, async () => {
    const source = new HandFed([1]);
    const reason = new Error("before");
    const stream = open(new EventQueue(source.produce, AbortSignal.abort(reason)));
    assertStrictEquals(await stream.next().catch((error) => error), reason);
    assertEquals([await stream.next(), source.log], [DONE, []]);
  });
}

Deno.test("EventQueue yields the items of all batches and ignores empty ones", async () => {
  const source = new HandFed([1, 2], [], [], [3]);
  assertEquals(await Array.fromAsync(new EventQueue(source.produce)), [1, 2, 3]);
  assertEquals(source.log, ["started", "closed"]);
});

Deno.test("EventQueue stays done", async () => {
  const stream = new EventQueue(new HandFed([1]).produce);
  const results = [await stream.next(), await stream.next(), await stream.next()];
  assertEquals(results, [item(1), DONE, DONE]);
  assertEquals([await stream.return(), await stream.next()], [DONE, DONE]);
  await assertRejects(() => stream.throw(new Error("mine")), Error, "mine");
});

Deno.test("EventQueue answers concurrent calls of next() in their order, across batches", async () => {
  const later = Promise.withResolvers<readonly number[]>();
  const stream = new EventQueue(new HandFed([1, 2], later.promise, [5]).produce);
  const calls = Array.from({ length: 7 }, () => stream.next());
  later.resolve([3, 4]);
  assertEquals<unknown>(await Promise.all(calls), [...[1, 2, 3, 4, 5].map(item), DONE, DONE]);
});

Deno.test("EventQueue takes concurrent sends in turn and resumes each sender separately", async () => {
  const log: string[] = [];
  const stream = queueOf<string>(async (send) => {
    const worker = async (name: string) => {
      for (const turn of [1, 2]) {
        log.push(`${name}${turn} sent`);
        await send([`${name}${turn}`]);
      }
      log.push(`${name} through`);
    };
    await Promise.all([worker("a"), worker("b")]);
  });
  const first = await stream.next();
  assertEquals(log, ["a1 sent", "b1 sent"], "no sender is resumed before the next call");
  assertEquals([first.value, (await stream.next()).value], ["a1", "b1"]);
  assertEquals(log, ["a1 sent", "b1 sent", "a2 sent"]);
  assertEquals([(await stream.next()).value, (await stream.next()).value], ["a2", "b2"]);
  assertEquals(await stream.next(), DONE);
  assertEquals(log.slice(3), ["b2 sent", "a through", "b through"]);
});

Deno.test("EventQueue resumes a sender with the next call, even if items of another one are ready", async () => {
  const log: string[] = [];
  const stream = queueOf<number>(async (send) => {
    const worker = async (...items: number[]) => {
      await send(items);
      log.push(`resumed after ${items}`);
    };
    await Promise.all([worker(1), worker(2, 3, 4)]);
  });
  assertEquals(await stream.next(), item(1));
  await Promise.resolve();
  assertEquals(log, []);
  assertEquals(await stream.next(), item(2));
  assertEquals(log, ["resumed after 1"]);
  await stream.return();
});

Deno.test("EventQueue rejects pending and later sends when its consumer leaves", async () => {
  const refused: string[] = [];
  const stream = queueOf<string>(async (send) => {
    const worker = async (name: string) => {
      for (const turn of [1, 2]) {
        await Promise.resolve(send([name])).catch((error) =>
          refused.push(`${name}${turn} ${error.name}`)
        );
      }
    };
    await Promise.all([worker("a"), worker("b")]);
  });
  await stream.next();
  await stream.return();
  assertEquals(refused.toSorted(), ["a1", "a2", "b1", "b2"].map((name) => `${name} AbortError`));
});

Deno.test("EventQueue serves a pending call before one that is made as the items arrive", async () => {
  const later = Promise.withResolvers<readonly number[]>();
  const stream = new EventQueue(new HandFed(later.promise, [4]).produce);
  const order: unknown[] = [];
  const note = async (name: string, result: Promise<IteratorResult<number, void>>) => {
    order.push([name, (await result).value]);
  };
  const first = stream.next();
  // calls as soon as the first item arrives, before the second call is resolved
  const jumper = first.then(() => note("jumper", stream.next()));
  const second = note("second", stream.next());
  later.resolve([1, 2, 3]);
  await Promise.all([first, second, jumper]);
  assertEquals(order, [["second", 2], ["jumper", 3]]);
});

Deno.test("EventQueue.return() and throw() drop the items that were not taken", async () => {
  for (const leave of ["return", "throw"] as const) {
    for (const taken of [0, 1]) {
      const source = new HandFed([1, 2, 3]);
      const stream = new EventQueue(source.produce);
      if (taken > 0) await stream.next();
      await stream[leave](new Error("mine")).catch(() => {});
      assertEquals(await stream.next(), DONE);
      assertEquals(source.log.at(-1), taken > 0 ? "closed" : undefined);
    }
  }
});

Deno.test("EventQueue.return() resolves after its producer has settled", async () => {
  const log: string[] = [];
  const stream = queueOf<number>(async (send) => {
    try {
      await new Promise((resolve) => setTimeout(resolve, 5));
      await send([1]);
    } finally {
      await new Promise((resolve) => setTimeout(resolve, 5));
      log.push("closed");
    }
  });
  const pending = stream.next();
  await stream[Symbol.asyncDispose]();
  assertEquals([await pending, log], [DONE, ["closed"]]);
});

Deno.test("EventQueue.return() drops an error that was not thrown yet", async () => {
  const abort = new AbortController();
  const stream = new EventQueue(new HandFed([1, 2]).produce, abort.signal);
  await stream.next();
  abort.abort(new Error("unmet"));
  assertEquals([await stream.return(), await stream.next()], [DONE, DONE]);
});

Deno.test("EventQueue stops listening to its signal at its end", async () => {
  const abort = new CountingAbort();
  await Array.fromAsync(new EventQueue(new HandFed([1]).produce, abort.signal));
  assertEquals(abort.listeners, 0);
  const left = new EventQueue(new HandFed([1, 2]).produce, abort.signal);
  await left.next();
  assertEquals(abort.listeners, 1);
  await left.return();
  assertEquals(abort.listeners, 0);
});

// ---------------------------------------------------------------------------------------- batches

Deno.test("EventQueue.batches() yields the arrays that were sent, except empty ones", async () => {
  const sent = [[1, 2], [], [3]];
  const source = new HandFed(...sent);
  const batches = await Array.fromAsync(new EventQueue(source.produce).batches());
  assertEquals(batches, [[1, 2], [3]]);
  assertStrictEquals(batches[0], sent[0]);
  assertEquals(source.log, ["started", "closed"]);
});

Deno.test("EventQueue.batches() yields at most 1,000 items at a time", async () => {
  assertEquals(MAX_BATCH_ITEMS, 1000);
  const sent = [1000, 1001, 2500].map((length) => numbers(0, length));
  const batches = await Array.fromAsync(new EventQueue(new HandFed(...sent).produce).batches());
  assertEquals(batches.map(({ length }) => length), [1000, 1000, 1, 1000, 1000, 500]);
  assertEquals(batches.flat(), sent.flat());
});

Deno.test("EventQueue.batches() never waits to fill up a batch", async () => {
  const later = Promise.withResolvers<readonly number[]>();
  const batches = new EventQueue(new HandFed([1], later.promise).produce).batches();
  assertEquals(await batches.next(), { done: false, value: [1] });
  const pending = batches.next();
  later.resolve([2]);
  assertEquals(await pending, { done: false, value: [2] });
  assertEquals(await batches.next(), DONE);
});

Deno.test("EventQueue.batches() yields everything that is ready, of several senders too", async () => {
  const sizes = [3, 600, 600];
  const stream = queueOf<number>(async (send) => {
    await Promise.all(sizes.map((size) => send(numbers(0, size))));
  });
  const lengths: number[] = [];
  for await (const batch of stream.batches()) lengths.push(batch.length);
  assertEquals(lengths, [1000, 203]);
});

Deno.test("EventQueue.batches() resumes a sender with the call after its last item", async () => {
  const log: string[] = [];
  const stream = queueOf<number>(async (send) => {
    for (const size of [1500, 2]) {
      await send(numbers(0, size));
      log.push(`resumed after ${size}`);
    }
  });
  const batches = stream.batches();
  const settle = () => new Promise((resolve) => setTimeout(resolve, 0));
  for (const [length, seen] of [[1000, []], [500, []], [2, ["resumed after 1500"]]] as const) {
    assertEquals((await batches.next()).value?.length, length);
    await settle();
    assertEquals(log, [...seen]);
  }
  assertEquals(await batches.next(), DONE);
  assertEquals(log, ["resumed after 1500", "resumed after 2"]);
});

Deno.test("EventQueue.next() and batches() share one queue", async () => {
  const stream = new EventQueue(new HandFed([1, 2, 3], [4, 5], numbers(6, 1200)).produce);
  const batches = stream.batches();
  assertEquals(await stream.next(), item(1));
  assertEquals((await batches.next()).value, [2, 3]);
  for (const value of [4, 5, 6]) assertEquals(await stream.next(), item(value));
  assertEquals((await stream.batches().next()).value, numbers(7, 1007));
  assertEquals(await stream.next(), item(1007));
  assertEquals((await batches.next()).value, numbers(1008, 1200));
  assertEquals([await batches.next(), await stream.next()], [DONE, DONE]);
});

Deno.test("EventQueue.next() and batches() lose and repeat nothing, however they alternate", async () => {
  const sends = fc.array(fc.integer({ min: 0, max: 2600 }), { maxLength: 5 });
  const calls = fc.infiniteStream(fc.boolean());
  await fc.assert(
    fc.asyncProperty(sends, calls, fc.boolean(), async (sizes, calls, atOnce) => {
      let count = 0;
      const sent = sizes.map((size) => numbers(count, count += size));
      const stream = queueOf<number>(async (send) => {
        if (atOnce) await Promise.all(sent.map((items) => send(items)));
        else for (const items of sent) await send(items);
      });
      const batches = stream.batches();
      const taken: number[] = [];
      for (const wantsBatch of calls) {
        const { done, value } = await (wantsBatch ? batches.next() : stream.next());
        if (done) break;
        const items = typeof value === "number" ? [value] : value as readonly number[];
        assert(items.length > 0 && items.length <= MAX_BATCH_ITEMS);
        taken.push(...items);
      }
      assertEquals(taken, numbers(0, count));
    }),
    { numRuns: 30 },
  );
});

Deno.test("EventQueue serves pending calls of next() and batches() in the order of the calls", async () => {
  const first = Promise.withResolvers<readonly number[]>();
  const second = Promise.withResolvers<readonly number[]>();
  const stream = new EventQueue(new HandFed(first.promise, second.promise, [7]).produce);
  const batches = stream.batches();
  const order = [stream, batches, stream, stream, batches, batches, stream, batches];
  const calls = order.map((reader) => reader.next());
  first.resolve([1, 2, 3]);
  second.resolve([4, 5, 6]);
  const values = (await Promise.all(calls)).map(({ value }) => value);
  assertEquals(values, [1, [2, 3], 4, 5, [6], [7], undefined, undefined]);
});
