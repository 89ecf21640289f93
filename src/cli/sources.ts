/**
 * One XML sitemap, within the limits of the sitemap protocol.
 *
 * @module
 */

import { type EventStream, parseSitemap, type RequestReport, type WalkOptions } from "../../mod.ts";
import { inBatches } from "../data/batches.ts";
import { DAY } from "../data/calendar.ts";
import type { TreeEvent } from "../data/events.ts";
import { excerpt } from "../data/text.ts";
import { openToRead, pathToFileURL, standardInput, stat } from "../platform/host.ts";
import { KNOWN_PATHS } from "../walk/known_paths.ts";
import { walkWith } from "../walk/walk.ts";
import { fromNdjson } from "../write/from_ndjson.ts";
import type { Arguments } from "./arguments.ts";
import { Failure, fileFailure, folderError } from "./failure.ts";
import type { EventFormat } from "./formats.ts";
import { type Log, logRequest } from "./log.ts";
import { type Operand, operandsOf } from "./operands.ts";
import { permittedHosts, requireNet } from "./permissions.ts";
import { UnreachableError } from "./request_watch.ts";
import { PageFilter } from "./selection.ts";
import type { Reading } from "./session.ts";
import {
  documentOptions,
  pageFilterOptions,
  requireProxies,
  type WalkSettings,
  walkSettings,
} from "./settings.ts";
import type { UserLimits } from "./walk_tally.ts";

/** URLs of a sitemap, by sitemaps.org. */
const MAX_URLS = 50_000;
/** Uncompressed bytes of a sitemap, by sitemaps.org. */
const MAX_BYTES = 52_428_800;

const NOT_ASCII_REGEXP = /[^\0-\x7f]/;

/** Returns an XML format that throws a {@linkcode Failure} once a sitemap would be too large. */
export function limitedSitemap(format: EventFormat): EventFormat {
  const encoder = new TextEncoder();
  const bytesOf = (text: string) =>
    NOT_ASCII_REGEXP.test(text) ? encoder.encode(text).length : text.length;
  let urls = 0;
  let bytes = bytesOf(format.head ?? "") + bytesOf(format.end?.() ?? "");
  return {
    ...format,
    write(event) {
      const text = format.write(event);
      if (text === "") return "";
      bytes += bytesOf(text);
      if (++urls > MAX_URLS) throw tooLarge("50,000 URLs");
      if (bytes > MAX_BYTES) throw tooLarge("50 MB (52,428,800 bytes)");
      return text;
    },
  };
}

function tooLarge(limit: string): Failure {
  return new Failure(
    `Cannot write one XML sitemap: more than ${limit}`,
    "use --split DIR to write several sitemaps and their index",
  );
}

// MERGED: Events of operands: of sites, of sitemaps in files, and of saved walks.

/** Events in batches. */
export type Batches = AsyncIterable<readonly TreeEvent[]>;

/** Circumstances in which an operand is read. */
export interface ReadContext {
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal;
  /** The log of `-v`. */
  readonly log: Log;
  /** Prints a line on standard error. */
  readonly note: (line: string) => void;
  /** Number of requests that this operand may have under way. */
  readonly share: () => number;
  /** Pages after which a walk ends by itself. */
  readonly maxPages: number | undefined;
  /** Milliseconds that the command has taken so far. */
  readonly elapsed: number;
}

/** An operand that gives events. */
export interface Source {
  /** A URL or a path. */
  readonly name: string;
  /** Origin that `--strip-url` omits; that of the operand until there are events. */
  readonly site: URL | undefined;
  /** Starts to read. */
  read(reading: Reading, context: ReadContext): Batches;
}

/** What `ls`, `stats`, `parse` and `replay` read, and how. */
export interface ReadingPlan {
  /** The operands. */
  readonly sources: readonly Source[];
  /** Decides about their pages. */
  readonly filter: PageFilter;
  /** Requests at once, of all operands together. */
  readonly concurrency: number;
  /** Retries of a sitemap. */
  readonly retries?: number;
  /** Limits that the user set. */
  readonly limits: UserLimits;
}

