/**
 * `parseSitemap()`: one document, no network.
 *
 * @module
 */

import { type EventStream, MAX_BATCH_ITEMS } from "../data/batches.ts";
import { type ByteSource, sourceOf } from "../bytes/byte_source.ts";
import { streamSource } from "../bytes/byte_source.ts";
import type { SitemapRef, TreeEvent } from "../data/events.ts";
import { type DocumentOutcome, ReaderPool } from "../formats/document.ts";
import { EventLoopTurns, SYSTEM_CLOCK } from "../http/clock.ts";
import type { DocumentLimits } from "../data/limits.ts";
import { isRobotsUrl } from "../data/url.ts";
import { ChildBudget } from "./tally.ts";
import { DocumentVisit } from "./document_visit.ts";
import { type BatchSource, EventQueue, type Send } from "./event_stream.ts";
import { resolveOptions } from "./options.ts";
import type { DocumentSource } from "./resumable_body.ts";
import { refOf, type SitemapNode } from "./sitemap_node.ts";
import { Tally } from "./tally.ts";

/** A document to be parsed. */
export type SitemapSource =
  | string
  | Uint8Array
  | ArrayBuffer
  | Blob
  | ReadableStream<Uint8Array>
  | Response;

/** How to parse one document. */
export interface ParseOptions extends Partial<DocumentLimits> {
  /**
   * Where it came from: relative addresses are resolved against it, and one that ends in
   * `/robots.txt` is read as such. Default: the URL of a `Response`, else none.
   */
  readonly url?: string | URL;
  /** Its Content-Type, for the charset. Default: that of a `Response`, else none. */
  readonly contentType?: string;
  /** Stops the parse; the iteration throws its reason. Default: none. */
  readonly signal?: AbortSignal;
}

/**
 * Parses one document, without any network. It is the root of its own little tree; the children of
 * an index are `invalid` with code `unfetched`.
 *
 * @param source a string, bytes, a stream of bytes, a `Blob` or a `Response`; gzip is undone
 * @param options where it came from, and its ceilings
 * @throws {RangeError} at the first `next()`, where an option is out of range
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
  source: SitemapSource,
  options: ParseOptions = {},
): EventStream<TreeEvent> {
  return new EventQueue(new Parse(source, options), options.signal);
}

const UNFETCHED = "Not fetched: parsing does not use the network";

class Parse implements BatchSource<TreeEvent> {
  readonly #source: SitemapSource;
  readonly #options: ParseOptions;
  #body: ByteSource | undefined;

  constructor(source: SitemapSource, options: ParseOptions) {
    this.#source = source;
    this.#options = options;
  }

  async run(send: Send<TreeEvent>): Promise<void> {
    const started = SYSTEM_CLOCK.elapsed();
    const turns = new EventLoopTurns(SYSTEM_CLOCK);
    const tally = new Tally();
    const { url: _url, contentType: _contentType, ...rest } = this.#options;
    const limits = resolveOptions(rest);
    const document = documentOf(this.#source, this.#options);
    this.#body = document.body;
    const visit = new DocumentVisit(
      { id: 0, level: 0, parent: null, index: 0 },
      document,
      { isRobots: isRobotsUrl(URL.parse(document.url)) },
      {
        limits,
        readers: new ReaderPool(limits),
        childBudget: new ChildBudget(limits.maxSitemaps),
        tally,
        maxPages: Infinity,
        isEnded: () => false,
        turn: () => turns.due(),
      },
    );
    const outcome = await visit.read(send);
    let events = this.#close(visit.node, outcome, tally);
    const { children } = visit.node;
    for (let index = 0; index < children.length; index++) {
      const lastModified = children.timeAt(index);
      events.push(unfetched(visit.node.ref!, children.at(index)!, index, lastModified));
      tally.invalid++;
      if (events.length < MAX_BATCH_ITEMS) continue;
      await send(events);
      await turns.due();
      events = [];
    }
    if (!("code" in outcome)) visit.node.leave(outcome.complete);
    events.push(...visit.node.take());
    const { sitemaps, pages, invalid, warnings, bytes, verdict } = tally;
    const durationMs = Math.round(SYSTEM_CLOCK.elapsed() - started);
    const counts = { sitemaps, pages, invalid, warnings, bytes };
    const stats = { ...counts, requests: 0, retries: 0, probes: 0, durationMs };
    events.push({ type: "finished", verdict, stats });
    await send(events);
  }

  /** Ends the entries: the document is read, or invalid. */
  #close(node: SitemapNode, outcome: DocumentOutcome, tally: Tally): TreeEvent[] {
    if ("code" in outcome) {
      tally.declaredInvalid(outcome.code, undefined);
      node.invalidate(outcome.code, outcome.reason);
    } else {
      node.enter(outcome.type);
      tally.read(false, outcome.complete);
    }
    return node.take();
  }

  stop(reason: unknown): void {
    this.#body?.cancel(reason);
  }
}

/** A sitemap that an index lists. */
function unfetched(
  parent: SitemapRef,
  url: string,
  index: number,
  lastModified: number,
): TreeEvent {
  const place = { id: index + 1, level: parent.level + 1, parent: parent.id, index, lastModified };
  const sitemap = refOf(place, "InvalidSitemap", url);
  return { type: "invalid", sitemap, code: "unfetched", reason: UNFETCHED };
}

function documentOf(source: SitemapSource, options: ParseOptions): DocumentSource {
  const response = source instanceof Response ? source : undefined;
  const url = String(options.url ?? response?.url ?? "");
  const declared = options.contentType ?? response?.headers.get("content-type") ?? null;
  return {
    url: URL.parse(url)?.href ?? "",
    // a string has no encoding, whatever it declares
    contentType: typeof source === "string" ? "text/plain; charset=utf-8" : declared,
    contentEncoding: response?.headers.get("content-encoding") ?? null,
    misencoded: false,
    isRaw: false,
    offset: 0,
    body: bodyOf(source),
  };
}

function bodyOf(source: SitemapSource): ByteSource {
  if (typeof source === "string") return inPieces(new TextEncoder().encode(source));
  if (source instanceof Uint8Array) return inPieces(source);
  if (source instanceof ArrayBuffer) return inPieces(new Uint8Array(source));
  if (source instanceof Blob) return streamSource(source.stream());
  if (source instanceof Response) return source.body ? streamSource(source.body) : sourceOf([]);
  return streamSource(source);
}

/** How much is parsed before its events are handed out. */
const PIECE_BYTES = 64 * 1024;

function inPieces(bytes: Uint8Array): ByteSource {
  let at = 0;
  return {
    ready: true,
    read() {
      if (at >= bytes.length) return undefined;
      const piece = bytes.subarray(at, at + PIECE_BYTES);
      at += piece.length;
      return piece;
    },
    cancel: () => void (at = bytes.length),
  };
}
