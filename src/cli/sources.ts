/**
 * Operands as sources of events: sites, folders, files of sitemaps, saved events or snapshots, and
 * lists of them.
 *
 * @module
 */

import type { TreeEvent } from "../../mod.ts";
import { peek, streamSource } from "../bytes/byte_source.ts";
import { decompress } from "../bytes/gunzip.ts";
import { inBatches } from "../data/batches.ts";
import { hasScheme, isHttp, withoutPassword, withScheme } from "../data/url.ts";
import { hasPermission } from "../platform/environment.ts";
import {
  openToRead,
  pathToFileURL,
  standardInput,
  stat,
  type Stats,
  statSync,
} from "../platform/host.ts";
import { codeOf, IS_WINDOWS } from "../platform/process.ts";
import { resolveWalkOptions } from "../walk/options.ts";
import { selectPages } from "../walk/page_selection.ts";
import { parseWith } from "../walk/parse_sitemap.ts";
import { fromNdjson } from "../write/from_ndjson.ts";
import type { Arguments } from "./arguments.ts";
import type { CommandName } from "./commands.ts";
import { isDatabase } from "./database.ts";
import { Failure, fileFailure, folderError, UsageError } from "./run/failure.ts";
import { folderSource } from "./folder.ts";
import { hostHint, isPath } from "./paths.ts";
import type { Source, UserLimits } from "./run/reading.ts";
import { PageFilter, pageFilterOptions } from "./run/selection.ts";
import { requireProxies, Site, triedUrls, type WalkSettings, walkSettings } from "./site.ts";
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
  const { concurrency, retries } = resolveWalkOptions(settings.options);
  return { sources, filter, concurrency, retries, limits: settings.options };
}

/** Maximum characters of a line of a list, which is held in memory. */
const MAX_LINE_LENGTH = 100_000;
/** Maximum characters of a list of operands, which is held in memory. */
const MAX_LIST_LENGTH = 64 * 1024 * 1024;

async function operandsOf(args: Arguments): Promise<readonly string[]> {
  const lists = args.all("from");
  let words = args.operands;
  for (const path of lists) words = words.concat(await listWords(path));
  if (words.length > 0) return words;
  throw new UsageError("Empty list");
}

function operandSource(args: Arguments, word: string, settings: WalkSettings): Source {
  const isExplained = args.command === "explain";
  if (word === "-") {
    if (isExplained) throw notRead(word, "explain", "sites and folders");
    return fileSource(args, word);
  }
  if (isDatabase(word) && !isExplained) return snapshotSource(args, word);
  if (args.has("run")) {
    throw new UsageError(
      `Option "--run" does not apply to "${withoutPassword(word)}"`,
      "runs are those of a fleet, in a database such as postgres://user@host/name",
    );
  }
  const urls = siteUrls(word);
  if (hasScheme(word)) {
    if (urls !== undefined) return new Site(urls, settings, isExplained);
    throw new UsageError(`Invalid URL "${withoutPassword(word)}": expected http(s)`);
  }
  if (isPath(word) || exists(word)) {
    if (isFolder(word)) return folderSource(args, word, settings, isExplained);
    if (isExplained && exists(word)) throw notRead(word, "explain", "sites and folders");
    return isSnapshot(word) ? snapshotSource(args, word) : fileSource(args, word);
  }
  if (urls !== undefined) return new Site(triedUrls(urls, settings), settings, isExplained);
  const expected = isExplained ? "a URL, a host or a folder" : "a URL, a host, a folder or a file";
  throw new UsageError(`Invalid operand "${withoutPassword(word)}": expected ${expected}`);
}

/** Returns the URL of a site or a sitemap, that of a host by https and by http; `undefined` without. */
export function siteUrls(word: string): readonly URL[] | undefined {
  const https = URL.parse(withScheme(word)), http = URL.parse(withScheme(word, "http"));
  if (https === null || http === null || !isHttp(https) || https.hostname === "") return undefined;
  return hasScheme(word) ? [https] : [https, http];
}

/** Throws for a word that names a file or a folder, in place of a site. */
export function requireSite(word: string): void {
  // a folder may have the name of a host
  const isName = word === "-" || /^[^.:@]+$/.test(word) && exists(word);
  if (!hasScheme(word) && (isPath(word) || isName)) throw notRead(word, "sync", "sites");
}

function notRead(path: string, command: CommandName, read: string): UsageError {
  return new UsageError(
    `Cannot read "${path}": "${command}" reads ${read}`,
    path === "-"
      ? "for a list of sites on standard input: --from -"
      : '"ls", "check", "report" and "diff" read folders and files',
  );
}

function exists(path: string): boolean {
  return statOf(path) !== undefined;
}

export function isFolder(path: string): boolean {
  return statOf(path)?.isDirectory() === true;
}

