import { assertEquals } from "@std/assert";
import { TreeAddresses } from "../../src/walk/addresses.ts";

Deno.test("a tree knows the addresses it holds, as the URL parser writes them, without fragment", () => {
  const addresses = new TreeAddresses();
  addresses.add("https://A.test:443/a/../s.xml#x");
  addresses.addKey("https://b.test/");
  assertEquals(addresses.has("https://a.test/s.xml"), true);
  assertEquals(addresses.has("https://b.test"), true);
  assertEquals(addresses.has("https://a.test/S.xml"), false);
  assertEquals(addresses.has("http://a.test/s.xml"), false);
});

Deno.test("a tree knows which of its earlier parts has an address", () => {
  const addresses = new TreeAddresses();
  addresses.add("https://a.test/early");
  const earlier = (name: string) => addresses.earlierPartWith(`https://a.test/${name}`);
  assertEquals(earlier("early"), undefined, "its part has not ended yet");
  addresses.endPart();
  for (const name of ["late", "early"]) addresses.add(`https://a.test/${name}`);
  assertEquals(["early", "late", "never"].map(earlier), ["robots.txt", undefined, undefined]);
  assertEquals(addresses.has("https://a.test/late"), true);
  addresses.endPart();
  assertEquals(["early", "late"].map(earlier), ["robots.txt", "the given sitemaps"]);
});

Deno.test("a tree of many addresses confuses none of them", () => {
  const addresses = new TreeAddresses();
  const urlOf = (at: number) => `https://a.test/${"x".repeat(at % 300)}/sitemap-${at}.xml`;
  for (let at = 0; at < 20_000; at += 2) {
    if (at === 10_000) addresses.endPart();
    addresses.add(urlOf(at));
  }
  for (let at = 0; at < 20_000; at++) {
    assertEquals(addresses.has(urlOf(at)), at % 2 === 0);
    const part = at % 2 === 0 && at < 10_000 ? "robots.txt" : undefined;
    assertEquals(addresses.earlierPartWith(urlOf(at)), part);
  }
});
