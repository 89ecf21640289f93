import { assertEquals, assertRejects, assertStrictEquals, assertThrows } from "@std/assert";
import { Cancellation } from "../../src/http/cancellation.ts";

Deno.test("Cancellation tells everybody who waits, once, with the first reason", () => {
  const cancellation = new Cancellation();
  const told: unknown[] = [];
  cancellation.onCancel((reason) => told.push(["a", reason]));
  cancellation.onCancel((reason) => told.push(["b", reason]));
  const forget = cancellation.onCancel((reason) => told.push(["c", reason]));
  forget();
  forget();
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
  child.onCancel((reason) => told.push(reason));
  child.onCancel((reason) => told.push(reason));
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
  first.onCancel(() => told.push("first"));
  second.onCancel(() => told.push("second"));
  parent.onCancel(() => told.push("parent"));
  first.cancel("alone");
  assertEquals(told, ["first"]);
  assertEquals([parent.cancelled, second.cancelled], [false, false]);
  parent.cancel();
  assertEquals(told, ["first", "second", "parent"]);
});

Deno.test("Cancellation costs its parent nothing while nobody waits", () => {
  const parent = new Cancellation();
  let listeners = 0;
  const onCancel = parent.onCancel.bind(parent);
  parent.onCancel = (callback) => {
    listeners++;
    const forget = onCancel(callback);
    return () => {
      listeners--;
      forget();
    };
  };
  const child = new Cancellation(parent);
  assertEquals(listeners, 0);
  const [forgetOne, forgetOther] = [child.onCancel(() => {}), child.onCancel(() => {})];
  assertEquals(listeners, 1);
  forgetOne();
  assertEquals(listeners, 1);
  forgetOther();
  assertEquals(listeners, 0);
  child.onCancel(() => {});
  child.cancel();
  assertEquals(listeners, 0);
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
