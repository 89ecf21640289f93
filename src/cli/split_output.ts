/**
 * `--split`: a folder of XML sitemaps with their index.
 *
 * @module
 */

import type { TreeEvent } from "../data/events.ts";
import { excerpt } from "../data/text.ts";
import { codeOf } from "../platform/host.ts";
import { join, mkdirSync, rmdirSync } from "../platform/host.ts";
import type { EventWriter } from "./formats.ts";
import { Failure } from "./failure.ts";
import { fileFailure } from "./failure.ts";
import { openFile } from "./output.ts";
import type { Output } from "./output.ts";

const INDEX_NAME = "sitemap_index.xml";
/** Pages that wait while a file is written. */
const MAX_WAITING = 1000;

/** Opens a folder, creates it where its parent exists, and makes sure that it is writable. */
export async function openSplitOutput(folder: string): Promise<SplitOutput> {
  const isCreated = createFolder(folder);
  try {
    return new SplitOutput(folder, await openFile(join(folder, INDEX_NAME)), isCreated);
  } catch (error) {
    if (isCreated) rmdirSync(folder);
    throw error;
  }
}

function createFolder(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw fileFailure("write", folder, error);
  }
}

/**
 * The files of a sitemap set. All are temporary files until the set is complete and take their names
 * then, the index last, so that an earlier set stays as it is until there is another one. Each holds
 * a file descriptor until then, since its lock shows that it is in use.
 */
export class SplitOutput implements Output {
  readonly isTerminal = false;
  readonly isFile = true;
  readonly #folder: string;
  readonly #index: Output;
  readonly #isCreated: boolean;
  readonly #files: Output[] = [];
  #isDone = false;

  /** Takes an open index file. */
  constructor(folder: string, index: Output, isCreated: boolean) {
    this.#folder = folder;
    this.#index = index;
    this.#isCreated = isCreated;
  }

  /** Opens the next file of the set. */
  async open(name: string): Promise<WritableStream<Uint8Array>> {
    const file = name === INDEX_NAME ? this.#index : await openFile(join(this.#folder, name));
    this.#files.push(file);
    if (this.#isDone) {
      this.discard();
      throw new Failure(`Cannot write "${name}": the output was discarded`);
    }
    return new WritableStream({ write: (bytes) => file.write(bytes) });
  }

  write(): Promise<void> {
    throw new TypeError("Cannot write to a folder");
  }

  async commit(): Promise<void> {
    for (const file of this.#files) await file.commit();
    this.discard();
  }

  async keepPartial(): Promise<string | undefined> {
    let last: string | undefined;
    for (const file of this.#files) last = await file.keepPartial();
    this.discard();
    return last;
  }

  keepPartialSync(): undefined {
    // The index is missing.
    this.discard();
  }

  discard(): void {
    this.#isDone = true;
    for (const file of [this.#index, ...this.#files]) file.discard();
    if (!this.#isCreated) return;
    try {
      rmdirSync(this.#folder);
    } catch {
      // It is not empty.
    }
  }
}

/** Writes pages as a sitemap set, at the pace of the files. */
export class SplitWriter implements EventWriter {
  readonly #output: SplitOutput;
  readonly #site: URL | undefined;
  readonly #pages = new TransformStream<TreeEvent, TreeEvent>(undefined, {
    highWaterMark: MAX_WAITING,
  });
  readonly #writer = this.#pages.writable.getWriter();
  /** Under way since the first page. */
  #set: Promise<void> | undefined;

  /** Writes nothing yet. The sitemaps are to be served by `site`, or else by that of the pages. */
  constructor(output: SplitOutput, site: URL | undefined) {
    this.#output = output;
    this.#site = site;
  }

  write(event: TreeEvent): Promise<void> | undefined {
    if (event.type !== "page") return undefined;
    if (this.#set === undefined) {
      this.#set = this.#writeSet(event.page.url);
      // Reported below, and by `close()`.
      this.#set.catch(() => {});
    }
    // Fails only if the set has failed.
    this.#writer.write(event).catch(() => {});
    return (this.#writer.desiredSize ?? 0) > 0 ? undefined : this.#ready();
  }

  async close(): Promise<void> {
    if (this.#set === undefined) return;
    this.#writer.close().catch(() => {});
    await this.#set;
  }

  async #writeSet(firstPage: string): Promise<void> {
    const { readable } = this.#pages;
    const baseUrl = URL.parse("/", this.#site ?? firstPage);
    if (baseUrl === null) {
      await readable.cancel();
      throw new Failure(
        `Cannot place the sitemaps: invalid URL "${excerpt(firstPage)}"`,
        "add --url with the address of the site",
      );
    }
    // Loads @libs/xml, which takes 10 MB.
    const { writeSitemapSet } = await import("../write/sitemap_set.ts");
    await writeSitemapSet(readable, { baseUrl, target: (name) => this.#output.open(name) });
  }

  async #ready(): Promise<void> {
    try {
      await this.#writer.ready;
    } catch {
      // The set has failed and cancelled the stream.
      await this.#set;
    }
  }
}
