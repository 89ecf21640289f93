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
import { joinedCopy } from "../data/text.ts";
import { type AddressResolver, isWideSpace } from "../data/url.ts";
import { asciiReference } from "../xml/references.ts";

/** Maximum number of authorities that each address is compared with. */
const MAX_KNOWN = 4;

/** Reads the addresses of one document. */
export class AddressReader {
  readonly #scan: ValueScan;
  readonly #resolver: AddressResolver;
  readonly #known: HashedPrefix[] = [];
  /** Authority of the last address that begins with none of the known ones. */
  #candidate: string | undefined;

  constructor(resolver: AddressResolver, scan: ValueScan) {
    this.#resolver = resolver;
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
    if ((flags & REFERENCE) !== 0) {
      return (flags & WIDE) === 0 ? this.#readEscaped(window, known, start, end) : undefined;
    }
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
    if (url === undefined || !this.#resolver.hasValidStart(url)) return undefined;
    // learning hashes the authority, which replaces the hash of the URL
    if (this.learn()) this.#scan.range(window.view, start, end);
    return url;
  }

  /**
   * Adds the authority that was resolved last to the known ones: at once while these are few, since
   * most sitemaps have a single one, else when it occurs twice in a row. Returns whether it was added.
   */
  learn(): boolean {
    const text = this.#resolver.validStart;
    if (text === undefined || text.length < 8) return false;
    if (text !== this.#candidate) {
      this.#candidate = text;
      if (this.#known.length >= MAX_KNOWN) return false;
    }
    // known authorities are compared with raw markup
    if (/[&<]/.test(text) || this.#known.some((known) => known.text === text)) return false;
    this.#known.unshift(this.#scan.hashPrefix(text));
    this.#known.length = Math.min(this.#known.length, MAX_KNOWN);
    return true;
  }

  /** Returns an ASCII address with references, unless one of them is not to ASCII. */
  #readEscaped(
    window: Window,
    known: HashedPrefix,
    start: number,
    end: number,
  ): string | undefined {
    const { bytes, text } = window, scan = this.#scan;
    let head = known.text, from = start + known.length;
    scan.begin();
    scan.add(bytes, start, from);
    for (let at = text.indexOf("&", from); at >= 0 && at < end; at = text.indexOf("&", from)) {
      const reference = asciiReference(text, at);
      if (reference === 0) return undefined;
      const code = reference & 0xff;
      head += text.slice(from, at) + String.fromCharCode(code);
      scan.add(bytes, from, at);
      scan.addByte(code);
      from = at + (reference >> 8);
    }
    scan.add(bytes, from, end);
    scan.finish();
    return joinedCopy(head, text.slice(from, end));
  }
}

/** Returns a URL with non-ASCII characters, unless it must be trimmed or cleaned. */
function wideUrl(window: Window, start: number, end: number): string | undefined {
  if (window.hasSpecials) return undefined;
  const url = window.copy(start, end, true);
  const isPadded = isWideSpace(url.charCodeAt(0)) || isWideSpace(url.charCodeAt(url.length - 1));
  return isPadded ? undefined : url;
}
