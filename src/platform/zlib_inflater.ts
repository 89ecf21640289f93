/**
 * One deflate or brotli stream, decompressed a piece at a time by `node:zlib`.
 *
 * @module
 */

import type { Compression, Inflater, Pause } from "./inflater.ts";

/** The module `node:zlib`. */
export type Zlib = typeof import("node:zlib");

/**
 * Decompresses one stream. zlib stops at each piece until that is asked for, so what is held at
 * any time is the piece given, one ahead of it, and the chunk that was written last.
 *
 * The `node:zlib` stream is read in paused mode: 1,000 MB/s of output in pieces of 64 KiB, as fast as
 * by `data` events. It cannot be kept for the next member: `reset()` takes 0.1 µs where a new one
 * takes 25, but bytes after the end of the deflate stream end the `node:zlib` stream for good, and a
 * checksum always follows.
 */
export class ZlibInflater implements Inflater {
  readonly isExact = false;
  readonly #zlib: ReturnType<Zlib["createInflateRaw" | "createBrotliDecompress"]>;
  #written = 0;
  #state: Pause | "working" = "hungry";
  #wake: (() => void) | undefined;

  /** Creates one that returns pieces of at most `pieceSize` bytes. */
  constructor(zlib: Zlib, compression: Compression, pieceSize: number) {
    // a mark of one byte stops zlib after any piece; at the default it would add a second one to a
    // short first, and damage right behind them would lose both
    const options = { chunkSize: pieceSize, readableHighWaterMark: 1 };
    this.#zlib = compression === "brotli"
      ? zlib.createBrotliDecompress(options)
      : zlib.createInflateRaw(options);
    this.#zlib.on("readable", () => this.#wakeUp());
    this.#zlib.on("end", () => this.#enter("ended"));
    this.#zlib.on("error", () => this.#enter("damaged"));
  }

  /** Whether the end of a stream is recognized: zlib of Deno before 2.5 does not count its input. */
  get isComplete(): boolean {
    return this.#zlib.bytesWritten !== undefined;
  }

  /** Number of bytes consumed, those of a piece ahead included. */
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
      // Deno calls back before it reports damage too, but with bytes left
      if (this.unused === 0) this.#enter("hungry");
    });
  }

  /** Returns the next piece. Its memory is zlib's, and may be part of a pool. */
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
