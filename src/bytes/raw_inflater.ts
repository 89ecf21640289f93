/**
 * One deflate or brotli stream, decompressed a piece at a time by `node:zlib`.
 *
 * @module
 */

import { createBrotliDecompress, createInflateRaw } from "node:zlib";

/**
 * Why there is no piece: all that was written is used up, the deflate stream has ended, its bytes
 * make no sense, or it was closed.
 */
export type Pause = "hungry" | "ended" | "damaged" | "closed";

/** Compression of a stream. */
export type Compression = "deflate-raw" | "brotli";

/**
 * Decompresses one stream. zlib stops at each piece until that is asked for, so what is held at
 * any time is the piece given, one ahead of it, and the chunk that was written last.
 *
 * The `node:zlib` stream is read in paused mode: 1,000 MB/s of output in pieces of 64 KiB, as fast as
 * by `data` events. It cannot be kept for the next member: `reset()` takes 0.1 µs where a new one
 * takes 25, but bytes after the end of the deflate stream end the `node:zlib` stream for good, and a
 * checksum always follows.
 */
export class RawInflater {
  readonly #zlib: ReturnType<typeof createInflateRaw | typeof createBrotliDecompress>;
  #written = 0;
  #state: Pause | "working" = "hungry";
  #wake: (() => void) | undefined;

  /** Makes one that gives pieces of at most `pieceSize` bytes. */
  constructor(compression: Compression, pieceSize: number) {
    // a mark of one byte stops zlib after any piece; at the default it would add a second one to a
    // short first, and damage right behind them would lose both
    const options = { chunkSize: pieceSize, readableHighWaterMark: 1 };
    this.#zlib = compression === "brotli"
      ? createBrotliDecompress(options)
      : createInflateRaw(options);
    this.#zlib.on("readable", () => this.#wakeUp());
    this.#zlib.on("end", () => this.#enter("ended"));
    this.#zlib.on("error", () => this.#enter("damaged"));
  }

  /** How many of the bytes written went into pieces, those that were not asked for yet included. */
  get used(): number {
    return this.#zlib.bytesWritten;
  }

  /** How many of the bytes written did not: at the end, those that follow the deflate stream. */
  get unused(): number {
    return this.#written - this.#zlib.bytesWritten;
  }

  /** Takes packed bytes, when it is hungry for them; nothing once closed. */
  write(chunk: Uint8Array): void {
    if (this.#state === "closed") return;
    this.#written += chunk.length;
    this.#state = "working";
    this.#zlib.write(chunk, () => {
      // Deno calls back before it tells of damage too, but with bytes left
      if (this.unused === 0) this.#enter("hungry");
    });
  }

  /** The next piece, or why there is none. Its memory is zlib's, and may be part of a pool. */
  async next(): Promise<Uint8Array | Pause> {
    while (this.#state !== "closed") {
      const piece: Uint8Array | null = this.#zlib.read();
      // as a plain array: the `slice()` of a `Buffer` would share its bytes
      if (piece !== null) return new Uint8Array(piece.buffer, piece.byteOffset, piece.length);
      if (this.#state !== "working") return this.#state;
      await new Promise<void>((resolve) => this.#wake = resolve);
    }
    return "closed";
  }

  /** Lets go of zlib's memory. A waiting `next()` gives "closed". */
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
