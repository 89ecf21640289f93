import { assert, assertEquals } from "@std/assert";
import { openPostgres } from "../../src/fleet/postgres.ts";
import { HAS_POSTGRES, startPostgres } from "../support/postgres.ts";
import type { Failpoint } from "./failing_database.ts";
import { runWithFailpoints } from "./failpoint_run.ts";

/** Statements that only transactions of one kind have. */
const KINDS: Readonly<Record<string, RegExp>> = {
  claim: /insert into sitetree\.lease/,
  batch: /insert into sitetree\.page/,
  finish: /outcome = case/,
  split: /insert into sitetree\.unit/,
  fail: /set failures/,
  "hand-back": /set crashes = \$3\s+where/,
  bury: /verdict = 'dead'/,
};

Deno.test({
  name: "a fleet is consistent after its connection breaks at any point of any transaction",
  ignore: !HAS_POSTGRES,
  async fn() {
    await using server = await startPostgres();
    const database = await openPostgres(server.url, { connections: 16, leaseSeconds: 10 });
    const broken = new Set<string>();
    // each point once: what is repeated gets further each time
    const breaksAt = ({ id }: Failpoint) => !broken.has(id) && broken.add(id) !== undefined;
    try {
      const points = await runWithFailpoints(database, {
        ...{ run: "run", seed: 1, fleets: 12, sites: 4, breaksAt },
      });
      assertEquals(broken.size, points.size);
      for (const [name, statement] of Object.entries(KINDS)) {
        const phases = [...points.values()]
          .filter(({ sql, isTransaction }) => isTransaction && statement.test(sql))
          .map(({ phase }) => phase);
        assert(
          phases.includes("before") && phases.includes("after"),
          `nothing of "${name}" failed`,
        );
      }
    } finally {
      await database.close();
    }
  },
});
