/**
 * Packed bytes, known by their first bytes and unpacked on demand.
 *
 * @module
 */

import { MAX_GZIP_LAYERS } from "../limits.ts";
import { type ByteSource, peeked } from "./byte_source.ts";
import { isGzip } from "./sniff.ts";
import {
  unbrotlied,
  undeflated,
  ungzipped,
  type UnpackedSource,
  type UnpackWarn,
} from "./unpacking.ts";

/** How bytes are unpacked. */
export interface UnpackOptions {
  /** Told of what is wrong with the packing but does not end it. */
  readonly warn: UnpackWarn;
  /** How many layers of gzip are undone. Default: 3. */
  readonly maxLayers?: number;
  /**
   * The Content-Encoding of the body. Only "deflate" and "br" matter, which have no magic bytes: the
   * runtime may or may not have decompressed them.
   */
  readonly contentEncoding?: string | null;
}

/**
 * Unpacks a source as often as it is packed, up to `maxLayers` times; one that is not packed comes
 * back as it was. Never rejects: where the packing is cut or damaged, or the source rejects, the
 * result does after everything that could be unpacked.
 *
 * Nothing is read or unpacked before it is asked for, apart from the first bytes of each layer and
 * one piece of 8 KiB. By the head of the result one sees whether there was a layer too many.
 */
export function unpacked(
  source: ByteSource,
  options: UnpackOptions,
): UnpackedSource | Promise<UnpackedSource> {
  const coding = options.contentEncoding?.trim().toLowerCase();
  if (coding === "deflate" || coding === "br") return withoutCoding(source, coding, options);
  const first = peeked(source, 2);
  return first instanceof Promise || isGzip(first.head) ? withoutGzip(first, options) : first;
}

async function withoutGzip(
  first: UnpackedSource | Promise<UnpackedSource>,
  { maxLayers = MAX_GZIP_LAYERS, warn }: UnpackOptions,
): Promise<UnpackedSource> {
  const packed = await first;
  if (!isGzip(packed.head)) return packed;
  return await ungzipped(packed, maxLayers, warn);
}

async function withoutCoding(
  source: ByteSource,
  coding: "deflate" | "br",
  options: UnpackOptions,
): Promise<UnpackedSource> {
  const content = coding === "br" ? unbrotlied(source) : undeflated(source, options.warn);
  return await withoutGzip(content, options);
}
