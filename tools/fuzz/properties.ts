/**
 * Properties that hold for every document, however broken and chunked.
 *
 * @module
 */

import { type Fetch, type ParseOptions, parseSitemap, type TreeEvent, walk } from "../../mod.ts";
import type { Sample } from "./documents.ts";

/** Warning after what was read of a body that breaks, and before what is made of its end. */
const CUT = "body-cut";
/** Types of documents that are read by the line, unless a root element follows. */
const LINE_TYPES: readonly string[] = ["PagesTextSitemap", "IndexRobotsTxtSitemap"];

/** Result of a document, without the parts that may depend on its chunks. */
export interface Reading {
  /** All events but warnings, in order, as JSON. */
  readonly events: readonly string[];
  /** All warnings, sorted, as JSON: they may come up to a chunk before or after other events. */
  readonly warnings: readonly string[];
}

/** Bytes cut into chunks of these sizes in turn. */
export function* chunksOf(bytes: Uint8Array, sizes: readonly number[]): Generator<Uint8Array> {
  let at = 0;
  for (let turn = 0; at < bytes.length; turn++) {
    const size = Math.max(1, sizes[turn % sizes.length] ?? Infinity);
    // a copy: parsers must not read beyond their chunk
    yield bytes.slice(at, at + size);
    at += size;
  }
}

/** Yields chunks, then fails like a broken connection if `breaks`. */
function streamOf(chunks: Iterable<Uint8Array>, breaks: boolean): ReadableStream<Uint8Array> {
  const iterator = chunks[Symbol.iterator]();
  return new ReadableStream({
    pull(controller) {
      const { value, done } = iterator.next();
      if (!done) controller.enqueue(value);
      else if (breaks) controller.error(new Error("broken"));
      else controller.close();
    },
  });
}

/** All events of a document. */
export async function eventsOf(
  sample: Sample,
  sizes: readonly number[],
  limits: ParseOptions,
  breaks = false,
): Promise<TreeEvent[]> {
  const { bytes, url, contentType } = sample;
  return await Array.fromAsync(
    parseSitemap(streamOf(chunksOf(bytes, sizes), breaks), {
      ...limits,
      url,
      ...(contentType === undefined ? {} : { contentType }),
    }),
  );
}

/** Returns the result of a document. */
export function readingOf(events: readonly TreeEvent[]): Reading {
  const others: string[] = [];
  const warnings: string[] = [];
  // Bytes are decoded by the chunk. Where reading ends before the document does, it depends on the
  // chunks how many invalid ones behind that end are still seen, and reported.
  const isWhole = events.some((event) => event.type === "sitemap-left" && event.complete);
  for (const event of events) {
    if (event.type !== "warning") others.push(JSON.stringify(comparable(event, isWhole)));
    else if (isWhole || !isOfDecoding(event.code)) {
      warnings.push(JSON.stringify(event));
    }
  }
  return { events: others, warnings: warnings.sort() };
}

/** Whether a warning is about bytes, which are decoded by the chunk. */
function isOfDecoding(code: string): boolean {
  return code === "encoding-replaced" || code === "encoding-mismatch";
}

/** An event without what depends on how long the last chunk that was read is. */
function comparable(event: TreeEvent, isWhole: boolean): unknown {
  if (event.type === "sitemap-left") {
    const warnings = Object.entries(event.warnings)
      .filter(([code]) => isWhole || !isOfDecoding(code));
    return { ...event, bytes: 0, durationMs: 0, warnings: warnings.sort() };
  }
  if (event.type !== "finished") return event;
  const { stats } = event;
  return {
    ...event,
    endedAt: "",
    stats: { ...stats, bytes: 0, durationMs: 0, warnings: isWhole ? stats.warnings : 0 },
  };
}

/** The entries of a document: pages as JSON, and the addresses of children. */
export function entriesOf(events: readonly TreeEvent[]): string[] {
  return events.flatMap((event) => {
    if (event.type === "page") return [JSON.stringify(event.page)];
    return event.type === "invalid" && event.code === "unfetched" ? [event.sitemap.url] : [];
  });
}

