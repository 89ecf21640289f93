/**
 * Limits inside one document. Every quantity that a server controls has one.
 *
 * @module
 */

/** Limits of each document by itself; what is over one is truncated or dropped, and reported. */
export interface DocumentLimits {
  /** Decompressed bytes of one sitemap. Default: 100 MiB. */
  readonly maxBytes: number;
  /** Entries of one sitemap. Default: 500,000. */
  readonly maxEntries: number;
  /** Characters of one value; an entry with a longer one is dropped. Default: 1 MiB. */
  readonly maxValueLength: number;
  /** Attributes of one element. Default: 1,000. */
  readonly maxAttributes: number;
  /** Depth of nested elements. Default: 256. */
  readonly maxElementDepth: number;
  /** Bytes of robots.txt, as many as Google reads. Default: 500 KiB. */
  readonly maxRobotsBytes: number;
}

export const DEFAULT_LIMITS: DocumentLimits = {
  maxBytes: 100 * 1024 * 1024,
  maxEntries: 500_000,
  maxValueLength: 1024 * 1024,
  maxAttributes: 1000,
  maxElementDepth: 256,
  maxRobotsBytes: 500 * 1024,
};

export const MAX_GZIP_LAYERS = 3;

/** Limits of one sitemap by sitemaps.org. */
export const PROTOCOL_LIMITS: { readonly maxUrls: number; readonly maxBytes: number } = {
  maxUrls: 50_000,
  maxBytes: 50 * 1024 * 1024,
};
