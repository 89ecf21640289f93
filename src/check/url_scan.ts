/**
 * Scans the path of a URL once: the hash of its normal form, how it differs from that, and which
 * characters it has.
 *
 * Two URLs have the same hash if they are equal by RFC 3986 §6.2.2 (encoded letters and digits are
 * decoded, hexadecimal digits are in upper case, letters outside of ASCII are encoded), or differ by a
 * final slash only. Such URLs then differ by their variant, which is 0 for a normal form without a
 * final slash. Dot segments are left to the caller.
 *
 * @module
 */

export const FORBIDDEN = 1;
/** The URL has characters outside of ASCII. */
export const WIDE = 2;
export const BAD_PERCENT = 4;
/** The URL has a query, or a parameter of the path. */
export const QUERY = 8;
export const FRAGMENT = 16;
/** The URL has a segment that begins with a dot. */
export const DOT = 32;

const PERCENT = 64;

const SLASH = 0x2f, DOT_CODE = 0x2e, LAST_ASCII = 0x7f;
/** Symbols of the hash above those of characters: encoded bytes. */
const ENCODED = 0x100;

const CLASSES: Uint8Array = classes();
function classes(): Uint8Array {
  const flags = new Uint8Array(LAST_ASCII + 1);
  flags.fill(FORBIDDEN, 0, 0x21);
  flags[LAST_ASCII] = FORBIDDEN;
  for (const character of '"<>\\^`{|}') flags[character.charCodeAt(0)] = FORBIDDEN;
  for (const character of "?;") flags[character.charCodeAt(0)] = QUERY;
  flags["#".charCodeAt(0)] = FRAGMENT;
  flags["%".charCodeAt(0)] = PERCENT;
  flags[DOT_CODE] = DOT;
  return flags;
}

/** More than a byte for another character, or none. */
function digit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  const letter = code | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : 0x1000;
}

function isUnreserved(byte: number): boolean {
  const letter = byte | 0x20;
  return (letter >= 0x61 && letter <= 0x7a) || (byte >= 0x30 && byte <= 0x39) ||
    byte === 0x2d || byte === DOT_CODE || byte === 0x5f || byte === 0x7e;
}

/** The properties are those of the last URL. */
export class UrlScan {
  /** One half of the hash, without the final slash. */
  high = 0;
  low = 0;
  /** How it differs from the normal form: from 0 to 255. */
  variant = 0;
  flags = 0;

  /** The seeds are the halves of the hash before `from`. */
  scan(url: string, from: number, seedHigh: number, seedLow: number): void {
    const end = url.length;
    const last = end > from && url.charCodeAt(end - 1) === SLASH ? end - 1 : end;
    let high = seedHigh, low = seedLow, variant = last < end ? 1 : 0, flags = 0, before = 0;
    for (let at = from; at < last; at++) {
      let code = url.charCodeAt(at);
      if (code > LAST_ASCII) {
        flags |= WIDE;
        variant = mixed(variant, at);
        const point = url.codePointAt(at)!;
        if (point > 0xffff) at++;
        // all bytes of UTF-8 but the last, as if they were encoded
        const first = point > 0xffff ? 3 : point > 0x7ff ? 2 : 1;
        for (let left = first; left > 0; left--) {
          const lead = left === first ? 0xf00 >> left + 1 & 0xff : 0x80;
          high = Math.imul(high ^ (ENCODED | lead | point >> 6 * left & 0x3f), 0x9e3779b1);
          low = Math.imul((low << 7 | low >>> 25) ^ high, 0x85ebca6b);
        }
        code = ENCODED | 0x80 | point & 0x3f;
      } else {
        const flag = CLASSES[code]!;
        if (flag === PERCENT) {
          const tens = url.charCodeAt(at + 1), ones = url.charCodeAt(at + 2);
          const byte = digit(tens) << 4 | digit(ones);
          if (byte > 0xff) flags |= BAD_PERCENT;
          else {
            const isPlain = isUnreserved(byte);
            const isLower = tens > 0x60 || ones > 0x60;
            if (isPlain || isLower) variant = mixed(variant, at);
            code = isPlain ? byte : ENCODED | byte;
            at += 2;
          }
        } else if (flag !== 0 && (flag !== DOT || before === SLASH)) flags |= flag;
        before = code;
      }
      high = Math.imul(high ^ code, 0x9e3779b1);
      low = Math.imul((low << 7 | low >>> 25) ^ high, 0x85ebca6b);
    }
    if (last < end && (flags & (QUERY | FRAGMENT)) !== 0) {
      // the slash is not that of the path
      high = Math.imul(high ^ SLASH, 0x9e3779b1);
      low = Math.imul((low << 7 | low >>> 25) ^ high, 0x85ebca6b);
    }
    high = Math.imul(high ^ high >>> 15, 0x2c1b3c6d);
    low = Math.imul(low ^ low >>> 13, 0x297a2d39);
    this.high = high ^ low >>> 16;
    this.low = low ^ high >>> 15;
    this.variant = variant;
    this.flags = flags;
  }
}

/** Returns another variant from 2 to 255. */
function mixed(variant: number, at: number): number {
  return Math.max(2, Math.imul(variant ^ at, 0x9e3779b1) >>> 24);
}
