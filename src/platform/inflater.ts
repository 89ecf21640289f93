/**
 * Decompression of one deflate or brotli stream, a piece at a time: by `node:zlib` where it is
 * complete, else by pako, a port of zlib to JavaScript. Also the checksum of gzip.
 *
 * @module
 */

import { builtin } from "./environment.ts";
import { loadPako, type Pako } from "./load_pako.ts";

/** Reason why no piece is available. */
type Pause = "needs-input" | "ended" | "corrupt" | "closed";

type Compression = "deflate-raw" | "brotli";

export interface Inflater {
  /** Whether all pieces before corrupt data are returned; otherwise one may be missing. */
  readonly isExact: boolean;
  /** Number of input bytes consumed. */
  readonly used: number;
  /** At the end, the bytes that follow the compressed stream. */
  readonly unused: number;
  /** Only when it needs input. Ignored once closed. */
  write(chunk: Uint8Array): void;
  /** Returns the next piece, valid until the next call, or the reason why there is none. */
  next(): Uint8Array | Pause | Promise<Uint8Array | Pause>;
  /** A pending `next()` resolves to "closed". */
  close(): void;
}

/** Returns `undefined` for a compression that the runtime does not support. */
export function createInflater(
  compression: Compression,
  pieceSize: number,
): Inflater | Promise<Inflater> | undefined {
  const zlib = builtin("node:zlib");
  const inflater = zlib && new ZlibInflater(zlib, compression, pieceSize);
  if (inflater?.isComplete) return inflater;
  inflater?.close();
  if (compression === "brotli") return undefined;
  return loadPako().then((pako) => new PakoInflater(pako, pieceSize));
}

type Zlib = typeof import("node:zlib");

/**
 * Decompresses one stream by `node:zlib`, in paused mode: it holds the last piece, one ahead of it
 * and the last chunk. It cannot be reset for the next gzip member, since bytes after the end of the
 * deflate stream, such as the checksum, end the `node:zlib` stream for good.
 */
class ZlibInflater implements Inflater {
  readonly isExact = false;
  readonly #zlib: ReturnType<Zlib["createInflateRaw" | "createBrotliDecompress"]>;
  #written = 0;
  #state: Pause | "working" = "needs-input";
  #wake: (() => void) | undefined;

  constructor(zlib: Zlib, compression: Compression, pieceSize: number) {
    // a high-water mark of one byte stops zlib after each piece; by default it would add a second
    // one to a short first, and corrupt data right after them would lose both
    const options = { chunkSize: pieceSize, readableHighWaterMark: 1 };
    this.#zlib = compression === "brotli"
      ? zlib.createBrotliDecompress(options)
      : zlib.createInflateRaw(options);
    this.#zlib.on("readable", () => this.#wakeUp());
    this.#zlib.on("end", () => this.#enter("ended"));
    this.#zlib.on("error", () => this.#enter("corrupt"));
  }

  /** Whether it recognizes the end of a stream: zlib of Deno before 2.5 does not count its input. */
  get isComplete(): boolean {
    return this.#zlib.bytesWritten !== undefined;
  }

  /** Includes the bytes of a piece ahead. */
  get used(): number {
    return this.#zlib.bytesWritten;
  }

  get unused(): number {
    return this.#written - this.#zlib.bytesWritten;
  }

  write(chunk: Uint8Array): void {
    if (this.#state === "closed") return;
    this.#written += chunk.length;
    this.#state = "working";
    this.#zlib.write(chunk, () => {
      // Deno also calls back before it reports corrupt data, but with bytes left
      if (this.unused === 0) this.#enter("needs-input");
    });
  }

  async next(): Promise<Uint8Array | Pause> {
    while (this.#state !== "closed") {
      const piece: Uint8Array | null = this.#zlib.read();
      // a plain array, since the `slice()` of a `Buffer` would share its memory
      if (piece !== null) return new Uint8Array(piece.buffer, piece.byteOffset, piece.length);
      if (this.#state !== "working") return this.#state;
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
    return "closed";
  }

  close(): void {
    this.#enter("closed");
    this.#zlib.destroy();
  }

  #enter(state: Pause): void {
    if (this.#state !== "closed") this.#state = state;
    this.#wakeUp();
  }

  #wakeUp(): void {
    this.#wake?.();
    this.#wake = undefined;
  }
}

/** Window bits of raw deflate with the largest window. */
const RAW_WINDOW_BITS = -15;
const Z_NO_FLUSH = 0, Z_OK = 0, Z_STREAM_END = 1, Z_BUF_ERROR = -5;

/** The low-level interface of pako reports unused input. */
class PakoInflater implements Inflater {
  readonly isExact = true;
  readonly #pako: Pako;
  readonly #stream: InstanceType<Pako["ZStream"]>;
  readonly #piece: Uint8Array<ArrayBuffer>;
  #written = 0;
  #state: Pause | "working" = "needs-input";

  /** All pieces are in the same memory. */
  constructor(pako: Pako, pieceSize: number) {
    this.#pako = pako;
    this.#stream = new pako.ZStream();
    this.#piece = new Uint8Array(pieceSize);
    pako.zlibInflateInit2(this.#stream, RAW_WINDOW_BITS);
  }

  get used(): number {
    return this.#stream.total_in;
  }

  get unused(): number {
    return this.#written - this.#stream.total_in;
  }

  write(chunk: Uint8Array): void {
    if (this.#state === "closed") return;
    this.#written += chunk.length;
    this.#state = "working";
    this.#stream.input = chunk;
    this.#stream.next_in = 0;
    this.#stream.avail_in = chunk.length;
  }

  next(): Uint8Array | Pause {
    if (this.#state !== "working") return this.#state;
    const stream = this.#stream;
    stream.output = this.#piece;
    stream.next_out = 0;
    stream.avail_out = this.#piece.length;
    const status = this.#pako.zlibInflate(stream, Z_NO_FLUSH);
    if (status === Z_STREAM_END) this.#state = "ended";
    else if (status !== Z_OK && status !== Z_BUF_ERROR) this.#state = "corrupt";
    else if (stream.avail_out > 0) this.#state = "needs-input";
    return stream.next_out > 0 ? this.#piece.subarray(0, stream.next_out) : this.#state as Pause;
  }

  close(): void {
    this.#state = "closed";
  }
}

/** RFC 1952 §8; `value` is the checksum of the bytes before. */
type Crc32 = (bytes: Uint8Array, value: number) => number;

const POLYNOMIAL = 0xedb88320;

export function createCrc32(): Crc32 {
  const crc32 = builtin("node:zlib")?.crc32;
  // signed in Deno 2.2
  return crc32 === undefined ? createTableCrc32() : (bytes, value) => crc32(bytes, value) >>> 0;
}

function createTableCrc32(): Crc32 {
  const table = Int32Array.from({ length: 256 }, (_, byte) => {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >>> 1 ^ POLYNOMIAL : crc >>> 1;
    return crc;
  });
  return (bytes, value) => {
    let crc = ~value;
    for (let at = 0; at < bytes.length; at++) crc = crc >>> 8 ^ table[(crc ^ bytes[at]!) & 0xff]!;
    return ~crc >>> 0;
  };
}
