import {
  ANYTHING,
  type Check,
  checkAny,
  checkList,
  checkMap,
  checkThat,
  checkWord,
  FLAG,
  FUNCTION,
  isRecord,
  TEXT,
} from "../data/checks.ts";
import { type DocumentLimits, WALK_NUMBERS } from "../data/limits.ts";
import {
  applyRules,
  CALLBACK,
  flag,
  number,
  option,
  type OptionRules,
  SIGNAL,
  wholeNumber,
} from "../data/option_rules.ts";
import type { Mutable, SitemapPage } from "../data/page.ts";
import { excerpt } from "../data/text.ts";
import { isPrivateHost } from "../data/private_hosts.ts";
import {
  addressKey,
  httpOrigin,
  isHttp,
  withoutUserInfo,
  withoutUserInfoInText,
  withScheme,
} from "../data/url.ts";
import type { Fetch } from "../http/exchange.ts";
import { DEFAULT_USER_AGENT } from "../http/headers.ts";
import type { RequestReport } from "../http/request_report.ts";

/** Options of {@linkcode walk}. */
export interface WalkOptions extends Partial<DocumentLimits> {
  /** Whether to visit the sitemaps that robots.txt declares. Default: true without `sitemaps`. */
  readonly useRobots?: boolean;
  /**
   * Whether to probe known paths; a function decides for each URL. Default: true without `sitemaps`.
   */
  readonly useKnownPaths?: boolean | ((url: string) => boolean);
  /**
   * Whether to request the homepage for the sitemaps that it names by `<link rel="sitemap">` or a
   * `Link` header, and for the folder, or the origin of the same site, that it redirects to.
   * `"fallback"`: only if no sitemap was found before. Default: `"fallback"`; false with `sitemaps`, or without
   * `useKnownPaths`.
   */
  readonly useHomepage?: "fallback" | boolean;
  /**
   * Whether feeds that the homepage names are read if nothing else was found: the first RSS feed and
   * the first Atom feed. Default: false.
   */
  readonly useFeeds?: boolean;
  /**
   * Paths to probe after the built-in ones; without `useKnownPaths` only if `sitemaps` is given, which
   * may be empty. Default: none.
   */
  readonly extraKnownPaths?: readonly string[];
  /**
   * Sitemaps to start from instead of robots.txt and the known paths, unless `useRobots` or
   * `useKnownPaths` is true. They are visited between the two, at level 0, each once, and count as
   * declared: an unusable one is `invalid`. Callbacks are called only for their children. Sitemaps
   * below robots.txt are skipped. User info is not sent. Default: none.
   */
  readonly sitemaps?: readonly (string | URL)[];
  /**
   * Whether to reduce the homepage to its origin. If it has a path, `sitemap.xml` and
   * `sitemap_index.xml` of its folder are probed after the known paths. Default: true.
   */
  readonly normalizeHomepageUrl?: boolean;
  /**
   * Called for each sub-sitemap with its URL, the level of the listing sitemap and the URLs above. If
   * it returns false, the sitemap is not fetched and has no node. `listed` has the date that its index
   * declares, if any. Default: all are fetched.
   */
  readonly recurseCallback?: (
    url: string,
    level: number,
    parentUrls: readonly string[],
    listed: { readonly lastModified?: string },
  ) => boolean | Promise<boolean>;
  /**
   * Called with the list of an index or robots.txt, before `recurseCallback`; filters and orders it.
   * `listed` has an entry for each URL. Default: all.
   */
  readonly recurseListCallback?: (
    urls: readonly string[],
    level: number,
    parentUrls: readonly string[],
    listed: ReadonlyMap<string, { readonly lastModified?: string }>,
  ) => Iterable<string> | Promise<Iterable<string>>;
  /**
   * Decides by URL whose pages are wanted. Called for each declared sitemap and known path, but not
   * for robots.txt and the given `sitemaps`. If it returns false, the sitemap is still requested, as
   * it may be an index; any other kind is cancelled after its first bytes. It then has no events,
   * does not count as read and does not affect the verdict, which is `none` if nothing else was found.
   * One that cannot be fetched is reported like any other. Default: all.
   */
  readonly includeCallback?: (url: string) => boolean;
  /**
   * Called for each page, as it would be yielded. If it returns false, the page is not yielded and
   * counts neither for `maxPages` nor in any event. It must be synchronous; if it throws, the walk
   * throws that error. Default: all.
   */
  readonly includePage?: (page: SitemapPage) => boolean;
  /**
   * Called for each request, redirect, response, failure and retry. It does not change the events or
   * their order; if it throws, the walk throws that error. Default: none.
   */
  readonly onRequest?: (report: RequestReport) => void;
  /** Function that replaces `fetch`, for proxies, caches or tests. Default: the global one. */
  readonly fetch?: Fetch;
  /**
   * Origins whose requests are sent to other ones, such as those of a preview:
   * `{ "https://example.com": "http://localhost:8081" }`. Everything but the connection is as for the
   * first: events, redirects, robots.txt, pace, credentials and `hosts`. The other one may be on a
   * private network. Default: none.
   */
  readonly mapOrigin?: Readonly<Record<string, string>>;
  /**
   * Headers of every request. `Authorization`, `Cookie` and those named like a key, token or other
   * secret are sent only to the homepage's origin. Default: none.
   */
  readonly headers?: ConstructorParameters<typeof Headers>[0];
  /** User-Agent to send, unless `headers` has one. Default: `sitetree/<version>`. */
  readonly userAgent?: string;
  /** Milliseconds without a byte before a request fails. Default: 30,000. */
  readonly timeout?: number;
  /** Maximum milliseconds of one request, without time held back. Default: 600,000. */
  readonly maxRequestTime?: number;
  /** Milliseconds after which the walk ends as partial. Default: none. */
  readonly deadline?: number;
  /**
   * Maximum retries of a sitemap, after failures and truncated bodies. A refusal (429, or 503 with
   * `Retry-After`) counts only once the host is asked for one sitemap at a time and answers no other.
   * With 0, nothing is waited for. Default: 4.
   */
  readonly retries?: number;
  /** Milliseconds before the first retry; doubled for each further one. Default: 1,000. */
  readonly retryDelay?: number;
  /**
   * Maximum milliseconds before a retry. A host that asks for more by `Retry-After` is not waited for.
   * Default: 60,000.
   */
  readonly maxRetryDelay?: number;
  /**
   * Maximum milliseconds that a sitemap waits for a host that answers 429, or 503 with `Retry-After`,
   * all its attempts together. Default: 600,000.
   */
  readonly maxWait?: number;
  /** Milliseconds between two requests to one host. Default: 0. */
  readonly wait?: number;
  /** Whether `wait` varies randomly, by a factor from 0.5 to 1.5. Default: false. */
  readonly randomWait?: boolean;
  /** Maximum number of concurrent requests. Default: 4. */
  readonly concurrency?: number;
  /** Maximum level of a sitemap. Default: 11. */
  readonly maxDepth?: number;
  /** Declared sitemaps, refused ones included, before the walk ends as partial. Default: 50,000. */
  readonly maxSitemaps?: number;
  /** Pages, without those that `includePage` leaves out, before the walk ends as partial. Default: none. */
  readonly maxPages?: number;
  /** Maximum redirects of one sitemap. Default: 20. */
  readonly maxRedirects?: number;
  /** Hosts that sitemaps may be fetched from, redirects included. Default: "any". */
  readonly hosts?: "any" | "same-host" | "same-site" | ((url: URL) => boolean);
  /**
   * Whether loopback, private and link-local hosts may be requested. Default: only if the homepage is
   * such a host.
   */
  readonly allowPrivateNetwork?: boolean;
  /**
   * Whether to obey `Disallow` and `Crawl-delay` of the homepage's robots.txt for sitemaps and known
   * paths of its origin, redirects included (RFC 9309), with delays up to `maxRetryDelay`. Without
   * `useRobots`, robots.txt is fetched only for its rules and is not part of the tree.
   * Default: false, as sitemaps are declared to be fetched.
   */
  readonly respectRobots?: boolean;
  /** Whether facts that are not warnings are yielded as notes, see `NOTE_CODES`. Default: false. */
  readonly notes?: boolean;
  /** Signal that stops the walk, which throws its reason. Default: none. */
  readonly signal?: AbortSignal;
}

