import { assertEquals } from "@std/assert";
import { brotliCompressSync, constants, deflateRawSync, deflateSync, gzipSync } from "node:zlib";
import type { Fetch, RequestReport, WalkOptions } from "../../mod.ts";
import { check } from "../../src/check/mod.ts";
import { concatenated } from "../bytes/read_all.ts";
import { type Answer, FaultServer, head, ok, raw, reset, status } from "../support/fault_server.ts";
import { eventsOf, summaryOfEvents } from "./summary.ts";

const ENCODER = new TextEncoder();

function urlset(pages: number): Uint8Array {
  const entries = Array.from(
    { length: pages },
    (_, at) => `<url><loc>https://a.test/${at}</loc></url>\n`,
  );
  return ENCODER.encode(`<urlset>\n${entries.join("")}</urlset>\n`);
}

const XML = urlset(2);
const LARGE = urlset(5000);

const gzip = (bytes: Uint8Array) => new Uint8Array(gzipSync(bytes));
const brotli = (bytes: Uint8Array) => new Uint8Array(brotliCompressSync(bytes));

/** Compresses the first half of some bytes, and ends with a block of no type. */
function corrupt(bytes: Uint8Array): Uint8Array {
  const half = bytes.subarray(0, bytes.length >> 1);
  const options = { finishFlush: constants.Z_FULL_FLUSH };
  return concatenated(gzipSync(half, options), new Uint8Array(50).fill(0xff));
}

/** Changes the checksum of gzip data. */
function missummed(packed: Uint8Array): Uint8Array {
  const changed = packed.slice();
  changed[changed.length - 6]! ^= 1;
  return changed;
}

/** Header of the caller that makes Deno decode gzip and brotli. */
const HEADERS = { "accept-encoding": "gzip, br" };

/** A `fetch` that always decodes, as that of Node. */
const decodingFetch: Fetch = (url, init) =>
  fetch(url, { ...init, headers: { ...init.headers as Record<string, string>, ...HEADERS } });

/** Ways to request bodies, by when their bytes can be read. */
const READERS: Readonly<Record<"always" | "identity" | "never", WalkOptions>> = {
  always: {},
  identity: { headers: HEADERS },
  never: { headers: HEADERS, fetch: decodingFetch },
};

const READ = "2 pages in 1 request";
const WARNED = `${READ}, content-encoding`;
const WARNED_TWO = "2 pages in 2 requests, content-encoding";
const REFUSED = "network in 2 requests, content-encoding";
const OTHER = "not-a-sitemap in 1 request, content-encoding";
const OTHER_TWO = "not-a-sitemap in 2 requests, content-encoding";
const BINARY = "not-a-sitemap in 1 request, bad-line, content-encoding, encoding-replaced";
const BINARY_TWO = BINARY.replace("1 request", "2 requests");

type Row = readonly [
  encoding: string,
  body: Uint8Array,
  always: string,
  identity?: string,
  never?: string,
];

/** Bodies with a Content-Encoding, and what is read of them; the same for all readers by default. */
const ROWS: Readonly<Record<string, Row>> = {
  "gzip, and gzip": ["gzip", gzip(XML), READ],
  "GZIP, and gzip": ["GZIP", gzip(XML), READ],
  "gzip, and plain": ["gzip", XML, WARNED, WARNED_TWO, REFUSED],
  "GZIP, and plain": ["GZIP", XML, WARNED, WARNED_TWO, REFUSED],
  "x-gzip, and plain": ["x-gzip", XML, WARNED, READ],
  "gzip, and plain and large": [
    "gzip",
    LARGE,
    "5000 pages in 1 request, content-encoding",
    "5000 pages in 2 requests, content-encoding",
    REFUSED,
  ],
  "gzip, and HTML": ["gzip", ENCODER.encode("<!doctype html><p>Hi"), OTHER, OTHER_TWO, REFUSED],
  "gzip, and brotli": ["gzip", brotli(XML), BINARY, BINARY_TWO, REFUSED],
  "gzip, and nothing": ["gzip", new Uint8Array(0), "empty in 1 request"],
  "br, and brotli": ["br", brotli(XML), READ],
  "br, and plain": ["br", XML, WARNED, WARNED_TWO, REFUSED],
  "br, and gzip": ["br", gzip(XML), READ, "2 pages in 2 requests", REFUSED],
  "deflate, and zlib": ["deflate", new Uint8Array(deflateSync(XML)), READ],
  "deflate, and bare": ["deflate", new Uint8Array(deflateRawSync(XML)), READ],
  "deflate, and plain": ["deflate", XML, WARNED, READ],
  "zstd, and plain": ["zstd", XML, WARNED, READ],
  "compress, and plain": ["compress", XML, WARNED, READ],
  "identity, and plain": ["identity", XML, READ],
  "an unknown coding, and plain": ["utf-8", XML, READ],
  "gzip twice, and once": ["gzip, gzip", gzip(XML), READ],
  "gzip twice, and twice": ["gzip, gzip", gzip(gzip(XML)), READ],
  "gzip twice, and plain": ["gzip, gzip", XML, WARNED, READ],
  "gzip, and gzip twice": ["gzip", gzip(gzip(XML)), READ],
  "gzip in brotli, and both": ["gzip, BR, identity", brotli(gzip(XML)), READ],
  "gzip, with a wrong checksum": [
    "gzip",
    missummed(gzip(XML)),
    "2 pages in 1 request, gzip-checksum",
    "2 pages in 2 requests, gzip-checksum",
    REFUSED,
  ],
};

