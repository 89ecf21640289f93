import { assertEquals } from "@std/assert";
import fc from "fast-check";
import {
  addressKey,
  AddressResolver,
  isAbsoluteHttp,
  isHttp,
  isRobotsUrl,
  isWideSpace,
  trimSpace,
} from "../src/url.ts";

Deno.test("trimSpace() takes white space as Unicode sees it off both ends", () => {
  const spaces = [
    ..."\t\n\v\f\r \u0085\u00a0\u1680\u2000\u200a\u2028\u2029\u202f\u205f\u3000\ufeff",
  ];
  for (const space of spaces) {
    assertEquals(trimSpace(`${space}a${space}b${space}`), `a${space}b`);
    assertEquals(trimSpace(`${space}\u0085${space}a\u0085`), "a");
  }
  assertEquals([trimSpace(""), trimSpace(" \u0085 "), trimSpace("\u200ba\u200b")], [
    "",
    "",
    "\u200ba\u200b",
  ]);
});

Deno.test("isHttp() knows the two schemes", () => {
  const urls = ["http://a/", "https://a/", "HTTPS://A/", "ftp://a/", "file:///", "data:,"];
  assertEquals(urls.map((url) => isHttp(new URL(url))), [true, true, true, false, false, false]);
});

Deno.test("AddressResolver keeps absolute addresses as they are written", () => {
  const { resolve } = bound("https://base.test/dir/s.xml");
  const kept = [
    "https://a.test",
    "HTTPS://A.TEST/X",
    "http://a.test:80/ü?q=a b#f",
    "http://user:pw@a.test/",
    "https://a.test?x",
    "https://a.test#x",
    "http://127.1/",
  ];
  for (const address of kept) assertEquals(resolve(address), address);
});

Deno.test("AddressResolver resolves relative addresses", () => {
  const { resolve } = bound("https://base.test/dir/s.xml");
  const resolved: Readonly<Record<string, string>> = {
    "x": "https://base.test/dir/x",
    "/x": "https://base.test/x",
    "//other.test/x": "https://other.test/x",
    "?q": "https://base.test/dir/s.xml?q",
    "#f": "https://base.test/dir/s.xml#f",
    "../a b": "https://base.test/a%20b",
    "https:x": "https://base.test/dir/x",
  };
  for (const [address, url] of Object.entries(resolved)) {
    assertEquals(resolve(address), url, address);
  }
});

Deno.test("AddressResolver refuses what is no http(s) URL", () => {
  const { resolve } = bound("https://base.test/dir/");
  const refused = [
    "",
    "ftp://a.test/",
    "mailto:x",
    "javascript:1",
    "http://",
    "https://a b/",
    "http://[::1",
    "http://a:99999/",
  ];
  assertEquals(refused.map((address) => resolve(address)), refused.map(() => undefined));
  assertEquals(["x", "/x", "//a.test/"].map((address) => bound("").resolve(address)), [
    undefined,
    undefined,
    undefined,
  ]);
});

Deno.test("AddressResolver answers the same whatever it was asked before", () => {
  const part = fc.constantFrom(
    ...[
      "http://",
      "https://",
      "HTTP://",
      "a.test",
      "b.test",
      "a b",
      "%zz",
      ":80",
      ":99999",
      "@",
      "/",
      "?",
      "#",
      "\\",
    ],
    ...["[", "]", "\t", "\n", "x", "é", "..", "%41", "\ud800", "user:pw@"],
  );
  const address = fc.array(part, { maxLength: 6 }).map((parts) => parts.join(""));
  fc.assert(
    fc.property(fc.array(address, { maxLength: 8 }), (addresses) => {
      const one = bound("https://base.test/dir/");
      for (const text of addresses) {
        const fresh = bound("https://base.test/dir/");
        assertEquals(one.resolve(text), fresh.resolve(text));
        assertEquals(
          one.isAbsoluteHttp(text),
          /^https?:\/\//i.test(text) && URL.canParse(text),
          JSON.stringify(text),
        );
      }
    }),
    { seed: 20240103, numRuns: 2000 },
  );
});

Deno.test("addressKey() compares as the URL parser writes, without fragment", () => {
  assertEquals(addressKey("HTTPS://A.test:443/x/../y?q#f"), "https://a.test/y?q");
  assertEquals(addressKey("https://a.test"), addressKey("https://a.test/#"));
  assertEquals(addressKey("no url"), "no url");
});

Deno.test("isAbsoluteHttp() is what the URL parser says of the whole address", () => {
  const parts = [
    ...[
      "http://",
      "https://",
      "HTTP:",
      "//",
      "/",
      "\\",
      "?",
      "#",
      ":",
      ":80",
      ":99999",
      "@",
      "u:p@",
    ],
    ...[
      "a.test",
      "é.test",
      "[::1]",
      "[",
      "%",
      "%41",
      "a b",
      "\t",
      "\n",
      "\0",
      "\x7f",
      "..",
      "1.2.3.4.5",
    ],
  ];
  const address = fc.array(fc.constantFrom(...parts), { maxLength: 6 })
    .map((parts) => trimSpace(`http://${parts.join("")}`));
  fc.assert(
    fc.property(address, (address) => {
      assertEquals(isAbsoluteHttp(address), URL.canParse(address), JSON.stringify(address));
    }),
    { numRuns: 20_000 },
  );
});

Deno.test("AddressResolver.keyOf() is addressKey(), whatever the address", () => {
  const starts = ["http://a.test/", "https://A.test/", "http://a.test:80/", "http://127.1/"];
  const parts = [
    ...["/", "//", ".", "..", "%2e", "%2E%2e", "a", "B-c_d~1", "%", "%zz", "?", "?q=1&r=/./", "#f"],
    ...["'", '"', "<", "|", "\\", "^", "`", "{", "[", "é", "\u{1f577}", " ", ":@!$&()*+,;="],
  ];
  const address = fc.tuple(
    fc.constantFrom(...starts),
    fc.array(fc.constantFrom(...parts), { maxLength: 6 }),
  ).map(([start, parts]) => start + parts.join(""));
  fc.assert(
    fc.property(fc.array(address, { maxLength: 5 }), (addresses) => {
      const resolver = new AddressResolver("");
      for (const address of addresses) {
        const url = resolver.resolve(trimSpace(address));
        if (url !== undefined) assertEquals(resolver.keyOf(url), addressKey(url));
      }
    }),
    { numRuns: 3000 },
  );
});

Deno.test("isRobotsUrl() goes by the end of the path", () => {
  const urls: Readonly<Record<string, boolean>> = {
    "https://a.test/robots.txt": true,
    "https://a.test/dir/robots.txt?x#y": true,
    "https://a.test/Robots.txt": false,
    "https://a.test/my-robots.txt": false,
    "https://a.test/robots.txt/": false,
    "https://a.test/?/robots.txt": false,
    "no url": false,
  };
  for (const [url, expected] of Object.entries(urls)) {
    assertEquals(isRobotsUrl(URL.parse(url)), expected, url);
  }
});

function bound(base: string): Pick<AddressResolver, "resolve" | "isAbsoluteHttp"> {
  const resolver = new AddressResolver(base);
  return {
    resolve: (address) => resolver.resolve(address),
    isAbsoluteHttp: (address) => resolver.isAbsoluteHttp(address),
  };
}

Deno.test("isWideSpace() knows all that trimSpace() trims beyond ASCII", () => {
  for (let code = 0x80; code < 0x10000; code++) {
    assertEquals(isWideSpace(code), trimSpace(String.fromCharCode(code)) === "", code.toString(16));
  }
});
