import { randomKey } from "../bytes/value_scan.ts";
import { MAX_EXAMPLES, UrlCounter } from "../check/url_counter.ts";
import { UrlHash } from "../data/url_hash.ts";
import type { UrlParts } from "../data/url_parts.ts";
import type { ReportOverlap } from "./report.ts";

/** URLs that are remembered, in 6 MiB: a power of two. */
const MAX_URLS = 1 << 18;

export const NO_OVERLAP: ReportOverlap = { urls: 0, repeated: 0, sampledOneIn: 1, examples: [] };

/** Counts the URLs of a walk that is not checked, as a checker does. */
export class UncheckedUrls {
  readonly #urls = new UrlCounter(MAX_URLS);
  readonly #hash = new UrlHash(...randomKey());
  /** By number, which begins at 1. */
  readonly #sitemaps: string[] = [""];

  /** Returns the number of a sitemap. */
  addSitemap(url: string): number {
    return this.#sitemaps.push(url) - 1;
  }

  add(parts: UrlParts, sitemap: number): void {
    this.#hash.set(parts);
    this.#urls.add(parts.url, this.#hash, sitemap);
  }

  get counts(): ReportOverlap {
    return this.#urls.counts((number) => this.#sitemaps[number]!);
  }
}

/** Returns the overlap of two walks together; URLs of both are not compared. */
export function sumOf(one: ReportOverlap, other: ReportOverlap): ReportOverlap {
  return {
    urls: one.urls + other.urls,
    repeated: one.repeated + other.repeated,
    sampledOneIn: Math.max(one.sampledOneIn, other.sampledOneIn),
    examples: [...one.examples, ...other.examples].slice(0, MAX_EXAMPLES),
  };
}
