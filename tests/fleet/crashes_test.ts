import { assertEquals } from "@std/assert";
import { openFleet } from "../../src/fleet/mod.ts";
import { Postgres } from "../../src/sync/postgres.ts";
import { HAS_POSTGRES, startPostgres } from "../support/postgres.ts";

/** Milliseconds in which something must have been read. */
const LIMIT = 20_000;

/** Bodies by path; all others never arrive. */
const BODIES: Readonly<Record<string, string>> = {
  "/robots.txt": "Sitemap: https://a.test/a.txt\nSitemap: https://a.test/b.txt\n",
  "/a.txt": "https://a.test/1\n",
};

Deno.test({
  name: "a walk that has read something is the first in a row that may stop its worker",
  ignore: !HAS_POSTGRES,
  async fn() {
    await using server = await startPostgres();
    const database = await Postgres.open(server.url, { connections: 1 });
    const stop = new AbortController();
    await using fleet = await openFleet(server.url, {
      walk: {
        useKnownPaths: false,
        fetch: (url, { signal }) =>
          BODIES[new URL(url).pathname] !== undefined
            ? Promise.resolve(new Response(BODIES[new URL(url).pathname]))
            : new Promise((_, reject) =>
              signal?.addEventListener("abort", () => reject(signal.reason))
            ),
      },
    });
    await fleet.enqueue("r", ["https://a.test/"]);
    await database.query("update sitetree.fleet_site set crashes = 4");
    const crashes = async () => {
      const { rows: [row] } = await database.query<{ crashes: number }>(
        "select crashes from sitetree.fleet_site",
      );
      return row!.crashes;
    };
    const work = fleet.work({ signal: stop.signal });
    try {
      const end = Date.now() + LIMIT;
      while (Date.now() < end && await crashes() !== 1) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      assertEquals(await crashes(), 1);
    } finally {
      stop.abort();
      await work;
      await database.close();
    }
  },
});