/** Reads the operands, and the options that say how to read them. */
export async function readingPlan(args: Arguments): Promise<ReadingPlan> {
  const settings = walkSettings(args);
  const filterOptions = pageFilterOptions(args);
  const operands = await operandsOf(args);
  if (operands.some(({ kind }) => kind !== "file")) await requireProxies(settings);
  const { retries, maxDepth, maxSitemaps } = settings.options;
  return {
    sources: operands.map((operand) => sourceOf(args, operand, settings)),
    filter: new PageFilter(filterOptions),
    concurrency: settings.concurrency,
    ...(retries === undefined ? {} : { retries }),
    limits: { maxDepth, maxSitemaps, maxPages: filterOptions.maxPages },
  };
}

function sourceOf(args: Arguments, operand: Operand, settings: WalkSettings): Source {
  if (operand.kind === "file") {
    return args.command === "replay"
      ? new SavedEvents(operand.path)
      : new Document(operand.path, documentOptions(args));
  }
  const urls = operand.kind === "url"
    ? [operand.url]
    : [new URL(`https://${operand.host}`), new URL(`http://${operand.host}`)];
  return new Site(urls, settings);
}

/** A site, or one sitemap of it. */
class Site implements Source {
  readonly #urls: readonly URL[];
  readonly #settings: WalkSettings;
  #at = 0;

  /** Takes the URLs to try in turn until one can be connected to. */
  constructor(urls: readonly URL[], settings: WalkSettings) {
    this.#urls = urls;
    this.#settings = settings;
  }

  get name(): string {
    return this.#urls[0]!.href;
  }

  get site(): URL {
    return this.#urls[this.#at]!;
  }

  async *read(reading: Reading, context: ReadContext): AsyncGenerator<readonly TreeEvent[]> {
    for (const [at, url] of this.#urls.entries()) {
      const next = this.#urls[at + 1];
      this.#at = at;
      try {
        yield* this.#readFrom(url, reading, context, next !== undefined);
        return;
      } catch (error) {
        const isRetried = error instanceof UnreachableError && error.isOfHttps;
        if (next === undefined || !isRetried) throw error;
        context.note(`${error.message}; trying ${next.href}`);
        reading.reset(next.href);
      }
    }
  }

