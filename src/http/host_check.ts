/**
 * Which hosts a sitemap may be fetched from, as far as the names alone tell.
 *
 * @module
 */

/** Whether a URL may be asked for, by its host. */
export type HostCheck = (url: URL) => boolean;

/** A policy that names alone decide: all hosts, the homepage's own, or what a function says. */
export type SimpleHostsPolicy = "any" | "same-host" | HostCheck;

/** The policy as a question about one URL. What a policy function throws passes through. */
export function hostCheck(policy: SimpleHostsPolicy, homepage: URL): HostCheck {
  if (typeof policy === "function") return policy;
  return policy === "any" ? () => true : sameBy(hostOf, homepage);
}

/** Whether a URL has what the homepage has. */
export function sameBy(key: (url: URL) => string, homepage: URL): HostCheck {
  const expected = key(homepage);
  return (url) => key(url) === expected;
}

/** Name and port. */
export function hostOf(url: URL): string {
  return `${hostNameOf(url)}:${url.port}`;
}

/** The name. A trailing dot only says that it is complete. */
export function hostNameOf(url: URL): string {
  return url.hostname.replace(/\.$/, "");
}
