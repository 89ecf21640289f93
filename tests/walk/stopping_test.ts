import { assert, assertEquals, assertStrictEquals } from "@std/assert";
import { gzipSync } from "node:zlib";
import { type Fetch, pages, walk, type WalkOptions } from "../../mod.ts";
import type { TreeEvent } from "../../src/data/events.ts";
import {
  type Answer,
  FaultServer,
  type FaultSite,
  head,
  ok,
  raw,
  redirect,
  silence,
  status,
} from "../support/fault_server.ts";
import { fixtureSite } from "./memory_site.ts";
import { HOME, index, numbered, robots, urlset } from "./site.ts";
import { DONE, SITES, walkedFrom } from "./walked.ts";

type Events = AsyncGenerator<TreeEvent, void, void>;

interface Stoppable {
  readonly events: Events;
  readonly abort: AbortController;
}

async function take(events: Events, count: number): Promise<void> {
  for (let taken = 0; taken < count; taken++) assertEquals((await events.next()).done, false);
}

/** Every way to leave a walk after a number of events. */
const WAYS: Readonly<Record<string, (walk: Stoppable, after: number) => Promise<void>>> = {
  async "break"({ events }, after) {
    let taken = 0;
    for await (const _ of events) if (++taken === after) break;
    assertEquals(taken, after);
  },
  async "an exception in the loop"({ events }, after) {
    const mine = new Error("mine");
    let taken = 0;
    const loop = async () => {
      for await (const _ of events) if (++taken === after) throw mine;
    };
    assertStrictEquals(await loop().catch((error) => error), mine);
  },
  async "return()"({ events }, after) {
    await take(events, after);
    assertEquals(await events.return(), DONE);
  },
  async "throw()"({ events }, after) {
    await take(events, after);
    const mine = new Error("mine");
    assertStrictEquals(await events.throw(mine).catch((error) => error), mine);
  },
  async "return() while next() is pending"({ events }, after) {
    await take(events, after - 1);
    const pending = [events.next(), events.next(), events.next()];
    const last = await pending[0]!;
    const returned = events.return();
    const rest = await Promise.all(pending.slice(1));
    assertEquals((await returned).done, true);
    assert(!last.done || rest.every(({ done }) => done));
  },
  async "await using"({ events }, after) {
    await using using = events;
    await take(using, after);
  },
  async "signal"({ events, abort }, after) {
    await take(events, after);
    const reason = new Error("enough");
    abort.abort(reason);
    assertStrictEquals(await events.next().catch((error) => error), reason);
  },
  async "signal while next() is pending"({ events, abort }, after) {
    await take(events, after - 1);
    const pending = events.next();
    const reason = { any: "reason" };
    abort.abort(reason);
    const outcome = await pending.catch((error) => ({ error }));
    if ("error" in outcome) assertStrictEquals(outcome.error, reason);
    else assertStrictEquals(await events.next().catch((error) => error), reason);
  },
};

async function assertEnded(events: Events, how: string): Promise<void> {
  assertEquals(await events.next(), DONE, how);
  assertEquals(await events.return(), DONE, how);
}

/** The deadline is never reached, and its timer must not outlive the walk. */
const SETTINGS = [1, 4].map((concurrency) => ({ concurrency, deadline: 3_600_000 }));

for (const site of SITES) {
  Deno.test(`walk() leaves nothing open, however and at any event it is left, of the site "${site}"`, async () => {
    const memory = fixtureSite(site);
    const options = { fetch: memory.fetch, retryDelay: 0 };
    const { length } = await Array.fromAsync(walk(HOME, options));
    for (let after = 1; after <= length; after++) {
      for (const [number, [way, leave]] of Object.entries(WAYS).entries()) {
        // each way is tried at each event, and two ways in each setting
        const setting = SETTINGS[(number + after) % SETTINGS.length]!;
        const abort = new AbortController();
        const events = walk(HOME, { ...options, ...setting, signal: abort.signal });
        memory.maxOpen = 0;
        await leave({ events, abort }, after);
        const how = `${way} after ${after} events, ${JSON.stringify(setting)}`;
        await assertEnded(events, how);
        assertEquals(memory.open, [], how);
        assert(memory.maxOpen <= setting.concurrency, how);
      }
    }
  });
}

/** Wraps the fetch of the runtime and records open requests. */
class Ledger {
  readonly #calls = new Set<{ readonly signal: AbortSignal | null | undefined; done: boolean }>();

