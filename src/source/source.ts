/**
 * Operands as sources of events, by their words and by what exists:
 *
 * | operand                                                     | read as                           |
 * | ----------------------------------------------------------- | --------------------------------- |
 * | `-`                                                         | a file, from standard input       |
 * | `postgres://…`                                              | a snapshot                        |
 * | `https://…`, `http://…`                                     | a site; with a path, as a sitemap |
 * | a folder                                                    | the site that it will be          |
 * | a file that begins like SQLite                              | a snapshot                        |
 * | another file, or what is written as a path (see `paths.ts`) | a sitemap, or a saved walk        |
 * | a host                                                      | a site by https, then by http     |
 *
 * @module
 */

import type { FinishedEvent, TreeEvent } from "../data/events.ts";
import { hasScheme, withoutPassword } from "../data/url.ts";
import { statOf } from "../disk/files.ts";
import type { PostgresOptions, RecordedRun } from "../sync/mod.ts";
import { EventQueue } from "../walk/event_stream.ts";
import type { WalkOptions } from "../walk/options.ts";
import { limitOf } from "../walk/page_selection.ts";
import { fileOperand } from "./file.ts";
import { folderOperand } from "./folder.ts";
import { listedWords } from "./list.ts";
import { isPath } from "../disk/paths.ts";
import type { Operand, Reader, Source, SourceNote } from "./reader.ts";
import { Site, siteUrls, triedUrls } from "./site.ts";
import { type Homepage, isDatabase, isSnapshot, snapshotOperand } from "./snapshot.ts";
import { SourceError } from "./source_error.ts";

/** How to read an operand: options of `walk()`, and what only other operands need. */
export interface SourceOptions extends WalkOptions, PostgresOptions {
  /** URL at which a folder is served, or of the sitemap in a file. Default: what its files name. */
  readonly url?: string;
  /** Site of a snapshot, by its homepage or its host. Default: all of them, one after the other. */
  readonly site?: string;
  /** Called with each note as it is made. Default: only `notes` of the source has them. */
  readonly onNote?: (note: SourceNote) => void;
}

/** What only the command line says about an operand. */
export interface OperandOptions extends SourceOptions {
  /** Whether sitemaps are read only until their kind is known. */
  readonly onlyKinds?: boolean;
  /** Whether a snapshot must have a single site. */
  readonly isSingle?: boolean;
  /** Yields the sites of a snapshot to read. */
  readonly homepages?: ((reader: Reader) => AsyncIterable<Homepage>) | undefined;
}

/** Throws a {@linkcode SourceError} if the word is not an operand. */
export function operandOf(word: string, options: OperandOptions): Operand {
  const { url, site, connections, pooled, onlyKinds = false, isSingle = false, ...more } = options;
  const { homepages, onNote: _, ...walk } = more;
  if (word === "-") return fileOperand(word, url, walk);
  if (isDatabase(word)) {
    return snapshotOperand(word, { site, isSingle, homepages }, {
      ...(connections !== undefined && { connections }),
      ...(pooled !== undefined && { pooled }),
    });
  }
  const urls = siteUrls(word);
  if (hasScheme(word)) {
    if (urls !== undefined) return new Site(urls, walk, onlyKinds);
    const shown = withoutPassword(word);
    throw new SourceError("operand", `Invalid URL "${shown}": expected http(s)`);
  }
  const stats = statOf(word);
  if (stats?.isDirectory()) return folderOperand(word, { url, onlyKinds }, walk);
  if (stats !== undefined || isPath(word)) {
    return isSnapshot(word)
      ? snapshotOperand(word, { site, isSingle }, {})
      : fileOperand(word, url, walk);
  }
  if (urls !== undefined) return new Site(triedUrls(urls, walk), walk, onlyKinds);
  throw new SourceError(
    "operand",
    `Invalid operand "${withoutPassword(word)}": expected a URL, a host, a folder or a file`,
  );
}

class SourceStream extends EventQueue<TreeEvent> implements Source {
  readonly notes: SourceNote[] = [];
  readonly #operand: Operand;

  constructor(operand: Operand, options: SourceOptions) {
    super(async (send, signal) => {
      let finished: FinishedEvent | undefined;
      const batches = operand.read({
        signal,
        pages: limitOf(options),
        optionsOf: (_homepage, options) => options,
        note: (note) => {
          this.notes.push(note);
          options.onNote?.(note);
        },
        restart() {},
      });
      for await (const batch of batches) {
        const last = batch.at(-1);
        if (last?.type === "finished") finished = last;
        await send(batch);
      }
      // a saved walk may lack it
      return finished as FinishedEvent;
    }, options.signal);
    this.#operand = operand;
  }

  get name(): string {
    return this.#operand.name;
  }

  get kind(): Source["kind"] {
    return this.#operand.kind;
  }

  get site(): URL | undefined {
    return this.#operand.site;
  }

  fileOf(url: string): string | undefined {
    return this.#operand.fileOf?.(url);
  }

  async *runs(): AsyncGenerator<RecordedRun, void, void> {
    yield* this.#operand.runs?.() ?? [];
  }
}

/**
 * Opens what the command line takes as an operand: a site, a sitemap, a folder, a file, a saved walk or a
 * snapshot. Nothing is read before the first `next()`, and databases are loaded only for a snapshot.
 *
 * @param word a URL, a host (https, then http), a path, `postgres://user@host/name`, or `-` for standard
 * input
 * @param options how to walk, and what is not said by files
 * @throws {SourceError} if the word is none of these; at the first `next()`, if it cannot be read
 *
 * @example
 * ```ts
 * import { openSource } from "@sitetree/sitetree/source";
 * import { assertEquals } from "@std/assert";
 * import { mkdtempSync, writeFileSync } from "node:fs";
 * import { tmpdir } from "node:os";
 *
 * const folder = mkdtempSync(`${tmpdir()}/dist-`);
 * writeFileSync(`${folder}/sitemap.txt`, "https://example.com/about\n");
 * writeFileSync(`${folder}/robots.txt`, "Sitemap: https://example.com/sitemap.txt\n");
 * await using source = openSource(folder);
 * const found: string[] = [];
 * for await (const event of source) if (event.type === "page") found.push(event.page.url);
 * assertEquals(found, ["https://example.com/about"]);
 * assertEquals(source.kind, "folder");
 * assertEquals(source.notes.map(({ code }) => code), ["served-at"]);
 * ```
 */
export function openSource(word: string, options: SourceOptions = {}): Source {
  return new SourceStream(operandOf(word, options), options);
}

/**
 * Opens several operands, those of lists included: a file has an operand per line; blank lines, and those
 * that begin with `#`, are skipped.
 *
 * @param words operands, as {@linkcode openSource} takes them
 * @param options how to read each of them, and `from`: lists of further operands, `-` for standard input
 * @returns the sources, in this order, to be read one after the other or at the same time
 * @throws {SourceError} if a word is not an operand, or a list cannot be read
 *
 * @example
 * ```ts ignore
 * import { openSources } from "@sitetree/sitetree/source";
 *
 * for (const source of await openSources(["example.com"], { from: ["sites.txt"] })) {
 *   for await (const batch of source.batches()) console.log(source.name, batch.length);
 * }
 * ```
 */
export async function openSources(
  words: readonly string[],
  { from = [], ...options }: SourceOptions & { readonly from?: readonly string[] } = {},
): Promise<Source[]> {
  const listed: string[] = [];
  for (const path of from) listed.push(...await listedWords(path));
  return [...words, ...listed].map((word) => openSource(word, options));
}
