import { assertEquals } from "@std/assert";
import { UniquePages } from "../../src/cli/selection.ts";

Deno.test("UniquePages lets the first occurrence of each URL pass", () => {
  const pages = new UniquePages();
  const urls = ["https://a.test/", "https://a.test/ä", "https://a.test/", "https://a.test/ä", ""];
  assertEquals(urls.map((url) => pages.isNew(url)), [true, true, false, false, true]);
  assertEquals(pages.isFull, false);
});

Deno.test("UniquePages distinguishes a hundred thousand URLs", () => {
  const pages = new UniquePages();
  const count = () => {
    let fresh = 0;
    for (let at = 0; at < 100_000; at++) if (pages.isNew(`https://a.test/${at}`)) fresh++;
    return fresh;
  };
  assertEquals([count(), count()], [100_000, 0]);
});

Deno.test("UniquePages lets further URLs pass once it is full, and says so", () => {
  const pages = new UniquePages(2);
  assertEquals(["a", "b", "a"].map((url) => pages.isNew(url)), [true, true, false]);
  assertEquals(pages.isFull, false);
  assertEquals(["c", "c", "b"].map((url) => pages.isNew(url)), [true, true, false]);
  assertEquals(pages.isFull, true);
});
