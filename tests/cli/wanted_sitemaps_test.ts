import { assertEquals } from "@std/assert";
import { walk } from "../../mod.ts";
import { wantedSitemaps } from "../../src/cli/wanted_sitemaps.ts";
import { serveSite } from "../support/fixture_server.ts";

Deno.test("wantedSitemaps() leaves out what stands at known paths, with all below and in the counts", async () => {
  await using server = serveSite("demo");
  const skipped: string[] = [];
  const read = async (useRobots: boolean) => {
    const batches = walk(server.url, { useRobots }).batches();
    const wanted = wantedSitemaps(
      batches,
      (url) => !/sitemap_/.test(url),
      (url) => void skipped.push(new URL(url).pathname),
    );
    return (await Array.fromAsync(wanted)).flat();
  };

  // robots.txt declares an index of that name: that is no known path then.
  const declared = await read(true);
  assertEquals(skipped.splice(0), ["/sitemap_news.xml"]);
  const pages = declared.filter(({ type }) => type === "page").length;
  const finished = declared.at(-1);
  assertEquals(finished?.type === "finished" && finished.stats.pages, pages);
  assertEquals(pages, 19);

  const guessed = await read(false);
  assertEquals(skipped, ["/sitemap_index.xml", "/sitemap_news.xml"]);
  assertEquals(guessed.map(({ type }) => type), ["sitemap-entered", "sitemap-left", "finished"]);
  const end = guessed.at(-1);
  if (end?.type !== "finished") throw new Error("not finished");
  const { sitemaps, pages: none, invalid, warnings } = end.stats;
  assertEquals({ sitemaps, none, invalid, warnings }, {
    sitemaps: 0,
    none: 0,
    invalid: 0,
    warnings: 0,
  });
});
