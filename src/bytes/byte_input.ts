/**
 * A source read by those who count bytes: so many of them, or up to a certain one.
 *
 * @module
 */

import { type ByteSource, joined } from "./byte_source.ts";

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