  /** Number of requests that are neither read to their end nor aborted. */
  get open(): number {
    return [...this.#calls].filter(({ signal, done }) => !done && signal?.aborted !== true).length;
  }

  readonly fetch: Fetch = async (url, init) => {
    const call = { signal: init.signal, done: false };
    this.#calls.add(call);
    try {
      const response = await fetch(url, init);
      if (response.body === null) {
        call.done = true;
        return response;
      }
      const watch = new TransformStream<Uint8Array, Uint8Array>({
        flush: () => void (call.done = true),
      });
      // a broken body rejects at both ends of the pipe
      response.body.pipeTo(watch.writable).catch(() => void (call.done = true));
      const { status, headers } = response;
      return new Response(watch.readable, { status, headers });
    } catch (error) {
      call.done = true;
      throw error;
    }
  };
}

/** Pages with absolute addresses: warnings between them would each be an event to stop at. */
const LONG = urlset(...numbered(3000, (at) => `https://a.test/${at}`)).replace("</urlset>", "");

/** A site with sitemaps of all kinds: long, compressed, truncated, missing, redirected. */
const FAULTY_SITE: FaultSite = {
  "/robots.txt": ok(robots("{{origin}}/index.xml", "{{origin}}/text.txt")),
  "/index.xml": served("a.xml", "b.xml.gz", "gone.xml", "cut.xml", "moved.xml", "i2.xml", "c.xml"),
  "/a.xml": ok("<urlset><url><loc>/a&b</loc></url><url><loc>/c</loc></url></urlset>"),
  "/b.xml.gz": ok(new Uint8Array(gzipSync(LONG))),
  "/cut.xml": raw(head(200, { "Content-Length": "100000" }), LONG.slice(0, 1000)),
  "/moved.xml": redirect("/a.xml?moved"),
  "/a.xml?moved": ok(urlset("{{origin}}/d")),
  "/i2.xml": served("i2/a.xml", "i2/b.xml"),
  "/i2/a.xml": ok(urlset("{{origin}}/e")),
  "/i2/b.xml": status(500),
  "/c.xml": ok(`${LONG}</urlset>`),
  "/text.txt": ok("https://a.test/1\nhttps://a.test/2\n"),
  "/sitemap.xml": ok(urlset("{{origin}}/f")),
};

function served(...names: string[]): Answer {
  return ok(index(...names.map((name) => `{{origin}}/${name}`)));
}

const OPTIONS: WalkOptions = { retries: 1, retryDelay: 1 };

/** Returns the numbers of events after which a walk of the faulty site is stopped. */
async function stops(options: WalkOptions): Promise<number[]> {
  await using server = new FaultServer(FAULTY_SITE);
  const events = await Array.fromAsync(walk(server.url, options));
  await server.idle();
  const found: number[] = [];
  let pages = 0;
  for (const [at, { type }] of events.slice(0, -1).entries()) {
    pages = type === "page" ? pages + 1 : 0;
    // of consecutive pages, the first ones and each thousandth
    if (pages < 3 || pages % 1000 === 0) found.push(at + 1);
  }
  return found;
}

/** Walks the faulty site once for each event, and calls `leave` when it is to stop. */
const stopAtEachEvent = async (
  leave: (walk: Stoppable, stop: number, ledger: Ledger, number: number) => Promise<void>,
) => {
  for (const [number, stop] of (await stops({ ...OPTIONS })).entries()) {
    await using server = new FaultServer(FAULTY_SITE);
    const ledger = new Ledger();
    const abort = new AbortController();
    const options = { ...OPTIONS, fetch: ledger.fetch, signal: abort.signal };
    await leave({ events: walk(server.url, options), abort }, stop, ledger, number);
    await server.idle();
  }
};

Deno.test(`walk() leaves nothing open on a real network, however and at any event it is left`, async () => {
  const ways = Object.entries(WAYS);
  await stopAtEachEvent(async (walk, stop, ledger, number) => {
    const [way, leave] = ways[number % ways.length]!;
    await leave(walk, stop);
    await assertEnded(walk.events, `${way} after ${stop} events`);
    assertEquals(ledger.open, 0, `${way} after ${stop} events`);
  });
});

Deno.test(`walk() has cancelled all requests when abort() returns, at any event`, async () => {
  await stopAtEachEvent(async ({ events, abort }, stop, ledger) => {
    await take(events, stop);
    const reason = new Error(`stopped at event ${stop}`);
    abort.abort(reason);
    assertEquals(ledger.open, 0, `aborted after ${stop} events`);
    assertStrictEquals(await events.next().catch((error) => error), reason);
  });
});

/** Everything that a walk may wait for, endlessly here; `/robots.txt` declares `/a.xml`. */
const WAITS: Readonly<Record<string, readonly [FaultSite, WalkOptions?]>> = {
  "a response": [{ "/robots.txt": silence() }],
  "the rest of the headers": [{ "/robots.txt": silence("HTTP/1.1 200 OK\r\n") }],
  "the first byte": [{ "/robots.txt": silence(head(200)) }],
  "the rest of a robots.txt": [{
    "/robots.txt": silence(head(200), robots("{{origin}}/a.xml")),
    "/a.xml": silence(),
  }],
  "the rest of a sitemap": [{ "/a.xml": silence(head(200), "<urlset><url><loc>/a</loc></url>") }],
  "the rest of gzip data": [{
    "/a.xml": silence(head(200), new Uint8Array(gzipSync(LONG)).subarray(0, 4000)),
  }],
  "the target of a redirect": [{ "/robots.txt": redirect("/elsewhere"), "/elsewhere": silence() }],
  "a retry": [{ "/robots.txt": raw(), "*": raw() }, { retryDelay: 60_000 }],
  "a host that asked for a pause": [{ "/robots.txt": status(429, { "Retry-After": "50" }) }],
  "its turn at a host": [{}, { wait: 600_000 }],
  "a callback that never settles": [{}, { recurseCallback: () => new Promise(() => {}) }],
  "a list callback that never settles": [{}, { recurseListCallback: () => new Promise(() => {}) }],
  "a fetch that ignores its signal": [{}, { fetch: () => new Promise(() => {}) }],
  "a body that ignores its signal": [{}, {
    fetch: () => Promise.resolve(new Response(new ReadableStream({}))),
  }],
};

/** Takes events until there is none for a while; returns the pending call of `next()`. */
async function untilItWaits(
  events: Events,
): Promise<{ readonly next: ReturnType<Events["next"]> }> {
  for (;;) {
    const next = events.next();
    next.catch(() => {});
    const timer = Promise.withResolvers<"waits">();
    const timeout = setTimeout(() => timer.resolve("waits"), 300);
    const outcome = await Promise.race([next, timer.promise]);
    clearTimeout(timeout);
    // in an object, since a promise would be awaited
    if (outcome === "waits") return { next };
    assert(outcome.done !== true, "the walk should wait, not end");
  }
}

for (const [name, [site, options]] of Object.entries(WAITS)) {
  const serve = () => new FaultServer({ "/robots.txt": ok(robots("{{origin}}/a.xml")), ...site });

  Deno.test(`an abort ends the wait for ${name}`, async () => {
    await using server = serve();
    const controller = new AbortController();
    const events = walk(server.url, { ...OPTIONS, ...options, signal: controller.signal });
    const { next } = await untilItWaits(events);
    const reason = new Error("enough");
    controller.abort(reason);
    assertEquals(await next.catch((error) => error), reason);
    assertEquals(await events.next(), DONE);
    await server.idle();
  });

  Deno.test(`return() ends the wait for ${name}`, async () => {
    await using server = serve();
    const events = walk(server.url, { ...OPTIONS, ...options });
    const { next } = await untilItWaits(events);
    const returned = events.return();
    assertEquals([await next, await returned], [DONE, DONE]);
    await server.idle();
  });

  Deno.test(`a deadline ends the wait for ${name}`, async () => {
    await using server = serve();
    const limited = { ...OPTIONS, ...options, deadline: 200 };
    const { verdict, warnings } = await walkedFrom(server.url, limited);
    assertEquals(verdict, "partial");
    assert(warnings.some((line) => line.startsWith("deadline ")));
    await server.idle();
  });
}

Deno.test("pages() leaves nothing open when it is left in the middle", async () => {
  const memory = fixtureSite("demo");
  const total = (await Array.fromAsync(pages(HOME, { fetch: memory.fetch }))).length;
  for (let after = 1; after <= total; after++) {
    let taken = 0;
    for await (const _ of pages(HOME, { fetch: memory.fetch })) if (++taken === after) break;
    assertEquals([taken, memory.open], [after, []]);
  }
});

Deno.test("walk() with an aborted signal makes no request and throws its reason", async () => {
  const memory = fixtureSite("demo");
  const reason = new Error("before");
  const events = walk(HOME, { fetch: memory.fetch, signal: AbortSignal.abort(reason) });
  assertStrictEquals(await events.next().catch((error) => error), reason);
  await assertEnded(events, "aborted before");
  assertEquals(memory.maxOpen, 0);
});
