import { assert, assertEquals } from "@std/assert";
import { isPrivateAddress, isPrivateHost } from "../../src/data/private_hosts.ts";
import fc from "../support/fast_check.ts";
import { assertEach } from "../support/judged.ts";

/** Whether a host is private once the URL parser has normalized it. */
function isPrivate(host: string): boolean {
  return isPrivateHost(new URL(`http://${host}/`).hostname);
}

/** First and last address of each private block, and the neighbours on both sides. */
const IPV4_EDGES: readonly (readonly [string, string, string, string])[] = [
  ["", "0.0.0.0", "0.255.255.255", "1.0.0.0"],
  ["9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0"],
  ["100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0"],
  ["126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0"],
  ["169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0"],
  ["172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0"],
  ["191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0"],
  ["192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0"],
  ["192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0"],
  ["198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0"],
  ["198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0"],
  ["203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0"],
  ["223.255.255.255", "224.0.0.0", "239.255.255.255", ""],
  ["", "240.0.0.0", "255.255.255.255", ""],
];

Deno.test("isPrivateHost() and isPrivateAddress() recognize the edges of every private IPv4 block", async () => {
  const inside = IPV4_EDGES.flatMap(([, first, last]) => [first, last]);
  const outside = IPV4_EDGES.flatMap(([before, , , after]) => [before, after]).filter(Boolean);
  for (const judge of [isPrivate, isPrivateAddress]) {
    await assertEach(judge, inside, true);
    await assertEach(judge, [...outside, "8.8.8.8", "93.184.216.34"], false);
  }
});

/** Hosts, or addresses, that are private, and others that are not, as words. */
const LISTS: Readonly<
  Record<
    string,
    readonly [typeof isPrivate, inside: string, outside: string]
  >
> = {
  "isPrivateHost() recognizes other spellings of IPv4, normalized by the URL parser": [
    isPrivate,
    `2130706433 0x7f000001 0x7f.1 017700000001 0177.0.0.1 127.1 127.0.0.1. 0 %31%32%37.0.0.1
    １２７.0.0.1 127。0。0。1 192.168.257 0xa9fea9fe`,
    "134744072 0x08080808 010.8.8.8",
  ],
  "isPrivateHost() recognizes the IPv6 blocks that are not global unicast": [
    isPrivate,
    `[::] [::1] [0:0:0:0:0:0:0:1] [100::1] [fc00::] [fd12:3456:789a::1] [fe80::1]
    [febf:ffff::1] [fec0::1] [ff02::1] [ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff] [1fff::1]
    [4000::1] [2001:db8::1] [2001:2::1] [2001:10::1] [2001:1f::1] [3fff:fff::1]`,
    `[2606:4700::6810:84e5] [2001:4860:4860::8888] [2001:2:1::1] [2001:f::1] [2001:20::1]
    [2001:db7::1] [2001:db9::1] [2a00:1450:4001:800::200e] [2000::1] [3fff:1000::1] [3ffe::1]`,
  ],
  "isPrivateHost() is true for literals that wrap IPv4 for a translator": [
    isPrivate,
    `[::ffff:127.0.0.1] [::ffff:7f00:1] [::ffff:8.8.8.8] [::127.0.0.1] [::8.8.8.8]
    [::ffff:0:8.8.8.8] [64:ff9b::10.0.0.1] [64:ff9b::8.8.8.8] [64:ff9b:1::8.8.8.8]
    [64:ff9b:1:ffff::1]`,
    "",
  ],
  "isPrivateHost() is true for names in private zones, and for no others": [
    isPrivate,
    `localhost LOCALHOST localhost. app.localhost a.b.localhost. printer.local
    metadata.google.internal internal router.home.arpa nas.lan`,
    `example.com intranet localhost.example.com notlocalhost mylocal local.example
    internal.example.com lan.example.com 127.0.0.1.example.com arpa 10.example.com`,
  ],
  "isPrivateAddress() checks the IPv4 address in mapped and NAT64 addresses": [
    isPrivateAddress,
    "::ffff:127.0.0.1 ::ffff:a00:1 64:ff9b::192.168.1.1 64:ff9b:1::8.8.8.8 ::8.8.8.8",
    "::ffff:8.8.8.8 64:ff9b::808:808",
  ],
  "isPrivateAddress() reads zones and capital letters": [
    isPrivateAddress,
    "::1 fe80::1%eth0 fe80::1%25 FD00::1",
    "2606:4700::1 2606:4700:0:0:0:0:0:1",
  ],
};

for (const [name, [judge, inside, outside]] of Object.entries(LISTS)) {
  Deno.test(name, async () => {
    await assertEach(judge, inside, true);
    await assertEach(judge, outside, false);
  });
}

Deno.test("isPrivateHost() and isPrivateAddress() check the addresses in 6to4 and Teredo", async () => {
  const inside = [
    "2002:7f00:1::1", // 127.0.0.1
    "2002:a00:1::", // 10.0.0.1
    "2002:c0a8:101::1", // 192.168.1.1
    "2001:0:808:808:0:0:80ff:fffe", // client 127.0.0.1
    "2001:0:c0a8:101:0:0:f7f7:f7f7", // server 192.168.1.1
  ];
  const outside = ["2002:808:808::1", "2001:0:808:808:0:0:f7f7:f7f7"]; // 8.8.8.8
  await assertEach(isPrivateAddress, inside, true);
  await assertEach(isPrivateAddress, outside, false);
  await assertEach((ip) => isPrivate(`[${ip}]`), inside, true);
  await assertEach((ip) => isPrivate(`[${ip}]`), outside, false);
});

