import { assertEquals } from "@std/assert";
import { openFleet } from "../../src/fleet/mod.ts";
import { Postgres } from "../../src/sync/postgres.ts";
import { ScriptedFetch } from "../http/scripted_fetch.ts";
import { HAS_POSTGRES, patient, startPostgres } from "../support/postgres.ts";
import { until } from "./with_fleets.ts";

/** Statements that are true once a claim waits for a host, and once its site is put off for the pause. */
const WAITS = `select from pg_stat_activity
  where wait_event_type = 'Lock' and query like '%sitetree.claim%'`;
const PUT_OFF = "select from sitetree.fleet_site where due > clock_timestamp() + interval '30 min'";

Deno.test({
  name: "a claim obeys a pause that is written while it waits for the host",
  ignore: !HAS_POSTGRES,
  async fn() {
    await using server = await startPostgres();
    const url = patient(server.url);
    const database = await Postgres.open(url, { connections: 2 });
    const has = async (sql: string) => (await database.query(sql)).count > 0;
    const script = new ScriptedFetch({});
    const walk = { useKnownPaths: false, fetch: script.fetch };
    await using fleet = await openFleet(url, { walk });
    await fleet.enqueue("r", ["https://a.test/"]);
    const stop = new AbortController();
    let work: Promise<void> | undefined;
    // as a worker that is about to leave the host
    await database.transaction(async (session) => {
      await session.query(
        `insert into sitetree.lease (host, slot, run, site, fence, owner, is_own, until)
         values ('a.test', 0, 0, 0, 0, 'other', true, now() + interval '1h')`,
      );
      work = fleet.work({ signal: stop.signal });
      await until(() => has(WAITS));
      await session.query(
        "insert into sitetree.host values ('a.test', clock_timestamp() + interval '1h')",
      );
      await session.query("delete from sitetree.lease where owner = 'other'");
    });
    await until(async () => script.requests.length > 0 || await has(PUT_OFF));
    stop.abort();
    await work;
    await database.close();
    assertEquals(script.urls, []);
  },
});
