/** Data that a runtime, a server or a clock could lose without an error. @module */

import { assertEquals, assertRejects } from "@std/assert";
import { brotliCompressSync, gzipSync } from "node:zlib";
import { type Fetch, parseSitemap, type TreeEvent, walk, type WalkOptions } from "../../mod.ts";
import { concatenated } from "../bytes/read_all.ts";
import { type Answer, FaultServer, ok } from "../support/fault_server.ts";
import { oneSitemap } from "./documents.ts";
import { eventsOf, summary, summaryOf, summaryOfEvents } from "./summary.ts";

const ENCODER = new TextEncoder();
const OPTIONS: WalkOptions = { useKnownPaths: false, retryDelay: 0 };

const SITE = "https://site.test/";

function lines(from: number, count = 10): string {
  return Array.from({ length: count }, (_, at) => `${SITE}${from + at}\n`).join("");
}

const PATHS = Array.from({ length: 30 }, (_, at) => `/${at}`);

type Compress = (text: string) => Uint8Array;
const gzip: Compress = (text) => new Uint8Array(gzipSync(text));
const brotli: Compress = (text) => new Uint8Array(brotliCompressSync(text));

/** A text sitemap of thirty pages, compressed in parts. */
function inParts(encoding: string, compress: Compress, trailing = ""): Answer {
  const parts = [0, 10, 20].map((from) => compress(lines(from)));
  const body = concatenated(...parts, ENCODER.encode(trailing));
  return ok(body, { "Content-Encoding": encoding });
}

const ENCODED: Readonly<Record<string, readonly [answer: Answer, warnings: readonly string[]]>> = {
  "gzip of several members": [inParts("gzip", gzip), []],
  "gzip with trailing bytes": [inParts("gzip", gzip, "trailing"), ["gzip-trailing"]],
  "gzip with trailing zeros": [inParts("gzip", gzip, "\0\0\0"), []],
  "x-gzip of several members": [inParts("x-gzip", gzip), []],
  "brotli of several streams": [inParts("br", brotli), []],
};

for (const [name, [answer, warnings]] of Object.entries(ENCODED)) {
  Deno.test(`walk() reads all of a Content-Encoding of ${name}`, async () => {
    await using server = new FaultServer(oneSitemap(answer));
    const expected = summary({ pages: PATHS, warnings: [...warnings] });
    assertEquals(await summaryOf(server.url, OPTIONS), expected);
    assertEquals(server.counts["/sitemap"], 1);
  });
}

Deno.test("decompressing detaches no memory of the runtime", async () => {
  const { transfer } = ArrayBuffer.prototype;
  let detached = 0;
  ArrayBuffer.prototype.transfer = function (...args: [number?]) {
    detached++;
    return transfer.apply(this, args);
  };
  try {
    const packed = gzip(lines(0, 20_000));
    let pages = 0;
    for await (const event of parseSitemap(packed)) if (event.type === "page") pages++;
    assertEquals([pages, detached], [20_000, 0]);
  } finally {
    ArrayBuffer.prototype.transfer = transfer;
  }
});

// ----------------------------------------------------------------------------- freezes and hangs

function answering(response: () => Response): Fetch {
  return (input) =>
    Promise.resolve(
      input.endsWith("/robots.txt") ? new Response(`Sitemap: ${SITE}sitemap`) : response(),
    );
}

/** Returns a byte stream that closes without settling the pending read. */
function mute(): Response {
  let pulls = 0;
  return new Response(
    new ReadableStream({
      type: "bytes",
      pull(controller) {
        if (pulls++ === 0) controller.enqueue(ENCODER.encode(lines(0)));
        else controller.close();
      },
    }),
  );
}

Deno.test("walk() ends with a byte stream that closes without settling a read", async () => {
  const events = await eventsOf(SITE, { ...OPTIONS, fetch: answering(mute) });
  const { pages, verdict } = summaryOfEvents(events);
  assertEquals([pages.length, verdict], [10, "complete"]);
});

Deno.test("walk() can be stopped while a byte stream never settles", async () => {
  const never = () =>
    new Response(new ReadableStream({ type: "bytes", pull: () => new Promise(() => {}) }));
  const options = { ...OPTIONS, retries: 0, fetch: answering(never) };
  const late = await eventsOf(SITE, { ...options, timeout: 20 });
  assertEquals(summaryOfEvents(late).invalid, { "/sitemap": "timeout" });
  const ended = await eventsOf(SITE, { ...options, deadline: 20 });
  assertEquals(summaryOfEvents(ended).verdict, "partial");
  const signal = AbortSignal.timeout(20);
  await assertRejects(() => Array.fromAsync(walk(SITE, { ...options, signal })), DOMException);
  for await (const event of walk(SITE, options)) if (event.type === "sitemap-entered") break;
});

function endless(): Response {
  let at = 0;
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) =>
    controller.enqueue(ENCODER.encode(lines(at += 1000, 1000)));
  return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }));
}

Deno.test("deadline and signal end a walk that never waits for the network", async () => {
  const limits = { maxBytes: Infinity, maxEntries: Infinity };
  const options = { ...OPTIONS, ...limits, fetch: answering(endless) };
  let last: TreeEvent | undefined;
  for await (const events of walk(SITE, { ...options, deadline: 50 }).batches()) {
    last = events.at(-1);
  }
  assertEquals(last?.type === "finished" && last.verdict, "partial");
  await assertRejects(async () => {
    for await (const _ of walk(SITE, { ...options, signal: AbortSignal.timeout(50) }).batches());
  }, DOMException);
  const body = endless().body!;
  await assertRejects(async () => {
    const signal = AbortSignal.timeout(50);
    for await (const _ of parseSitemap(body, { ...limits, signal }).batches());
  }, DOMException);
});

Deno.test("walk() truncates nothing when the system time is set", async () => {
  const { now } = Date;
  const slow = () => {
    let at = 0;
    return new Response(
      new ReadableStream({
        async pull(controller) {
          if (at === 30) return controller.close();
          // by a day, forward and back, while the body is pending
          const offset = at % 20 < 10 ? 86_400_000 : -86_400_000;
          Date.now = () => now() + offset;
          await new Promise((resolve) => setTimeout(resolve, 50));
          controller.enqueue(ENCODER.encode(lines(at, 1)));
          at++;
        },
      }),
    );
  };
  try {
    // its timer fires before the body has ended
    const options = { ...OPTIONS, wait: 1, timeout: 1000, retries: 0 };
    const events = await eventsOf(SITE, { ...options, fetch: answering(slow) });
    assertEquals(summaryOfEvents(events).pages, PATHS);
    assertEquals(summaryOfEvents(events).verdict, "complete");
  } finally {
    Date.now = now;
  }
});

Deno.test("walk() reads bodies of strings and other buffers", async () => {
  const text = lines(0, 10);
  const bytes = ENCODER.encode(text);
  for (const chunk of [text, bytes.buffer, new DataView(bytes.buffer)]) {
    const body = () => ReadableStream.from<unknown>([chunk]) as ReadableStream<Uint8Array>;
    const response = () =>
      Object.defineProperty(new Response("x"), "body", { value: body() }) as Response;
    const events = await eventsOf(SITE, { ...OPTIONS, fetch: answering(response) });
    assertEquals(summaryOfEvents(events).pages.length, 10);
    const parsed = await Array.fromAsync(parseSitemap(body()));
    assertEquals(parsed.filter(({ type }) => type === "page").length, 10);
  }
});
