import { assertEquals, assertRejects } from "@std/assert";
import type { TreeEvent } from "../../src/data/events.ts";
import { memoryStore } from "../../src/tree/page_store.ts";
import { collect, foldTree } from "../../src/tree/collect.ts";
import { eventsOf, SITE } from "./events.ts";

/** Events that can only be read in batches, of three. */
class BatchedEvents implements AsyncIterable<TreeEvent> {
  ended = false;

  async *batches(): AsyncGenerator<readonly TreeEvent[], void, void> {
    const events = eventsOf(SITE);
    try {
      for (let at = 0; at < events.length; at += 3) {
        yield await Promise.resolve(events.slice(at, at + 3));
      }
    } finally {
      this.ended = true;
    }
  }

  [Symbol.asyncIterator](): AsyncIterator<TreeEvent> {
    throw new Error("read event by event");
  }
}

Deno.test("collect() and foldTree() read events in batches if available", async () => {
  const expected = (await collect(eventsOf(SITE))).toJSON();
  assertEquals((await collect(new BatchedEvents())).toJSON(), expected);
  assertEquals((await foldTree(new BatchedEvents())).toJSON(), expected);
});

Deno.test("collect() closes the batches when the store fails", async () => {
  const events = new BatchedEvents();
  const store = memoryStore();
  const full = {
    write(): never {
      throw new Error("no space left");
    },
    read: store.read.bind(store),
    [Symbol.dispose]: () => store[Symbol.dispose](),
  };
  await assertRejects(() => collect(events, { store: full }), Error, "no space left");
  assertEquals(events.ended, true);
});
