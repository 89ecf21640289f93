import {
  type ByteSource,
  type Chunk,
  limitBytes,
  type WarnCallback,
} from "../bytes/byte_source.ts";
import { charsetOf, isGzip } from "../bytes/detect_encoding.ts";
import { decompress, type DecompressedSource, lastCoding } from "../bytes/gunzip.ts";
import { HeldBytes } from "../bytes/window.ts";
import { CallerError, TruncatedError } from "../data/errors.ts";
import type { SitemapType, TreeEvent } from "../data/events.ts";
import { DEFAULT_LIMITS, MAX_GZIP_LAYERS, MAX_ROBOTS_BYTES } from "../data/limits.ts";
import { excerpt } from "../data/text.ts";
import { type DocumentOutcome, DocumentReader, ReaderPool } from "../formats/document.ts";
import type { EntryDigest } from "../formats/entries.ts";
import { type Clock, eventLoopTurns } from "../http/clock.ts";
import { bodyFailure } from "../http/failure.ts";
import { AddressBudget } from "./addresses.ts";
import type { Send } from "./event_stream.ts";
import type { BodyCheck } from "./known_sitemaps.ts";
import type { ResolvedWalkOptions } from "./options.ts";
import { isOtherContent, SAME_BYTES, type Tally, UNWANTED } from "./verdict.ts";
import { type DocumentSource, RestartError, resumableBody } from "./resumable_body.ts";
import { SitemapNode, type SitemapPlace } from "./sitemap_node.ts";

export interface ReadingContext {
  readonly options: Pick<ResolvedWalkOptions, "maxBytes" | "notes">;
  readonly readers: ReaderPool;
  readonly budget: AddressBudget;
  readonly tally: Tally;
  /** Whether the walk has ended, so that nothing more is read. */
  readonly isEnded: () => boolean;
  readonly turn: () => Promise<void> | undefined;
  readonly clock: Clock;
}

export function readingContext(
  options: Pick<ResolvedWalkOptions, "maxBytes" | "maxEntries" | "notes">,
  own: Pick<ReadingContext, "tally" | "isEnded" | "clock">,
  maxSitemaps: number,
): ReadingContext {
  const limits = { ...DEFAULT_LIMITS, maxEntries: options.maxEntries };
  return {
    ...own,
    options,
    readers: new ReaderPool(limits, options.notes),
    budget: new AddressBudget(maxSitemaps),
    turn: eventLoopTurns(own.clock),
  };
}

interface ReadingOptions {
  readonly isRobots: boolean;
  /**
   * Whether it is read only if it is an index, or only until its kind is known, unless it is
   * robots.txt. The outcome of a sitemap that is not read is {@linkcode UNWANTED}.
   */
  readonly only?: "index" | "kind" | undefined;
  /** Compares its body with the last one; the outcome is {@linkcode SAME_BYTES} if it is the same. */
  readonly check?: BodyCheck | undefined;
}

/** Events that are sent although more bytes are ready. */
const MAX_BATCH = 128;

/** Larger chunks are read in pieces, so that few events wait to be sent. */
const PIECE_BYTES = 64 * 1024;

const TOO_MANY_LAYERS: DocumentOutcome = {
  code: "not-a-sitemap",
  reason: `Compressed with gzip more than ${MAX_GZIP_LAYERS} times`,
};

export class DocumentVisit {
  readonly node: SitemapNode;
  cut: TruncatedError | undefined;
  readonly #source: DocumentSource;
  readonly #context: ReadingContext;
  readonly #options: ReadingOptions;
  /** Milliseconds in which its events were not taken. */
  #unread = 0;
  /** Bytes of robots.txt; one beyond the limit shows that the last line may be cut. */
  readonly robots: HeldBytes = new HeldBytes();
  /** Whether it is known to be a sitemap that is not read. */
  #isUnwanted = false;
  #reader: DocumentReader;
  /** An earlier reading, whose body broke off. */
  #broken: { readonly reader: DocumentReader; readonly bytes: number } | undefined;

  constructor(
    place: SitemapPlace,
    source: DocumentSource,
    options: ReadingOptions,
    context: ReadingContext,
  ) {
    this.#source = source;
    this.#context = context;
    this.#options = options;
    this.node = new SitemapNode(place, source.url, {
      tally: context.tally,
      ignoresPages: options.only !== undefined,
      addresses: context.budget,
      typeOf: () => this.#reader.type,
      notes: context.options.notes,
      response: source.response,
    });
    this.#reader = this.#newReader(source);
  }

  get type(): SitemapType | undefined {
    return this.#reader.type;
  }

