import { assert } from "@std/assert";
import { openFleet } from "../../src/fleet/mod.ts";
import { Postgres } from "../../src/sync/postgres.ts";
import { HAS_POSTGRES, startPostgres } from "../support/postgres.ts";

/** Milliseconds of the pause, and those by which clocks may be rounded. */
const PAUSE = 3000, TOLERANCE = 100;

Deno.test({
  name: "a claim obeys a pause that is written while it waits for the host",
  ignore: !HAS_POSTGRES,
  async fn() {
    await using server = await startPostgres();
    const database = await Postgres.open(server.url, { connections: 2 });
    let requested = 0;
    await using fleet = await openFleet(server.url, {
      walk: {
        useKnownPaths: false,
        fetch: () => {
          requested ||= Date.now();
          return Promise.resolve(new Response(null, { status: 404 }));
        },
      },
    });
    await fleet.enqueue("r", ["https://a.test/"]);
    let end = 0;
    let work: Promise<void> | undefined;
    // as a worker that is about to leave the host
    await database.transaction(async (session) => {
      await session.query("set local idle_in_transaction_session_timeout = 0");
      await session.query(
        `insert into sitetree.lease (host, slot, run, site, fence, owner, is_own, until)
         values ('a.test', 0, 0, 0, 0, 'other', true, now() + interval '1h')`,
      );
      work = fleet.work({ drain: true });
      const waits = "select from pg_stat_activity where wait_event_type = 'Lock'";
      while ((await database.query(waits)).count === 0) {
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      end = Date.now() + PAUSE;
      await session.query(
        "insert into sitetree.host values ('a.test', clock_timestamp() + $1 * interval '1 ms')",
        [PAUSE],
      );
      await session.query("delete from sitetree.lease where owner = 'other'");
    });
    await work;
    await database.close();
    assert(requested >= end - TOLERANCE, `sent ${end - requested} ms before the end of the pause`);
  },
});
