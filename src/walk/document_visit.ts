/**
 * Reads one document from its delivery to its outcome.
 *
 * @module
 */

import type { ByteSource, Chunk, WarnCallback } from "../bytes/byte_source.ts";
import { charsetOf } from "../bytes/detect_encoding.ts";
import { decompress } from "../bytes/gunzip.ts";
import { limitBytes } from "../bytes/byte_source.ts";
import { isGzip } from "../bytes/detect_encoding.ts";
import type { DecompressedSource } from "../bytes/gunzip.ts";
import type { InvalidCode } from "../data/codes.ts";
import { CallerError, CutError } from "../data/errors.ts";
import type { SitemapType, TreeEvent } from "../data/events.ts";
import { excerpt } from "../data/text.ts";
import { DocumentReader } from "../formats/document.ts";
import type { EntryDigest } from "../formats/entries.ts";
import type { DocumentOutcome, ReaderPool } from "../formats/document.ts";
import { bodyFailure } from "../http/failure.ts";
import { type DocumentLimits, MAX_GZIP_LAYERS } from "../data/limits.ts";
import type { ChildBudget } from "./tally.ts";
import type { Send } from "./event_stream.ts";
import { type DocumentSource, RestartError, ResumableBody } from "./resumable_body.ts";
import type { RobotsReader } from "./robots_gate.ts";
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
  /** Returns a promise of a turn of the event loop when one is due. */
  turn(): Promise<void> | undefined;
}

/** How a document is read. */
export interface ReadingOptions {
  /** Whether it was requested as robots.txt. */
  readonly isRobots: boolean;
  /** Reads its rules. */
  readonly robots?: RobotsReader | undefined;
  /** Whether it is read only if it is an index: any other kind enters nothing into the tree. */
  readonly onlyIndex?: boolean;
}

/** An earlier reading, whose body broke off. */
interface BrokenReading {
  readonly entries: EntryDigest;
  readonly bytes: number;
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
  readonly #robots: RobotsReader | undefined;
  readonly #onlyIndex: boolean;
  /** Whether it is known not to be an index, and should have been one. */
  #isNoIndex = false;
  #reader: DocumentReader;
  #broken: BrokenReading | undefined;

  constructor(
    place: Place,
    source: DocumentSource,
    options: ReadingOptions,
    context: ReadingContext,
  ) {
    this.#source = source;
    this.#context = context;
    this.#isRobots = options.isRobots;
    this.#robots = options.robots;
    this.#onlyIndex = options.onlyIndex === true;
    const node: SitemapNode = new SitemapNode(
      place,
      source.url,
      () => this.#reader.type,
      context.tally,
      // pages would enter it
      this.#onlyIndex ? 0 : context.maxPages,
      context.childBudget,
    );
    this.node = node;
    this.#reader = this.#newReader(source);
  }

  #newReader({ url, contentType }: DocumentSource, skipped?: EntryDigest): DocumentReader {
    const { limits, readers } = this.#context;
    const charset = charsetOf(contentType);
    const options = { url, isRobots: this.#isRobots, charset, limits, readers, skipped };
    return new DocumentReader(options, this.node);
  }

  /**
   * Reads it. What it gives is handed over whenever more bytes have to be waited for, and where it is
   * much; the last of it stays with the node.
   */
  async read(send: Send<TreeEvent>): Promise<DocumentOutcome> {
    for (let source = this.#source;;) {
      this.cut = undefined;
      const outcome = await this.#readOnce(source, send);
      if (outcome === undefined) return this.#end();
      if (!(outcome instanceof RestartError)) return outcome;
      source = outcome.source;
      this.#restart(source);
    }
  }

