import { assert, assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { BufferPool } from "../../src/http/body.ts";
import { Cancellation } from "../../src/http/cancellation.ts";
import { Exchange, type Fetch, TimeoutError } from "../../src/http/exchange.ts";
import { Watchdog } from "../../src/http/clock.ts";
import { FakeClock } from "./fake_clock.ts";
import { type Answer, bytes, silence, text, TrackedBody } from "./scripted_fetch.ts";

const LIMITS = { timeout: 1000, maxRequestTime: 5000 };

interface Setting {
  readonly clock: FakeClock;
  readonly cancellation: Cancellation;
  readonly exchange: Exchange;
  send(answer: Answer): Promise<Response>;
}

function setting(limits = LIMITS): Setting {
  const clock = new FakeClock();
  const cancellation = new Cancellation();
  const watchdog = new Watchdog(clock);
  const shared = { limits, clock, watchdog, buffers: new BufferPool() };
  const exchange = new Exchange(shared, cancellation);
  const send = (answer: Answer) => {
    const fetch: Fetch = async (url, init) => await answer(url, init);
    return exchange.send(fetch, "https://a.test/", {});
  };
  return { clock, cancellation, exchange, send };
}

/** Reads once, always with a promise. */
async function read(exchange: Exchange): Promise<Uint8Array | undefined> {
  return await exchange.read();
}

async function readAll(exchange: Exchange): Promise<string> {
  let all = "";
  for (let chunk = await exchange.read(); chunk !== undefined; chunk = await exchange.read()) {
    all += new TextDecoder().decode(chunk);
  }
  return all;
}

Deno.test("Exchange gives the chunks of a body, leaves out empty ones, and ends", async () => {
  const { clock, exchange, send } = setting();
  const chunks = ["", "a", "", "b"].map(bytes);
  const body = new TrackedBody((index) => chunks[index]);
  const response = await send(body.answer);
  assertEquals([response.status, body.pulled], [200, 0]);
  assertEquals(await readAll(exchange), "ab");
  assertEquals(await exchange.read(), undefined);
  assertEquals([body.closed, clock.pending], [true, 0]);
});

Deno.test("Exchange reads an answer without body as one that is empty", async () => {
  const { exchange, send } = setting();
  await send(() => new Response(null, { status: 204 }));
  assertEquals([exchange.ready, exchange.read()], [true, undefined]);
});

Deno.test("Exchange takes a chunk back, and has it at hand then", async () => {
  const { exchange, send } = setting();
  const body = new TrackedBody((index) => index < 2 ? bytes(String(index)) : undefined);
  await send(body.answer);
  const first = (await exchange.read())!;
  assertEquals([exchange.ready, body.pulled], [false, 1]);
  exchange.unread(first);
  assertEquals([exchange.ready, exchange.read(), body.pulled], [true, first, 1]);
  exchange.unread(first);
  assertEquals(await readAll(exchange), "01");
});

Deno.test("Exchange fails where no answer comes in time, whether fetch minds the signal or not", async () => {
  for (const mindsSignal of [true, false]) {
    const { clock, exchange, send } = setting();
    const error = await assertRejects(() => clock.run(send(silence(mindsSignal))), TimeoutError);
    assertEquals(error.message, "No byte within 1000 ms");
    assertEquals(clock.pending, 0);
    await assertRejects(() => read(exchange), TimeoutError);
  }
});

Deno.test("Exchange lets go of an answer that comes after nobody wants it", async () => {
  const { clock, send } = setting();
  const body = new TrackedBody(() => bytes("late"));
  const late = Promise.withResolvers<Response>();
  await assertRejects(() => clock.run(send(() => late.promise)), TimeoutError);
  late.resolve(new Response(body.stream()));
  await clock.settle();
  assert(body.cancelled);
});

Deno.test("Exchange lets go of an answer in whatever moment it is cancelled", async () => {
  let rejected = 0;
  for (let moment = 0; moment < 12; moment++) {
    const { cancellation, clock, send } = setting();
    const body = new TrackedBody(() => bytes("just now"));
    const answer = Promise.withResolvers<Response>();
    const outcome = send(() => answer.promise).catch((error) => error);
    answer.resolve(new Response(body.stream()));
    for (let turn = 0; turn < moment; turn++) await Promise.resolve();
    const reason = new Error("enough");
    cancellation.cancel(reason);
    if (await outcome === reason) rejected++;
    await clock.settle();
    assert(body.cancelled, `the body is let go after ${moment} turns`);
    assertEquals(clock.pending, 0);
  }
  assert(rejected > 0 && rejected < 12, "some moments were before the answer and some after it");
});

Deno.test("Exchange fails where a body falls silent", async () => {
  const { clock, exchange, send } = setting();
  const body = new TrackedBody((index) => index === 0 ? bytes("a") : new Promise(() => {}));
  await send(body.answer);
  assert(await exchange.read());
  await assertRejects(() => clock.run(read(exchange)), TimeoutError, "No byte within 1000 ms");
  assert(body.cancelled);
  assertEquals(clock.pending, 0);
});

Deno.test("Exchange ends a drip when the whole request has taken too long", async () => {
  const { clock, exchange, send } = setting();
  const body = new TrackedBody((index) =>
    new Promise((resolve) => clock.after(900, () => resolve(bytes(String(index)))))
  );
  const start = clock.time;
  await send(body.answer);
  const error = await assertRejects(() => clock.run(readAll(exchange)), TimeoutError);
  assertEquals(error.message, "Not finished within 5000 ms");
  assertEquals([clock.time - start, body.pulled], [5000, 6]);
});

Deno.test("Exchange does not count the time in which nobody asks", async () => {
  const { clock, exchange, send } = setting();
  const body = new TrackedBody((index) => index < 3 ? bytes(String(index)) : undefined);
  await send(body.answer);
  for (let read = 0; read < 3; read++) {
    clock.skip(100_000);
    assertEquals(clock.pending, 0);
    assertEquals(await exchange.read(), bytes(String(read)));
  }
  assertEquals(await exchange.read(), undefined);
});

Deno.test("Exchange.cancel() lets go of the body, settles who waits, and stays cancelled", async () => {
  const { clock, exchange, send } = setting();
  const body = new TrackedBody((index) => index === 0 ? bytes("a") : new Promise(() => {}));
  let signal: AbortSignal | null | undefined;
  await send((url, init) => {
    signal = init.signal;
    return body.answer(url, init);
  });
  exchange.unread((await exchange.read())!);
  const reason = new Error("enough");
  exchange.cancel(reason);
  exchange.cancel(new Error("twice"));
  assertStrictEquals(body.cancelled?.reason, reason);
  assertStrictEquals(signal?.reason, reason);
  assertStrictEquals(await read(exchange).catch((error) => error), reason);
  assertEquals(clock.pending, 0);

  const other = setting();
  await other.send(new TrackedBody(() => new Promise(() => {})).answer);
  const waiting = read(other.exchange);
  other.exchange.cancel();
  const error = await assertRejects(() => waiting, DOMException);
  assertEquals(error.name, "AbortError");
});

Deno.test("Exchange is cancelled with its cancellation, and forgets it in the end", async () => {
  const first = setting();
  const body = new TrackedBody((index) => index === 0 ? bytes("a") : new Promise(() => {}));
  await first.send(body.answer);
  const reading = read(first.exchange).then(() => read(first.exchange));
  await first.clock.settle();
  const reason = new Error("all of it");
  first.cancellation.cancel(reason);
  assertStrictEquals(await reading.catch((error) => error), reason);
  assertStrictEquals(body.cancelled?.reason, reason);

  const second = setting();
  await second.send(text("whole"));
  assertEquals(await readAll(second.exchange), "whole");
  second.cancellation.cancel(reason);
  assertEquals(await read(second.exchange), undefined, "a proper end stays one");
});

Deno.test("Exchange passes on how a body breaks", async () => {
  const { clock, exchange, send } = setting();
  const reason = new TypeError("connection reset");
  const body = new TrackedBody((index) => {
    if (index > 0) throw reason;
    return bytes("a");
  });
  await send(body.answer);
  assertEquals(await exchange.read(), bytes("a"));
  assertStrictEquals(await read(exchange).catch((error) => error), reason);
  assertStrictEquals(await read(exchange).catch((error) => error), reason);
  assertEquals(clock.pending, 0);
});

Deno.test("Exchange passes on what fetch throws, at once or later", async () => {
  const thrown = new TypeError("no such scheme");
  for (
    const fetch of [
      () => {
        throw thrown;
      },
      () => Promise.reject(thrown),
    ]
  ) {
    const { clock, exchange } = setting();
    const sent = exchange.send(fetch, "https://a.test/", {});
    assertStrictEquals(await sent.catch((error) => error), thrown);
    assertEquals(clock.pending, 0);
  }
});

Deno.test("Exchange takes a body that was read before for a failure", async () => {
  const { exchange, send } = setting();
  const response = new Response("once");
  await response.text();
  await assertRejects(() => send(() => response).then(() => read(exchange)), TypeError);
});

Deno.test("Exchange never takes being cancelled for a proper end, in whatever moment", async () => {
  for (let moment = 0; moment < 40; moment++) {
    const { cancellation, exchange, send } = setting();
    const body = new TrackedBody((index) => index < 5 ? bytes("") : new Promise(() => {}));
    await send(body.answer);
    const outcome = read(exchange).catch((error) => error);
    for (let turn = 0; turn < moment; turn++) await Promise.resolve();
    const reason = new Error("enough");
    cancellation.cancel(reason);
    assertStrictEquals(await outcome, reason, `after ${moment} turns`);
    assertStrictEquals(await read(exchange).catch((error) => error), reason);
  }
});

Deno.test("Exchange that was cancelled before it is sent is not sent", async () => {
  const { exchange, send } = setting();
  const reason = new Error("too late");
  exchange.cancel(reason);
  let asked = false;
  const sent = send(() => {
    asked = true;
    return new Response("x");
  });
  assertStrictEquals(await sent.catch((error) => error), reason);
  assertEquals(asked, false);
});
