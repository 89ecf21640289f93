import { assertEquals, assertRejects } from "@std/assert";
import { SiteList } from "../../src/source/list.ts";
import { SourceError } from "../../src/source/source_error.ts";

/** Returns the sites of a list, in chunks of any size. */
async function sitesOf(text: string, chunkLength = text.length || 1): Promise<unknown[]> {
  const bytes = new TextEncoder().encode(text);
  async function* chunks() {
    for (let at = 0; at < bytes.length; at += chunkLength) {
      yield await Promise.resolve(bytes.subarray(at, at + chunkLength));
    }
  }
  return await Array.fromAsync(new SiteList(chunks(), "sites.txt"));
}

Deno.test("lists of sites have URLs, hosts and JSON, in chunks of any size", async () => {
  const list = "\ufeffa.test\r\n\n  # comment\nhttp://b.test/x \n//c.test:81\n" +
    '{"url": "bücher.test", "wait": 5}\nd.test';
  for (const length of [1, 2, 7, 1000]) {
    assertEquals(await sitesOf(list, length), [
      { url: "a.test" },
      { url: "http://b.test/x" },
      { url: "//c.test:81" },
      { url: "bücher.test", wait: 5 },
      { url: "d.test" },
    ]);
  }
});

Deno.test("faults in lists of sites are reported with file and line", async () => {
  const faults = [
    ["# nothing\n\n", 'Empty list "sites.txt"'],
    ["./dist/", 'Cannot read line 1 of "sites.txt": "./dist/" is a path: expected a URL or a host'],
    ["a.test\n{x\n", 'Cannot read line 2 of "sites.txt": invalid JSON'],
    ['\n{"wait":5}', 'Cannot read line 2 of "sites.txt": no "url"'],
    [`a.test\n${"b".repeat(300_000)}`, 'Cannot read line 2 of "sites.txt": too long'],
  ] as const;
  for (const [text, message] of faults) {
    for (const length of [1000, text.length]) {
      const error = await assertRejects(() => sitesOf(text, length), SourceError);
      assertEquals([error.code, error.message], ["list", message]);
    }
  }
});
