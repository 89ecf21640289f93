/**
 * Sources of bytes: the interface that bodies have between the stages of reading.
 *
 * An object with `read()` costs one promise per chunk; a chain of `ReadableStream`s costs several.
 *
 * @module
 */

import type { WarningCode } from "../data/codes.ts";
import { TruncatedError } from "../data/errors.ts";

/** Bytes, at least one, or `undefined` at the end. */
export type Chunk = Uint8Array | undefined;

export type WarnCallback = (code: WarningCode, message: string) => void;

export interface ByteSource {
  /**
   * Returns the next chunk, or `undefined` at the end and from then on. Must not be called while a
   * promise is pending. A chunk is valid until the next `read()`, which may reuse its memory.
   *
   * Rejects with a `TruncatedError` if compressed data is truncated or corrupt or a limit is
   * exceeded, and with the error of the body if that fails.
   */
  read(): Promise<Chunk>;
  /** Releases all resources at once; a pending `read()` settles. May be called at any time. */
  cancel(reason?: unknown): void;
}

export function chunkSource(chunks: Iterable<Uint8Array>): ByteSource {
  const queue = [...chunks].filter((chunk) => chunk.length > 0);
  return {
    read: () => Promise.resolve(queue.shift()),
    cancel: () => void (queue.length = 0),
  };
}

/** Each chunk is pulled when it is read. Locks the stream. */
export function streamSource(stream: ReadableStream<Uint8Array>): ByteSource {
  const reader: ReadableStreamDefaultReader<unknown> = stream.getReader();
  return {
    async read() {
      for (;;) {
        const { value, done } = await reader.read();
        if (done) return undefined;
        const bytes = bytesOf(value);
        if (bytes.length > 0) return bytes;
      }
    },
    cancel(reason) {
      // rejects if the stream has failed, which no longer matters
      reader.cancel(reason).catch(() => {});
    },
  };
}

const ENCODER = new TextEncoder();

/** Streams of other libraries hold strings, buffers or views. */
export function bytesOf(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  if (typeof chunk === "string") return ENCODER.encode(chunk);
  if (ArrayBuffer.isView(chunk)) {
    return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  }
  if (chunk instanceof ArrayBuffer) return new Uint8Array(chunk);
  throw new TypeError("Body holds chunks that are not bytes");
}

/** Copies nothing if one of them is empty. */
export function concat(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length === 0) return second;
  if (second.length === 0) return first;
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

export interface PeekedSource {
  /** At least as many bytes as requested, unless the source has fewer. */
  readonly head: Uint8Array;
  /** The whole source, head included. */
  readonly source: ByteSource;
}

/**
 * Looks at the first `length` bytes of a source, reading no more chunks than needed. Never rejects: a
 * source that fails in its first bytes rejects when it is read.
 */
export async function peek(source: ByteSource, length: number): Promise<PeekedSource> {
  let head = new Uint8Array(0) as Uint8Array;
  let rest = source;
  try {
    while (head.length < length) {
      // a copy, since the memory of a chunk is reused
      if (head.length > 0) head = head.slice();
      const chunk = await source.read();
      if (chunk === undefined) break;
      head = concat(head, chunk);
    }
  } catch (error) {
    rest = { read: () => Promise.reject(error), cancel: () => {} };
  }
  return { head, source: prepend(head, rest) };
}

function prepend(bytes: Uint8Array, rest: ByteSource): ByteSource {
  let head: Chunk = bytes.length > 0 ? bytes : undefined;
  return {
    read() {
      if (head === undefined) return rest.read();
      const chunk = head;
      head = undefined;
      return Promise.resolve(chunk);
    },
    cancel(reason) {
      head = undefined;
      rest.cancel(reason);
    },
  };
}

/** If there are more bytes, `read()` rejects after the first `maxBytes`. */
export function limitBytes(source: ByteSource, maxBytes: number): ByteSource {
  let left = maxBytes, error: TruncatedError | undefined;
  return {
    async read() {
      if (error !== undefined) throw error;
      const chunk = await source.read();
      if (chunk === undefined || chunk.length <= left) {
        left -= chunk?.length ?? 0;
        return chunk;
      }
      error = new TruncatedError("too-large", `Content is larger than ${maxBytes} bytes`);
      source.cancel(error);
      if (left === 0) throw error;
      return chunk.subarray(0, left);
    },
    cancel(reason) {
      error = undefined;
      source.cancel(reason);
    },
  };
}
