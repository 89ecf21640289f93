/**
 * `--split`: a folder of XML sitemaps with their index.
 *
 * @module
 */

import { excerpt } from "../data/text.ts";
import { withoutPassword } from "../data/url.ts";
import { codeOf, join, mkdirSync, rmdirSync } from "../platform/host.ts";
import type { SitemapSetWriter } from "../write/sitemap_set.ts";
import type { EventWriter } from "./event_writer.ts";
import { Failure, fileFailure } from "./failure.ts";
import { openFile, type Output } from "./output.ts";
import type { Messages } from "./terminal.ts";

const INDEX_NAME = "sitemap_index.xml";

/** Opens a folder for writing, and creates it if its parent exists. */
export async function openSplitOutput(
  folder: string,
  messages?: Pick<Messages, "note">,
): Promise<SplitOutput> {
  const isCreated = createFolder(folder);
  try {
    const index = await openFile(join(folder, INDEX_NAME), messages);
    return new SplitOutput(folder, index, isCreated);
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
 * The files of a sitemap set. All are temporary until the set is complete and are renamed then, the
 * index last, so that an earlier set is replaced by a complete one only.
 */
export class SplitOutput implements Output {
  readonly isTerminal = false;
  readonly isFile = true;
  readonly #folder: string;
  readonly #index: Output;
  readonly #isCreated: boolean;
  readonly #files: Output[] = [];
  #isDone = false;

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
    // the index is missing
    this.discard();
  }

  discard(): void {
    this.#isDone = true;
    for (const file of [this.#index, ...this.#files]) file.discard();
    if (!this.#isCreated) return;
    try {
      rmdirSync(this.#folder);
    } catch {
      // not empty
    }
  }
}

/** Returns a writer of pages as a sitemap set, to be served by `site` or else by that of the pages. */
export async function splitWriter(
  output: SplitOutput,
  site: URL | undefined,
): Promise<EventWriter> {
  // loads @libs/xml, which no other format needs
  const { SitemapSetWriter } = await import("../write/sitemap_set.ts");
  let set: SitemapSetWriter | undefined;
  return {
    async writeAll(events) {
      for (const event of events) {
        if (event.type !== "page") continue;
        set ??= new SitemapSetWriter({
          baseUrl: baseUrlOf(site ?? event.page.url),
          target: (name) => output.open(name),
        });
        const added = set.add(event.page);
        if (added !== undefined) await added;
      }
    },
    async close() {
      await set?.close();
    },
  };
}

function baseUrlOf(site: string | URL): URL {
  const baseUrl = URL.parse("/", site);
  if (baseUrl !== null) return baseUrl;
  throw new Failure(
    `Cannot place the sitemaps: invalid URL "${excerpt(withoutPassword(String(site)))}"`,
    "add --url with the address of the site",
  );
}
