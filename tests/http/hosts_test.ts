import { assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import {
  hostCheck,
  isPrivateHost,
  resolvesToPrivate,
  sameSiteCheck,
} from "../../src/http/hosts.ts";

/** Homepages with URLs that the policy allows and refuses, as words. */
type Rows = readonly (readonly [homepage: string, allowed: string, refused: string])[];

const ANY: Rows = [["https://a.test/", "https://b.test:8443/ http://[::1]/", ""]];

const SAME_HOST: Rows = [
  [
    "https://www.example.com/",
    `https://www.example.com/sitemap.xml https://www.example.com:443/ http://www.example.com/
    https://WWW.EXAMPLE.COM./`,
    `https://www.example.com:8443/ https://example.com/ https://a.www.example.com/
    https://www.example.com.evil.test/ https://www.example.com@evil.test/`,
  ],
  [
    "http://127.0.0.1:8000/",
    "http://127.0.0.1:8000/ http://2130706433:8000/",
    "http://127.0.0.1:8001/",
  ],
];

const SAME_SITE: Rows = [
  [
    "https://www.example.co.uk/",
    `https://cdn.example.co.uk/ https://example.co.uk:8443/ https://example.co.uk./
    https://a.b.c.example.co.uk/`,
    `https://other.co.uk/ https://co.uk/ https://example.com/ https://notexample.co.uk/
    https://example.co.uk.evil.test/`,
  ],
  // private suffixes
  [
    "https://alice.github.io/",
    "https://www.alice.github.io/",
    "https://bob.github.io/ https://github.io/",
  ],
  // unknown top-level domains
  ["https://site.test/", "https://cdn.site.test/", "https://other.test/"],
  // hosts without a registrable domain
  ["http://10.0.0.1/", "http://10.0.0.1/", "http://10.0.0.1:81/ http://20.0.0.1/"],
  ["http://[2606:4700::1]/", "http://[2606:4700:0::1]/", "http://[2606:4700::2]/"],
  [
    "http://localhost:8000/",
    "http://localhost:8000/",
    "http://localhost:9000/ http://otherhost:8000/",
  ],
  ["https://github.io/", "https://github.io/", "https://alice.github.io/"],
];

const POLICIES = { "any": ANY, "same-host": SAME_HOST, "same-site": SAME_SITE };

for (const [policy, rows] of Object.entries(POLICIES)) {
  Deno.test(`the hosts policy "${policy}" allows the hosts it names`, async () => {
    for (const [homepage, allowed, refused] of rows) {
      const url = new URL(homepage);
      const check = policy === "same-site"
        ? await sameSiteCheck(url)
        : hostCheck(policy as "any" | "same-host", url);
      const judge = (host: string) => check(new URL(host));
      await assertEach(judge, allowed, true);
      await assertEach(judge, refused, false);
    }
  });
}

Deno.test("hostCheck() returns the function of the caller", () => {
  const policy = (url: URL) => url.pathname === "/yes";
  assertStrictEquals(hostCheck(policy, new URL("https://a.test/")), policy);
});

/** Whether a host is private once the URL parser has normalized it. */
function isPrivate(host: string): boolean {
  return isPrivateHost(new URL(`http://${host}/`).hostname);
}

/** Whether a host is private because it resolves to an address. */
function resolvesPrivately(address: string): Promise<boolean> {
  return resolvesToPrivate("a.test", () => Promise.resolve([address]));
}

/** Checks a list of hosts, or words. */
async function assertEach(
  judge: (host: string) => boolean | Promise<boolean>,
  list: readonly string[] | string,
  expected: boolean,
) {
  const hosts = typeof list === "string" ? list.match(/\S+/g) ?? [] : list;
  const judged = await Promise.all(hosts.map(judge));
  assertEquals(hosts.map((host, at) => [host, judged[at]]), hosts.map((host) => [host, expected]));
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

Deno.test("isPrivateHost() and resolvesToPrivate() recognize the edges of every private IPv4 block", async () => {
  const inside = IPV4_EDGES.flatMap(([, first, last]) => [first, last]);
  const outside = IPV4_EDGES.flatMap(([before, , , after]) => [before, after]).filter(Boolean);
  for (const judge of [isPrivate, resolvesPrivately]) {
    await assertEach(judge, inside, true);
    await assertEach(judge, [...outside, "8.8.8.8", "93.184.216.34"], false);
  }
});

/** Hosts, or addresses, that are private, and others that are not, as words. */
const LISTS: Readonly<
  Record<
    string,
    readonly [typeof isPrivate | typeof resolvesPrivately, inside: string, outside: string]
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
    metadata.google.internal internal router.home.arpa`,
    `example.com intranet localhost.example.com notlocalhost mylocal local.example
    internal.example.com 127.0.0.1.example.com arpa 10.example.com`,
  ],
  "resolvesToPrivate() checks the IPv4 address in mapped and NAT64 addresses": [
    resolvesPrivately,
    "::ffff:127.0.0.1 ::ffff:a00:1 64:ff9b::192.168.1.1 64:ff9b:1::8.8.8.8 ::8.8.8.8",
    "::ffff:8.8.8.8 64:ff9b::808:808",
  ],
  "resolvesToPrivate() reads zones and capital letters": [
    resolvesPrivately,
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

Deno.test("isPrivateHost() and resolvesToPrivate() check the addresses in 6to4 and Teredo", async () => {
  const inside = [
    "2002:7f00:1::1", // 127.0.0.1
    "2002:a00:1::", // 10.0.0.1
    "2002:c0a8:101::1", // 192.168.1.1
    "2001:0:808:808:0:0:80ff:fffe", // client 127.0.0.1
    "2001:0:c0a8:101:0:0:f7f7:f7f7", // server 192.168.1.1
  ];
  const outside = ["2002:808:808::1", "2001:0:808:808:0:0:f7f7:f7f7"]; // 8.8.8.8
  await assertEach(resolvesPrivately, inside, true);
  await assertEach(resolvesPrivately, outside, false);
  await assertEach((ip) => isPrivate(`[${ip}]`), inside, true);
  await assertEach((ip) => isPrivate(`[${ip}]`), outside, false);
});

Deno.test("resolvesToPrivate() is true for text that is not an address", async () => {
  await assertEach(
    resolvesPrivately,
    ["", "example.com", "256.0.0.1", "1.2.3", "::g", "1::2::3"],
    true,
  );
});

Deno.test("isPrivateHost() is true for hosts that the URL parser would not return", async () => {
  await assertEach(isPrivateHost, ["[nonsense]", "LocalHost."], true);
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
    "8.8.8.8 10.0.0.1": true,
    "2606:4700::1 fd00::1": true,
    "2606:4700::1 8.8.8.8": false,
  };
  for (const [addresses, expected] of Object.entries(names)) {
    const { resolve } = resolver(...addresses.split(" "));
    assertEquals(await resolvesToPrivate("a.test", resolve), expected, addresses);
  }
});

Deno.test("resolvesToPrivate() does not resolve private addresses and names", async () => {
  const { asked, resolve } = resolver("8.8.8.8");
  for (const host of ["127.0.0.1", "[::1]", "app.localhost"]) {
    assertEquals(await resolvesToPrivate(host, resolve), true, host);
  }
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
