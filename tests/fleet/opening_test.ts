import { assertEquals, assertRejects } from "@std/assert";
import { openFleet } from "../../src/fleet/mod.ts";
import { openSnapshot, PostgresError } from "../../src/sync/mod.ts";
import { execute } from "../sync/stores.ts";
import { silence } from "../http/scripted_fetch.ts";
import { checkRun, pagesOf, testFleets, verdictsOf } from "./with_fleets.ts";

const HOME = "http://a.test/";
const DATABASES = 12, OPENERS = 6;

/** Brings the tables up to a version that does not exist yet, or back. */
const UPGRADE = "update sitetree.setting set value = value + 1 where name = 'version'";
const DOWNGRADE = "update sitetree.setting set value = value - 1 where name = 'version'";

/** Asserts that a database is refused in one line. */
async function assertNewer(action: () => Promise<unknown>): Promise<void> {
  const error = await assertRejects(action, PostgresError, "is newer than");
  assertEquals([error.code, error.message.split("\n").length], ["newer-schema", 1]);
}

testFleets("openFleet()", {
  "creates the tables once if many open an empty database at once": async ({ server }) => {
    for (let at = 0; at < DATABASES; at++) {
      const name = `empty_${at}`;
      await execute(server.url, `create database ${name}`);
      const url = server.urlOf(name);
      const opening = Array.from({ length: OPENERS }, () => openFleet(url, { connections: 2 }));
      const opened = await Promise.allSettled(opening);
      const faults = opened.flatMap((result) =>
        result.status === "rejected" ? [String(result.reason)] : []
      );
      const fleets = opened.flatMap((result) => result.status === "fulfilled" ? result.value : []);
      const added = await Promise.all(
        fleets.map((fleet, number) => fleet.enqueue(`run ${number}`, [HOME])),
      );
      const runs = await fleets.at(-1)?.runs();
      await Promise.all(fleets.map((fleet) => fleet.close()));
      assertEquals(faults, [], name);
      assertEquals([added, runs?.length], [added.map(() => 1), OPENERS], name);
    }
  },

  "refuses tables of a newer version": async ({ url, query }) => {
    await query(UPGRADE);
    for (const open of [() => openFleet(url), () => openSnapshot(url)]) await assertNewer(open);
    await assertNewer(() => openSnapshot(url, { readOnly: true }));
  },
});

testFleets("work()", {
  "ends, and hands its sites back, when the tables are brought up to a newer version": async (
    database,
  ) => {
    const asked = Promise.withResolvers<void>();
    const fleet = await database.open({
      leaseSeconds: 600,
      walk: {
        fetch: async (url, init) => {
          asked.resolve();
          return await silence()(url, init);
        },
      },
    });
    await fleet.enqueue("run", [HOME]);
    const working = fleet.work();
    await asked.promise;
    await Promise.all([assertNewer(() => working), database.query(UPGRADE)]);
    const [site] = await database.query(
      `select crashes, tries, due <= clock_timestamp() as is_due,
         (select count(*)::int from sitetree.lease) as leases from sitetree.fleet_site`,
    );
    assertEquals(site, { crashes: 0, tries: 0, is_due: true, leases: 0 });
    await database.query(DOWNGRADE);
    await checkRun(database, { isSettled: false });
    const other = await database.open({
      walk: { fetch: () => Promise.resolve(new Response(null, { status: 404 })) },
    });
    await other.work({ drain: true });
    assertEquals([await verdictsOf(other), await pagesOf(other)], [{ [HOME]: "none" }, []]);
    await checkRun(database);
  },
});
