/** Reads sources to their end, for tests. @module */

import type { WarningCode } from "../../src/data/codes.ts";
import { type ByteSource, chunkSource } from "../../src/bytes/byte_source.ts";
import { TruncatedError } from "../../src/data/errors.ts";
import { decompress } from "../../src/bytes/gunzip.ts";

export interface Reading {
  readonly bytes: Uint8Array;
  /** Length of each chunk. */
  readonly sizes: number[];
  /** Error that it rejected with. */
  readonly error: unknown;
}

export async function readAll(source: ByteSource): Promise<Reading> {
  const pieces: Uint8Array[] = [];
  let error: unknown;
  try {
    for (let piece = await source.read(); piece; piece = await source.read()) {
      // valid until the next read
      pieces.push(piece.slice());
    }
  } catch (reason) {
    error = reason;
  }
  return { bytes: concatenated(...pieces), sizes: pieces.map((piece) => piece.length), error };
}

export interface Decompression extends Reading {
  readonly warnings: WarningCode[];
}

export async function decompressAll(
  compressed: Uint8Array[] | ByteSource,
  options?: Partial<Parameters<typeof decompress>[1]>,
): Promise<Decompression> {
  const warnings: WarningCode[] = [];
  const source = Array.isArray(compressed) ? chunkSource(compressed) : compressed;
  const warn = (code: WarningCode) => void warnings.push(code);
  const reading = await readAll((await decompress(source, { warn, ...options })).source);
  return { ...reading, warnings };
}

/** Chunks, then the end, an error, or nothing until it is cancelled; counts what is asked of it. */
export class TestSource implements ByteSource {
  reads = 0;
  /** Bytes that were read. */
  taken = 0;
  /** Reasons that it was cancelled with. */
  readonly reasons: unknown[] = [];
  readonly #source: ByteSource;
  readonly #last = Promise.withResolvers<undefined>();

  constructor(chunks: Uint8Array[], last: Error | "end" | "stall" = "end") {
    this.#source = chunkSource(chunks);
    this.#last.promise.catch(() => {});
    if (last === "end") this.#last.resolve(undefined);
    else if (last !== "stall") this.#last.reject(last);
  }

  async read(): Promise<Uint8Array | undefined> {
    this.reads++;
    const chunk = await this.#source.read();
    this.taken += chunk?.length ?? 0;
    return chunk ?? this.#last.promise;
  }

  cancel(reason?: unknown): void {
    this.reasons.push(reason);
    this.#source.cancel(reason);
    this.#last.resolve(undefined);
  }
}

export function concatenated(...parts: ArrayLike<number>[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Returns a text with a number of entries that compresses as sitemaps do. */
export function sitemapText(entries: number): string {
  let text = "";
  for (let at = 0; at < entries; at++) {
    text += `<url><loc>https://site.test/p/${(at * 7919) % 10007}/${at}</loc></url>\n`;
  }
  return text;
}

/** Returns the code of a `TruncatedError`, `undefined` for any other value. */
export function cutCode(error: unknown): WarningCode | undefined {
  return error instanceof TruncatedError ? error.code : undefined;
}
