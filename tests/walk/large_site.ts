/** Made-up sites whose sitemaps are too large to be read ahead, and who count what is open. @module */

import type { Fetch } from "../../src/http/exchange.ts";
import { HOME } from "./walk_support.ts";

/** How a document is served. */
export interface LargeDocument {
  /** The whole document. */
  readonly text: string;
  /** Breaks off after so many bytes, the first time it is asked for. */
  readonly breaksAt?: number;
}

const PIECE = 16 * 1024;

/** Documents by path, sent in pieces as somebody reads. */
export class LargeSite {
  /** How often each path was asked for. */
  readonly counts: Record<string, number> = {};
  /** Bodies that are open, by path. */
  readonly open: string[] = [];
  /** The most that were ever open, requests that wait for an answer included. */
  maxOpen = 0;
  readonly #documents: Readonly<Record<string, LargeDocument>>;

  /** A site with these documents. */
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

/** A urlset of at least so many bytes, its pages named after it. */
export function largeUrlset(name: string, bytes: number): LargeDocument {
  const urls: string[] = [];
  const padding = "x".repeat(900);
  for (let size = 0; size < bytes; size += 1000) {
    urls.push(`<url><loc>${HOME}${name}/${urls.length}?${padding}</loc></url>`);
  }
  return { text: `<urlset>${urls.join("\n")}</urlset>` };
}
