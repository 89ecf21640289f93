/** A `fetch` that responds from a script and records its requests. @module */

import type { Fetch } from "../../src/http/exchange.ts";

export type Answer = (url: string, init: RequestInit) => Response | Promise<Response>;

/**
 * Responses by URL; several are used in turn, the last one repeatedly. `*` is the response of every
 * other URL, by default a 404.
 */
export type Script = Readonly<Record<string, Answer | readonly Answer[]>>;

export interface ScriptedRequest {
  readonly url: string;
  readonly headers: Headers;
  readonly redirect: RequestRedirect | undefined;
  /** Its time, by the clock of the script. */
  readonly at: number;
}

export class ScriptedFetch {
  readonly requests: ScriptedRequest[] = [];
  readonly #script: Script;
  readonly #now: () => number;
  readonly #key: (url: string) => string;

  /** `now` dates the requests, `key` returns the key of a URL in the script. */
  constructor(
    script: Script,
    now: () => number = () => 0,
    key: (url: string) => string = (url) => url,
  ) {
    this.#script = script;
    this.#now = now;
    this.#key = key;
  }

  get urls(): string[] {
    return this.requests.map(({ url }) => url);
  }

  /** Number of requests by URL. */
  get counts(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { url } of this.requests) counts[url] = (counts[url] ?? 0) + 1;
    return counts;
  }

  readonly fetch: Fetch = async (url, init) => {
    const headers = new Headers(init.headers);
    const asked = this.requests.filter((request) => request.url === url).length;
    this.requests.push({ url, headers, redirect: init.redirect, at: this.#now() });
    const answers = [this.#script[this.#key(url)] ?? this.#script["*"] ?? status(404)].flat();
    return await answers[Math.min(asked, answers.length - 1)]!(url, init);
  };
}

export function text(body: string, headers: HeadersInit = {}): Answer {
  return () => new Response(body, { headers });
}

export function status(code: number, headers: HeadersInit = {}): Answer {
  return () => new Response(null, { status: code, headers });
}

export function redirect(location: string, code = 301): Answer {
  return status(code, { location });
}

/** Rejects as without a connection. */
export function refused(message = "connection refused"): Answer {
  return () => Promise.reject(new TypeError(message));
}

/** Never responds; rejects when the signal aborts, unless `heedsSignal` is false. */
export function silence(heedsSignal = true): Answer {
  return (_url, { signal }) =>
    new Promise((_resolve, reject) => {
      if (!heedsSignal) return;
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
}

/** A body whose chunks are created on demand, and which records whether it was closed. */
export class TrackedBody {
  pulled = 0;
  /** Whether it was read to its end, failed or was cancelled. */
  closed = false;
  cancelled: { readonly reason: unknown } | undefined;
  readonly #next: (index: number) => Uint8Array | undefined | Promise<Uint8Array | undefined>;

  /** `next` returns the chunks by number, `undefined` at the end; it may reject or never settle. */
  constructor(next: (index: number) => Uint8Array | undefined | Promise<Uint8Array | undefined>) {
    this.#next = next;
  }

  readonly answer: Answer = () => new Response(this.stream());

  /** Returns the body, without reading ahead. */
  stream(): ReadableStream<Uint8Array<ArrayBuffer>> {
    return new ReadableStream<Uint8Array<ArrayBuffer>>({
      pull: async (controller) => {
        try {
          const chunk = await this.#next(this.pulled++);
          if (this.cancelled !== undefined) return;
          if (chunk !== undefined) controller.enqueue(chunk as Uint8Array<ArrayBuffer>);
          else {
            this.closed = true;
            controller.close();
          }
        } catch (error) {
          this.closed = true;
          controller.error(error);
        }
      },
      cancel: (reason) => {
        this.closed = true;
        this.cancelled = { reason };
      },
    }, { highWaterMark: 0 });
  }
}

/** Returns a body that begins with `first` and never ends. */
export function unfinished(first: string): TrackedBody {
  return new TrackedBody((index) => index === 0 ? bytes(first) : new Promise(() => {}));
}

/** Returns a body that breaks off after `first`; after no byte if that is empty. */
export function broken(first: string, message = "connection reset"): TrackedBody {
  return new TrackedBody((index) => {
    if (index > 0 || first === "") throw new TypeError(message);
    return bytes(first);
  });
}

/** Responds as a `fetch` that followed redirects to `url` by itself. */
export function followed(url: string, body: BodyInit | null): Answer {
  return () =>
    Object.defineProperties(new Response(body), {
      url: { value: url },
      redirected: { value: true },
    });
}

export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

/** Returns the text of what is left of a body. */
export async function textOf(
  body: { read(): Uint8Array | undefined | Promise<Uint8Array | undefined> },
): Promise<string> {
  let all = "";
  for (let chunk = await body.read(); chunk !== undefined; chunk = await body.read()) {
    all += new TextDecoder().decode(chunk);
  }
  return all;
}
