/**
 * Reads one document from its delivery to its outcome.
 *
 * @module
 */

import type { ByteSource, Chunk } from "../bytes/byte_source.ts";
import { charsetOf } from "../bytes/detect_encoding.ts";
import { unpacked } from "../bytes/inflate.ts";
import { limited } from "../bytes/limit.ts";
import { isGzip } from "../bytes/sniff.ts";
import type { UnpackedSource, UnpackWarn } from "../bytes/unpacking.ts";
import { CutError } from "../errors.ts";
import type { TreeEvent } from "../events.ts";
import { DocumentReader } from "../formats/document.ts";
import type { DocumentOutcome, ReaderPool } from "../formats/xml_document.ts";
import { type DocumentLimits, MAX_GZIP_LAYERS } from "../limits.ts";
import type { ChildBudget } from "./child_budget.ts";
import type { Send } from "./event_stream.ts";
import { type Place, SitemapNode } from "./sitemap_node.ts";
import type { Tally } from "./tally.ts";

/** What reading documents takes besides the documents. */
export interface ReadingContext {
  /** Ceilings inside a document. */
  readonly limits: DocumentLimits;
  /** What reading documents takes, used for one after another. */
  readonly readers: ReaderPool;
  /** Room for the addresses of sub-sitemaps. */
  readonly childBudget: ChildBudget;
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

/** Events that are handed over although the next bytes are there: small documents have fewer. */
const MAX_BATCH = 128;

/**
 * Larger chunks are read in pieces: events that wait to be handed over survive collections of young
 * garbage, for which the engine takes more memory.
 */
const PIECE_BYTES = 64 * 1024;

/** What becomes of a document that is still packed when all layers are undone. */
const OVERPACKED: DocumentOutcome = {
  code: "not-a-sitemap",
  reason: `Packed with gzip more than ${MAX_GZIP_LAYERS} times`,
};

/** One document being read. */
export class DocumentVisit {
  /** What the document gives. */
  readonly node: SitemapNode;
  /** Why not all of it was read, where that is so. */
  cut: CutError | undefined;
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
      context.childBudget,
    );
    this.node = node;
    this.#reader = new DocumentReader({
      url: source.url,
      isRobots,
      charset: charsetOf(source.contentType),
      limits: context.limits,
      readers: context.readers,
    }, node);
  }

  /**
   * Reads it. What it gives is handed over whenever more bytes have to be waited for, and where it is
   * much; the last of it stays with the node.
   */
  async read(send: Send<TreeEvent>): Promise<DocumentOutcome> {
    const { node } = this;
    const { body, contentEncoding, misencoded } = this.#source;
    const context = this.#context;
    let source: ByteSource = body;
    try {
      if (misencoded) {
        node.warning("content-encoding", `Body is not encoded as "${contentEncoding}"`);
      }
      const unpacking = this.#unpacked(body, contentEncoding);
      const content = unpacking instanceof Promise ? await unpacking : unpacking;
      source = this.#limited(content);
      if (isGzip(content.head)) return OVERPACKED;
      for (let mayGoOn = true; mayGoOn;) {
        const mustWait = source.ready !== true;
        if (node.waiting >= (mustWait ? 1 : MAX_BATCH)) await send(node.take());
        let chunk: Chunk;
        try {
          const next = source.read();
          chunk = next instanceof Promise ? await next : next;
        } catch (error) {
          this.cut = cutOf(error);
        }
        if (chunk === undefined) break;
        for (let at = 0; mayGoOn && at < chunk.length; at += PIECE_BYTES) {
          if (at > 0 && node.waiting >= MAX_BATCH) await send(node.take());
          mayGoOn = this.#take(pieceOf(chunk, at));
        }
      }
    } finally {
      source.cancel();
    }
    // why the walk ended is told once, on its root
    if (context.isEnded()) return this.#reader.end(new CutError("body-cut", "Left unread"), true);
    return this.#reader.end(this.cut);
  }

  /** Takes some bytes; returns whether more are wanted. */
  #take(chunk: Uint8Array): boolean {
    const left = this.#robotsBytesLeft();
    if (chunk.length <= left) return this.#write(chunk);
    if (!this.#write(chunk.subarray(0, left))) return false;
    // the bytes just written may be the first to show that it is XML
    if (this.#robotsBytesLeft() > 0) return this.#write(chunk.subarray(left));
    const { maxRobotsBytes } = this.#context.limits;
    const message = `Content is larger than ${maxRobotsBytes} bytes`;
    this.cut = new CutError("robots-too-large", message);
    return false;
  }

  #write(chunk: Uint8Array): boolean {
    this.node.bytes += chunk.length;
    this.#context.tally.bytes += chunk.length;
    this.#reader.write(chunk);
    if (this.#isRobotsContent) this.#onBytes?.(chunk);
    return !this.#reader.settled && !this.#context.isEnded();
  }

  /** Number of bytes below the limit of robots.txt. XML in its place does not have that limit. */
  #robotsBytesLeft(): number {
    if (!this.#isRobotsContent) return Infinity;
    return this.#context.limits.maxRobotsBytes - this.node.bytes;
  }

  /** Whether it was requested as robots.txt, and its content is not known to be XML. */
  get #isRobotsContent(): boolean {
    if (!this.#isRobots) return false;
    const { type } = this.#reader;
    return type === undefined || type === "IndexRobotsTxtSitemap";
  }

  #unpacked(
    body: ByteSource,
    contentEncoding: string | null,
  ): UnpackedSource | Promise<UnpackedSource> {
    // named first, see `XmlDocumentReader`
    const warn: UnpackWarn = (code, message) => {
      // unpacking is ahead of reading, which may have found its end in what was unpacked before
      this.#reader.catchUp();
      if (!this.#reader.settled) this.node.warning(code, message);
    };
    // packed bytes have the same ceiling: there is packing without end that holds nothing
    const packed = limited(body, this.#context.limits.maxBytes, "too-large");
    return unpacked(packed, { warn, contentEncoding });
  }

  #limited({ source, wasPacked }: UnpackedSource): ByteSource {
    return wasPacked ? limited(source, this.#context.limits.maxBytes, "too-large") : source;
  }
}

function pieceOf(chunk: Uint8Array, at: number): Uint8Array {
  return chunk.length <= PIECE_BYTES ? chunk : chunk.subarray(at, at + PIECE_BYTES);
}

function cutOf(error: unknown): CutError {
  if (error instanceof CutError) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new CutError("body-cut", `Body broke off: ${message}`, { cause: error });
}
