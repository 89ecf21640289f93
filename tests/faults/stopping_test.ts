import { assert, assertEquals, assertRejects } from "@std/assert";
import { gzipSync } from "node:zlib";
import { type Fetch, type TreeEvent, walk, type WalkOptions } from "../../mod.ts";
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

/** The fetch of the runtime, which remembers what it has open. */
class Ledger {
  readonly #calls = new Set<{ readonly signal: AbortSignal | null | undefined; done: boolean }>();

  /** Requests that are neither read to their ends nor given up. */
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
      // a body that breaks off is broken off for both ends of the pipe
      response.body.pipeTo(watch.writable).catch(() => void (call.done = true));
      const { status, headers } = response;
      return new Response(watch.readable, { status, headers });
    } catch (error) {
      call.done = true;
      throw error;
    }
  };
}

/** One turn of the event loop. */
function turn(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, 0));
}

function index(...addresses: string[]): Answer {
  const children = addresses.map((address) => `<sitemap><loc>${address}</loc></sitemap>`);
  return ok(`<sitemapindex>${children.join("")}</sitemapindex>`);
}

const LONG = `<urlset>${
  Array.from({ length: 3000 }, (_, at) => `<url><loc>/page/${at}</loc></url>`).join("")
}`;

/** A site with something of everything: long, packed, slow, broken, redirected, endless. */
const MESS: FaultSite = {
  "/robots.txt": ok("Sitemap: {{origin}}/index.xml\nSitemap: {{origin}}/text.txt\n"),
  "/index.xml": index(
    "/a.xml",
    "/b.xml.gz",
    "/gone.xml",
    "/cut.xml",
    "/moved.xml",
    "/i2.xml",
    "/c.xml",
  ),
  "/a.xml": ok("<urlset><url><loc>/a&b</loc></url><url><loc>/c</loc></url></urlset>"),
  "/b.xml.gz": ok(new Uint8Array(gzipSync(LONG))),
  "/cut.xml": raw(head(200, { "Content-Length": "100000" }), LONG.slice(0, 1000)),
  "/moved.xml": redirect("/a.xml?moved"),
  "/a.xml?moved": ok("<urlset><url><loc>/d</loc></url></urlset>"),
  "/i2.xml": index("/i2/a.xml", "/i2/b.xml"),
  "/i2/a.xml": ok("<urlset><url><loc>/e</loc></url></urlset>"),
  "/i2/b.xml": status(500),
  "/c.xml": ok(`${LONG}</urlset>`),
  "/text.txt": ok("https://a.test/1\nhttps://a.test/2\n"),
  "/sitemap.xml": ok("<urlset><url><loc>/f</loc></url></urlset>"),
};

const OPTIONS: WalkOptions = { retries: 1, retryDelay: 1 };

/** How many events a walk of the mess has, and at which of them it is worth stopping. */
async function stops(options: WalkOptions): Promise<number[]> {
  await using server = new FaultServer(MESS);
  const events = await Array.fromAsync(walk(server.url, options));
  await server.idle();
  const found: number[] = [];
  let pages = 0;
  for (const [at, { type }] of events.entries()) {
    pages = type === "page" ? pages + 1 : 0;
    // of many pages in a row, the first ones and each thousandth
    if (pages < 3 || pages % 1000 === 0) found.push(at + 1);
  }
  return found;
}

/** Takes so many events, then does something. */
async function takeThen(
  events: AsyncGenerator<TreeEvent, void, void>,
  count: number,
): Promise<void> {
  for (let at = 0; at < count; at++) await events.next();
}

for (const order of ["document", "arrival"] as const) {
  Deno.test(`leaving the loop at any event lets go of everything, in order of ${order}`, async () => {
    for (const stop of await stops({ ...OPTIONS, order })) {
      await using server = new FaultServer(MESS);
      const ledger = new Ledger();
      let seen = 0;
      for await (const _ of walk(server.url, { ...OPTIONS, order, fetch: ledger.fetch })) {
        if (++seen >= stop) break;
      }
      assertEquals(ledger.open, 0, `left at event ${stop}`);
      await server.idle();
    }
  });

  Deno.test(`an abort at any event lets go of everything at once, in order of ${order}`, async () => {
    for (const stop of await stops({ ...OPTIONS, order })) {
      await using server = new FaultServer(MESS);
      const ledger = new Ledger();
      const controller = new AbortController();
      const { signal } = controller;
      const events = walk(server.url, { ...OPTIONS, order, fetch: ledger.fetch, signal });
      await takeThen(events, stop);
      const reason = new Error(`stopped at event ${stop}`);
      controller.abort(reason);
      assertEquals(ledger.open, 0, `aborted at event ${stop}`);
      await turn();
      const after = await events.next().catch((error) => error);
      // whoever has taken the last event has nothing left to stop
      assert(after === reason || after.done === true, String(after));
      await server.idle();
    }
  });
}

