/**
 * The headers of a walk's requests, and which of them stay with the homepage.
 *
 * @module
 */

import { hasBrowserFetch, IS_DENO } from "../platform/environment.ts";
import { VERSION } from "../data/version.ts";

/** User agent unless the caller names one. */
export const DEFAULT_USER_AGENT: string = `sitetree/${VERSION}`;

/** Headers that hold credentials: they go to the homepage's origin alone. */
const CREDENTIALS: readonly string[] = ["authorization", "cookie", "proxy-authorization"];

/** Headers by name in lower case. */
export type HeaderRecord = Readonly<Record<string, string>>;

/**
 * Asks for gzip in a way in which Deno's `fetch` leaves the body as it is: it would decompress the first
 * gzip member or brotli stream only, and drop the rest. Other runtimes decompress all of it.
 */
const COMPRESSED: HeaderRecord = IS_DENO ? { "accept-encoding": "gzip", "range": "bytes=0-" } : {};

/** Asks for a body without any encoding. */
const UNENCODED: HeaderRecord = { "accept-encoding": "identity" };

/** The part of a body that is asked for. */
export interface Rest {
  /** Offset of its first byte. */
  readonly offset: number;
  /** Strong entity tag of the body. */
  readonly etag: string;
}

/** Makes the headers of each request. */
export class RequestHeaders {
  readonly #origin: string;
  /** Headers that the caller wants to be sent to the homepage's origin, and to others. */
  readonly #home: HeaderRecord;
  readonly #elsewhere: HeaderRecord;
  /** The same, for compressed bodies. */
  readonly #compressedHome: HeaderRecord;
  readonly #compressedElsewhere: HeaderRecord;
  /** Whether the runtime's `fetch` leaves bodies compressed that are asked for with these headers. */
  readonly getRaw: boolean;
  /** Whether requests are made by the `fetch` of a browser. */
  readonly isBrowser: boolean;

  /**
   * `homepage` may hold user info: it becomes an `Authorization` unless there is one. To browsers no
   * header is given that the caller did not ask for: most servers refuse the preflight request.
   */
  constructor(
    homepage: URL,
    headers: HeadersInit | undefined,
    userAgent: string,
    isBrowser: boolean = hasBrowserFetch(),
  ) {
    const home = Object.fromEntries(new Headers(headers)) as Record<string, string>;
    this.isBrowser = isBrowser;
    if (!isBrowser || userAgent !== DEFAULT_USER_AGENT) home["user-agent"] ??= userAgent;
    if (homepage.username !== "" || homepage.password !== "") {
      home["authorization"] ??= basicAuthorization(homepage);
    }
    this.#origin = homepage.origin;
    this.#home = home;
    this.#elsewhere = withoutCredentials(home);
    const isChosen = Object.keys(COMPRESSED).some((name) => name in home);
    const compressed = isChosen ? {} : COMPRESSED;
    this.#compressedHome = { ...home, ...compressed };
    this.#compressedElsewhere = { ...this.#elsewhere, ...compressed };
    this.getRaw = "range" in compressed;
  }

  /** The headers for a request to this URL: for a compressed body, for one as it is, or the rest of one. */
  for(url: URL, isUnencoded: boolean, rest?: Rest): HeaderRecord {
    const isHome = this.#home === this.#elsewhere || url.origin === this.#origin;
    if (rest === undefined && !isUnencoded) {
      return isHome ? this.#compressedHome : this.#compressedElsewhere;
    }
    const own = isHome ? this.#home : this.#elsewhere;
    // the runtime decides on encodings, and all of the body is asked for
    if (this.isBrowser) return own;
    const headers = { ...own, ...UNENCODED };
    if (rest === undefined) return headers;
    return { ...headers, "range": `bytes=${rest.offset}-`, "if-range": rest.etag };
  }
}

/** The same headers where they hold no credentials. */
function withoutCredentials(headers: HeaderRecord): HeaderRecord {
  if (!CREDENTIALS.some((name) => name in headers)) return headers;
  return Object.fromEntries(
    Object.entries(headers).filter(([name]) => !CREDENTIALS.includes(name)),
  );
}

function basicAuthorization({ username, password }: URL): string {
  const text = `${percentDecoded(username)}:${percentDecoded(password)}`;
  const bytes = new TextEncoder().encode(text);
  return `Basic ${btoa(String.fromCharCode(...bytes))}`;
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    // the URL parser lets a stray "%" stand, so it is meant
    return text;
  }
}
