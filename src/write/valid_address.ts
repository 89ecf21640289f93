/**
 * Addresses as a sitemap may list them.
 *
 * @module
 */

/** The protocol: less than 2,048 characters. */
const MAX_LENGTH = 2047;

/** Characters of a URI of RFC 3986, and letters and digits that IRIs of RFC 3987 have besides. */
const NAME = String.raw`[\p{L}\p{M}\p{N}\-._~!$&'()*+,;=]|%[\da-f]{2}`;
const REST = String.raw`${NAME}|[:@/?]`;

/** An http(s) URL in which nothing has to be encoded, with a name for its host. */
const PLAIN_REGEXP = new RegExp(
  `^https?://(?:(?:${NAME}|:)*@)?(?:${NAME})+(?::\\d+)?(?:[/?](?:${REST})*)?(?:#(?:${REST})*)?$`,
  "iu",
);

/** What the URL parser leaves as it is and a URI cannot hold. */
const NOT_IN_URIS_REGEXP = /[[\]|\\^{}`]|%(?![\da-f]{2})/gi;

/**
 * An address that the schema of sitemaps takes, with the meaning of the one given: as it is if it
 * can stand so, else parsed and percent-encoded.
 *
 * @returns `undefined` for what is no http(s) URL, and for one that is too long.
 */
export function validAddress(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null || !/^https?:$/.test(url.protocol)) return undefined;
  const valid = PLAIN_REGEXP.test(address) ? address : encoded(url);
  return valid.length > MAX_LENGTH ? undefined : valid;
}

/** The parser has dealt with the host, which may have brackets, and with most of the rest. */
function encoded({ href, protocol, host }: URL): string {
  const authority = protocol.length + 2;
  const path = href.indexOf("/", authority);
  const userInfo = encodeRest(href.slice(authority, path - host.length));
  const rest = encodeRest(href.slice(path));
  const fragment = rest.indexOf("#") + 1;
  return `${protocol}//${userInfo}${host}` +
    (fragment === 0 ? rest : rest.slice(0, fragment) + rest.slice(fragment).replaceAll("#", "%23"));
}

function encodeRest(text: string): string {
  return text.replace(NOT_IN_URIS_REGEXP, encodeURIComponent);
}
