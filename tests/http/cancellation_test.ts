import { assertEquals, assertRejects, assertStrictEquals, assertThrows } from "@std/assert";
import { type Cancellable, Cancellation } from "../../src/http/cancellation.ts";

/** Notes what it is told. */
function noting(note: (reason: unknown) => void): Cancellable {
  return { cancel: note };
}

Deno.test("Cancellation tells everybody who waits, once, with the first reason", () => {
  const cancellation = new Cancellation();
  const told: unknown[] = [];
  const [a, b, c] = ["a", "b", "c"].map((name) => noting((reason) => told.push([name, reason])));
  for (const one of [a!, b!, c!]) cancellation.add(one);
  cancellation.remove(c!);
  cancellation.remove(c!);
  assertEquals(cancellation.cancelled, false);
  cancellation.throwIfCancelled();
  cancellation.cancel("first");
  cancellation.cancel("second");
  assertEquals(told, [["a", "first"], ["b", "first"]]);
  assertEquals([cancellation.cancelled, cancellation.reason], [true, "first"]);
  const error: unknown = assertThrows(() => {
    try {
      cancellation.throwIfCancelled();
    } catch (reason) {
      throw new Error("thrown", { cause: reason });
    }
  });
  assertEquals((error as Error).cause, "first");
});

Deno.test("Cancellation passes on what its parent is told", () => {
  const parent = new Cancellation();
  const child = new Cancellation(parent);
  const told: unknown[] = [];
  child.add(noting((reason) => told.push(reason)));
  child.add(noting((reason) => told.push(reason)));
  parent.cancel("all");
  assertEquals(told, ["all", "all"]);
  assertEquals([child.cancelled, child.reason], [true, "all"]);
  child.cancel("late");
  assertEquals(child.reason, "all");
});

Deno.test("Cancellation of a child leaves its parent and its siblings alone", () => {
  const parent = new Cancellation();
  const [first, second] = [new Cancellation(parent), new Cancellation(parent)];
  const told: string[] = [];
  first.add(noting(() => told.push("first")));
  second.add(noting(() => told.push("second")));
  parent.add(noting(() => told.push("parent")));
  first.cancel("alone");
  assertEquals(told, ["first"]);
  assertEquals([parent.cancelled, second.cancelled], [false, false]);
  parent.cancel();
  assertEquals(told, ["first", "second", "parent"]);
});

Deno.test("Cancellation costs its parent nothing while nobody waits", () => {
  const parent = new Cancellation();
  let dependents = 0;
  const { add, remove } = parent;
  parent.add = (one) => {
    dependents++;
    add.call(parent, one);
  };
  parent.remove = (one) => {
    dependents--;
    remove.call(parent, one);
  };
  const child = new Cancellation(parent);
  assertEquals(dependents, 0);
  const [one, other] = [noting(() => {}), noting(() => {})];
  child.add(one);
  child.add(other);
  assertEquals(dependents, 1);
  child.remove(one);
  assertEquals(dependents, 1);
  child.remove(other);
  assertEquals(dependents, 0);
  child.add(one);
  child.cancel();
  assertEquals(dependents, 0);
});

Deno.test("Cancellation.race() gives the outcome, or rejects as soon as it is given up", async () => {
  const cancellation = new Cancellation();
  assertEquals(await cancellation.race(Promise.resolve(1)), 1);
  await assertRejects(() => cancellation.race(Promise.reject(new Error("own"))), Error, "own");
  const never = cancellation.race(new Promise(() => {}));
  const reason = new Error("given up");
  cancellation.cancel(reason);
  assertStrictEquals(await never.catch((error) => error), reason);
  assertStrictEquals(await cancellation.race(Promise.resolve(1)).catch((error) => error), reason);
});
