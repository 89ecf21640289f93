import { assertEquals } from "@std/assert";
import { TreeAddresses } from "../../src/walk/tree_addresses.ts";

Deno.test("a tree knows the addresses it holds, as the URL parser writes them, without fragment", () => {
  const addresses = new TreeAddresses();
  addresses.add("https://A.test:443/a/../s.xml#x");
  addresses.addKey("https://b.test/");
  assertEquals(addresses.has("https://a.test/s.xml"), true);
  assertEquals(addresses.has("https://b.test"), true);
  assertEquals(addresses.has("https://a.test/S.xml"), false);
  assertEquals(addresses.has("http://a.test/s.xml"), false);
});

Deno.test("a tree tells what robots.txt led to from what came later", () => {
  const addresses = new TreeAddresses();
  addresses.add("https://a.test/early");
  assertEquals(addresses.inRobotsTree("https://a.test/early"), false, "it is not over yet");
  addresses.endRobotsTree();
  for (const name of ["late", "early"]) addresses.add(`https://a.test/${name}`);
  assertEquals(addresses.inRobotsTree("https://a.test/early"), true);
  assertEquals(addresses.inRobotsTree("https://a.test/late"), false);
  assertEquals(addresses.inRobotsTree("https://a.test/never"), false);
  assertEquals(addresses.has("https://a.test/late"), true);
});

Deno.test("a tree of many addresses confuses none of them", () => {
  const addresses = new TreeAddresses();
  const urlOf = (at: number) => `https://a.test/${"x".repeat(at % 300)}/sitemap-${at}.xml`;
  for (let at = 0; at < 20_000; at += 2) {
    if (at === 10_000) addresses.endRobotsTree();
    addresses.add(urlOf(at));
  }
  for (let at = 0; at < 20_000; at++) {
    assertEquals(addresses.has(urlOf(at)), at % 2 === 0);
    assertEquals(addresses.inRobotsTree(urlOf(at)), at % 2 === 0 && at < 10_000);
  }
});
