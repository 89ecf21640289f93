/**
 * The headers of a walk's requests, and which of them stay with the homepage.
 *
 * @module
 */

/** Headers that hold credentials: they go to the homepage's origin alone. */
const CREDENTIALS: readonly string[] = ["authorization", "cookie", "proxy-authorization"];

/** Headers by name in lower case. */
export type HeaderRecord = Readonly<Record<string, string>>;

/** Makes the headers of each request. */
export class RequestHeaders {
  readonly #origin: string;
  readonly #home: HeaderRecord;
  readonly #elsewhere: HeaderRecord;

  /** `homepage` may hold user info: it becomes an `Authorization` unless there is one. */
  constructor(homepage: URL, headers: HeadersInit | undefined, userAgent: string) {
    const home = Object.fromEntries(new Headers(headers)) as Record<string, string>;
    home["user-agent"] ??= userAgent;
    if (homepage.username !== "" || homepage.password !== "") {
      home["authorization"] ??= basicAuthorization(homepage);
    }
    this.#origin = homepage.origin;
    this.#home = home;
    this.#elsewhere = withoutCredentials(home);
  }

  /** The headers for a request to this URL; `identity` asks for a body as it is. */
  for(url: URL, identity: boolean): HeaderRecord {
    const isHome = this.#home === this.#elsewhere || url.origin === this.#origin;
    const headers = isHome ? this.#home : this.#elsewhere;
    return identity ? { ...headers, "accept-encoding": "identity" } : headers;
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
