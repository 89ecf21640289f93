import { assertEquals } from "@std/assert";
import type { SitemapRef } from "../../src/data/events.ts";
import {
  AddressBudget,
  type ListedAddress,
  listingBelow,
  rootListing,
  TreeAddresses,
} from "../../src/walk/addresses.ts";

Deno.test("listingBelow() adds a sitemap as requested and as redirected to", () => {
  const ref = (url: string, level: number) => ({ url, level }) as SitemapRef;
  const root = rootListing(ref("https://a.test/", -1), "the known paths");
  const first = listingBelow(root, ref("https://a.test/new", 0), "https://a.test/old#f");
  const second = listingBelow(first, ref("https://a.test/2", 1), "https://a.test/2");
  assertEquals(second.path, ["https://a.test/new", "https://a.test/2"]);
  assertEquals([...second.keys], ["https://a.test/new", "https://a.test/old", "https://a.test/2"]);
  assertEquals([root.path, second.part], [[], "the known paths"]);
});

Deno.test("TreeAddresses compares URLs as the parser serialises them, without fragment", () => {
  const addresses = new TreeAddresses();
  addresses.beginPart("robots.txt");
  addresses.add("https://A.test:443/a/../s.xml#x");
  addresses.addKey("https://b.test/");
  assertEquals(addresses.has("https://a.test/s.xml"), true);
  assertEquals(addresses.has("https://b.test"), true);
  assertEquals(addresses.has("https://a.test/S.xml"), false);
  assertEquals(addresses.has("http://a.test/s.xml"), false);
});

Deno.test("TreeAddresses finds the earlier part that contains an address", () => {
  const addresses = new TreeAddresses();
  addresses.beginPart("robots.txt");
  addresses.add("https://a.test/early");
  const earlier = (name: string) => addresses.earlierPartWith(`https://a.test/${name}`);
  assertEquals(earlier("early"), undefined, "the current part is not an earlier one");
  addresses.beginPart("the homepage");
  for (const name of ["late", "early"]) addresses.add(`https://a.test/${name}`);
  assertEquals(["early", "late", "never"].map(earlier), ["robots.txt", undefined, undefined]);
  assertEquals(addresses.has("https://a.test/late"), true);
  addresses.beginPart("robots.txt of the variant");
  assertEquals(["early", "late"].map(earlier), ["robots.txt", "the homepage"]);
});

Deno.test("TreeAddresses distinguishes many similar addresses", () => {
  const addresses = new TreeAddresses();
  addresses.beginPart("robots.txt");
  const urlOf = (at: number) => `https://a.test/${"x".repeat(at % 300)}/sitemap-${at}.xml`;
  for (let at = 0; at < 20_000; at += 2) {
    if (at === 10_000) addresses.beginPart("the known paths");
    addresses.add(urlOf(at));
  }
  for (let at = 0; at < 20_000; at++) {
    assertEquals(addresses.has(urlOf(at)), at % 2 === 0);
    const part = at % 2 === 0 && at < 10_000 ? "robots.txt" : undefined;
    assertEquals(addresses.earlierPartWith(urlOf(at)), part);
  }
});

Deno.test("AddressBudget accepts 16 Mi characters, and as many again once they are released", () => {
  const budget = new AddressBudget(1);
  const list: ListedAddress[] = [];
  const address = "x".repeat(1_000_000);
  while (budget.take(address)) list.push({ url: address });
  assertEquals(list.length, 16);
  assertEquals(budget.take(address), false);
  budget.release(list);
  for (let count = 0; count < 16; count++) assertEquals(budget.take(address), true);
  assertEquals(budget.take(address), false);
});

Deno.test("AddressBudget grows with the number of sitemaps", () => {
  const budget = new AddressBudget(1_000_000);
  let count = 0;
  while (budget.take("x".repeat(1_000_000 - 64))) count++;
  assertEquals(count, 256);
  assertEquals(new AddressBudget(Infinity).take("x".repeat(1000)), true);
});
