/**
 * Hosts: which ones a policy allows, and which ones are on a private network.
 *
 * Private is every address that is not globally reachable unicast by the IANA special-purpose
 * address registries (RFC 6890).
 *
 * @module
 */

import { lookUp } from "../platform/environment.ts";

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

export function hostCheck(policy: Exclude<HostsPolicy, "same-site">, homepage: URL): HostCheck {
  if (typeof policy === "function") return policy;
  return policy === "any" ? () => true : sameBy(hostOf, homepage);
}

/** Loads the public suffix list, which is large. */
export async function sameSiteCheck(homepage: URL): Promise<HostCheck> {
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

const IPV4_REGEXP = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/;

/** IPv4 blocks as [first address, prefix length]. */
const PRIVATE_IPV4_BLOCKS: readonly (readonly [number, number])[] = ([
  ["0.0.0.0", 8], // this network, RFC 791
  ["10.0.0.0", 8], // RFC 1918
  ["100.64.0.0", 10], // carrier-grade NAT, RFC 6598
  ["127.0.0.0", 8], // loopback
  ["169.254.0.0", 16], // link-local, and the metadata services of clouds
  ["172.16.0.0", 12], // RFC 1918
  ["192.0.0.0", 24], // protocol assignments, RFC 6890
  ["192.0.2.0", 24], // documentation, RFC 5737
  ["192.168.0.0", 16], // RFC 1918
  ["198.18.0.0", 15], // benchmarking, RFC 2544
  ["198.51.100.0", 24], // documentation
  ["203.0.113.0", 24], // documentation
  ["224.0.0.0", 4], // multicast
  ["240.0.0.0", 4], // reserved, with the broadcast address
] as const).map(([address, length]) => [readIpv4(address) as number, length]);

/** Zones without public names (RFC 6761, 6762, 8375, and ICANN for the last). */
const PRIVATE_ZONES = ["localhost", "local", "home.arpa", "internal"];

/**
 * Whether a host, as in `URL.hostname`, is a private IP address or a name in a private zone.
 *
 * The URL parser has already turned the decimal, octal and hex spellings of IPv4 into dotted ones.
 * IPv6 literals that wrap an IPv4 address for a translator (IPv4-mapped, IPv4-compatible, NAT64)
 * are private: no public site uses them, and where they lead depends on the local network.
 *
 * Other names of a single label (`intranet`) are not: some top-level domains have addresses.
 */
export function isPrivateHost(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/\.$/, "");
  if (host.startsWith("[")) {
    const groups = readIpv6(host.slice(1, -1));
    return groups === undefined || isTranslated(groups) || isPrivateIpv6(groups);
  }
  const address = readIpv4(host);
  if (address !== undefined) return isPrivateIpv4(address);
  return PRIVATE_ZONES.some((zone) => host === zone || host.endsWith(`.${zone}`));
}

/**
 * Whether an IP address, as returned by a resolver (no brackets, perhaps with a zone:
 * `fe80::1%eth0`), is private. Text that is not an IP address counts as private.
 *
 * IPv4-mapped and NAT64 addresses count as the IPv4 address that they wrap: in a network with DNS64
 * every IPv4 host resolves to a NAT64 address.
 */
function isPrivateAddress(ip: string): boolean {
  const address = readIpv4(ip);
  if (address !== undefined) return isPrivateIpv4(address);
  const groups = readIpv6(ip.replace(/%.*$/s, ""));
  if (groups === undefined) return true;
  return isTranslated(groups) ? isPrivateIpv4(pair(groups, 6)) : isPrivateIpv6(groups);
}

function readIpv4(text: string): number | undefined {
  const octets = IPV4_REGEXP.exec(text)?.slice(1).map(Number);
  if (octets === undefined || octets.some((octet) => octet > 255)) return undefined;
  return octets.reduce((address, octet) => address * 256 + octet);
}

function isPrivateIpv4(address: number): boolean {
  return PRIVATE_IPV4_BLOCKS.some(([first, length]) =>
    address >= first && address < first + 2 ** (32 - length)
  );
}

/** Returns the eight groups of an IPv6 address, as the URL parser expands it. */
function readIpv6(text: string): readonly number[] | undefined {
  const canonical = URL.parse(`http://[${text}]/`)?.hostname.slice(1, -1);
  if (canonical === undefined) return undefined;
  const [head, tail] = canonical.split("::").map((half) =>
    half === "" ? [] : half.split(":").map((group) => parseInt(group, 16))
  ) as [number[], number[]?];
  if (tail === undefined) return head;
  return [...head, ...new Array<number>(8 - head.length - tail.length).fill(0), ...tail];
}

/** Returns two groups as one IPv4 address. */
function pair(groups: readonly number[], at: number): number {
  return (groups[at] as number) * 0x10000 + (groups[at + 1] as number);
}

/** Whether an address is IPv4-mapped (::ffff:0:0/96) or NAT64 (64:ff9b::/96, RFC 6052). */
function isTranslated(groups: readonly number[]): boolean {
  const prefix = groups.slice(0, 6).map((group) => group.toString(16)).join(":");
  return prefix === "0:0:0:0:0:ffff" || prefix === "64:ff9b:0:0:0:0";
}

function isPrivateIpv6(groups: readonly number[]): boolean {
  const [first, second] = groups as [number, number];
  // Only 2000::/3 is global unicast (RFC 4291 §2.4). Outside of it are ::, ::1, IPv4-compatible
  // ::/96, local NAT64 64:ff9b:1::/48, fc00::/7, fe80::/10, fec0::/10 and ff00::/8.
  if (first >> 13 !== 1) return true;
  if (first === 0x2002) return isPrivateIpv4(pair(groups, 1)); // 6to4, RFC 3056
  if (first === 0x3fff) return second < 0x1000; // documentation 3fff::/20, RFC 9637
  if (first !== 0x2001) return false;
  if (second === 0) {
    // Teredo, RFC 4380 §4: the server, and the client with all bits inverted
    return isPrivateIpv4(pair(groups, 2)) || isPrivateIpv4(0xffffffff - pair(groups, 6));
  }
  // benchmarking 2001:2::/48 (RFC 5180), ORCHID 2001:10::/28, documentation 2001:db8::/32
  return (second === 2 && groups[2] === 0) || second >> 4 === 1 || second === 0xdb8;
}

export type Resolve = (hostname: string) => Promise<readonly string[]>;

/** Codes and names of errors for a resolver that is missing or must not be used. */
const NO_RESOLVER: readonly unknown[] = [
  ...["EPERM", "EACCES", "ERR_ACCESS_DENIED", "NotCapable"],
  // of `lookUp()`, and of workerd
  ...["NoResolverError", "ERR_METHOD_NOT_IMPLEMENTED"],
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
    if (addresses.length === 0) throw Object.assign(new Error("No address"), { code: "ENODATA" });
    return addresses.some(isPrivateAddress);
  } catch (error) {
    const { code, name } = error as { code?: unknown; name?: unknown };
    if (NO_RESOLVER.includes(code) || NO_RESOLVER.includes(name)) return false;
    throw error;
  }
}
