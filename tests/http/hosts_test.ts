import { assertEquals, assertRejects, assertStrictEquals } from "@std/assert";
import { hostCheck, type HostsPolicy, resolvesToPrivate } from "../../src/http/hosts.ts";
import { assertEach } from "../support/judged.ts";

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
      const check = await hostCheck(policy as HostsPolicy, url);
      const judge = (host: string) => check(new URL(host));
      await assertEach(judge, allowed, true);
      await assertEach(judge, refused, false);
    }
  });
}

Deno.test("hostCheck() returns the function of the caller", async () => {
  const policy = (url: URL) => url.pathname === "/yes";
  assertStrictEquals(await hostCheck(policy, new URL("https://a.test/")), policy);
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
