/**
 * Reads addresses from their bytes.
 *
 * Only scheme and authority can make an http(s) URL invalid, and a sitemap has few of them: an address
 * that begins with a known one needs no parsing.
 *
 * @module
 */

import {
  CONTROL,
  type HashedPrefix,
  REFERENCE,
  type ValueScan,
  WIDE,
} from "../bytes/value_scan.ts";
import type { Window } from "../bytes/window.ts";
import { joinedCopy, ownCopy, trimSpace } from "../data/text.ts";
import { MAX_AUTHORITY_LENGTH, validStart } from "../data/url.ts";

const AMPERSAND = 0x26;
/** One that ends, and is the same in markup. */
const AUTHORITY_REGEXP = /^[^&<]{7,}[/?#]$/;
/** Maximum number of authorities that each address is compared with. */
const MAX_KNOWN = 4;

export class AddressReader {
  readonly #scan: ValueScan;
  readonly #known: HashedPrefix[] = [];
  /** Authority of the last address that begins with none of the known ones. */
  #candidate: string | undefined;

  constructor(scan: ValueScan) {
    this.#scan = scan;
  }

  /**
   * Returns the URL in a trimmed range, if it is absolute and valid as written; the scan then has its
   * hash. The range must be the last that was scanned, with these flags.
   */
  read(window: Window, start: number, end: number, flags: number): string | undefined {
    if ((flags & CONTROL) !== 0) return undefined;
    const known = this.#scan.prefix ?? this.#knownAt(window.view, start, end);
    if (known === undefined) return this.#readUnknown(window, start, end, flags);
    return this.readKnown(window, known, start, end, flags);
  }

  /** The same for an address without control characters that begins with a known authority. */
  readKnown(
    window: Window,
    known: HashedPrefix,
    start: number,
    end: number,
    flags: number,
  ): string | undefined {
    if ((flags & REFERENCE) !== 0) {
      return this.#readEscaped(window, start, end, (flags & WIDE) !== 0);
    }
    if ((flags & WIDE) !== 0) return wideUrl(window, start, end);
    return joinedCopy(known.text, window.text.slice(start + known.length, end));
  }

  /** Returns an address with references, unless one of them is not to ASCII. */
  #readEscaped(window: Window, start: number, end: number, isWide: boolean): string | undefined {
    if (isWide && window.hasSpecials) return undefined;
    const { references, offsets, codes } = this.#scan;
    let decoded = "", from = start;
    for (let i = 0; i < references; i++) {
      const at = offsets[i]!, reference = codes[i]!, code = reference & 0xff;
      if (reference === 0) return undefined;
      decoded += code === AMPERSAND
        ? window.slice(from, at + 1, isWide)
        : window.slice(from, at, isWide) + String.fromCharCode(code);
      from = at + (reference >> 8);
    }
    const url = joinedCopy(decoded, window.slice(from, end, isWide));
    return isWide && trimSpace(url) !== url ? undefined : url;
  }

  #knownAt(view: DataView, start: number, end: number): HashedPrefix | undefined {
    const known = this.#known;
    for (let i = 0; i < known.length; i++) {
      const authority = known[i]!;
      if (end - start < authority.length || !authority.isAt(view, start)) continue;
      this.#scan.expect(authority);
      return authority;
    }
    return undefined;
  }

  #readUnknown(window: Window, start: number, end: number, flags: number): string | undefined {
    if ((flags & REFERENCE) !== 0) return undefined;
    const url = (flags & WIDE) !== 0 ? wideUrl(window, start, end) : window.copy(start, end, false);
    const authority = url === undefined ? undefined : validStart(url);
    if (authority === undefined) return undefined;
    // learning hashes the authority, which replaces the hash of the URL
    if (this.learn(authority)) this.#scan.range(window.view, start, end);
    return url;
  }

  /**
   * Adds an authority, see {@linkcode validStart}, to the known ones: at once while these are few, since
   * most sitemaps have a single one, else when it occurs twice in a row. Returns whether it was added.
   */
  learn(text: string): boolean {
    if (text !== this.#candidate) {
      this.#candidate = text.length > MAX_AUTHORITY_LENGTH ? undefined : ownCopy(text);
      if (this.#known.length >= MAX_KNOWN) return false;
    }
    if (this.#candidate === undefined || !AUTHORITY_REGEXP.test(text)) return false;
    if (this.#known.some((known) => known.text === text)) return false;
    this.#known.unshift(this.#scan.hashPrefix(text));
    this.#known.length = Math.min(this.#known.length, MAX_KNOWN);
    return true;
  }
}

/** Returns a URL with non-ASCII characters, unless it must be trimmed or cleaned. */
function wideUrl(window: Window, start: number, end: number): string | undefined {
  if (window.hasSpecials) return undefined;
  const url = window.copy(start, end, true);
  return trimSpace(url) !== url ? undefined : url;
}
