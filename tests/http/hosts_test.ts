import { assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import {
  hostCheck,
  type HostsPolicy,
  isPrivateAddress,
  isPrivateHost,
  resolvesToPrivate,
  sameSiteCheck,
} from "../../src/http/hosts.ts";

async function assertAllows(
  policy: HostsPolicy,
  homepage: string,
  urls: Readonly<Record<string, boolean>>,
): Promise<void> {
  const allowed = policy === "same-site"
    ? await sameSiteCheck(new URL(homepage))
    : hostCheck(policy, new URL(homepage));
  const actual = Object.keys(urls).map((url) => [url, allowed(new URL(url))]);
  assertEquals(actual, Object.entries(urls));
}

Deno.test('hostCheck() with "any" allows every host', async () => {
  await assertAllows("any", "https://a.test/", {
    "https://b.test:8443/": true,
    "http://[::1]/": true,
  });
});

Deno.test('hostCheck() with "same-host" compares host and port', async () => {
  await assertAllows("same-host", "https://www.example.com/", {
    "https://www.example.com/sitemap.xml": true,
    "https://www.example.com:443/": true,
    "http://www.example.com/": true,
    "https://WWW.EXAMPLE.COM./": true,
    "https://www.example.com:8443/": false,
    "https://example.com/": false,
    "https://a.www.example.com/": false,
    "https://www.example.com.evil.test/": false,
    "https://www.example.com@evil.test/": false,
  });
  await assertAllows("same-host", "http://127.0.0.1:8000/", {
    "http://127.0.0.1:8000/": true,
    "http://2130706433:8000/": true,
    "http://127.0.0.1:8001/": false,
  });
});

Deno.test("sameSiteCheck() compares registrable domains", async () => {
  await assertAllows("same-site", "https://www.example.co.uk/", {
    "https://cdn.example.co.uk/": true,
    "https://example.co.uk:8443/": true,
    "https://example.co.uk./": true,
    "https://a.b.c.example.co.uk/": true,
    "https://other.co.uk/": false,
    "https://co.uk/": false,
    "https://example.com/": false,
    "https://notexample.co.uk/": false,
    "https://example.co.uk.evil.test/": false,
  });
});

Deno.test("sameSiteCheck() respects private suffixes", async () => {
  await assertAllows("same-site", "https://alice.github.io/", {
    "https://www.alice.github.io/": true,
    "https://bob.github.io/": false,
    "https://github.io/": false,
  });
});

Deno.test("sameSiteCheck() reads names under unknown top-level domains", async () => {
  await assertAllows("same-site", "https://site.test/", {
    "https://cdn.site.test/": true,
    "https://other.test/": false,
  });
});

Deno.test("sameSiteCheck() compares hosts that have no registrable domain", async () => {
  await assertAllows("same-site", "http://10.0.0.1/", {
    "http://10.0.0.1/": true,
    "http://10.0.0.1:81/": false,
    "http://20.0.0.1/": false,
  });
  await assertAllows("same-site", "http://[2606:4700::1]/", {
    "http://[2606:4700:0::1]/": true,
    "http://[2606:4700::2]/": false,
  });
  await assertAllows("same-site", "http://localhost:8000/", {
    "http://localhost:8000/": true,
    "http://localhost:9000/": false,
    "http://otherhost:8000/": false,
  });
  await assertAllows("same-site", "https://github.io/", {
    "https://github.io/": true,
    "https://alice.github.io/": false,
  });
});

Deno.test("hostCheck() returns the function of the caller", () => {
  const policy = (url: URL) => url.pathname === "/yes";
  assertStrictEquals(hostCheck(policy, new URL("https://a.test/")), policy);
});

/** Whether a host is private once the URL parser has normalized it. */
function isPrivate(host: string): boolean {
  return isPrivateHost(new URL(`http://${host}/`).hostname);
}

function assertEach(
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

Deno.test("isPrivateHost() and isPrivateAddress() recognize the edges of every private IPv4 block", () => {
  const inside = IPV4_EDGES.flatMap(([, first, last]) => [first, last]);
  const outside = IPV4_EDGES.flatMap(([before, , , after]) => [before, after]).filter(Boolean);
  for (const judge of [isPrivate, isPrivateAddress]) {
    assertEach(judge, inside, true);
    assertEach(judge, [...outside, "8.8.8.8", "93.184.216.34"], false);
  }
});

Deno.test("isPrivateHost() recognizes other spellings of IPv4, normalized by the URL parser", () => {
  assertEach(isPrivate, [
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
  assertEach(isPrivate, ["134744072", "0x08080808", "010.8.8.8"], false);
});

Deno.test("isPrivateHost() recognizes the IPv6 blocks that are not global unicast", () => {
  assertEach(isPrivate, [
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
  assertEach(isPrivate, [
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

Deno.test("isPrivateHost() is true for literals that wrap IPv4 for a translator", () => {
  assertEach(isPrivate, [
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

Deno.test("isPrivateHost() and isPrivateAddress() check the addresses in 6to4 and Teredo", () => {
  const inside = [
    "2002:7f00:1::1", // 127.0.0.1
    "2002:a00:1::", // 10.0.0.1
    "2002:c0a8:101::1", // 192.168.1.1
    "2001:0:808:808:0:0:80ff:fffe", // client 127.0.0.1
    "2001:0:c0a8:101:0:0:f7f7:f7f7", // server 192.168.1.1
  ];
  const outside = ["2002:808:808::1", "2001:0:808:808:0:0:f7f7:f7f7"]; // 8.8.8.8
  assertEach(isPrivateAddress, inside, true);
  assertEach(isPrivateAddress, outside, false);
  assertEach((ip) => isPrivate(`[${ip}]`), inside, true);
  assertEach((ip) => isPrivate(`[${ip}]`), outside, false);
});

Deno.test("isPrivateAddress() checks the IPv4 address in mapped and NAT64 addresses", () => {
  assertEach(isPrivateAddress, [
    "::ffff:127.0.0.1",
    "::ffff:a00:1",
    "64:ff9b::192.168.1.1",
    "64:ff9b:1::8.8.8.8",
    "::8.8.8.8",
  ], true);
  assertEach(isPrivateAddress, ["::ffff:8.8.8.8", "64:ff9b::808:808"], false);
});

Deno.test("isPrivateAddress() reads zones and capital letters", () => {
  assertEach(isPrivateAddress, ["::1", "fe80::1%eth0", "fe80::1%25", "FD00::1"], true);
  assertEach(isPrivateAddress, ["2606:4700::1", "2606:4700:0:0:0:0:0:1"], false);
});

Deno.test("isPrivateAddress() is true for text that is not an address", () => {
  assertEach(isPrivateAddress, ["", "example.com", "256.0.0.1", "1.2.3", "::g", "1::2::3"], true);
  assertEquals(isPrivateHost("[nonsense]"), true);
});

Deno.test("isPrivateHost() is true for names in private zones", () => {
  assertEach(isPrivate, [
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

Deno.test("isPrivateHost() is false for other names", () => {
  assertEach(isPrivate, [
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

/** Returns a resolver with one answer, which records the names it resolves. */
function resolver(...addresses: string[]) {
  const asked: string[] = [];
  return {
    asked,
    resolve(hostname: string): Promise<string[]> {
      asked.push(hostname);
      return Promise.resolve(addresses);
    },
  };
}

Deno.test("resolvesToPrivate() is true if any address is private", async () => {
  const names = {
    "127.0.0.1": true,
    "8.8.8.8": false,
    "8.8.8.8 10.0.0.1": true,
    "2606:4700::1 fd00::1": true,
    "2606:4700::1 8.8.8.8": false,
    "64:ff9b::808:808": false,
    "64:ff9b::a00:1": true,
  };
  for (const [addresses, expected] of Object.entries(names)) {
    const { resolve } = resolver(...addresses.split(" "));
    assertEquals([addresses, await resolvesToPrivate("a.test", resolve)], [
      addresses,
      expected,
    ]);
  }
});

Deno.test("resolvesToPrivate() does not resolve private addresses and names", async () => {
  const { asked, resolve } = resolver("8.8.8.8");
  assertEquals(await resolvesToPrivate("127.0.0.1", resolve), true);
  assertEquals(await resolvesToPrivate("[::1]", resolve), true);
  assertEquals(await resolvesToPrivate("app.localhost", resolve), true);
  assertEquals(asked, []);
});

Deno.test("resolvesToPrivate() resolves IPv6 addresses without brackets", async () => {
  const { asked, resolve } = resolver("2606:4700::1");
  assertEquals(await resolvesToPrivate("[2606:4700::1]", resolve), false);
  assertEquals(await resolvesToPrivate("a.test", resolve), false);
  assertEquals(asked, ["2606:4700::1", "a.test"]);
});

Deno.test("resolvesToPrivate() is false if names must not be resolved", async () => {
  const denied = Object.assign(new Error("getaddrinfo EPERM"), { code: "EPERM" });
  const resolve = () => Promise.reject(denied);
  assertEquals(await resolvesToPrivate("a.test", resolve), false);
});

Deno.test("resolvesToPrivate() rejects if a name does not resolve", async () => {
  const failure = Object.assign(new Error("getaddrinfo EAI_AGAIN"), { code: "EAI_AGAIN" });
  await assertRejects(
    () => resolvesToPrivate("a.test", () => Promise.reject(failure)),
    Error,
    "EAI_AGAIN",
  );
  await assertRejects(() => resolvesToPrivate("a.test", () => Promise.resolve([])));
});

Deno.test("resolvesToPrivate() uses the resolver of the system", async () => {
  // none of these needs the network: addresses, one in a spelling that only the resolver reads, and
  // a name with an empty label
  assertEquals(await resolvesToPrivate("8.8.8.8"), false);
  assertEquals(await resolvesToPrivate("[2606:4700::1]"), false);
  assertEquals(await resolvesToPrivate("2130706433"), true);
  await assertRejects(() => resolvesToPrivate("a..b"), Error, "ENOTFOUND");
});
