/** The simulated website of a conformance case, as a `fetch` like a runtime's own. @module */

export interface CaseResponse {
  /** Default: 200. */
  readonly status?: number;
  readonly statusText?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Same as a Location header. */
  readonly location?: string;
  /** Text, sent as UTF-8. */
  readonly body?: string;
  /** Exact bytes, instead of `body`. */
  readonly body_base64?: string;
  /** Bytes of the body after which the connection is aborted. */
  readonly abortAfter?: number;
  /** Failure instead of a response. */
  readonly error?: "timeout" | "connect-timeout" | "connection" | "ssl";
}

/** A URL of the site and its response, or several ones in turn; the last one is repeated. */
export interface CaseRoute extends CaseResponse {
  readonly url: string;
  readonly responses?: readonly CaseResponse[];
}

/** A body: all bytes, then its end or an error. */
interface Body {
  readonly bytes: Uint8Array<ArrayBuffer>;
  readonly error?: unknown;
}

/** Sizes of the chunks of a body, in turn, so that boundaries fall at arbitrary positions. */
const CHUNK_SIZES = [1, 7, 64, 1000];
const MAX_REDIRECTS = 20;
const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const NULL_BODY_STATUSES: ReadonlySet<number> = new Set([101, 103, 204, 205, 304]);
const DECODERS: Readonly<Record<string, "gzip" | "deflate">> = {
  "gzip": "gzip",
  "x-gzip": "gzip",
  "deflate": "deflate",
};
const FAILURES: Readonly<Record<NonNullable<CaseResponse["error"]>, () => Error>> = {
  "timeout": () => new DOMException("Signal timed out.", "TimeoutError"),
  "connect-timeout": () => new DOMException("Signal timed out.", "TimeoutError"),
  "connection": () => new TypeError("error sending request: connection refused"),
  "ssl": () => new TypeError("invalid peer certificate: Expired"),
};
const NOT_FOUND: CaseResponse = {
  status: 404,
  statusText: "Not Found",
  headers: { "Content-Type": "text/html" },
  body: "<h1>404 Not Found!</h1>",
};

/** Returns a URL as the URL parser writes it, without its fragment. */
export function plainUrl(url: string): string {
  if (!URL.canParse(url)) return url;
  const parsed = new URL(url);
  parsed.hash = "";
  return parsed.href;
}

export class ConformanceSite {
  /** Requests so far, by URL. */
  readonly requests: Map<string, number> = new Map();
  readonly #responses = new Map<string, CaseResponse[]>();
  readonly #fallback: CaseResponse;

  constructor(routes: readonly CaseRoute[], fallback: CaseResponse | null) {
    for (const route of routes) {
      this.#responses.set(plainUrl(route.url), [...(route.responses ?? [route])]);
    }
    this.#fallback = fallback ?? NOT_FOUND;
  }

  readonly fetch = async (
    input: string | URL | Request,
    init: RequestInit = {},
  ): Promise<Response> => {
    const given: Partial<Request> = input instanceof Request ? input : {};
    const redirect = init.redirect ?? given.redirect ?? "follow";
    const signal = init.signal ?? given.signal;
    // not those of a Request: browsers leave Accept-Encoding out of them
    const headers = new Headers(init.headers ?? given.headers);
    const isIdentity = headers.get("accept-encoding")?.trim().toLowerCase() === "identity";
    const isHead = (init.method ?? given.method) === "HEAD";

    let url = plainUrl(input instanceof Request ? input.url : String(input));
    for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
      if (!/^https?:/.test(url)) throw new TypeError(`Unsupported URL scheme in "${url}"`);
      const response = await this.#next(url, signal);
      const { status = 200, location } = response;
      const received = new Headers(response.headers);
      if (location !== undefined && !received.has("location")) received.set("location", location);
      const target = REDIRECT_STATUSES.has(status) ? received.get("location") : null;
      if (target === null || redirect === "manual") {
        const body = await receivedBody(response, received, isIdentity);
        const hasBody = !isHead && !NULL_BODY_STATUSES.has(status);
        const stream = hasBody ? streamOf(body, signal) : null;
        return asReceived(new Response(stream, { headers: received }), {
          status,
          ok: status >= 200 && status < 300,
          statusText: response.statusText ?? "",
          url,
          redirected: redirects > 0,
        });
      }
      if (redirect === "error") throw new TypeError("Unexpected redirect");
      if (!URL.canParse(target, url)) throw new TypeError("Location is not a valid URL");
      url = plainUrl(new URL(target, url).href);
    }
    throw new TypeError(`More than ${MAX_REDIRECTS} redirects`);
  };

  /** Returns the next response of a URL, or fails like its request. */
  async #next(url: string, signal: AbortSignal | null | undefined): Promise<CaseResponse> {
    signal?.throwIfAborted();
    this.requests.set(url, (this.requests.get(url) ?? 0) + 1);
    const responses = this.#responses.get(url) ?? [this.#fallback];
    const response = responses.length > 1 ? responses.shift()! : responses[0]!;
    await new Promise<void>((resolve) => setTimeout(resolve, 0));
    signal?.throwIfAborted();
    if (response.error !== undefined) throw FAILURES[response.error]();
    return response;
  }
}

