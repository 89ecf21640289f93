/**
 * Finding out whether a public-looking name leads into a private network.
 *
 * @module
 */

import { isPrivateAddress, isPrivateHost } from "./private_address.ts";

/** Options of {@linkcode resolvesToPrivate}. */
export interface ResolveOptions {
  /** Gives all addresses of a name. Default: the resolver of the system, as `fetch` uses it. */
  readonly resolve?: (hostname: string) => Promise<readonly string[]>;
}

/**
 * Whether a host, as `URL.hostname` gives it, is private or resolves to a private address, be it
 * only one of several: which of them a connection takes is not ours to choose.
 *
 * Between this answer and the connection the name may come to resolve to something else (DNS
 * rebinding); nothing that only sees `fetch` can prevent that.
 */
export async function resolvesToPrivate(
  hostname: string,
  options: ResolveOptions = {},
): Promise<boolean> {
  if (isPrivateHost(hostname)) return true;
  const { resolve = resolveBySystem } = options;
  let addresses: readonly string[];
  try {
    addresses = await resolve(hostname.replace(/^\[(.*)\]$/, "$1"));
  } catch {
    // A name that does not resolve, or that we have no permission to resolve, leads nowhere we
    // know of: the request will fail for the same reason, or a proxy will make it by its own rules.
    return false;
  }
  return addresses.some(isPrivateAddress);
}

async function resolveBySystem(hostname: string): Promise<readonly string[]> {
  // most walks stay on the homepage's own host, and have nothing to resolve
  const { lookup } = await import("node:dns/promises");
  const found = await lookup(hostname, { all: true });
  return found.map(({ address }) => address);
}
