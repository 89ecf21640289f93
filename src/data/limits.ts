/** Limits of each document by itself; what is over one is truncated, and reported. */
export interface DocumentLimits {
  /** Decompressed bytes of one sitemap. Default: 100 MiB. */
  readonly maxBytes: number;
  /** Entries of one sitemap. Default: 500,000. */
  readonly maxEntries: number;
}

/** Limits of the reader of a document: those of the caller, and constants that no sitemap reaches. */
export interface ReaderLimits extends DocumentLimits {
  /** Characters of one value; an entry with a longer one is dropped. */
  readonly maxValueLength: number;
  readonly maxAttributes: number;
  readonly maxElementDepth: number;
}

export const DEFAULT_LIMITS: ReaderLimits = {
  maxBytes: 100 * 1024 * 1024,
  maxEntries: 500_000,
  maxValueLength: 1024 * 1024,
  maxAttributes: 1000,
  maxElementDepth: 256,
};

/** Bytes of a robots.txt, as many as Google reads. */
export const MAX_ROBOTS_BYTES: number = 500 * 1024;

export const MAX_GZIP_LAYERS = 3;

/** Limits of one sitemap by sitemaps.org. */
export const PROTOCOL_LIMITS: { readonly maxUrls: number; readonly maxBytes: number } = {
  maxUrls: 50_000,
  maxBytes: 50 * 1024 * 1024,
};
