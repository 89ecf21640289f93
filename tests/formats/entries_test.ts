import { assertEquals } from "@std/assert";
import { HashTable } from "../../src/bytes/hash_table.ts";
import { ValueScan } from "../../src/bytes/value_scan.ts";
import { Entries, quoted } from "../../src/formats/entries.ts";

interface Taken {
  readonly entries: Entries;
  /** Calls of the sink: addresses, `[code, line]` of warnings, `"dropped"`. */
  readonly calls: unknown[];
  /** Takes a page, as a format does. */
  page(url: string, line?: number): void;
}

function taking(
  maxEntries = 1000,
  base = "https://site.test/dir/sitemap.xml",
  room = Infinity,
): Taken {
  const calls: unknown[] = [];
  const scan = new ValueScan([1, 2]);
  let children = 0;
  const entries = new Entries(base, {
    page: ({ url }) => void calls.push(url),
    child: (url) => {
      calls.push(url);
      return ++children < room;
    },
    childDropped: () => void calls.push("dropped"),
    warning: (code, _message, line) => void calls.push([code, line]),
  }, { maxEntries, seen: new HashTable(), scan, typeOf: () => "PagesXmlSitemap" });
  const page = (url: string, line = 1) => {
    scan.text(url);
    entries.page({ url }, scan.high, scan.low, line);
  };
  return { entries, calls, page };
}

Deno.test("quoted() shortens long values", () => {
  assertEquals(quoted("a"), '"a"');
  assertEquals(quoted("x".repeat(200)), `"${"x".repeat(200)}"`);
  assertEquals(quoted("x".repeat(201)), `"${"x".repeat(200)}…"`);
});

Deno.test("Entries.page() emits pages in order, and reports duplicates with their line", () => {
  const { entries, calls, page } = taking();
  const urls = Array.from({ length: 100 }, (_, at) => `https://site.test/${at}`);
  for (const [at, url] of urls.entries()) page(url, at);
  page(urls[3]!, 200);
  page(urls[99]!, 201);
  page("https://site.test/new", 202);
  page("https://site.test/new", 203);
  entries.flush();
  assertEquals(calls, [
    ...urls,
    ...[["duplicate-address", 200], ["duplicate-address", 201]],
    "https://site.test/new",
    ["duplicate-address", 203],
  ]);
  assertEquals(entries.count, 101);
});

Deno.test("Entries passes on earlier pages before a warning", () => {
  const { entries, calls, page } = taking();
  page("https://site.test/1");
  entries.warn("bad-date", "x", 5);
  page("https://site.test/2");
  assertEquals(calls, ["https://site.test/1", ["bad-date", 5]]);
  assertEquals([entries.count, calls.length], [2, 3]);
});

Deno.test("Entries.usable() repairs and resolves addresses, and reports unusable ones", () => {
  const { entries, calls } = taking();
  const addresses = [undefined, "", "/a", "www.site.test", "mailto:me@site.test", "https://["];
  assertEquals(addresses.map((address, at) => entries.usable(address, at)), [
    ...[undefined, undefined, "https://site.test/a", "https://www.site.test", undefined, undefined],
  ]);
  assertEquals(entries.usable("a", 6, "https://other.test/x/"), "https://other.test/x/a");
  assertEquals(calls, [
    ...[["no-address", 0], ["no-address", 1], ["relative-address", 2], ["address-repaired", 3]],
    ...[["bad-address", 4], ["bad-address", 5], ["relative-address", 6]],
  ]);
});

Deno.test("Entries without a base drop relative addresses", () => {
  const { entries, calls } = taking(100, "");
  assertEquals(entries.usable("/a", 1), undefined);
  assertEquals(entries.usable("www.site.test/", 2), "https://www.site.test/");
  assertEquals(calls, [["bad-address", 1], ["address-repaired", 2]]);
});

Deno.test("Entries.child() compares serialised URLs without fragment", () => {
  const { entries, calls } = taking();
  const addresses = ["https://Site.test:443/a#b", "https://site.test/a", "https://site.test/./a#c"];
  for (const [at, address] of [...addresses, "a.xml", undefined].entries()) {
    entries.child(address, at);
  }
  assertEquals(calls, [
    "https://Site.test:443/a#b",
    ["duplicate-address", 1],
    ["duplicate-address", 2],
    ["relative-address", 3],
    "https://site.test/dir/a.xml",
    ["no-address", 4],
    "dropped",
  ]);
});

Deno.test("Entries are full at the first entry over maxEntries, and ignore the rest", () => {
  const { entries, calls, page } = taking(2);
  page("https://site.test/a");
  entries.child("https://site.test/b", 2);
  page("https://site.test/a", 3);
  assertEquals([entries.count, entries.isFull], [2, false], "a duplicate is not an entry");
  page("https://site.test/c", 4);
  entries.flush();
  assertEquals([entries.count, entries.isFull], [2, true]);
  page("https://site.test/d", 5);
  entries.child("https://site.test/e", 6);
  entries.warn("bad-date", "x", 7);
  entries.dropChild();
  entries.flush();
  assertEquals(calls.length, 4);
  assertEquals(calls.slice(2), [["duplicate-address", 3], ["too-many-entries", undefined]]);
});

Deno.test("Entries are full if the sink refuses a child", () => {
  const { entries, calls } = taking(100, "https://site.test/", 2);
  entries.child("/a", 1);
  assertEquals(entries.isFull, false);
  entries.child("/b", 2);
  assertEquals([entries.isFull, calls.at(-1)], [true, ["too-many-entries", undefined]]);
});
