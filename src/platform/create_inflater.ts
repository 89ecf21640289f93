/**
 * The inflater of the runtime: `node:zlib` where it is complete, else pako.
 *
 * @module
 */

import { builtin } from "./builtin.ts";
import type { Compression, Inflater } from "./inflater.ts";
import { loadPako } from "./load_pako.ts";
import { ZlibInflater } from "./zlib_inflater.ts";

/**
 * Creates an inflater that returns pieces of at most `pieceSize` bytes; `undefined` for a compression
 * that the runtime cannot undo.
 */
export function createInflater(
  compression: Compression,
  pieceSize: number,
): Inflater | Promise<Inflater> | undefined {
  const zlib = builtin("node:zlib");
  const inflater = zlib && new ZlibInflater(zlib, compression, pieceSize);
  if (inflater?.isComplete) return inflater;
  inflater?.close();
  return compression === "brotli" ? undefined : createPako(pieceSize);
}

async function createPako(pieceSize: number): Promise<Inflater> {
  const { PakoInflater } = await loadPako();
  return new PakoInflater(pieceSize);
}
