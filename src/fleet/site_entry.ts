import { isStorable } from "../data/text.ts";
import { withoutUserInfo } from "../data/url.ts";
import { basicAuthorization } from "../http/headers.ts";
import { checkSite, type SiteEntry, type SiteOptions } from "../sync/site_entry.ts";
import { FleetError } from "./errors.ts";

export interface SiteRow {
  readonly homepage: string;
  readonly host: string;
  readonly authority: string;
  /** JSON; `null` without options. */
  readonly options: string | null;
}

/** Throws a `FleetError` if the URL or an option is invalid. */
export function parseSite(site: string | SiteEntry): SiteRow {
  try {
    return checkSite(typeof site === "string" ? { url: site } : site, ({ url, options }) => {
      const given = { ...options, ...headersOf(url, new Headers(options.headers)) };
      return {
        homepage: withoutUserInfo(url).href,
        host: url.hostname,
        authority: url.host,
        options: Object.keys(given).length === 0 ? null : JSON.stringify(given, toJson),
      };
    });
  } catch (cause) {
    if (!(cause instanceof TypeError)) throw cause;
    throw new FleetError("invalid-input", cause.message, { cause });
  }
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
