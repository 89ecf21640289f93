import { assert, assertEquals } from "@std/assert";
import { PostgresProxy } from "../support/postgres_proxy.ts";
import { openFleet } from "../../src/fleet/mod.ts";
import { testFleets, verdictsOf } from "./with_fleets.ts";

/** Sites that are walked one after the other, so that none shares a claim with others. */
const SITES = 50;
/** Most messages to the server for each site, by round. */
const LIMITS = [10, 8] as const;

/** Statements that are for all sites: upkeep and heartbeats. */
const SHARED = /sitetree\.recover|update sitetree\.lease l set until/;

/** A small site: robots.txt, and a sitemap with a few pages. */
function answer(address: string, init: RequestInit): Promise<Response> {
  const { origin, pathname } = new URL(address);
  const headers = { etag: '"1"' };
  if (new Headers(init.headers).get("if-none-match") === '"1"') {
    return Promise.resolve(new Response(null, { status: 304, headers }));
  }
  const body = pathname === "/robots.txt"
    ? `Sitemap: ${origin}/s`
    : Array.from({ length: 20 }, (_, at) => `${origin}/${at}`).join("\n");
  return Promise.resolve(new Response(body, { headers }));
}

testFleets("a small site", {
  "takes few messages to the server": async ({ url }) => {
    let count = 0;
    await using proxy = new PostgresProxy(url, {
      onMessage: (_number, text) => void (count += SHARED.test(text) ? 0 : 1),
    });
    await using fleet = await openFleet(proxy.url, {
      walk: { useKnownPaths: false, fetch: answer },
    });
    const homes = Array.from({ length: SITES }, (_, at) => `http://site${at}.test/`);
    for (const [at, limit] of LIMITS.entries()) {
      await fleet.enqueue("run", homes);
      count = 0;
      await fleet.work({ slots: 1, drain: true });
      assertEquals(Object.values(await verdictsOf(fleet)), homes.map(() => "complete"));
      const each = count / SITES;
      console.log(`${at === 0 ? "new" : "unchanged"}: ${each} messages for each site`);
      // the queue is filled once for all, and looked at when it is empty
      assert(Math.round(each) <= limit, `${each} messages`);
    }
  },
});
