import { assert, assertEquals } from "@std/assert";
import { walk } from "../../mod.ts";
import { expectationOf, lastDocuments } from "./expectations.ts";
import { mappedFetch } from "./mapped_fetch.ts";
import { SiteServer } from "./site_server.ts";
import { createSite, planSites } from "./sites.ts";

Deno.test("planSites() returns 300 sites on 100 hosts, the same for a seed", () => {
  const sites = planSites(1);
  assertEquals(sites.length, 300);
  assertEquals(new Set(sites.map(({ host }) => host)).size, 100);
  assertEquals(new Set(sites.map(({ authority }) => authority)).size, 300);
  const named = (seed: number) => planSites(seed).map(({ authority, shape }) => authority + shape);
  assertEquals(named(1), named(1));
  assert(named(1).join() !== named(2).join());
});

Deno.test("expectationOf() agrees with a walk of every shape", async () => {
  const shapes = [...new Set(planSites(1).map(({ shape }) => shape))]
    .filter((shape) => shape !== "poison" && shape !== "unavailable" && shape !== "busy");
  const sites = shapes.flatMap((shape, at) => [
    createSite(`a${at}.test:8001`, shape, at),
    // where redirects lead
    createSite(`www.a${at}.test:8001`, "target", at),
  ]);
  await using server = await SiteServer.listen(sites, { seed: 1, delay: 0 });
  const fetch = mappedFetch(server.url, 1);
  for (const site of sites) {
    const { url, ...options } = site.entry;
    const found = new Map<string, string[]>();
    let verdict = "";
    for await (
      const event of walk(url, { useKnownPaths: false, retries: 0, ...options, fetch })
    ) {
      if (event.type === "finished") verdict = event.verdict;
      if (event.type === "page") found.get(event.sitemap.url)!.push(event.page.url);
      if (event.type === "sitemap-entered" && event.sitemap.type === "PagesXmlSitemap") {
        found.set(event.sitemap.url, []);
      }
    }
    const documents = lastDocuments(server.log, []).get(site.authority)!;
    const expected = expectationOf(site, documents);
    assertEquals([site.shape, verdict], [site.shape, expected.verdict]);
    assertEquals(found, expected.sitemaps as Map<string, string[]>, site.shape);
  }
  assert(server.log.every(({ isServed }) => isServed));
});
