import { assertEquals } from "@std/assert";
import { type Prefetcher, Slots } from "../../src/walk/prefetch.ts";

/** A list that wants so many slots, and holds them. */
class List implements Prefetcher {
  readonly #slots: Slots;
  #wanted: number;
  /** Slots it has. */
  held = 0;
  /** Of these, for documents that are held back. */
  heldBack = 0;

  constructor(slots: Slots, wanted: number) {
    this.#slots = slots;
    this.#wanted = wanted;
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

  /** A document it holds has arrived in full. */
  finish(): void {
    this.held--;
    this.#slots.releaseAhead();
  }
}

function isPending(promise: Promise<void> | undefined): Promise<boolean> {
  if (promise === undefined) return Promise.resolve(false);
  return Promise.race([promise.then(() => false), Promise.resolve().then(() => true)]);
}

Deno.test("Slots keeps one slot for reading", () => {
  for (const size of [1, 2, 5]) {
    const slots = new Slots(() => size);
    const list = new List(slots, 10);
    slots.enter(list);
    slots.refill();
    assertEquals([list.held, slots.fetchAhead], [size - 1, size > 1]);
    assertEquals(slots.take(), undefined);
    slots.refill();
    assertEquals(list.held, size - 1);
  }
});

Deno.test("Slots makes readers wait only while all are in use, the last to come first", async () => {
  const slots = new Slots(() => 2);
  assertEquals([slots.take(), slots.take()], [undefined, undefined]);
  const order: string[] = [];
  const first = slots.take()!.then(() => order.push("first"));
  const second = slots.take()!.then(() => order.push("second"));
  slots.release();
  await second;
  slots.release();
  await first;
  assertEquals(order, ["second", "first"]);
});

Deno.test("Slots lets a reader in where a document is held back, and takes its slot", async () => {
  const slots = new Slots(() => 3);
  const list = new List(slots, 2);
  slots.enter(list);
  slots.take();
  slots.refill();
  assertEquals(list.held, 2);
  const waiting = slots.take();
  assertEquals(await isPending(waiting), true, "nothing is held back");
  list.heldBack = 1;
  assertEquals(slots.take(), undefined);
  assertEquals([list.held, list.exhausted], [1, false]);
  list.finish();
  await waiting;
  slots.release();
  assertEquals(list.held, 1, "what gave way is fetched again");
});

Deno.test("Slots fills the innermost list first, and the outer ones only when it has nothing left", () => {
  const slots = new Slots(() => 4);
  const outer = new List(slots, 5);
  const inner = new List(slots, 2);
  slots.enter(outer);
  slots.refill();
  assertEquals(outer.held, 3);
  outer.heldBack = 3;
  slots.enter(inner);
  slots.refill();
  assertEquals([inner.held, outer.held], [2, 1], "the outer one gives way");
  inner.finish();
  assertEquals([inner.held, outer.held], [1, 2], "and comes back when there is room");
  slots.leave(inner);
});

Deno.test("Slots takes nothing from an inner list for an outer one", () => {
  const slots = new Slots(() => 3);
  const outer = new List(slots, 2);
  const inner = new List(slots, 2);
  slots.enter(outer);
  slots.enter(inner);
  slots.refill();
  inner.heldBack = 2;
  assertEquals([inner.held, outer.held, slots.tryTakeAhead(outer)], [2, 0, false]);
});

Deno.test("Slots does not let an outer list in while the inner one waits for slots", () => {
  const slots = new Slots(() => 2);
  const outer = new List(slots, 1);
  const inner = new List(slots, 3);
  slots.enter(outer);
  slots.enter(inner);
  slots.refill();
  for (let finished = 0; finished < 3; finished++) {
    assertEquals([inner.held, outer.held], [1, 0]);
    inner.finish();
  }
  assertEquals([inner.held, outer.held], [0, 1]);
});

Deno.test("Slots that is closed lets everybody go on, and fetches nothing more", async () => {
  const slots = new Slots(() => 1);
  slots.take();
  const waiting = slots.take();
  const list = new List(slots, 3);
  slots.enter(list);
  slots.close();
  await waiting;
  assertEquals([slots.take(), slots.tryTakeAhead(list)], [undefined, false]);
  slots.release();
  slots.refill();
  assertEquals(list.held, 0);
});
