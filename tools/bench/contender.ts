/**
 * Interface of what is measured: turns the bytes of one document into pages.
 *
 * @module
 */

import type { DocumentKind } from "./generate.ts";

/** An image of a page. */
export interface BenchImage {
  readonly loc: string;
  readonly caption?: string | undefined;
  readonly geoLocation?: string | undefined;
  readonly title?: string | undefined;
  readonly license?: string | undefined;
}

/** A page in another language. */
export interface BenchAlternate {
  readonly hreflang: string;
  readonly href: string;
}

/** News fields of a page, from a news sitemap or a feed. */
export interface BenchStory {
  readonly title: string;
  readonly publishDate?: Date | string | undefined;
  readonly publicationName?: string | undefined;
  readonly publicationLanguage?: string | undefined;
  readonly access?: string | undefined;
  readonly genres?: readonly string[] | undefined;
  readonly keywords?: readonly string[] | undefined;
  readonly stockTickers?: readonly string[] | undefined;
}

/** Countries or platforms where a video may or may not be shown. */
export interface BenchRestriction {
  readonly relationship: "allow" | "deny";
  readonly values: readonly string[];
}

/** A video of a page. */
export interface BenchVideo {
  readonly thumbnailLoc?: string | undefined;
  readonly title?: string | undefined;
  readonly description?: string | undefined;
  readonly contentLoc?: string | undefined;
  readonly playerLoc?: string | undefined;
  readonly duration?: number | undefined;
  readonly expirationDate?: Date | string | undefined;
  readonly rating?: number | undefined;
  readonly viewCount?: number | undefined;
  readonly publicationDate?: Date | string | undefined;
  readonly familyFriendly?: boolean | undefined;
  readonly restriction?: BenchRestriction | undefined;
  readonly platform?: BenchRestriction | undefined;
  readonly requiresSubscription?: boolean | undefined;
  readonly uploader?: { readonly name: string; readonly info?: string | undefined } | undefined;
  readonly live?: boolean | undefined;
  readonly tags?: readonly string[] | undefined;
}

/** Page as every contender must produce it. */
export interface BenchPage {
  readonly url: string;
  /** Default: 0.5. */
  readonly priority?: number | undefined;
  readonly lastModified?: Date | string | undefined;
  readonly changeFrequency?: string | undefined;
  readonly newsStory?: BenchStory | undefined;
  readonly images?: readonly BenchImage[] | undefined;
  readonly alternates?: readonly BenchAlternate[] | undefined;
  readonly videos?: readonly BenchVideo[] | undefined;
}

/** Receives each page. */
export type PageSink = (page: BenchPage) => void;

/** Reader of documents. */
export interface Contender {
  /** Name in the table. */
  readonly name: string;
  /** Kinds of document that it reads with all fields. */
  readonly kinds: readonly DocumentKind[];
  /** Whether it only shows what is possible: it reads less, and that wrongly. Default: false. */
  readonly isBound?: boolean;
  /** Reads one document, given in chunks, and emits its pages in order. */
  read(kind: DocumentKind, chunks: Iterable<Uint8Array>, sink: PageSink): void | Promise<void>;
}

/** Bytes per chunk, as from a socket. */
export const CHUNK_SIZE: number = 64 * 1024;

/** Splits a document into chunks, as views. */
export function* inChunks(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK_SIZE) {
    yield bytes.subarray(at, at + CHUNK_SIZE);
  }
}
