import { assertEquals } from "@std/assert";
import { isPrivateAddress, isPrivateHost } from "../../src/http/hosts.ts";

/** The host as a sitemap may write it, judged as the URL parser writes it. */
function judged(host: string): boolean {
  return isPrivateHost(new URL(`http://${host}/`).hostname);
}

function assertJudges(
  judge: (host: string) => boolean,
  hosts: readonly string[],
  expected: boolean,
) {
  assertEquals(hosts.map((host) => [host, judge(host)]), hosts.map((host) => [host, expected]));
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

Deno.test("isPrivateHost() and isPrivateAddress() know the edges of every private IPv4 block", () => {
  const inside = IPV4_EDGES.flatMap(([, first, last]) => [first, last]);
  const outside = IPV4_EDGES.flatMap(([before, , , after]) => [before, after]).filter(Boolean);
  for (const judge of [judged, isPrivateAddress]) {
    assertJudges(judge, inside, true);
    assertJudges(judge, [...outside, "8.8.8.8", "93.184.216.34"], false);
  }
});

Deno.test("isPrivateHost() sees through other spellings of IPv4, as the URL parser reads them", () => {
  assertJudges(judged, [
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "017700000001",
    "0177.0.0.1",
    "127.1",
    "127.0.0.1.",
    "0",
    "%31%32%37.0.0.1",
    "１２７.0.0.1",
    "192.168.257",
    "0xa9fea9fe",
  ], true);
  assertJudges(judged, ["134744072", "0x08080808", "010.8.8.8"], false);
});

Deno.test("isPrivateHost() knows the IPv6 blocks that are no global unicast", () => {
  assertJudges(judged, [
    "[::]",
    "[::1]",
    "[0:0:0:0:0:0:0:1]",
    "[100::1]",
    "[fc00::]",
    "[fd12:3456:789a::1]",
    "[fe80::1]",
    "[febf:ffff::1]",
    "[fec0::1]",
    "[ff02::1]",
    "[ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff]",
    "[1fff::1]",
    "[4000::1]",
    "[2001:db8::1]",
    "[2001:2::1]",
    "[2001:10::1]",
    "[2001:1f::1]",
    "[3fff:fff::1]",
  ], true);
  assertJudges(judged, [
    "[2606:4700::6810:84e5]",
    "[2001:4860:4860::8888]",
    "[2001:2:1::1]",
    "[2001:f::1]",
    "[2001:20::1]",
    "[2001:db7::1]",
    "[2001:db9::1]",
    "[2a00:1450:4001:800::200e]",
    "[2000::1]",
    "[3fff:1000::1]",
    "[3ffe::1]",
  ], false);
});

Deno.test("isPrivateHost() refuses all literals that wrap IPv4 for a translator", () => {
  assertJudges(judged, [
    "[::ffff:127.0.0.1]",
    "[::ffff:7f00:1]",
    "[::ffff:8.8.8.8]",
    "[::127.0.0.1]",
    "[::8.8.8.8]",
    "[::ffff:0:8.8.8.8]",
    "[64:ff9b::10.0.0.1]",
    "[64:ff9b::8.8.8.8]",
    "[64:ff9b:1::8.8.8.8]",
    "[64:ff9b:1:ffff::1]",
  ], true);
});

Deno.test("isPrivateHost() and isPrivateAddress() look into 6to4 and Teredo", () => {
  const inside = [
    "2002:7f00:1::1", // 127.0.0.1
    "2002:a00:1::", // 10.0.0.1
    "2002:c0a8:101::1", // 192.168.1.1
    "2001:0:808:808:0:0:80ff:fffe", // client 127.0.0.1
    "2001:0:c0a8:101:0:0:f7f7:f7f7", // server 192.168.1.1
  ];
  const outside = ["2002:808:808::1", "2001:0:808:808:0:0:f7f7:f7f7"]; // 8.8.8.8
  assertJudges(isPrivateAddress, inside, true);
  assertJudges(isPrivateAddress, outside, false);
  assertJudges((ip) => judged(`[${ip}]`), inside, true);
  assertJudges((ip) => judged(`[${ip}]`), outside, false);
});

Deno.test("isPrivateAddress() judges mapped and NAT64 addresses by what they wrap", () => {
  assertJudges(isPrivateAddress, [
    "::ffff:127.0.0.1",
    "::ffff:a00:1",
    "64:ff9b::192.168.1.1",
    "64:ff9b:1::8.8.8.8",
    "::8.8.8.8",
  ], true);
  assertJudges(isPrivateAddress, ["::ffff:8.8.8.8", "64:ff9b::808:808"], false);
});

Deno.test("isPrivateAddress() reads addresses as resolvers write them", () => {
  assertJudges(isPrivateAddress, ["::1", "fe80::1%eth0", "fe80::1%25", "FD00::1"], true);
  assertJudges(isPrivateAddress, ["2606:4700::1", "2606:4700:0:0:0:0:0:1"], false);
});

Deno.test("isPrivateAddress() takes what it cannot read for private", () => {
  assertJudges(isPrivateAddress, ["", "example.com", "256.0.0.1", "1.2.3", "::g", "1::2::3"], true);
  assertEquals(isPrivateHost("[nonsense]"), true);
});

Deno.test("isPrivateHost() knows names that are never public", () => {
  assertJudges(judged, [
    "localhost",
    "LOCALHOST",
    "localhost.",
    "app.localhost",
    "a.b.localhost.",
    "printer.local",
    "metadata.google.internal",
    "internal",
    "router.home.arpa",
  ], true);
  assertEquals(isPrivateHost("LocalHost."), true);
});

Deno.test("isPrivateHost() leaves other names to the resolver", () => {
  assertJudges(judged, [
    "example.com",
    "intranet",
    "localhost.example.com",
    "notlocalhost",
    "mylocal",
    "local.example",
    "internal.example.com",
    "127.0.0.1.example.com",
    "arpa",
    "10.example.com",
  ], false);
});