  async *#readFrom(
    url: URL,
    reading: Reading,
    context: ReadContext,
    canTryHttp: boolean,
  ): AsyncGenerator<readonly TreeEvent[]> {
    const { proxy } = this.#settings;
    await requireNet(proxy ?? url);
    const homepage = new URL("/", url);
    const start = async (more: WalkOptions) => {
      const options = await this.#options(homepage, reading, context, canTryHttp, more);
      return walkWith(homepage, options, { share: context.share });
    };
    if (url.pathname === "/" && url.search === "") {
      yield* onceConnected(await start({}), reading);
      return;
    }
    const reason = yield* sitemapAt(await start({ sitemaps: [url] }));
    if (reason === undefined) return;
    if (!reading.watch.isConnected) throw new UnreachableError(url.href, reason);
    reading.reset(reading.name);
    const folder = this.#settings.options.useKnownPaths === false ? "/" : folderOf(url);
    const below = folder === "/" ? "" : `, with known paths below ${excerpt(folder)}`;
    context.note(
      `"${excerpt(url.href)}" is not a sitemap (${reason}): walking ${url.origin}/ instead${below}`,
    );
    const extraKnownPaths = below === "" ? [] : KNOWN_PATHS.map((path) => folder.slice(1) + path);
    yield* onceConnected(await start({ extraKnownPaths }), reading);
  }

  async #options(
    homepage: URL,
    reading: Reading,
    { signal, log, maxPages, elapsed }: ReadContext,
    canTryHttp: boolean,
    { sitemaps, extraKnownPaths = [] }: Pick<WalkOptions, "sitemaps" | "extraKnownPaths">,
  ): Promise<WalkOptions> {
    const { options, hosts, include, exclude, prunedBefore, proxy } = this.#settings;
    const { tally, leftOut, watch, refusedHosts } = reading;
    reading.noneAdvice = noneAdvice(options);
    reading.stopsWhenFull = maxPages === undefined;
    const isExcluded = (url: string) => exclude.some((regexp) => regexp.test(url));
    const skip = (url: string, reason: string) => log.write(1, `INFO skipped ${url}: ${reason}`);
    return {
      ...options,
      ...(sitemaps === undefined
        ? startingPoints(options, extraKnownPaths, (path) => {
          const { href } = new URL(path.replace(/^\/+/, ""), homepage);
          if (isExcluded(href)) skip(excerpt(href), "excluded");
          return !isExcluded(href);
        })
        : { sitemaps }),
      signal,
      // behind a proxy, hosts are not contacted by this process
      hosts: proxy === undefined ? await permittedHosts(hosts, homepage, refusedHosts) : hosts,
      onRequest(report: RequestReport) {
        watch.see(report);
        // what does not exist is not left out
        if (report.phase === "failure" || (report.status ?? 0) >= 400) {
          leftOut.include.delete(report.sitemap);
        }
        logRequest(log, report);
        watch.requireConnection(report, canTryHttp);
      },
      recurseListCallback(urls) {
        tally.known += urls.length;
        return urls;
      },
      recurseCallback(url, _level, _parents, { lastModified }) {
        const isOld = prunedBefore !== undefined && lastModified !== undefined &&
          latest(lastModified) < prunedBefore;
        if (!isOld && !isExcluded(url)) return true;
        tally.known--;
        if (isOld) leftOut.since++;
        else leftOut.exclude++;
        skip(excerpt(url), isOld ? "declared as older" : "excluded");
        return false;
      },
      ...(include.length === 0 ? {} : {
        includeCallback(url: string) {
          const isWanted = include.some((regexp) => regexp.test(url));
          if (!isWanted) leftOut.include.add(url);
          return isWanted;
        },
      }),
      ...(maxPages === undefined ? {} : { maxPages }),
      // of the whole command, not of each site
      ...(options.deadline === undefined
        ? {}
        : { deadline: Math.max(0, Math.round(options.deadline - elapsed)) }),
    };
  }
}

/**
 * Returns the options of a walk that starts from robots.txt and the known paths that are wanted: the
 * callbacks are not asked for these.
 */
function startingPoints(
  { useRobots = true, useKnownPaths = true, extraKnownPaths = [] }: WalkOptions,
  more: readonly string[],
  isWanted: (path: string) => boolean,
): WalkOptions {
  const paths = [...(useKnownPaths ? KNOWN_PATHS : []), ...extraKnownPaths, ...more];
  return {
    sitemaps: [],
    useRobots,
    useKnownPaths: false,
    extraKnownPaths: paths.filter(isWanted),
  };
}

/** Yields the events of a walk from the first response on. */
async function* onceConnected(
  events: EventStream<TreeEvent>,
  reading: Reading,
): AsyncGenerator<readonly TreeEvent[], void> {
  const held: (readonly TreeEvent[])[] = [];
  for await (const batch of events.batches()) {
    held.push(batch);
    if (reading.watch.isConnected) yield* held.splice(0);
  }
  yield* held;
}

/**
 * Yields the events of a walk that starts from one sitemap; none if it is not a sitemap. Returns the
 * reason then.
 */
async function* sitemapAt(
  events: EventStream<TreeEvent>,
): AsyncGenerator<readonly TreeEvent[], string | undefined> {
  const held: (readonly TreeEvent[])[] = [];
  let isSitemap = false;
  for await (const batch of events.batches()) {
    if (isSitemap) {
      yield batch;
      continue;
    }
    held.push(batch);
    for (const event of batch) {
      if (event.type === "invalid") return event.reason;
      if (event.type === "sitemap-entered" && event.sitemap.level === 0) isSitemap = true;
      if (isSitemap) break;
    }
    if (isSitemap) yield* held.splice(0);
  }
  return isSitemap ? undefined : "it gives nothing";
}

