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
/** Scheme and authority that need no URL parser: a host name of letters, digits and dashes. */
const PLAIN_AUTHORITY_REGEXP =
  /^https?:\/\/(?:(?!xn--)[a-z0-9-]{1,63}\.){1,126}(?!xn--)[a-z]{2,63}[/?#]/;
/** Characters that the URL parser removes wherever they are. */
const LINE_BREAK_REGEXP = /[\t\n\r]/;
const LINE_BREAKS_REGEXP = /[\t\n\r]+/g;
const EXTRA_SLASHES_REGEXP = /^[/\\]{3,}/;
/** Path and query that the URL parser serialises unchanged: no `/./`, nothing to escape. */
const PLAIN_PATH_REGEXP = /^(?:\/(?!\.|%2e)[\w~!$&()*+,;=:@%.-]*)+(?:\?[\w~!$&()*+,;=:@%.?-]*)?$/i;

export function isHttp(url: URL): boolean {
  return url.protocol === "http:" || url.protocol === "https:";
}

/** Returns the origin that a text is, perhaps with a slash; `undefined` for any other text. */
export function httpOrigin(text: string): string | undefined {
  const url = URL.parse(text);
  // no path, query, fragment or user info
  return url !== null && isHttp(url) && url.href === `${url.origin}/` && !/[?#@]/.test(text)
    ? url.origin
    : undefined;
}

const SCHEME_REGEXP = /^[a-z][a-z0-9+.-]*:\/\//i;

export function hasScheme(word: string): boolean {
  return SCHEME_REGEXP.test(word);
}

export function withScheme(word: string, scheme: "http" | "https" = "https"): string {
  return hasScheme(word) ? word : `${scheme}://${word.replace(/^\/\//, "")}`;
}

export function withoutUserInfo(url: URL): URL {
  if (url.username === "" && url.password === "") return url;
  const bare = new URL(url);
  bare.username = "";
  bare.password = "";
  return bare;
}

/** `address` must be valid. */
export function withoutUserInfoIn(address: string): string {
  return address.includes("@") ? withoutUserInfo(new URL(address)).href : address;
}

/** Returns a word that may be a URL or a host, without user info. */
export function withoutUserInfoInText(word: string): string {
  return word.replace(/^((?:[a-z][a-z0-9+.-]*:)?\/\/)?(?:[^/?#\\@:]*:.*|[^/?#\\]*)@/is, "$1");
}

/** User and password before a host, in a word that need not be a valid URL. */
const PASSWORD_REGEXP = /^([a-z][a-z0-9+.-]*:\/\/|\/\/)?([^:@/]*):.*@/is;
/** Password in the query of a connection string. */
const PARAMETER_REGEXP = /([?&]password=)[^&\s]*/gi;

/** Returns a URL or `user:password@host`, valid or not, without its password, for messages. */
export function withoutPassword(word: string): string {
  const { password } = URL.parse(withScheme(word)) ?? {};
  const bare = password === "" ? word : word.replace(PASSWORD_REGEXP, "$1$2@");
  return bare.replace(PARAMETER_REGEXP, "$1…");
}

/** Returns a text without the passwords of valid URLs in it, for messages. */
export function withoutPasswords(text: string): string {
  return text.replace(/(\/\/[^/\s:@]*):[^/?#\s"]*@/g, "$1@").replace(PARAMETER_REGEXP, "$1…");
}

type RepairCode = "address-repaired" | "relative-address";

/** Valid scheme and authority, with the character that ends it. */
interface Authority {
  readonly start: string;
  /** Whether the URL parser serialises it unchanged; `undefined` until that matters. */
  isPlain?: boolean;
}

/** Maximum length of an authority that is remembered: a host name has 253 characters at most. */
const MAX_AUTHORITY_LENGTH = 300;
/** Maximum length of an address for a pattern of repeated groups, which take stack. */
const MAX_PLAIN_LENGTH = 4096;

/**
 * Repairs and resolves the addresses of one document.
 *
 * Only scheme and authority can make an http(s) URL invalid: after the `/`, `?` or `#` that ends
 * them, the URL parser accepts anything. So only an address with another authority than the last one
 * is checked.
 */
export class AddressResolver {
  readonly #base: string;
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
   * Returns a trimmed address itself if it is an absolute http(s) URL, else the repaired or resolved
   * URL, or `undefined` if it is unusable. `base` is the `xml:base` in scope. Calls `onRepair` once for
   * each kind of repair, if the address is usable.
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
   * slashes after its scheme, without tabs and line breaks.
   */
  isAbsoluteHttp(address: string): boolean {
    return !LINE_BREAK_REGEXP.test(address) && this.hasValidStart(address);
  }

  /** Whether an address without tabs and line breaks is {@linkcode isAbsoluteHttp}. */
  hasValidStart(address: string): boolean {
    if (this.#last !== undefined && beginsWith(address, this.#last.start)) return true;
    return this.#checkAuthority(address);
  }

  /** Returns the {@linkcode addressKey} of an address returned by `resolve()`. */
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

  /** Returns the absolute URL of an address without line breaks, if a repair makes it one. */
  #repaired(address: string): string | undefined {
    if (WWW_REGEXP.test(address)) {
      const url = `${HTTP_SCHEME_REGEXP.exec(this.#base)?.[0] ?? "https:"}//${address}`;
      return this.isAbsoluteHttp(url) ? url : undefined;
    }
    if (HTTP_REGEXP.test(address)) return this.isAbsoluteHttp(address) ? address : undefined;
    return HTTP_SCHEME_REGEXP.test(address) ? URL.parse(address)?.href : undefined;
  }

  #checkAuthority(address: string): boolean {
    const plain = PLAIN_AUTHORITY_REGEXP.exec(address)?.[0];
    const start = plain ?? AUTHORITY_REGEXP.exec(address)?.[0];
    if (start === undefined && !HTTP_REGEXP.test(address)) return false;
    const isShort = start !== undefined && start.length <= MAX_AUTHORITY_LENGTH;
    const isValid = (isShort && plain !== undefined) || URL.canParse(start ?? address);
    if (isValid) this.#last = isShort ? { start: ownCopy(start) } : undefined;
    return isValid;
  }
}

/** Like `startsWith()`, which is slower where the start is not the same string each time. */
function beginsWith(address: string, start: string): boolean {
  return address.slice(0, start.length) === start;
}

function isRelative(address: string): boolean {
  return address !== "" && !HTTP_SCHEME_REGEXP.test(address) && !WWW_REGEXP.test(address);
}

function resolved(address: string, base: string): string | undefined {
  // the URL standard ignores the number of slashes here, Deno 2.9 rejects `///host`
  const reference = address.replace(EXTRA_SLASHES_REGEXP, "//");
  const url = base === "" ? null : URL.parse(reference, base);
  return url !== null && isHttp(url) ? url.href : undefined;
}

/** Whether a trimmed address is {@linkcode AddressResolver.isAbsoluteHttp}. */
export function isAbsoluteHttp(address: string): boolean {
  return new AddressResolver("").isAbsoluteHttp(address);
}

/** Returns the key by which sitemap URLs are compared: serialised, without fragment. */
export function addressKey(address: string): string {
  const parsed = URL.parse(address);
  if (parsed === null) return address;
  // setting the hash serialises the URL again, so only where there is one
  if (address.includes("#")) parsed.hash = "";
  return parsed.href;
}

const ROBOTS_PATH = "/robots.txt";

export function isRobotsUrl(url: URL | null): boolean {
  // `pathname` is computed on each access, and few URLs contain the name
  return url !== null && url.href.includes(ROBOTS_PATH) && url.pathname.endsWith(ROBOTS_PATH);
}
