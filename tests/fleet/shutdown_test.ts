import { assertEquals } from "@std/assert";
import { openFleet } from "../../src/fleet/mod.ts";
import { HAS_POSTGRES, startPostgres } from "../support/postgres.ts";

const BODIES: Readonly<Record<string, string>> = {
  "/robots.txt": "Sitemap: https://a.test/a.xml\nSitemap: https://a.test/b.xml\n",
  "/a.xml": "<urlset><url><loc>https://a.test/1</loc></url></urlset>",
  "/b.xml": "<urlset><url><loc>https://a.test/2</loc></url></urlset>",
};

Deno.test({
  name: "work() hands a site back if it is stopped between two sitemaps",
  ignore: !HAS_POSTGRES,
  async fn() {
    await using server = await startPostgres();
    for (const path of ["/robots.txt", "/a.xml"]) {
      const stop = new AbortController();
      await using fleet = await openFleet(server.url, {
        walk: {
          useKnownPaths: false,
          concurrency: 1,
          fetch: (url) => Promise.resolve(new Response(BODIES[new URL(url).pathname] ?? null)),
          onRequest: ({ phase, url }) => {
            // while the sitemap is written
            if (phase === "response" && url.endsWith(path)) setTimeout(() => stop.abort());
          },
        },
      });
      await fleet.enqueue(path, ["https://a.test/"]);
      await fleet.work({ signal: stop.signal });
      const [site] = await Array.fromAsync(fleet.sites(path));
      assertEquals([path, site?.verdict], [path, undefined]);
      await fleet.drop(path);
    }
  },
});