function siteOf(answer: Answer | readonly Answer[]) {
  return { "/robots.txt": ok("Sitemap: {{origin}}/s.xml\n"), "/s.xml": answer };
}

/** Returns what was read of the only sitemap, by how many requests, and its warnings. */
async function outcomeOf(
  answer: Answer | readonly Answer[],
  options: WalkOptions = {},
): Promise<string> {
  await using server = new FaultServer(siteOf(answer));
  const events = await eventsOf(server.url, { useKnownPaths: false, retryDelay: 1, ...options });
  await server.idle();
  const { pages, invalid, warnings } = summaryOfEvents(events);
  const outcome = invalid["/s.xml"] ?? `${pages.length} pages`;
  const requests = server.counts["/s.xml"]!;
  const counted = `${outcome} in ${requests} request${requests === 1 ? "" : "s"}`;
  return [counted, ...warnings].join(", ");
}

for (
  const [name, [encoding, body, always, identity = always, never = identity]] of Object.entries(
    ROWS,
  )
) {
  Deno.test(`walk() reads a Content-Encoding of ${name}`, async () => {
    const expected = { always, identity, never };
    const answer = ok(body, { "Content-Encoding": encoding });
    for (const [reader, options] of Object.entries(READERS)) {
      const found = await outcomeOf(answer, options);
      assertEquals(found, expected[reader as keyof typeof expected], reader);
    }
  });
}

Deno.test("walk() reads a body that has its Content-Encoding only when requested as identity", async () => {
  const wrong = ok(XML, { "Content-Encoding": "gzip" });
  for (const options of [READERS.identity, READERS.never]) {
    assertEquals(await outcomeOf([wrong, ok(XML)], options), WARNED_TWO);
  }
});

Deno.test("walk() keeps what a body had before corrupt data, which it requests once more", async () => {
  const cut = ok(corrupt(LARGE), { "Content-Encoding": "gzip" });
  const [once] = (await outcomeOf(cut)).split(" ");
  assertEquals(await outcomeOf(cut), `${once} pages in 1 request, gzip-cut`);
  // Deno itself gives less of it
  const again = await outcomeOf(cut, READERS.never);
  assertEquals(again.replace(/^\d+/, ""), " pages in 2 requests, content-encoding, gzip-cut");
  const mended = await outcomeOf([cut, ok(LARGE)], READERS.never);
  assertEquals(mended, "5000 pages in 2 requests, content-encoding");
});

Deno.test("walk() retries an encoded body that breaks off, and takes it for no wrong encoding", async () => {
  const packed = gzip(LARGE);
  const fields = { "Content-Encoding": "gzip", "Content-Length": String(packed.length) };
  const early = raw(head(200, fields), packed.subarray(0, 5));
  const late = raw(head(200, fields), packed.subarray(0, packed.length >> 1));
  const closed = reset(head(200, fields));
  const whole = ok(packed, { "Content-Encoding": "gzip" });
  for (const [reader, options] of Object.entries(READERS)) {
    for (const broken of [early, late, closed]) {
      const outcome = await outcomeOf([broken, broken, whole], options);
      assertEquals(outcome, "5000 pages in 3 requests", reader);
    }
  }
});