  /** The last of its events are not sent, but left in the node. */
  async read(send: Send<TreeEvent>): Promise<DocumentOutcome> {
    const { clock } = this.#context;
    const started = clock.elapsed() - (this.#source.waited?.() ?? 0);
    const outcome = await this.#read(send);
    this.node.durationMs = clock.elapsed() - started - this.#unread;
    return outcome;
  }

  async #read(send: Send<TreeEvent>): Promise<DocumentOutcome> {
    const { contentType } = this.#source.response ?? {};
    if (contentType !== undefined && !CONTENT_TYPE_REGEXP.test(contentType)) {
      this.node.note?.("content-type", `Content-Type is "${excerpt(contentType)}"`);
    }
    let outcome: DocumentOutcome | undefined;
    for (let source = this.#source; outcome === undefined;) {
      this.cut = undefined;
      const read = await this.#readOnce(source, send);
      if (read instanceof RestartError) this.#restart(source = read.source);
      else outcome = read ?? this.#end();
    }
    if (outcome === SAME_BYTES) return outcome;
    if (!("code" in outcome)) this.#isUnwanted = this.#isUnwantedType(outcome.type);
    if (this.#isUnwanted) return UNWANTED;
    const isOther = "code" in outcome && isOtherContent(outcome) && this.cut === undefined;
    if (isOther && this.#options.only !== undefined) return outcome;
    this.#context.tally.bytes += this.node.bytes;
    if (this.robots.length > 0 && this.type === "IndexRobotsTxtSitemap") {
      const text = new TextDecoder().decode(this.robots.bytes.subarray(0, MAX_ROBOTS_BYTES));
      this.node.note?.("robots-txt", text);
    }
    return outcome;
  }

  #newReader({ url, contentType }: DocumentSource, skipped?: EntryDigest): DocumentReader {
    const { readers } = this.#context;
    const { isRobots } = this.#options;
    const charset = charsetOf(contentType);
    return new DocumentReader({ url, isRobots, charset, readers, skipped }, this.node);
  }

  /** Reads it from its beginning to its end, or until it has to be read again. */
  async #readOnce(
    { body, contentEncoding, misencoded, isRaw, reopen }: DocumentSource,
    send: Send<TreeEvent>,
  ): Promise<DocumentOutcome | RestartError | undefined> {
    const { node } = this;
    const { check } = this.#options;
    let source = reopen === undefined ? body : resumableBody(body, reopen);
    try {
      if (check !== undefined) {
        const checked = await check.open(source);
        if (checked === undefined) return SAME_BYTES;
        source = checked;
      }
      const content = await this.#decompress(source, contentEncoding);
      const isPlain = isRaw && !content.wasCompressed && !canHaveCoding(content, contentEncoding);
      const wrong = misencoded ?? (isPlain ? contentEncoding! : undefined);
      if (wrong !== undefined) {
        node.warning("content-encoding", `Body is not encoded as "${excerpt(wrong)}"`);
      }
      source = content.source;
      if (content.wasCompressed) source = limitBytes(source, this.#context.options.maxBytes);
      if (isGzip(content.head)) return TOO_MANY_LAYERS;
      for (let isUnsettled = true; isUnsettled;) {
        if (node.waiting > 0) await this.#send(send);
        let chunk: Chunk;
        try {
          chunk = await source.read();
        } catch (error) {
          if (error instanceof RestartError || error instanceof CallerError) throw error;
          this.cut = cutOf(error, contentEncoding);
        }
        if (chunk === undefined) break;
        for (let at = 0; isUnsettled && at < chunk.length; at += PIECE_BYTES) {
          if (at > 0 && node.waiting >= MAX_BATCH) await this.#send(send);
          isUnsettled = this.#take(chunk.subarray(at, at + PIECE_BYTES));
          const turn = this.#context.turn();
          if (turn !== undefined) await turn;
        }
      }
      if (check !== undefined) await check.finish();
    } catch (error) {
      if (error instanceof RestartError) return error;
      throw error;
    } finally {
      source.cancel();
    }
    return undefined;
  }

  async #send(send: Send<TreeEvent>): Promise<void> {
    const { clock } = this.#context;
    const sent = clock.elapsed();
    await send(this.node.take());
    this.#unread += clock.elapsed() - sent;
  }

