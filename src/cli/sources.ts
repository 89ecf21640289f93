/**
 * Operands as sources of events: sites, sitemaps in files, saved events, and lists of them.
 *
 * @module
 */

import { parseSitemap } from "../../mod.ts";
import { inBatches } from "../data/batches.ts";
import { hasScheme, isHttp, withoutPassword, withScheme } from "../data/url.ts";
import { hasPermission } from "../platform/environment.ts";
import { openToRead, pathToFileURL, standardInput, stat, statSync } from "../platform/host.ts";
import { resolveOptions } from "../walk/options.ts";
import { fromNdjson } from "../write/from_ndjson.ts";
import { type Arguments, missingOperand } from "./arguments.ts";
import { isDatabase } from "./database.ts";
import { Failure, fileFailure, folderError, UsageError } from "./failure.ts";
import type { Source, UserLimits } from "./reading.ts";
import { PageFilter, pageFilterOptions, selectPages } from "./selection.ts";
import { requireProxies, Site, type WalkSettings, walkSettings } from "./site.ts";
import { isSnapshot, snapshotSource } from "./snapshots.ts";

export interface ReadingPlan {
  readonly sources: readonly Source[];
  readonly filter: PageFilter;
  /** Concurrent requests of all operands together. Default: 1. */
  readonly concurrency?: number;
  readonly retries?: number;
  readonly limits?: UserLimits;
}

export async function readingPlan(args: Arguments): Promise<ReadingPlan> {
  const settings = walkSettings(args);
  const filter = new PageFilter(pageFilterOptions(args));
  const words = await operandsOf(args);
  const sources = words.map((word) => operandSource(args, word, settings));
  if (sources.some((source) => source instanceof Site)) await requireProxies(settings);
  const { concurrency, retries } = resolveOptions(settings.options);
  return { sources, filter, concurrency, retries, limits: settings.options };
}

/** `./x`, `../x` and `/x`, on Windows `.\x` and `C:\x` too. */
const PATH_REGEXP = /^(?:\.{0,2}[/\\]|[a-z]:[/\\])/i;
/** Maximum characters of a line of a list, which is held in memory. */
const MAX_LINE_LENGTH = 100_000;
/** Maximum characters of a list of operands, which is held in memory. */
const MAX_LIST_LENGTH = 64 * 1024 * 1024;

/** Returns operands of a command and those of lists; at least one. Default: all operands. */
export async function operandsOf(
  args: Arguments,
  operands: readonly string[] = args.operands,
): Promise<readonly string[]> {
  let words: string[] = [];
  for (const word of operands) {
    words = words.concat(word === "-" && !readsFiles(args) ? await listWords("-") : word);
  }
  for (const path of args.all("from")) words = words.concat(await listWords(path));
  if (words.length > 0) return words;
  const hasList = operands.length + args.all("from").length > 0;
  throw hasList ? new UsageError("Empty list") : missingOperand(args.command);
}

function readsFiles({ command }: Arguments): boolean {
  return command === "parse" || command === "replay";
}

function operandSource(args: Arguments, word: string, settings: WalkSettings): Source {
  if (readsFiles(args)) return fileSource(args, word);
  const isExplained = args.command === "explain";
  if (isDatabase(word) && !isExplained) return snapshotSource(args, word);
  if (hasScheme(word)) {
    const url = URL.parse(word);
    if (url !== null && isHttp(url)) return new Site([url], settings, isExplained);
    throw new UsageError(`Invalid URL "${withoutPassword(word)}": expected http(s)`);
  }
  if (!isExplained && (PATH_REGEXP.test(word) && !word.startsWith("//") || isFile(word))) {
    return isSnapshot(word) ? snapshotSource(args, word) : sitemapFile(args, word);
  }
  const https = URL.parse(withScheme(word)), http = URL.parse(withScheme(word, "http"));
  if (https?.hostname && http) return new Site([https, http], settings, isExplained);
  const expected = isExplained ? "a URL or a host" : "a URL, a host or a file";
  throw new UsageError(`Invalid operand "${withoutPassword(word)}": expected ${expected}`);
}

