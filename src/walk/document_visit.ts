/**
 * Reads one document from its delivery to its outcome.
 *
 * @module
 */

import type { ByteSource } from "../bytes/byte_source.ts";
import { charsetOf } from "../bytes/decode.ts";
import { unpacked } from "../bytes/inflate.ts";
import { limited } from "../bytes/limit.ts";
import { CutError } from "../errors.ts";
import type { TreeEvent } from "../events.ts";
import type { HashSeed } from "../formats/address_set.ts";
import { DocumentReader } from "../formats/document.ts";
import type { DocumentOutcome } from "../formats/reader.ts";
import type { DocumentLimits } from "../limits.ts";
import { type Place, SitemapNode } from "./sitemap_node.ts";
import type { Tally } from "./tally.ts";

/** What reading documents takes besides the documents. */
export interface ReadingContext {
  /** Ceilings inside a document. */
  readonly limits: DocumentLimits;
  /** Makes hashes unforeseeable. */
  readonly seed: HashSeed;
  /** Counts for the whole walk. */
  readonly tally: Tally;
  /** Pages after which the walk ends. */
  readonly maxPages: number;
  /** Whether the walk has ended: nothing more is read. */
  isEnded(): boolean;
}

/** A document to be read. */
export interface DocumentSource {
  /** Where it came from in the end; relative addresses are resolved against it. */
  readonly url: string;
  /** Its Content-Type. */
  readonly contentType: string | null;
  /** Its Content-Encoding. */
  readonly contentEncoding: string | null;
  /** Whether it was not encoded as it claimed. */
  readonly misencoded: boolean;
  /** Its bytes. */
  readonly body: ByteSource;
}

/** One document being read. */
export class DocumentVisit {
  /** What the document gives. */
  readonly node: SitemapNode;
  readonly #source: DocumentSource;
  readonly #context: ReadingContext;
  readonly #isRobots: boolean;
  readonly #reader: DocumentReader;
  readonly #onBytes: ((chunk: Uint8Array) => void) | undefined;

  /** `isRobots` says that it was asked for as robots.txt; `onBytes` sees its unpacked bytes. */
  constructor(
    place: Place,
    source: DocumentSource,
    isRobots: boolean,
    context: ReadingContext,
    onBytes?: (chunk: Uint8Array) => void,
  ) {
    this.#source = source;
    this.#context = context;
    this.#isRobots = isRobots;
    this.#onBytes = onBytes;
    const node: SitemapNode = new SitemapNode(
      place,
      source.url,
      () => this.#reader.type,
      context.tally,
      context.maxPages,
    );
    this.node = node;
    this.#reader = new DocumentReader({
      url: source.url,
      isRobots,
      charset: charsetOf(source.contentType),
      limits: context.limits,
      seed: context.seed,
    }, node);
  }

  /** Reads it, a batch of events a chunk. */
  async *read(): AsyncGenerator<TreeEvent[], DocumentOutcome, void> {
    const { node } = this;
    const { body, contentEncoding, misencoded } = this.#source;
    const context = this.#context;
    let source: ByteSource = body;
    let cut: CutError | undefined;
    try {
      if (misencoded) {
        node.warning("content-encoding", `Body is not encoded as "${contentEncoding}"`);
      }
      source = await this.#unpacked(body, contentEncoding);
      for (;;) {
        const chunk = await source.read();
        if (chunk === undefined) break;
        node.bytes += chunk.length;
        context.tally.bytes += chunk.length;
        this.#onBytes?.(chunk);
        this.#reader.write(chunk);
        const events = node.take();
        if (events.length > 0) yield events;
        if (this.#reader.settled || context.isEnded()) break;
      }
    } catch (error) {
      cut = cutOf(error);
    } finally {
      source.cancel();
    }
    // why the walk ended is told once, on its root
    if (context.isEnded()) return this.#reader.end(new CutError("body-cut", "Left unread"), true);
    return this.#reader.end(cut);
  }

  async #unpacked(body: ByteSource, contentEncoding: string | null): Promise<ByteSource> {
    const { maxBytes, maxRobotsBytes } = this.#context.limits;
    const source = await unpacked(body, {
      warn: (code, message) => this.node.warning(code, message),
      ...(contentEncoding === null ? {} : { contentEncoding }),
    });
    return this.#isRobots && maxRobotsBytes < maxBytes
      ? limited(source, maxRobotsBytes, "robots-too-large")
      : limited(source, maxBytes, "too-large");
  }
}

function cutOf(error: unknown): CutError {
  if (error instanceof CutError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new CutError("body-cut", `Body broke off: ${message}`, { cause: error });
}