  /** Starts another reading, which skips the entries of the first. */
  #restart(source: DocumentSource): void {
    const { node } = this;
    const reader = this.#reader;
    if (!reader.isSkipping) this.#broken = { reader, bytes: node.bytes };
    const entries = this.#broken!.reader.digest;
    node.restart();
    this.robots.length = 0;
    this.#reader = this.#newReader(source, entries.count > 0 ? entries : undefined);
  }

  #end(): DocumentOutcome {
    const isEnded = this.#context.isEnded();
    // the last of the skipped entries may be held back
    if (this.#reader.isSkipping) this.#reader.catchUp();
    if (this.#reader.isSkipping) return this.#endOfBroken(isEnded);
    // the reason is reported once, on the root
    if (isEnded) return this.#reader.end(new TruncatedError("body-cut", "Left unread"), true);
    return this.#reader.end(this.cut);
  }

  /** Ends a document that has changed since it broke off, or broke off again. */
  #endOfBroken(isEnded: boolean): DocumentOutcome {
    const { reader, bytes } = this.#broken!;
    this.cut ??= new TruncatedError("body-cut", "Truncated body, changed when requested again");
    this.node.bytes = bytes;
    this.#reader = reader;
    return reader.end(this.cut, isEnded);
  }

  /** Returns whether more bytes are wanted. */
  #take(chunk: Uint8Array): boolean {
    const left = this.#robotsBytesLeft();
    if (chunk.length <= left) return this.#write(chunk);
    if (!this.#write(chunk.subarray(0, left))) return false;
    // these bytes may have been the first to show that it is XML
    if (this.#robotsBytesLeft() > 0) return this.#write(chunk.subarray(left));
    this.robots.add(chunk.subarray(left, left + 1));
    const message = `Content is larger than ${MAX_ROBOTS_BYTES} bytes`;
    this.cut = new TruncatedError("robots-too-large", message);
    return false;
  }

  #write(chunk: Uint8Array): boolean {
    this.node.bytes += chunk.length;
    this.#reader.write(chunk);
    if (this.#isRobotsContent) this.robots.add(chunk);
    this.#isUnwanted = this.#isUnwantedType(this.#reader.type);
    return !this.#reader.settled && !this.#isUnwanted && !this.#context.isEnded();
  }

  #isUnwantedType(type: SitemapType | undefined): boolean {
    const { only } = this.#options;
    if (only === undefined || type === undefined) return false;
    return only === "kind" ? type !== "IndexRobotsTxtSitemap" : !type.startsWith("Index");
  }

  /** Number of bytes below the limit of robots.txt. XML in its place does not have that limit. */
  #robotsBytesLeft(): number {
    if (!this.#isRobotsContent) return Infinity;
    return MAX_ROBOTS_BYTES - this.node.bytes;
  }

  /** Whether it was requested as robots.txt, and its content is not known to be XML. */
  get #isRobotsContent(): boolean {
    if (!this.#options.isRobots) return false;
    const { type } = this.#reader;
    return type === undefined || type === "IndexRobotsTxtSitemap";
  }

  #decompress(body: ByteSource, contentEncoding: string | null): Promise<DecompressedSource> {
    const warn: WarnCallback = (code, message) => {
      // decompression is ahead of the reader, which may be settled by what it has not read yet
      this.#reader.catchUp();
      if (!this.#reader.settled) this.node.warning(code, message);
    };
    // compressed bytes have a limit too: endless empty members decompress to nothing
    const compressed = limitBytes(body, this.#context.options.maxBytes);
    return decompress(compressed, { warn, contentEncoding });
  }
}

function cutOf(error: unknown, contentEncoding: string | null): TruncatedError {
  if (error instanceof TruncatedError) return error;
  const { code, reason } = bodyFailure(error);
  if (code !== "content-encoding") return new TruncatedError("body-cut", reason, { cause: error });
  const message = `Corrupt ${excerpt(contentEncoding ?? "compressed")} data`;
  return new TruncatedError("gzip-cut", message, { cause: error });
}

/** Content-Type of XML, RSS, Atom, text or gzip. */
const CONTENT_TYPE_REGEXP =
  /^\s*(?:(?:text|application)\/(?:[\w.-]+\+)?xml|text\/plain|application\/(?:x-)?gzip)\s*(?:;|$)/i;

/** Codings, with the first bytes of those that are not decompressed. */
const CODINGS: Readonly<Record<string, readonly number[]>> = {
  ...{ "gzip": [], "x-gzip": [], "deflate": [], "br": [] },
  ...{ "zstd": [0x28, 0xb5], "compress": [0x1f, 0x9d], "x-compress": [0x1f, 0x9d] },
};

/** Whether bytes that were not decompressed can have their coding, if it is one. */
function canHaveCoding({ head }: DecompressedSource, contentEncoding: string | null): boolean {
  const coding = lastCoding(contentEncoding) ?? "";
  if (head.length === 0 || !Object.hasOwn(CODINGS, coding)) return true;
  const start = CODINGS[coding]!;
  return start.length > 0 && start.every((byte, at) => head[at] === byte);
}
