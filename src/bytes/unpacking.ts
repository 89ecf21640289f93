/**
 * Undoes packing, layer by layer.
 *
 * @module
 */

import type { WarningCode } from "../codes.ts";
import { createInflater } from "../platform/create_inflater.ts";
import type { ByteInput } from "./byte_input.ts";
import { type ByteSource, peeked, type PeekedSource } from "./byte_source.ts";
import { DeflateFraming } from "./deflate_framing.ts";
import type { Framing } from "./framing.ts";
import { GzipFraming } from "./gzip_framing.ts";
import { InflateSource } from "./inflate_source.ts";
import { isGzip, isZlib, looksLikeText, TEXT_SAMPLE } from "./sniff.ts";

/**
 * The pieces that packed bytes become. With 64 KiB a walk of a thousand gzipped sitemaps peaks at
 * 220 MiB, with 16 KiB at 170, with 8 KiB at 163, in the same time.
 */
const PIECE_SIZE = 8 * 1024;

/** Told of what is wrong with the packing but does not end it. */
export type UnpackWarn = (code: WarningCode, message: string) => void;

/** What packed bytes become, or bytes that are not packed. */
export interface UnpackedSource extends PeekedSource {
  /** Whether anything was undone. */
  readonly wasPacked?: true;
}

/** Undoes as many layers of gzip as there are, up to `maxLayers`. */
export async function ungzipped(
  packed: UnpackedSource,
  maxLayers: number,
  warn: UnpackWarn,
): Promise<UnpackedSource> {
  let content = packed;
  for (let layer = 0; layer < maxLayers && isGzip(content.head); layer++) {
    content = await inflated(content, new GzipFraming(warn));
  }
  return content;
}

/** Unpacks what claims to be deflated, if it is. */
export async function undeflated(source: ByteSource, warn: UnpackWarn): Promise<UnpackedSource> {
  const packed = await peeked(source, TEXT_SAMPLE);
  const { head } = packed;
  const hasZlib = isZlib(head);
  if (!hasZlib && (looksLikeText(head) || isGzip(head) || !(await inflates(head)))) return packed;
  return await inflated(packed, new DeflateFraming(hasZlib, warn));
}

/** Decompresses what claims to be brotli, unless `fetch` has done so: it has no magic bytes. */
export async function unbrotlied(source: ByteSource): Promise<UnpackedSource> {
  const packed = await peeked(source, TEXT_SAMPLE);
  const { head } = packed;
  const isDecoded = head.length === 0 || looksLikeText(head) || isGzip(head);
  return isDecoded ? packed : await inflated(packed, new BrotliFraming());
}

/** Brotli streams in a row, with nothing around them. */
class BrotliFraming implements Framing {
  readonly compression = "brotli";

  async begin(input: ByteInput): Promise<boolean> {
    const next = await input.take(1);
    input.unread(next);
    return next.length > 0;
  }

  unpacked(): void {}

  async end(): Promise<void> {}
}

async function inflated({ source }: PeekedSource, framing: Framing): Promise<UnpackedSource> {
  const content = await peeked(new InflateSource(source, framing, PIECE_SIZE), 2);
  return { ...content, wasPacked: true };
}

/**
 * Whether bytes that are no text can be a deflate stream without anything around it. If they turn out
 * not to be one after all, nothing is lost: nobody could have read them as they are.
 */
async function inflates(head: Uint8Array): Promise<boolean> {
  const inflater = await createInflater("deflate-raw", PIECE_SIZE);
  if (inflater === undefined) return false;
  try {
    inflater.write(head.slice(0, TEXT_SAMPLE));
    let step = await inflater.next();
    while (typeof step !== "string") step = await inflater.next();
    return step !== "damaged";
  } finally {
    inflater.close();
  }
}
