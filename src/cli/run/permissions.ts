/**
 * Permission of Deno to use the network. Without it, `fetch` fails like a network that is down.
 *
 * @module
 */

import { hostCheck, type HostsPolicy } from "../../http/hosts.ts";
import { type OriginMap, targetUrl } from "../../http/origin_map.ts";
import { hasPermission, hostAndPort, requestNet } from "../../platform/environment.ts";
import { Failure, permittedCommand, UsageError } from "../failure.ts";

const MAX_REFUSED = 100;

/** A host name of DNS, or an IPv6 address in brackets. */
const HOST_REGEXP = /^(?:\[.*\]|[\w-]+(?:\.[\w-]+)*\.?)$/;

/** Prompts for the permission on a terminal. */
export async function requireNet(named: URL, mapOrigin?: OriginMap): Promise<void> {
  const url = targetUrl(named, mapOrigin) ?? named;
  if (!HOST_REGEXP.test(url.hostname)) {
    throw new UsageError(`Invalid host name "${url.hostname}"`);
  }
  if (await requestNet(url)) return;
  throw new Failure(
    `Cannot reach "${url.host}": no permission to use the network`,
    `run: ${permittedCommand()}`,
  );
}

export async function permittedHosts(
  policy: HostsPolicy,
  homepage: URL,
  refused: Set<string>,
  mapOrigin?: OriginMap,
): Promise<HostsPolicy> {
  if (hasPermission({ name: "net" })) return policy;
  const allowed = await hostCheck(policy, homepage);
  return (url) => {
    if (!allowed(url)) return false;
    const target = targetUrl(url, mapOrigin) ?? url;
    if (hasPermission({ name: "net", host: hostAndPort(target) })) return true;
    if (refused.size < MAX_REFUSED) refused.add(target.hostname);
    return false;
  };
}
