/**
 * Any JavaScript string as bytes and back: UTF-8, and lone surrogates as if they were characters
 * (WTF-8), so that nothing a sitemap could hold is changed by being stored.
 *
 * @module
 */

import type { Utf8Reader } from "../platform/text.ts";

/** The most bytes that one UTF-16 unit takes. */
export const MAX_UNIT_BYTES = 3;

/**
 * Writes `text` from unit `from` on into `bytes` at `at`, and returns where it ends. The caller
 * sees to it that there is room.
 */
export function writeWtf8(bytes: Uint8Array, at: number, text: string, from: number): number {
  for (let i = from; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) {
      bytes[at++] = unit;
    } else if (unit < 0x800) {
      bytes[at++] = 0xc0 | (unit >> 6);
      bytes[at++] = 0x80 | (unit & 0x3f);
    } else {
      const point = text.codePointAt(i)!;
      if (point > 0xffff) {
        i++;
        bytes[at++] = 0xf0 | (point >> 18);
        bytes[at++] = 0x80 | ((point >> 12) & 0x3f);
      } else {
        bytes[at++] = 0xe0 | (point >> 12);
      }
      bytes[at++] = 0x80 | ((point >> 6) & 0x3f);
      bytes[at++] = 0x80 | (point & 0x3f);
    }
  }
  return at;
}

/** Returns the string that `writeWtf8` wrote from `start` to `end`; `decode` is the reader of `bytes`. */
export function readWtf8(
  bytes: Uint8Array,
  start: number,
  end: number,
  decode: Utf8Reader,
): string {
  // Deno, 67 bytes of ASCII: 130 ns, against 900 for `TextDecoder` and 370 for `fromCharCode`.
  const text = decode(start, end);
  // A lone surrogate reads as U+FFFD. The search is free where all of the text is ASCII.
  return text.includes("\ufffd") ? readSurrogates(bytes, start, end) : text;
}

function readSurrogates(bytes: Uint8Array, start: number, end: number): string {
  let text = "";
  for (let at = start; at < end;) {
    const lead = bytes[at++]!;
    let point = lead;
    if (lead >= 0xc0) {
      const more = lead < 0xe0 ? 1 : lead < 0xf0 ? 2 : 3;
      point = lead & (0x3f >> more);
      for (const stop = at + more; at < stop; at++) point = (point << 6) | (bytes[at]! & 0x3f);
    }
    text += String.fromCodePoint(point);
  }
  return text;
}