/** Returns the path of the folder that a URL is or is in. */
function folderOf({ pathname }: URL): string {
  const isFile = /\.[a-z0-9]+$/i.test(pathname);
  return pathname.replace(isFile ? /[^/]*$/ : /\/?$/, isFile ? "" : "/").replace(/\/{2,}/g, "/");
}

/** Returns the last moment that a date may mean: those without time mean a day, a month or a year. */
function latest(date: Date): number {
  const time = date.getTime();
  if (time % DAY !== 0) return time;
  if (date.getUTCDate() > 1) return time + DAY;
  return time + (date.getUTCMonth() > 0 ? 31 : 366) * DAY;
}

function noneAdvice({ useRobots, useKnownPaths }: WalkOptions): string {
  const declared = "none is declared in robots.txt";
  const found = "found at a known path: try --known-path";
  if (useRobots !== false && useKnownPaths !== false) return `${declared} or ${found}`;
  if (useRobots !== false) return `${declared}: try without --no-known`;
  if (useKnownPaths !== false) return `none is ${found}, or without --no-robots`;
  return "--no-robots and --no-known leave nothing to read";
}

/** A sitemap in a file, or on standard input for `-`. */
class Document implements Source {
  readonly name: string;
  readonly site: URL | undefined;
  readonly #options: { readonly url?: string; readonly maxBytes?: number };

  constructor(path: string, options: { readonly url?: string; readonly maxBytes?: number }) {
    this.name = path;
    this.site = options.url === undefined ? undefined : new URL(options.url);
    this.#options = options;
  }

  async *read(_reading: Reading, { signal }: ReadContext): AsyncGenerator<readonly TreeEvent[]> {
    const url = this.name === "-" ? "file:///dev/stdin" : pathToFileURL(this.name).href;
    const stream = await openFile(this.name);
    yield* parseSitemap(stream, { url, ...this.#options, signal }).batches();
  }
}

/** Saved events in a file, or on standard input for `-`. */
class SavedEvents implements Source {
  readonly name: string;
  readonly site: URL | undefined = undefined;

  constructor(path: string) {
    this.name = path;
  }

  async *read(_reading: Reading, { signal }: ReadContext): AsyncGenerator<readonly TreeEvent[]> {
    const stream = await openFile(this.name);
    const isGzipped = /\.gz(?:\.part)?$/i.test(this.name);
    const bytes = isGzipped ? stream.pipeThrough(new DecompressionStream("gzip")) : stream;
    try {
      yield* inBatches(bytes.pipeThrough(fromNdjson(), { signal }));
    } catch (error) {
      const reason = signal.aborted ? undefined : replayFault(error, isGzipped);
      if (reason === undefined) throw error;
      throw new Failure(
        `Cannot replay "${this.name}": ${reason}`,
        'it reads what "sitetree ls -f events" writes',
        { cause: error },
      );
    }
  }
}

/** Returns what is wrong with saved events, in words that no runtime chooses. */
function replayFault(error: unknown, isGzipped: boolean): string | undefined {
  if (!(error instanceof SyntaxError)) {
    return isGzipped ? "corrupt or truncated gzip data" : undefined;
  }
  const message = error.message.replace(/^Cannot read /, "");
  return error.cause instanceof SyntaxError ? message.replace(/:.*/s, ": invalid JSON") : message;
}

async function openFile(path: string): Promise<ReadableStream<Uint8Array<ArrayBuffer>>> {
  if (path === "-") return standardInput();
  try {
    if ((await stat(path)).isDirectory()) throw folderError();
    return await openToRead(path);
  } catch (error) {
    throw fileFailure("read", path, error);
  }
}
