import { assertEquals } from "@std/assert";
import { UniquePages } from "../../src/bytes/unique_pages.ts";

Deno.test("UniquePages accepts the first occurrence of each URL", () => {
  const pages = new UniquePages();
  const urls = ["https://a.test/", "https://a.test/ä", "https://a.test/", "https://a.test/ä", ""];
  assertEquals(urls.map((url) => pages.add(url)), [true, true, false, false, true]);
  assertEquals(pages.isFull, false);
});

Deno.test("UniquePages distinguishes a hundred thousand URLs", () => {
  const pages = new UniquePages();
  const count = () => {
    let fresh = 0;
    for (let at = 0; at < 100_000; at++) if (pages.add(`https://a.test/${at}`)) fresh++;
    return fresh;
  };
  assertEquals([count(), count()], [100_000, 0]);
});

Deno.test("UniquePages accepts all further URLs once it is full", () => {
  const pages = new UniquePages(2);
  assertEquals(["a", "b", "a"].map((url) => pages.add(url)), [true, true, false]);
  assertEquals(pages.isFull, false);
  assertEquals(["c", "c", "b"].map((url) => pages.add(url)), [true, true, false]);
  assertEquals(pages.isFull, true);
});
