/**
 * One file of a sitemap set while it is written.
 *
 * @module
 */

import { inBatches } from "../data/batches.ts";
import type { SitemapPage } from "../data/page.ts";
import { pageOf, type WriterInput } from "./text_stream.ts";
import { type DocumentFormat, indexFormat, urlsetFormat } from "./xml.ts";

/** Bytes gathered before they are written. */
const PIECE_LENGTH = 64 * 1024;

/** A file that takes entries, gathers them into pieces and gzips them on request. */
export class DocumentFile {
  /** Name of the file. */
  readonly name: string;
  /** Entries it has. */
  entries = 0;
  /** Bytes it has, before gzip. */
  bytes = 0;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array<ArrayBuffer>>;
  /** Settled when everything has reached the target; never rejects, so that none goes unhandled. */
  readonly #arrived: Promise<readonly PromiseSettledResult<void>[]>;
  #pieces: Uint8Array<ArrayBuffer>[] = [];
  #gathered = 0;

  /** Takes over the target: it is closed or aborted with the file. */
  constructor(name: string, target: WritableStream<Uint8Array>, gzip: boolean) {
    this.name = name;
    if (gzip) {
      const compression = new CompressionStream("gzip");
      this.#writer = compression.writable.getWriter();
      this.#arrived = Promise.allSettled([compression.readable.pipeTo(target)]);
    } else {
      this.#writer = target.getWriter();
      this.#arrived = Promise.allSettled([]);
    }
  }

  /** Writes what stands before the entries. */
  begin(head: Uint8Array<ArrayBuffer>): Promise<void> | undefined {
    return this.#write(head);
  }

  /** Adds an entry; a promise only where there is something to wait for. */
  add(entry: Uint8Array<ArrayBuffer>): Promise<void> | undefined {
    this.entries += 1;
    return this.#write(entry);
  }

  /** Writes what stands after the entries, and waits until all is with the target. */
  async close(tail: Uint8Array<ArrayBuffer>): Promise<void> {
    await this.#write(tail);
    await this.#flush();
    await this.#writer.close();
    for (const result of await this.#arrived) {
      if (result.status === "rejected") throw result.reason;
    }
  }

  /** Gives up: the target is aborted. */
  async abort(reason: unknown): Promise<void> {
    // A target that failed cannot be aborted any more, which is as good.
    await Promise.allSettled([this.#writer.abort(reason), this.#arrived]);
  }

  #write(bytes: Uint8Array<ArrayBuffer>): Promise<void> | undefined {
    this.bytes += bytes.length;
    this.#pieces.push(bytes);
    this.#gathered += bytes.length;
    return this.#gathered < PIECE_LENGTH ? undefined : this.#flush();
  }

  #flush(): Promise<void> {
    const piece = new Uint8Array(this.#gathered);
    let offset = 0;
    for (const bytes of this.#pieces) {
      piece.set(bytes, offset);
      offset += bytes.length;
    }
    this.#pieces = [];
    this.#gathered = 0;
    return this.#writer.write(piece);
  }
}

// MERGED: A document that is spread over files, none of which passes a limit.

/** A file of a set. */
export interface SitemapSetFile {
  /** Name of the file, as the target got it. */
  readonly name: string;
  /** Where it will stand on the web. */
  readonly url: string;
  /** Pages or sitemaps that it lists. */
  readonly entries: number;
  /** Its bytes, before gzip. */
  readonly bytes: number;
}

/** Makes the stream that a file of the set is written to. */
export type SitemapSetTarget = (
  name: string,
) => WritableStream<Uint8Array> | Promise<WritableStream<Uint8Array>>;

/** What the files of a document share. */
export interface DocumentSettings {
  /** Makes the stream that a file is written to. */
  readonly target: SitemapSetTarget;
  /** Where the files will stand on the web. */
  readonly folder: URL;
  /** Whether they are gzipped. */
  readonly gzip: boolean;
  /** Entries in a file. */
  readonly maxEntries: number;
  /** Bytes of a file before gzip. */
  readonly maxBytes: number;
}

/** A document that goes on in another file when one is full. */
export class SplitDocument<Entry> {
  /** The files that are closed. */
  readonly files: SitemapSetFile[] = [];
  readonly #format: DocumentFormat<Entry>;
  readonly #nameOf: (number: number) => string;
  readonly #settings: DocumentSettings;
  readonly #encoder = new TextEncoder();
  readonly #tail: Uint8Array<ArrayBuffer>;
  #file: DocumentFile | undefined;

