import { type ByteSource, chunkSource, streamSource } from "../bytes/byte_source.ts";
import { type EventStream, MAX_BATCH_ITEMS } from "../data/batches.ts";
import type { FinishedEvent, InvalidEvent, TreeEvent } from "../data/events.ts";
import { WALK_NUMBERS } from "../data/limits.ts";
import { ADDRESS, applyRules, type OptionRules, STRING } from "../data/option_rules.ts";
import { isRobotsUrl, withoutUserInfo } from "../data/url.ts";
import { SYSTEM_CLOCK } from "../http/clock.ts";
import { describeResponse } from "../http/failure.ts";
import { DocumentVisit, readingContext } from "./document_visit.ts";
import { EventQueue, type Send } from "./event_stream.ts";
import { WALK_RULES, type WalkOptions } from "./options.ts";
import { limitOf, type PageGate, selecting } from "./page_selection.ts";
import type { DocumentSource } from "./resumable_body.ts";
import { refOf, type SitemapNode } from "./sitemap_node.ts";
import { Tally } from "./verdict.ts";

/** Options of {@linkcode parseSitemap}: what the document is, and some of those of `walk()`. */
export interface ParseOptions extends
  Pick<
    WalkOptions,
    "includePage" | "maxBytes" | "maxEntries" | "maxPages" | "notes" | "signal"
  > {
  /**
   * URL of the document: relative addresses are resolved against it, and one that ends in
   * `/robots.txt` is read as such. Default: the URL of a `Response`, else none.
   */
  readonly url?: string | URL;
  /** Content-Type of the document, for its charset. Default: that of a `Response`, else none. */
  readonly contentType?: string;
}

const { includePage, maxBytes, maxEntries, maxPages, notes, signal } = WALK_RULES;
const OPTIONS: OptionRules<ParseOptions> = {
  ...{ url: ADDRESS, contentType: STRING },
  ...{ includePage, maxBytes, maxEntries, maxPages, notes, signal },
};

/**
 * Parses one document, without any network. It is the root of the tree; the children of an index are
 * `invalid` with code `unfetched`.
 *
 * @param source a string, bytes, a stream of bytes, a `Blob` or a `Response`; gzip is decompressed
 * @param options URL, Content-Type and limits of the document
 * @throws {TypeError} at the first `next()`, if an option is unknown or invalid
 * @throws {RangeError} at the first `next()`, if an option is out of range
 *
 * @example
 * ```ts
 * import { parseSitemap } from "@sitetree/sitetree";
 * import { assertEquals } from "@std/assert";
 *
 * const xml = "<urlset><url><loc>/a?x=1&y=2</loc></url></urlset>";
 * const seen: string[] = [];
 * for await (const event of parseSitemap(xml, { url: "https://example.com/sitemap.xml" })) {
 *   if (event.type === "page") seen.push(event.page.url);
 *   if (event.type === "warning") seen.push(event.code);
 * }
 * assertEquals(seen, ["xml-bare-ampersand", "relative-address", "https://example.com/a?x=1&y=2"]);
 * ```
 */
export function parseSitemap(
  source:
    | string
    | Uint8Array
    | ArrayBuffer
    | Blob
    | ReadableStream<Uint8Array>
    | Response,
  options: ParseOptions = {},
): EventStream<TreeEvent> {
  return parseWith(source, options);
}

/** Does what {@linkcode parseSitemap} does, with a limit on pages that other sources share. */
export function parseWith(
  source: SitemapSource,
  options: ParseOptions,
  pages?: PageGate,
): EventStream<TreeEvent> {
  return new EventQueue<TreeEvent>(
    (send, signal) => parse(source, { options, pages }, send, signal),
    options.signal,
  );
}

type SitemapSource = Parameters<typeof parseSitemap>[0];

const UNFETCHED = "Not fetched: parsing does not use the network";

async function parse(
  source: SitemapSource,
  { options, pages }: { readonly options: ParseOptions; readonly pages: PageGate | undefined },
  sendAll: Send<TreeEvent>,
  signal: AbortSignal,
): Promise<FinishedEvent> {
  const { elapsed, now } = SYSTEM_CLOCK;
  const started = elapsed();
  const limits = applyRules(OPTIONS, options) as unknown as Parameters<typeof readingContext>[0];
  const document = documentOf(source, options);
  const tally = new Tally();
  const gate = pages ?? limitOf(options);
  const isEnded = () => gate?.full.aborted === true;
  const stop = gate === undefined ? signal : AbortSignal.any([signal, gate.full]);
  stop.addEventListener("abort", () => document.body.cancel(stop.reason), { once: true });
  const send = selecting(sendAll, gate, tally);
  const own = { tally, isEnded, clock: SYSTEM_CLOCK };
  const reading = readingContext(limits, own, WALK_NUMBERS.maxSitemaps[1]);
  const place = { id: 0, level: 0, parent: null, index: 0 };
  const isRobots = isRobotsUrl(URL.parse(document.url));
  const visit = new DocumentVisit(place, document, { isRobots }, reading);
  const { node } = visit;
  const outcome = await visit.read(send);
  // the last of its pages tell whether it has ended
  if (gate !== undefined) await send(node.take());
  if (isEnded()) tally.endedBy = "max-pages";
  if ("code" in outcome) {
    tally.declaredInvalid(document.url, outcome);
    node.invalidate(outcome);
  } else {
    const { type, complete } = outcome;
    const { hasDroppedChild } = node;
    node.enter(type);
    tally.read(false, complete && !hasDroppedChild, isEnded() && !hasDroppedChild);
  }
  let events = node.take();
  for (const event of unfetched(node)) {
    tally.invalid++;
    if (events.push(event) < MAX_BATCH_ITEMS) continue;
    await send(events);
    await reading.turn();
    events = [];
  }
  if (!("code" in outcome)) node.leave(outcome.complete);
  const stats = { durationMs: elapsed() - started, requests: 0, retries: 0 };
  const finished = tally.finished("parse", now(), stats);
  await send([...events, ...node.take(), finished]);
  return finished;
}

function* unfetched({ children }: SitemapNode): Generator<InvalidEvent> {
  for (const [index, { url, lastModified }] of children.entries()) {
    const place = { id: index + 1, level: 1, parent: 0, index, lastModified };
    const sitemap = refOf(place, "InvalidSitemap", url);
    yield { type: "invalid", sitemap, code: "unfetched", reason: UNFETCHED };
  }
}

function documentOf(source: SitemapSource, { url, contentType }: ParseOptions): DocumentSource {
  const response = source instanceof Response ? source : undefined;
  const address = URL.parse(String(url ?? response?.url ?? ""));
  const declared = contentType ?? response?.headers.get("content-type") ?? null;
  return {
    url: address === null ? "" : withoutUserInfo(address).href,
    // a string is Unicode, whatever encoding it declares
    contentType: typeof source === "string" ? "text/plain; charset=utf-8" : declared,
    contentEncoding: response?.headers.get("content-encoding") ?? null,
    response: response && describeResponse(response, response.redirected ? 1 : 0),
    misencoded: undefined,
    isRaw: false,
    offset: 0,
    body: bodyOf(source),
  };
}

function bodyOf(source: SitemapSource): ByteSource {
  if (typeof source === "string") return chunkSource([new TextEncoder().encode(source)]);
  if (source instanceof Uint8Array) return chunkSource([source]);
  if (source instanceof ArrayBuffer) return chunkSource([new Uint8Array(source)]);
  if (source instanceof Blob) return streamSource(source.stream());
  if (source instanceof Response) return source.body ? streamSource(source.body) : chunkSource([]);
  return streamSource(source);
}
