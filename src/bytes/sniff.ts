/**
 * What the first bytes of a body say it is.
 *
 * @module
 */

/** How many bytes {@linkcode looksLikeText} looks at. */
export const TEXT_SAMPLE = 64;

/** Whether bytes begin as gzip does (RFC 1952 §2.3.1). */
export function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

/**
 * Whether bytes begin as zlib does (RFC 1950 §2.2): deflate, a window of at most 32 KiB, and the two
 * bytes a multiple of 31. One that wants a preset dictionary does not count, nobody could unpack it.
 */
export function isZlib(head: Uint8Array): boolean {
  const [cmf, flg] = head;
  if (cmf === undefined || flg === undefined) return false;
  return (cmf & 0x0f) === 8 && cmf >> 4 <= 7 && (flg & 0x20) === 0 && (cmf * 256 + flg) % 31 === 0;
}

/**
 * Whether bytes can be text at all: none of their first {@linkcode TEXT_SAMPLE} is a control
 * character that no text has, or they begin as UTF-16 does.
 *
 * 26 of the 256 bytes are such controls, so packed bytes pass for text about once in 1,000 times.
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
 * The byte order of UTF-16 that has no byte order mark, known by two letters of ASCII, each with a
 * zero byte beside it; `undefined` if it is not that.
 *
 * Two, not one: a stray zero byte in other text must not turn all of it into UTF-16.
 */
export function utf16ByteOrder(head: Uint8Array): "utf-16le" | "utf-16be" | undefined {
  const [first, second, third, fourth] = head;
  if (first === undefined || second === undefined) return undefined;
  if (third === undefined || fourth === undefined) return undefined;
  if (isAscii(first) && second === 0 && isAscii(third) && fourth === 0) return "utf-16le";
  if (first === 0 && isAscii(second) && third === 0 && isAscii(fourth)) return "utf-16be";
  return undefined;
}

/** Whether a byte is a letter, sign or white space of ASCII. */
export function isAscii(byte: number): boolean {
  return (byte >= 0x20 && byte < 0x7f) || isWhiteSpace(byte);
}

/** Whether a byte is a white space of ASCII. */
export function isWhiteSpace(byte: number): boolean {
  return byte === 0x20 || (byte >= 0x09 && byte <= 0x0d);
}
