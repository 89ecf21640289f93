/**
 * Addresses: resolving, comparing, telling http(s) from the rest.
 *
 * @module
 */

const HTTP_REGEXP = /^https?:\/\//i;
/** Scheme and authority, with what ends them; no white space, which the parser would strip. */
const AUTHORITY_REGEXP = /^https?:\/\/[^\s/?#\\]+[/?#]/i;
/** A path, and perhaps a query, that the URL parser writes as they are: no `/./`, nothing to escape. */
const PLAIN_PATH_REGEXP = /^(?:\/(?!\.|%2e)[\w~!$&()*+,;=:@%.-]*)+(?:\?[\w~!$&()*+,;=:@%.?-]*)?$/i;
const EDGE_SPACE_REGEXP = /^[\s\u0085]+|[\s\u0085]+$/g;

/** White space as Unicode sees it: `trim()` knows all of it but NEL. */
export function trimSpace(text: string): string {
  const trimmed = text.trim();
  return trimmed.length > 0 && (trimmed.charCodeAt(0) === 0x85 ||
      trimmed.charCodeAt(trimmed.length - 1) === 0x85)
    ? trimmed.replace(EDGE_SPACE_REGEXP, "")
    : trimmed;
}

/** Whether a UTF-16 code is such white space beyond ASCII; a call of `trim()` takes 100 ns. */
export function isWideSpace(code: number): boolean {
  return code >= 0x85 &&
    (code <= 0xa0
      ? code === 0x85 || code === 0xa0
      : code >= 0x1680 && (code === 0x1680 || (code >= 0x2000 && code <= 0x200a) ||
        code === 0x2028 || code === 0x2029 || code === 0x202f || code === 0x205f ||
        code === 0x3000 || code === 0xfeff));
}

/** Whether a parsed URL is one that can be fetched. */
export function isHttp(url: URL): boolean {
  return url.protocol === "http:" || url.protocol === "https:";
}

/**
 * Resolves the addresses of one document.
 *
 * `URL.canParse` takes 320 ns. Only scheme and authority can make an http(s) URL invalid: once a
 * slash or the like ends them, the URL parser takes anything. So one valid authority is remembered,
 * and addresses that begin with it need not be parsed; in a sitemap that is nearly all of them.
 */
export class AddressResolver {
  readonly #base: string;
  #validStart: string | undefined;
  /** Whether the URL parser would write that start as it is. */
  #isPlainStart = false;

  /** Scheme and authority of the last valid address, with what ends them. */
  get validStart(): string | undefined {
    return this.#validStart;
  }

  /** `base` is what relative addresses are resolved against; `""` where there is nothing. */
  constructor(base: string) {
    this.#base = base;
  }

  /**
   * An address as it counts: an absolute http(s) one verbatim, a relative one resolved; `undefined`
   * for what is no http(s) URL then. Surrounding white space must be gone already.
   */
  resolve(address: string): string | undefined {
    if (this.isAbsoluteHttp(address)) return address;
    if (address === "" || HTTP_REGEXP.test(address)) return undefined;
    const resolved = URL.parse(address, this.#base);
    return resolved !== null && isHttp(resolved) && resolved.hostname !== ""
      ? resolved.href
      : undefined;
  }

  /** Whether an address is an absolute http(s) URL. */
  isAbsoluteHttp(address: string): boolean {
    if (this.#validStart !== undefined && address.startsWith(this.#validStart)) return true;
    if (!isAbsoluteHttp(address)) return false;
    const start = AUTHORITY_REGEXP.exec(address)?.[0];
    this.#validStart = start;
    this.#isPlainStart = start?.endsWith("/") === true && addressKey(start) === start;
    return true;
  }

  /** What a sitemap address that was just resolved is compared by, see {@linkcode addressKey}. */
  keyOf(address: string): string {
    const start = this.#validStart;
    const isPlain = start !== undefined && this.#isPlainStart && address.startsWith(start) &&
      PLAIN_PATH_REGEXP.test(address.slice(start.length - 1));
    return isPlain ? address : addressKey(address);
  }
}

/** Whether an address, once trimmed, is an absolute http(s) URL. */
export function isAbsoluteHttp(address: string): boolean {
  // what follows may be of any length, and cannot make it invalid
  return HTTP_REGEXP.test(address) && URL.canParse(AUTHORITY_REGEXP.exec(address)?.[0] ?? address);
}

/** What two sitemap addresses are compared by: as the URL parser writes it, without fragment. */
export function addressKey(address: string): string {
  const parsed = URL.parse(address);
  if (parsed === null) return address;
  // setting it parses anew
  if (address.includes("#")) parsed.hash = "";
  return parsed.href;
}

const ROBOTS_PATH = "/robots.txt";

/** Whether what stands at a URL is asked for as robots.txt. */
export function isRobotsUrl(url: URL | null): boolean {
  // a part of a URL is made when it is asked for, and hardly any is robots.txt
  return url !== null && url.href.includes(ROBOTS_PATH) && url.pathname.endsWith(ROBOTS_PATH);
}
