import { assertEquals } from "@std/assert";
import { eventLoopTurn, startTimer, turnByMessage } from "../../src/platform/timers.ts";

Deno.test("startTimer() calls back once, unless it is cleared before", async () => {
  let calls = 0;
  await new Promise<void>((resolve) => {
    const cleared = startTimer(0, () => calls += 10);
    cleared.unref();
    cleared.ref();
    cleared.clear();
    startTimer(1, () => {
      calls++;
      resolve();
    });
  });
  assertEquals(calls, 1);
});

Deno.test("eventLoopTurn() resolves after pending microtasks", async () => {
  const order: string[] = [];
  const turned = eventLoopTurn().then(() => order.push("turn"));
  for (let i = 0; i < 10; i++) await Promise.resolve();
  order.push("microtasks");
  await turned;
  assertEquals(order, ["microtasks", "turn"]);
});

Deno.test("turnByMessage() calls back with and without MessageChannel, and leaves no port open", async () => {
  await new Promise<void>(turnByMessage);
  const { MessageChannel } = globalThis;
  Reflect.deleteProperty(globalThis, "MessageChannel");
  try {
    await new Promise<void>(turnByMessage);
  } finally {
    globalThis.MessageChannel = MessageChannel;
  }
});
