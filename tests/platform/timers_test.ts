import { assertEquals } from "@std/assert";
import * as timers from "../../src/platform/timers.ts";
import { importWithoutBuiltins } from "./without_builtins.ts";

const { eventLoopTurn } = timers;

Deno.test("eventLoopTurn() resolves after pending microtasks", async () => {
  const order: string[] = [];
  const turned = eventLoopTurn().then(() => order.push("turn"));
  for (let i = 0; i < 10; i++) await Promise.resolve();
  order.push("microtasks");
  await turned;
  assertEquals(order, ["microtasks", "turn"]);
});

Deno.test("eventLoopTurn() resolves with and without MessageChannel, and leaves no port open", async () => {
  const { MessageChannel, setImmediate } = Object.getOwnPropertyDescriptors(globalThis);
  Reflect.deleteProperty(globalThis, "setImmediate");
  try {
    const { eventLoopTurn } = await importWithoutBuiltins("timers.ts") as typeof timers;
    await eventLoopTurn();
    Reflect.deleteProperty(globalThis, "MessageChannel");
    await eventLoopTurn();
  } finally {
    Object.defineProperties(globalThis, { MessageChannel, setImmediate });
  }
});
