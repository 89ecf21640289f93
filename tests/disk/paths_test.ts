import { assert, assertEquals } from "@std/assert";
import { parse } from "tldts";
import { hostHint, isPath } from "../../src/disk/paths.ts";

const ROWS: readonly (readonly [words: readonly string[], isPath: boolean])[] = [
  [["./x", "../x", "/x", "~/x", ".\\x", "C:\\x", "c:/x", "./example.com", "~/example.com"], true],
  [[".", "..", "~"], true],
  // one name before a slash
  [["nosuch/", "nosuch/sitemap.xml", "dist/maps", "my site/", "dist\\maps", "maps/*.xml"], true],
  [["localhost/", "localhost/sitemap.xml", "LOCALHOST/x", "intranet", "localhost"], false],
  // no top-level domains
  [["x.xml", "X.XML", "sitemap.xml.gz", "my site.xml", "*.xml", "example.com.xml"], true],
  [["sites.txt", "walk.ndjson.gz", "site.db", "feed.rss", "x.xml/", "x.xml/y", "index.html"], true],
  // top-level domains, and names that only a local network has
  [["x.zip", "x.md", "x.app", "x.sh", "x.py", "x.rs", "x.example", "x.local", "x.zip/"], false],
  [["example.com", "example.com/", "example.com/sitemap.xml", "example.com/a.xml?b=c"], false],
  [["x:80", "x:80/", "localhost:80/x.xml", "127.0.0.1/x.xml", "[::1]/x.xml", "//x/"], false],
  [["user@x.xml", "user:secret@x/", "//x.xml", "x.xml:80", "", "xml", "x.xml.test"], false],
];

Deno.test("isPath() tells paths from hosts", () => {
  for (const [words, expected] of ROWS) {
    for (const word of words) assertEquals([word, isPath(word)], [word, expected]);
  }
});

/** Returns all words of a length in lower case. */
function wordsOf(length: number): string[] {
  if (length === 0) return [""];
  return wordsOf(length - 1).flatMap((word) =>
    [..."abcdefghijklmnopqrstuvwxyz"].map((a) => word + a)
  );
}

Deno.test("no extension of a file is a top-level domain", () => {
  const isDomain = (name: string) => parse(`x.${name}`).isIcann;
  const names = ["jsonl", "ndjson", "sqlite", "sqlite3"].concat(wordsOf(2), wordsOf(3), wordsOf(4));
  const extensions = names.filter((name) => isPath(`x.${name}`));
  assert(extensions.length >= 14, "extensions were found");
  assertEquals(extensions.filter(isDomain), []);
  for (const name of ["zip", "md", "app", "sh"]) assert(isDomain(name), name);
});

Deno.test("a path that could be a host has a hint", () => {
  assertEquals(hostHint("x.xml"), 'for a host, write "https://x.xml"');
  assertEquals(hostHint("nosuch/"), 'for a host, write "https://nosuch/"');
  for (const path of [".", "./x.xml", "/x", "~/x", "C:\\"]) assertEquals(hostHint(path), undefined);
});
