/**
 * A layer of packing, undone on demand.
 *
 * @module
 */

import { ByteInput } from "./byte_input.ts";
import type { ByteSource } from "./byte_source.ts";
import { DeflateBody } from "./deflate_body.ts";
import type { Framing } from "./framing.ts";

/**
 * What deflate streams with something around them unpack to. Gives everything that could be unpacked
 * before it rejects, and lets go of everything when it ends, rejects or is cancelled.
 */
export class InflateSource implements ByteSource {
  readonly #input: ByteInput;
  readonly #framing: Framing;
  readonly #pieceSize: number;
  #body: DeflateBody | undefined;
  #outcome: Promise<undefined> | undefined;

  /** Makes the unpacked side of `source`, in pieces of at most `pieceSize` bytes. */
  constructor(source: ByteSource, framing: Framing, pieceSize: number) {
    this.#input = new ByteInput(source);
    this.#framing = framing;
    this.#pieceSize = pieceSize;
  }

  /** The next piece; see {@linkcode ByteSource}. */
  async read(): Promise<Uint8Array | undefined> {
    try {
      while (this.#outcome === undefined) {
        if (this.#body === undefined) await this.#begin();
        const piece = await this.#body?.next();
        if (piece === undefined) {
          await this.#end();
          continue;
        }
        this.#framing.unpacked(piece);
        return piece;
      }
    } catch (error) {
      this.#finish(Promise.reject(error), error);
    }
    return await this.#outcome;
  }

  /** Lets go of zlib and of the source. */
  cancel(reason?: unknown): void {
    this.#finish(Promise.resolve(undefined), reason);
  }

  async #begin(): Promise<void> {
    if (await this.#framing.begin(this.#input)) {
      // it may have been cancelled meanwhile
      if (this.#outcome === undefined) {
        this.#body = new DeflateBody(this.#input, this.#framing.compression, this.#pieceSize);
      }
    } else this.cancel();
  }

  async #end(): Promise<void> {
    if (this.#outcome !== undefined) return;
    this.#body = undefined;
    await this.#framing.end(this.#input);
  }

  /** The first outcome stays: what a cancelled source rejects with is no news. */
  #finish(outcome: Promise<undefined>, reason: unknown): void {
    // handled by whoever reads
    outcome.catch(() => {});
    if (this.#outcome !== undefined) return;
    this.#outcome = outcome;
    this.#body?.close();
    this.#input.cancel(reason);
  }
}
