import { assertEquals, assertStrictEquals, assertThrows } from "@std/assert";
import { hostAllowed, type HostsPolicy } from "../../src/http/hosts.ts";

function assertAllows(
  policy: HostsPolicy,
  homepage: string,
  urls: Readonly<Record<string, boolean>>,
): void {
  const allowed = hostAllowed(policy, new URL(homepage));
  const actual = Object.keys(urls).map((url) => [url, allowed(new URL(url))]);
  assertEquals(actual, Object.entries(urls));
}

Deno.test('hostAllowed() with "any" allows every host', () => {
  assertAllows("any", "https://a.test/", { "https://b.test:8443/": true, "http://[::1]/": true });
});

Deno.test('hostAllowed() with "same-host" compares host and port', () => {
  assertAllows("same-host", "https://www.example.com/", {
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
  assertAllows("same-host", "http://127.0.0.1:8000/", {
    "http://127.0.0.1:8000/": true,
    "http://2130706433:8000/": true,
    "http://127.0.0.1:8001/": false,
  });
});

Deno.test('hostAllowed() with "same-site" compares registrable domains', () => {
  assertAllows("same-site", "https://www.example.co.uk/", {
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

Deno.test('hostAllowed() with "same-site" minds private suffixes', () => {
  assertAllows("same-site", "https://alice.github.io/", {
    "https://www.alice.github.io/": true,
    "https://bob.github.io/": false,
    "https://github.io/": false,
  });
});

Deno.test('hostAllowed() with "same-site" reads names under unknown top-level domains', () => {
  assertAllows("same-site", "https://site.test/", {
    "https://cdn.site.test/": true,
    "https://other.test/": false,
  });
});

Deno.test('hostAllowed() with "same-site" compares hosts that have no registrable domain', () => {
  assertAllows("same-site", "http://10.0.0.1/", {
    "http://10.0.0.1/": true,
    "http://10.0.0.1:81/": false,
    "http://20.0.0.1/": false,
  });
  assertAllows("same-site", "http://[2606:4700::1]/", {
    "http://[2606:4700:0::1]/": true,
    "http://[2606:4700::2]/": false,
  });
  assertAllows("same-site", "http://localhost:8000/", {
    "http://localhost:8000/": true,
    "http://localhost:9000/": false,
    "http://otherhost:8000/": false,
  });
  assertAllows("same-site", "https://github.io/", {
    "https://github.io/": true,
    "https://alice.github.io/": false,
  });
});

Deno.test("hostAllowed() asks the caller's function, and lets what it throws pass", () => {
  const policy = (url: URL) => url.pathname === "/yes";
  assertAllows(policy, "https://a.test/", {
    "https://b.test/yes": true,
    "https://a.test/no": false,
  });
  const error = new Error("mine");
  const allowed = hostAllowed(() => {
    throw error;
  }, new URL("https://a.test/"));
  const thrown: unknown = assertThrows(() => allowed(new URL("https://a.test/")));
  assertStrictEquals(thrown, error);
});

Deno.test("hostAllowed() refuses a policy nobody knows", () => {
  assertThrows(
    () => hostAllowed("same-planet" as HostsPolicy, new URL("https://a.test/")),
    TypeError,
    'Cannot use hosts policy "same-planet"',
  );
});
