import { hasBrowserFetch, IS_DENO } from "../platform/environment.ts";
import { VERSION } from "../data/version.ts";
import type { Rest } from "./content_range.ts";

export const DEFAULT_USER_AGENT: string = `sitetree/${VERSION}`;

/**
 * Names of headers that are sent to the origin of the homepage only: `Authorization`, `Cookie`, and
 * those of keys and tokens, such as `X-Api-Key` and `Private-Token`.
 */
const CREDENTIAL_REGEXP = /auth|cookie|credential|key|pass|secret|session|signature|token/i;

export function isCredential(name: string): boolean {
  return CREDENTIAL_REGEXP.test(name);
}

/** By name in lower case. */
type HeaderRecord = Readonly<Record<string, string>>;

/**
 * Headers that request gzip. With a range, Deno's `fetch` does not decompress the body; otherwise
 * it would drop all but the first gzip member or brotli stream. Other runtimes decompress all of
 * them.
 */
const COMPRESSED: HeaderRecord = IS_DENO ? { "accept-encoding": "gzip", "range": "bytes=0-" } : {};

export interface Validators {
  /** URL of its response. */
  readonly url: string;
  readonly etag: string | undefined;
  readonly lastModified: string | undefined;
}

export class RequestHeaders {
  readonly #origin: string;
  /** Headers of the caller, for the origin of the homepage and for others. */
  readonly #home: HeaderRecord;
  readonly #elsewhere: HeaderRecord;
  readonly #compressed: HeaderRecord;
  /** Whether the `fetch` of the runtime does not decompress bodies requested with these headers. */
  readonly getRaw: boolean;
  readonly isBrowser: boolean = hasBrowserFetch();

  /**
   * User info in `homepage` becomes an `Authorization`, unless `headers` has one. Browsers get no
   * header that the caller did not set: most servers reject the preflight request.
   */
  constructor(homepage: URL, headers: HeadersInit | undefined, userAgent: string) {
    const home: Record<string, string> = Object.fromEntries(new Headers(headers));
    if (!this.isBrowser || userAgent !== DEFAULT_USER_AGENT) home["user-agent"] ??= userAgent;
    if (homepage.username !== "" || homepage.password !== "") {
      home["authorization"] ??= basicAuthorization(homepage);
    }
    const hasOwn = Object.keys(COMPRESSED).some((name) => name in home);
    this.#origin = homepage.origin;
    this.#home = home;
    this.#elsewhere = Object.fromEntries(
      Object.entries(home).filter(([name]) => !isCredential(name)),
    );
    this.#compressed = hasOwn ? {} : COMPRESSED;
    this.getRaw = "range" in this.#compressed;
  }

  for(url: URL, isUnencoded: boolean, rest?: Rest, validators?: Validators): HeaderRecord {
    const headers = { ...(url.origin === this.#origin ? this.#home : this.#elsewhere) };
    if (rest === undefined && !isUnencoded) Object.assign(headers, this.#compressed);
    else if (!this.isBrowser) {
      headers["accept-encoding"] = "identity";
      delete headers["range"];
      if (rest) Object.assign(headers, { range: `bytes=${rest.offset}-`, "if-range": rest.etag });
    }
    const { etag, lastModified } = validators ?? {};
    if (etag !== undefined) headers["if-none-match"] = etag;
    if (lastModified !== undefined) headers["if-modified-since"] = lastModified;
    return headers;
  }
}

/** Whether the 304 of a URL is about the document of validators: if it has an ETag, it is the same. */
export function isCurrent({ href }: URL, headers: Headers, validators: Validators): boolean {
  const etag = headers.get("etag");
  return href === validators.url &&
    (etag === null || validators.etag === undefined || opaque(etag) === opaque(validators.etag));
}

function opaque(etag: string): string {
  return etag.replace(/^W\//, "");
}

export function basicAuthorization({ username, password }: URL): string {
  const text = `${percentDecoded(username)}:${percentDecoded(password)}`;
  const bytes = new TextEncoder().encode(text);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // the URL parser keeps a "%" that starts no escape
    return text;
  }
}
