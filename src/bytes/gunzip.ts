/**
 * What stands around packed data.
 *
 * @module
 */

import type { WarningCode } from "../data/codes.ts";
import { CutError } from "../data/errors.ts";
import { MAX_GZIP_LAYERS } from "../data/limits.ts";
import { createCrc32 } from "../platform/crc32.ts";
import { type Compression, createInflater, type Inflater } from "../platform/inflater.ts";
import { type ByteSource, joined, peeked, type PeekedSource } from "./byte_source.ts";
import { isGzip, isZlib, looksLikeText, TEXT_SAMPLE } from "./detect_encoding.ts";

/** Reads what stands around deflate streams, and checks it. */
export interface Framing {
  /** Compression of the streams. */
  readonly compression: Compression;
  /** Reads up to the next deflate stream: whether there is one. */
  begin(input: ByteInput): Promise<boolean>;
  /** Learns of a piece that was unpacked. */
  unpacked(piece: Uint8Array): void;
  /** Reads what follows a deflate stream. */
  end(input: ByteInput): Promise<void>;
}

// MERGED: A source read by those who count bytes: so many of them, or up to a certain one.

/** A source of which chunks may be taken in part. */
export class ByteInput {
  readonly #source: ByteSource;
  #rest: Uint8Array = new Uint8Array(0);

  /** Makes an input that takes its bytes from `source`, and only when it has none left. */
  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** The bytes at hand, else the next chunk, else `undefined` at the end. */
  async chunk(): Promise<Uint8Array | undefined> {
    // kept longer than until the next read: packed bytes are few
    if (this.#rest.length === 0) return (await this.#source.read())?.slice();
    const rest = this.#rest;
    this.#rest = rest.subarray(rest.length);
    return rest;
  }

  /** Puts bytes back, to be the next ones. */
  unread(bytes: Uint8Array): void {
    this.#rest = joined(bytes, this.#rest);
  }

  /** The next `length` bytes, or fewer where the input ends. */
  async take(length: number): Promise<Uint8Array> {
    let taken: Uint8Array = new Uint8Array(0);
    while (taken.length < length) {
      const chunk = await this.chunk();
      if (chunk === undefined) break;
      taken = joined(taken, chunk);
    }
    this.unread(taken.subarray(length));
    return taken.subarray(0, length);
  }

  /** Leaves out `length` bytes: whether there were as many. */
  async skip(length: number): Promise<boolean> {
    let left = length;
    while (left > 0) {
      const chunk = await this.chunk();
      if (chunk === undefined) return false;
      this.unread(chunk.subarray(left));
      left -= Math.min(left, chunk.length);
    }
    return true;
  }

  /** Leaves out everything through the first `byte`: whether there was one. */
  async skipPast(byte: number): Promise<boolean> {
    for (;;) {
      const chunk = await this.chunk();
      if (chunk === undefined) return false;
      const at = chunk.indexOf(byte);
      if (at < 0) continue;
      this.unread(chunk.subarray(at + 1));
      return true;
    }
  }

  /** Leaves out every `byte` that comes next: whether anything else follows. */
  async skipAll(byte: number): Promise<boolean> {
    for (;;) {
      const chunk = await this.chunk();
      if (chunk === undefined) return false;
      const at = chunk.findIndex((other) => other !== byte);
      if (at < 0) continue;
      this.unread(chunk.subarray(at));
      return true;
    }
  }

  /** Gives up the source. */
  cancel(reason?: unknown): void {
    this.#rest = this.#rest.subarray(0, 0);
    this.#source.cancel(reason);
  }
}

// MERGED: A layer of packing, undone on demand.

/**
 * What deflate streams with something around them unpack to. Gives everything that could be unpacked
 * before it rejects, and lets go of everything when it ends, rejects or is cancelled.
 */
export class InflateSource implements ByteSource {
  readonly #input: ByteInput;
  readonly #framing: Framing;
  readonly #pieceSize: number;
  #body: DeflateBody | undefined;
  #outcome: Promise<undefined> | undefined;

  /** Makes the unpacked side of `source`, in pieces of at most `pieceSize` bytes. */
  constructor(source: ByteSource, framing: Framing, pieceSize: number) {
    this.#input = new ByteInput(source);
    this.#framing = framing;
    this.#pieceSize = pieceSize;
  }