function fileSource(args: Arguments, word: string): Source {
  const { command } = args;
  if (/^https?:\/\//i.test(word) && !isFile(word)) {
    const shown = withoutPassword(word);
    throw new UsageError(
      `Cannot read "${shown}": "${command}" reads files`,
      command === "parse" ? `try "sitetree ls ${shown}"` : undefined,
    );
  }
  return command === "replay" ? savedEvents(word) : sitemapFile(args, word);
}

/** Whether a file exists; false without permission to look, which would prompt. */
function isFile(path: string): boolean {
  if (!hasPermission({ name: "read", path })) return false;
  try {
    return !statSync(path).isDirectory();
  } catch {
    return false;
  }
}

async function listWords(path: string): Promise<string[]> {
  const stream = await openInput(path);
  const words: string[] = [];
  try {
    let length = 0;
    for await (const { text } of listLines(stream, path)) {
      length += text.length;
      if (length > MAX_LIST_LENGTH) throw new Failure(`Cannot read "${path}": larger than 64 MiB`);
      words.push(text);
    }
    return words;
  } catch (error) {
    throw error instanceof Failure ? error : fileFailure("read", path, error);
  }
}

export interface ListLine {
  readonly text: string;
  readonly line: number;
}

/** Yields the lines of a list, without blank ones and comments. */
export async function* listLines(
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
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop()!;
    yield* listed(lines);
    if (rest.length > MAX_LINE_LENGTH) yield* listed([rest]);
  }
  yield* listed([rest + decoder.decode()]);
}

export function lineFault(path: string, line: number, reason: string): UsageError {
  return new UsageError(`Cannot read line ${line} of "${path}": ${reason}`);
}

/** Returns the source of a sitemap in a file, or on standard input for `-`. */
function sitemapFile(args: Arguments, path: string): Source {
  const site = args.value("url");
  const maxBytes = args.value<number>("max-bytes");
  return {
    name: path,
    site: site === undefined ? undefined : new URL(site),
    async *read({ context: { signal }, pageOptions }) {
      const fileUrl = path === "-" ? "file:///dev/stdin" : pathToFileURL(path).href;
      const options = { url: site ?? fileUrl, ...(maxBytes === undefined ? {} : { maxBytes }) };
      yield* parseSitemap(await openInput(path), { ...options, ...pageOptions, signal }).batches();
    },
  };
}

/** Returns the source of saved events in a file, or on standard input for `-`. */
function savedEvents(path: string): Source {
  const isGzipped = /\.gz(?:\.part)?$/i.test(path);
  return {
    name: path,
    site: undefined,
    async *read({ context: { signal }, pageOptions }) {
      const stream = await openInput(path);
      const bytes = isGzipped ? stream.pipeThrough(new DecompressionStream("gzip")) : stream;
      try {
        const events = inBatches(bytes.pipeThrough(fromNdjson(), { signal }));
        yield* selectPages(events, pageOptions);
      } catch (error) {
        const reason = signal.aborted ? undefined : replayFault(error, isGzipped);
        if (reason === undefined) throw error;
        throw new Failure(
          `Cannot replay "${path}": ${reason}`,
          'it reads what "sitetree ls -f events" writes',
          { cause: error },
        );
      }
    },
  };
}

/** Returns the fault of saved events, in words that do not depend on the runtime. */
function replayFault(error: unknown, isGzipped: boolean): string | undefined {
  if (!(error instanceof SyntaxError)) {
    return isGzipped ? "corrupt or truncated gzip data" : undefined;
  }
  const message = error.message.replace(/^Cannot read /, "");
  return error.cause instanceof SyntaxError ? message.replace(/:.*/s, ": invalid JSON") : message;
}

/** Opens a file, or standard input for `-`. */
export async function openInput(path: string): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  if (path === "-") return standardInput();
  try {
    if ((await stat(path)).isDirectory()) throw folderError();
    return await openToRead(path);
  } catch (error) {
    throw fileFailure("read", path, error);
  }
}
