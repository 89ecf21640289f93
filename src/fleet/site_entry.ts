/**
 * Sites as they are given, a homepage, perhaps with options of its walk, and as the tables have them.
 *
 * @module
 */

import { checkNames } from "../data/option_rules.ts";
import { isStorable } from "../data/text.ts";
import { withoutPassword, withoutUserInfo } from "../data/url.ts";
import { basicAuthorization } from "../http/headers.ts";
import {
  parseHomepage,
  resolveWalkOptions,
  WALK_RULES,
  type WalkOptions,
} from "../walk/options.ts";
import { FleetError } from "./errors.ts";

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

/** Throws a `FleetError` if the URL or an option is invalid, or if `use` says so. */
export function checkSite<T>(
  { url: address, ...options }: SiteEntry,
  use: (site: CheckedSite) => T,
): T {
  try {
    const { url } = parseHomepage(address, true);
    if (url.hostname.length > MAX_HOST_LENGTH) throw new RangeError("the host name is too long");
    checkNames(SITE_OPTIONS, options);
    resolveWalkOptions(options);
    return use({ url, options });
  } catch (cause) {
    if (!(cause instanceof TypeError || cause instanceof RangeError)) throw cause;
    const reason = cause.message.startsWith("Cannot walk") ? "expected http(s)" : cause.message;
    const message = `Invalid site "${withoutPassword(address)}": ${reason}`;
    throw new FleetError("invalid-input", message, { cause });
  }
}

export interface EnteredSite {
  readonly homepage: string;
  readonly host: string;
  readonly authority: string;
  /** JSON; `null` without options. */
  readonly options: string | null;
}

export function parseSite(site: string | SiteEntry): EnteredSite {
  return checkSite(typeof site === "string" ? { url: site } : site, ({ url, options }) => {
    const given = { ...options, ...headersOf(url, new Headers(options.headers)) };
    return {
      homepage: withoutUserInfo(url).href,
      host: url.hostname,
      authority: url.host,
      options: Object.keys(given).length === 0 ? null : JSON.stringify(given, toJson),
    };
  });
}

const INFINITY = "Infinity";

function toJson(name: string, value: unknown): unknown {
  if (typeof value === "function") throw new TypeError(`Cannot use option "${name}": a function`);
  if (typeof value === "string" && !isStorable(value)) {
    throw new TypeError(`Cannot use option ${JSON.stringify(value)}: no database stores it`);
  }
  return value === Infinity ? INFINITY : value;
}

export function storedOptions(options: SiteOptions | null): SiteOptions {
  return Object.fromEntries(
    Object.entries(options ?? {}).map(([name, value]) => [
      name,
      value === INFINITY ? Infinity : value,
    ]),
  );
}

/** Returns headers as JSON can carry them, with the user info of a homepage, since that is shown. */
function headersOf(url: URL, headers: Headers): SiteOptions {
  if (url.username !== "" || url.password !== "") {
    headers.set("authorization", basicAuthorization(url));
  }
  const all = Object.fromEntries(headers);
  return Object.keys(all).length === 0 ? {} : { headers: all };
}
