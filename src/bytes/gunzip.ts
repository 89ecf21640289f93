/**
 * Decompresses bodies on demand: gzip (RFC 1952) by its signature, however often it was applied,
 * deflate (RFC 1950, RFC 1951) and brotli by their Content-Encoding.
 *
 *     source ─► header ─► inflate() ─► trailer ─┬─► end
 *               ▲                               │
 *               └──── next gzip member ─────────┘
 *
 * @module
 */

import { TruncatedError } from "../data/errors.ts";
import { MAX_GZIP_LAYERS } from "../data/limits.ts";
import { createCrc32 } from "../platform/inflater.ts";
import { type ByteSource, peek, type PeekedSource, type WarnCallback } from "./byte_source.ts";
import { isGzip, isZlib, looksLikeText, TEXT_SAMPLE } from "./detect_encoding.ts";
import { ByteInput, canInflate, inflate } from "./inflate.ts";

/** Beginning of a gzip member: signature, and deflate, the only method. */
const MEMBER_START = [0x1f, 0x8b, 0x08];
/** Maximum number of members: empty ones cost time but no bytes. Block-wise writers make a few 1,000. */
const MAX_MEMBERS = 10_000;

// flags of a header (RFC 1952 §2.3.1); reserved ones are ignored
const HAS_HEADER_CHECKSUM = 1 << 1;
const HAS_EXTRA = 1 << 2;
const HAS_NAME = 1 << 3;
const HAS_COMMENT = 1 << 4;

const TRUNCATED_HEADER = "Truncated gzip header";

interface DecompressOptions {
  readonly warn: WarnCallback;
  /**
   * Content-Encoding of the body. Only "deflate" and "br" matter, which have no signature: the runtime
   * may or may not have decompressed them.
   */
  readonly contentEncoding?: string | null;
}

export interface DecompressedSource extends PeekedSource {
  readonly wasCompressed?: true;
}

/**
 * Decompresses a source, up to {@linkcode MAX_GZIP_LAYERS} times; returns any other source as it is.
 * Never rejects: a truncated or corrupt body rejects when it is read, after everything before that.
 *
 * Reads the first bytes only. If the head of the result is gzip, there are too many layers.
 */
export async function decompress(
  source: ByteSource,
  { warn, contentEncoding }: DecompressOptions,
): Promise<DecompressedSource> {
  const coding = lastCoding(contentEncoding);
  const isCoded = coding === "deflate" || coding === "br";
  let content: DecompressedSource = await peek(source, isCoded ? TEXT_SAMPLE : 2);
  const { head } = content;
  const isDecoded = head.length === 0 || looksLikeText(head) || isGzip(head);
  if (coding === "deflate") {
    const hasHeader = isZlib(head);
    const isDeflate = hasHeader || !isDecoded && await canInflate(head.subarray(0, TEXT_SAMPLE));
    if (isDeflate) content = await decode(content, (input) => readZlib(input, hasHeader, warn));
  } else if (coding === "br" && !isDecoded) content = await decode(content, readBrotli);
  for (let layer = 0; layer < MAX_GZIP_LAYERS && isGzip(content.head); layer++) {
    content = await decode(content, (input) => readMembers(input, warn));
  }
  return content;
}

/** Returns the coding that was applied last, in lower case: `br` of `gzip, BR, identity`. */
export function lastCoding(contentEncoding: string | null | undefined): string | undefined {
  const codings = contentEncoding?.toLowerCase().split(",").map((coding) => coding.trim());
  return codings?.findLast((coding) => coding !== "" && coding !== "identity");
}

async function decode(
  { source }: PeekedSource,
  read: (input: ByteInput) => AsyncGenerator<Uint8Array, void>,
): Promise<DecompressedSource> {
  const input = new ByteInput(source);
  return { ...await peek(piecesSource(input, read(input)), 2), wasCompressed: true };
}

