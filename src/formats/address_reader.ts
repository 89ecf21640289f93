/**
 * Reads the addresses of pages from their bytes.
 *
 * Only scheme and authority can make an http(s) URL invalid, and a sitemap has few: an address that
 * begins with a known one needs no parsing. It is copied, as a slice would keep the window alive.
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
import { joinedCopy } from "../text.ts";
import { type AddressResolver, isWideSpace } from "../url.ts";
import { asciiReference } from "../xml/references.ts";

/** Authorities that are compared with each address; others are left to the resolver. */
const MAX_KNOWN = 4;
const AMPERSAND = 0x26;

/** Reads addresses. */
export class AddressReader {
  readonly #scan: ValueScan;
  readonly #resolver: AddressResolver;
  readonly #known: HashedPrefix[] = [];
  /** Authority of the last address that none of the known ones has. */
  #candidate: string | undefined;

  constructor(resolver: AddressResolver, scan: ValueScan) {
    this.#resolver = resolver;
    this.#scan = scan;
  }

  /**
   * The URL in a trimmed range that was the last to be scanned, with these flags, if it is absolute and
   * valid as written; the scan then has its hash. `undefined` for any other value.
   */
  read(window: Window, start: number, end: number, flags: number): string | undefined {
    if ((flags & CONTROL) !== 0) return undefined;
    const known = this.#scan.prefix ?? this.#knownAt(window.view, start, end);
    if (known === undefined) return this.#readUnknown(window, start, end, flags);
    if ((flags & REFERENCE) !== 0) return this.#readEscaped(window, known, start, end, flags);
    if ((flags & WIDE) !== 0) return wideUrl(window, start, end);
    return joinedCopy(known.text, window.text.slice(start + known.length, end));
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
    if (url === undefined || !this.#resolver.isAbsoluteHttp(url)) return undefined;
    // what is learned is hashed too
    if (this.learn()) this.#scan.range(window.view, start, end);
    return url;
  }

  /**
   * Keeps the authority of the address that was resolved last, if it was the last but one too; returns
   * whether it was not kept before.
   */
  learn(): boolean {
    const text = this.#resolver.validStart;
    if (text === undefined || text.length < 8) return false;
    if (text !== this.#candidate) {
      this.#candidate = text;
      // the first ones are kept at once: most sitemaps have a single one
      if (this.#known.length >= MAX_KNOWN) return false;
    }
    // it is compared with markup
    if (/[&<]/.test(text) || this.#known.some((known) => known.text === text)) return false;
    this.#known.unshift(this.#scan.hashPrefix(text));
    this.#known.length = Math.min(this.#known.length, MAX_KNOWN);
    return true;
  }

  /** An address with references, nearly all of which are `&amp;`. */
  #readEscaped(
    window: Window,
    known: HashedPrefix,
    start: number,
    end: number,
    flags: number,
  ): string | undefined {
    if ((flags & WIDE) !== 0) return undefined;
    const { bytes, text } = window, scan = this.#scan;
    let head = known.text, from = start + known.length;
    scan.begin();
    scan.add(bytes, start, from);
    for (let at = text.indexOf("&", from); at >= 0 && at < end; at = text.indexOf("&", from)) {
      const reference = asciiReference(text, at);
      // others are decoded, and reported, with the whole value
      if (reference === 0) return undefined;
      const code = reference & 0xff;
      head += code === AMPERSAND
        ? text.slice(from, at + 1)
        : text.slice(from, at) + String.fromCharCode(code);
      scan.add(bytes, from, at);
      scan.addByte(code);
      from = at + (reference >> 8);
    }
    scan.add(bytes, from, end);
    scan.finish();
    return joinedCopy(head, text.slice(from, end));
  }
}

/** A URL with characters beyond ASCII, unless it must be trimmed or cleaned. */
function wideUrl(window: Window, start: number, end: number): string | undefined {
  if (window.hasSpecials) return undefined;
  const url = window.copy(start, end, true);
  const isPadded = isWideSpace(url.charCodeAt(0)) || isWideSpace(url.charCodeAt(url.length - 1));
  return isPadded ? undefined : url;
}