  /** Reads it from its beginning: to its end, or until it has to be read again. */
  async #readOnce(
    { body, contentEncoding, misencoded, isRaw, reopen }: DocumentSource,
    send: Send<TreeEvent>,
  ): Promise<DocumentOutcome | RestartError | undefined> {
    const { node } = this;
    const context = this.#context;
    let source = reopen === undefined ? body : new ResumableBody(body, reopen);
    try {
      const unpacking = this.#unpacked(source, contentEncoding);
      const content = unpacking instanceof Promise ? await unpacking : unpacking;
      const isPlain = isRaw && isCoding(contentEncoding) && !content.wasCompressed;
      if (misencoded || (isPlain && content.head.length > 0)) {
        node.warning("content-encoding", `Body is not encoded as "${excerpt(contentEncoding!)}"`);
      }
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
          if (error instanceof RestartError) return error;
          if (error instanceof CallerError) throw error;
          this.cut = cutOf(error);
        }
        if (chunk === undefined) break;
        for (let at = 0; mayGoOn && at < chunk.length; at += PIECE_BYTES) {
          if (at > 0 && node.waiting >= MAX_BATCH) await send(node.take());
          mayGoOn = this.#take(pieceOf(chunk, at));
          const turn = context.turn();
          if (turn !== undefined) await turn;
        }
      }
    } finally {
      source.cancel();
    }
    return undefined;
  }

  /** Begins another reading; what was delivered is skipped. */
  #restart(source: DocumentSource): void {
    const { node } = this, reader = this.#reader;
    const { tally } = this.#context;
    tally.bytes -= node.bytes;
    if (!reader.isSkipping) {
      this.#broken = { entries: reader.digest, bytes: node.bytes };
    }
    const { entries } = this.#broken!;
    node.bytes = 0;
    node.restart();
    this.#robots?.restart();
    this.#reader = this.#newReader(source, entries.count > 0 ? entries : undefined);
  }

  #end(): DocumentOutcome {
    const isEnded = this.#context.isEnded();
    // the last of the entries that are skipped may be held back
    if (this.#reader.isSkipping) this.#reader.catchUp();
    if (this.#reader.isSkipping) return this.#endOfBroken(this.#broken!, isEnded);
    // why the walk ended is reported once, on its root
    if (isEnded) return this.#reader.end(new CutError("body-cut", "Left unread"), true);
    return this.#reader.end(this.cut);
  }

  /** The document has changed since it broke off, or broke off again: what was delivered counts. */
  #endOfBroken({ entries, bytes }: BrokenReading, isEnded: boolean): DocumentOutcome {
    this.cut ??= new CutError("body-cut", "Body broken off, and changed when requested again");
    this.#context.tally.bytes += bytes - this.node.bytes;
    this.node.bytes = bytes;
    if (!isEnded) this.node.warning(this.cut.code, this.cut.message);
    return { type: entries.type!, complete: false };
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
    if (this.#isRobotsContent) this.#robots?.write(chunk);
    if (this.#onlyIndex) this.#isNoIndex = isNoIndex(this.#reader.type);
    return !this.#reader.settled && !this.#isNoIndex && !this.#context.isEnded();
  }

  /** Whether a document that is read only if it is an index is none. */
  isDropped(outcome: DocumentOutcome): boolean {
    if (!this.#onlyIndex) return false;
    if (this.#isNoIndex) return true;
    if (!("code" in outcome)) return isNoIndex(outcome.type);
    // of any other failure it is not known what the document would have been
    return this.cut === undefined && NO_INDEX_CODES.has(outcome.code);
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
  ): DecompressedSource | Promise<DecompressedSource> {
    // named first, see `XmlDocumentReader`
    const warn: WarnCallback = (code, message) => {
      // unpacking is ahead of reading, which may have found its end in what was unpacked before
      this.#reader.catchUp();
      if (!this.#reader.settled) this.node.warning(code, message);
    };
    // packed bytes have the same ceiling: there is packing without end that holds nothing
    const packed = limitBytes(body, this.#context.limits.maxBytes, "too-large");
    return decompress(packed, { warn, contentEncoding });
  }

  #limited({ source, wasCompressed }: DecompressedSource): ByteSource {
    return wasCompressed ? limitBytes(source, this.#context.limits.maxBytes, "too-large") : source;
  }
}

/** Codes of documents that are complete and not an index. */
const NO_INDEX_CODES: ReadonlySet<InvalidCode> = new Set<InvalidCode>(["not-a-sitemap", "empty"]);

function isNoIndex(type: SitemapType | undefined): boolean {
  return type !== undefined && !type.startsWith("Index");
}

function pieceOf(chunk: Uint8Array, at: number): Uint8Array {
  return chunk.length <= PIECE_BYTES ? chunk : chunk.subarray(at, at + PIECE_BYTES);
}

function cutOf(error: unknown): CutError {
  if (error instanceof CutError) return error;
  return new CutError("body-cut", bodyFailure(error), { cause: error });
}

const CODINGS: readonly string[] = ["gzip", "x-gzip", "deflate", "br"];

/** Whether a Content-Encoding is one that is decompressed. */
function isCoding(contentEncoding: string | null): boolean {
  return contentEncoding !== null && CODINGS.includes(contentEncoding.trim().toLowerCase());
}
