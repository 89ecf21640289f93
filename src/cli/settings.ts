/**
 * Values of options.
 *
 * @module
 */

import type { HostsPolicy, WalkOptions } from "../../mod.ts";
import { DAY, HOUR, MINUTE } from "../data/calendar.ts";
import { parseDate } from "../data/date.ts";
import { hasEnvironmentProxy } from "../platform/environment.ts";
import { codeOf } from "../platform/host.ts";
import {
  environmentFetch,
  insecureFetch,
  loadProxies,
  proxiedFetch,
  supportsProxy,
} from "../platform/host_http.ts";
import { type Arguments, nearest } from "./arguments.ts";
import { Failure, UsageError } from "./failure.ts";
import { HOSTS, type HostsName, ORDERS } from "./options.ts";
import { insecureHint } from "./permissions.ts";
import type { PageFilterOptions } from "./selection.ts";

const TIME_REGEXP = /^(\d+(?:\.\d+)?|\.\d+)\s*(ms|s|m|h|d)$/i;
const TIME_UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: MINUTE, h: HOUR, d: DAY };

const SIZE_REGEXP = /^(\d+(?:\.\d+)?|\.\d+)\s*(?:([kmg])(i?)b?|b)?$/i;
const SIZE_POWERS: Readonly<Record<string, number>> = { k: 1, m: 2, g: 3 };

/** `6m` would be minutes to some and months to others, so it is neither. */
const AGO_REGEXP = /^(\d+(?:\.\d+)?)\s*([hdw])$/i;
const AGO_UNITS: Readonly<Record<string, number>> = { h: HOUR, d: DAY, w: 7 * DAY };
const MONTHS_AGO_REGEXP = /^(\d{1,4})\s*(mo|y)$/i;
const DAYS_AGO: Readonly<Record<string, number>> = { today: 0, yesterday: 1 };

const HEADER_REGEXP = /^([^\s:]+)\s*:(.*)$/s;

/** Returns the error for a value that an option cannot have. */
export function invalidValue(option: string, text: string, expected: string): UsageError {
  return new UsageError(`Invalid value "${text}" for "--${option}": expected ${expected}`);
}

/** Returns the milliseconds of a duration such as `500ms`, `10s`, `2m`, `1.5h` or `7d`. */
export function parseTime(option: string, text: string): number {
  const match = TIME_REGEXP.exec(text);
  if (match !== null) return Number(match[1]) * TIME_UNITS[match[2]!.toLowerCase()]!;
  throw invalidValue(option, text, "a duration with its unit, such as 500ms, 10s or 2m");
}

/** Returns the bytes of a size such as `500000`, `500KB` or `10MiB`. */
export function parseSize(option: string, text: string): number {
  const match = SIZE_REGEXP.exec(text);
  const power = SIZE_POWERS[match?.[2]?.toLowerCase() ?? ""] ?? 0;
  const bytes = Math.floor(Number(match?.[1]) * (match?.[3] ? 1024 : 1000) ** power);
  if (bytes >= 1 && Number.isSafeInteger(bytes)) return bytes;
  throw invalidValue(option, text, "a size such as 500KB, 10MB or 10MiB");
}

/** Returns a whole number of at least `min`. */
export function parseWhole(option: string, text: string, min: number): number {
  const number = /^\d[\d_]*$/.test(text) ? Number(text.replaceAll("_", "")) : NaN;
  if (number >= min && Number.isSafeInteger(number)) return number;
  throw invalidValue(option, text, `a whole number of at least ${min}`);
}

/** Returns one of the words that an option may have. */
export function parseChoice<T extends string>(
  option: string,
  text: string,
  choices: readonly T[],
): T {
  const choice = choices.find((word) => word === text);
  if (choice !== undefined) return choice;
  const similar = nearest(text, choices);
  const question = similar === undefined ? "" : `; did you mean "${similar}"?`;
  throw invalidValue(option, text, `one of ${choices.join(", ")}${question}`);
}

/**
 * Returns a regular expression as JavaScript has them. One with escapes that need not be, such as
 * `a\-b`, is accepted as well.
 */
export function parseRegexp(option: string, text: string, ignoreCase: boolean): RegExp {
  const flags = ignoreCase ? "i" : "";
  try {
    return new RegExp(text, `${flags}u`);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  try {
    return new RegExp(text, flags);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const reason = error.message.replace(/^.*: /s, "");
    throw new UsageError(
      `Invalid value "${text}" for "--${option}": ${reason}`,
      "it is a regular expression: special characters need a backslash",
    );
  }
}

/**
 * Returns the milliseconds since 1970 of a date such as `2024-05-01` or `yesterday` (in UTC), or of
 * a time ago such as `12h`, `7d`, `2w`, `3mo` or `1y`.
 */
export function parseSince(option: string, text: string, now: number): number {
  const time = parseDate(text);
  if (!Number.isNaN(time)) return time;
  const days = DAYS_AGO[text.toLowerCase()];
  if (days !== undefined) return new Date(now - days * DAY).setUTCHours(0, 0, 0, 0);
  const ago = AGO_REGEXP.exec(text);
  if (ago !== null) return now - Number(ago[1]) * AGO_UNITS[ago[2]!.toLowerCase()]!;
  const [, count, unit = ""] = MONTHS_AGO_REGEXP.exec(text) ?? [];
  if (count !== undefined) {
    return monthsBefore(now, Number(count) * (unit.toLowerCase() === "y" ? 12 : 1));
  }
  throw invalidValue(option, text, "a date such as 2024-05-01, yesterday, 12h, 7d, 2w, 3mo or 1y");
}

/** Returns the same day some months before; the last one of a shorter month. */
function monthsBefore(now: number, months: number): number {
  const date = new Date(now);
  const day = date.getUTCDate();
  date.setUTCMonth(date.getUTCMonth() - months);
  return date.getUTCDate() === day ? date.getTime() : date.setUTCDate(0);
}

/** Returns the headers of lines such as `Accept-Language: de`. */
export function parseHeaders(option: string, lines: readonly string[]): Headers {
  const headers = new Headers();
  for (const line of lines) {
    const match = HEADER_REGEXP.exec(line);
    try {
      headers.append(match?.[1] ?? "", match?.[2]?.trim() ?? "");
    } catch (error) {
      if (!(error instanceof TypeError)) throw error;
      throw invalidValue(option, line, 'a header such as "Accept-Language: de"');
    }
  }
  return headers;
}

/** Returns a text that can be the value of a header. */
export function parseHeaderValue(option: string, text: string): string {
  try {
    return new Headers([["x", text]]).get("x")!;
  } catch (error) {
    if (!(error instanceof TypeError)) throw error;
    throw invalidValue(option, text, "one line of Latin characters");
  }
}

/** Returns an http(s) URL. */
export function parseHttpUrl(option: string, text: string): URL {
  const url = URL.parse(text);
  if (url !== null && /^https?:$/.test(url.protocol) && url.hostname !== "") return url;
  throw invalidValue(option, text, 'an http(s) URL such as "https://example.com/"');
}

/** Returns the URL of a proxy. */
export function parseProxy(option: string, text: string): URL {
  const url = URL.parse(text);
  if (url !== null && /^(?:https?|socks5h?):$/.test(url.protocol) && url.host !== "") return url;
  throw invalidValue(option, text, "the URL of a proxy such as http://localhost:8080");
}

// MERGED: Settings of a walk, from the arguments.

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
