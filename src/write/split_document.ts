/**
 * A document that is spread over files, none of which passes a limit.
 *
 * @module
 */

import { DocumentFile } from "./document_file.ts";
import type { DocumentFormat } from "./document_format.ts";

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