Deno.test("an error thrown in the loop lets go of everything and is what comes out", async () => {
  await using server = new FaultServer(MESS);
  const ledger = new Ledger();
  const error = await assertRejects(async () => {
    for await (const event of walk(server.url, { ...OPTIONS, fetch: ledger.fetch })) {
      if (event.type === "page") throw new RangeError("mine");
    }
  });
  assert(error instanceof RangeError);
  assertEquals(ledger.open, 0);
  await server.idle();
});

/** Where a walk can be made to wait, for ever if nobody stops it. */
const WAITS: readonly {
  readonly name: string;
  readonly site: FaultSite;
  readonly options?: WalkOptions;
}[] = [
  { name: "an answer", site: { "*": silence() } },
  { name: "the rest of the headers", site: { "*": silence("HTTP/1.1 200 OK\r\n") } },
  { name: "the first byte", site: { "*": silence(head(200)) } },
  {
    name: "the rest of a robots.txt",
    site: { "*": silence(head(200), "Sitemap: {{origin}}/a.xml\n") },
  },
  {
    name: "the rest of a sitemap",
    site: {
      "/robots.txt": ok("Sitemap: {{origin}}/a.xml\n"),
      "/a.xml": silence(head(200), "<urlset><url><loc>/a</loc></url>"),
    },
  },
  {
    name: "the rest of packed bytes",
    site: {
      "/robots.txt": ok("Sitemap: {{origin}}/a.xml\n"),
      "/a.xml": silence(head(200), new Uint8Array(gzipSync(LONG)).subarray(0, 4000)),
    },
  },
  {
    name: "the target of a redirect",
    site: {
      "/robots.txt": redirect("/elsewhere"),
      "/elsewhere": silence(),
    },
  },
  { name: "another try", site: { "*": raw() }, options: { retryDelay: 60_000 } },
  { name: "a host that asked for a pause", site: { "*": status(429, { "Retry-After": "50" }) } },
  {
    name: "its turn",
    site: { "/robots.txt": ok("Sitemap: {{origin}}/a.xml\n") },
    options: { wait: 600_000 },
  },
  {
    name: "a callback that never answers",
    site: { "/robots.txt": ok("Sitemap: {{origin}}/a.xml\n") },
    options: { recurseCallback: () => new Promise(() => {}) },
  },
  {
    name: "a list callback that never answers",
    site: { "/robots.txt": ok("Sitemap: {{origin}}/a.xml\n") },
    options: { recurseListCallback: () => new Promise(() => {}) },
  },
  {
    name: "a fetch that minds no signal",
    site: {},
    options: { fetch: () => new Promise(() => {}) },
  },
  {
    name: "a body that minds no signal",
    site: {},
    options: { fetch: () => Promise.resolve(new Response(new ReadableStream({}))) },
  },
];

/** Takes events until there is none for a while: the call of `next()` that waits. */
async function untilItWaits(
  events: AsyncGenerator<TreeEvent, void, void>,
): Promise<{ readonly next: Promise<IteratorResult<TreeEvent, void>> }> {
  for (;;) {
    const next = events.next();
    next.catch(() => {});
    const timer = Promise.withResolvers<"waits">();
    const timeout = setTimeout(() => timer.resolve("waits"), 300);
    const outcome = await Promise.race([next, timer.promise]);
    clearTimeout(timeout);
    // in an object, for a promise would be waited for
    if (outcome === "waits") return { next };
    assert(outcome.done !== true, "the walk should wait, not end");
  }
}

for (const { name, site, options } of WAITS) {
  Deno.test(`an abort ends the wait for ${name}`, async () => {
    await using server = new FaultServer(site);
    const controller = new AbortController();
    const events = walk(server.url, { ...OPTIONS, ...options, signal: controller.signal });
    const { next } = await untilItWaits(events);
    const reason = new Error("enough");
    controller.abort(reason);
    assertEquals(await next.catch((error) => error), reason);
    assertEquals(await events.next(), { done: true, value: undefined });
    await server.idle();
  });

  Deno.test(`return() ends the wait for ${name}`, async () => {
    await using server = new FaultServer(site);
    const events = walk(server.url, { ...OPTIONS, ...options });
    const { next } = await untilItWaits(events);
    const returned = events.return();
    assertEquals(await next, { done: true, value: undefined });
    assertEquals(await returned, { done: true, value: undefined });
    await server.idle();
  });

  Deno.test(`a deadline ends the wait for ${name}`, async () => {
    await using server = new FaultServer(site);
    const all = await Array.fromAsync(walk(server.url, { ...OPTIONS, ...options, deadline: 200 }));
    const last = all.at(-1);
    assert(last?.type === "finished" && last.verdict === "partial");
    assert(all.some((event) => event.type === "warning" && event.code === "deadline"));
    await server.idle();
  });
}