  /** The next piece; see {@linkcode ByteSource}. */
  async read(): Promise<Uint8Array | undefined> {
    try {
      while (this.#outcome === undefined) {
        if (this.#body === undefined) await this.#begin();
        const piece = await this.#body?.next();
        if (piece === undefined) {
          await this.#end();
          continue;
        }
        this.#framing.unpacked(piece);
        return piece;
      }
    } catch (error) {
      this.#finish(Promise.reject(error), error);
    }
    return await this.#outcome;
  }

  /** Lets go of zlib and of the source. */
  cancel(reason?: unknown): void {
    this.#finish(Promise.resolve(undefined), reason);
  }

  async #begin(): Promise<void> {
    if (await this.#framing.begin(this.#input)) {
      // it may have been cancelled meanwhile
      if (this.#outcome === undefined) {
        this.#body = new DeflateBody(this.#input, this.#framing.compression, this.#pieceSize);
      }
    } else this.cancel();
  }

  async #end(): Promise<void> {
    if (this.#outcome !== undefined) return;
    this.#body = undefined;
    await this.#framing.end(this.#input);
  }

  /** The first outcome stays: what a cancelled source rejects with is no news. */
  #finish(outcome: Promise<undefined>, reason: unknown): void {
    // handled by whoever reads
    outcome.catch(() => {});
    if (this.#outcome !== undefined) return;
    this.#outcome = outcome;
    this.#body?.close();
    this.#input.cancel(reason);
  }
}

// MERGED: The members of a gzip file (RFC 1952).

/** How a member begins: the magic bytes, then deflate, the only method there is. */
const MEMBER_START = [0x1f, 0x8b, 0x08];

// RFC 1952 §2.3.1. Of the flags that mean nothing yet we make nothing: if they announce a field
// after all, the data is damaged, and told to be.
const HAS_HEADER_CHECKSUM = 1 << 1;
const HAS_EXTRA = 1 << 2;
const HAS_NAME = 1 << 3;
const HAS_COMMENT = 1 << 4;

/**
 * How many members are read. One costs 30 µs even if it holds nothing, and 100 MiB hold five million
 * such; those who pack by the block make 1,600 of the same content.
 */
const MAX_MEMBERS = 10_000;

/** Reads the headers and trailers of gzip members. */
export class GzipFraming implements Framing {
  readonly compression = "deflate-raw";
  readonly #warn: (code: WarningCode, message: string) => void;
  readonly #crc32 = createCrc32();
  #members = 0;
  #checksum = 0;
  #length = 0;

  /** Makes one that tells what is wrong by `warn`. */
  constructor(warn: (code: WarningCode, message: string) => void) {
    this.#warn = warn;
  }

