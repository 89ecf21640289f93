import { assert, assertEquals } from "@std/assert";
import { AddressSet } from "../../src/formats/address_set.ts";
import { Entries, quoted } from "../../src/formats/entries.ts";
import { PageBatch } from "../../src/formats/page_batch.ts";
import { SitemapPage } from "../../src/page.ts";

interface Taken {
  readonly entries: Entries;
  readonly told: unknown[];
}

function taking(maxEntries = 100, base = "https://site.test/dir/sitemap.xml"): Taken {
  const told: unknown[] = [];
  const entries = new Entries(base, {
    page: (page) => void told.push(page.toJSON()),
    child: (url) => void told.push(url),
    warning: (code, message, line) => void told.push([code, message, line]),
  }, { maxEntries, seen: new AddressSet([1, 2]) });
  return { entries, told };
}

Deno.test("quoted() shortens long values", () => {
  assertEquals(quoted("a"), '"a"');
  assertEquals(quoted("x".repeat(200)), `"${"x".repeat(200)}"`);
  assertEquals(quoted("x".repeat(201)), `"${"x".repeat(200)}…"`);
});

Deno.test("Entries.page() keeps absolute addresses as written and resolves relative ones", () => {
  const { entries, told } = taking();
  entries.page("HTTPS://Site.test/A?ü#b", { priority: 1 });
  entries.page("../b", {});
  entries.page("//other.test", {});
  entries.page("?c", {});
  assertEquals(told, [
    { url: "HTTPS://Site.test/A?ü#b", priority: 1 },
    { url: "https://site.test/b", priority: 0.5 },
    { url: "https://other.test/", priority: 0.5 },
    { url: "https://site.test/dir/sitemap.xml?c", priority: 0.5 },
  ]);
  assertEquals(entries.count, 4);
});

Deno.test("Entries.page() tells what it leaves out, with its line", () => {
  const { entries, told } = taking();
  entries.page(undefined, {}, 1);
  entries.page("", {}, 2);
  entries.page("mailto:me@site.test", {}, 3);
  entries.page("http://", {}, 4);
  entries.page("https://site.test/", {}, 5);
  entries.page("https://site.test/", {}, 6);
  entries.page("/", {});
  assertEquals(told, [
    ["no-address", "Entry without an address left out", 1],
    ["no-address", "Entry without an address left out", 2],
    ["bad-address", 'Address "mailto:me@site.test" is no http(s) URL', 3],
    ["bad-address", 'Address "http://" is no http(s) URL', 4],
    { url: "https://site.test/", priority: 0.5 },
    ["duplicate-address", 'Address "https://site.test/" was given before', 6],
    ["duplicate-address", 'Address "https://site.test/" was given before', undefined],
  ]);
  assertEquals(entries.count, 1);
});

Deno.test("Entries without a base leave relative addresses out", () => {
  const { entries, told } = taking(100, "");
  entries.page("/a", {}, 1);
  entries.page("https://site.test/a", {}, 2);
  assertEquals(told, [
    ["bad-address", 'Address "/a" is no http(s) URL', 1],
    { url: "https://site.test/a", priority: 0.5 },
  ]);
});

Deno.test("Entries.child() compares as the URL parser writes, without fragment", () => {
  const { entries, told } = taking();
  entries.child("https://Site.test:443/a#b", 1);
  entries.child("https://site.test/a", 2);
  entries.child("https://site.test/./a#c", 3);
  entries.child("a.xml", 4);
  entries.child(undefined, 5);
  assertEquals(told, [
    "https://Site.test:443/a#b",
    ["duplicate-address", 'Address "https://site.test/a" was given before', 2],
    ["duplicate-address", 'Address "https://site.test/./a#c" was given before', 3],
    "https://site.test/dir/a.xml",
    ["no-address", "Entry without an address left out", 5],
  ]);
});

Deno.test("Entries are full with the first one that is too many", () => {
  const { entries, told } = taking(2);
  entries.page("/a", {});
  entries.child("/b");
  assertEquals([entries.count, entries.full], [2, false]);
  entries.page("/a", {}, 3);
  assertEquals(entries.full, false, "a duplicate is none");
  entries.page("/c", {}, 4);
  assertEquals([entries.count, entries.full], [2, true]);
  assertEquals(told.slice(2), [
    ["duplicate-address", 'Address "https://site.test/a" was given before', 3],
    ["too-many-entries", "Document cut after 2 entries", undefined],
  ]);
});

Deno.test("Entries are full where nobody has room for a sub-sitemap", () => {
  const told: unknown[] = [];
  const entries = new Entries("https://site.test/", {
    page: () => {},
    child: (url) => !url.endsWith("/c"),
    warning: (code, message) => void told.push([code, message]),
  }, { maxEntries: 100, seen: new AddressSet([1, 2]) });
  for (const address of ["/a", "/b", "/c"]) {
    assertEquals(entries.full, false);
    entries.child(address);
  }
  assertEquals(entries.full, true);
  assertEquals(told, [
    ["too-many-entries", "Document cut: too many sitemaps wait to be visited"],
  ]);
});

Deno.test("Entries.authorityOf() knows what makes every address valid that begins with it", () => {
  const { entries } = taking();
  const known = ["https://site.test/a", "HTTP://me:pw@Site.test:80?x/y", "https://[::1]#a/b"];
  assertEquals(known.map((address) => entries.authorityOf(address)), [
    "https://site.test/",
    "HTTP://me:pw@Site.test:80?",
    "https://[::1]#",
  ]);
  const unknown = [
    "https://site.test",
    "https://bücher.test/",
    "https://a\\b/",
    "/a",
    "https://[/",
    "https://a&b@site.test/",
    "https://a<b@site.test/",
  ];
  for (const address of unknown) assertEquals(entries.authorityOf(address), undefined, address);
});

/** A batch of pages with these addresses. */
function batchOf(entries: Entries, ...urls: readonly string[]): PageBatch {
  const batch = new PageBatch();
  for (const url of urls) {
    entries.hash.takeText(url);
    batch.add(new SitemapPage({ url }), entries.hash);
  }
  return batch;
}

Deno.test("Entries.takeBatch() takes pages up to the first that is not new", () => {
  const { entries, told } = taking(6);
  const [a, b, c, d, e] = ["a", "b", "c", "d", "é"].map((name) => `https://site.test/${name}`);
  assertEquals(entries.takeBatch(batchOf(entries, a!, b!)), 2);
  assertEquals(entries.takeBatch(batchOf(entries, c!, a!, d!)), 1, "a duplicate");
  assertEquals(entries.takeBatch(batchOf(entries, d!, d!)), 1, "a duplicate in the batch");
  assertEquals(entries.takeBatch(batchOf(entries)), 0, "nothing");
  entries.page("d", {});
  assertEquals(entries.takeBatch(batchOf(entries, e!, `${e}2`)), 1, "one too many");
  assertEquals(entries.takeBatch(batchOf(entries, `${e}2`)), 0, "one too many");
  assertEquals([entries.count, entries.full], [6, false]);
  assertEquals(
    told,
    [a, b, c, d, "https://site.test/dir/d", e].map((url) => ({ url, priority: 0.5 })),
  );
});

Deno.test("Entries.isAbsoluteHttp() takes http and https with a host", () => {
  const { entries } = taking();
  for (const address of ["http://a/", "HTTPS://a", "https://a/b", "https://a/c"]) {
    assert(entries.isAbsoluteHttp(address), address);
  }
  for (const address of ["", "/a", "//a", "http:a", "ftp://a/", "http://", "http://a b/"]) {
    assert(!entries.isAbsoluteHttp(address), address);
  }
});
