import { assert, assertEquals } from "@std/assert";
import { PostgresProxy } from "../support/postgres_proxy.ts";
import { openFleet } from "../../src/fleet/mod.ts";
import { checkRun, testFleets, verdictsOf } from "./with_fleets.ts";

/** Sites that are walked one after the other, so that none shares a claim with others. */
const SITES = 50;
/** Most messages to the server for each site, by round. */
const LIMITS = [5, 3] as const;

/** Statements that are for all sites: upkeep and heartbeats. */
const SHARED = /sitetree\.recover|sitetree\.setting|pg_class|update sitetree\.lease l set until/;

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
      assert(Math.round(each) <= limit, `${each} messages`);
    }
  },

  "has its row in the queue updated twice in a visit": async (database) => {
    const { open, query } = database;
    await query(`create table public.updated (site bigint);
      create function public.note() returns trigger language plpgsql as $$
        begin insert into public.updated values (new.site); return null; end $$;
      create trigger note after update on sitetree.fleet_site
        for each row execute function public.note()`);
    const homes = Array.from({ length: SITES }, (_, at) => `http://site${at}.test/`);
    const fleet = await open({ walk: { fetch: answer } });
    for (const round of [1, 2]) {
      await fleet.enqueue("run", homes);
      // a round that is enqueued again updates its rows too
      await query("truncate public.updated");
      await fleet.work({ drain: true });
      const counts = await query("select site, count(*)::int from public.updated group by site");
      assertEquals(counts.map(({ count }) => count), homes.map(() => 2), `round ${round}`);
      await checkRun(database);
    }
  },

  "has no sitemap rewritten that is unchanged, and has no validators": async ({ open, query }) => {
    const fleet = await open({
      walk: {
        fetch: async (url, init) => {
          const response = await answer(url, init);
          return new Response(response.body);
        },
      },
    });
    const rows = () =>
      query("select ctid::text, xmin::text, m.* from sitetree.stored_sitemap m order by site, id");
    await fleet.enqueue("run", ["http://a.test/"]);
    await fleet.work({ drain: true });
    const before = await rows();
    assertEquals(before.map(({ url }) => url), ["http://a.test/robots.txt", "http://a.test/s"]);
    await fleet.enqueue("run", ["http://a.test/"]);
    await fleet.work({ drain: true });
    assertEquals(await rows(), before);
    const runs = await Array.fromAsync(fleet.snapshot.runs("http://a.test/"));
    const found = runs.map(({ verdict, added, unchanged }) => [verdict, added, unchanged]);
    assertEquals(found.sort(), [["complete", 0, 20], ["complete", 20, 0]]);
  },
});