  /** Reads a header, or finds that none follows. */
  async begin(input: ByteInput): Promise<boolean> {
    // tar and tapes pad with zeros; gzip and Python skip them too
    if (this.#members > 0 && !(await input.skipAll(0))) return false;
    const start = await input.take(MEMBER_START.length);
    if (start.some((byte, at) => byte !== MEMBER_START[at])) {
      if (this.#members === 0) throw new CutError("gzip-cut", "Packed data is damaged");
      this.#warn("gzip-trailing", "Ignored bytes after the last gzip member");
      return false;
    }
    if (start.length < MEMBER_START.length || !(await skipHeader(input))) {
      throw new CutError("gzip-cut", "Packed data ends inside a gzip header");
    }
    if (++this.#members > MAX_MEMBERS) {
      throw new CutError("gzip-cut", `Packed data has more than ${MAX_MEMBERS} gzip members`);
    }
    this.#checksum = 0;
    this.#length = 0;
    return true;
  }

  /** Counts a piece in. */
  unpacked(piece: Uint8Array): void {
    this.#checksum = this.#crc32(piece, this.#checksum);
    this.#length += piece.length;
  }

  /** Reads the checksum and compares it. */
  async end(input: ByteInput): Promise<void> {
    const trailer = await input.take(8);
    if (trailer.length < 8) {
      throw new CutError("gzip-cut", "Packed data ends inside a gzip checksum");
    }
    const view = new DataView(trailer.buffer, trailer.byteOffset);
    // the length is told modulo 2³²
    const isRight = view.getUint32(0, true) === this.#checksum &&
      view.getUint32(4, true) === this.#length >>> 0;
    if (!isRight) {
      this.#warn("gzip-checksum", `Wrong checksum or length of gzip member ${this.#members}`);
    }
  }
}

/** Reads the header after its first three bytes: whether it is all there. */
async function skipHeader(input: ByteInput): Promise<boolean> {
  // flags, then the time, extra flags and the system, which say nothing about the content
  const [flags] = await input.take(1);
  if (flags === undefined || !(await input.skip(6))) return false;
  if ((flags & HAS_EXTRA) !== 0) {
    const [low, high] = await input.take(2);
    if (low === undefined || high === undefined) return false;
    if (!(await input.skip(low + high * 256))) return false;
  }
  if ((flags & HAS_NAME) !== 0 && !(await input.skipPast(0))) return false;
  if ((flags & HAS_COMMENT) !== 0 && !(await input.skipPast(0))) return false;
  // a checksum of fields that we do not use anyway
  return (flags & HAS_HEADER_CHECKSUM) === 0 || await input.skip(2);
}

// MERGED: What `Content-Encoding: deflate` means: zlib (RFC 1950), or, as some servers have it, nothing around the deflate stream at all.

/** Reads the header and checksum of zlib, or does without them. */
export class DeflateFraming implements Framing {
  readonly compression = "deflate-raw";
  readonly #hasZlib: boolean;
  readonly #warn: (code: WarningCode, message: string) => void;
  readonly #checksum = new Adler32();
  #begun = false;

  /** Makes one for zlib or for bare deflate, which tells what is wrong by `warn`. */
  constructor(hasZlib: boolean, warn: (code: WarningCode, message: string) => void) {
    this.#hasZlib = hasZlib;
    this.#warn = warn;
  }

  /** Reads the header, the first time; there is never a second stream. */
  async begin(input: ByteInput): Promise<boolean> {
    if (!this.#begun) {
      this.#begun = true;
      return !this.#hasZlib || await input.skip(2);
    }
    if (await input.skipAll(0)) {
      this.#warn("gzip-trailing", "Ignored bytes after the deflated data");
    }
    return false;
  }

  /** Counts a piece in. */
  unpacked(piece: Uint8Array): void {
    if (this.#hasZlib) this.#checksum.update(piece);
  }

  /** Reads the checksum and compares it. */
  async end(input: ByteInput): Promise<void> {
    if (!this.#hasZlib) return;
    const trailer = await input.take(4);
    if (trailer.length < 4) {
      throw new CutError("gzip-cut", "Packed data ends inside a zlib checksum");
    }
    const view = new DataView(trailer.buffer, trailer.byteOffset);
    if (view.getUint32(0) !== this.#checksum.value) {
      this.#warn("gzip-checksum", "Wrong checksum of the deflated data");
    }
  }
}

/** The checksum of zlib (RFC 1950 §9), which `node:zlib` does not offer. */
class Adler32 {
  #low = 1;
  #high = 0;

  get value(): number {
    return this.#high * 65536 + this.#low;
  }

  update(bytes: Uint8Array): void {
    // so many bytes that the sums stay below 2³¹
    for (let start = 0; start < bytes.length; start += 2048) {
      let low = this.#low;
      let high = this.#high;
      const end = Math.min(start + 2048, bytes.length);
      for (let at = start; at < end; at++) {
        low += bytes[at] ?? 0;
        high += low;
      }
      this.#low = low % 65521;
      this.#high = high % 65521;
    }
  }
}

// MERGED: The deflate stream of one member, read out of a longer input.

/**
 * How much packed input is kept for the case of damage, the current chunk not counted. Sitemaps of
 * the 50 MB that the protocol allows have about as much.
 */
const MAX_KEPT = 4 * 1024 * 1024;
/** What keeping a chunk costs besides its bytes, so that a million chunks of one byte are not kept. */
const CHUNK_COST = 256;

/** One deflate stream. When it has ended, the input stands at the byte after it. */
export class DeflateBody {
  readonly #input: ByteInput;
  readonly #compression: Compression;
  readonly #pieceSize: number;
  /** Made with the first piece, and again to salvage. */
  #inflater: Inflater | undefined;
  #isClosed = false;
  #current: Uint8Array = new Uint8Array(0);
  #kept: Uint8Array[] = [];
  #keptLength = 0;
  #replay: Generator<Uint8Array, void> | undefined;
  #given = 0;
  #toSkip = 0;

  /** Makes a body that begins where `input` stands and gives pieces of at most `pieceSize` bytes. */
  constructor(input: ByteInput, compression: Compression, pieceSize: number) {
    this.#input = input;
    this.#compression = compression;
    this.#pieceSize = pieceSize;
  }

  /**
   * The next piece, or `undefined` at the end of the stream or once closed. Rejects with a
   * `CutError` where the stream is cut or damaged, after every piece that could be had.
   */
  async next(): Promise<Uint8Array | undefined> {
    for (;;) {
      const inflater = this.#inflater ?? await this.#open();
      const step = await inflater.next();
      switch (step) {
        case "hungry":
          await this.#feed(inflater);
          break;
        case "damaged":
          this.#salvage(inflater);
          break;
        case "ended":
          this.#input.unread(this.#current.subarray(this.#current.length - inflater.unused));
          this.close();
          return undefined;
        case "closed":
          return undefined;
        default: {
          const piece = this.#unseen(step);
          if (piece.length > 0) return piece;
        }
      }
    }
  }

  /** Lets go of what it holds, the input excepted. */
  close(): void {
    this.#isClosed = true;
    this.#inflater?.close();
    this.#kept = [];
  }

  /** Creates the inflater; it may have been closed meanwhile. */
  async #open(): Promise<Inflater> {
    const inflater = await createInflater(this.#compression, this.#pieceSize);
    if (inflater === undefined) {
      const reason = `Cannot decompress ${this.#compression}: not supported by this runtime`;
      throw new CutError("gzip-cut", reason);
    }
    if (this.#isClosed) inflater.close();
    return this.#inflater = inflater;
  }

  async #feed(inflater: Inflater): Promise<void> {
    if (this.#replay !== undefined) return this.#feedAgain(inflater, this.#replay);
    const chunk = await this.#input.chunk();
    if (chunk === undefined) return await this.#feedEnd(inflater);
    if (!inflater.isExact) this.#keep();
    this.#current = chunk;
    inflater.write(chunk);
  }

  /** If the stream ended exactly with the input, zlib has no use for one byte more; else it is cut. */
  async #feedEnd(inflater: Inflater): Promise<void> {
    this.#current = new Uint8Array(0);
    inflater.write(new Uint8Array(1));
    const step = await inflater.next();
    if (step !== "ended") throw new CutError("gzip-cut", "Packed data ends too early");
  }

  #feedAgain(inflater: Inflater, replay: Generator<Uint8Array, void>): void {
    const { value } = replay.next();
    if (value === undefined) throw damaged();
    inflater.write(value);
  }

  #keep(): void {
    this.#keptLength += this.#current.length + CHUNK_COST;
    if (this.#keptLength > MAX_KEPT) this.#kept = [];
    else this.#kept.push(this.#current);
  }

  /**
   * zlib throws away what it unpacked on the way to the damage, up to a whole piece. So the input is
   * unpacked once more, the last stretch byte by byte, which gives all but the damaged byte.
   */
  #salvage(inflater: Inflater): void {
    const isHopeless = inflater.isExact || this.#keptLength > MAX_KEPT;
    if (isHopeless || this.#replay !== undefined) throw damaged();
    this.#replay = replayed([...this.#kept, this.#current], inflater.used);
    this.#toSkip = this.#given;
    inflater.close();
    this.#inflater = undefined;
  }

  /** What of a piece was not given before the damage. */
  #unseen(piece: Uint8Array): Uint8Array {
    const unseen = piece.subarray(this.#toSkip);
    this.#toSkip -= piece.length - unseen.length;
    this.#given += unseen.length;
    return unseen;
  }
}

/** The first `sound` bytes of some chunks in chunks, the others one by one. */
function* replayed(chunks: Uint8Array[], sound: number): Generator<Uint8Array, void> {
  let left = sound;
  for (const chunk of chunks) {
    const whole = Math.min(left, chunk.length);
    if (whole > 0) yield chunk.subarray(0, whole);
    left -= whole;
    for (let at = whole; at < chunk.length; at++) yield chunk.subarray(at, at + 1);
  }
}

function damaged(): CutError {
  return new CutError("gzip-cut", "Packed data is damaged");
}

// MERGED: Undoes packing, layer by layer.

/**
 * The pieces that packed bytes become. With 64 KiB a walk of a thousand gzipped sitemaps peaks at
 * 220 MiB, with 16 KiB at 170, with 8 KiB at 163, in the same time.
 */
const PIECE_SIZE = 8 * 1024;

/** Told of what is wrong with the packing but does not end it. */
export type UnpackWarn = (code: WarningCode, message: string) => void;

/** What packed bytes become, or bytes that are not packed. */
export interface UnpackedSource extends PeekedSource {
  /** Whether anything was undone. */
  readonly wasPacked?: true;
}

/** Undoes as many layers of gzip as there are, up to `maxLayers`. */
export async function ungzipped(
  packed: UnpackedSource,
  maxLayers: number,
  warn: UnpackWarn,
): Promise<UnpackedSource> {
  let content = packed;
  for (let layer = 0; layer < maxLayers && isGzip(content.head); layer++) {
    content = await inflated(content, new GzipFraming(warn));
  }
  return content;
}

/** Unpacks what claims to be deflated, if it is. */
export async function undeflated(source: ByteSource, warn: UnpackWarn): Promise<UnpackedSource> {
  const packed = await peeked(source, TEXT_SAMPLE);
  const { head } = packed;
  const hasZlib = isZlib(head);
  if (!hasZlib && (looksLikeText(head) || isGzip(head) || !(await inflates(head)))) return packed;
  return await inflated(packed, new DeflateFraming(hasZlib, warn));
}

/** Decompresses what claims to be brotli, unless `fetch` has done so: it has no magic bytes. */
export async function unbrotlied(source: ByteSource): Promise<UnpackedSource> {
  const packed = await peeked(source, TEXT_SAMPLE);
  const { head } = packed;
  const isDecoded = head.length === 0 || looksLikeText(head) || isGzip(head);
  return isDecoded ? packed : await inflated(packed, new BrotliFraming());
}

/** Brotli streams in a row, with nothing around them. */
class BrotliFraming implements Framing {
  readonly compression = "brotli";

  async begin(input: ByteInput): Promise<boolean> {
    const next = await input.take(1);
    input.unread(next);
    return next.length > 0;
  }

  unpacked(): void {}

  async end(): Promise<void> {}
}

async function inflated({ source }: PeekedSource, framing: Framing): Promise<UnpackedSource> {
  const content = await peeked(new InflateSource(source, framing, PIECE_SIZE), 2);
  return { ...content, wasPacked: true };
}

/**
 * Whether bytes that are no text can be a deflate stream without anything around it. If they turn out
 * not to be one after all, nothing is lost: nobody could have read them as they are.
 */
async function inflates(head: Uint8Array): Promise<boolean> {
  const inflater = await createInflater("deflate-raw", PIECE_SIZE);
  if (inflater === undefined) return false;
  try {
    inflater.write(head.slice(0, TEXT_SAMPLE));
    let step = await inflater.next();
    while (typeof step !== "string") step = await inflater.next();
    return step !== "damaged";
  } finally {
    inflater.close();
  }
}

// MERGED: Packed bytes, known by their first bytes and unpacked on demand.

/** How bytes are unpacked. */
export interface UnpackOptions {
  /** Told of what is wrong with the packing but does not end it. */
  readonly warn: UnpackWarn;
  /** How many layers of gzip are undone. Default: 3. */
  readonly maxLayers?: number;
  /**
   * The Content-Encoding of the body. Only "deflate" and "br" matter, which have no magic bytes: the
   * runtime may or may not have decompressed them.
   */
  readonly contentEncoding?: string | null;
}

/**
 * Unpacks a source as often as it is packed, up to `maxLayers` times; one that is not packed comes
 * back as it was. Never rejects: where the packing is cut or damaged, or the source rejects, the
 * result does after everything that could be unpacked.
 *
 * Nothing is read or unpacked before it is asked for, apart from the first bytes of each layer and
 * one piece of 8 KiB. By the head of the result one sees whether there was a layer too many.
 */
export function unpacked(
  source: ByteSource,
  options: UnpackOptions,
): UnpackedSource | Promise<UnpackedSource> {
  const coding = options.contentEncoding?.trim().toLowerCase();
  if (coding === "deflate" || coding === "br") return withoutCoding(source, coding, options);
  const first = peeked(source, 2);
  return first instanceof Promise || isGzip(first.head) ? withoutGzip(first, options) : first;
}

async function withoutGzip(
  first: UnpackedSource | Promise<UnpackedSource>,
  { maxLayers = MAX_GZIP_LAYERS, warn }: UnpackOptions,
): Promise<UnpackedSource> {
  const packed = await first;
  if (!isGzip(packed.head)) return packed;
  return await ungzipped(packed, maxLayers, warn);
}

async function withoutCoding(
  source: ByteSource,
  coding: "deflate" | "br",
  options: UnpackOptions,
): Promise<UnpackedSource> {
  const content = coding === "br" ? unbrotlied(source) : undeflated(source, options.warn);
  return await withoutGzip(content, options);
}
