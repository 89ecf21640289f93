import { assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { type BatchSource, EventStream, type Send } from "../../src/walk/event_stream.ts";

/** A source that gives batches when it is told to, and tells what becomes of it. */
class HandFed implements BatchSource<number> {
  readonly log: unknown[] = [];
  readonly #batches: (readonly number[] | Promise<readonly number[]>)[];
  readonly #stopped = Promise.withResolvers<never>();

  constructor(...batches: (readonly number[] | Promise<readonly number[]>)[]) {
    this.#batches = batches;
    this.#stopped.promise.catch(() => {});
  }

  async run(send: Send<number>): Promise<void> {
    this.log.push("started");
    try {
      for (const batch of this.#batches) {
        await send(await Promise.race([batch, this.#stopped.promise]));
      }
    } finally {
      this.log.push("closed");
    }
  }

  stop(reason: unknown): void {
    this.log.push(["stopped", reason instanceof Error ? reason.name : reason]);
    this.#stopped.reject(reason);
  }
}

const NEVER = new Promise<never>(() => {});
const DONE = { done: true, value: undefined };

function item(value: number): IteratorResult<number, void> {
  return { done: false, value };
}

Deno.test("EventStream hands out the items of all batches, passing over empty ones", async () => {
  const source = new HandFed([1, 2], [], [], [3]);
  assertEquals(await Array.fromAsync(new EventStream(source)), [1, 2, 3]);
  assertEquals(source.log, ["started", "closed"]);
});

Deno.test("EventStream starts with the first next(), not before", async () => {
  const source = new HandFed([1]);
  const stream = new EventStream(source);
  assertStrictEquals(stream[Symbol.asyncIterator](), stream);
  await Promise.resolve();
  assertEquals(source.log, []);
  assertEquals(await stream.next(), item(1));
  assertEquals(source.log, ["started"]);
});

Deno.test("EventStream stays at its end", async () => {
  const stream = new EventStream(new HandFed([1]));
  const results = [await stream.next(), await stream.next(), await stream.next()];
  assertEquals(results, [item(1), DONE, DONE]);
  assertEquals([await stream.return(), await stream.next()], [DONE, DONE]);
  await assertRejects(() => stream.throw(new Error("mine")), Error, "mine");
});

Deno.test("EventStream answers concurrent calls of next() in their order, across batches", async () => {
  const later = Promise.withResolvers<readonly number[]>();
  const stream = new EventStream(new HandFed([1, 2], later.promise, [5]));
  const calls = Array.from({ length: 7 }, () => stream.next());
  later.resolve([3, 4]);
  assertEquals(
    await Promise.all(calls),
    [1, 2, 3, 4, 5].map(item).concat(DONE as never, DONE as never),
  );
});

Deno.test("EventStream takes batches that are sent at once in turn, and lets each go on by itself", async () => {
  const log: string[] = [];
  const stream = new EventStream<string>({
    async run(send) {
      const worker = async (name: string) => {
        for (const turn of [1, 2]) {
          log.push(`${name}${turn} sent`);
          await send([`${name}${turn}`]);
        }
        log.push(`${name} through`);
      };
      await Promise.all([worker("a"), worker("b")]);
    },
    stop() {},
  });
  const first = await stream.next();
  assertEquals(log, ["a1 sent", "b1 sent"], "nobody goes on before more is wanted");
  assertEquals([first.value, (await stream.next()).value], ["a1", "b1"]);
  assertEquals(log, ["a1 sent", "b1 sent", "a2 sent"]);
  assertEquals([(await stream.next()).value, (await stream.next()).value], ["a2", "b2"]);
  assertEquals(await stream.next(), DONE);
  assertEquals(log.slice(3), ["b2 sent", "a through", "b through"]);
});

Deno.test("EventStream stops all that wait to send when it is left, and all that come after", async () => {
  const refused: string[] = [];
  const stream = new EventStream<string>({
    async run(send) {
      const worker = async (name: string) => {
        for (const turn of [1, 2]) {
          await Promise.resolve(send([name])).catch((error) =>
            refused.push(`${name}${turn} ${error.name}`)
          );
        }
      };
      await Promise.all([worker("a"), worker("b")]);
    },
    stop() {},
  });
  await stream.next();
  await stream.return();
  assertEquals(refused.toSorted(), ["a1", "a2", "b1", "b2"].map((name) => `${name} AbortError`));
});

Deno.test("EventStream lets nobody jump the queue", async () => {
  const later = Promise.withResolvers<readonly number[]>();
  const stream = new EventStream(new HandFed(later.promise, [4]));
  const order: unknown[] = [];
  const note = async (name: string, result: Promise<IteratorResult<number, void>>) => {
    order.push([name, (await result).value]);
  };
  const first = stream.next();
  // asks for more in the very moment the first item arrives, before the second call hears of it
  const jumper = first.then(() => note("jumper", stream.next()));
  const second = note("second", stream.next());
  later.resolve([1, 2, 3]);
  await Promise.all([first, second, jumper]);
  assertEquals(order, [["second", 2], ["jumper", 3]]);
});

Deno.test("EventStream.return() ends everything, and all pending calls", async () => {
  const source = new HandFed([1], NEVER);
  const stream = new EventStream(source);
  await stream.next();
  const pending = [stream.next(), stream.next()];
  assertEquals(await stream.return(), DONE);
  assertEquals(await Promise.all(pending), [DONE, DONE]);
  assertEquals(source.log, ["started", ["stopped", "AbortError"], "closed"]);
  assertEquals(await stream.next(), DONE);
  await stream.return();
  assertEquals(source.log.length, 3, "once is enough");
});

Deno.test("EventStream.return() and throw() drop what was not taken", async () => {
  for (const leave of ["return", "throw"] as const) {
    const source = new HandFed([1, 2, 3]);
    const stream = new EventStream(source);
    await stream.next();
    await stream[leave](new Error("mine")).catch(() => {});
    assertEquals(await stream.next(), DONE);
    assertEquals(source.log.at(-1), "closed");
  }
});

Deno.test("EventStream that was never started never starts", async () => {
  for (const leave of ["return", "throw"] as const) {
    const source = new HandFed([1]);
    const stream = new EventStream(source);
    await stream[leave](new Error("mine")).catch(() => {});
    assertEquals(await stream.next(), DONE);
    assertEquals(source.log, [["stopped", "AbortError"]]);
  }
});

Deno.test("EventStream is done when return() resolves, also if a batch is just being made", async () => {
  const log: string[] = [];
  const stream = new EventStream<number>({
    async run(send) {
      try {
        await new Promise((resolve) => setTimeout(resolve, 5));
        await send([1]);
      } finally {
        await new Promise((resolve) => setTimeout(resolve, 5));
        log.push("closed");
      }
    },
    stop() {},
  });
  const pending = stream.next();
  await stream[Symbol.asyncDispose]();
  assertEquals([await pending, log], [DONE, ["closed"]]);
});

Deno.test("EventStream passes an error on once, and is at its end then", async () => {
  const mine = new Error("mine");
  const source = new HandFed([1], Promise.reject(mine));
  const stream = new EventStream(source);
  assertEquals(await stream.next(), item(1));
  const calls = [stream.next(), stream.next()];
  assertStrictEquals(await calls[0]!.catch((error) => error), mine);
  assertEquals([await calls[1], await stream.next()], [DONE, DONE]);
  assertEquals(source.log, ["started", "closed", ["stopped", "Error"]]);
});

Deno.test("EventStream throws the reason of its signal, to whoever waits or comes next", async () => {
  for (const waits of [true, false]) {
    const abort = new AbortController();
    const source = new HandFed([1, 2], NEVER);
    const stream = new EventStream(source, abort.signal);
    const taken = waits ? 2 : 1;
    for (let taking = 0; taking < taken; taking++) await stream.next();
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

Deno.test("EventStream with a signal that is aborted already does nothing but throw", async () => {
  const source = new HandFed([1]);
  const reason = new Error("before");
  const stream = new EventStream(source, AbortSignal.abort(reason));
  assertStrictEquals(await stream.next().catch((error) => error), reason);
  assertEquals(await stream.next(), DONE);
  assertEquals(source.log, [["stopped", "Error"]]);
});

Deno.test("EventStream forgets an error that nobody met when it is left", async () => {
  const abort = new AbortController();
  const stream = new EventStream(new HandFed([1, 2]), abort.signal);
  await stream.next();
  abort.abort(new Error("unmet"));
  assertEquals([await stream.return(), await stream.next()], [DONE, DONE]);
});

Deno.test("EventStream does not listen to its signal when it is over", async () => {
  const abort = new AbortController();
  let listeners = 0;
  const { addEventListener, removeEventListener } = abort.signal;
  abort.signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
    listeners++;
    addEventListener.apply(abort.signal, args);
  };
  abort.signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
    listeners--;
    removeEventListener.apply(abort.signal, args);
  };
  await Array.fromAsync(new EventStream(new HandFed([1]), abort.signal));
  assertEquals(listeners, 0);
  const left = new EventStream(new HandFed([1, 2]), abort.signal);
  await left.next();
  assertEquals(listeners, 1);
  await left.return();
  assertEquals(listeners, 0);
});
