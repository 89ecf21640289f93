/**
 * Converts documents in other encodings to UTF-8.
 *
 * Servers send `charset=iso-8859-1` for documents in UTF-8. Such a charset is unconfirmed until the
 * first character beyond ASCII, because ASCII is the same in both:
 *
 *     unconfirmed ──┬─ valid UTF-8 ─► unchanged    the bytes are UTF-8 and returned as they are
 *     ASCII so far  └─ other bytes ─► decoding     the bytes are decoded, and encoded as UTF-8
 *
 * @module
 */

import { concat, type WarnCallback } from "./byte_source.ts";
import { mismatchMessage } from "./detect_encoding.ts";

/** Per document. */
const MAX_REPLACED_WARNINGS = 1000;
const REPLACEMENT = "\uFFFD";

const NO_BYTES = new Uint8Array(0);
const ENCODER = new TextEncoder();

/**
 * Converts chunks of bytes to UTF-8. A character that is incomplete at the end of a chunk is returned
 * with the next one, except where the bytes are UTF-8 already: then they are returned unchanged, valid
 * or not.
 */
export class Transcoder {
  readonly #label: string;
  readonly #warn: WarnCallback;
  #state: "unconfirmed" | "unchanged" | "decoding";
  #decoder: TextDecoder | undefined;
  #checker: TextDecoder | undefined;
  /** First non-ASCII bytes, as long as they are an incomplete character. */
  #pending: Uint8Array = NO_BYTES;
  readonly #charset: string;
  #warnings = 0;

  /** Does not look for a byte order mark; `unconfirmedCharset` is that of `Encoding`. */
  constructor(label: string, warn: WarnCallback, unconfirmedCharset?: string) {
    this.#label = label;
    this.#warn = warn;
    this.#charset = unconfirmedCharset ?? label;
    this.#state = unconfirmedCharset === undefined ? "decoding" : "unconfirmed";
  }

  /** May return the chunk itself, or a part of it. */
  transcode(chunk: Uint8Array): Uint8Array {
    switch (this.#state) {
      case "unconfirmed":
        return this.#confirm(chunk);
      case "unchanged":
        return chunk;
      case "decoding":
        return this.#encode(this.#decode(chunk));
    }
  }

  end(): Uint8Array {
    const text = this.#decode(this.#pending) + (this.#decoder?.decode() ?? "");
    this.#pending = NO_BYTES;
    return this.#encode(text);
  }

  #confirm(chunk: Uint8Array): Uint8Array {
    const isResumed = this.#pending.length > 0;
    const start = isResumed ? 0 : firstNonAscii(chunk);
    if (start === chunk.length) return chunk;
    const isUtf8 = this.#checkUtf8(chunk.subarray(start));
    if (isUtf8 === undefined) {
      // chunks are only valid until the next one
      this.#pending = concat(this.#pending, chunk.subarray(start)).slice();
      return chunk.subarray(0, start);
    }
    const bytes = isResumed ? concat(this.#pending, chunk) : chunk;
    this.#pending = NO_BYTES;
    this.#state = isUtf8 ? "unchanged" : "decoding";
    if (!isUtf8) return this.transcode(bytes);
    this.#warn("encoding-mismatch", mismatchMessage(this.#charset));
    return bytes;
  }

  /** Whether bytes begin with, or continue, a valid character; `undefined` while it is incomplete. */
  #checkUtf8(bytes: Uint8Array): boolean | undefined {
    const checker = this.#checker ??= new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    try {
      for (let at = 0; at < bytes.length; at++) {
        if (checker.decode(bytes.subarray(at, at + 1), { stream: true }) !== "") return true;
      }
      return undefined;
    } catch {
      // invalid UTF-8
      return false;
    }
  }

  #decode(bytes: Uint8Array): string {
    if (bytes.length === 0) return "";
    this.#decoder ??= new TextDecoder(this.#label, { ignoreBOM: true });
    return this.#decoder.decode(bytes, { stream: true });
  }

  #encode(text: string): Uint8Array {
    if (text === "") return NO_BYTES;
    let at = text.indexOf(REPLACEMENT);
    for (; at >= 0 && this.#warnings < MAX_REPLACED_WARNINGS; this.#warnings++) {
      this.#warn("encoding-replaced", `Invalid ${this.#label} bytes replaced with U+FFFD`);
      at = text.indexOf(REPLACEMENT, at + 1);
    }
    return ENCODER.encode(text);
  }
}

function firstNonAscii(bytes: Uint8Array): number {
  const { buffer, byteOffset, length } = bytes;
  const view = new DataView(buffer, byteOffset, length);
  let at = 0;
  while (at + 4 <= length && (view.getInt32(at) & 0x80808080) === 0) at += 4;
  while (at < length && bytes[at]! < 0x80) at++;
  return at;
}
