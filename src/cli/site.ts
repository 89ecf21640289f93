import type { EventStream, RequestReport, WalkOptions } from "../../mod.ts";
import { isoTime } from "../data/date.ts";
import type { InvalidEvent } from "../data/events.ts";
import { excerpt } from "../data/text.ts";
import { withoutUserInfo } from "../data/url.ts";
import { isCredential } from "../http/headers.ts";
import { targetUrl } from "../http/origin_map.ts";
import { hasEnvironmentProxy } from "../platform/proxies.ts";
import { codeOf } from "../platform/process.ts";
import {
  environmentFetch,
  insecureFetch,
  loadProxies,
  proxiedFetch,
  supportsProxy,
} from "../platform/host_http.ts";
import { parseHomepage, WALK_RULES } from "../walk/options.ts";
import { walkWith } from "../walk/walk.ts";
import { missingAdvice } from "./run/advice.ts";
import type { Arguments } from "./arguments.ts";
import type { SourceEvent } from "./run/event_writer.ts";
import { Failure } from "./run/failure.ts";
import { type Log, logRequest } from "./run/log.ts";
import { optionsOf } from "./options.ts";
import { permittedHosts, requireNet } from "./run/permissions.ts";
import type { Reading, Source } from "./run/reading.ts";
import { UnreachableError } from "./run/request_watch.ts";

export interface WalkSettings {
  /** Options of the library that have a row with their name in the table of options. */
  readonly options: WalkOptions;
  /** If there are any, only the pages of sitemaps that match one of these are read. */
  readonly include: readonly RegExp[];
  readonly exclude: readonly RegExp[];
  /** Sitemaps declared as older are skipped. */
  readonly prunedBefore: number | undefined;
  readonly proxy: URL | undefined;
}

const HOMEPAGE_USES = { fallback: "fallback", always: true, never: false } as const;

type HomepageUse = keyof typeof HOMEPAGE_USES;

export const ONLY_GIVEN = { useRobots: false, useKnownPaths: false, useHomepage: false } as const;

export function walkSettings(args: Arguments): WalkSettings {
  const proxy = args.value<URL>("proxy");
  const fetch = args.has("insecure")
    ? insecureFetch
    : proxy
    ? proxiedFetch(proxy)
    : environmentFetch();
  return {
    options: {
      ...fieldsOf(args, WALK_RULES),
      ...(args.hasNotes && { notes: true }),
      useRobots: !args.has("no-robots"),
      useKnownPaths: !args.has("no-known"),
      extraKnownPaths: args.all("known-path"),
      ...(args.has("homepage") &&
        { useHomepage: HOMEPAGE_USES[args.value<HomepageUse>("homepage")!] }),
      ...(args.has("feeds") && { useFeeds: true }),
      headers: new Headers([...args.all<[string, string]>("header")]),
      ...(args.has("map-origin") &&
        { mapOrigin: Object.fromEntries(args.all<[string, string]>("map-origin")) }),
      ...(fetch === undefined ? {} : { fetch }),
    },
    include: args.regexps("include"),
    exclude: args.regexps("exclude"),
    prunedBefore: args.has("no-prune") ? undefined : args.value<number>("since"),
    proxy,
  };
}

/** Returns the options of the library that have a row with their name, by the table of their rules. */
export function fieldsOf(args: Arguments, rules: object): object {
  const specs = optionsOf(args.command).filter(({ field = "" }) => Object.hasOwn(rules, field));
  return args.given(...specs.map(({ name }) => name));
}

export async function requireProxies({ proxy }: WalkSettings): Promise<void> {
  if (proxy === undefined && !hasEnvironmentProxy()) return;
  if (proxy !== undefined && !supportsProxy(proxy)) {
    throw new Failure(
      "Cannot use a SOCKS proxy: not supported by Bun",
      "run sitetree on Node or Deno, or use an HTTP proxy",
    );
  }
  try {
    await loadProxies();
  } catch (error) {
    if (codeOf(error) !== "ERR_MODULE_NOT_FOUND") throw error;
    throw new Failure(
      'Cannot use a proxy: package "undici" is not installed',
      'install it beside sitetree: npm install undici@7, with "--global" if sitetree is global',
      { cause: error },
    );
  }
}

type SiteEvents = Pick<EventStream<SourceEvent>, "batches">;
type SiteBatches = AsyncGenerator<readonly SourceEvent[]>;

/** A site, or one sitemap of it. */
export class Site implements Source {
  site: URL;
  home: URL;
  readonly #urls: readonly URL[];
  readonly #settings: WalkSettings;
  readonly #onlyKinds: boolean;