const HTTP_URL: Check = checkThat(
  "an http(s) URL",
  (value) => (typeof value === "string" || value instanceof URL) && parseHttp(value) !== undefined,
);

const ORIGIN: Check = checkThat(
  "an http(s) origin such as https://example.com",
  (value) => typeof value === "string" && httpOrigin(value) !== undefined,
);

const PLAIN_OBJECT: Check = checkThat(
  "an object with origins",
  (value) => isRecord(value) && !(Symbol.iterator in value),
);
const ORIGINS: Check = checkMap(ORIGIN, ORIGIN);

const HOSTS = ["any", "same-host", "same-site"];

const REQUEST_RULES = {
  fetch: CALLBACK,
  mapOrigin: option((value) => PLAIN_OBJECT(value) ?? ORIGINS(value)),
  // checked by making headers of them
  headers: option(ANYTHING),
  userAgent: option(ANYTHING, DEFAULT_USER_AGENT),
  hosts: option(
    checkAny('"any", "same-host", "same-site" or a function', FUNCTION, checkWord(HOSTS)),
    "any" as const,
  ),
  allowPrivateNetwork: flag(),
  timeout: number(...WALK_NUMBERS.timeout),
  maxRequestTime: number(...WALK_NUMBERS.maxRequestTime),
  deadline: number(...WALK_NUMBERS.deadline),
  maxRedirects: wholeNumber(...WALK_NUMBERS.maxRedirects),
  respectRobots: flag(false),
  retries: wholeNumber(...WALK_NUMBERS.retries),
  retryDelay: number(...WALK_NUMBERS.retryDelay),
  maxRetryDelay: number(...WALK_NUMBERS.maxRetryDelay),
  maxWait: number(...WALK_NUMBERS.maxWait),
  wait: number(...WALK_NUMBERS.wait),
  randomWait: flag(false),
  concurrency: wholeNumber(...WALK_NUMBERS.concurrency),
  onRequest: CALLBACK,
  signal: SIGNAL,
} satisfies Partial<OptionRules<WalkOptions>>;

