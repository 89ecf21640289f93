/**
 * Finding out whether a public-looking name leads into a private network.
 *
 * @module
 */

import { lookUp } from "../platform/dns.ts";
import { isPrivateAddress, isPrivateHost } from "./private_address.ts";

/** Options of {@linkcode resolvesToPrivate}. */
export interface ResolveOptions {
  /** Gives all addresses of a name. Default: the resolver of the system, as `fetch` uses it. */
  readonly resolve?: (hostname: string) => Promise<readonly string[]>;
}

/** Codes and names of errors that mean that we may not or cannot resolve names here. */
const NO_RESOLVER: readonly string[] = [
  ...["EPERM", "EACCES", "ERR_ACCESS_DENIED", "NotCapable"],
  // of platform/dns.ts, and of workerd
  ...["NoResolverError", "ERR_METHOD_NOT_IMPLEMENTED"],
];

/**
 * Whether a host, as `URL.hostname` gives it, is private or resolves to a private address, be it
 * only one of several: which of them a connection takes is not ours to choose. Rejects if it does not
 * resolve; false without a resolver, as in browsers, or the permission to use it: then only private
 * addresses and names are recognized.
 *
 * Between this answer and the connection the name may come to resolve to something else (DNS
 * rebinding); nothing that only sees `fetch` can prevent that.
 */
export async function resolvesToPrivate(
  hostname: string,
  options: ResolveOptions = {},
): Promise<boolean> {
  if (isPrivateHost(hostname)) return true;
  const { resolve = lookUp } = options;
  try {
    const addresses = await resolve(hostname.replace(/^\[(.*)\]$/, "$1"));
    if (addresses.length === 0) throw new NoAddressError();
    return addresses.some(isPrivateAddress);
  } catch (error) {
    const { code, name } = error as { code?: unknown; name?: unknown };
    if (NO_RESOLVER.includes(String(code)) || NO_RESOLVER.includes(String(name))) return false;
    throw error;
  }
}

/** A name without any address. */
class NoAddressError extends Error {
  readonly code = "ENODATA";
}
