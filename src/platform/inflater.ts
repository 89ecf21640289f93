/**
 * Decompression of one deflate or brotli stream, a piece at a time.
 *
 * @module
 */

/**
 * Reason why no piece is available: all input is consumed, the compressed stream has ended, its bytes
 * are invalid, or the inflater was closed.
 */
export type Pause = "hungry" | "ended" | "damaged" | "closed";

/** Compression of a stream. */
export type Compression = "deflate-raw" | "brotli";

/** Decompresses one stream. */
export interface Inflater {
  /** Whether every piece before the damage is returned; else up to one piece may be missing. */
  readonly isExact: boolean;
  /** Number of input bytes consumed. */
  readonly used: number;
  /** Number of input bytes not consumed: at the end, those that follow the compressed stream. */
  readonly unused: number;
  /** Takes compressed bytes, when it is hungry; ignores them once closed. */
  write(chunk: Uint8Array): void;
  /** Returns the next piece, valid until the next call, or the reason why there is none. */
  next(): Uint8Array | Pause | Promise<Uint8Array | Pause>;
  /** Frees its memory. A pending `next()` resolves to "closed". */
  close(): void;
}