/** Names of the options that apply to any URL, not just to sitemaps. */
export const REQUEST_OPTIONS: readonly string[] = Object.keys(REQUEST_RULES);

export const WALK_RULES: OptionRules<WalkOptions> = {
  maxBytes: wholeNumber(...WALK_NUMBERS.maxBytes),
  maxEntries: wholeNumber(...WALK_NUMBERS.maxEntries),
  useRobots: flag(true),
  notes: flag(false),
  useKnownPaths: option(checkAny("true, false or a function", FLAG, FUNCTION), true),
  useHomepage: option(
    checkAny('"fallback", true or false', checkWord(["fallback"]), FLAG),
    "fallback",
  ),
  useFeeds: flag(false),
  extraKnownPaths: option(checkList(TEXT, "a list of strings"), []),
  sitemaps: option(checkList(HTTP_URL, "a list of http(s) URLs")),
  normalizeHomepageUrl: flag(true),
  recurseCallback: CALLBACK,
  recurseListCallback: CALLBACK,
  includeCallback: CALLBACK,
  includePage: CALLBACK,
  maxDepth: wholeNumber(...WALK_NUMBERS.maxDepth),
  maxSitemaps: wholeNumber(...WALK_NUMBERS.maxSitemaps),
  maxPages: wholeNumber(...WALK_NUMBERS.maxPages),
  ...REQUEST_RULES,
};

/** Options without a default. */
type OptionalOption =
  | "sitemaps"
  | "recurseCallback"
  | "recurseListCallback"
  | "includeCallback"
  | "includePage"
  | "onRequest"
  | "fetch"
  | "mapOrigin"
  | "headers"
  | "allowPrivateNetwork"
  | "signal";

export type ResolvedWalkOptions =
  & { readonly [K in Exclude<keyof WalkOptions, OptionalOption>]-?: NonNullable<WalkOptions[K]> }
  & { readonly [K in Exclude<OptionalOption, "sitemaps">]: WalkOptions[K] | undefined }
  & { readonly sitemaps: readonly string[] | undefined };