/** Asserts that two lists are equal, with a message that shows only the first difference. */
function assertSame(found: readonly string[], expected: readonly string[]): void {
  const at = expected.findIndex((line, index) => line !== found[index]);
  if (at < 0 && found.length === expected.length) return;
  const place = at < 0 ? expected.length : at;
  throw new Error(`At ${place}: ${found[place]}\ninstead of ${expected[place]}`);
}

/** Asserts that a document has the same result whole and in chunks. */
export async function assertChunkInvariant(
  sample: Sample,
  sizes: readonly number[],
  limits: ParseOptions,
): Promise<TreeEvent[]> {
  const whole = await eventsOf(sample, [Infinity], limits);
  const chunked = await eventsOf(sample, sizes, limits);
  const [expected, found] = [readingOf(whole), readingOf(chunked)];
  assertSame(found.events, expected.events);
  assertSame(found.warnings, expected.warnings);
  return whole;
}

/** Asserts that a mutation affects no entry that was complete before it. */
export async function assertKeepsPrefix(
  sample: Sample,
  intact: number,
  limits: ParseOptions,
  events: readonly TreeEvent[],
): Promise<void> {
  const prefix = { ...sample, bytes: sample.bytes.subarray(0, intact) };
  const prefixEvents = await eventsOf(prefix, [Infinity], limits, true);
  // a root element in lines makes them XML
  const type = typeOf(prefixEvents) ?? "";
  if (LINE_TYPES.includes(type) && typeOf(events) !== type) return;
  // what is open at the end may not be what it seems: an element that is closed hides its content
  const end = prefixEvents.findIndex((event) => event.type === "warning" && event.code === CUT);
  const before = entriesOf(end < 0 ? prefixEvents : prefixEvents.slice(0, end));
  assertSame(entriesOf(events).slice(0, before.length), before);
}

function typeOf(events: readonly TreeEvent[]): string | undefined {
  return events.find((event) => event.type === "sitemap-entered")?.sitemap.type;
}

/** Returns the events of a walk over one document whose first response is truncated. */
async function walkedOf(
  { bytes, url, contentType }: Sample,
  sizes: readonly number[],
  limits: ParseOptions,
  breaksAt: number,
): Promise<TreeEvent[]> {
  const { origin, href } = new URL(url);
  let requests = 0;
  const fetch: Fetch = (input) => {
    if (input === `${origin}/robots.txt` && input !== href) {
      return Promise.resolve(new Response(`Sitemap: ${href}`));
    }
    if (input !== href) return Promise.resolve(new Response(null, { status: 404 }));
    const isBroken = requests++ === 0 && breaksAt < bytes.length;
    const body = isBroken ? bytes.subarray(0, breaksAt) : bytes;
    const headers = contentType === undefined ? {} : { "content-type": contentType };
    return Promise.resolve(new Response(streamOf(chunksOf(body, sizes), isBroken), { headers }));
  };
  const options = { ...limits, fetch, useKnownPaths: false, retryDelay: 0, maxSitemaps: 5 };
  return await Array.fromAsync(walk(origin, options));
}

/** Asserts that a truncated first response does not change the result. */
export async function assertResumes(
  sample: Sample,
  sizes: readonly number[],
  limits: ParseOptions,
): Promise<void> {
  const { length } = sample.bytes;
  if (length < 2) return;
  // depends only on the case
  const breaksAt = 1 + (sizes.reduce((sum, size) => sum + size, 0) * 7919) % (length - 1);
  const whole = await walkedOf(sample, sizes, limits, Infinity);
  const resumed = await walkedOf(sample, sizes, limits, breaksAt);
  const [expected, found] = [whole, resumed].map((events) => readingOf(ofDocument(events, sample)));
  assertSame(found!.events, expected!.events);
  assertSame(found!.warnings, expected!.warnings);
}

/** Returns the events of a document and its children, without robots.txt. */
function ofDocument(events: readonly TreeEvent[], { url }: Sample): TreeEvent[] {
  const { href } = new URL(url);
  return events.filter((event) =>
    event.type !== "finished" && (event.sitemap.level > 0 || event.sitemap.url === href)
  );
}
