/**
 * Addresses: resolving, comparing, telling http(s) from the rest.
 *
 * @module
 */

const HTTP_REGEXP = /^https?:\/\//i;
const EDGE_SPACE_REGEXP = /^[\s\u0085]+|[\s\u0085]+$/g;

/** White space as Unicode sees it: `trim()` knows all of it but NEL. */
export function trimSpace(text: string): string {
  const trimmed = text.trim();
  return trimmed.length > 0 && (trimmed.charCodeAt(0) === 0x85 ||
      trimmed.charCodeAt(trimmed.length - 1) === 0x85)
    ? trimmed.replace(EDGE_SPACE_REGEXP, "")
    : trimmed;
}

/** Whether a parsed URL is one that can be fetched. */
export function isHttp(url: URL): boolean {
  return url.protocol === "http:" || url.protocol === "https:";
}

/**
 * An address as it counts: an absolute http(s) one verbatim, a relative one resolved against
 * `base`; `undefined` for what is no http(s) URL then. Surrounding white space must be gone already.
 */
export function resolveAddress(address: string, base: string): string | undefined {
  if (HTTP_REGEXP.test(address)) return URL.canParse(address) ? address : undefined;
  if (address === "") return undefined;
  const resolved = URL.parse(address, base);
  return resolved !== null && isHttp(resolved) && resolved.hostname !== ""
    ? resolved.href
    : undefined;
}

/** Whether a line, once trimmed, is an absolute http(s) URL. */
export function isAbsoluteHttp(line: string): boolean {
  return HTTP_REGEXP.test(line) && URL.canParse(line);
}

/** What two sitemap addresses are compared by: as the URL parser writes it, without fragment. */
export function addressKey(address: string): string {
  const parsed = URL.parse(address);
  if (parsed === null) return address;
  parsed.hash = "";
  return parsed.href;
}

/** Whether what stands at an address is asked for as robots.txt. */
export function isRobotsUrl(address: string): boolean {
  return URL.parse(address)?.pathname.endsWith("/robots.txt") ?? false;
}
