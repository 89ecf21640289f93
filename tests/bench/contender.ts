/**
 * What is measured: something that turns the bytes of one document into pages.
 *
 * @module
 */

import type { DocumentKind } from "./generate.ts";

/** An image of a page. */
export interface BenchImage {
  readonly loc: string;
  readonly title?: string | undefined;
}

/** A page in another language. */
export interface BenchAlternate {
  readonly hreflang: string;
  readonly href: string;
}

/** What a news sitemap or a feed says about a page. */
export interface BenchStory {
  readonly title: string;
  readonly publishDate?: Date | undefined;
  readonly publicationName?: string | undefined;
  readonly publicationLanguage?: string | undefined;
}

/** The page that every contender must make. */
export interface BenchPage {
  readonly url: string;
  readonly priority: number;
  readonly lastModified?: Date | undefined;
  readonly changeFrequency?: string | undefined;
  readonly newsStory?: BenchStory | undefined;
  readonly images?: readonly BenchImage[] | undefined;
  readonly alternates?: readonly BenchAlternate[] | undefined;
}

/** Takes the pages as they come. */
export type PageSink = (page: BenchPage) => void;

/** Something that reads documents. */
export interface Contender {
  /** How the table calls it. */
  readonly name: string;
  /** What it reads with all its fields. */
  readonly kinds: readonly DocumentKind[];
  /** Reads one document, given in chunks, and hands out its pages in order. */
  read(kind: DocumentKind, chunks: Iterable<Uint8Array>, sink: PageSink): void | Promise<void>;
}

/** How the bytes arrive, as from a socket. */
export const CHUNK_SIZE: number = 64 * 1024;

/** A document in chunks; views, not copies. */
export function* inChunks(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK_SIZE) {
    yield bytes.subarray(at, at + CHUNK_SIZE);
  }
}

/** Counts pages and sums up all they say, so that contenders can be compared. */
export class PageTally {
  /** Pages seen. */
  pages = 0;
  /** Depends on every field and on the order. */
  checksum = 0;

  /** Takes one page. */
  add(page: BenchPage): void {
    this.pages++;
    this.#addText(page.url);
    this.#addNumber(Math.round(page.priority * 1000));
    this.#addNumber(page.lastModified?.getTime() ?? -1);
    this.#addText(page.changeFrequency ?? "");
    const story = page.newsStory;
    if (story !== undefined) {
      this.#addText(story.title);
      this.#addNumber(story.publishDate?.getTime() ?? -1);
      this.#addText(story.publicationName ?? "");
      this.#addText(story.publicationLanguage ?? "");
    }
    for (const image of page.images ?? []) {
      this.#addText(image.loc);
      this.#addText(image.title ?? "");
    }
    for (const alternate of page.alternates ?? []) {
      this.#addText(alternate.hreflang);
      this.#addText(alternate.href);
    }
  }

  #addNumber(value: number): void {
    this.checksum = (Math.imul(this.checksum, 31) + (value % 1_000_000_007)) | 0;
  }

  #addText(text: string): void {
    // FNV-1a over UTF-16 units
    let hash = this.checksum ^ 0x811c9dc5;
    for (let at = 0; at < text.length; at++) {
      hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
    }
    this.checksum = (hash + text.length) | 0;
  }
}
