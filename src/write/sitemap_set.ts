/**
 * Pages as a set of sitemaps with their index, within the limits of sitemaps.org.
 *
 * @module
 */

import { inBatches } from "../data/batches.ts";
import { PROTOCOL_LIMITS } from "../data/limits.ts";
import { checkNames } from "../data/option_rules.ts";
import type { SitemapPage } from "../data/page.ts";
import { withoutPassword, withoutUserInfo } from "../data/url.ts";
import { GzipWriter } from "./gzip.ts";
import { pageOf, TextWriter, type WriterInput } from "./text_stream.ts";
import {
  type DocumentFormat,
  indexFormat,
  type SitemapXmlOptions,
  urlsetFormat,
  XML_OPTIONS,
} from "./xml.ts";

/** A file of a set. */
export interface SitemapSetFile {
  /** Name of the file, as passed to the target. */
  readonly name: string;
  /** URL of the file on the web. */
  readonly url: string;
  /** Number of pages or sitemaps that it lists. */
  readonly entries: number;
  /** Size in bytes, before gzip. */
  readonly bytes: number;
}

/** Opens the stream that a file of the set is written to. */
export type SitemapSetTarget = (
  name: string,
) => WritableStream<Uint8Array> | Promise<WritableStream<Uint8Array>>;

/** Options of {@linkcode writeSitemapSet}. */
export interface SitemapSetOptions extends SitemapXmlOptions {
  /** Opens the stream that a file is written to, such as a file of that name. */
  readonly target: SitemapSetTarget;
  /** URL of the folder that the files will be served from. */
  readonly baseUrl: string | URL;
  /** Beginning of the names of files. Default: `sitemap`. */
  readonly name?: string;
  /** Whether the files are gzipped, including the index. Default: false. */
  readonly gzip?: boolean;
  /** Maximum number of pages in a sitemap. Default: 50,000, as in sitemaps.org. */
  readonly maxUrls?: number;
  /** Maximum number of sitemaps in an index. Default: 50,000, as in sitemaps.org. */
  readonly maxSitemaps?: number;
  /** Maximum size of a file in bytes, before gzip. Default: 50 MiB, as in sitemaps.org. */
  readonly maxBytes?: number;
  /** Date of the sitemaps in the index. Default: none. */
  readonly lastModified?: Date;
}

const OPTIONS: Readonly<Record<keyof SitemapSetOptions, true>> = {
  ...XML_OPTIONS,
  target: true,
  baseUrl: true,
  name: true,
  gzip: true,
  maxUrls: true,
  maxSitemaps: true,
  maxBytes: true,
  lastModified: true,
};

/** Files written by {@linkcode writeSitemapSet}. */
export interface SitemapSet {
  /** Number of pages written. */
  readonly pages: number;
  /** Number of pages left out: without URL, or with one that `strict` rejects. */
  readonly omitted: number;
  /** The sitemaps, in order. */
  readonly sitemaps: readonly SitemapSetFile[];
  /** The indexes; one, unless there are more than `maxSitemaps` sitemaps. */
  readonly indexes: readonly SitemapSetFile[];
}

/**
 * Writes pages as sitemaps within the limits of sitemaps.org, and an index that lists them.
 *
 * The sitemaps are `sitemap-1.xml`, `sitemap-2.xml` and so on, the index is `sitemap_index.xml`,
 * each with `.gz` if gzipped. A second index, for more sitemaps than one may list, is
 * `sitemap_index-2.xml`. Files are written one after the other, the index last. Without pages, no
 * file is written, since a sitemap must not be empty. A page that is larger than `maxBytes` gets a
 * file to itself.
 *
 * @example
 * ```ts
 * import { writeSitemapSet } from "@sitetree/sitetree/write";
 * import { assertEquals } from "@std/assert";
 *
 * const files = new Map<string, Promise<string>>();
 * const set = await writeSitemapSet(
 *   [1, 2, 3].map((number) => ({ url: `https://example.com/${number}` })),
 *   {
 *     baseUrl: "https://example.com/",
 *     maxUrls: 2,
 *     target(name) {
 *       const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
 *       files.set(name, new Response(readable).text());
 *       return writable;
 *     },
 *   },
 * );
 * assertEquals([...files.keys()], ["sitemap-1.xml", "sitemap-2.xml", "sitemap_index.xml"]);
 * assertEquals(set.sitemaps.map((file) => file.entries), [2, 1]);
 * ```
 *
 * @param pages Pages or events, from any iterable or stream.
 * @param options Target, URL and limits.
 * @returns The files that were written.
 * @throws {TypeError} If an option is unknown, or `baseUrl` is not a URL.
 * @throws {RangeError} If a limit is below 1.
 */
