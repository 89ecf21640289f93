/**
 * What the options about walks mean, resolved once.
 *
 * @module
 */

import { hasEnvironmentProxy } from "../../platform/proxies.ts";
import { codeOf } from "../../platform/process.ts";
import {
  environmentFetch,
  insecureFetch,
  loadProxies,
  proxiedFetch,
  supportsProxy,
} from "../../platform/host_http.ts";
import { resolveWalkOptions, WALK_RULES, type WalkOptions } from "../../walk/options.ts";
import type { Arguments } from "../arguments.ts";
import { fieldName, optionsOf } from "../options.ts";
import { Failure } from "../failure.ts";

export interface WalkSettings {
  /** Options of the library that have a row with their name in the table of options. */
  readonly options: WalkOptions;
  /** Requests under way at a time, of all operands together. */
  readonly concurrency: number;
  readonly retries: number;
  /** Whether sitemaps are read only until their kind is known. */
  readonly onlyKinds: boolean;
  /** If there are any, only the pages of sitemaps that match one of these are read. */
  readonly include: readonly RegExp[];
  readonly exclude: readonly RegExp[];
  /** Sitemaps declared as older are skipped. */
  readonly prunedBefore: number | undefined;
  readonly proxy: URL | undefined;
}

const HOMEPAGE_USES = { fallback: "fallback", always: true, never: false } as const;

type HomepageUse = keyof typeof HOMEPAGE_USES;

export function walkSettings(args: Arguments): WalkSettings {
  const proxy = args.value<URL>("proxy");
  const fetch = args.has("insecure")
    ? insecureFetch
    : proxy
    ? proxiedFetch(proxy)
    : environmentFetch();
  const options: WalkOptions = {
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
  };
  const { concurrency, retries } = resolveWalkOptions(options);
  return {
    ...{ options, concurrency, retries, proxy },
    onlyKinds: args.command === "explain",
    include: args.all<RegExp>("include"),
    exclude: args.all<RegExp>("exclude"),
    prunedBefore: args.has("no-prune") ? undefined : args.value<number>("since"),
  };
}

/** Returns the options of the library that have a row with their name, by the table of their rules. */
export function fieldsOf(args: Arguments, rules: object): object {
  // that of `ls` lists them
  const names = optionsOf(args.command).map(({ name }) => name)
    .filter((name) => name !== "sitemaps" && Object.hasOwn(rules, fieldName(name)));
  return args.given(...names);
}

/** Throws a {@linkcode Failure} if there is a proxy that cannot be used. */
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

/** Returns what to do where no sitemap was found. */
export function noneAdvice(options: WalkOptions): string {
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

/** Returns which option refuses sitemaps, if one does. */
export function blockedAdvice(
  { hosts = "any", respectRobots = false }: WalkOptions,
): string | undefined {
  if (hosts !== "any") return `--hosts ${hosts} refuses other hosts`;
  return respectRobots ? "without --respect-robots, what robots.txt disallows is read" : undefined;
}
