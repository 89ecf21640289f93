/**
 * The permission to use the network. Without it, `fetch` fails as if the network did, and the
 * library would try again and again.
 *
 * @module
 */

import { hostAllowed, type HostsPolicy } from "../http/hosts.ts";
import { Failure } from "./failure.ts";

function hostOf(url: URL): string {
  const port = url.port || (url.protocol === "http:" ? "80" : "443");
  return `${url.hostname}:${port}`;
}

/** Makes sure that a host may be asked, and asks whoever sits at the terminal if need be. */
export async function requireNet(url: URL): Promise<void> {
  const { state } = await Deno.permissions.request({ name: "net", host: hostOf(url) });
  if (state === "granted") return;
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
    const host = hostOf(url);
    if (Deno.permissions.querySync({ name: "net", host }).state === "granted") return true;
    refused.add(url.hostname);
    return false;
  };
}
