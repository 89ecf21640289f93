/**
 * What earlier walks found: asked before a sitemap is requested, and updated after.
 *
 * @module
 */

import type { ByteSource } from "../bytes/byte_source.ts";
import type { SitemapRef, SitemapType } from "../data/events.ts";
import type { FetchedDocument } from "../http/fetched_document.ts";
import type { Validators } from "../http/headers.ts";
import type { ListedAddress } from "./addresses.ts";
import type { SitemapFailure } from "./verdict.ts";

/** Reason why a sitemap is not read: by a response, its bytes or its date. */
export type RecalledBy = "not-modified" | "same-bytes" | "lastmod";

export interface KnownSitemap extends Validators {
  readonly type: SitemapType;
  readonly pages: number;
  /** Digest of its last body. */
  readonly digest: string | undefined;
  /** Why it is not requested; `undefined` if it is. */
  readonly skippedBy: Extract<RecalledBy, "lastmod"> | undefined;
  children(): readonly ListedAddress[];
}

/** A sitemap that is as it was. */
export interface Recalled {
  readonly known: KnownSitemap;
  readonly by: RecalledBy;
  readonly document?: FetchedDocument;
}

export interface BodyCheck {
  /**
   * Returns what to read in place of a body; `undefined` if the body is the same as last time. Rejects
   * with a `RestartError` if it has to be read again from its beginning.
   */
  open(body: ByteSource): Promise<ByteSource | undefined>;
  /** Reads the rest of a body that has been parsed. */
  finish(): Promise<void>;
}

/** A sitemap whose own document is read, or known to be unchanged. Its children follow. */
export interface SettledSitemap {
  readonly key: string;
  readonly ref: SitemapRef;
  readonly children: readonly ListedAddress[];
  /** Set if it was read. */
  readonly read?: { readonly document: FetchedDocument; readonly check: BodyCheck } | undefined;
  /** Set if it was not read. */
  readonly recalled?: Recalled | undefined;
}

/** What earlier walks know, and an observer of how each sitemap settles. */
export interface KnownSitemaps {
  /** `lastModified` is what its index declares. */
  recall(key: string, lastModified: string | undefined): KnownSitemap | undefined;
  check(document: FetchedDocument, known: KnownSitemap | undefined): BodyCheck | undefined;
  /** `send` sends the rest of its own events; returns whether it is complete. */
  settle(sitemap: SettledSitemap, send: () => Promise<boolean>): Promise<void> | undefined;
  /** Called with each sitemap that could not be read. */
  fail(key: string, failure: SitemapFailure, ref: SitemapRef): void;
}
