/**
 * Sites as they are given: a homepage, perhaps with options of its walk.
 *
 * @module
 */

import { checkNames } from "../data/option_rules.ts";
import { withoutPassword } from "../data/url.ts";
import { parseHomepage, resolveOptions, WALK_RULES, type WalkOptions } from "../walk/options.ts";

/** Site with options of its walk: all but functions, and those of many sites. */
export interface SiteEntry extends
  Omit<
    WalkOptions,
    | "fetch"
    | "includeCallback"
    | "includePage"
    | "maxEntries"
    | "normalizeHomepageUrl"
    | "notes"
    | "onRequest"
    | "recurseCallback"
    | "recurseListCallback"
    | "signal"
  > {
  /** Any http(s) URL of the site. */
  readonly url: string;
}

export type SiteOptions = Omit<SiteEntry, "url">;

/** Options of a walk that are not those of a site. */
const OTHERS: Readonly<Record<Exclude<keyof WalkOptions, keyof SiteOptions>, true>> = {
  fetch: true,
  includeCallback: true,
  includePage: true,
  maxEntries: true,
  normalizeHomepageUrl: true,
  notes: true,
  onRequest: true,
  recurseCallback: true,
  recurseListCallback: true,
  signal: true,
};

const SITE_OPTIONS: Readonly<Record<string, unknown>> = Object.fromEntries(
  Object.entries(WALK_RULES).filter(([name]) => !Object.hasOwn(OTHERS, name)),
);

const MAX_HOST_LENGTH = 253;

interface CheckedSite {
  /** Its homepage, perhaps with user info. */
  readonly url: URL;
  readonly options: SiteOptions;
}

/** Reports an error of `use` as a fault of the site, too. */
export function checkSite<T>(
  { url: address, ...options }: SiteEntry,
  use: (site: CheckedSite) => T,
): T {
  try {
    const { url } = parseHomepage(address, true);
    if (url.hostname.length > MAX_HOST_LENGTH) throw new RangeError("the host name is too long");
    checkNames(SITE_OPTIONS, options);
    resolveOptions(options);
    return use({ url, options });
  } catch (cause) {
    if (!(cause instanceof TypeError || cause instanceof RangeError)) throw cause;
    const reason = cause.message.startsWith("Cannot walk") ? "expected http(s)" : cause.message;
    throw new TypeError(`Invalid site "${withoutPassword(address)}": ${reason}`, { cause });
  }
}
