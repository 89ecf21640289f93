/** A `fetch` that answers from a script, and knows what it was asked and what is still open. @module */

import type { Fetch } from "../../src/http/exchange.ts";

/** One answer: made anew each time it is given. */
export type Answer = (url: string, init: RequestInit) => Response | Promise<Response>;

/** Answers by URL; several are given in turn, the last one repeated. Every other URL is a 404. */
export type Script = Readonly<Record<string, Answer | readonly Answer[]>>;

/** A request as it was made. */
export interface ScriptedRequest {
  /** Where. */
  readonly url: string;
  /** With what. */
  readonly headers: Headers;
  /** How redirects were to be treated. */
  readonly redirect: RequestRedirect | undefined;
  /** When, by the script's clock. */
  readonly at: number;
}

/** Answers from a script. */
export class ScriptedFetch {
  /** Every request so far. */
  readonly requests: ScriptedRequest[] = [];
  readonly #script: Script;
  readonly #now: () => number;

  /** `now` dates the requests. */
  constructor(script: Script, now: () => number = () => 0) {
    this.#script = script;
    this.#now = now;
  }

  /** The URLs asked for, in order. */
  get urls(): string[] {
    return this.requests.map(({ url }) => url);
  }

  /** How often each URL was asked for. */
  get counts(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const { url } of this.requests) counts[url] = (counts[url] ?? 0) + 1;
    return counts;
  }

  /** The function itself. */
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

/** A document. */
export function text(body: string, headers: HeadersInit = {}): Answer {
  return () => new Response(body, { headers });
}

/** A status without a document. */
export function status(code: number, headers: HeadersInit = {}): Answer {
  return () => new Response(null, { status: code, headers });
}

/** A redirect. */
export function redirect(location: string, code = 301): Answer {
  return status(code, { location });
}

/** No connection. */
export function refused(message = "connection refused"): Answer {
  return () => Promise.reject(new TypeError(message));
}

/** No answer, ever; minds the signal unless told not to. */
export function silence(mindsSignal = true): Answer {
  return (_url, { signal }) =>
    new Promise((_resolve, reject) => {
      if (!mindsSignal) return;
      signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
    });
}

/** A body of chunks that are made when they are asked for, and knows whether it was let go. */
export class TrackedBody {
  /** How many chunks were asked for. */
  pulled = 0;
  /** Whether it was read to its end, broke or was cancelled. */
  closed = false;
  /** The reason it was cancelled for. */
  cancelled: { readonly reason: unknown } | undefined;
  readonly #next: (index: number) => Uint8Array | undefined | Promise<Uint8Array | undefined>;

  /** `next` gives the chunks by number, `undefined` at the end, and may reject or never settle. */
  constructor(next: (index: number) => Uint8Array | undefined | Promise<Uint8Array | undefined>) {
    this.#next = next;
  }

  /** An answer with this body. */
  readonly answer: Answer = () => new Response(this.stream());

  /** The body, nothing of it asked for ahead. */
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

/** Text as bytes. */
export function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
