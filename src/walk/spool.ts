/**
 * The beginning of a body, fetched before its turn.
 *
 * @module
 */

import type { ByteSource } from "../bytes/byte_source.ts";

/** How much of a body is read ahead. Most sitemaps below an index end before that. */
const SPOOL_BYTES = 64 * 1024;

/** A body of which the first bytes are kept until somebody reads. */
export class Spool implements ByteSource {
  readonly #source: ByteSource;
  readonly #chunks: Uint8Array[] = [];
  #kept = 0;
  #filling: Promise<void> | undefined;
  #reading = false;
  #ended = false;
  #broken = false;
  #error: unknown;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /** Whether the whole body is kept, or all of it that will ever come. */
  get finished(): boolean {
    return this.#ended || this.#broken;
  }

  /** Whether the body is open and nobody reads it. */
  get heldBack(): boolean {
    return !this.finished && this.#filling === undefined && !this.#reading;
  }

  /** Reads ahead until enough is kept or somebody reads. Never rejects. */
  fill(): Promise<void> {
    return this.#filling ??= this.#fill().finally(() => this.#filling = undefined);
  }

  /**
   * Whether the body goes on after having been held back: reads one chunk more. A server may have
   * lost patience meanwhile.
   */
  async revive(): Promise<boolean> {
    await this.#take();
    return !this.#broken;
  }

  async read(): Promise<Uint8Array | undefined> {
    this.#reading = true;
    for (;;) {
      const chunk = this.#chunks.shift();
      if (chunk !== undefined) return chunk;
      if (this.#broken) throw this.#error;
      if (this.#ended) return undefined;
      if (this.#filling === undefined) return await this.#source.read();
      await this.#filling;
    }
  }

  cancel(reason?: unknown): void {
    this.#reading = true;
    this.#ended = true;
    this.#chunks.length = 0;
    this.#source.cancel(reason);
  }

  async #fill(): Promise<void> {
    while (!this.#reading && !this.finished && this.#kept < SPOOL_BYTES) await this.#take();
  }

  async #take(): Promise<void> {
    try {
      const chunk = await this.#source.read();
      if (chunk === undefined) this.#ended = true;
      else {
        this.#chunks.push(chunk.slice());
        this.#kept += chunk.length;
      }
    } catch (error) {
      this.#broken = true;
      this.#error = error;
    }
  }
}
