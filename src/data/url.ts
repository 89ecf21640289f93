/**
 * Addresses: trimming, repairing, resolving and comparing them.
 *
 * @module
 */

/** Scheme and slashes of an address that needs no repair: `https://`, not `https:///`. */
const HTTP_REGEXP = /^https?:\/\/(?![/\\])/i;
/** Scheme of an absolute address, with or without slashes: `https:/host`, `https:host`. */
const HTTP_SCHEME_REGEXP = /^https?:/i;
/** Host without a scheme: `www.site.test/a`. Host names are case-insensitive. */
const WWW_REGEXP = /^www\./i;
/** Scheme, authority and the character that ends it: `https://site.test/`. */
const AUTHORITY_REGEXP = /^https?:\/\/[^\s/?#\\]+[/?#]/i;
/** Scheme and authority that need no URL parser: a host name of letters, digits and dashes. */
const PLAIN_HOST = String.raw`^https?://(?:(?!xn--)[a-z0-9-]{1,63}\.){1,126}(?!xn--)[a-z]{2,63}`;
const PLAIN_AUTHORITY_REGEXP = new RegExp(`${PLAIN_HOST}[/?#]`);
/** Characters that the URL parser removes wherever they are. */
const LINE_BREAK_REGEXP = /[\t\n\r]/;
const LINE_BREAKS_REGEXP = /[\t\n\r]+/g;
const EXTRA_SLASHES_REGEXP = /^[/\\]{3,}/;
/** URL that the URL parser serialises unchanged: no `/./`, nothing to escape. */
const PLAIN_URL_REGEXP = new RegExp(
  `${PLAIN_HOST}${String
    .raw`(?:/(?!\.|%2[eE])[\w~!$&()*+,;=:@%.-]*)+(?:\?[\w~!$&()*+,;=:@%.?-]*)?$`}`,
);
/** Maximum length of an authority that is remembered: a host name has 253 characters at most. */
export const MAX_AUTHORITY_LENGTH = 300;
/** Maximum length of an address for a pattern of repeated groups, which take stack. */
const MAX_PLAIN_LENGTH = 4096;

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

interface ResolveOptions {
  /** Base of relative addresses. Default: the URL of the document. */
  readonly base?: string | undefined;
  /** Called once for each kind of repair, if the address is usable. */
  readonly onRepair?: (code: RepairCode) => void;
}

/**
 * Returns a trimmed address of a document itself if it is an absolute http(s) URL, else the repaired or
 * resolved URL, or `undefined` if it is unusable. `documentUrl` is `""` if the document has none.
 */
export function resolveAddress(
  address: string,
  documentUrl: string,
  { base = documentUrl, onRepair }: ResolveOptions = {},
): string | undefined {
  if (isAbsoluteHttp(address)) return address;
  const unbroken = address.replace(LINE_BREAKS_REGEXP, "");
  const repaired = repairedUrl(unbroken, documentUrl);
  const url = repaired ?? (isRelative(unbroken) ? resolvedUrl(unbroken, base) : undefined);
  if (url === undefined) return undefined;
  if (repaired !== undefined || unbroken !== address) onRepair?.("address-repaired");
  if (repaired === undefined) onRepair?.("relative-address");
  return url;
}

/**
 * Whether a trimmed address is an absolute http(s) URL that needs no repair: valid, with exactly two
 * slashes after its scheme, without tabs and line breaks.
 */
export function isAbsoluteHttp(address: string): boolean {
  return !LINE_BREAK_REGEXP.test(address) && validStart(address) !== undefined;
}

/**
 * Returns scheme and authority of an absolute and valid address without tabs and line breaks, with the
 * `/`, `?` or `#` that ends them; all of it if none of these does. `undefined` for any other address.
 *
 * Only scheme and authority can make an http(s) URL invalid: after what ends them, the URL parser
 * accepts anything.
 */
export function validStart(address: string): string | undefined {
  const plain = PLAIN_AUTHORITY_REGEXP.exec(address)?.[0];
  if (plain !== undefined && plain.length <= MAX_AUTHORITY_LENGTH) return plain;
  const start = AUTHORITY_REGEXP.exec(address)?.[0] ??
    (HTTP_REGEXP.test(address) ? address : undefined);
  return start !== undefined && URL.canParse(start) ? start : undefined;
}

/** Returns the absolute URL of an address without line breaks, if a repair makes it one. */
function repairedUrl(address: string, documentUrl: string): string | undefined {
  if (WWW_REGEXP.test(address)) {
    const url = `${HTTP_SCHEME_REGEXP.exec(documentUrl)?.[0] ?? "https:"}//${address}`;
    return isAbsoluteHttp(url) ? url : undefined;
  }
  if (HTTP_REGEXP.test(address)) return isAbsoluteHttp(address) ? address : undefined;
  return HTTP_SCHEME_REGEXP.test(address) ? URL.parse(address)?.href : undefined;
}

function isRelative(address: string): boolean {
  return address !== "" && !HTTP_SCHEME_REGEXP.test(address) && !WWW_REGEXP.test(address);
}

function resolvedUrl(address: string, base: string): string | undefined {
  // the URL standard ignores the number of slashes here, Deno 2.9 rejects `///host`
  const reference = address.replace(EXTRA_SLASHES_REGEXP, "//");
  const url = base === "" ? null : URL.parse(reference, base);
  return url !== null && isHttp(url) ? url.href : undefined;
}

/** Returns the key by which URLs are compared: serialised, without fragment. */
export function addressKey(address: string): string {
  if (address.length <= MAX_PLAIN_LENGTH && PLAIN_URL_REGEXP.test(address)) return address;
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
