/**
 * Which hosts a sitemap may be fetched from. The list of public suffixes takes 8 MB: a walk loads
 * this file only where it needs it.
 *
 * @module
 */

import { getDomain } from "tldts";
import { type HostCheck, hostCheck, hostNameOf, hostOf, sameBy } from "./host_check.ts";

/**
 * Which hosts a sitemap may be fetched from, redirect targets included.
 *
 * - `"any"`: all of them
 * - `"same-host"`: the homepage's own, port included
 * - `"same-site"`: those of the homepage's registrable domain, by the public suffix list
 * - a function: those for whose URL it returns true
 */
export type HostsPolicy = "any" | "same-host" | "same-site" | ((url: URL) => boolean);

/**
 * The policy as a question about one URL.
 *
 * What a policy function throws is the caller's own and passes through.
 *
 * @throws {TypeError} If the policy is none of those above.
 */
export function hostAllowed(policy: HostsPolicy, homepage: URL): HostCheck {
  if (typeof policy === "function") return policy;
  switch (policy) {
    case "any":
    case "same-host":
      return hostCheck(policy, homepage);
    case "same-site":
      return sameBy(siteOf, homepage);
    default:
      throw new TypeError(
        `Cannot use hosts policy "${policy}": expected "any", "same-host", "same-site" or a function`,
      );
  }
}

/**
 * The registrable domain, or the host where there is none: an IP address, a public suffix, a single
 * label. Private suffixes count too: the pages of two users of `github.io` are two sites.
 */
function siteOf(url: URL): string {
  return getDomain(hostNameOf(url), { allowPrivateDomains: true }) ?? hostOf(url);
}
