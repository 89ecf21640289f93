import { assertEquals, assertRejects } from "@std/assert";
import type { ByteSource } from "../../src/bytes/byte_source.ts";
import { BufferPool } from "../../src/http/body.ts";
import { BufferedBody } from "../../src/walk/buffered_body.ts";
import { Slots } from "../../src/walk/prefetch.ts";

type Prefetcher = Parameters<Slots["enter"]>[0];

/** A list that enters, takes a number of slots and keeps them. */
class List implements Prefetcher {
  readonly #slots: Slots;
  #wanted: number;
  /** Slots taken. */
  held = 0;
  /** Slots taken for documents that are held back. */
  heldBack = 0;

  constructor(slots: Slots, wanted: number) {
    this.#slots = slots;
    this.#wanted = wanted;
    slots.enter(this);
  }

  get exhausted(): boolean {
    return this.#wanted === 0;
  }

  fill(): void {
    while (this.#wanted > 0 && this.#slots.tryTakeAhead(this)) {
      this.#wanted--;
      this.held++;
    }
  }

  evict(): boolean {
    if (this.heldBack === 0) return false;
    this.heldBack--;
    this.held--;
    this.#wanted++;
    return true;
  }

  /** Releases the slot of a document that has arrived. */
  finish(): void {
    this.held--;
    this.#slots.releaseAhead();
  }
}

/** Whether a promise is still pending when all callbacks that are due have run. */
async function isPending(promise: Promise<void> | undefined): Promise<boolean> {
  let isPending = promise !== undefined;
  promise?.then(() => isPending = false);
  await new Promise((resolve) => setTimeout(resolve, 0));
  return isPending;
}

Deno.test("Slots keeps one slot for reading", async () => {
  for (const size of [1, 2, 5]) {
    const slots = new Slots(() => size);
    const list = new List(slots, 10);
    slots.refill();
    assertEquals(list.held, size - 1);
    assertEquals(await isPending(slots.take()), false);
    slots.refill();
    assertEquals(list.held, size - 1);
  }
});

Deno.test("Slots makes readers wait while all slots are in use, and serves them in turn", async () => {
  const slots = new Slots(() => 2);
  await slots.take();
  await slots.take();
  const order: string[] = [];
  const first = slots.take()!.then(() => order.push("first"));
  const second = slots.take()!.then(() => order.push("second"));
  slots.release();
  await first;
  slots.release();
  await second;
  assertEquals(order, ["first", "second"]);
});

Deno.test("Slots evicts a document that is held back in favour of a reader", async () => {
  const slots = new Slots(() => 3);
  const list = new List(slots, 2);
  slots.take();
  slots.refill();
  assertEquals(list.held, 2);
  const waiting = slots.take();
  assertEquals(await isPending(waiting), true, "nothing is held back");
  list.heldBack = 1;
  assertEquals(await isPending(slots.take()), false);
  assertEquals([list.held, list.exhausted], [1, false]);
  list.finish();
  await waiting;
  slots.release();
  assertEquals(list.held, 1, "the evicted document is fetched again");
});

Deno.test("Slots fills the innermost list first, and outer ones only when it is exhausted", () => {
  const slots = new Slots(() => 4);
  const outer = new List(slots, 5);
  slots.refill();
  assertEquals(outer.held, 3);
  outer.heldBack = 3;
  const inner = new List(slots, 2);
  slots.refill();
  assertEquals([inner.held, outer.held], [2, 1], "the outer list is evicted");
  inner.finish();
  assertEquals([inner.held, outer.held], [1, 2], "and filled again when a slot is free");
  slots.leave(inner);
});

Deno.test("Slots evicts no inner list in favour of an outer one", () => {
  const slots = new Slots(() => 3);
  const outer = new List(slots, 2);
  const inner = new List(slots, 2);
  slots.refill();
  inner.heldBack = 2;
  assertEquals([inner.held, outer.held, slots.tryTakeAhead(outer)], [2, 0, false]);
});

Deno.test("Slots fills no outer list while the inner one waits for slots", () => {
  const slots = new Slots(() => 2);
  const outer = new List(slots, 1);
  const inner = new List(slots, 3);
  slots.refill();
  for (let finished = 0; finished < 3; finished++) {
    assertEquals([inner.held, outer.held], [1, 0]);
    inner.finish();
  }
  assertEquals([inner.held, outer.held], [0, 1]);
});

Deno.test("Slots.close() resumes all readers and ends prefetching", async () => {
  const slots = new Slots(() => 1);
  slots.take();
  const waiting = slots.take();
  const list = new List(slots, 3);
  slots.close();
  await waiting;
  assertEquals([await isPending(slots.take()), slots.tryTakeAhead(list)], [false, false]);
  slots.release();
  slots.refill();
  assertEquals(list.held, 0);
});

Deno.test("Slots serves all readers that fit once their number has grown", async () => {
  let size = 1;
  const slots = new Slots(() => size);
  await slots.take();
  const waiting = [slots.take(), slots.take(), slots.take()];
  size = 3;
  slots.release();
  const seen: number[] = [];
  waiting.forEach((turn, at) => turn!.then(() => seen.push(at)));
  await new Promise((resolve) => setTimeout(resolve, 0));
  assertEquals(seen.toSorted(), [0, 1, 2]);
  size = 2;
  slots.release();
  const late = slots.take();
  assertEquals(await isPending(late), true, "two are still in use");
  slots.release();
  await late;
});

