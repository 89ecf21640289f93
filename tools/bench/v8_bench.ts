/**
 * Measures the properties of V8 that `docs/ARCHITECTURE.md`, "What we learned about V8", states.
 *
 *     deno task bench:v8 [--filter TEXT]
 *
 * Each group is one statement; its baseline is the way that the library takes. Nothing of the library
 * is imported, so the figures are those of the engine.
 *
 * @module
 */

import { Buffer } from "node:buffer";

const ENTRY = "<url><loc>https://www.example.com/shop/item-00000.html</loc></url>\n";
const CHUNK = ENTRY.repeat(1000);
const BYTES = new TextEncoder().encode(CHUNK);
const LATIN1 = Buffer.from(BYTES).toString("latin1");
const URL_START = 10;
const URL_END = 52;
const DECODER = new TextDecoder();
const LESS_THAN = 0x3c;

/** Keeps results in use, so that no call is optimised away. */
const kept: unknown[] = [];

function keep(value: unknown): void {
  kept[0] = value;
}

/** Returns `count` different flat strings. */
function urls(count: number): string[] {
  return Array.from(
    { length: count },
    (_, n) => Buffer.from(`https://www.example.com/shop/item-${n}.html`).toString("latin1"),
  );
}

const URLS = urls(10_000);

Deno.bench("one-byte string: indexOf()", { group: "find the next tag", baseline: true }, () => {
  keep(LATIN1.indexOf("<", URL_START));
});
Deno.bench("bytes: a loop", { group: "find the next tag" }, () => {
  let at = URL_START;
  while (BYTES[at] !== LESS_THAN) at++;
  keep(at);
});
Deno.bench("bytes: indexOf()", { group: "find the next tag" }, () => {
  keep(BYTES.indexOf(LESS_THAN, URL_START));
});

Deno.bench("concatenate two slices, flatten", { group: "copy a value", baseline: true }, () => {
  const text = LATIN1.slice(URL_START, URL_START + 1) + LATIN1.slice(URL_START + 1, URL_END);
  text.indexOf("h");
  keep(text);
});
Deno.bench("slice, which pins the chunk", { group: "copy a value" }, () => {
  keep(LATIN1.slice(URL_START, URL_END));
});
const BUFFER = Buffer.from(BYTES);
Deno.bench("Buffer.toString()", { group: "copy a value" }, () => {
  keep(BUFFER.toString("latin1", URL_START, URL_END));
});
Deno.bench("TextDecoder.decode()", { group: "copy a value" }, () => {
  keep(DECODER.decode(BYTES.subarray(URL_START, URL_END)));
});

function sum(text: string): number {
  let total = 0;
  for (let at = 0; at < text.length; at++) total += text.charCodeAt(at);
  return total;
}
const FLAT = URLS[0]!;
const SLICED = CHUNK.slice(URL_START, URL_END);
Deno.bench("flat string", { group: "look at each character", baseline: true }, () => {
  keep(sum(FLAT));
});
Deno.bench("sliced string", { group: "look at each character" }, () => {
  keep(sum(SLICED));
});
let joined = 0;
Deno.bench("cons string, flattened on the way", { group: "look at each character" }, () => {
  keep(sum(FLAT + ++joined));
});

/** The time of `2024-05-01T10:20:30Z` at an offset. */
function isoTime(bytes: Uint8Array, at: number): number {
  const two = (offset: number) => (bytes[offset]! - 48) * 10 + bytes[offset + 1]! - 48;
  const year = two(at) * 100 + two(at + 2);
  return Date.UTC(year, two(at + 5) - 1, two(at + 8), two(at + 11), two(at + 14), two(at + 17));
}
const DATES = Array.from({ length: 1000 }, (_, n) => new Date(n * 1e9).toISOString());
const DATE_BYTES = new TextEncoder().encode(DATES.join(""));
let date = 0;
Deno.bench("digits of the bytes", { group: "read a date", baseline: true }, () => {
  date = (date + 1) % DATES.length;
  keep(isoTime(DATE_BYTES, date * 24));
});
Deno.bench("Date.parse()", { group: "read a date" }, () => {
  date = (date + 1) % DATES.length;
  keep(Date.parse(DATES[date]!));
});
Deno.bench("new Date()", { group: "read a date" }, () => {
  date = (date + 1) % DATES.length;
  keep(new Date(DATES[date]!));
});

const DIGITS = [50, 48, 50, 52, 45, 48, 53, 45, 48, 49] as const;
Deno.bench("String.fromCharCode() once", { group: "write a date", baseline: true }, () => {
  keep(String.fromCharCode(...DIGITS));
});
Deno.bench("concatenation, flattened", { group: "write a date" }, () => {
  date = (date + 1) % 10;
  const text = String(2020 + date) + "-" + "0" + String(date) + "-" + "1" + String(date);
  text.indexOf("x");
  keep(text);
});

