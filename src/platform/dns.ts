/**
 * The resolver of the system.
 *
 * @module
 */

import { builtin } from "./builtin.ts";
import { hasPermission } from "./environment.ts";

/** Names cannot be resolved here. */
export class NoResolverError extends Error {
  override readonly name = "NoResolverError";
}

/**
 * Returns all addresses of a name, as `fetch` finds them.
 *
 * @throws {NoResolverError} If the runtime has no resolver, as in browsers, or if using it would
 * prompt for a permission.
 */
export async function lookUp(hostname: string): Promise<readonly string[]> {
  const dns = builtin("node:dns/promises");
  if (dns === undefined || !hasPermission({ name: "net", host: hostname })) {
    throw new NoResolverError();
  }
  const found = await dns.lookup(hostname, { all: true });
  return found.map(({ address }) => address);
}
