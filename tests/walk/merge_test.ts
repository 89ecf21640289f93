import { assertEquals, assertStrictEquals } from "@std/assert";
import { merged } from "../../src/walk/merge.ts";

/** A generator that gives items when they resolve, and tells when it is closed. */
async function* worker(
  items: readonly (string | Promise<string>)[],
  onClose: () => void = () => {},
): AsyncGenerator<string, void, void> {
  try {
    for (const item of items) yield await item;
  } finally {
    onClose();
  }
}

async function* handOut<T>(...items: (T | Promise<T>)[]): AsyncGenerator<T, void, void> {
  for (const item of items) yield await item;
}

function noFailure(error: unknown): void {
  throw new Error("It must not fail", { cause: error });
}

Deno.test("merged() yields everything that its generators yield, each in its own order", async () => {
  const generators = handOut(worker(["a1", "a2", "a3"]), worker([]), worker(["b1", "b2"]));
  const items = await Array.fromAsync(merged(generators, noFailure));
  assertEquals(items.toSorted(), ["a1", "a2", "a3", "b1", "b2"]);
  for (const name of ["a", "b"]) {
    const own = items.filter((item) => item.startsWith(name));
    assertEquals(own, own.toSorted());
  }
  assertEquals(await Array.fromAsync(merged(handOut<AsyncGenerator<string>>(), noFailure)), []);
});

Deno.test("merged() lets nobody wait for a slow one", async () => {
  const slow = Promise.withResolvers<string>();
  const merge = merged(handOut(worker([slow.promise]), worker(["b1", "b2"])), noFailure);
  assertEquals([(await merge.next()).value, (await merge.next()).value], ["b1", "b2"]);
  slow.resolve("a1");
  assertEquals([(await merge.next()).value, (await merge.next()).done], ["a1", true]);
});

Deno.test("merged() yields while the next generator is still to come", async () => {
  const late = Promise.withResolvers<AsyncGenerator<string>>();
  const merge = merged(handOut(worker(["a1"]), late.promise), noFailure);
  assertEquals((await merge.next()).value, "a1");
  const pending = merge.next();
  late.resolve(worker(["b1"]));
  assertEquals([(await pending).value, (await merge.next()).done], ["b1", true]);
});

Deno.test("merged() asks each for its next item only when the one before was taken", async () => {
  let made = 0;
  async function* counting(): AsyncGenerator<number, void, void> {
    for (let item = 0; item < 5; item++) {
      made++;
      yield await Promise.resolve(item);
    }
  }
  const merge = merged(handOut(counting(), counting()), noFailure);
  await merge.next();
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  assertEquals(made, 2);
  await merge.next();
  for (let turn = 0; turn < 20; turn++) await Promise.resolve();
  assertEquals(made, 3);
  await merge.return();
});

Deno.test("merged() closes all of them when it is left", async () => {
  const closed: string[] = [];
  const endless = Array.from({ length: 100 }, (_, at) => String(at));
  const generators = ["a", "b", "c"].map((name) => worker(endless, () => void closed.push(name)));
  const merge = merged(handOut(...generators), noFailure);
  for (let taken = 0; taken < 7; taken++) await merge.next();
  await merge.return();
  assertEquals(closed.toSorted(), ["a", "b", "c"]);
  assertEquals((await merge.next()).done, true);
});

Deno.test("merged() tells of a failure before it closes the others, and throws it", async () => {
  const mine = new Error("mine");
  const log: unknown[] = [];
  const stuck = Promise.withResolvers<string>();
  const others = worker([stuck.promise], () => void log.push("closed"));
  const merge = merged(handOut(others, worker([Promise.reject(mine)])), (error) => {
    log.push(error);
    stuck.resolve("freed");
  });
  assertStrictEquals(await merge.next().catch((error) => error), mine);
  assertEquals(log, [mine, "closed"]);
  assertEquals((await merge.next()).done, true);
});

Deno.test("merged() passes on a failure to hand out, and starts nothing after it was left", async () => {
  const mine = new Error("mine");
  const failing = merged(handOut(worker(["a1"]), Promise.reject(mine)), () => {});
  assertStrictEquals(await Array.fromAsync(failing).catch((error) => error), mine);

  let started = false;
  const late = Promise.withResolvers<AsyncGenerator<string>>();
  const merge = merged(handOut(worker(["a1", "a2"]), late.promise), noFailure);
  await merge.next();
  const left = merge.return();
  async function* lateComer(): AsyncGenerator<string, void, void> {
    started = true;
    yield await Promise.resolve("late");
  }
  late.resolve(lateComer());
  await left;
  assertEquals(started, false);
});
