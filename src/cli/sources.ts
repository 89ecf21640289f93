/**
 * Sources of events: sites, sitemaps in files, and saved walks.
 *
 * @module
 */

import { type EventStream, parseSitemap, type RequestReport, type WalkOptions } from "../../mod.ts";
import { inBatches } from "../data/batches.ts";
import { DAY } from "../data/calendar.ts";
import type { TreeEvent } from "../data/events.ts";
import { excerpt } from "../data/text.ts";
import { pathToFileURL } from "../platform/host.ts";
import { KNOWN_PATHS } from "../walk/known_paths.ts";
import { walkWith } from "../walk/walk.ts";
import { fromNdjson } from "../write/from_ndjson.ts";
import type { Arguments } from "./arguments.ts";
import { Failure } from "./failure.ts";
import { type Log, logRequest } from "./log.ts";
import { openInput, type Operand, operandsOf } from "./operands.ts";
import { permittedHosts, requireNet } from "./permissions.ts";
import type { Reading, UserLimits } from "./reading.ts";
import { UnreachableError } from "./request_watch.ts";
import { PageFilter } from "./selection.ts";
import {
  documentOptions,
  pageFilterOptions,
  requireProxies,
  type WalkSettings,
  walkSettings,
} from "./settings.ts";

/** Circumstances in which an operand is read. */
export interface ReadContext {
  /** Aborted to stop reading. */
  readonly signal: AbortSignal;
  /** The log of `-v`. */
  readonly log: Log;
  /** Prints a line on standard error. */
  readonly note: (line: string) => void;
  /** Returns how many requests this operand may have under way. */
  readonly share: () => number;
  /** Pages after which a walk ends by itself. */
  readonly maxPages: number | undefined;
  /** Milliseconds since the command started. */
  readonly elapsed: number;
}

/** An operand to read. */
export interface Source {
  /** A URL or a path. */
  readonly name: string;
  /** Site whose origin `--strip-url` omits; final once there are events. */
  readonly site: URL | undefined;
  /** Reads the events. */
  read(reading: Reading, context: ReadContext): AsyncIterable<readonly TreeEvent[]>;
}

/** Operands and how to read them. */
export interface ReadingPlan {
  /** Operands to read. */
  readonly sources: readonly Source[];
  /** Filter of their pages. */
  readonly filter: PageFilter;
  /** Requests at once, of all operands together. Default: 1. */
  readonly concurrency?: number;
  /** Retries of a sitemap. Default: 4. */
  readonly retries?: number | undefined;
  /** Limits that the user set. Default: none. */
  readonly limits?: UserLimits;
}

/** Parses the operands, and the options about reading them. */
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
    retries,
    limits: { maxDepth, maxSitemaps, maxPages: filterOptions.maxPages },
  };
}

function sourceOf(args: Arguments, operand: Operand, settings: WalkSettings): Source {
  switch (operand.kind) {
    case "url":
      return new Site([operand.url], settings);
    case "host":
      return new Site(
        [new URL(`https://${operand.host}`), new URL(`http://${operand.host}`)],
        settings,
      );
    case "file":
      return args.command === "replay"
        ? savedEvents(operand.path)
        : sitemapFile(operand.path, documentOptions(args));
  }
}

/** A site, or one sitemap of it. */
class Site implements Source {
  site: URL;
  readonly #urls: readonly URL[];
  readonly #settings: WalkSettings;

  /** Creates a source from URLs that are tried in turn until one can be connected to. */
  constructor(urls: readonly URL[], settings: WalkSettings) {
    this.#urls = urls;
    this.#settings = settings;
    this.site = urls[0]!;
  }

  get name(): string {
    return this.#urls[0]!.href;
  }

