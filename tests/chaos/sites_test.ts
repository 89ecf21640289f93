import { assert, assertEquals } from "@std/assert";
import { walk } from "../../mod.ts";
import { expectationsOf, type ExpectedPage } from "../../tools/chaos/expectations.ts";
import { mappedFetch } from "../../tools/chaos/mapped_fetch.ts";
import { SiteServer } from "../../tools/chaos/site_server.ts";
import { createSite, planSites } from "../../tools/chaos/sites.ts";

Deno.test("planSites() returns 300 sites on 100 hosts, the same for a seed", () => {
  const sites = planSites(1);
  assertEquals(sites.length, 300);
  assertEquals(new Set(sites.map(({ host }) => host)).size, 100);
  assertEquals(new Set(sites.map(({ authority }) => authority)).size, 300);
  const named = (seed: number) => planSites(seed).map(({ authority, shape }) => authority + shape);
  assertEquals(named(1), named(1));
  assert(named(1).join() !== named(2).join());
});

Deno.test("expectationsOf() agrees with walks of every shape in every round", async () => {
  const shapes = [...new Set(planSites(1).map(({ shape }) => shape))]
    .filter((shape) => shape !== "poison" && shape !== "flaky" && shape !== "busy");
  const sites = shapes.flatMap((shape, at) => [
    createSite(`a${at}.test:8001`, shape, at),
    // where redirects lead
    createSite(`www.a${at}.test:8001`, "target", at),
  ]);
  await using server = await SiteServer.listen(sites, { seed: 1, delay: 0 });
  const fetch = mappedFetch(server.url, 1);
  for (const round of [0, 1]) {
    server.beginRound(round);
    const expectations = expectationsOf(sites, round);
    for (const { authority, shape, entry } of sites) {
      const { url, ...options } = entry;
      const pages = new Map<string, ExpectedPage>();
      let verdict = "";
      for await (
        const event of walk(url, { useKnownPaths: false, retries: 0, ...options, fetch })
      ) {
        if (event.type === "finished") verdict = event.verdict;
        if (event.type !== "page" || pages.has(event.page.url)) continue;
        const { page, sitemap } = event;
        const requested = sitemap.requestedUrl ?? sitemap.url;
        pages.set(page.url, { lastmod: page.lastModified!, sitemap: requested });
      }
      assertEquals([shape, { verdict, pages }], [shape, expectations.get(authority)]);
    }
  }
  assert(server.log.every(({ isServed }) => isServed));
});
