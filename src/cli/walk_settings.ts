/**
 * Settings of a walk, from the arguments.
 *
 * @module
 */

import type { HostsPolicy, WalkOptions } from "../../mod.ts";
import { hasEnvironmentProxy } from "../platform/environment.ts";
import { codeOf } from "../platform/host.ts";
import {
  environmentFetch,
  insecureFetch,
  loadProxies,
  proxiedFetch,
  supportsProxy,
} from "../platform/host_http.ts";
import type { Arguments } from "./arguments.ts";
import { Failure, UsageError } from "./failure.ts";
import { insecureHint } from "./permissions.ts";
import { HOSTS, type HostsName, ORDERS } from "./option_table.ts";
import type { PageFilterOptions } from "./selection.ts";
import {
  invalidValue,
  parseChoice,
  parseHeaders,
  parseHeaderValue,
  parseHttpUrl,
  parseProxy,
  parseRegexp,
  parseSince,
  parseSize,
  parseTime,
  parseWhole,
} from "./values.ts";

/** Settings of a walk. */
export interface WalkSettings {
  /** Options that are passed on to the library as they are. */
  readonly options: WalkOptions;
  /** Hosts that may be contacted. */
  readonly hosts: HostsPolicy;
  /** Requests at once, of all sites together. */
  readonly concurrency: number;
  /** Pages are read of sitemaps that match one of these; of all if there is none. */
  readonly include: readonly RegExp[];
  /** Sitemaps that match one of these are skipped. */
  readonly exclude: readonly RegExp[];
  /** Sitemaps declared as older are skipped, in milliseconds since 1970. */
  readonly prunedBefore: number | undefined;
  /** The proxy to use. */
  readonly proxy: URL | undefined;
}

const DEFAULT_CONCURRENCY = 4;

/** Reads the options that say how to walk. */
export function walkSettings(args: Arguments): WalkSettings {
  const given = <T>(name: string, parse: (option: string, text: string) => T): T | undefined => {
    const text = args.value(name);
    return text === undefined ? undefined : parse(name, text);
  };
  const whole = (name: string, min: number): number | undefined =>
    given(name, (option, text) => parseWhole(option, text, min));
  const concurrency = whole("concurrency", 1) ?? DEFAULT_CONCURRENCY;
  const proxy = given("proxy", parseProxy);
  const insecure = args.has("insecure");
  if (insecure && (proxy !== undefined || hasEnvironmentProxy())) {
    throw new UsageError(
      'Option "--insecure" does not work through a proxy',
      insecureHint(),
    );
  }
  const { since } = pageFilterOptions(args);
  const options = {
    // absent, not true: a URL that is a sitemap switches them off
    useRobots: args.has("no-robots") ? false : undefined,
    useKnownPaths: args.has("no-known") ? false : undefined,
    extraKnownPaths: args.all("known-path"),
    headers: parseHeaders("header", args.all("header")),
    userAgent: given("user-agent", parseHeaderValue),
    timeout: given("timeout", parsePositiveTime),
    wait: given("wait", parseTime),
    randomWait: args.has("random-wait"),
    deadline: given("deadline", parseTime),
    retries: whole("retries", 0),
    concurrency,
    order: given(
      "order",
      (option, text) => parseChoice(option, text, Object.keys(ORDERS) as (keyof typeof ORDERS)[]),
    ),
    respectRobots: args.has("respect-robots"),
    maxDepth: whole("max-depth", 0),
    maxSitemaps: whole("max-sitemaps", 1),
    maxBytes: given("max-bytes", parseSize),
    fetch: insecure ? insecureFetch : proxy ? proxiedFetch(proxy) : environmentFetch(),
  };
  return {
    options: withoutUndefined(options),
    hosts: given(
      "hosts",
      (option, text) => parseChoice(option, text, Object.keys(HOSTS) as HostsName[]),
    ) ?? "any",
    concurrency,
    include: regexpsOf(args, "include"),
    exclude: regexpsOf(args, "exclude"),
    prunedBefore: args.has("no-prune") ? undefined : since,
    proxy,
  };
}

/** Checks that requests through a proxy are possible, where a walk needs them. */
export async function requireProxies({ proxy }: WalkSettings): Promise<void> {
  if (proxy === undefined && !hasEnvironmentProxy()) return;
  if (proxy !== undefined && !supportsProxy(proxy)) {
    throw new Failure(
      "Cannot use a SOCKS proxy: Bun has no support for it",
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

/** Reads the options that say which pages are kept. */
export function pageFilterOptions(args: Arguments): PageFilterOptions {
  const since = args.value("since");
  const maxPages = args.value("max-pages");
  return {
    match: regexpsOf(args, "match"),
    ignore: regexpsOf(args, "ignore"),
    since: since === undefined ? undefined : parseSince("since", since, Date.now()),
    undated: args.has("undated"),
    unique: args.has("unique"),
    maxPages: maxPages === undefined ? undefined : parseWhole("max-pages", maxPages, 1),
  };
}

/** Reads the options of a document that comes from a file. */
export function documentOptions(args: Arguments): { url?: string; maxBytes?: number } {
  const url = args.value("url"), maxBytes = args.value("max-bytes");
  return {
    ...(url === undefined ? {} : { url: parseHttpUrl("url", url).href }),
    ...(maxBytes === undefined ? {} : { maxBytes: parseSize("max-bytes", maxBytes) }),
  };
}

function regexpsOf(args: Arguments, option: string): RegExp[] {
  return args.all(option).map((text) => parseRegexp(option, text, args.has("ignore-case")));
}

function parsePositiveTime(option: string, text: string): number {
  const time = parseTime(option, text);
  if (time >= 1) return time;
  throw invalidValue(option, text, "a duration of at least 1ms");
}

/** Drops absent fields, for which the library has defaults. */
function withoutUndefined<T extends object>(
  fields: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
