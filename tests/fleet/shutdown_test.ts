import { assertEquals } from "@std/assert";
import { ScriptedFetch } from "../http/scripted_fetch.ts";
import { siteOf } from "./documents.ts";
import { testFleets } from "./with_fleets.ts";

const HOME = "https://a.test/";

testFleets("work()", {
  "hands a site back if it is stopped between two sitemaps": async (database) => {
    const { fetch } = new ScriptedFetch(siteOf(HOME, { "a.xml": ["1"], "b.xml": ["2"] }));
    for (const path of ["robots.txt", "a.xml"]) {
      const stop = new AbortController();
      const fleet = await database.open({
        walk: {
          concurrency: 1,
          fetch,
          onRequest: ({ phase, url }) => {
            // while the sitemap is written
            if (phase === "response" && url === HOME + path) setTimeout(() => stop.abort());
          },
        },
      });
      await fleet.enqueue(path, [HOME]);
      await fleet.work({ signal: stop.signal });
      const [site] = await Array.fromAsync(fleet.sites(path));
      assertEquals([path, site?.verdict], [path, undefined]);
      await fleet.drop(path);
    }
  },
});
