import { assert, assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { BufferPool } from "../../src/http/body.ts";
import { Exchange, ExchangeError, type Fetch } from "../../src/http/exchange.ts";
import { Watchdog } from "../../src/http/clock.ts";
import { FakeClock } from "./fake_clock.ts";
import {
  type Answer,
  broken,
  bytes,
  silence,
  text,
  textOf,
  TrackedBody,
  unfinished,
} from "./scripted_fetch.ts";

const LIMITS = { timeout: 1000, maxRequestTime: 5000 };

interface Setting {
  readonly clock: FakeClock;
  readonly open: readonly Exchange[];
  readonly exchange: Exchange;
  send(answer: Answer): Promise<Response>;
}

function setting(limits = LIMITS): Setting {
  const clock = new FakeClock();
  const open: Exchange[] = [];
  const watchdog = new Watchdog(clock);
  const shared = { limits, clock, watchdog, buffers: new BufferPool(), open };
  const exchange = new Exchange(shared);
  const send = (answer: Answer) => {
    const fetch: Fetch = async (url, init) => await answer(url, init);
    return exchange.send(fetch, "https://a.test/", {});
  };
  return { clock, open, exchange, send };
}

async function opened(body: TrackedBody): Promise<Setting> {
  const opened = setting();
  await opened.send(body.answer);
  return opened;
}

/** Reads once, and always returns a promise. */
async function read(exchange: Exchange): Promise<Uint8Array | undefined> {
  return await exchange.read();
}

Deno.test("Exchange reads the chunks of a body, except for empty ones", async () => {
  const { clock, exchange, send } = setting();
  const chunks = ["", "a", "", "b"].map(bytes);
  const body = new TrackedBody((index) => chunks[index]);
  const response = await send(body.answer);
  assertEquals([response.status, body.pulled], [200, 0]);
  assertEquals(await textOf(exchange), "ab");
  assertEquals(await exchange.read(), undefined);
  assertEquals([body.closed, clock.pending], [true, 0]);
});

Deno.test("Exchange reads a response without a body as an empty one", async () => {
  const { exchange, send } = setting();
  await send(() => new Response(null, { status: 204 }));
  assertEquals(await exchange.read(), undefined);
});

Deno.test("Exchange.readAhead() reads the first chunk, which read() then returns", async () => {
  const body = new TrackedBody((index) => index < 2 ? bytes(String(index)) : undefined);
  const { exchange } = await opened(body);
  assertEquals(body.pulled, 0);
  await exchange.readAhead();
  assertEquals([await exchange.read(), body.pulled], [bytes("0"), 1]);
  assertEquals(await textOf(exchange), "1");
});

Deno.test("Exchange times out without a response, whether fetch heeds the signal or not", async () => {
  for (const heedsSignal of [true, false]) {
    const { clock, exchange, send } = setting();
    const error = await assertRejects(() => clock.run(send(silence(heedsSignal))), ExchangeError);
    assertEquals(error.message, "No byte within 1000 ms");
    assertEquals(clock.pending, 0);
    await assertRejects(() => read(exchange), ExchangeError);
  }
});

Deno.test("Exchange cancels a response that arrives after the timeout", async () => {
  const { clock, send } = setting();
  const body = new TrackedBody(() => bytes("late"));
  const late = Promise.withResolvers<Response>();
  await assertRejects(() => clock.run(send(() => late.promise)), ExchangeError);
  late.resolve(new Response(body.stream()));
  await clock.settle();
  assert(body.cancelled);
});

Deno.test("Exchange.cancel() cancels the body at any time", async () => {
  let rejected = 0;
  for (let moment = 0; moment < 12; moment++) {
    const { exchange, clock, send } = setting();
    const body = new TrackedBody(() => bytes("just now"));
    const answer = Promise.withResolvers<Response>();
    const outcome = send(() => answer.promise).catch((error) => error);
    answer.resolve(new Response(body.stream()));
    for (let turn = 0; turn < moment; turn++) await Promise.resolve();
    const reason = new Error("enough");
    exchange.cancel(reason);
    if (await outcome === reason) rejected++;
    await clock.settle();
    assert(body.cancelled, `the body is cancelled after ${moment} turns`);
    assertEquals(clock.pending, 0);
  }
  assert(rejected > 0 && rejected < 12, "it is cancelled before and after the response");
});

Deno.test("Exchange times out in the middle of a body", async () => {
  const body = unfinished("a");
  const { clock, exchange } = await opened(body);
  assert(await exchange.read());
  await assertRejects(() => clock.run(read(exchange)), ExchangeError, "No byte within 1000 ms");
  assert(body.cancelled);
  assertEquals(clock.pending, 0);
});

Deno.test("Exchange limits the time of the whole request", async () => {
  const { clock, exchange, send } = setting();
  const body = new TrackedBody((index) =>
    new Promise((resolve) => clock.after(900, () => resolve(bytes(String(index)))))
  );
  const start = clock.time;
  await send(body.answer);
  const error = await assertRejects(() => clock.run(textOf(exchange)), ExchangeError);
  assertEquals(error.message, "Not finished within 5000 ms");
  assertEquals([clock.time - start, body.pulled], [5000, 6]);
});

Deno.test("Exchange does not count the time between two reads", async () => {
  const body = new TrackedBody((index) => index < 3 ? bytes(String(index)) : undefined);
  const { clock, exchange } = await opened(body);
  for (let read = 0; read < 3; read++) {
    clock.skip(100_000);
    assertEquals(clock.pending, 0);
    assertEquals(await exchange.read(), bytes(String(read)));
  }
  assertEquals(await exchange.read(), undefined);
});

Deno.test("Exchange.cancel() cancels the body and rejects pending and later reads", async () => {
  const { clock, exchange, send } = setting();
  const body = unfinished("a");
  let signal: AbortSignal | null | undefined;
  await send((url, init) => {
    signal = init.signal;
    return body.answer(url, init);
  });
  await exchange.readAhead();
  const reason = new Error("enough");
  exchange.cancel(reason);
  exchange.cancel(new Error("twice"));
  assertStrictEquals(body.cancelled?.reason, reason);
  assertStrictEquals(signal?.reason, reason);
  assertStrictEquals(await read(exchange).catch((error) => error), reason);
  assertEquals(clock.pending, 0);

  for (const given of [reason, undefined]) {
    const pending = unfinished("a");
    const other = await opened(pending);
    const waiting = read(other.exchange).then(() => read(other.exchange)).catch((error) => error);
    await other.clock.settle();
    other.exchange.cancel(given);
    const error = await waiting;
    if (given !== undefined) assertStrictEquals(error, given);
    else assertEquals([error instanceof DOMException, error.name], [true, "AbortError"]);
    assertStrictEquals(pending.cancelled?.reason, given);
  }
});

Deno.test("Exchange.cancel() does not change a body that has ended", async () => {
  const { exchange, send } = setting();
  await send(text("whole"));
  assertEquals(await textOf(exchange), "whole");
  exchange.cancel(new Error("all of it"));
  assertEquals(await read(exchange), undefined, "the end stays");
});

Deno.test("Exchange rejects with the error of a body", async () => {
  const { clock, exchange } = await opened(broken("a"));
  assertEquals(await exchange.read(), bytes("a"));
  const reason = await assertRejects(() => read(exchange), TypeError, "connection reset");
  assertStrictEquals(await read(exchange).catch((error) => error), reason);
  assertEquals(clock.pending, 0);
});

Deno.test("Exchange rejects with the error of fetch, thrown or rejected", async () => {
  const thrown = new TypeError("no such scheme");
  const throws = () => {
    throw thrown;
  };
  for (const fetch of [throws, () => Promise.reject(thrown)]) {
    const { clock, exchange } = setting();
    const sent = exchange.send(fetch, "https://a.test/", {});
    assertStrictEquals(await sent.catch((error) => error), thrown);
    assertEquals(clock.pending, 0);
  }
});

Deno.test("Exchange rejects a body that was read before", async () => {
  const { exchange, send } = setting();
  const response = new Response("once");
  await response.text();
  await assertRejects(() => send(() => response).then(() => read(exchange)), TypeError);
});

Deno.test("Exchange never ends as if complete when its signal aborts", async () => {
  for (let moment = 0; moment < 40; moment++) {
    const { exchange } = await opened(
      new TrackedBody((index) => index < 5 ? bytes("") : new Promise(() => {})),
    );
    const outcome = read(exchange).catch((error) => error);
    for (let turn = 0; turn < moment; turn++) await Promise.resolve();
    const reason = new Error("enough");
    exchange.cancel(reason);
    assertStrictEquals(await outcome, reason, `after ${moment} turns`);
    assertStrictEquals(await read(exchange).catch((error) => error), reason);
  }
});

Deno.test("Exchange sends no request once it is cancelled", async () => {
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

Deno.test("Exchange is open until its body is read or cancelled", async () => {
  for (const isRead of [true, false]) {
    const { exchange, open, send } = setting();
    await send(text("whole"));
    assertEquals(open, [exchange]);
    if (isRead) await textOf(exchange);
    else exchange.cancel();
    assertEquals(open, []);
  }
});

Deno.test("Exchange rejects a body that is shorter than its length", async () => {
  const { exchange, send } = setting();
  await send(text("short"));
  exchange.expected = { bytes: 10, onlyGzip: false, isExact: false };
  await assertRejects(() => textOf(exchange), ExchangeError, "Received 5 of 10 bytes");
});

Deno.test("Exchange ignores the length and errors that do not concern the body", async () => {
  const plain = setting();
  await plain.send(text("decompressed"));
  plain.exchange.expected = { bytes: 100, onlyGzip: true, isExact: false };
  assertEquals(await textOf(plain.exchange), "decompressed");

  const whole = await opened(broken("whole"));
  whole.exchange.expected = { bytes: 5, onlyGzip: false, isExact: false };
  assertEquals(await textOf(whole.exchange), "whole");
});
