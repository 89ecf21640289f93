/** Reads sources to their end, for tests. @module */

import type { WarningCode } from "../../src/data/codes.ts";
import { type ByteSource, sourceOf } from "../../src/bytes/byte_source.ts";
import { CutError } from "../../src/data/errors.ts";
import { unpacked, type UnpackOptions } from "../../src/bytes/gunzip.ts";

/** What a source gave. */
export interface Reading {
  /** All its bytes. */
  readonly bytes: Uint8Array;
  /** How they came. */
  readonly sizes: number[];
  /** What it rejected with in the end, if it did. */
  readonly error: unknown;
}

/** Reads a source until it ends or rejects. */
export async function readAll(source: ByteSource): Promise<Reading> {
  const pieces: Uint8Array[] = [];
  let error: unknown;
  try {
    for (let piece = await source.read(); piece; piece = await source.read()) {
      // good until the next one is asked for
      pieces.push(piece.slice());
    }
  } catch (reason) {
    error = reason;
  }
  return { bytes: concatenated(...pieces), sizes: pieces.map((piece) => piece.length), error };
}

/** Result of decompressing chunks, and its warnings. */
export interface Unpacking extends Reading {
  /** The codes that were reported, in order. */
  readonly warnings: WarningCode[];
}

/** Unpacks chunks, or a source, to the end. */
export async function unpackAll(
  packed: Uint8Array[] | ByteSource,
  options?: Partial<UnpackOptions>,
): Promise<Unpacking> {
  const warnings: WarningCode[] = [];
  const source = Array.isArray(packed) ? sourceOf(packed) : packed;
  const warn = (code: WarningCode) => void warnings.push(code);
  const reading = await readAll((await unpacked(source, { warn, ...options })).source);
  return { ...reading, warnings };
}

/** Arrays one after the other, as a plain array. */
export function concatenated(...parts: ArrayLike<number>[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** The bytes of a text. */
export function bytesOf(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** A text of so many entries that packs as sitemaps do. */
export function sitemapText(entries: number): string {
  let text = "";
  for (let at = 0; at < entries; at++) {
    text += `<url><loc>https://site.test/p/${(at * 7919) % 10007}/${at}</loc></url>\n`;
  }
  return text;
}

/** The code of a cut, or `undefined` for anything else. */
export function cutCode(error: unknown): WarningCode | undefined {
  return error instanceof CutError ? error.code : undefined;
}
