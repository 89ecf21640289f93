import { assertEquals, assertNotEquals } from "@std/assert";
import type { BenchPage, Contender } from "../../tools/bench/contender.ts";
import { generateDocument } from "../../tools/bench/generate.ts";
import { PageTally, readFields } from "../../tools/bench/page_tally.ts";
import { contender as saxes } from "../../tools/bench/peers/saxes.ts";
import { contender as sitetree } from "../../tools/bench/sitetree.ts";
import { contender as parser } from "../../tools/bench/sitetree_parser.ts";

const PAGE: BenchPage = {
  url: "https://example.com/",
  lastModified: "2024-05-06T07:08:09.000Z",
  changeFrequency: "daily",
  priority: 0.8,
  images: [{ loc: "a", title: "b" }],
  alternates: [{ hreflang: "c", href: "d" }],
};

Deno.test("readFields() depends on every field, and not on the type of a date", () => {
  const expected = readFields(PAGE);
  for (const key in PAGE) {
    const { [key as keyof BenchPage]: _, ...rest } = PAGE;
    if (key === "url") {
      assertNotEquals(readFields({ ...PAGE, url: "https://example.org" }), expected);
    } else assertNotEquals(readFields(rest as BenchPage), expected, key);
  }
  for (
    const changed of [
      { images: [{ loc: "aa", title: "b" }] },
      { images: [{ loc: "a", title: "c" }] },
      { images: [{ loc: "a" }] },
      { alternates: [{ hreflang: "cc", href: "d" }] },
      { alternates: [{ hreflang: "c", href: "e" }] },
    ]
  ) {
    assertNotEquals(readFields({ ...PAGE, ...changed }), expected, JSON.stringify(changed));
  }
  assertEquals(readFields({ ...PAGE, lastModified: new Date(PAGE.lastModified!) }), expected);
});

async function tallyOf(contender: Contender, bytes: Uint8Array): Promise<PageTally> {
  const tally = new PageTally();
  await contender.read("read", [bytes], (page) => tally.add(page));
  return tally;
}

Deno.test('sitetree and saxes read the same values of "read", all fields in each page', async () => {
  const bytes = generateDocument("read", 300);
  await sitetree.read("read", [bytes], (page) => {
    assertEquals(page.url.includes("&sort="), true, page.url);
    assertEquals(
      Object.keys(page).sort(),
      ["alternates", "changeFrequency", "images", "lastModified", "priority", "url"],
    );
  });
  const { pages, checksum, fields } = await tallyOf(saxes, bytes);
  assertEquals(pages, 300);
  for (const contender of [sitetree, parser]) {
    const ours = await tallyOf(contender, bytes);
    assertEquals([ours.pages, ours.checksum, ours.fields], [pages, checksum, fields]);
  }
});
