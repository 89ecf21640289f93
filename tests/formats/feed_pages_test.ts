import { assertEquals } from "@std/assert";
import { FeedPages } from "../../src/formats/feed_pages.ts";
import { takenEntries } from "./taken_entries.ts";

/** What becomes of pages with these addresses, a line each. */
function toldOf(addresses: readonly (string | undefined)[], maxEntries?: number): string[] {
  const { entries, told } = takenEntries(maxEntries);
  let line = 0;
  const pages = new FeedPages(entries, () => line);
  for (const address of addresses) {
    line++;
    pages.add(address, undefined, undefined);
  }
  pages.flush();
  pages.flush();
  return told;
}

function numbered(count: number, stem = "https://site.test/"): string[] {
  return Array.from({ length: count }, (_, at) => `${stem}${at}`);
}

Deno.test("FeedPages makes stories of titles and dates", () => {
  const { entries, told } = takenEntries();
  const pages = new FeedPages(entries, () => 1);
  pages.add("https://site.test/1", "Title", 5);
  pages.add("https://site.test/2", "Title", undefined);
  pages.add("https://site.test/3", "", 5);
  pages.add("/4", "Resolved", 5);
  assertEquals(told, []);
  pages.flush();
  assertEquals(told, [
    "https://site.test/1 Title 5",
    "https://site.test/2 Title ",
    "https://site.test/3",
    "https://site.test/4 Resolved 5",
  ]);
});

Deno.test("FeedPages hands on what it holds back when that is enough", () => {
  const { entries, told } = takenEntries();
  const pages = new FeedPages(entries, () => 1);
  for (const address of numbered(100)) pages.add(address, undefined, undefined);
  assertEquals(told, numbered(96));
  pages.flush();
  assertEquals(told, numbered(100));
});

Deno.test("FeedPages tells of odd addresses in their place, with their line", () => {
  const odd: [address: string | undefined, told: string][] = [
    [undefined, "no-address@41"],
    ["/relative", "https://site.test/relative"],
    ["ftp://site.test/a-longer-path", "bad-address@41"],
    ["https://site.test/7", "duplicate-address@41"],
    ["https://site.test", "https://site.test"],
    ["http://a/", "http://a/"],
    ["https://other.test/é", "https://other.test/é"],
    ["https://site.test/é", "https://site.test/é"],
    ["http://", "bad-address@41"],
  ];
  for (const [address, told] of odd) {
    const before = numbered(40), behind = numbered(50, "https://site.test/behind/");
    assertEquals(toldOf([...before, address, ...behind]), [...before, told, ...behind]);
    assertEquals(toldOf([...before, address]), [...before, told]);
  }
});

Deno.test("FeedPages minds that an address can end where the next seems to go on with it", () => {
  const addresses = ["https://site.test/a", "https://", "site.test/b", "https://site.test/c"];
  assertEquals(toldOf(addresses), [
    "https://site.test/a",
    "bad-address@2",
    "https://site.test/site.test/b",
    "https://site.test/c",
  ]);
});

Deno.test("FeedPages takes addresses of many sites, and the same ones again", () => {
  const addresses = numbered(20).flatMap((address, at) => [address, `https://${at}.test/${at}`]);
  const again = [...addresses, ...addresses];
  assertEquals(toldOf(again), [
    ...addresses,
    ...addresses.map((_, at) => `duplicate-address@${41 + at}`),
  ]);
});

Deno.test("FeedPages stops where there are too many entries, and tells nothing behind that", () => {
  for (const count of [0, 1, 31, 32, 33, 40]) {
    assertEquals(toldOf([...numbered(45), undefined, "/x", ...numbered(45)], count), [
      ...numbered(count),
      "too-many-entries@undefined",
    ]);
  }
});
