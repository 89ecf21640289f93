/**
 * The members of a gzip file (RFC 1952).
 *
 * @module
 */

import type { WarningCode } from "../codes.ts";
import { CutError } from "../errors.ts";
import { createCrc32 } from "../platform/crc32.ts";
import type { ByteInput } from "./byte_input.ts";
import type { Framing } from "./framing.ts";

/** How a member begins: the magic bytes, then deflate, the only method there is. */
const MEMBER_START = [0x1f, 0x8b, 0x08];

// RFC 1952 §2.3.1. Of the flags that mean nothing yet we make nothing: if they announce a field
// after all, the data is damaged, and told to be.
const HAS_HEADER_CHECKSUM = 1 << 1;
const HAS_EXTRA = 1 << 2;
const HAS_NAME = 1 << 3;
const HAS_COMMENT = 1 << 4;

/**
 * How many members are read. One costs 30 µs even if it holds nothing, and 100 MiB hold five million
 * such; those who pack by the block make 1,600 of the same content.
 */
const MAX_MEMBERS = 10_000;

/** Reads the headers and trailers of gzip members. */
export class GzipFraming implements Framing {
  readonly compression = "deflate-raw";
  readonly #warn: (code: WarningCode, message: string) => void;
  readonly #crc32 = createCrc32();
  #members = 0;
  #checksum = 0;
  #length = 0;

  /** Makes one that tells what is wrong by `warn`. */
  constructor(warn: (code: WarningCode, message: string) => void) {
    this.#warn = warn;
  }

  /** Reads a header, or finds that none follows. */
  async begin(input: ByteInput): Promise<boolean> {
    // tar and tapes pad with zeros; gzip and Python skip them too
    if (this.#members > 0 && !(await input.skipAll(0))) return false;
    const start = await input.take(MEMBER_START.length);
    if (start.some((byte, at) => byte !== MEMBER_START[at])) {
      if (this.#members === 0) throw new CutError("gzip-cut", "Packed data is damaged");
      this.#warn("gzip-trailing", "Ignored bytes after the last gzip member");
      return false;
    }
    if (start.length < MEMBER_START.length || !(await skipHeader(input))) {
      throw new CutError("gzip-cut", "Packed data ends inside a gzip header");
    }
    if (++this.#members > MAX_MEMBERS) {
      throw new CutError("gzip-cut", `Packed data has more than ${MAX_MEMBERS} gzip members`);
    }
    this.#checksum = 0;
    this.#length = 0;
    return true;
  }

  /** Counts a piece in. */
  unpacked(piece: Uint8Array): void {
    this.#checksum = this.#crc32(piece, this.#checksum);
    this.#length += piece.length;
  }

  /** Reads the checksum and compares it. */
  async end(input: ByteInput): Promise<void> {
    const trailer = await input.take(8);
    if (trailer.length < 8) {
      throw new CutError("gzip-cut", "Packed data ends inside a gzip checksum");
    }
    const view = new DataView(trailer.buffer, trailer.byteOffset);
    // the length is told modulo 2³²
    const isRight = view.getUint32(0, true) === this.#checksum &&
      view.getUint32(4, true) === this.#length >>> 0;
    if (!isRight) {
      this.#warn("gzip-checksum", `Wrong checksum or length of gzip member ${this.#members}`);
    }
  }
}

/** Reads the header after its first three bytes: whether it is all there. */
async function skipHeader(input: ByteInput): Promise<boolean> {
  // flags, then the time, extra flags and the system, which say nothing about the content
  const [flags] = await input.take(1);
  if (flags === undefined || !(await input.skip(6))) return false;
  if ((flags & HAS_EXTRA) !== 0) {
    const [low, high] = await input.take(2);
    if (low === undefined || high === undefined) return false;
    if (!(await input.skip(low + high * 256))) return false;
  }
  if ((flags & HAS_NAME) !== 0 && !(await input.skipPast(0))) return false;
  if ((flags & HAS_COMMENT) !== 0 && !(await input.skipPast(0))) return false;
  // a checksum of fields that we do not use anyway
  return (flags & HAS_HEADER_CHECKSUM) === 0 || await input.skip(2);
}