const KIB = 1024;

/** Chunks of given sizes in reused memory, then the end or an error. */
class Chunks implements ByteSource {
  reads = 0;
  isCancelled = false;
  readonly #sizes: readonly number[];
  readonly #error: Error | undefined;
  readonly #memory = new Uint8Array(64 * KIB);

  constructor(sizes: readonly number[], error?: Error) {
    this.#sizes = sizes;
    this.#error = error;
  }

  read(): Promise<Uint8Array | undefined> {
    const size = this.#sizes[this.reads++];
    if (size === undefined && this.#error !== undefined) return Promise.reject(this.#error);
    if (size === undefined) return Promise.resolve(undefined);
    return Promise.resolve(this.#memory.subarray(0, size).fill(this.reads));
  }

  cancel(): void {
    this.isCancelled = true;
  }
}

const BUFFERS = new BufferPool();

/** Returns a body with chunks of these sizes, which keeps up to 64 KiB. */
function bodyOf(sizes: readonly number[], error?: Error): { source: Chunks; body: BufferedBody } {
  const source = new Chunks(sizes, error);
  return { source, body: new BufferedBody(source, 64 * KIB, BUFFERS) };
}

/** Returns the first byte and the length of each chunk that is left. */
async function rest(body: BufferedBody): Promise<[number, number][]> {
  const chunks: [number, number][] = [];
  for (let chunk = await body.read(); chunk !== undefined; chunk = await body.read()) {
    chunks.push([chunk[0]!, chunk.length]);
  }
  return chunks;
}

Deno.test("BufferedBody reads ahead up to its limit, and is held back then", async () => {
  const { source, body } = bodyOf([40 * KIB, 40 * KIB, 40 * KIB, 1]);
  const filling = body.fill();
  assertEquals(body.isHeldBack, false, "it is filling");
  await filling;
  assertEquals([source.reads, body.isHeldBack, body.isFinished], [2, true, false]);
  assertEquals(await rest(body), [[1, 40 * KIB], [2, 40 * KIB], [3, 40 * KIB], [4, 1]]);
  assertEquals(await body.read(), undefined);
});

Deno.test("BufferedBody keeps a short body whole", async () => {
  const { source, body } = bodyOf([10, 20]);
  await body.fill();
  assertEquals([body.isFinished, body.isHeldBack, source.reads], [true, false, 3]);
  assertEquals(await rest(body), [[1, 30]]);
});

Deno.test("BufferedBody stops filling when it is read", async () => {
  const { source, body } = bodyOf([10, 10, 10, 10]);
  const filling = body.fill();
  assertEquals((await body.read())?.length, 10);
  await filling;
  assertEquals(source.reads, 1, "the pending one");
  assertEquals((await rest(body)).length, 3);
});

Deno.test("BufferedBody without pooled buffers stays ahead of its consumer", async () => {
  const source = new Chunks([10, 10, 10, 10]);
  const body = new BufferedBody(source, 20);
  await body.fill();
  assertEquals(source.reads, 2);
  assertEquals((await body.read())?.[0], 1);
  await new Promise((resolve) => setTimeout(resolve, 0));
  assertEquals(source.reads, 3);
  assertEquals(await rest(body), [[2, 20], [4, 10]]);
});

Deno.test("BufferedBody yields the bytes it kept before the error of its source", async () => {
  const { body } = bodyOf([10, 20], new Error("reset"));
  await body.fill();
  assertEquals([body.isFinished, body.isHeldBack], [true, false]);
  assertEquals((await body.read())?.length, 30);
  await assertRejects(async () => await body.read(), Error, "reset");
  await assertRejects(async () => await body.read(), Error, "reset");
});

Deno.test("BufferedBody.cancel() cancels the source and drops all bytes", async () => {
  const { source, body } = bodyOf([64 * KIB, 10]);
  await body.fill();
  body.cancel();
  assertEquals([source.isCancelled, body.isHeldBack, await body.read()], [true, false, undefined]);
});

Deno.test("BufferedBody keeps no bytes that arrive after cancel()", async () => {
  const { source, body } = bodyOf([10, 10]);
  const filling = body.fill();
  body.cancel();
  await filling;
  assertEquals([source.reads, await body.read()], [1, undefined]);
});

Deno.test("BufferedBody does not overwrite a chunk while it is filling", async () => {
  const { body } = bodyOf([10, 20, 30]);
  const filling = body.fill();
  const chunk = await body.read();
  await filling;
  assertEquals(chunk, new Uint8Array(10).fill(1));
  assertEquals(await rest(body), [[2, 20], [3, 30]]);
});

Deno.test("BufferedBody keeps small chunks together, in order", async () => {
  for (const buffers of [undefined, BUFFERS]) {
    const sizes = Array.from({ length: 50_000 }, (_, at) => 1 + at % 3);
    const body = new BufferedBody(new Chunks(sizes), 1024 * KIB, buffers);
    await body.fill();
    const all: number[] = [];
    let blocks = 0;
    for (let block = await body.read(); block !== undefined; block = await body.read()) {
      blocks++;
      for (const byte of block) all.push(byte);
    }
    const expected = sizes.flatMap((size, at) => new Array(size).fill((at + 1) % 256));
    assertEquals(all.findIndex((byte, at) => byte !== expected[at]), -1);
    assertEquals([all.length, blocks < 30], [expected.length, true]);
  }
});
