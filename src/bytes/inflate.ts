/**
 * Packed bytes, known by their first bytes and unpacked on demand.
 *
 * @module
 */

import { constants, inflateRawSync } from "node:zlib";
import type { WarningCode } from "../codes.ts";
import { MAX_GZIP_LAYERS } from "../limits.ts";
import { type ByteSource, peeked } from "./byte_source.ts";
import { DeflateFraming } from "./deflate_framing.ts";
import { GzipFraming } from "./gzip_framing.ts";
import { InflateSource } from "./inflate_source.ts";
import { isGzip, isZlib, looksLikeText, TEXT_SAMPLE } from "./sniff.ts";

/**
 * The pieces that packed bytes become. With 64 KiB a walk of gzipped sitemaps peaks at 180 MiB, with
 * 16 KiB at 130 to 160, in the same time; a sitemap of 6 KB unpacks in 23 µs instead of 32.
 */
const PIECE_SIZE = 16 * 1024;

/** How bytes are unpacked. */
export interface UnpackOptions {
  /** Told of what is wrong with the packing but does not end it. */
  readonly warn: (code: WarningCode, message: string) => void;
  /** How many layers of gzip are undone. Default: 3. */
  readonly maxLayers?: number;
  /**
   * The Content-Encoding of the body. Only "deflate" matters, which some runtimes leave packed and
   * which no magic bytes tell.
   */
  readonly contentEncoding?: string;
}

/**
 * Unpacks a source as often as it is packed, up to `maxLayers` times; one that is not packed comes
 * back as it was. Never rejects: where the packing is cut or damaged, or the source rejects, the
 * result does after everything that could be unpacked.
 *
 * Nothing is read or unpacked before it is asked for, apart from the first bytes of each layer and
 * one piece of 64 KiB.
 */
export async function unpacked(source: ByteSource, options: UnpackOptions): Promise<ByteSource> {
  const { warn, maxLayers = MAX_GZIP_LAYERS, contentEncoding = "" } = options;
  const isDeflate = contentEncoding.trim().toLowerCase() === "deflate";
  let layer = isDeflate ? await undeflated(source, warn) : source;
  for (let count = 0; count < maxLayers; count++) {
    const { head, source: whole } = await peeked(layer, 2);
    if (!isGzip(head)) return whole;
    layer = new InflateSource(whole, new GzipFraming(warn), PIECE_SIZE);
  }
  return layer;
}

/** Unpacks what claims to be deflated, if it is. */
async function undeflated(source: ByteSource, warn: UnpackOptions["warn"]): Promise<ByteSource> {
  const { head, source: whole } = await peeked(source, TEXT_SAMPLE);
  const hasZlib = isZlib(head);
  if (!hasZlib && (looksLikeText(head) || isGzip(head) || !inflates(head))) return whole;
  return new InflateSource(whole, new DeflateFraming(hasZlib, warn), PIECE_SIZE);
}

/**
 * Whether bytes that are no text can be a deflate stream without anything around it. If they turn out
 * not to be one after all, nothing is lost: nobody could have read them as they are.
 */
function inflates(head: Uint8Array): boolean {
  try {
    inflateRawSync(head.subarray(0, TEXT_SAMPLE), { finishFlush: constants.Z_SYNC_FLUSH });
    return true;
  } catch {
    return false;
  }
}
