/**
 * The permission to use the network. Without it, `fetch` fails as if the network did, and the
 * library would try again and again.
 *
 * @module
 */

import { hostAllowed, type HostsPolicy } from "../http/hosts.ts";
import { Failure, UsageError } from "./failure.ts";

/** Hosts without permission that are remembered. */
const MAX_REFUSED = 100;

function hostOf(url: URL): string {
  const port = url.port || (url.protocol === "http:" ? "80" : "443");
  return `${url.hostname}:${port}`;
}

/** Makes sure that a host may be asked, and asks whoever sits at the terminal if need be. */
export async function requireNet(url: URL): Promise<void> {
  if (await requestState(url) === "granted") return;
  throw new Failure(
    `Cannot reach "${url.host}": Deno has no permission`,
    `run it with --allow-net, or with --allow-net=${url.hostname}`,
  );
}

/**
 * A policy that refuses hosts without permission too, and remembers them; the policy itself where
 * all of the network is allowed.
 */
export function permittedHosts(
  policy: HostsPolicy,
  homepage: URL,
  refused: Set<string>,
): HostsPolicy {
  if (Deno.permissions.querySync({ name: "net" }).state === "granted") return policy;
  const allowed = hostAllowed(policy, homepage);
  return (url) => {
    if (!allowed(url)) return false;
    if (isGranted(url)) return true;
    if (refused.size < MAX_REFUSED) refused.add(url.hostname);
    return false;
  };
}

async function requestState(url: URL): Promise<Deno.PermissionState> {
  try {
    return (await Deno.permissions.request({ name: "net", host: hostOf(url) })).state;
  } catch (error) {
    if (!(error instanceof URIError)) throw error;
    throw new UsageError(`Invalid host name "${url.hostname}"`, "check how it is spelt");
  }
}

function isGranted(url: URL): boolean {
  try {
    return Deno.permissions.querySync({ name: "net", host: hostOf(url) }).state === "granted";
  } catch (error) {
    // No permission covers a name that no host can have, such as `a..b`: the request will fail.
    if (error instanceof URIError) return true;
    throw error;
  }
}
