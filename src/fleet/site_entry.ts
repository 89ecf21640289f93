/**
 * Sites as they are given: a homepage, perhaps with options of its walk.
 *
 * @module
 */

import { checkNames } from "../data/option_rules.ts";
import { withoutPassword, withoutUserInfo } from "../data/url.ts";
import { basicAuthorization } from "../http/headers.ts";
import { parseHomepage, resolveOptions, type WalkOptions } from "../walk/options.ts";
import { FleetError } from "./errors.ts";

/** Options of the walk of one site: all but functions and those of the fleet. */
export type SiteOptions = Omit<
  WalkOptions,
  | "fetch"
  | "includeCallback"
  | "includePage"
  | "normalizeHomepageUrl"
  | "onRequest"
  | "order"
  | "recurseCallback"
  | "recurseListCallback"
  | "signal"
>;

const SITE_OPTIONS: Readonly<Record<keyof SiteOptions, true>> = {
  allowPrivateNetwork: true,
  concurrency: true,
  deadline: true,
  extraKnownPaths: true,
  headers: true,
  hosts: true,
  maxAttributes: true,
  maxBytes: true,
  maxDepth: true,
  maxElementDepth: true,
  maxEntries: true,
  maxPages: true,
  maxRedirects: true,
  maxRequestTime: true,
  maxRetryDelay: true,
  maxRobotsBytes: true,
  maxSitemaps: true,
  maxValueLength: true,
  maxWait: true,
  randomWait: true,
  respectRobots: true,
  retries: true,
  retryDelay: true,
  sitemaps: true,
  timeout: true,
  useKnownPaths: true,
  useRobots: true,
  userAgent: true,
  wait: true,
};

/** Site to add to a run, with options of its walk. */
export interface SiteEntry extends SiteOptions {
  /** Any http(s) URL of the site. */
  readonly url: string;
}

/** A site as a row. */
export interface SiteRow {
  readonly homepage: string;
  readonly host: string;
  readonly authority: string;
  /** JSON; `null` without options. */
  readonly options: string | null;
}

/**
 * Returns a site as a row.
 *
 * @throws {FleetError} if its URL or an option is invalid
 */
export function parseSite(site: string | SiteEntry): SiteRow {
  const { url: address, ...options } = typeof site === "string" ? { url: site } : site;
  try {
    const { url } = parseHomepage(address, true);
    const given = { ...options, ...credentialsOf(url, options) };
    checkOptions(given);
    return {
      homepage: withoutUserInfo(url).href,
      host: url.hostname,
      authority: url.host,
      options: Object.keys(given).length === 0 ? null : JSON.stringify(given),
    };
  } catch (cause) {
    if (!(cause instanceof TypeError || cause instanceof RangeError)) throw cause;
    const reason = cause.message.startsWith("Cannot walk") ? "expected http(s)" : cause.message;
    throw new FleetError("invalid-input", `Invalid site "${withoutPassword(address)}": ${reason}`, {
      cause,
    });
  }
}

/** Returns user info of a homepage as headers, since homepages are shown. */
function credentialsOf(url: URL, { headers }: SiteOptions): SiteOptions {
  if (url.username === "" && url.password === "") return {};
  const all = new Headers(headers);
  all.set("authorization", basicAuthorization(url));
  return { headers: Object.fromEntries(all) };
}

function checkOptions(options: SiteOptions): void {
  checkNames(SITE_OPTIONS, options);
  resolveOptions(options);
}
