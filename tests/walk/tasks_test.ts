import { assertEquals, assertStrictEquals } from "@std/assert";
import { Tasks } from "../../src/walk/event_stream.ts";

function noFailure(error: unknown): void {
  throw new Error("It must not fail", { cause: error });
}

Deno.test("Tasks waits until all are through, those included that come meanwhile", async () => {
  const tasks = new Tasks(noFailure);
  const log: string[] = [];
  const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  tasks.add(first.promise.then(() => void log.push("first")));
  tasks.add(second.promise.then(() => void log.push("second")));
  const settled = tasks.settled().then(() => void log.push("settled"));
  second.resolve();
  await second.promise;
  first.resolve();
  await settled;
  assertEquals(log, ["second", "first", "settled"]);
  await new Tasks(noFailure).settled();
});

Deno.test("Tasks tells of the first failure at once, and throws it in the end", async () => {
  const mine = new Error("mine");
  const log: unknown[] = [];
  const stuck = Promise.withResolvers<void>();
  const tasks = new Tasks((error) => {
    log.push(error);
    stuck.reject(new Error("stopped"));
  });
  tasks.add(stuck.promise.finally(() => log.push("through")));
  tasks.add(Promise.reject(mine));
  assertStrictEquals(await tasks.settled().catch((error) => error), mine);
  assertEquals(log, [mine, "through"]);
});

Deno.test("Tasks takes failures that are no task's", async () => {
  const told: unknown[] = [];
  const tasks = new Tasks((error) => told.push(error));
  tasks.fail("mine");
  tasks.fail("another");
  tasks.add(Promise.reject(new Error("a third")));
  assertEquals(await tasks.settled().catch((error) => error), "mine");
  assertEquals(told, ["mine"]);
});
