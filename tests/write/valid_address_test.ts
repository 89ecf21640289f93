import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { validAddress } from "../../src/write/strict_page.ts";
import { anyText } from "./page_arbitrary.ts";

Deno.test("validAddress() keeps addresses that can stand as they are", () => {
  for (
    const address of [
      "https://example.com",
      "HTTP://Example.COM:80/A?b=c&d='e'#f/g?h",
      "https://user:pass@example.com/a%20b;c,d/..//e",
      "https://exämple.com/é漢/ça?ü=1",
    ]
  ) assertEquals(validAddress(address), address);
});

Deno.test("validAddress() encodes what a URI cannot hold", () => {
  const table = [
    ["https://a.test/a b", "https://a.test/a%20b"],
    ["https://a.test/?a[]=100%&b={c}", "https://a.test/?a%5B%5D=100%25&b=%7Bc%7D"],
    ["https://a.test/%zz%4", "https://a.test/%25zz%254"],
    ["https://a.test/#a#b", "https://a.test/#a%23b"],
    ["http://[::1]:8080/[a]", "http://[::1]:8080/%5Ba%5D"],
    ["https://100%:[x]@a.test/", "https://100%25:%5Bx%5D@a.test/"],
    [" \\\\a.test", undefined],
    ["https:\\\\a.test\\b?\\c", "https://a.test/b?%5Cc"],
    ["https:///a.test", "https://a.test/"],
    ["https://a.test:", "https://a.test/"],
  ] as const;
  for (const [address, expected] of table) assertEquals(validAddress(address), expected);
});

Deno.test("validAddress() refuses what is no http(s) URL, or too long", () => {
  for (const address of ["", "/a", "a.test", "ftp://a.test/", "https://", "https://a:x/"]) {
    assertEquals(validAddress(address), undefined, address);
  }
  const start = "https://a.test/";
  const longest = start + "a".repeat(2047 - start.length);
  assertEquals(validAddress(longest), longest);
  assertEquals(validAddress(`${longest}a`), undefined);
  // It counts as it is written.
  assertEquals(validAddress(start + "[".repeat(1000)), undefined);
});

Deno.test("validAddress() gives what it keeps, and keeps what it gives", () => {
  const address = anyText().map((text) => `https://example.com/${text}`);
  fc.assert(fc.property(address, (address) => {
    const valid = validAddress(address) ?? "";
    assertEquals(validAddress(valid), valid);
    assertEquals(
      decodeLoosely(new URL(valid).pathname),
      decodeLoosely(new URL(address).pathname),
    );
  }));
});

/** A path with what is encoded decoded, as far as that goes. */
function decodeLoosely(path: string): string {
  return path.replace(
    /%([0-7][\da-f])/gi,
    (_, digits) => String.fromCharCode(parseInt(digits, 16)),
  );
}
