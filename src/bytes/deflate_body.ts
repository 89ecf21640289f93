/**
 * The deflate stream of one member, read out of a longer input.
 *
 * @module
 */

import { CutError } from "../errors.ts";
import { createInflater } from "../platform/create_inflater.ts";
import type { Compression, Inflater } from "../platform/inflater.ts";
import type { ByteInput } from "./byte_input.ts";

/**
 * How much packed input is kept for the case of damage, the current chunk not counted. Sitemaps of
 * the 50 MB that the protocol allows have about as much.
 */
const MAX_KEPT = 4 * 1024 * 1024;
/** What keeping a chunk costs besides its bytes, so that a million chunks of one byte are not kept. */
const CHUNK_COST = 256;

/** One deflate stream. When it has ended, the input stands at the byte after it. */
export class DeflateBody {
  readonly #input: ByteInput;
  readonly #compression: Compression;
  readonly #pieceSize: number;
  /** Made with the first piece, and again to salvage. */
  #inflater: Inflater | undefined;
  #isClosed = false;
  #current: Uint8Array = new Uint8Array(0);
  #kept: Uint8Array[] = [];
  #keptLength = 0;
  #replay: Generator<Uint8Array, void> | undefined;
  #given = 0;
  #toSkip = 0;

  /** Makes a body that begins where `input` stands and gives pieces of at most `pieceSize` bytes. */
  constructor(input: ByteInput, compression: Compression, pieceSize: number) {
    this.#input = input;
    this.#compression = compression;
    this.#pieceSize = pieceSize;
  }

  /**
   * The next piece, or `undefined` at the end of the stream or once closed. Rejects with a
   * `CutError` where the stream is cut or damaged, after every piece that could be had.
   */
  async next(): Promise<Uint8Array | undefined> {
    for (;;) {
      const inflater = this.#inflater ?? await this.#open();
      const step = await inflater.next();
      switch (step) {
        case "hungry":
          await this.#feed(inflater);
          break;
        case "damaged":
          this.#salvage(inflater);
          break;
        case "ended":
          this.#input.unread(this.#current.subarray(this.#current.length - inflater.unused));
          this.close();
          return undefined;
        case "closed":
          return undefined;
        default: {
          const piece = this.#unseen(step);
          if (piece.length > 0) return piece;
        }
      }
    }
  }

  /** Lets go of what it holds, the input excepted. */
  close(): void {
    this.#isClosed = true;
    this.#inflater?.close();
    this.#kept = [];
  }

  /** Creates the inflater; it may have been closed meanwhile. */
  async #open(): Promise<Inflater> {
    const inflater = await createInflater(this.#compression, this.#pieceSize);
    if (inflater === undefined) {
      const reason = `Cannot decompress ${this.#compression}: not supported by this runtime`;
      throw new CutError("gzip-cut", reason);
    }
    if (this.#isClosed) inflater.close();
    return this.#inflater = inflater;
  }

  async #feed(inflater: Inflater): Promise<void> {
    if (this.#replay !== undefined) return this.#feedAgain(inflater, this.#replay);
    const chunk = await this.#input.chunk();
    if (chunk === undefined) return await this.#feedEnd(inflater);
    if (!inflater.isExact) this.#keep();
    this.#current = chunk;
    inflater.write(chunk);
  }

  /** If the stream ended exactly with the input, zlib has no use for one byte more; else it is cut. */
  async #feedEnd(inflater: Inflater): Promise<void> {
    this.#current = new Uint8Array(0);
    inflater.write(new Uint8Array(1));
    const step = await inflater.next();
    if (step !== "ended") throw new CutError("gzip-cut", "Packed data ends too early");
  }

  #feedAgain(inflater: Inflater, replay: Generator<Uint8Array, void>): void {
    const { value } = replay.next();
    if (value === undefined) throw damaged();
    inflater.write(value);
  }

  #keep(): void {
    this.#keptLength += this.#current.length + CHUNK_COST;
    if (this.#keptLength > MAX_KEPT) this.#kept = [];
    else this.#kept.push(this.#current);
  }

  /**
   * zlib throws away what it unpacked on the way to the damage, up to a whole piece. So the input is
   * unpacked once more, the last stretch byte by byte, which gives all but the damaged byte.
   */
  #salvage(inflater: Inflater): void {
    const isHopeless = inflater.isExact || this.#keptLength > MAX_KEPT;
    if (isHopeless || this.#replay !== undefined) throw damaged();
    this.#replay = replayed([...this.#kept, this.#current], inflater.used);
    this.#toSkip = this.#given;
    inflater.close();
    this.#inflater = undefined;
  }

  /** What of a piece was not given before the damage. */
  #unseen(piece: Uint8Array): Uint8Array {
    const unseen = piece.subarray(this.#toSkip);
    this.#toSkip -= piece.length - unseen.length;
    this.#given += unseen.length;
    return unseen;
  }
}

/** The first `sound` bytes of some chunks in chunks, the others one by one. */
function* replayed(chunks: Uint8Array[], sound: number): Generator<Uint8Array, void> {
  let left = sound;
  for (const chunk of chunks) {
    const whole = Math.min(left, chunk.length);
    if (whole > 0) yield chunk.subarray(0, whole);
    left -= whole;
    for (let at = whole; at < chunk.length; at++) yield chunk.subarray(at, at + 1);
  }
}

function damaged(): CutError {
  return new CutError("gzip-cut", "Packed data is damaged");
}
