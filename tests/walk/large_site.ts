/** Scripted sites with sitemaps too large to be prefetched whole, which count open bodies. @module */

import type { Fetch } from "../../src/http/exchange.ts";
import { HOME } from "./walk_support.ts";

/** A document and how it is served. */
export interface LargeDocument {
  /** Content of the document. */
  readonly text: string;
  /** Offset at which the first response breaks off. */
  readonly breaksAt?: number;
}

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

  /** Creates a site with these documents. */
  constructor(documents: Readonly<Record<string, LargeDocument>>) {
    this.#documents = documents;
  }

  /** Fetches from the site. */
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
    const breaksAt = time === 1 ? document.breaksAt ?? Infinity : Infinity;
    return new Response(this.#stream(path, new TextEncoder().encode(document.text), breaksAt));
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

/** Returns a urlset of at least `length` bytes, whose pages are named after it. */
export function largeUrlset(name: string, bytes: number): LargeDocument {
  const urls: string[] = [];
  const padding = "x".repeat(900);
  for (let size = 0; size < bytes; size += 1000) {
    urls.push(`<url><loc>${HOME}${name}/${urls.length}?${padding}</loc></url>`);
  }
  return { text: `<urlset>${urls.join("\n")}</urlset>` };
}
