/** Scripted sites with sitemaps too large to be prefetched whole, which count open bodies. @module */

import type { Fetch } from "../../src/http/exchange.ts";
import { HOME, numbered, urlset } from "./site.ts";

/** Content of a document; with `breaksAt`, the first response breaks off at that offset. */
export type LargeDocument = string | { readonly text: string; readonly breaksAt: number };

const PIECE = 16 * 1024;

/** Serves documents by path, in pieces and with backpressure. */
export class LargeSite {
  /** Number of requests by path. */
  readonly counts: Record<string, number> = {};
  /** Open bodies by path. */
  readonly open: string[] = [];
  /** Maximum number of open requests and bodies. */
  maxOpen = 0;
  readonly #documents: Readonly<Record<string, LargeDocument>>;

  constructor(documents: Readonly<Record<string, LargeDocument>>) {
    this.#documents = documents;
  }

  readonly fetch: Fetch = async (input) => {
    const path = input.slice(HOME.length - 1);
    const time = this.counts[path] = (this.counts[path] ?? 0) + 1;
    this.open.push(path);
    this.maxOpen = Math.max(this.maxOpen, this.open.length);
    await new Promise((resolve) => setTimeout(resolve, 0));
    const document = this.#documents[path];
    if (document === undefined) {
      this.#close(path);
      return new Response(null, { status: 404 });
    }
    const { text, breaksAt } = typeof document === "string"
      ? { text: document, breaksAt: Infinity }
      : document;
    const end = time === 1 ? breaksAt : Infinity;
    return new Response(this.#stream(path, new TextEncoder().encode(text), end));
  };

  #stream(path: string, bytes: Uint8Array<ArrayBuffer>, breaksAt: number): ReadableStream {
    let at = 0;
    return new ReadableStream({
      pull: (controller) => {
        if (at >= breaksAt) {
          this.#close(path);
          controller.error(new TypeError("connection reset"));
        } else if (at < bytes.length) controller.enqueue(bytes.slice(at, at += PIECE));
        else {
          this.#close(path);
          controller.close();
        }
      },
      cancel: () => this.#close(path),
    }, { highWaterMark: 0 });
  }

  #close(path: string): void {
    this.open.splice(this.open.indexOf(path), 1);
  }
}

/** Returns a urlset of at least `bytes` bytes, whose pages are named after it. */
export function largeUrlset(name: string, bytes: number): string {
  const padding = "x".repeat(960);
  return urlset(...numbered(Math.ceil(bytes / 1000), (at) => `/${name}/${at}?${padding}`));
}
