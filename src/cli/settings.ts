/**
 * Settings of a walk, of the page filter and of a document, from the arguments.
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
import { Failure, insecureHint, UsageError } from "./failure.ts";
import { optionsOf } from "./options.ts";
import type { PageFilterOptions } from "./selection.ts";

/** Settings of a walk. */
export interface WalkSettings {
  /** Options that are passed on to the library as they are. */
  readonly options: WalkOptions;
  /** Hosts that may be contacted. */
  readonly hosts: HostsPolicy;
  /** Concurrent requests of all sites together. */
  readonly concurrency: number;
  /** If there are any, only the pages of sitemaps that match one of these are read. */
  readonly include: readonly RegExp[];
  /** Sitemaps that match one of these are skipped. */
  readonly exclude: readonly RegExp[];
  /** Sitemaps declared as older are skipped, in milliseconds since 1970. */
  readonly prunedBefore: number | undefined;
  /** The proxy to use. */
  readonly proxy: URL | undefined;
}

const DEFAULT_CONCURRENCY = 4;

/** Returns the settings of a walk. */
export function walkSettings(args: Arguments): WalkSettings {
  const proxy = args.value<URL>("proxy");
  const insecure = args.has("insecure");
  if (insecure && (proxy !== undefined || hasEnvironmentProxy())) {
    throw new UsageError('Option "--insecure" does not work through a proxy', insecureHint());
  }
  const fetch = insecure ? insecureFetch : proxy ? proxiedFetch(proxy) : environmentFetch();
  const options: WalkOptions = {
    ...walkOptions(args),
    // absent otherwise: a URL that is a sitemap turns them off
    ...(args.has("no-robots") ? { useRobots: false } : {}),
    ...(args.has("no-known") ? { useKnownPaths: false } : {}),
    extraKnownPaths: args.all("known-path"),
    headers: new Headers([...args.all<[string, string]>("header")]),
    ...(fetch === undefined ? {} : { fetch }),
  };
  return {
    options,
    hosts: options.hosts ?? "any",
    concurrency: options.concurrency ?? DEFAULT_CONCURRENCY,
    include: regexpsOf(args, "include"),
    exclude: regexpsOf(args, "exclude"),
    prunedBefore: args.has("no-prune") ? undefined : args.value<number>("since"),
    proxy,
  };
}

/** Returns the options of `walk()` that have a row with their name in the table of options. */
function walkOptions(args: Arguments): WalkOptions {
  const given = optionsOf(args.command).flatMap(({ name, field }) =>
    field !== undefined && args.has(name) ? [[field, args.value<unknown>(name)]] : []
  );
  return Object.fromEntries(given);
}

/** Checks that proxies are supported, if a walk uses one. */
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

/** Returns the options that decide which pages are kept. */
export function pageFilterOptions(args: Arguments): PageFilterOptions {
  return {
    match: regexpsOf(args, "match"),
    ignore: regexpsOf(args, "ignore"),
    since: args.value<number>("since"),
    undated: args.has("undated"),
    unique: args.has("unique"),
    maxPages: args.value<number>("max-pages"),
  };
}

/** Returns the options of a document in a file. */
export function documentOptions(args: Arguments): { url?: string; maxBytes?: number } {
  const url = args.value("url"), maxBytes = args.value<number>("max-bytes");
  return {
    ...(url === undefined ? {} : { url }),
    ...(maxBytes === undefined ? {} : { maxBytes }),
  };
}

function regexpsOf(args: Arguments, option: string): readonly RegExp[] {
  const regexps = args.all<RegExp>(option);
  return args.has("ignore-case")
    ? regexps.map(({ source, flags }) => new RegExp(source, `${flags}i`))
    : regexps;
}
