/**
 * Bytes that are asked for: the one shape in which bodies travel between the stages.
 *
 * A plain object with `read()` costs one promise a chunk; a tower of `ReadableStream`s costs several.
 *
 * @module
 */

/** Some bytes, never none, or `undefined` at the end. */
export type Chunk = Uint8Array | undefined;

/** Bytes that are asked for, a chunk at a time. */
export interface ByteSource {
  /**
   * Whether the next `read()` has its answer at hand, and so gives no promise. Sources that always
   * have to wait leave it out.
   */
  readonly ready?: boolean;
  /**
   * The next chunk, or `undefined` at the proper end and from then on. Rejects (throws, if it need
   * not wait) where the bytes break off: with a `CutError` where a packing is damaged, with whatever
   * the body rejects with else. Asked for again only when the last one came.
   *
   * Bytes that are there come without a promise: most sitemaps are small, and by the time they are
   * read they have arrived whole. A dozen promises for each would take longer than to parse it.
   *
   * A chunk is good until the next `read()`: its memory is then used again. Whoever keeps it longer
   * copies it. 64 KiB of fresh memory a chunk would pile up to 60 MiB between two garbage collections.
   */
  read(): Chunk | Promise<Chunk>;
  /**
   * Gives up the rest: whatever is held open is let go at once, and a `read()` that is waiting
   * settles. May be called at any time.
   */
  cancel(reason?: unknown): void;
}

/** Chunks that are there already, then the end. */
export function sourceOf(chunks: Iterable<Uint8Array>): ByteSource {
  const waiting = [...chunks].filter((chunk) => chunk.length > 0);
  let at = 0;
  return {
    ready: true,
    read: () => waiting[at++],
    cancel: () => void (at = waiting.length),
  };
}

/** `head`, then what is left of `rest`. */
export function withHead(head: Uint8Array, rest: ByteSource): ByteSource {
  return new HeadedSource(head, rest);
}

class HeadedSource implements ByteSource {
  readonly #rest: ByteSource;
  #head: Chunk;

  constructor(head: Uint8Array, rest: ByteSource) {
    this.#rest = rest;
    this.#head = head.length > 0 ? head : undefined;
  }

  get ready(): boolean {
    return this.#head !== undefined || this.#rest.ready === true;
  }

  read(): Chunk | Promise<Chunk> {
    const head = this.#head;
    if (head === undefined) return this.#rest.read();
    this.#head = undefined;
    return head;
  }

  cancel(reason?: unknown): void {
    this.#head = undefined;
    this.#rest.cancel(reason);
  }
}

/** A source whose beginning was looked at. */
export interface PeekedSource {
  /** At least as many bytes as were asked for, unless there are fewer. */
  readonly head: Uint8Array;
  /** All of the source, its head included. */
  readonly source: ByteSource;
}

const NOTHING = new Uint8Array(0);

/**
 * Looks at the first `length` bytes of a source, reading no more chunks than that takes. Never
 * rejects: a source that breaks off in its first bytes does so again when it is read.
 */
export function peeked(
  source: ByteSource,
  length: number,
): PeekedSource | Promise<PeekedSource> {
  if (source.ready !== true) return peekedLater(NOTHING, source, length);
  try {
    const chunk = source.read() as Chunk ?? NOTHING;
    return chunk.length >= length
      ? { head: chunk, source: withHead(chunk, source) }
      : peekedLater(chunk, source, length);
  } catch (error) {
    return brokenOff(NOTHING, error);
  }
}

/** The same, where not all of these bytes are at hand: only those in `first`. */
async function peekedLater(
  first: Uint8Array,
  source: ByteSource,
  length: number,
): Promise<PeekedSource> {
  let head = first;
  try {
    while (head.length < length) {
      if (head.length > 0) head = head.slice();
      const chunk = await source.read();
      if (chunk === undefined) break;
      head = joined(head, chunk);
    }
  } catch (error) {
    return brokenOff(head, error);
  }
  return { head, source: withHead(head, source) };
}

/** A source that breaks off behind its head. */
function brokenOff(head: Uint8Array, error: unknown): PeekedSource {
  const broken = { read: () => Promise.reject(error), cancel: () => {} };
  return { head, source: withHead(head, broken) };
}

/** `first` and `second` in one piece; copies nothing where one of them is empty. */
export function joined(first: Uint8Array, second: Uint8Array): Uint8Array {
  if (first.length === 0) return second;
  if (second.length === 0) return first;
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}

// MERGED: A `ReadableStream` as a source.

/** The chunks of a stream, each asked for when it is read and not before. Locks the stream. */
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
      // a stream that broke meanwhile rejects here: it was given up, so nobody needs to know
      reader.cancel(reason).catch(() => {});
    },
  };
}

const ENCODER = new TextEncoder();

/**
 * Returns a chunk of a stream as bytes. Streams of other libraries hold strings, buffers or views.
 *
 * @throws {TypeError} If it is none of these.
 */
export function bytesOf(chunk: unknown): Uint8Array {
  if (chunk instanceof Uint8Array) return chunk;
  if (typeof chunk === "string") return ENCODER.encode(chunk);
  if (ArrayBuffer.isView(chunk)) {
    return new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength);
  }
  if (chunk instanceof ArrayBuffer) return new Uint8Array(chunk);
  throw new TypeError("Body holds chunks that are not bytes");
}
