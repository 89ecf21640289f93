/**
 * Lists: an operand per line, or a site with the options of its walk. Blank lines, and those that begin
 * with `#`, are skipped.
 *
 * @module
 */

import { excerpt } from "../data/text.ts";
import { hasScheme } from "../data/url.ts";
import { codeOf } from "../platform/process.ts";
import { openInput } from "./file.ts";
import { isPath } from "../disk/paths.ts";
import { fileError, SourceError } from "./source_error.ts";

/** Maximum characters of a line of a list, which is held in memory. */
const MAX_LINE_LENGTH = 100_000;
/** Maximum characters of a list of operands, which is held in memory. */
const MAX_LIST_LENGTH = 64 * 1024 * 1024;

/** Returns the operands in a file, or on standard input for `-`. */
export async function listedWords(path: string): Promise<string[]> {
  const words: string[] = [];
  let length = 0;
  for await (const { text } of listLines(await openInput(path), path)) {
    length += text.length;
    if (length > MAX_LIST_LENGTH) {
      throw new SourceError("file", `Cannot read "${path}": larger than 64 MiB`);
    }
    words.push(text);
  }
  return words;
}

interface ListLine {
  readonly text: string;
  readonly line: number;
}

async function* listLines(
  chunks: AsyncIterable<Uint8Array>,
  path: string,
): AsyncGenerator<ListLine, void, void> {
  const decoder = new TextDecoder();
  let rest = "", line = 0;
  function* listed(lines: readonly string[]): Generator<ListLine, void, void> {
    for (const whole of lines) {
      line++;
      if (whole.length > MAX_LINE_LENGTH) throw lineFault(path, line, "too long");
      const text = whole.trim();
      if (text !== "" && !text.startsWith("#")) yield { text, line };
    }
  }
  try {
    for await (const chunk of chunks) {
      const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = lines.pop()!;
      yield* listed(lines);
      if (rest.length > MAX_LINE_LENGTH) yield* listed([rest]);
    }
  } catch (error) {
    throw codeOf(error) === undefined || error instanceof SourceError
      ? error
      : fileError("read", path, error);
  }
  yield* listed([rest + decoder.decode()]);
}

function lineFault(path: string, line: number, reason: string): SourceError {
  return new SourceError("list", `Cannot read line ${line} of "${path}": ${reason}`);
}

/** A URL or a host, and options of its walk, which are not checked. */
interface ListedSite {
  readonly url: string;
  readonly [option: string]: unknown;
}

/** A list of sites: a URL, a host, or JSON with the options of a site per line. */
export class SiteList implements AsyncIterable<ListedSite> {
  count = 0;
  readonly #chunks: AsyncIterable<Uint8Array>;
  readonly #name: string;
  #line = 0;

  constructor(chunks: AsyncIterable<Uint8Array>, name: string) {
    this.#chunks = chunks;
    this.#name = name;
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<ListedSite, void, void> {
    for await (const { text, line } of listLines(this.#chunks, this.#name)) {
      this.#line = line;
      this.count++;
      const site = text.startsWith("{") ? this.#siteOf(text) : { url: text };
      if (!hasScheme(site.url) && isPath(site.url)) {
        throw this.fault(`"${excerpt(site.url)}" is a path: expected a URL or a host`);
      }
      yield site;
    }
    if (this.count === 0) throw new SourceError("list", `Empty list "${this.#name}"`);
  }

  /** Returns an error about the line that was read last. */
  fault(reason: string): SourceError {
    return lineFault(this.#name, this.#line, reason);
  }

  #siteOf(text: string): ListedSite {
    let site: Partial<ListedSite>;
    try {
      site = JSON.parse(text);
    } catch {
      // not quoted, since its headers may contain a password
      throw this.fault("invalid JSON");
    }
    const { url } = site;
    if (typeof url !== "string") throw this.fault('no "url"');
    return { ...site, url };
  }
}
