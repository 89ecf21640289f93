import { assertEquals } from "@std/assert";
import { AddressHash } from "../../src/formats/address_hash.ts";
import { PageBatch } from "../../src/formats/page_batch.ts";
import { SitemapPage } from "../../src/page.ts";

const HASH = new AddressHash([1, 2]);

/** Fills a batch: how many pages it took. */
function fill(batch: PageBatch): number {
  for (let at = 0; !batch.isFull; at++) {
    const url = `https://site.test/${at}`;
    HASH.takeText(url);
    batch.beginAt(10 * at, at, 2 * at);
    batch.add(new SitemapPage({ url }), HASH);
  }
  batch.beginAt(10 * batch.length, batch.length, 2 * batch.length);
  return batch.length;
}

Deno.test("PageBatch grows while all goes well, and is small again behind a page refused", () => {
  const batch = new PageBatch();
  const sizes = [true, true, true, true, true, true, true, false, true, true].map((isWell) => {
    const size = fill(batch);
    batch.clear(isWell ? size : size - 1);
    return size;
  });
  assertEquals(sizes, [1, 2, 4, 8, 16, 32, 32, 32, 1, 2]);
  assertEquals(batch.length, 0);
  batch.clear(0);
  assertEquals(fill(batch), 4, "nothing was refused of nothing");
});

Deno.test("PageBatch knows where each page begins, and the next one", () => {
  const batch = new PageBatch();
  for (const _ of [1, 2]) batch.clear(fill(batch));
  fill(batch);
  assertEquals([0, 1, 4].map((index) => batch.placeOf(index)), [
    { at: 0, lines: 0, drift: 0 },
    { at: 10, lines: 1, drift: 2 },
    { at: 40, lines: 4, drift: 8 },
  ]);
  assertEquals(batch.pages[3]?.url, "https://site.test/3");
  assertEquals([...batch.hashes.subarray(6, 8)], [HASH.high, HASH.low]);
});
