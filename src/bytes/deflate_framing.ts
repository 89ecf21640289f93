/**
 * What `Content-Encoding: deflate` means: zlib (RFC 1950), or, as some servers have it, nothing
 * around the deflate stream at all.
 *
 * @module
 */

import type { WarningCode } from "../codes.ts";
import { CutError } from "../errors.ts";
import type { ByteInput } from "./byte_input.ts";
import type { Framing } from "./framing.ts";

/** Reads the header and checksum of zlib, or does without them. */
export class DeflateFraming implements Framing {
  readonly compression = "deflate-raw";
  readonly #hasZlib: boolean;
  readonly #warn: (code: WarningCode, message: string) => void;
  readonly #checksum = new Adler32();
  #begun = false;

  /** Makes one for zlib or for bare deflate, which tells what is wrong by `warn`. */
  constructor(hasZlib: boolean, warn: (code: WarningCode, message: string) => void) {
    this.#hasZlib = hasZlib;
    this.#warn = warn;
  }

  /** Reads the header, the first time; there is never a second stream. */
  async begin(input: ByteInput): Promise<boolean> {
    if (!this.#begun) {
      this.#begun = true;
      return !this.#hasZlib || await input.skip(2);
    }
    if (await input.skipAll(0)) {
      this.#warn("gzip-trailing", "Ignored bytes after the deflated data");
    }
    return false;
  }

  /** Counts a piece in. */
  unpacked(piece: Uint8Array): void {
    if (this.#hasZlib) this.#checksum.update(piece);
  }

  /** Reads the checksum and compares it. */
  async end(input: ByteInput): Promise<void> {
    if (!this.#hasZlib) return;
    const trailer = await input.take(4);
    if (trailer.length < 4) {
      throw new CutError("gzip-cut", "Packed data ends inside a zlib checksum");
    }
    const view = new DataView(trailer.buffer, trailer.byteOffset);
    if (view.getUint32(0) !== this.#checksum.value) {
      this.#warn("gzip-checksum", "Wrong checksum of the deflated data");
    }
  }
}

/** The checksum of zlib (RFC 1950 §9), which `node:zlib` does not offer. */
class Adler32 {
  #low = 1;
  #high = 0;

  get value(): number {
    return this.#high * 65536 + this.#low;
  }

  update(bytes: Uint8Array): void {
    // so many bytes that the sums stay below 2³¹
    for (let start = 0; start < bytes.length; start += 2048) {
      let low = this.#low;
      let high = this.#high;
      const end = Math.min(start + 2048, bytes.length);
      for (let at = start; at < end; at++) {
        low += bytes[at] ?? 0;
        high += low;
      }
      this.#low = low % 65521;
      this.#high = high % 65521;
    }
  }
}
