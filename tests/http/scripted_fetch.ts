/** A `fetch` that responds from a script and records its requests. @module */

import type { Fetch } from "../../src/http/exchange.ts";

/** Creates a response. */
export type Answer = (url: string, init: RequestInit) => Response | Promise<Response>;

/**
 * Responses by URL; several are used in turn, the last one repeatedly. Every other URL is a 404.
 */
export type Script = Readonly<Record<string, Answer | readonly Answer[]>>;

/** A recorded request. */
export interface ScriptedRequest {
  /** Its URL. */
  readonly url: string;
  /** Its headers. */
  readonly headers: Headers;
  /** Its redirect mode. */
  readonly redirect: RequestRedirect | undefined;
  /** Its time, by the clock of the script. */
  readonly at: number;
}

/** Responds from a script. */
export class ScriptedFetch {
  /** All requests. */
  readonly requests: ScriptedRequest[] = [];
  readonly #script: Script;
  readonly #now: () => number;

  /** `now` dates the requests. */
  constructor(script: Script, now: () => number = () => 0) {
    this.#script = script;
    this.#now = now;
  }

  /** URLs of all requests, in order. */
  get urls(): string[] {
    return this.requests.map(({ url }) => url);
  }

  /** Number of requests by URL. */
  get counts(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { url } of this.requests) counts[url] = (counts[url] ?? 0) + 1;
    return counts;
  }

  /** The `fetch` function. */
  readonly fetch: Fetch = async (url, init) => {
    const headers = new Headers(init.headers);
    const asked = this.requests.filter((request) => request.url === url).length;
    this.requests.push({ url, headers, redirect: init.redirect, at: this.#now() });
    const script = this.#script[url];
    const answers = script === undefined
      ? [status(404)]
      : typeof script === "function"
      ? [script]
      : script;
    return await answers[Math.min(asked, answers.length - 1)]!(url, init);
  };
}

/** Responds with a document. */
export function text(body: string, headers: HeadersInit = {}): Answer {
  return () => new Response(body, { headers });
}

/** Responds with a status. */
export function status(code: number, headers: HeadersInit = {}): Answer {
  return () => new Response(null, { status: code, headers });
}

/** Responds with a redirect. */
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
  /** Number of chunks that were pulled. */
  pulled = 0;
  /** Whether it was read to its end, failed or was cancelled. */
  closed = false;
  /** Reason of its cancellation. */
  cancelled: { readonly reason: unknown } | undefined;
  readonly #next: (index: number) => Uint8Array | undefined | Promise<Uint8Array | undefined>;

  /** `next` returns the chunks by number, `undefined` at the end; it may reject or never settle. */
  constructor(next: (index: number) => Uint8Array | undefined | Promise<Uint8Array | undefined>) {
    this.#next = next;
  }

  /** Responds with this body. */
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

/** Encodes text. */
export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