/**
 * @throws {RangeError} if a number is out of range
 * @throws {TypeError} if an option is unknown, or any other has an invalid value
 */
export function resolveWalkOptions(options: WalkOptions): ResolvedWalkOptions {
  const { sitemaps, mapOrigin, useKnownPaths } = options;
  const resolved = applyRules(WALK_RULES, options) as Mutable<ResolvedWalkOptions>;
  if (sitemaps !== undefined) {
    const urls = sitemaps.map((url) => addressKey(withoutUserInfo(parseHttp(url)!).href));
    resolved.sitemaps = [...new Set(urls)];
    resolved.useRobots = options.useRobots ?? false;
    resolved.useKnownPaths = useKnownPaths ?? false;
  }
  if (sitemaps !== undefined || useKnownPaths === false) {
    resolved.useHomepage = options.useHomepage ?? false;
  }
  if (mapOrigin !== undefined) {
    const pairs = Object.entries(mapOrigin).map((pair) => pair.map((text) => httpOrigin(text)!));
    resolved.mapOrigin = Object.fromEntries(pairs);
  }
  resolved.headers = toHeaders("headers", options.headers);
  toHeaders("userAgent", { "user-agent": resolved.userAgent });
  return resolved;
}

/** Invalid headers would look like a network failure in every request. */
function toHeaders(name: string, headers: WalkOptions["headers"]): Headers {
  try {
    // copied, since they may be an iterator
    return new Headers(headers);
  } catch {
    // neither the headers nor the error of the runtime, which may quote a password
    throw new TypeError(`Cannot use option "${name}": a name or value cannot be sent`);
  }
}

// -------------------------------------------------------------------------------------- homepage

export interface Homepage {
  /** Ends in one slash, without query and fragment. User info is kept for the headers. */
  readonly url: URL;
  /** Folder that was given, if the path was dropped. */
  readonly folder: URL | undefined;
}

/** @throws {TypeError} if it is not an http(s) URL with a host */
export function parseHomepage(homepageUrl: string | URL, normalize: boolean): Homepage {
  const url = parseHttp(homepageUrl);
  if (url === undefined) throw homepageError(homepageUrl);
  const { pathname } = url;
  url.search = "";
  url.hash = "";
  url.pathname = normalize ? "/" : asFolder(pathname);
  const folder = withoutUserInfo(new URL(folderOf(pathname), url));
  return { url, folder: normalize && folder.pathname !== "/" ? folder : undefined };
}

/** Returns the path of the folder that a path names or is in. */
export function folderOf(path: string): string {
  const isFile = /\.[a-z0-9]+$/i.test(path);
  const folder = isFile ? path.slice(0, path.lastIndexOf("/") + 1) : asFolder(path);
  return folder.replace(/\/{2,}/g, "/");
}

/** Host at the start of a word without user info: `site.test`, `//[::1]:80/x`; not `http//`. */
const HOST_REGEXP =
  /^(?:\/\/)?(?!https?\/)(?:\[[^\]\s]*\]|[^\s/?#\\@:.[][^\s/?#\\@:]*)(?::\d*)?(?:[/?#]|$)/i;

function homepageError(homepage: unknown): TypeError {
  const word = withoutUserInfoInText(String(homepage).trim());
  const reason = `Cannot walk "${excerpt(word)}": not an http(s) URL`;
  const isHost = typeof homepage === "string" && HOST_REGEXP.test(word);
  const meant = isHost ? parseHttp(withScheme(word)) : undefined;
  if (meant === undefined) return new TypeError(reason);
  if (isPrivateHost(meant.hostname)) meant.protocol = "http:";
  return new TypeError(`${reason}; write "${excerpt(meant.href)}"`);
}

function parseHttp(address: string | URL): URL | undefined {
  const url = URL.parse(String(address));
  return url !== null && isHttp(url) && url.hostname !== "" ? url : undefined;
}

function asFolder(path: string): string {
  let end = path.length;
  while (path[end - 1] === "/") end--;
  return `${path.slice(0, end)}/`;
}