/** Does not look without permission, since that would prompt. */
function statOf(path: string): Stats | undefined {
  if (!hasPermission({ name: "read", path })) return undefined;
  try {
    return statSync(path);
  } catch {
    return undefined;
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

interface ListLine {
  readonly text: string;
  readonly line: number;
}

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

type FileKind = "sitemap" | "events";

function fileSource(args: Arguments, path: string): Source {
  const given = args.value("url");
  const url = given ?? (path === "-" ? "file:///dev/stdin" : pathToFileURL(path).href);
  const maxBytes = args.value<number>("max-bytes");
  const file = path === "-" ? undefined : IS_WINDOWS ? path.replaceAll("\\", "/") : path;
  return {
    name: path,
    site: given === undefined ? undefined : new URL(given),
    fileOf: (address) => address === url ? file : undefined,
    async *read({ context: { signal, note }, pages, advice }) {
      const content = await peekContent(await openInput(path, hostHint(path)));
      if (path === "-" && content.listsSites) {
        note("read as a text sitemap; for a list of sites: --from -");
      }
      if (content.kind === "events") {
        yield* selectPages(savedEvents(content, path, signal, advice), pages);
      } else {
        const limits = maxBytes === undefined ? {} : { maxBytes };
        const options = { url, notes: args.hasNotes, ...limits };
        yield* parseWith(content.bytes, { ...options, signal }, pages).batches();
      }
    },
  };
}

interface FileContent {
  /** All of it. */
  readonly bytes: ReadableStream<Uint8Array<ArrayBuffer>>;
  readonly isGzipped: boolean;
  readonly kind: FileKind;
  /** Whether it begins like a list of sites, not of pages. */
  readonly listsSites: boolean;
}

/** Bytes that show the kind of a file, after a byte order mark and blank lines. */
const KIND_BYTES = 64;

async function peekContent(stream: FileContent["bytes"]): Promise<FileContent> {
  const [start, bytes] = stream.tee();
  const { source, wasCompressed = false } = await decompress(streamSource(start), {
    warn: () => {},
  });
  const { head } = await peek(source, KIND_BYTES);
  source.cancel();
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(head);
  // JSON, which no sitemap begins like
  const kind = /^\ufeff?\s*\{/.test(text) ? "events" : "sitemap";
  return { bytes, isGzipped: wasCompressed, kind, listsSites: listsSites(text) };
}

/** A host such as `example.com:8080`, or a homepage. */
const SITE_REGEXP = /^(?:https?:\/\/[^\s/?#]+|[^\s/:@.?#<>]+(?:\.[^\s/:@.?#<>]+)+(?::\d+)?)\/?$/i;

/** The last line may be cut. */
function listsSites(text: string): boolean {
  const lines = text.split("\n").map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("#"));
  if (lines.length > 1 && !text.endsWith("\n")) lines.pop();
  return 2 * lines.filter((line) => SITE_REGEXP.test(line)).length > lines.length;
}

const GZIP_FAULT = "corrupt or truncated gzip data";

/** Yields the events that `-f events` saved; adds advice if `finished` is missing. */
async function* savedEvents(
  { bytes, isGzipped }: FileContent,
  path: string,
  signal: AbortSignal,
  advice: string[],
): AsyncGenerator<readonly TreeEvent[], void, void> {
  const text = isGzipped ? bytes.pipeThrough(new DecompressionStream("gzip")) : bytes;
  try {
    let last: TreeEvent | undefined;
    for await (const batch of inBatches(text.pipeThrough(fromNdjson(), { signal }))) {
      last = batch.at(-1);
      yield batch;
    }
    if (last?.type !== "finished") advice.push("the file ends before the walk that it has saved");
  } catch (error) {
    const reason = signal.aborted ? undefined : replayFault(error, isGzipped);
    if (reason === undefined) throw error;
    throw new Failure(
      `Cannot read "${path}": ${reason}`,
      'saved events are what "sitetree ls -f events" writes',
      { cause: error },
    );
  }
}

/** The words do not depend on the runtime. */
function replayFault(error: unknown, isGzipped: boolean): string | undefined {
  if (!(error instanceof SyntaxError)) {
    return isGzipped ? GZIP_FAULT : undefined;
  }
  const message = error.message.replace(/^Cannot read /, "");
  return error.cause instanceof SyntaxError ? message.replace(/:.*/s, ": invalid JSON") : message;
}

export async function openInput(
  path: string,
  hint?: string,
): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  if (path === "-") return standardInput();
  try {
    if ((await stat(path)).isDirectory()) throw folderError();
    return await openToRead(path);
  } catch (error) {
    throw fileFailure("read", path, error, codeOf(error) === "ENOENT" ? hint : undefined);
  }
}
