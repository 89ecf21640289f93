/**
 * How to walk, from the arguments.
 *
 * @module
 */

import type { HostsPolicy, WalkOptions } from "../../mod.ts";
import type { Arguments } from "./arguments.ts";
import { UsageError } from "./failure.ts";
import { HOSTS, type HostsName } from "./option_table.ts";
import type { SelectionOptions } from "./selection.ts";
import {
  parseChoice,
  parseHeaders,
  parseHeaderValue,
  parseHttpUrl,
  parseProxy,
  parseRegexp,
  parseSince,
  parseTime,
  parseWhole,
} from "./values.ts";

/** Which sitemaps are read. */
export type SitemapFilter = (url: string) => boolean;

/** What a walk needs to know. */
export interface WalkSettings {
  /** The site. */
  readonly homepage: URL;
  /** Options of the library that stand by themselves. */
  readonly options: WalkOptions;
  /** The hosts that may be asked. */
  readonly hosts: HostsPolicy;
  /** Which sitemaps are read; all, where there is nothing. */
  readonly wantsSitemap: SitemapFilter | undefined;
  /** The proxy to ask. */
  readonly proxy: URL | undefined;
}

/** What operands look like. */
const EXAMPLES = { URL: "https://example.com/", FILE: "sitemap.xml", SHELL: "bash" } as const;

/** The one operand that a command has. */
export function onlyOperand(args: Arguments, what: keyof typeof EXAMPLES): string {
  const [operand, ...others] = args.operands;
  if (operand === undefined) {
    throw new UsageError(
      `No ${what} given`,
      `write it as in "sitetree ${args.command} ${EXAMPLES[what]}"`,
    );
  }
  if (others.length > 0) {
    throw new UsageError(
      `One ${what} at a time, not "${args.operands.join('", "')}"`,
      "run it once for each, and quote what has spaces",
    );
  }
  return operand;
}

/** Reads the options that say how to walk. */
export function walkSettings(args: Arguments): WalkSettings {
  const homepage = parseHttpUrl(onlyOperand(args, "URL"));
  const include = regexpsOf(args, "include");
  const exclude = regexpsOf(args, "exclude");
  const given = <T>(name: string, parse: (option: string, text: string) => T): T | undefined => {
    const text = args.value(name);
    return text === undefined ? undefined : parse(name, text);
  };
  const hosts = given(
    "hosts",
    (option, text) => parseChoice(option, text, Object.keys(HOSTS) as HostsName[]),
  );
  if (args.has("no-known") && args.all("known-path").length > 0) {
    throw new UsageError(
      'Option "--known-path" does not go with "--no-known"',
      "with --no-known no path is probed",
    );
  }
  const options = {
    useRobots: !args.has("no-robots"),
    useKnownPaths: !args.has("no-known"),
    extraKnownPaths: args.all("known-path"),
    headers: parseHeaders("header", args.all("header")),
    userAgent: given("user-agent", parseHeaderValue),
    timeout: given("timeout", parsePositiveTime),
    wait: given("wait", parseTime),
    deadline: given("deadline", parseTime),
    concurrency: given("concurrency", (option, text) => parseWhole(option, text, 1)),
    maxDepth: given("max-depth", (option, text) => parseWhole(option, text, 0)),
  };
  return {
    homepage,
    options: withoutUndefined(options),
    hosts: hosts ?? "any",
    wantsSitemap: include.length + exclude.length === 0
      ? undefined
      : (url) =>
        (include.length === 0 || include.some((regexp) => regexp.test(url))) &&
        !exclude.some((regexp) => regexp.test(url)),
    proxy: given("proxy", parseProxy),
  };
}

/** Reads the options that say which pages are kept. */
export function selectionOptions(args: Arguments): SelectionOptions {
  const since = args.value("since");
  const maxPages = args.value("max-pages");
  return {
    match: regexpsOf(args, "match"),
    ignore: regexpsOf(args, "ignore"),
    since: since === undefined ? undefined : parseSince("since", since, Date.now()),
    maxPages: maxPages === undefined ? undefined : parseWhole("max-pages", maxPages, 1),
  };
}

function regexpsOf(args: Arguments, option: string): RegExp[] {
  return args.all(option).map((text) => parseRegexp(option, text));
}

function parsePositiveTime(option: string, text: string): number {
  const time = parseTime(option, text);
  if (time >= 1) return time;
  throw new UsageError(`Option "--${option}" is "${text}", not a time of at least 1ms`);
}

/** The fields that are there: the library takes an absent one for its default. */
function withoutUndefined<T extends object>(
  fields: T,
): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const given = Object.entries(fields).filter(([, value]) => value !== undefined);
  return Object.fromEntries(given) as { [K in keyof T]?: Exclude<T[K], undefined> };
}
