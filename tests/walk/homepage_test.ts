import { assertEquals, assertRejects, assertStrictEquals, assertThrows } from "@std/assert";
import { pages, sitemapTreeForHomepage, walk } from "../../mod.ts";
import { withoutUserInfo } from "../../src/data/url.ts";
import { parseHomepage } from "../../src/walk/options.ts";

Deno.test("parseHomepage() reduces a URL to its origin or folder", () => {
  const homepages: readonly (readonly [string, string, string])[] = [
    ["https://a.test", "https://a.test/", "https://a.test/"],
    ["https://a.test/x", "https://a.test/", "https://a.test/x/"],
    ["https://a.test/x/y///?q#f", "https://a.test/", "https://a.test/x/y/"],
    ["HTTP://A.test:80/?x", "http://a.test/", "http://a.test/"],
    ["  https://a.test/  ", "https://a.test/", "https://a.test/"],
    ["https://ann:pw@a.test/x", "https://ann:pw@a.test/", "https://ann:pw@a.test/x/"],
    ["https://ü.test/", "https://xn--tda.test/", "https://xn--tda.test/"],
  ];
  for (const [homepage, origin, folder] of homepages) {
    assertEquals(parseHomepage(homepage, true).url.href, origin);
    assertEquals(parseHomepage(homepage, false).url.href, folder);
    const url = new URL(homepage);
    const { href } = url;
    assertEquals(parseHomepage(url, true).url.href, origin);
    assertEquals(url.href, href, "it is not changed");
  }
});

Deno.test("parseHomepage() takes linear time for many slashes", () => {
  const path = `${"/".repeat(200_000)}x`;
  assertEquals(parseHomepage(`https://a.test${path}//`, false).url.pathname, `${path}/`);
});

const UNWALKABLE = ["", "/path", "ftp://a.test/", "file:///x", "https://", "javascript:1"];

Deno.test("walk() rejects a homepage that is not an http(s) URL", async () => {
  for (const homepage of UNWALKABLE) {
    const message = `Cannot walk "${homepage}": not an http(s) URL`;
    assertThrows(() => parseHomepage(homepage, true), TypeError, message);
    for (const call of [walk, pages]) {
      const events = call(homepage);
      await assertRejects(() => events.next() as Promise<unknown>, TypeError, message);
      assertEquals(await events.next(), { done: true, value: undefined });
    }
    await assertRejects(() => sitemapTreeForHomepage(homepage), TypeError, message);
  }
  const ftp = new URL("ftp://a.test/");
  await assertRejects(() => walk(ftp).next(), TypeError, 'Cannot walk "ftp://a.test/"');
  await assertRejects(() => walk(undefined as never).next(), TypeError, 'Cannot walk "undefined"');
});

/** Homepages, the URL that is suggested, and the homepage as shown, without passwords. */
const UNCLEAR:
  readonly (readonly [homepage: string, meant?: string | undefined, shown?: string])[] = [
    ["example.com", "https://example.com/"],
    ["www.example.com/shop?x=1", "https://www.example.com/shop?x=1"],
    [" //example.com ", "https://example.com/", "//example.com"],
    ["example.com:8443/", "https://example.com:8443/"],
    ["ü.test", "https://xn--tda.test/"],
    ["medium.test/@ann", "https://medium.test/@ann"],
    // a host of the local network rarely has a certificate
    ["localhost:8080", "http://localhost:8080/"],
    ["127.0.0.1:8000/x", "http://127.0.0.1:8000/x"],
    ["[::1]:8000", "http://[::1]:8000/"],
    ["ann:pw@example.com/", "https://example.com/", "example.com/"],
    ["ann:p/w@x@example.com", "https://example.com/", "example.com"],
    // not a host
    ["not a url"],
    ["./sitemap.xml"],
    ["https//example.com"],
    ["htps://example.com/"],
    ["example.com:99999"],
    ["C:\\sites"],
    ["ftp://ann:pw@example.com/", undefined, "ftp://example.com/"],
    ["https://ann:pw@exa mple.com/", undefined, "https://exa mple.com/"],
  ];

Deno.test("walk() says which URL to write for a host without a scheme, and shows no password", async () => {
  for (const [homepage, meant, shown = homepage] of UNCLEAR) {
    const advice = meant === undefined ? "" : `; write "${meant}"`;
    const error = await assertRejects(() => pages(homepage).next(), TypeError);
    assertEquals(error.message, `Cannot walk "${shown}": not an http(s) URL${advice}`);
  }
});

Deno.test("withoutUserInfo() copies only URLs with user info", () => {
  const bare = new URL("https://a.test/");
  assertStrictEquals(withoutUserInfo(bare), bare);
  const full = new URL("https://ann:pw@a.test/x");
  assertEquals(withoutUserInfo(full).href, "https://a.test/x");
  assertEquals(full.href, "https://ann:pw@a.test/x");
});
