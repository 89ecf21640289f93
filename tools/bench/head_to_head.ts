/**
 * Runs sitetree and saxes on the same document alternately, in this process.
 *
 * sitetree is read as users read it: `for await` over `parseSitemap()`, from a stream of 64 KiB
 * chunks. saxes runs without namespaces, see `peers/shape_pages.ts`.
 *
 * @module
 */

import { parseSitemap, type TreeEvent } from "../../mod.ts";
import { threadTime } from "./cpu_time.ts";
import { inChunks, type PageSink } from "./contender.ts";
import { pageJson, PageTally } from "./page_tally.ts";
import { readShape } from "./peers/shape_pages.ts";
import { streamOf } from "./sitetree.ts";
import { median } from "./table.ts";

/** Reads a document and emits its pages, or the children of an index. */
export type Read = (bytes: Uint8Array, sink: PageSink) => void | Promise<void>;

/** Stream of events that may have batches. */
interface Batched {
  batches(): AsyncIterable<readonly TreeEvent[]>;
}

function sinkEvent(event: TreeEvent, sink: PageSink): void {
  if (event.type === "page") sink(event.page);
  else if (event.type === "invalid" && event.code === "unfetched") {
    sink({ url: event.sitemap.url, priority: 0.5 });
  }
}

/** Reads a document with `for await`. */
export async function readOurs(bytes: Uint8Array, sink: PageSink): Promise<void> {
  for await (const event of parseSitemap(streamOf(inChunks(bytes)))) sinkEvent(event, sink);
}

/** Reads a document with `batches()`. */
export async function readBatches(bytes: Uint8Array, sink: PageSink): Promise<void> {
  const events = parseSitemap(streamOf(inChunks(bytes))) as unknown as Batched;
  for await (const batch of events.batches()) {
    for (const event of batch) sinkEvent(event, sink);
  }
}

/** Reads a document in UTF-8 with saxes; throws if it is not well-formed. */
export function readSaxes(bytes: Uint8Array, sink: PageSink): void {
  readShape(inChunks(bytes), sink);
}

/** Whether this version of sitetree has batches. */
export function hasBatches(): boolean {
  return "batches" in parseSitemap("");
}

// ---------------------------------------------------------------------------------------- identity

/** A difference between the pages of both. */
export interface Difference {
  /** Number of the page, from 0. */
  readonly at: number;
  readonly ours: string;
  readonly saxes: string;
}

async function tallyOf(read: Read, bytes: Uint8Array): Promise<PageTally> {
  const tally = new PageTally();
  await read(bytes, (page) => tally.add(page));
  return tally;
}

async function pagesOf(read: Read, bytes: Uint8Array): Promise<string[]> {
  const pages: string[] = [];
  await read(bytes, (page) => void pages.push(pageJson(page)));
  return pages;
}

/** The outcome of reading a document with both. */
export interface Check {
  readonly pages: number;
  /** Absent if all pages are the same. */
  readonly difference?: Difference;
}

/** Compares all pages, in every field and in order, and warms both readers up. */
export async function checkPages(bytes: Uint8Array, saxesReader: Read = readSaxes): Promise<Check> {
  const ours = await tallyOf(readOurs, bytes);
  const saxes = await tallyOf(saxesReader, bytes);
  if (ours.pages === saxes.pages && ours.checksum === saxes.checksum) return { pages: ours.pages };
  const ourPages = await pagesOf(readOurs, bytes);
  const saxesPages = await pagesOf(saxesReader, bytes);
  let at = 0;
  while (at < ourPages.length && ourPages[at] === saxesPages[at]) at++;
  const difference = { at, ours: ourPages[at] ?? "none", saxes: saxesPages[at] ?? "none" };
  return { pages: ours.pages, difference };
}

/**
 * Changes pages as sitetree does for a document without a URL: unusable and repeated addresses are
 * dropped, others repaired, alternates trimmed. Only for the comparison, saxes is timed without it.
 */
export function usablePages(sink: PageSink): PageSink {
  const seen = new Set<string>();
  return (page) => {
    const url = usableAddress(page.url);
    if (url === undefined || seen.has(url)) return;
    seen.add(url);
    const alternates = page.alternates
      ?.map(({ hreflang, href }) => ({ hreflang: hreflang.trim(), href: href.trim() }))
      .filter(({ hreflang, href }) => hreflang !== "" && href !== "");
    sink({ ...page, url, alternates: alternates?.length === 0 ? undefined : alternates });
  };
}

function usableAddress(written: string): string | undefined {
  const address = written.replaceAll(/[\t\r\n]/g, "");
  const absolute = /^www\./i.test(address) ? `https://${address}` : address;
  if (!/^https?:/i.test(absolute) || !URL.canParse(absolute)) return undefined;
  return /^https?:\/\/[^/\\]/i.test(absolute) ? absolute : new URL(absolute).href;
}

// ------------------------------------------------------------------------------------------ timing

/** Duration of a measurement. */
export interface TimingOptions {
  /** Rounds that are always run. */
  readonly minRounds: number;
  /** Minimum for all readers together. */
  readonly seconds: number;
  /** Target of one round per reader: short documents are read repeatedly. */
  readonly secondsPerRound: number;
}

/**
 * Runs a minor garbage collection. A full one would discard optimized code, and the next reader would
 * be timed while it warms up again.
 */
const { gc: sweep } = globalThis as { gc?: (options: { type: "minor" }) => void };

async function secondsOf(read: Read, bytes: Uint8Array, repeats: number): Promise<number> {
  let pages = 0;
  const count = () => void pages++;
  sweep?.({ type: "minor" });
  const start = threadTime();
  for (let repeat = 0; repeat < repeats; repeat++) await read(bytes, count);
  return (threadTime() - start) / repeats;
}

/** Reads a document with each reader in turn; returns the median seconds of one reading. */
export async function timeReaders<K extends string>(
  readers: Readonly<Record<K, Read>>,
  bytes: Uint8Array,
  options: TimingOptions,
): Promise<Record<K, number>> {
  const timed: { name: K; read: Read; repeats: number; seconds: number[] }[] = [];
  for (const name in readers) {
    const read = readers[name];
    const seconds = await secondsOf(read, bytes, 1);
    const repeats = Math.max(1, Math.round(options.secondsPerRound / seconds));
    timed.push({ name, read, repeats, seconds: [] });
  }
  const start = performance.now();
  const isEnough = (round: number) =>
    round >= options.minRounds && performance.now() - start >= options.seconds * 1000;
  for (let round = 0; !isEnough(round); round++) {
    for (const { read, repeats, seconds } of timed) {
      seconds.push(await secondsOf(read, bytes, repeats));
    }
  }
  const medians = timed.map(({ name, seconds }) => [name, median(seconds)] as const);
  return Object.fromEntries(medians) as Record<K, number>;
}

/** The geometric mean. */
export function geometricMean(values: readonly number[]): number {
  return Math.exp(values.reduce((sum, value) => sum + Math.log(value), 0) / values.length);
}
