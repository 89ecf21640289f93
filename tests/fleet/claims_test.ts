import { assertEquals } from "@std/assert";
import { Postgres } from "../../src/sync/postgres.ts";
import { ScriptedFetch } from "../http/scripted_fetch.ts";
import { startWorker, testFleets, until } from "./with_fleets.ts";

/** Statements that are true once a claim waits for a host, and once its site is put off for the pause. */
const WAITS = `select from pg_stat_activity
  where wait_event_type = 'Lock' and query like '%sitetree.claim%'`;
const PUT_OFF = "select from sitetree.fleet_site where due > clock_timestamp() + interval '30 min'";

testFleets("a claim", {
  "obeys a pause that is written while it waits for the host": async ({ url, query, open }) => {
    const has = async (sql: string) => (await query(sql)).length > 0;
    const script = new ScriptedFetch({});
    const fleet = await open({ walk: { fetch: script.fetch } });
    await fleet.enqueue("r", ["https://a.test/"]);
    let stop: (() => Promise<void>) | undefined;
    // as a worker that is about to leave the host
    const other = await Postgres.open(url, { connections: 1 });
    await other.transaction(async (session) => {
      await session.query(
        `insert into sitetree.lease (host, slot, run, site, fence, owner, is_own, until)
         values ('a.test', 0, 0, 0, 0, 'other', true, now() + interval '1h')`,
      );
      stop = startWorker(fleet);
      await until(() => has(WAITS));
      await session.query(
        "insert into sitetree.host values ('a.test', clock_timestamp() + interval '1h')",
      );
      await session.query("delete from sitetree.lease where owner = 'other'");
    });
    await other.close();
    await until(async () => script.requests.length > 0 || await has(PUT_OFF));
    await stop!();
    assertEquals(script.urls, []);
  },

  "that is handed back leaves its site settled, whose commit got no answer": async (
    { query, open },
  ) => {
    const fleet = await open({ walk: { fetch: new ScriptedFetch({}).fetch } });
    await fleet.enqueue("r", ["https://a.test/"]);
    await fleet.work({ drain: true });
    const state = "select due, round, verdict from sitetree.fleet_site";
    const settled = await query(state);
    assertEquals(settled.length, 1);
    await query(`select sitetree.hand_back(f.run, s.id, s.fence, 0)
      from sitetree.fleet_site f join sitetree.stored_site s on s.id = f.site`);
    assertEquals(await query(state), settled);
  },
});