export async function writeSitemapSet(
  pages: AsyncIterable<WriterInput> | Iterable<WriterInput>,
  options: SitemapSetOptions,
): Promise<SitemapSet> {
  checkNames(OPTIONS, options);
  const writer = new SitemapSetWriter(options);
  try {
    for await (const batch of inBatches(pages)) {
      for (const input of batch) {
        const page = pageOf(input);
        const written = page && writer.add(page);
        if (written !== undefined) await written;
      }
    }
    return await writer.close();
  } catch (error) {
    await writer.abort(error);
    throw error;
  }
}

export class SitemapSetWriter {
  readonly #sitemaps: SplitDocument<SitemapPage>;
  readonly #indexes: SplitDocument<{ url: string; lastModified: string | undefined }>;
  readonly #lastModified: string | undefined;
  #added = 0;
  /** Later pages wait for it. */
  #writing: Promise<void> | undefined;

  /**
   * Opens no file yet.
   *
   * @throws {TypeError} If `baseUrl` is not a URL.
   * @throws {RangeError} If a limit is below 1.
   */
  constructor(options: SitemapSetOptions) {
    const { target, baseUrl, name = "sitemap", gzip = false, lastModified } = options;
    const { pretty = false, strict = false } = options;
    const { maxUrls = PROTOCOL_LIMITS.maxUrls, maxSitemaps = PROTOCOL_LIMITS.maxUrls } = options;
    const { maxBytes = PROTOCOL_LIMITS.maxBytes } = options;
    for (const [limit, value] of Object.entries({ maxUrls, maxSitemaps, maxBytes })) {
      if (!(value >= 1)) {
        throw new RangeError(`Cannot write sitemaps: ${limit} must be at least 1, got "${value}"`);
      }
    }
    const base = URL.parse(baseUrl);
    if (base === null) {
      const given = withoutPassword(String(baseUrl));
      throw new TypeError(`Cannot write sitemaps: invalid baseUrl "${given}"`);
    }
    const folder = withoutUserInfo(base);
    if (!folder.pathname.endsWith("/")) folder.pathname += "/";
    const settings = { target, folder, gzip, maxBytes };
    this.#lastModified = lastModified?.toISOString();
    this.#sitemaps = new SplitDocument(urlsetFormat(pretty, strict), {
      ...settings,
      maxEntries: maxUrls,
      nameOf: (number) => `${name}-${number}.xml`,
    });
    this.#indexes = new SplitDocument(indexFormat(pretty), {
      ...settings,
      maxEntries: maxSitemaps,
      nameOf: (number) => number === 1 ? `${name}_index.xml` : `${name}_index-${number}.xml`,
    });
  }

  /** Returns a promise if the next page of this caller must wait for it. */
  add(page: SitemapPage): Promise<void> | undefined {
    this.#added++;
    const written = this.#writing?.then(() => this.#sitemaps.add(page)) ?? this.#sitemaps.add(page);
    if (written === undefined) return undefined;
    const writing = written.finally(() => {
      if (this.#writing === writing) this.#writing = undefined;
    });
    return this.#writing = writing;
  }

  async close(): Promise<SitemapSet> {
    await this.#sitemaps.close();
    const sitemaps = this.#sitemaps.files;
    for (const { url } of sitemaps) {
      await this.#indexes.add({ url, lastModified: this.#lastModified });
    }
    await this.#indexes.close();
    const pages = sitemaps.reduce((sum, { entries }) => sum + entries, 0);
    return { pages, omitted: this.#added - pages, sitemaps, indexes: this.#indexes.files };
  }

  async abort(reason: unknown): Promise<void> {
    await this.#sitemaps.abort(reason);
    await this.#indexes.abort(reason);
  }
}

interface SplitSettings {
  readonly target: SitemapSetTarget;
  readonly folder: URL;
  readonly gzip: boolean;
  readonly maxEntries: number;
  readonly maxBytes: number;
  /** Without `.gz`. */
  readonly nameOf: (number: number) => string;
}

class SplitDocument<Entry> {
  /** Files that are complete. */
  readonly files: SitemapSetFile[] = [];
  readonly #format: DocumentFormat<Entry>;
  readonly #settings: SplitSettings;
  #file: DocumentFile | undefined;

  constructor(format: DocumentFormat<Entry>, settings: SplitSettings) {
    this.#format = format;
    this.#settings = settings;
  }

  add(entry: Entry): Promise<void> | undefined {
    const text = this.#format.write(entry);
    if (text === "") return undefined;
    const file = this.#file;
    const { maxEntries, maxBytes } = this.#settings;
    const size = byteLength(text);
    const isFull = file === undefined || file.entries >= maxEntries || file.bytes + size > maxBytes;
    return isFull ? this.#addToNextFile(text, size) : file.add(text, size);
  }

  async close(): Promise<void> {
    const file = this.#file;
    if (file === undefined) return;
    await file.close();
    this.#file = undefined;
    const { name, entries, bytes } = file;
    this.files.push({ name, url: new URL(name, this.#settings.folder).href, entries, bytes });
  }

  async abort(reason: unknown): Promise<void> {
    await this.#file?.abort(reason);
  }

  async #addToNextFile(entry: string, size: number): Promise<void> {
    await this.close();
    const { gzip, target, nameOf } = this.#settings;
    const name = nameOf(this.files.length + 1) + (gzip ? ".gz" : "");
    this.#file = new DocumentFile(name, this.#format, await target(name), gzip);
    await this.#file.add(entry, size);
  }
}

class DocumentFile {
  readonly name: string;
  entries = 0;
  /** Before gzip, with the end of the document. */
  bytes: number;
  readonly #target: WritableStreamDefaultWriter<Uint8Array>;
  readonly #gzip: GzipWriter | undefined;
  readonly #text: TextWriter<string>;

  /** Takes over the target, which is closed or aborted with the file. */
  constructor(
    name: string,
    { head, end }: Omit<DocumentFormat<never>, "write">,
    target: WritableStream<Uint8Array>,
    gzip: boolean,
  ) {
    this.name = name;
    this.bytes = byteLength(head) + byteLength(end());
    this.#target = target.getWriter();
    const sink = gzip ? new GzipWriter((bytes) => this.#target.write(bytes)) : undefined;
    this.#gzip = sink;
    this.#text = new TextWriter(
      { head, write: (text) => text, end },
      (bytes) => (sink ?? this.#target).write(bytes),
    );
  }

  add(text: string, size: number): Promise<void> | undefined {
    this.entries++;
    this.bytes += size;
    return this.#text.write(text);
  }

  async close(): Promise<void> {
    await this.#text.close();
    await this.#gzip?.end();
    await this.#target.close();
  }

  async abort(reason: unknown): Promise<void> {
    this.#text.cancel();
    this.#gzip?.abort();
    // rejects if the target has failed
    await this.#target.abort(reason).catch(() => {});
  }
}

const ENCODER = new TextEncoder();

function byteLength(text: string): number {
  return /[^\0-\x7f]/.test(text) ? ENCODER.encode(text).length : text.length;
}