  async *read(reading: Reading, context: ReadContext): AsyncGenerator<readonly TreeEvent[]> {
    for (const [at, url] of this.#urls.entries()) {
      const next = this.#urls[at + 1];
      this.site = url;
      try {
        yield* this.#readFrom(url, reading, context, next !== undefined);
        return;
      } catch (error) {
        const isRetried = error instanceof UnreachableError && error.canTryHttp;
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
    await requireNet(this.#settings.proxy ?? url);
    const homepage = new URL("/", url);
    const start = async (startOptions: WalkOptions) => {
      const options = await this.#walkOptions(homepage, reading, context, canTryHttp);
      return walkWith(homepage, { ...options, ...startOptions }, { share: context.share });
    };
    const startAtSite = (extraKnownPaths: readonly string[]) =>
      start(this.#startingPoints(homepage, extraKnownPaths, context.log));
    if (url.pathname === "/" && url.search === "") {
      yield* onceConnected(await startAtSite([]), reading);
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
    const paths = below === "" ? [] : KNOWN_PATHS.map((path) => folder.slice(1) + path);
    yield* onceConnected(await startAtSite(paths), reading);
  }

  /** Returns the options to start from robots.txt and known paths, which `--exclude` filters too. */
  #startingPoints(homepage: URL, more: readonly string[], log: Log): WalkOptions {
    const { useRobots = true, useKnownPaths = true, extraKnownPaths = [] } = this.#settings.options;
    const paths = [...(useKnownPaths ? KNOWN_PATHS : []), ...extraKnownPaths, ...more];
    return {
      sitemaps: [],
      useRobots,
      useKnownPaths: false,
      extraKnownPaths: paths.filter((path) => {
        const { href } = new URL(path.replace(/^\/+/, ""), homepage);
        const isExcluded = this.#isExcluded(href);
        if (isExcluded) logSkipped(log, href, "excluded");
        return !isExcluded;
      }),
    };
  }

  async #walkOptions(
    homepage: URL,
    reading: Reading,
    { signal, log, maxPages, elapsed }: ReadContext,
    canTryHttp: boolean,
  ): Promise<WalkOptions> {
    const { options, hosts, include, prunedBefore, proxy } = this.#settings;
    const { tally, leftOut, watch, refusedHosts } = reading;
    reading.noneAdvice = noneAdvice(options);
    reading.stopsWhenFull = maxPages === undefined;
    return {
      ...options,
      signal,
      // behind a proxy, hosts are not contacted by this process
      hosts: proxy === undefined ? await permittedHosts(hosts, homepage, refusedHosts) : hosts,
      onRequest(report: RequestReport) {
        watch.see(report);
        // a sitemap that does not exist is not left out
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
      recurseCallback: (url, _level, _parents, { lastModified }) => {
        const isOld = prunedBefore !== undefined && lastModified !== undefined &&
          latest(lastModified) < prunedBefore;
        if (!isOld && !this.#isExcluded(url)) return true;
        tally.known--;
        if (isOld) leftOut.since++;
        else leftOut.exclude++;
        logSkipped(log, url, isOld ? "declared as older" : "excluded");
        return false;
      },
      ...(include.length === 0 ? {} : {
        includeCallback(url: string) {
          const isIncluded = include.some((regexp) => regexp.test(url));
          if (!isIncluded) leftOut.include.add(url);
          return isIncluded;
        },
      }),
      ...(maxPages === undefined ? {} : { maxPages }),
      // of the whole command, not of each site
      ...(options.deadline === undefined
        ? {}
        : { deadline: Math.max(0, Math.round(options.deadline - elapsed)) }),
    };
  }

  #isExcluded(url: string): boolean {
    return this.#settings.exclude.some((regexp) => regexp.test(url));
  }
}

function logSkipped(log: Log, url: string, reason: string): void {
  log.write(1, `INFO skipped ${excerpt(url)}: ${reason}`);
}

/** Yields the events of a walk, but none before the first response. */
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
 * Yields the events of a walk that starts from one sitemap. If that is not a sitemap, yields nothing
 * and returns the reason.
 */
async function* sitemapAt(
  events: EventStream<TreeEvent>,
): AsyncGenerator<readonly TreeEvent[], string | undefined> {
  const held: (readonly TreeEvent[])[] = [];
  let isSitemap = false;
  for await (const batch of events.batches()) {
    held.push(batch);
    if (!isSitemap) {
      const first = batch.find((event) =>
        event.type === "invalid" || event.type === "sitemap-entered" && event.sitemap.level === 0
      );
      if (first?.type === "invalid") return first.reason;
      isSitemap = first !== undefined;
    }
    if (isSitemap) yield* held.splice(0);
  }
  return isSitemap ? undefined : "no content";
}

/** Returns the path of the folder that a URL names or is in. */
function folderOf({ pathname }: URL): string {
  const isFile = /\.[a-z0-9]+$/i.test(pathname);
  return pathname.replace(isFile ? /[^/]*$/ : /\/?$/, isFile ? "" : "/").replace(/\/{2,}/g, "/");
}

/** Returns the end of the day, month or year that a date without time may stand for. */
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

/** Returns the source of a sitemap in a file, or on standard input for `-`. */
function sitemapFile(path: string, options: { url?: string; maxBytes?: number }): Source {
  return {
    name: path,
    site: options.url === undefined ? undefined : new URL(options.url),
    async *read(_reading, { signal }) {
      const url = path === "-" ? "file:///dev/stdin" : pathToFileURL(path).href;
      yield* parseSitemap(await openInput(path), { url, ...options, signal }).batches();
    },
  };
}

/** Returns the source of saved events in a file, or on standard input for `-`. */
function savedEvents(path: string): Source {
  const isGzipped = /\.gz(?:\.part)?$/i.test(path);
  return {
    name: path,
    site: undefined,
    async *read(_reading, { signal }) {
      const stream = await openInput(path);
      const bytes = isGzipped ? stream.pipeThrough(new DecompressionStream("gzip")) : stream;
      try {
        yield* inBatches(bytes.pipeThrough(fromNdjson(), { signal }));
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