  /**
   * Creates a source from URLs that are tried in turn until one can be connected to. With `onlyKinds`,
   * a sitemap is read only until its kind is known, and the URL is not read as one.
   */
  constructor(urls: readonly URL[], settings: WalkSettings, onlyKinds = false) {
    this.#urls = urls;
    this.#settings = settings;
    this.#onlyKinds = onlyKinds;
    this.home = urls[0]!;
    this.site = withoutUserInfo(this.home);
  }

  get name(): string {
    return withoutUserInfo(this.#urls[0]!).href;
  }

  async *read(reading: Reading): SiteBatches {
    for (const [at, url] of this.#urls.entries()) {
      const next = this.#urls[at + 1];
      this.home = url;
      this.site = withoutUserInfo(url);
      try {
        yield* this.#readFrom(url, reading, next !== undefined);
        return;
      } catch (error) {
        const isRetried = error instanceof UnreachableError && error.canTryHttp;
        if (next === undefined || !isRetried) throw error;
        if (hasCredentials(this.#urls[0]!, this.#settings)) throw fallbackError(error, next);
        reading.context.note(`${error.message}; trying ${next.href}`);
        reading.reset(next.href);
      }
    }
  }

  async *#readFrom(url: URL, reading: Reading, canTryHttp: boolean): SiteBatches {
    await requireNet(this.#settings.proxy ?? url, this.#settings.options.mapOrigin);
    const homepage = new URL("/", url);
    const { share, note, signal } = reading.context;
    const options = await siteOptions(homepage, this.#settings, reading);
    reading.watch.onlyKinds = this.#onlyKinds;
    const onRequest = (report: RequestReport) => {
      options.onRequest?.(report);
      reading.watch.check(sentReport(report, options), canTryHttp);
    };
    const start = (from: WalkOptions) =>
      walkWith(url, { ...options, ...from, onRequest, signal }, {
        share,
        pages: reading.pages,
        onlyKinds: this.#onlyKinds,
      });
    if (!this.#onlyKinds && (url.pathname !== "/" || url.search !== "")) {
      const only = { sitemaps: [url], ...ONLY_GIVEN };
      const invalid = yield* heldBack(start(only), acceptSitemap);
      if (invalid === undefined) return;
      if (!reading.watch.isConnected) throw new UnreachableError(this.site.href, invalid);
      reading.reset(reading.name);
      const folder = options.useKnownPaths ? parseHomepage(url, true).folder?.pathname : undefined;
      const below = folder === undefined ? "" : `, with known paths below ${excerpt(folder)}`;
      const reason = `"${excerpt(this.site.href)}" is not a sitemap (${invalid.reason})`;
      note(`${reason}: walking ${url.origin}/ instead${below}`);
    }
    yield* heldBack(start({}), () => reading.watch.isConnected);
  }
}

/** Returns the URLs of an operand to try in turn: only those of a mapped origin, if there are any. */
export function triedUrls(urls: readonly URL[], { options }: WalkSettings): readonly URL[] {
  const mapped = urls.filter((url) => targetUrl(url, options.mapOrigin) !== undefined);
  return mapped.length === 0 ? urls : mapped;
}

/** Returns a report with the URL to which its request was sent, which messages about hosts name. */
function sentReport(report: RequestReport, { mapOrigin }: WalkOptions): RequestReport {
  if (mapOrigin === undefined) return report;
  const target = targetUrl(new URL(report.url), mapOrigin);
  return target === undefined ? report : { ...report, url: target.href };
}

/** Whether requests have user info or headers that must not be sent unencrypted. */
export function hasCredentials({ username, password }: URL, { options }: WalkSettings): boolean {
  const names = [...new Headers(options.headers).keys()];
  return username !== "" || password !== "" || names.some(isCredential);
}

/** Returns the options of the walk of a site, which tell a reading what was left out and failed. */
export async function siteOptions(
  homepage: URL,
  settings: WalkSettings,
  reading: Reading,
): Promise<WalkOptions> {
  const { options, include, exclude, prunedBefore } = settings;
  const { log } = reading.context;
  const missing = new Set<string>();
  const { useRobots, useKnownPaths = true, extraKnownPaths = [] } = options;
  const isExcluded = (url: string) => exclude.some((regexp) => regexp.test(url));
  const isProbed = (url: string) => {
    if (isExcluded(url)) logSkipped(log, url, "excluded");
    else reading.watch.knownPaths.add(url);
    return !isExcluded(url);
  };
  reading.noneAdvice = noneAdvice(options);
  reading.missingAdvice = useRobots && useKnownPaths ? missingAdvice(homepage) : reading.noneAdvice;
  reading.blockedAdvice = blockedAdvice(options);
  return {
    ...options,
    ...(useKnownPaths && { useKnownPaths: isProbed }),
    // with a list of sitemaps, extra paths are probed without the known ones
    ...(!useKnownPaths && extraKnownPaths.length > 0 && { sitemaps: [] }),
    ...await reachOf(homepage, settings, reading),
    onRequest(report: RequestReport) {
      // a sitemap that does not exist is not left out, before or after it is asked for
      const isMissing = report.phase === "failure" || (report.status ?? 0) >= 400;
      if (isMissing && include.length > 0) {
        missing.add(report.sitemap);
        reading.leftOut.include.delete(report.sitemap);
      }
      logRequest(log, report);
      options.onRequest?.(report);
      reading.watch.add(sentReport(report, options));
    },
    recurseListCallback(urls) {
      reading.tally.known += urls.length;
      return urls;
    },
    recurseCallback: (url, _level, _parents, { lastModified }) => {
      const isOld = prunedBefore !== undefined && lastModified !== undefined &&
        endsBefore(lastModified, prunedBefore);
      if (!isOld && !isExcluded(url)) return true;
      reading.tally.known--;
      if (isOld) reading.leftOut.since++;
      else reading.leftOut.exclude++;
      logSkipped(log, url, isOld ? "declared as older" : "excluded");
      return false;
    },
    ...(include.length === 0 ? {} : {
      includeCallback(url: string) {
        const isIncluded = include.some((regexp) => regexp.test(url));
        if (!isIncluded && !missing.has(url)) reading.leftOut.include.add(url);
        return isIncluded;
      },
    }),
  };
}

/** Returns the hosts that may be requested, and the time that is left of the whole command. */
export async function reachOf(
  homepage: URL,
  { options: { hosts = "any", deadline = Infinity, mapOrigin }, proxy }: WalkSettings,
  { refusedHosts, context: { elapsed } }: Reading,
): Promise<Required<Pick<WalkOptions, "hosts" | "deadline">>> {
  return {
    // behind a proxy, hosts are not contacted by this process
    hosts: proxy === undefined
      ? await permittedHosts(hosts, homepage, refusedHosts, mapOrigin)
      : hosts,
    deadline: Math.max(0, Math.round(deadline - elapsed)),
  };
}

function fallbackError({ message, exitCode }: UnreachableError, http: URL): Failure {
  return new Failure(
    `${message}; not tried by http, which would send the credentials unencrypted`,
    `write "${http.protocol}//" before the host to send them so, or "https://" to retry`,
    { exitCode },
  );
}

function logSkipped(log: Log, url: string, reason: string): void {
  const message = `skipped ${excerpt(url)}: ${reason}`;
  log.write(1, { level: "info", event: "skipped", message, url, reason });
}

/**
 * Yields the events of a walk, but none before a batch that is accepted, or the end. If a batch is
 * refused by an event in it, yields nothing and returns that event.
 */
async function* heldBack(
  events: SiteEvents,
  accept: (batch: readonly SourceEvent[]) => boolean | InvalidEvent,
): AsyncGenerator<readonly SourceEvent[], InvalidEvent | undefined> {
  const held: (readonly SourceEvent[])[] = [];
  let accepted: boolean | InvalidEvent = false;
  for await (const batch of events.batches()) {
    held.push(batch);
    accepted ||= accept(batch);
    if (typeof accepted === "object") return accepted;
    if (accepted) yield* held.splice(0);
  }
  yield* held;
  return undefined;
}

function acceptSitemap(batch: readonly SourceEvent[]): boolean | InvalidEvent {
  const first = batch.find((event) =>
    event.type === "invalid" || event.type === "sitemap-entered" && event.sitemap.level === 0
  );
  return first?.type === "invalid" ? first : first !== undefined;
}

/** Whether the day, month or year of a date ends before a time. Midnight is taken for the whole day. */
function endsBefore(lastModified: string, time: number): boolean {
  const date = lastModified.replace("T00:00:00.000Z", "");
  return date < isoTime(time).slice(0, date.length);
}

function noneAdvice(options: WalkOptions): string {
  const { useRobots, useKnownPaths, useHomepage = useKnownPaths } = options;
  const ways = [
    ...(useRobots ? ["declared in robots.txt"] : []),
    ...(useKnownPaths ? ["found at a known path"] : []),
    ...(useHomepage ? ["named by the homepage"] : []),
  ];
  if (ways.length === 0) return "--no-robots and --no-known leave nothing to read";
  const none = ways.join(", ").replace(/, (?=[^,]*$)/, " or ");
  const advice = useKnownPaths ? "try --known-path" : "try without --no-known";
  return `none is ${none}: ${advice}${useRobots ? "" : ", or without --no-robots"}`;
}

function blockedAdvice({ hosts = "any", respectRobots = false }: WalkOptions): string | undefined {
  if (hosts !== "any") return `--hosts ${hosts} refuses other hosts`;
  return respectRobots ? "without --respect-robots, what robots.txt disallows is read" : undefined;
}
