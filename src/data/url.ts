/**
 * Addresses: trimming, repairing, resolving and comparing them.
 *
 * @module
 */

import { ownCopy } from "./text.ts";

/** Scheme and slashes of an address that needs no repair: `https://`, not `https:///`. */
const HTTP_REGEXP = /^https?:\/\/(?![/\\])/i;
/** Scheme of an absolute address, with or without slashes: `https:/host`, `https:host`. */
const HTTP_SCHEME_REGEXP = /^https?:/i;
/** Host without a scheme: `www.site.test/a`. Host names are case-insensitive. */
const WWW_REGEXP = /^www\./i;
/** Scheme, authority and the character that ends it: `https://site.test/`. */
const AUTHORITY_REGEXP = /^https?:\/\/[^\s/?#\\]+[/?#]/i;
/** Scheme and authority that are valid beyond doubt: a host name of letters, digits and dashes. */
const PLAIN_AUTHORITY_REGEXP =
  /^https?:\/\/(?:(?!xn--)[a-z0-9-]{1,63}\.)+(?!xn--)[a-z]{2,63}[/?#]$/;
/** Characters that the URL parser removes wherever they are. */
const LINE_BREAK_REGEXP = /[\t\n\r]/;
const LINE_BREAKS_REGEXP = /[\t\n\r]+/g;
const EXTRA_SLASHES_REGEXP = /^[/\\]{3,}/;
/** Path and query that the URL parser serialises unchanged: no `/./`, nothing to escape. */
const PLAIN_PATH_REGEXP = /^(?:\/(?!\.|%2e)[\w~!$&()*+,;=:@%.-]*)+(?:\?[\w~!$&()*+,;=:@%.?-]*)?$/i;

/** Trims Unicode whitespace: what `trim()` does, and NEL. */
export function trimSpace(text: string): string {
  let start = 0, end = text.length;
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

function isSpace(code: number): boolean {
  return code <= 0x20 ? code === 0x20 || (code >= 0x09 && code <= 0x0d) : isWideSpace(code);
}

/** Whether a UTF-16 code unit beyond ASCII is whitespace for {@linkcode trimSpace}. */
export function isWideSpace(code: number): boolean {
  return code >= 0x85 &&
    (code <= 0xa0
      ? code === 0x85 || code === 0xa0
      : code >= 0x1680 && (code === 0x1680 || (code >= 0x2000 && code <= 0x200a) ||
        code === 0x2028 || code === 0x2029 || code === 0x202f || code === 0x205f ||
        code === 0x3000 || code === 0xfeff));
}

/** Whether a parsed URL can be fetched. */
export function isHttp(url: URL): boolean {
  return url.protocol === "http:" || url.protocol === "https:";
}

/** Warning code of a repair. */
export type RepairCode = "address-repaired" | "relative-address";

/** Valid scheme and authority, with the character that ends it. */
interface Authority {
  readonly start: string;
  /** Whether the URL parser serialises it unchanged; `undefined` until that matters. */
  isPlain?: boolean;
}

/** Slots of the cache of valid authorities, a power of two. */
const AUTHORITY_SLOTS = 1024;
/** Characters of an authority that is cached: a host name has 253 at most. */
const MAX_AUTHORITY_LENGTH = 300;
/** Characters of an address that is compared with a pattern of repeated groups, which take stack. */
const MAX_PLAIN_LENGTH = 4096;
/** Least offset of the slash that ends an authority: `http://a/`. */
const MIN_AUTHORITY_END = 8;

/**
 * Repairs and resolves the addresses of one document.
 *
 * Only scheme and authority can make an http(s) URL invalid: behind the `/`, `?` or `#` that ends
 * them, the URL parser accepts anything. So valid authorities are cached, and only an address with a
 * new one is parsed. The cache keeps one authority per slot; where every page has a host of its own, a
 * miss costs little more than the parsing. A `Map` was slower, for hits and for misses.
 */
export class AddressResolver {
  readonly #base: string;
  #authorities: (Authority | undefined)[] | undefined;
  #last: Authority | undefined;

  /** `base` is the URL of the document, `""` if it has none. */
  constructor(base: string) {
    this.#base = base;
  }

  /**
   * Scheme and authority of the last address that was absolute and valid, with the `/`, `?` or `#`
   * that ends them; `undefined` if none of these does. Any address that begins with it and contains
   * no tab, CR or LF is absolute and valid.
   */
  get validStart(): string | undefined {
    return this.#last?.start;
  }

  /**
   * Returns the address that a trimmed address stands for: itself if it is an absolute http(s) URL,
   * else the repaired or resolved URL, or `undefined` if it is unusable. `base` is the `xml:base` in
   * scope. Calls `onRepair` once for each kind of repair, if the address is usable.
   */
  resolve(
    address: string,
    onRepair?: (code: RepairCode) => void,
    base: string = this.#base,
  ): string | undefined {
    if (this.isAbsoluteHttp(address)) return address;
    const unbroken = address.replace(LINE_BREAKS_REGEXP, "");
    const repaired = this.#repaired(unbroken);
    const url = repaired ?? (isRelative(unbroken) ? resolved(unbroken, base) : undefined);
    if (url === undefined) return undefined;
    if (repaired !== undefined || unbroken !== address) onRepair?.("address-repaired");
    if (repaired === undefined) onRepair?.("relative-address");
    return url;
  }

  /**
   * Whether an address is an absolute http(s) URL that needs no repair: valid, with exactly two
   * slashes behind its scheme, without tabs and line breaks.
   */
  isAbsoluteHttp(address: string): boolean {
    if (LINE_BREAK_REGEXP.test(address)) return false;
    if (this.#last !== undefined && beginsWith(address, this.#last.start)) return true;
    const slot = slotOf(address);
    const cached = this.#authorities?.[slot];
    if (cached === undefined || !beginsWith(address, cached.start)) {
      return this.#checkAuthority(address, slot);
    }
    this.#last = cached;
    return true;
  }

  /** Comparison key of an address returned by `resolve()`, see {@linkcode addressKey}. */
  keyOf(address: string): string {
    const authority = this.#last;
    if (authority === undefined || !beginsWith(address, authority.start)) {
      return addressKey(address);
    }
    const { start } = authority;
    authority.isPlain ??= start.endsWith("/") && addressKey(start) === start;
    const isPlain = authority.isPlain && address.length <= MAX_PLAIN_LENGTH &&
      PLAIN_PATH_REGEXP.test(address.slice(start.length - 1));
    return isPlain ? address : addressKey(address);
  }

  /** An absolute address without line breaks, if it is one after a repair. */
  #repaired(address: string): string | undefined {
    if (WWW_REGEXP.test(address)) {
      const url = `${HTTP_SCHEME_REGEXP.exec(this.#base)?.[0] ?? "https:"}//${address}`;
      return this.isAbsoluteHttp(url) ? url : undefined;
    }
    if (HTTP_REGEXP.test(address)) return this.isAbsoluteHttp(address) ? address : undefined;
    return HTTP_SCHEME_REGEXP.test(address) ? URL.parse(address)?.href : undefined;
  }

  /** Checks an address whose authority is not in its cache slot, and caches it there. */
  #checkAuthority(address: string, slot: number): boolean {
    const found = AUTHORITY_REGEXP.exec(address)?.[0];
    if (found === undefined && !HTTP_REGEXP.test(address)) return false;
    const isPlain = found !== undefined && found.length <= MAX_AUTHORITY_LENGTH &&
      PLAIN_AUTHORITY_REGEXP.test(found);
    if (!isPlain && !URL.canParse(found ?? address)) return false;
    // most documents have one host and need no cache
    if (this.#last !== undefined) this.#authorities ??= new Array(AUTHORITY_SLOTS).fill(undefined);
    const isKept = found !== undefined && found.length <= MAX_AUTHORITY_LENGTH;
    // a slice would keep the whole address alive, or the chunk that it is a slice of
    this.#last = isKept ? { start: ownCopy(found) } : undefined;
    if (isKept && this.#authorities !== undefined) this.#authorities[slot] = this.#last;
    return true;
  }
}

/** What `startsWith()` returns; faster, because the start is not the same string each time. */
function beginsWith(address: string, start: string): boolean {
  return address.slice(0, start.length) === start;
}

/** Cache slot of the authority of an address, as far as a slash ends it. */
function slotOf(address: string): number {
  const end = Math.min(address.indexOf("/", MIN_AUTHORITY_END), MAX_AUTHORITY_LENGTH);
  let hash = end;
  for (let at = MIN_AUTHORITY_END; at < end; at++) {
    hash = (Math.imul(hash, 31) + address.charCodeAt(at)) | 0;
  }
  return hash & (AUTHORITY_SLOTS - 1);
}

/** Whether an address has neither a scheme of its own that is http(s), nor a host without one. */
function isRelative(address: string): boolean {
  return address !== "" && !HTTP_SCHEME_REGEXP.test(address) && !WWW_REGEXP.test(address);
}

function resolved(address: string, base: string): string | undefined {
  // the URL standard ignores the number of slashes here, Deno 2.9 rejects `///host`
  const reference = address.replace(EXTRA_SLASHES_REGEXP, "//");
  const url = base === "" ? null : URL.parse(reference, base);
  return url !== null && isHttp(url) ? url.href : undefined;
}

/** Whether a trimmed address is absolute http(s), see {@linkcode AddressResolver.isAbsoluteHttp}. */
export function isAbsoluteHttp(address: string): boolean {
  return new AddressResolver("").isAbsoluteHttp(address);
}

/** Comparison key of a sitemap address: as the URL parser serialises it, without fragment. */
export function addressKey(address: string): string {
  const parsed = URL.parse(address);
  if (parsed === null) return address;
  // setting it serialises the URL again
  if (address.includes("#")) parsed.hash = "";
  return parsed.href;
}

const ROBOTS_PATH = "/robots.txt";

/** Whether a document requested at a URL is read as robots.txt. */
export function isRobotsUrl(url: URL | null): boolean {
  // `pathname` is computed on each access, and few URLs contain the name
  return url !== null && url.href.includes(ROBOTS_PATH) && url.pathname.endsWith(ROBOTS_PATH);
}
