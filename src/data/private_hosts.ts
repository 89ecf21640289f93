/**
 * Hosts on private networks, by their address or name.
 *
 * Private is every address that is not globally reachable unicast by the IANA special-purpose
 * address registries (RFC 6890).
 *
 * @module
 */

/** Zones without public names (RFC 6761, 6762, 8375; ICANN for `internal`; routers for `lan`). */
const PRIVATE_ZONES = ["localhost", "local", "home.arpa", "internal", "lan"];

/** An IP address, or the prefix of a block: a digit for each bit. */
type Bits = string;

const PRIVATE_IPV4 = blocks(ipv4Bits, [
  "0.0.0.0/8", // this network, RFC 791
  "10.0.0.0/8", // RFC 1918
  "100.64.0.0/10", // carrier-grade NAT, RFC 6598
  "127.0.0.0/8", // loopback
  "169.254.0.0/16", // link-local, and the metadata services of clouds
  "172.16.0.0/12", // RFC 1918
  "192.0.0.0/24", // protocol assignments, RFC 6890
  "192.0.2.0/24", // documentation, RFC 5737
  "192.168.0.0/16", // RFC 1918
  "198.18.0.0/15", // benchmarking, RFC 2544
  "198.51.100.0/24", // documentation
  "203.0.113.0/24", // documentation
  "224.0.0.0/4", // multicast
  "240.0.0.0/4", // reserved, with the broadcast address
]);

const PRIVATE_IPV6 = blocks(ipv6Bits, [
  // Only 2000::/3 is global unicast (RFC 4291 §2.4). Outside of it are ::, ::1, IPv4-compatible
  // ::/96, local NAT64 64:ff9b:1::/48, fc00::/7, fe80::/10, fec0::/10 and ff00::/8.
  "::/3",
  "4000::/2",
  "8000::/1",
  "2001:2::/48", // benchmarking, RFC 5180
  "2001:10::/28", // ORCHID
  "2001:db8::/32", // documentation
  "3fff::/20", // documentation, RFC 9637
]);

const [IPV4_MAPPED, NAT64, TEREDO, SIX_TO_FOUR] = blocks(ipv6Bits, [
  "::ffff:0:0/96",
  "64:ff9b::/96", // RFC 6052
  "2001::/32", // RFC 4380
  "2002::/16", // RFC 3056
]) as [Bits, Bits, Bits, Bits];

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
  if (host.startsWith("[")) return isPrivateIpv6(ipv6Bits(host.slice(1, -1)));
  const address = ipv4Bits(host);
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
export function isPrivateAddress(ip: string): boolean {
  const address = ipv4Bits(ip);
  if (address !== undefined) return isPrivateIpv4(address);
  const bits = ipv6Bits(ip.replace(/%.*$/s, ""));
  const isTranslated = bits?.startsWith(IPV4_MAPPED) || bits?.startsWith(NAT64);
  return isTranslated ? isPrivateIpv4(bits!.slice(96)) : isPrivateIpv6(bits);
}

function isPrivateIpv4(address: Bits): boolean {
  return PRIVATE_IPV4.some((block) => address.startsWith(block));
}

function isPrivateIpv6(address: Bits | undefined): boolean {
  if (address === undefined) return true;
  if (PRIVATE_IPV6.some((block) => address.startsWith(block))) return true;
  if (address.startsWith(SIX_TO_FOUR)) return isPrivateIpv4(address.slice(16, 48));
  if (!address.startsWith(TEREDO)) return false;
  // RFC 4380 §4: the server, and the client with all bits inverted
  const client = address.slice(96).replace(/./g, (bit) => bit === "0" ? "1" : "0");
  return isPrivateIpv4(address.slice(32, 64)) || isPrivateIpv4(client);
}

function ipv4Bits(text: string): Bits | undefined {
  const octets = /^(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(text)?.slice(1).map(Number);
  return octets?.every((octet) => octet < 256) ? bitsOf(octets, 8) : undefined;
}

/** Reads the groups as the URL parser writes them. */
function ipv6Bits(text: string): Bits | undefined {
  const canonical = URL.parse(`http://[${text}]/`)?.hostname.slice(1, -1);
  if (canonical === undefined) return undefined;
  const written = canonical.split(":").filter(Boolean).length;
  const full = canonical.replace("::", `:${"0:".repeat(8 - written)}`);
  return bitsOf(full.split(":").filter(Boolean).map((group) => parseInt(group, 16)), 16);
}

function bitsOf(numbers: readonly number[], width: number): Bits {
  return numbers.map((number) => number.toString(2).padStart(width, "0")).join("");
}

function blocks(read: (text: string) => Bits | undefined, list: readonly string[]): Bits[] {
  return list.map((block) => {
    const [address = "", length] = block.split("/");
    return read(address)!.slice(0, Number(length));
  });
}
