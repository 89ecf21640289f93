/**
 * Decompresses one deflate or brotli stream out of a longer input.
 *
 * @module
 */

import { TruncatedError } from "../data/errors.ts";
import { createInflater, type Inflater } from "../platform/inflater.ts";
import { type ByteSource, type Chunk, concat } from "./byte_source.ts";

/** Compression format, as messages name it. */
type CompressionFormat = "gzip" | "deflate" | "brotli";

/**
 * Maximum length of a decompressed piece. Each is a round through the stream of `node:zlib`, which
 * takes longer than decompressing 8 KiB; the pages of 64 KiB enlarge the young generation (`deno task
 * bench:site --only gzip`, time and peak RSS).
 */
const PIECE_SIZE = 32 * 1024;
/**
 * Maximum length of the compressed input kept for {@linkcode salvage}, besides the current chunk. A
 * sitemap of the 50 MB that the protocol allows has about as much.
 */
const MAX_KEPT = 4 * 1024 * 1024;
/** Bytes that a kept chunk counts in addition to its length, which bounds the number of tiny ones. */
const CHUNK_COST = 256;

const EMPTY = new Uint8Array(0);

/** Reads a source by numbers of bytes instead of chunks. */
export class ByteInput {
  readonly #source: ByteSource;
  #rest: Uint8Array = EMPTY;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** Returns the bytes put back, else the next chunk, or `undefined` at the end. */
  async chunk(): Promise<Chunk> {
    if (this.#rest.length === 0) {
      const chunk = await this.#source.read();
      // a copy, since the memory of a chunk is reused; the `slice()` of a `Buffer` would share it
      return chunk && new Uint8Array(chunk);
    }
    const rest = this.#rest;
    this.#rest = EMPTY;
    return rest;
  }

  unread(bytes: Uint8Array): void {
    this.#rest = concat(bytes, this.#rest);
  }

  /** Returns the next `length` bytes, or fewer at the end of the input. */
  async take(length: number): Promise<Uint8Array> {
    const taken = new Uint8Array(length);
    let at = 0;
    while (at < length) {
      const chunk = await this.chunk();
      if (chunk === undefined) break;
      const part = chunk.subarray(0, length - at);
      taken.set(part, at);
      at += part.length;
      this.unread(chunk.subarray(part.length));
    }
    return taken.subarray(0, at);
  }

  async skipTo(isStop: (byte: number) => boolean): Promise<boolean> {
    for (;;) {
      const chunk = await this.chunk();
      if (chunk === undefined) return false;
      const at = chunk.findIndex(isStop);
      if (at < 0) continue;
      this.unread(chunk.subarray(at));
      return true;
    }
  }

  cancel(reason?: unknown): void {
    this.#rest = EMPTY;
    this.#source.cancel(reason);
  }
}

/**
 * Decompresses the stream at the beginning of `input` in pieces, each valid until the next one. At the
 * end, `input` continues after the stream.
 *
 * @throws {TruncatedError} If the stream is truncated or corrupt, after every byte before that.
 */
export async function* inflate(
  input: ByteInput,
  format: CompressionFormat,
): AsyncGenerator<Uint8Array, void> {
  const inflater = await openInflater(format);
  const kept: Uint8Array[] = [];
  let cost = 0;
  let current: Uint8Array = EMPTY, returned = 0;
  try {
    for (;;) {
      const step = await inflater.next();
      if (typeof step !== "string") {
        returned += step.length;
        yield step;
      } else if (step === "needs-input") {
        if (!inflater.isExact) {
          cost += current.length + CHUNK_COST;
          kept.push(current);
          if (cost > MAX_KEPT) free(kept.splice(0));
        }
        const chunk = await input.chunk();
        if (chunk === undefined) {
          await expectEnd(inflater, format);
          return;
        }
        current = chunk;
        inflater.write(chunk);
      } else if (step === "corrupt") {
        const isSalvageable = !inflater.isExact && cost <= MAX_KEPT;
        const chunks = [...kept.splice(0), current];
        if (isSalvageable) yield* salvage(chunks, inflater.used, returned, format);
        throw new TruncatedError("gzip-cut", `Corrupt ${format} data`);
      } else {
        input.unread(current.subarray(current.length - inflater.unused));
        return;
      }
    }
  } finally {
    inflater.close();
    free(kept);
  }
}

/**
 * Frees the memory of consumed chunks at once, except in Node 20: they have survived several scavenges,
 * so that the garbage collector would keep those of many documents (`deno task bench:site`, peak RSS).
 */
function free(chunks: readonly Uint8Array[]): void {
  for (const { buffer } of chunks) {
    if (buffer.byteLength > 0) (buffer as Partial<ArrayBuffer>).transfer?.(0);
  }
}

async function openInflater(format: CompressionFormat): Promise<Inflater> {
  const compression = format === "brotli" ? "brotli" : "deflate-raw";
  const inflater = await createInflater(compression, PIECE_SIZE);
  if (inflater !== undefined) return inflater;
  const reason = `Cannot decompress ${format}: not supported by this runtime`;
  throw new TruncatedError("gzip-cut", reason);
}

/** Checks that the stream ended with the input: then the inflater ignores one byte more. */
async function expectEnd(inflater: Inflater, format: CompressionFormat): Promise<void> {
  inflater.write(new Uint8Array(1));
  const step = await inflater.next();
  if (step !== "ended") throw new TruncatedError("gzip-cut", `Truncated ${format} data`);
}

/**
 * Recovers what zlib discards when it meets corrupt data, up to a whole piece: decompresses `chunks`
 * again, all after the first `sound` bytes byte by byte, without the first `returned` bytes of output.
 */
async function* salvage(
  chunks: readonly Uint8Array[],
  sound: number,
  returned: number,
  format: CompressionFormat,
): AsyncGenerator<Uint8Array, void> {
  const inflater = await openInflater(format);
  let left = returned;
  try {
    for (const part of splitAfter(chunks, sound)) {
      inflater.write(part);
      let step = await inflater.next();
      for (; typeof step !== "string"; step = await inflater.next()) {
        const piece = step.subarray(left);
        left -= step.length - piece.length;
        if (piece.length > 0) yield piece;
      }
      if (step !== "needs-input") return;
    }
  } finally {
    inflater.close();
  }
}

/** Yields the first `length` bytes of some chunks in chunks, the others one by one. */
function* splitAfter(chunks: readonly Uint8Array[], length: number): Generator<Uint8Array, void> {
  let left = length;
  for (const chunk of chunks) {
    const whole = Math.min(left, chunk.length);
    if (whole > 0) yield chunk.subarray(0, whole);
    left -= whole;
    for (let at = whole; at < chunk.length; at++) yield chunk.subarray(at, at + 1);
  }
}

/** Whether bytes that are not text can be the beginning of a deflate stream. */
export async function canInflate(head: Uint8Array): Promise<boolean> {
  const inflater = await openInflater("deflate");
  try {
    inflater.write(head.slice());
    let step = await inflater.next();
    while (typeof step !== "string") step = await inflater.next();
    return step !== "corrupt";
  } finally {
    inflater.close();
  }
}