async function* readMembers(
  input: ByteInput,
  warn: WarnCallback,
): AsyncGenerator<Uint8Array, void> {
  const crc32 = createCrc32();
  for (let member = 1;; member++) {
    const start = await input.take(MEMBER_START.length);
    if (start.some((byte, at) => byte !== MEMBER_START[at])) {
      if (member === 1) throw new TruncatedError("gzip-cut", "Corrupt gzip data");
      return warn("gzip-trailing", "Ignored bytes after the last gzip member");
    }
    if (start.length < MEMBER_START.length) throw new TruncatedError("gzip-cut", TRUNCATED_HEADER);
    await skipHeader(input);
    if (member > MAX_MEMBERS) {
      throw new TruncatedError("gzip-cut", `More than ${MAX_MEMBERS} gzip members`);
    }
    let checksum = 0, length = 0;
    for await (const piece of inflate(input, "gzip")) {
      checksum = crc32(piece, checksum);
      length += piece.length;
      yield piece;
    }
    const trailer = await takeView(input, 8, "Truncated gzip checksum");
    // the length is stored modulo 2³²
    if (trailer.getUint32(0, true) !== checksum || trailer.getUint32(4, true) !== length >>> 0) {
      warn("gzip-checksum", `Wrong checksum or length of gzip member ${member}`);
    }
    // tar and tapes pad with zeros; gzip and Python skip them too
    if (!(await input.skipTo((byte) => byte !== 0))) return;
  }
}

/** Skips the header after {@linkcode MEMBER_START}. */
async function skipHeader(input: ByteInput): Promise<void> {
  // flags, then modification time, extra flags and operating system
  const flags = (await takeView(input, 7, TRUNCATED_HEADER)).getUint8(0);
  if ((flags & HAS_EXTRA) !== 0) {
    const length = (await takeView(input, 2, TRUNCATED_HEADER)).getUint16(0, true);
    await takeView(input, length, TRUNCATED_HEADER);
  }
  for (const flag of [HAS_NAME, HAS_COMMENT]) {
    if ((flags & flag) === 0) continue;
    await input.skipTo((byte) => byte === 0);
    await takeView(input, 1, TRUNCATED_HEADER);
  }
  if ((flags & HAS_HEADER_CHECKSUM) !== 0) await takeView(input, 2, TRUNCATED_HEADER);
}

/** Reads one deflate stream, with the header and checksum of zlib or, as some servers send it, bare. */
async function* readZlib(
  input: ByteInput,
  hasHeader: boolean,
  warn: WarnCallback,
): AsyncGenerator<Uint8Array, void> {
  let checksum = 1;
  if (hasHeader) await input.take(2);
  for await (const piece of inflate(input, "deflate")) {
    if (hasHeader) checksum = adler32(piece, checksum);
    yield piece;
  }
  if (hasHeader) {
    const trailer = await takeView(input, 4, "Truncated zlib checksum");
    if (trailer.getUint32(0) !== checksum) {
      warn("gzip-checksum", "Wrong checksum of the deflate data");
    }
  }
  if (await input.skipTo((byte) => byte !== 0)) {
    warn("gzip-trailing", "Ignored bytes after the deflate data");
  }
}

async function* readBrotli(input: ByteInput): AsyncGenerator<Uint8Array, void> {
  while (await input.skipTo(() => true)) yield* inflate(input, "brotli");
}

async function takeView(input: ByteInput, length: number, message: string): Promise<DataView> {
  const bytes = await input.take(length);
  if (bytes.length < length) throw new TruncatedError("gzip-cut", message);
  return new DataView(bytes.buffer, bytes.byteOffset, length);
}

/** Continues the checksum of zlib (RFC 1950 §9), which `node:zlib` does not export. */
function adler32(bytes: Uint8Array, value: number): number {
  let low = value & 0xffff, high = value >>> 16;
  // blocks so short that the sums stay below 2³¹
  for (let start = 0; start < bytes.length; start += 2048) {
    const end = Math.min(start + 2048, bytes.length);
    for (let at = start; at < end; at++) {
      low += bytes[at]!;
      high += low;
    }
    low %= 65521;
    high %= 65521;
  }
  return high * 65536 + low;
}

/** Returns a source of decompressed pieces, which stays at its end or error. */
function piecesSource(input: ByteInput, pieces: AsyncGenerator<Uint8Array, void>): ByteSource {
  let isEnded = false;
  let failure: { readonly error: unknown } | undefined;
  const end = (reason?: unknown) => {
    if (isEnded) return;
    isEnded = true;
    input.cancel(reason);
    void pieces.return();
  };
  return {
    async read() {
      try {
        const { value } = isEnded ? {} : await pieces.next();
        // it may have been cancelled meanwhile
        if (value !== undefined && !isEnded) return value;
        end();
      } catch (error) {
        if (!isEnded) failure = { error };
        end(error);
      }
      if (failure !== undefined) throw failure.error;
      return undefined;
    },
    cancel: end,
  };
}
