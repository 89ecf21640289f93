/**
 * Recognises compressed and encoded data by its first bytes.
 *
 * @module
 */

/** Number of bytes that {@linkcode looksLikeText} examines. */
export const TEXT_SAMPLE = 64;

/** Whether bytes begin with the signature of gzip (RFC 1952 §2.3.1). */
export function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

/**
 * Whether bytes begin with a zlib header (RFC 1950 §2.2): deflate, a window of at most 32 KiB, and a
 * multiple of 31. Data with a preset dictionary does not count, since it cannot be decompressed.
 */
export function isZlib(head: Uint8Array): boolean {
  const [cmf, flg] = head;
  if (cmf === undefined || flg === undefined) return false;
  return (cmf & 0x0f) === 8 && cmf >> 4 <= 7 && (flg & 0x20) === 0 && (cmf * 256 + flg) % 31 === 0;
}

/**
 * Whether bytes can be text: they begin like UTF-16, or the first {@linkcode TEXT_SAMPLE} contain no
 * control character that text never has.
 *
 * 26 of the 256 bytes are such characters, so compressed data passes for text about once in 1,000
 * times.
 */
export function looksLikeText(head: Uint8Array): boolean {
  return isUtf16(head) || !head.subarray(0, TEXT_SAMPLE).some(isControl);
}

function isControl(byte: number): boolean {
  return byte < 0x09 || (byte > 0x0d && byte < 0x20 && byte !== 0x1b);
}

function isUtf16(head: Uint8Array): boolean {
  const [first, second] = head;
  return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff) ||
    utf16ByteOrder(head) !== undefined;
}

/**
 * Returns the byte order of UTF-16 without a byte order mark, recognised by two ASCII characters with
 * a zero byte each; `undefined` for any other data.
 *
 * Two characters, because a stray zero byte does not make other text UTF-16.
 */
export function utf16ByteOrder(head: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  const [first, second, third, fourth] = head;
  if (first === undefined || second === undefined) return undefined;
  if (third === undefined || fourth === undefined) return undefined;
  if (isAscii(first) && second === 0 && isAscii(third) && fourth === 0) return "utf-16le";
  if (first === 0 && isAscii(second) && third === 0 && isAscii(fourth)) return "utf-16be";
  return undefined;
}

/** Whether a byte is printable ASCII or ASCII whitespace. */
export function isAscii(byte: number): boolean {
  return (byte >= 0x20 && byte < 0x7f) || isWhiteSpace(byte);
}

/** Whether a byte is ASCII whitespace. */
export function isWhiteSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}