Deno.test("isPrivateAddress() is true for text that is not an address", async () => {
  await assertEach(
    isPrivateAddress,
    ["", "example.com", "256.0.0.1", "1.2.3", "::g", "1::2::3"],
    true,
  );
});

Deno.test("isPrivateHost() is true for hosts that the URL parser would not return", async () => {
  await assertEach(isPrivateHost, ["[nonsense]", "LocalHost."], true);
});

/** Blocks of the registries that are not global unicast, with those that wrap IPv4 addresses. */
const REGISTRY: readonly (readonly [first: bigint, length: number])[] = [
  [0n, 3],
  [0x4000n << 112n, 2],
  [0x8000n << 112n, 1],
  [0x20010002n << 96n, 48],
  [0x20010010n << 96n, 28],
  [0x20010db8n << 96n, 32],
  [0x3fff0000n << 96n, 20],
];

/** The blocks of IPv4, by their octets. */
function isPrivateV4([a, b, c]: readonly number[]): boolean {
  const [first, second, third] = [a!, b!, c!];
  if (first === 0 || first === 10 || first === 127 || first >= 224) return true;
  if (first === 100) return second >= 64 && second < 128;
  if (first === 169) return second === 254;
  if (first === 172) return second >= 16 && second < 32;
  if (first === 192) return second === 168 || second === 0 && (third === 0 || third === 2);
  if (first === 198) return second === 18 || second === 19 || second === 51 && third === 100;
  return first === 203 && second === 0 && third === 113;
}

function octetsOf(value: bigint): number[] {
  return [24n, 16n, 8n, 0n].map((shift) => Number(value >> shift & 0xffn));
}

function isPrivateV6(value: bigint): boolean {
  const inBlock = ([first, length]: readonly [bigint, number]) => {
    const shift = BigInt(128 - length);
    return value >> shift === first >> shift;
  };
  if (REGISTRY.some(inBlock)) return true;
  if (value >> 112n === 0x2002n) return isPrivateV4(octetsOf(value >> 80n));
  if (value >> 96n !== 0x20010000n) return false;
  return isPrivateV4(octetsOf(value >> 64n)) || isPrivateV4(octetsOf(~value));
}

const OCTETS = fc.oneof(
  fc.array(fc.nat(255), { minLength: 4, maxLength: 4 }),
  fc.tuple(
    fc.constantFrom(
      ...["100.64", "100.127", "100.128", "169.254", "172.15", "172.16", "172.31", "172.32"],
      ...["192.0", "192.168", "198.17", "198.18", "198.51", "203.0"],
    ),
    fc.constantFrom(0, 1, 2, 100, 113, 255),
    fc.nat(255),
  ).map(([start, third, last]) => [...start.split(".").map(Number), third, last]),
);
const GROUP = fc.oneof(fc.constantFrom(0, 1, 0xffff), fc.nat(0xffff));
/** Beginnings of the blocks above and of those beside them. */
const STARTS = fc.constantFrom(
  ...["", "0:0:0:0:0:0", "0:0:0:0:0:ffff", "0:0:0:0:ffff:0", "64:ff9b:0:0:0:0", "64:ff9b:1"],
  ...["1fff", "2001:0", "2001:2:0", "2001:2:1", "2001:f", "2001:10", "2001:1f", "2001:20"],
  ...["2001:db7", "2001:db8", "2001:db9", "2002", "2606:4700", "2a00", "3ffe", "3fff:fff"],
  ...["3fff:1000", "4000", "5f00", "8000", "fc00", "fdff", "fe80", "febf", "fec0", "ff02"],
);
const GROUPS = fc.tuple(STARTS, fc.array(GROUP, { minLength: 8, maxLength: 8 }), OCTETS)
  .map(([start, groups, [a, b, c, d]]) => {
    const known = start === "" ? [] : start.split(":").map((group) => parseInt(group, 16));
    const wrapped = [a! * 256 + b!, c! * 256 + d!];
    if (known[0] === 0x2002) return [...known, ...wrapped, ...groups].slice(0, 8);
    if (start !== "2001:0") return [...known, ...groups.slice(0, 6 - known.length), ...wrapped];
    return [
      ...known,
      ...wrapped,
      ...groups.slice(0, 2),
      ...wrapped.map((group) => ~group & 0xffff),
    ];
  }).map((groups) => groups.slice(0, 8));
const ZONE = fc.constantFrom("", "", "%eth0", "%25");

Deno.test("isPrivateHost() and isPrivateAddress() agree with the registries about 10,000 addresses", () => {
  const counts = { true: 0, false: 0 };
  fc.assert(
    fc.property(OCTETS, (octets) => {
      const ip = octets.join("."), expected = isPrivateV4(octets);
      assertEquals([isPrivate(ip), isPrivateAddress(ip)], [expected, expected]);
      counts[`${expected}`]++;
    }),
    { numRuns: 4000 },
  );
  fc.assert(
    fc.property(GROUPS, ZONE, (groups, zone) => {
      const ip = groups.map((group) => group.toString(16)).join(":");
      const value = groups.reduce((sum, group) => sum << 16n | BigInt(group), 0n);
      const isTranslated = value >> 32n === 0xffffn || value >> 32n === 0x64ff9bn << 64n;
      assertEquals(isPrivate(`[${ip}]`), isPrivateV6(value));
      const expected = isTranslated ? isPrivateV4(octetsOf(value)) : isPrivateV6(value);
      assertEquals(isPrivateAddress(ip + zone), expected);
      counts[`${expected}`]++;
    }),
    { numRuns: 6000 },
  );
  assert(Math.min(counts.true, counts.false) > 2000, "both kinds were tried");
});