Deno.test("walk() makes the other request without retries, and within those of a known path", async () => {
  const wrong = ok(XML, { "Content-Encoding": "gzip" });
  const options = { ...READERS.never, retryDelay: 1 };
  assertEquals(await outcomeOf(wrong, { ...options, retries: 0 }), REFUSED);
  assertEquals(await outcomeOf([wrong, ok(XML)], { ...options, retries: 0 }), WARNED_TWO);
  for (const first of [wrong, status(503), status(500)]) {
    await using server = new FaultServer({ "/sitemap.xml": [first, wrong] });
    const events = await eventsOf(server.url, options);
    const { warnings, verdict } = summaryOfEvents(events);
    assertEquals([warnings, verdict], [["probe-failed"], "blocked"]);
    assertEquals(server.counts["/sitemap.xml"], 2);
  }
});

/** Verdict on a site that answers all paths alike, and number of requests. */
const ALIKE: Readonly<Record<string, readonly [verdict: string, requests: number]>> = {
  always: ["none", 8],
  identity: ["none", 16],
  never: ["blocked", 4],
};

Deno.test("walk() recognises a site that answers all paths alike with a wrong Content-Encoding", async () => {
  const page = ok(ENCODER.encode("<!doctype html><p>Hi"), { "Content-Encoding": "gzip" });
  for (const [reader, options] of Object.entries(READERS)) {
    await using server = new FaultServer({ "*": page });
    const { verdict } = summaryOfEvents(await eventsOf(server.url, { retryDelay: 1, ...options }));
    const requests = Object.values(server.counts).reduce((sum, count) => sum + count);
    assertEquals([reader, verdict, requests], [reader, ...ALIKE[reader]!]);
  }
});

Deno.test("walk() reports robots.txt without its Content-Encoding, and reads it where it can", async () => {
  const wrong = ok("Sitemap: {{origin}}/a.xml\n", { "Content-Encoding": "gzip" });
  const site = { "/robots.txt": wrong, "/a.xml": ok(XML) };
  for (
    const [reader, requests, pages, warning, verdict] of [
      ["always", 1, 2, "content-encoding", "complete"],
      ["identity", 2, 2, "content-encoding", "complete"],
      ["never", 2, 0, "robots-unreadable", "blocked"],
    ] as const
  ) {
    await using server = new FaultServer(site);
    const options = { useKnownPaths: false, retryDelay: 60_000, ...READERS[reader] };
    const found = summaryOfEvents(await eventsOf(server.url, options));
    assertEquals(
      [server.counts["/robots.txt"], found.pages.length, found.warnings, found.verdict],
      [requests, pages, [warning], verdict],
      reader,
    );
  }
});

Deno.test("onRequest has the code of a body that does not have its Content-Encoding", async () => {
  const reports: string[] = [];
  const onRequest = ({ phase, url, attempt, code, delayMs, reason }: RequestReport) => {
    if (!url.endsWith("/s.xml")) return;
    reports.push(
      [phase, attempt, code, delayMs, reason].filter((part) => part !== undefined).join(" "),
    );
  };
  await outcomeOf(ok(XML, { "Content-Encoding": "gzip" }), { ...READERS.never, onRequest });
  assertEquals(reports, [
    "request 1",
    "response 1",
    "failure 1 content-encoding Invalid Content-Encoding",
    'retry 1 content-encoding 0 Body is not encoded as "gzip"',
    "request 2",
    "response 2",
    "failure 2 content-encoding Invalid Content-Encoding",
  ]);
});

Deno.test("check() finds a wrong Content-Encoding once, as a fault of compression", async () => {
  const wrong = ok(XML, { "Content-Encoding": "gzip" });
  for (const [reader, options] of Object.entries(READERS)) {
    await using server = new FaultServer(siteOf(wrong));
    const events = eventsOf(server.url, { useKnownPaths: false, notes: true, ...options });
    const { findings } = await check(await events);
    const messages = findings.filter(({ severity }) => severity === "error")
      .map(({ code, message }) => `${code}: ${message}`)
      .filter((message) => !/^namespace/.test(message));
    const text = 'Does not have its declared Content-Encoding: Body is not encoded as "gzip"';
    assertEquals(messages, [`compression: ${text}`], reader);
  }
});