/** Pairs of words, as the scan of a value computes them on the way. */
const HASHES = Int32Array.from({ length: 2 * URLS.length }, (_, n) => Math.imul(n + 1, 0x9e3779b1));
Deno.bench("hashes in an Int32Array", { group: "10,000 different URLs", baseline: true }, () => {
  const slots = 1 << 15, table = new Int32Array(2 * slots);
  for (let at = 0; at < HASHES.length; at += 2) {
    const high = HASHES[at]!, low = HASHES[at + 1]!;
    let slot = high & (slots - 1);
    while (table[2 * slot + 1] !== 0 && table[2 * slot + 1] !== low) slot = (slot + 1) % slots;
    table[2 * slot] = high;
    table[2 * slot + 1] = low;
  }
  keep(table);
});
Deno.bench("Set of new strings", { group: "10,000 different URLs" }, () => {
  const set = new Set<string>();
  // each document has new strings, which have no hash yet
  for (const url of URLS) set.add(url.slice(0, 1) + url.slice(1));
  keep(set);
});

const ITEMS = Array.from({ length: 1000 }, (_, n) => n);
async function consume(items: AsyncIterable<unknown>): Promise<void> {
  for await (const item of items) keep(item);
}
async function* generate(): AsyncGenerator<number> {
  for (const item of ITEMS) yield item;
}
async function* delegate(): AsyncGenerator<number> {
  yield* generate();
}
function iterate(): AsyncIterable<number> {
  let at = 0;
  const next = () =>
    Promise.resolve<IteratorResult<number>>(
      at < ITEMS.length ? { done: false, value: ITEMS[at++]! } : { done: true, value: undefined },
    );
  return { [Symbol.asyncIterator]: () => ({ next }) };
}
async function* batches(): AsyncGenerator<number[]> {
  yield ITEMS;
}
Deno.bench("a hand-written iterator", { group: "1,000 items", baseline: true }, async () => {
  await consume(iterate());
});
Deno.bench("an async generator", { group: "1,000 items" }, async () => {
  await consume(generate());
});
Deno.bench("yield* of an async generator", { group: "1,000 items" }, async () => {
  await consume(delegate());
});
Deno.bench("ReadableStream.from()", { group: "1,000 items" }, async () => {
  await consume(ReadableStream.from(generate()));
});
Deno.bench("one batch", { group: "1,000 items" }, async () => {
  for await (const batch of batches()) for (const item of batch) keep(item);
});

const STARTS = urls(2);
let start = 0;
Deno.bench("slice() ===", { group: "begin with a string that varies", baseline: true }, () => {
  const text = STARTS[start ^= 1]!;
  keep(FLAT.slice(0, text.length) === text);
});
Deno.bench("startsWith()", { group: "begin with a string that varies" }, () => {
  const text = STARTS[start ^= 1]!;
  keep(FLAT.startsWith(text));
});

function names(): string[] {
  return Array.from({ length: 8 }, (_, n) => Buffer.from(`lastmod${n}`).toString("latin1"));
}
const NAMES = names();
const INTERNALIZED = names().map((name) => Object.keys({ [name]: 0 })[0]!);
const LITERALS = ["lastmod0", "lastmod3", "lastmod5", "lastmod7"];
let name = 0;
Deno.bench("internalized", { group: "compare with literals", baseline: true }, () => {
  const word = INTERNALIZED[name = (name + 1) & 7]!;
  for (const literal of LITERALS) if (word === literal) keep(literal);
});
Deno.bench("not internalized", { group: "compare with literals" }, () => {
  const word = NAMES[name = (name + 1) & 7]!;
  for (const literal of LITERALS) if (word === literal) keep(literal);
});
Deno.bench("Map of numbers", { group: "new keys", baseline: true }, () => {
  keep(new Map([[++joined, 0]]));
});
Deno.bench("Map of strings", { group: "new keys" }, () => {
  keep(new Map([[FLAT + ++joined, 0]]));
});
Deno.bench("properties", { group: "new keys" }, () => {
  keep({ [FLAT + ++joined]: 0 });
});

interface Source {
  read(): number;
}
function withMethod(value: number): Source & { isReady(): boolean } {
  return { isReady: () => value > 0, read: () => value };
}
function withGetter(value: number): Source & { readonly isReady: boolean } {
  return {
    get isReady() {
      return value > 0;
    },
    read: () => value,
  };
}
Deno.bench("methods", { group: "create and use an object", baseline: true }, () => {
  const source = withMethod(++joined);
  keep(source.isReady() ? source.read() : 0);
});
Deno.bench("a getter", { group: "create and use an object" }, () => {
  const source = withGetter(++joined);
  keep(source.isReady ? source.read() : 0);
});
