import { DAY, HOUR } from "./calendar.ts";

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

/** Lowest value and default of an option that is a number. */
type NumberOption = readonly [min: number, usual: number];

/** The options of `walk()` that are numbers. */
export const WALK_NUMBERS: Readonly<
  Record<
    | keyof DocumentLimits
    | `max${"Depth" | "Sitemaps" | "Pages" | "RequestTime" | "Redirects" | "RetryDelay" | "Wait"}`
    | ("timeout" | "deadline" | "retries" | "retryDelay" | "wait" | "concurrency"),
    NumberOption
  >
> = {
  maxBytes: [1, DEFAULT_LIMITS.maxBytes],
  maxEntries: [1, DEFAULT_LIMITS.maxEntries],
  maxDepth: [0, 11],
  maxSitemaps: [1, 50_000],
  maxPages: [1, Infinity],
  timeout: [1, 30_000],
  maxRequestTime: [1, 600_000],
  deadline: [0, Infinity],
  maxRedirects: [0, 20],
  retries: [0, 4],
  retryDelay: [0, 1000],
  maxRetryDelay: [0, 60_000],
  maxWait: [0, 600_000],
  wait: [0, 0],
  concurrency: [1, 4],
};

/** The options of `syncAll()` that are numbers. */
export const SYNC_NUMBERS: Readonly<
  Record<"confirmAfter" | "acceptAfter" | "slots", NumberOption>
> = {
  confirmAfter: [0, HOUR],
  acceptAfter: [0, 14 * DAY],
  slots: [1, 50],
};

/** Limits of one sitemap by sitemaps.org. */
export const PROTOCOL_LIMITS: { readonly maxUrls: number; readonly maxBytes: number } = {
  maxUrls: 50_000,
  maxBytes: 50 * 1024 * 1024,
};
