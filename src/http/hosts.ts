/**
 * Hosts: which ones the runtime and a policy allow, and which ones resolve to a private network.
 *
 * @module
 */

import { isPrivateAddress, isPrivateHost } from "../data/private_hosts.ts";
import { withoutUserInfo } from "../data/url.ts";
import { lookUp, permissionError, requestNet } from "../platform/environment.ts";
import { type OriginMap, targetUrl } from "./origin_map.ts";

/**
 * Hosts that sitemaps may be fetched from, redirect targets included.
 *
 * - `"any"`: all of them
 * - `"same-host"`: that of the homepage, port included
 * - `"same-site"`: those of the homepage's registrable domain, by the public suffix list
 * - a function: those for whose URL it returns true
 */
export type HostsPolicy = "any" | "same-host" | "same-site" | ((url: URL) => boolean);

export type HostCheck = (url: URL) => boolean;

/** Prompts on a terminal for the permission: without it, every request would fail. */
export async function requireNet(homepage: URL, origins: OriginMap | undefined): Promise<void> {
  const url = targetUrl(homepage, origins) ?? homepage;
  if (await requestNet(url)) return;
  const { href } = withoutUserInfo(url);
  throw permissionError(
    `Cannot walk "${href}": no permission to contact the host; run Deno with --allow-net`,
  );
}

/** Loads the public suffix list, which is large, for `"same-site"`. */
export async function hostCheck(policy: HostsPolicy, homepage: URL): Promise<HostCheck> {
  if (typeof policy === "function") return policy;
  if (policy === "any") return () => true;
  if (policy === "same-host") return sameBy(hostOf, homepage);
  const { getDomain } = await import("tldts");
  // private suffixes count: the pages of two users of `github.io` are two sites
  const options = { allowPrivateDomains: true };
  // an IP address, a public suffix and a single label have no registrable domain
  return sameBy((url) => getDomain(hostNameOf(url), options) ?? hostOf(url), homepage);
}

export function hostNameOf(url: URL): string {
  return url.hostname.replace(/\.$/, "");
}

function hostOf(url: URL): string {
  return `${hostNameOf(url)}:${url.port}`;
}

function sameBy(key: (url: URL) => string, homepage: URL): HostCheck {
  const expected = key(homepage);
  return (url) => key(url) === expected;
}

export type Resolve = typeof lookUp;

/** Codes and names of errors for a resolver that is missing or must not be used. */
const NO_RESOLVER: readonly unknown[] = [
  ...["EPERM", "EACCES", "ERR_ACCESS_DENIED", "NotCapable"],
  // of workerd
  "ERR_METHOD_NOT_IMPLEMENTED",
];

/**
 * Whether a host, as in `URL.hostname`, is private or has a private address among others; which of
 * them a connection uses is up to `fetch`. False if names cannot be resolved, as in browsers: only
 * private addresses and names are recognized then. Rejects if the name does not resolve.
 *
 * The name may resolve to another address when `fetch` connects (DNS rebinding), which code that
 * only calls `fetch` cannot prevent.
 */
export async function resolvesToPrivate(
  hostname: string,
  resolve: Resolve = lookUp,
): Promise<boolean> {
  if (isPrivateHost(hostname)) return true;
  try {
    const addresses = await resolve(hostname.replace(/^\[(.*)\]$/, "$1"));
    if (addresses?.length === 0) throw Object.assign(new Error("No address"), { code: "ENODATA" });
    return addresses?.some(isPrivateAddress) ?? false;
  } catch (error) {
    const { code, name } = error as { code?: unknown; name?: unknown };
    if (NO_RESOLVER.includes(code) || NO_RESOLVER.includes(name)) return false;
    throw error;
  }
}