  /** Opens no file before the first entry. */
  constructor(
    format: DocumentFormat<Entry>,
    nameOf: (number: number) => string,
    settings: DocumentSettings,
  ) {
    this.#format = format;
    this.#nameOf = nameOf;
    this.#settings = settings;
    this.#tail = this.#encoder.encode(format.tail);
  }

  /** Adds an entry; a promise only where there is something to wait for. */
  add(entry: Entry): Promise<void> | undefined {
    const bytes = this.#encoder.encode(this.#format.entry(entry));
    if (bytes.length === 0) return undefined;
    const file = this.#file;
    const { maxEntries, maxBytes } = this.#settings;
    if (
      file === undefined || file.entries >= maxEntries ||
      file.bytes + bytes.length + this.#tail.length > maxBytes
    ) return this.#addToNextFile(bytes);
    return file.add(bytes);
  }

  /** Closes the file that is open, if one is. */
  async close(): Promise<void> {
    const file = this.#file;
    if (file === undefined) return;
    await file.close(this.#tail);
    this.#file = undefined;
    const { name, entries, bytes } = file;
    const url = new URL(name, this.#settings.folder).href;
    this.files.push({ name, url, entries, bytes });
  }

  /** Gives up the file that is open, if one is. */
  async abort(reason: unknown): Promise<void> {
    await this.#file?.abort(reason);
  }

  async #addToNextFile(entry: Uint8Array<ArrayBuffer>): Promise<void> {
    await this.close();
    const { gzip, target } = this.#settings;
    const name = this.#nameOf(this.files.length + 1) + (gzip ? ".gz" : "");
    this.#file = new DocumentFile(name, await target(name), gzip);
    await this.#file.begin(this.#encoder.encode(this.#format.head));
    await this.#file.add(entry);
  }
}

// MERGED: Pages as a set of sitemaps under an index, as large sites have them.

/** Options of {@linkcode writeSitemapSet}. */
export interface SitemapSetOptions {
  /** Makes the stream that a file is written to, such as a file of that name. */
  readonly target: SitemapSetTarget;
  /** Where the files will stand on the web. A path counts as a folder. */
  readonly baseUrl: string | URL;
  /** How the names of files begin. Default: `sitemap`. */
  readonly name?: string;
  /** Whether the files are gzipped, the index too. Default: false. */
  readonly gzip?: boolean;
  /** Pages in a sitemap. Default: 50,000, as sitemaps.org says. */
  readonly maxUrls?: number;
  /** Sitemaps in an index. Default: 50,000, as sitemaps.org says. */
  readonly maxSitemaps?: number;
  /** Bytes of a file before gzip. Default: 50 MiB, as sitemaps.org says. */
  readonly maxBytes?: number;
  /** Whether every element has its line, indented. Default: false, a line for each page. */
  readonly pretty?: boolean;
  /**
   * Whether all of it is valid by the schemas of sitemaps.org and of the extensions, whatever the
   * pages hold. Addresses that are no URIs are percent-encoded, and pages without an http(s) URL of
   * less than 2,048 characters left out; so is what lacks something that its extension requires: a
   * story without publication, a video without thumbnail. A year or month is written as its first
   * day. Default: false, all that can be read back is written.
   */
  readonly strict?: boolean;
  /** When the sitemaps changed, for the index. Default: the index does not tell. */
  readonly lastModified?: Date;
}

/** What {@linkcode writeSitemapSet} wrote. */
export interface SitemapSet {
  /** Pages written. */
  readonly pages: number;
  /** Pages left out: without address, or with one that `strict` refuses. */
  readonly omitted: number;
  /** The sitemaps, in their order. */
  readonly sitemaps: readonly SitemapSetFile[];
  /** The indexes; one, unless there are more sitemaps than fit. */
  readonly indexes: readonly SitemapSetFile[];
}

/**
 * Writes pages as sitemaps that keep to the limits of sitemaps.org, and an index that lists them.
 *
 * The sitemaps are `sitemap-1.xml`, `sitemap-2.xml` and so on, the index is `sitemap_index.xml`,
 * each with `.gz` if gzipped. A second index, for more sitemaps than one may list, is
 * `sitemap_index-2.xml`. Files are written one after the other, the index last. Without pages
 * nothing is written: no valid sitemap is empty. A page that is larger than `maxBytes` gets a file
 * of its own.
 *
 * @example
 * ```ts
 * import { SitemapPage } from "@sitetree/sitetree";
 * import { writeSitemapSet } from "@sitetree/sitetree/write";
 * import { assertEquals } from "@std/assert";
 *
 * const files = new Map<string, Promise<string>>();
 * const set = await writeSitemapSet(
 *   [1, 2, 3].map((number) => new SitemapPage({ url: `https://example.com/${number}` })),
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
 * @param pages Pages or events, of any iterable or stream.
 * @param options Where to, and how.
 * @returns The files that were written.
 * @throws {TypeError} If `baseUrl` is no URL.
 * @throws {RangeError} If a limit is below 1.
 */
export async function writeSitemapSet(
  pages: AsyncIterable<WriterInput> | Iterable<WriterInput>,
  options: SitemapSetOptions,
): Promise<SitemapSet> {
  const { name = "sitemap", pretty = false, strict = false, lastModified } = options;
  const settings = setSettings(options);
  const sitemaps = new SplitDocument<SitemapPage>(
    urlsetFormat(pretty, strict),
    (number) => `${name}-${number}.xml`,
    { ...settings, maxEntries: settings.maxUrls },
  );
  const indexes = new SplitDocument(
    indexFormat(pretty),
    (number) => number === 1 ? `${name}_index.xml` : `${name}_index-${number}.xml`,
    { ...settings, maxEntries: settings.maxSitemaps },
  );
  let taken = 0;
  try {
    for await (const batch of inBatches(pages)) {
      for (const input of batch) {
        const page = pageOf(input);
        if (page === undefined) continue;
        const pending = sitemaps.add(page);
        if (pending !== undefined) await pending;
        taken += 1;
      }
    }
    await sitemaps.close();
    for (const { url } of sitemaps.files) {
      await indexes.add({ url, lastModified: lastModified?.toISOString() });
    }
    await indexes.close();
  } catch (error) {
    await sitemaps.abort(error);
    await indexes.abort(error);
    throw error;
  }
  const count = sitemaps.files.reduce((sum, { entries }) => sum + entries, 0);
  return { pages: count, omitted: taken - count, sitemaps: sitemaps.files, indexes: indexes.files };
}

/** Options with their defaults. */
interface SetSettings {
  readonly target: SitemapSetTarget;
  readonly folder: URL;
  readonly gzip: boolean;
  readonly maxUrls: number;
  readonly maxSitemaps: number;
  readonly maxBytes: number;
}

function setSettings(options: SitemapSetOptions): SetSettings {
  const { target, baseUrl, gzip = false } = options;
  const { maxUrls = 50_000, maxSitemaps = 50_000, maxBytes = 50 * 1024 * 1024 } = options;
  const limits = { maxUrls, maxSitemaps, maxBytes };
  for (const [name, value] of Object.entries(limits)) {
    if (!(value >= 1)) {
      throw new RangeError(`Cannot write sitemaps: ${name} must be at least 1, got "${value}"`);
    }
  }
  if (!URL.canParse(baseUrl)) {
    throw new TypeError(`Cannot write sitemaps: baseUrl is no URL, got "${baseUrl}"`);
  }
  const folder = new URL(baseUrl);
  if (!folder.pathname.endsWith("/")) folder.pathname += "/";
  return { target, folder, gzip, ...limits };
}
