/**
 * Bytes that are asked for: the one shape in which bodies travel between the stages.
 *
 * A plain object with `read()` costs one promise a chunk; a tower of `ReadableStream`s costs several.
 *
 * @module
 */

/** Bytes that are asked for, a chunk at a time. */
export interface ByteSource {
  /**
   * The next chunk, never empty, or `undefined` at the proper end and from then on. Rejects where
   * the bytes break off: with a `CutError` where a packing is damaged, with whatever the body rejects
   * with else. Asked for again only when the last one came.
   *
   * A chunk is good until the next `read()`: its memory is then used again. Whoever keeps it longer
   * copies it. 64 KiB of fresh memory a chunk would pile up to 60 MiB between two garbage collections.
   */
  read(): Promise<Uint8Array | undefined>;
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
    read: () => Promise.resolve(waiting[at++]),
    cancel: () => void (at = waiting.length),
  };
}

/** `head`, then what is left of `rest`. */
export function withHead(head: Uint8Array, rest: ByteSource): ByteSource {
  let waiting: Uint8Array | undefined = head.length > 0 ? head : undefined;
  return {
    read() {
      if (waiting === undefined) return rest.read();
      const chunk = waiting;
      waiting = undefined;
      return Promise.resolve(chunk);
    },
    cancel(reason) {
      waiting = undefined;
      rest.cancel(reason);
    },
  };
}

/** A source whose beginning was looked at. */
export interface PeekedSource {
  /** At least as many bytes as were asked for, unless there are fewer. */
  readonly head: Uint8Array;
  /** All of the source, its head included. */
  readonly source: ByteSource;
}

/**
 * Looks at the first `length` bytes of a source, reading no more chunks than that takes. Never
 * rejects: a source that breaks off in its first bytes does so again when it is read.
 */
export async function peeked(source: ByteSource, length: number): Promise<PeekedSource> {
  let head: Uint8Array = new Uint8Array(0);
  try {
    while (head.length < length) {
      if (head.length > 0) head = head.slice();
      const chunk = await source.read();
      if (chunk === undefined) break;
      head = joined(head, chunk);
    }
  } catch (error) {
    const broken = { read: () => Promise.reject(error), cancel: () => {} };
    return { head, source: withHead(head, broken) };
  }
  return { head, source: withHead(head, source) };
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
