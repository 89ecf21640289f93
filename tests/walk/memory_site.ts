/**
 * Sites without a server, for thousands of walks: a `fetch` that responds in pieces, with
 * backpressure, and records open requests.
 *
 * @module
 */

import type { Fetch } from "../../src/http/exchange.ts";
import { bytes } from "../http/scripted_fetch.ts";
import { SiteFiles } from "../support/site_files.ts";
import { HOME, numbered, urlset } from "./site.ts";

interface Answer {
  readonly status: number;
  readonly headers?: Headers;
  readonly body: Uint8Array;
  /** Offset at which it breaks off. */
  readonly breaksAt?: number;
}

/** Content of a document; with `breaksAt`, the first response breaks off at that offset. */
export type LargeDocument = string | { readonly text: string; readonly breaksAt: number };

export class MemorySite {
  /** Number of requests by path. */
  readonly counts: Record<string, number> = {};
  /** Paths of pending requests, and of bodies that are neither read nor cancelled. */
  readonly open: string[] = [];
  maxOpen = 0;
  readonly #answer: (path: string, count: number) => Answer;
  /** Bytes of a body that are read at once. */
  readonly #piece: number;

  constructor(answer: (path: string, count: number) => Answer, piece: number) {
    this.#answer = answer;
    this.#piece = piece;
  }

  readonly fetch: Fetch = async (input, init) => {
    const { pathname } = new URL(input);
    const count = this.counts[pathname] = (this.counts[pathname] ?? 0) + 1;
    this.maxOpen = Math.max(this.maxOpen, this.open.push(pathname));
    // as on a network, the response is asynchronous and can be aborted
    await Promise.resolve();
    if (init.signal?.aborted) {
      this.#close(pathname);
      throw init.signal.reason;
    }
    const answer = this.#answer(pathname, count);
    return new Response(this.#stream(pathname, answer), answer);
  };

  /** Returns a body in pieces, each made when it is read. */
  #stream(path: string, { body, breaksAt = Infinity }: Answer): ReadableStream {
    let at = 0;
    return new ReadableStream({
      pull: (controller) => {
        if (at < Math.min(body.length, breaksAt)) {
          return controller.enqueue(body.slice(at, at += this.#piece));
        }
        this.#close(path);
        if (at < body.length) controller.error(new TypeError("connection reset"));
        else controller.close();
      },
      cancel: () => this.#close(path),
    }, { highWaterMark: 0 });
  }

  #close(path: string): void {
    this.open.splice(this.open.indexOf(path), 1);
  }
}

/** Serves `fixtures/sites/<name>/`. */
export function fixtureSite(name: string): MemorySite {
  const files = new SiteFiles(name);
  const answers = new Map<string, Answer>();
  return new MemorySite((path) => {
    const answer = answers.get(path) ?? files.answer(path, HOME.slice(0, -1));
    answers.set(path, answer);
    return answer;
  }, 300);
}

/** Serves documents by path, which may be too large to be prefetched whole. */
export function largeSite(documents: Readonly<Record<string, LargeDocument>>): MemorySite {
  return new MemorySite((path, count) => {
    const document = documents[path];
    if (document === undefined) return { status: 404, body: bytes("") };
    if (typeof document === "string") return { status: 200, body: bytes(document) };
    const { text, breaksAt } = document;
    return { status: 200, body: bytes(text), breaksAt: count === 1 ? breaksAt : Infinity };
  }, 16 * 1024);
}

/** Returns a urlset of at least `bytes` bytes, whose pages are named after it. */
export function largeUrlset(name: string, bytes: number): string {
  const padding = "x".repeat(960);
  return urlset(...numbered(Math.ceil(bytes / 1000), (at) => `/${name}/${at}?${padding}`));
}