/** Returns the body as a client receives it: decoded, and aborted where the case says so. */
async function receivedBody(
  { body, body_base64, abortAfter }: CaseResponse,
  headers: Headers,
  isIdentity: boolean,
): Promise<Body> {
  const bytes = body_base64 === undefined
    ? new TextEncoder().encode(body)
    : Uint8Array.from(atob(body_base64), (char) => char.charCodeAt(0));
  let received: Body = { bytes };
  const encoding = headers.get("content-encoding");
  if (encoding !== null) {
    const decoded = await decode(bytes, encoding);
    // a request for identity gets the decoded body, or a wrongly labelled one as it is
    if (!isIdentity || decoded.error === undefined) received = decoded;
    if (isIdentity) headers.delete("content-encoding");
  }
  if (abortAfter === undefined) return received;
  const error = new TypeError("error reading a body from connection");
  return { bytes: received.bytes.slice(0, abortAfter), error };
}

/** Decodes a Content-Encoding; keeps what was decoded before an error. */
async function decode(bytes: Uint8Array<ArrayBuffer>, encoding: string): Promise<Body> {
  let body: Body = { bytes };
  for (const name of encoding.toLowerCase().split(",").reverse()) {
    const format = DECODERS[name.trim()];
    if (format !== undefined && body.error === undefined) body = await decompress(body, format);
  }
  return body;
}

async function decompress({ bytes }: Body, format: CompressionFormat): Promise<Body> {
  const { readable, writable } = new DecompressionStream(format);
  const writer = writable.getWriter();
  // both fail together with the reader below
  writer.write(bytes).catch(() => {});
  writer.close().catch(() => {});
  const reader = readable.getReader();
  let decoded = new Uint8Array();
  try {
    for (let part = await reader.read(); !part.done; part = await reader.read()) {
      const longer = new Uint8Array(decoded.length + part.value.length);
      longer.set(decoded);
      longer.set(part.value, decoded.length);
      decoded = longer;
    }
    return { bytes: decoded };
  } catch {
    return { bytes: decoded, error: new TypeError("error decoding response body") };
  }
}

function streamOf(body: Body, signal: AbortSignal | null | undefined): ReadableStream<Uint8Array> {
  let offset = 0;
  let chunks = 0;
  let onAbort: () => void;
  return new ReadableStream({
    type: "bytes",
    start(controller) {
      onAbort = () => controller.error(signal?.reason);
      signal?.addEventListener("abort", onAbort, { once: true });
    },
    pull(controller) {
      if (offset < body.bytes.length) {
        const end = offset + CHUNK_SIZES[chunks++ % CHUNK_SIZES.length]!;
        controller.enqueue(body.bytes.slice(offset, end));
        offset = end;
        return;
      }
      signal?.removeEventListener("abort", onAbort);
      if (body.error !== undefined) return controller.error(body.error);
      controller.close();
      // completes a read into a buffer of the reader
      controller.byobRequest?.respond(0);
    },
    cancel() {
      signal?.removeEventListener("abort", onAbort);
    },
  });
}

/** Gives a constructed response the URL and the status, such as 999, of a received one. */
function asReceived(response: Response, fields: Partial<Response>): Response {
  const clone = response.clone.bind(response);
  const own = { ...fields, clone: () => asReceived(clone(), fields) };
  for (const [name, value] of Object.entries(own)) {
    Object.defineProperty(response, name, { value, configurable: true });
  }
  return response;
}
