/**
 * Decompression by pako, a port of zlib to JavaScript.
 *
 * @module
 */

import { Z_BUF_ERROR, Z_NO_FLUSH, Z_OK, Z_STREAM_END, zlibInflate } from "pako";
import { zlibInflateInit2, ZStream } from "pako";
import type { Inflater, Pause } from "./inflater.ts";

/** Raw deflate with the largest window. */
const RAW_WINDOW_BITS = -15;

/** Decompresses one deflate stream by the low-level interface, which reports unused input. */
export class PakoInflater implements Inflater {
  readonly isExact = true;
  readonly #stream = new ZStream();
  readonly #piece: Uint8Array<ArrayBuffer>;
  #written = 0;
  #state: Pause | "working" = "hungry";

  /** Creates one that returns pieces of at most `pieceSize` bytes, all in the same memory. */
  constructor(pieceSize: number) {
    this.#piece = new Uint8Array(pieceSize);
    zlibInflateInit2(this.#stream, RAW_WINDOW_BITS);
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
    const status = zlibInflate(stream, Z_NO_FLUSH);
    if (status === Z_STREAM_END) this.#state = "ended";
    else if (status !== Z_OK && status !== Z_BUF_ERROR) this.#state = "damaged";
    else if (stream.avail_out > 0) this.#state = "hungry";
    return stream.next_out > 0 ? this.#piece.subarray(0, stream.next_out) : this.#state as Pause;
  }

  close(): void {
    this.#state = "closed";
  }
}
