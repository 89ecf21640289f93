/**
 * Compares the body of a sitemap with the last one by its digest.
 *
 * A body of which the last digest is known is held back until it has arrived, in memory or in a
 * temporary file, since most of those bodies need not be parsed. Any other is parsed as it arrives.
 *
 * @module
 */

import type { ByteSource, Chunk } from "../bytes/byte_source.ts";
import type { FetchedDocument } from "../http/fetched_document.ts";
import { type Digest, sha256 } from "../platform/environment.ts";
import { MemoryBudget, SpillBuffer } from "../bytes/spill_buffer.ts";
import type { BodyCheck } from "../walk/known_sitemaps.ts";
import { RestartError } from "../walk/resumable_body.ts";

/** Bytes of a body that are held in memory; a larger one is in a file. */
const MAX_HELD = 8 * 1024 * 1024;
/** Bytes of all bodies that are held in memory: sites that are walked side by side share it. */
const BUDGET = new MemoryBudget(32 * 1024 * 1024);
/** Bytes after the end of a document that are read to complete its digest. */
const MAX_TRAILING = 64 * 1024;
const READ_SIZE = 64 * 1024;

interface BodyDigestOptions {
  /** Bytes above which a body is not held back any longer. */
  readonly maxBytes: number;
  readonly isHashed: boolean;
  readonly beforeOpen: (() => Promise<void>) | undefined;
}

export class BodyDigest implements BodyCheck, ByteSource {
  /** Set once all of the body was read. */
  value: string | undefined;
  readonly #document: FetchedDocument;
  readonly #last: string | undefined;
  readonly #options: BodyDigestOptions;
  #source: ByteSource | undefined;
  #digest: Digest | undefined;
  #bytes = 0;

  constructor(document: FetchedDocument, last: string | undefined, options: BodyDigestOptions) {
    this.#document = document;
    this.#last = last;
    this.#options = options;
  }

  /** `undefined` if the runtime does not tell. */
  get transferred(): number | undefined {
    const { isRaw, headers } = this.#document;
    if (isRaw) return this.#bytes;
    const length = headers.get("content-length");
    return length !== null && /^\d{1,15}$/.test(length) ? Number(length) : undefined;
  }

  async open(source: ByteSource): Promise<ByteSource | undefined> {
    const { url, contentType, contentEncoding } = this.#document;
    await this.#options.beforeOpen?.();
    this.#source = source;
    this.#bytes = 0;
    this.#digest = this.#options.isHashed ? sha256() : undefined;
    // the same bytes have another meaning at another URL or in another encoding
    this.#digest?.update(JSON.stringify([url.href, contentType, contentEncoding]));
    if (this.#last === undefined) return this;
    const held = new HeldBody(this);
    await held.fill(this.#options.maxBytes);
    if (this.value !== this.#last) return held;
    held.cancel();
    return undefined;
  }

  async finish(): Promise<void> {
    if (!this.#options.isHashed) return;
    const end = this.#bytes + MAX_TRAILING;
    try {
      while (this.value === undefined && this.#bytes < end) {
        if (await this.read() === undefined) return;
      }
    } catch (error) {
      // without a digest, the body is read again next time
      if (error instanceof RestartError) error.source.body.cancel();
    }
  }

  async read(): Promise<Chunk> {
    const chunk = await this.#source!.read();
    if (chunk === undefined) this.value ??= this.#digest?.digest("hex");
    else {
      this.#bytes += chunk.length;
      this.#digest?.update(chunk);
    }
    return chunk;
  }

  cancel(reason?: unknown): void {
    this.#source!.cancel(reason);
  }
}

class HeldBody implements ByteSource {
  readonly #source: ByteSource;
  readonly #kept = new SpillBuffer(MAX_HELD, { budget: BUDGET });
  #at = 0;
  #error: { readonly error: unknown } | undefined;

  constructor(source: ByteSource) {
    this.#source = source;
  }

  /**
   * Keeps all of the source, or so many bytes; the rest is read from the source later. Rejects if the
   * body starts again, since nothing of it was read.
   */
  async fill(maxBytes: number): Promise<void> {
    while (this.#kept.length <= maxBytes) {
      let chunk: Chunk;
      try {
        chunk = await this.#source.read();
      } catch (error) {
        if (error instanceof RestartError) {
          this.#kept.clear();
          throw error;
        }
        this.#error = { error };
      }
      if (chunk === undefined) return;
      this.#kept.write(chunk);
    }
  }

  async read(): Promise<Chunk> {
    if (this.#at < this.#kept.length) {
      const bytes = this.#kept.read(this.#at, READ_SIZE);
      this.#at += bytes.length;
      return bytes;
    }
    if (this.#error !== undefined) throw this.#error.error;
    return await this.#source.read();
  }

  cancel(reason?: unknown): void {
    this.#kept.clear();
    this.#source.cancel(reason);
  }
}
