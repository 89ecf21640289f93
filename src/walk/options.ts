/**
 * The homepage: what a walk starts from.
 *
 * @module
 */

import { DEFAULT_LIMITS, type DocumentLimits } from "../data/limits.ts";
import { isHttp } from "../data/url.ts";
import type { Fetch } from "../http/exchange.ts";
import { DEFAULT_USER_AGENT } from "../http/headers.ts";
import type { HostsPolicy } from "../http/hosts.ts";
import type { RequestReport } from "../http/report.ts";
import { isSignal } from "./event_stream.ts";

/**
 * The homepage as a URL that ends in one slash, without query and fragment; without path too where
 * `normalize` says so. User info stays, for the headers of the walk.
 *
 * @throws {TypeError} where it is not an http(s) URL with a host
 */
export function parseHomepage(homepageUrl: string | URL, normalize: boolean): URL {
  const homepage = URL.parse(String(homepageUrl));
  if (homepage === null || !isHttp(homepage) || homepage.hostname === "") {
    throw new TypeError(`Cannot walk "${homepageUrl}": not an http(s) URL`);
  }
  homepage.search = "";
  homepage.hash = "";
  homepage.pathname = normalize ? "/" : homepage.pathname.replace(/\/*$/, "/");
  return homepage;
}

/** Returns the path and query of a homepage that {@linkcode parseHomepage} drops, `""` if none. */
export function ignoredPath(homepageUrl: string | URL, homepage: URL): string {
  const { pathname, search } = new URL(homepageUrl);
  const isKept = pathname === "/" || pathname.replace(/\/*$/, "/") === homepage.pathname;
  return (isKept ? "" : pathname) + search;
}

/** A URL without user info, which goes nowhere but into headers. */
export function withoutUserInfo(url: URL): URL {
  if (url.username === "" && url.password === "") return url;
  const bare = new URL(url);
  bare.username = "";
  bare.password = "";
  return bare;
}

// MERGED: The options of a walk, their defaults and their ranges.

/** What an index says about a sitemap that it lists. */
export interface ListedSitemap {
  /** When it was last modified; absent where the index has no readable date. */
  readonly lastModified?: Date;
}

/** Decides about one sub-sitemap: false skips it. */
export type RecurseCallback = (
  url: string,
  level: number,
  parentUrls: readonly string[],
  listed: ListedSitemap,
) => boolean | Promise<boolean>;

/** Filters and orders the sub-sitemaps of one index; `listed` has an entry for each URL. */
export type RecurseListCallback = (
  urls: readonly string[],
  level: number,
  parentUrls: readonly string[],
  listed: ReadonlyMap<string, ListedSitemap>,
) => Iterable<string> | Promise<Iterable<string>>;

/** In which order events come: as the documents declare, or as they arrive. */
export type WalkOrder = "document" | "arrival";

/** How to walk. Every field is optional. */
export interface WalkOptions extends Partial<DocumentLimits> {
  /** Whether robots.txt is asked for the sitemaps it declares. Default: true without `sitemaps`. */
  readonly useRobots?: boolean;
  /** Whether known paths are probed. Default: true without `sitemaps`. */
  readonly useKnownPaths?: boolean;
  /**
   * Paths that are probed after the built-in ones; without `useKnownPaths` only if `sitemaps` is
   * given, which may be empty. Default: none.
   */
  readonly extraKnownPaths?: readonly string[];
  /**
   * Sitemaps to start from instead of robots.txt and the known paths, which are off then unless
   * `useRobots` or `useKnownPaths` is true. They are visited between the two, at level 0, each once,
   * and count as declared: the callbacks are asked about their children only, and one that cannot be
   * used is `invalid`. One that the tree of robots.txt has is skipped. User info is not sent.
   * Default: none.
   */
  readonly sitemaps?: readonly (string | URL)[];
  /** Whether the homepage is stripped to its origin. Default: true. */
  readonly normalizeHomepageUrl?: boolean;
  /**
   * Asked for each sub-sitemap, with the level of the sitemap that lists it and the addresses above
   * it: false skips it, it is not fetched and has no node. Default: all are fetched.
   */
  readonly recurseCallback?: RecurseCallback;
  /** Given the whole list of an index or robots.txt before `recurseCallback`. Default: all. */
  readonly recurseListCallback?: RecurseListCallback;
  /**
   * Decides by URL whose pages are wanted. Asked for each declared sitemap and known path, but not
   * for robots.txt and the given `sitemaps`. If it returns false, the sitemap is requested all the
   * same, as it may be an index; if it is not one, it is cancelled once its first bytes show that.
   * Then it gives no events, does not count as read and does not affect the verdict, which is `none`
   * if nothing else was found. One that cannot be fetched is reported as any other. Default: all.
   */
  readonly includeCallback?: (url: string) => boolean;
  /**
   * Called for each step of each request: sent, redirected, answered, failed, to be retried. It does
   * not change the events or their order; if it throws, the walk ends with that error. Default: none.
   */
  readonly onRequest?: (report: RequestReport) => void;
  /** Any fetch-compatible function: proxies, caches, tests. Default: the global one. */
  readonly fetch?: Fetch;
  /**
   * Sent with every request. `Authorization`, `Cookie` and `Proxy-Authorization` go to the
   * homepage's origin alone. Default: none.
   */
  readonly headers?: ConstructorParameters<typeof Headers>[0];
  /** The user agent, unless `headers` names one. Default: `sitetree/<version>`. */
  readonly userAgent?: string;
  /** Milliseconds without a byte before a request fails. Default: 30,000. */
  readonly timeout?: number;
  /** Milliseconds that one request may take, not counting time held back. Default: 600,000. */
  readonly maxRequestTime?: number;
  /** Milliseconds that the whole walk may take; it ends as partial then. Default: none. */
  readonly deadline?: number;
  /** How often a sitemap is requested again after a failure or a body that broke off. Default: 4. */
  readonly retries?: number;
  /** Milliseconds before the first retry; doubled for each further one. Default: 1,000. */
  readonly retryDelay?: number;
  /** The longest wait before a retry, whatever `Retry-After` says. Default: 60,000. */
  readonly maxRetryDelay?: number;
  /** Milliseconds between two requests to one host. Default: 0. */
  readonly wait?: number;
  /** Whether `wait` varies at random, from half to one and a half of it. Default: false. */
  readonly randomWait?: boolean;
  /** Requests under way at once. Default: 4. */
  readonly concurrency?: number;
  /** In which order events come. Default: "document". */
  readonly order?: WalkOrder;
  /** The deepest level that is read. Default: 11. */
  readonly maxDepth?: number;
  /** Declared sitemaps, those refused unread included, before the walk ends as partial. Default: 50,000. */
  readonly maxSitemaps?: number;
  /** Pages before the walk ends as partial. Default: none. */
  readonly maxPages?: number;
  /** Redirects that are followed for one sitemap. Default: 20. */
  readonly maxRedirects?: number;
  /** Which hosts a sitemap may be fetched from, redirect targets too. Default: "any". */
  readonly hosts?: HostsPolicy;
  /**
   * Whether loopback, private and link-local targets may be asked for. Default: only if the
   * homepage itself is such a host.
   */
  readonly allowPrivateNetwork?: boolean;
  /**
   * Whether `Disallow` and `Crawl-delay` of the homepage's robots.txt are obeyed for sitemaps and
   * known paths of its origin, redirects included (RFC 9309); a delay counts up to `maxRetryDelay`.
   * Without `useRobots`, robots.txt is fetched for its rules alone and is not part of the tree.
   * Default: false, as sitemaps are declared to be fetched.
   */
  readonly respectRobots?: boolean;
  /** Stops the walk; the iteration throws its reason. Default: none. */
  readonly signal?: AbortSignal;
}

type OptionalOption =
  | "sitemaps"
  | "recurseCallback"
  | "recurseListCallback"
  | "includeCallback"
  | "onRequest"
  | "fetch"
  | "headers"
  | "allowPrivateNetwork"
  | "signal";

/** The options of a walk with every default filled in. */
export type ResolvedOptions =
  & { readonly [K in Exclude<keyof WalkOptions, OptionalOption>]-?: NonNullable<WalkOptions[K]> }
  & { readonly [K in Exclude<OptionalOption, "sitemaps">]: WalkOptions[K] | undefined }
  & { readonly sitemaps: readonly URL[] | undefined };

const DEFAULTS: Omit<ResolvedOptions, OptionalOption> = {
  ...DEFAULT_LIMITS,
  useRobots: true,
  useKnownPaths: true,
  extraKnownPaths: [],
  normalizeHomepageUrl: true,
  userAgent: DEFAULT_USER_AGENT,
  timeout: 30_000,
  maxRequestTime: 600_000,
  deadline: Infinity,
  retries: 4,
  retryDelay: 1000,
  maxRetryDelay: 60_000,
  wait: 0,
  randomWait: false,
  concurrency: 4,
  order: "document",
  maxDepth: 11,
  maxSitemaps: 50_000,
  maxPages: Infinity,
  maxRedirects: 20,
  hosts: "any",
  respectRobots: false,
};

type NumberOption = {
  [K in keyof typeof DEFAULTS]: typeof DEFAULTS[K] extends number ? K : never;
}[keyof typeof DEFAULTS];

/** The least value of each number, and whether it must be a whole one. */
const RANGES: Readonly<Record<NumberOption, { readonly min: number; readonly whole: boolean }>> = {
  maxBytes: { min: 1, whole: true },
  maxEntries: { min: 1, whole: true },
  maxValueLength: { min: 1, whole: true },
  maxAttributes: { min: 1, whole: true },
  maxElementDepth: { min: 1, whole: true },
  maxRobotsBytes: { min: 1, whole: true },
  timeout: { min: 1, whole: false },
  maxRequestTime: { min: 1, whole: false },
  deadline: { min: 0, whole: false },
  retries: { min: 0, whole: true },
  retryDelay: { min: 0, whole: false },
  maxRetryDelay: { min: 0, whole: false },
  wait: { min: 0, whole: false },
  concurrency: { min: 1, whole: true },
  maxDepth: { min: 0, whole: true },
  maxSitemaps: { min: 1, whole: true },
  maxPages: { min: 1, whole: true },
  maxRedirects: { min: 0, whole: true },
};

/** Options that are functions where they are given. */
const FUNCTIONS = [
  "fetch",
  "recurseCallback",
  "recurseListCallback",
  "includeCallback",
  "onRequest",
] as const;

/** Options that are one thing or the other. */
const SWITCHES = [
  "useRobots",
  "useKnownPaths",
  "normalizeHomepageUrl",
  "randomWait",
  "respectRobots",
  "allowPrivateNetwork",
] as const;

/**
 * The options with every default filled in.
 *
 * @throws {RangeError} where a number is out of range
 * @throws {TypeError} where something else is not what it must be
 */
export function resolveOptions(options: WalkOptions): ResolvedOptions {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  const { sitemaps } = options;
  const discovery = sitemaps === undefined ? {} : { useRobots: false, useKnownPaths: false };
  const values: object = {
    ...DEFAULTS,
    ...discovery,
    ...Object.fromEntries(given),
    ...(sitemaps === undefined ? {} : { sitemaps: givenSitemaps(sitemaps) }),
  };
  const resolved = values as ResolvedOptions;
  for (const [name, range] of Object.entries(RANGES)) {
    checkNumber(name, resolved[name as NumberOption], range);
  }
  for (const name of FUNCTIONS) {
    check(
      name,
      resolved[name],
      ["undefined", "function"].includes(typeof resolved[name]),
      "a function",
    );
  }
  for (const name of SWITCHES) {
    const value: unknown = resolved[name];
    check(name, value, value === undefined || typeof value === "boolean", "true or false");
  }
  checkWords(resolved);
  return { ...resolved, headers: sendableHeaders(resolved) };
}

function checkNumber(
  name: string,
  value: unknown,
  { min, whole }: { readonly min: number; readonly whole: boolean },
): void {
  const isNumber = typeof value === "number" && value >= min;
  if (isNumber && (!whole || Number.isInteger(value) || value === Infinity)) return;
  const kind = whole ? "a whole number" : "a number";
  throw new RangeError(`${misused(name, value)} is not ${kind} of at least ${min}`);
}

function checkWords({ order, hosts, extraKnownPaths, signal }: ResolvedOptions): void {
  check("order", order, order === "document" || order === "arrival", '"document" or "arrival"');
  check(
    "hosts",
    hosts,
    typeof hosts === "function" || ["any", "same-host", "same-site"].includes(hosts),
    '"any", "same-host", "same-site" or a function',
  );
  check(
    "extraKnownPaths",
    extraKnownPaths,
    Array.isArray(extraKnownPaths) && extraKnownPaths.every((path) => typeof path === "string"),
    "a list of strings",
  );
  check("signal", signal, signal === undefined || isSignal(signal), "an AbortSignal");
}

/** The given sitemaps, each once, without fragment and user info. */
function givenSitemaps(sitemaps: unknown): URL[] {
  const urls = new Map<string, URL>();
  check("sitemaps", sitemaps, Array.isArray(sitemaps), "a list of http(s) URLs");
  for (const sitemap of sitemaps as unknown[]) {
    const isText = typeof sitemap === "string" || sitemap instanceof URL;
    const parsed = isText ? URL.parse(String(sitemap)) : null;
    const isUsable = parsed !== null && isHttp(parsed) && parsed.hostname !== "";
    check("sitemaps", sitemap, isUsable, "an http(s) URL");
    const url = withoutUserInfo(parsed!);
    url.hash = "";
    if (!urls.has(url.href)) urls.set(url.href, url);
  }
  return [...urls.values()];
}

/** Headers that can be sent: others would look like a failing network. They may be an iterator. */
function sendableHeaders({ headers, userAgent }: ResolvedOptions): Headers {
  let sendable: Headers;
  try {
    sendable = new Headers(headers);
  } catch (cause) {
    throw new TypeError(`${misused("headers", headers)} cannot be sent`, { cause });
  }
  try {
    new Headers({ "user-agent": userAgent });
  } catch (cause) {
    throw new TypeError(`${misused("userAgent", userAgent)} cannot be sent`, { cause });
  }
  return sendable;
}

function check(name: string, value: unknown, fits: boolean, expected: string): void {
  if (!fits) throw new TypeError(`${misused(name, value)} is not ${expected}`);
}

function misused(name: string, value: unknown): string {
  const shown = typeof value === "string" ? JSON.stringify(value) : String(value);
  return `Cannot use option "${name}": ${shown}`;
}
