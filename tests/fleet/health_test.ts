import { assertEquals } from "@std/assert";
import { Health } from "../../src/fleet/health.ts";
import type { WorkEvent } from "../../src/fleet/mod.ts";

Deno.test("a worker is in health while the database answers and leases are extended", () => {
  const pulse = { type: "pulse", walks: 3, late: 0 } as const;
  const lost = { type: "database-lost", reason: "connect ECONNREFUSED" } as const;
  const found = { type: "database-found" } as const;
  const claimed = { type: "claimed", sites: 1 } as const;
  /** Events, each after some milliseconds; then the problem, and whether the database is up. */
  const rows: readonly (readonly [
    events: readonly (WorkEvent | number)[],
    problem: string | undefined,
    isUp: boolean,
  ])[] = [
    [[], undefined, true],
    [[10_000], undefined, true],
    [[10_100], "no answer from the database for 10.1 s", false],
    [[9000, pulse, 9000], undefined, true],
    [[9000, claimed, 9000], "no answer from the database for 18.0 s", false],
    [[pulse, lost], "lost the connection to the database: connect ECONNREFUSED", false],
    [[lost, 60_000], "lost the connection to the database: connect ECONNREFUSED", false],
    [[lost, 60_000, found], undefined, true],
    [[lost, found, 11_000], "no answer from the database for 11.0 s", false],
    [[{ ...pulse, late: 2 }], "2 leases not extended in time", true],
    [[{ ...pulse, late: 1 }, claimed], "1 lease not extended in time", true],
    [[{ ...pulse, late: 1 }, pulse], undefined, true],
    [[{ ...pulse, late: 1 }, lost, found], undefined, true],
  ];
  for (const [events, problem, isUp] of rows) {
    let now = 5;
    const health = new Health(() => now);
    for (const event of events) {
      if (typeof event === "number") now += event;
      else health.add(event);
    }
    assertEquals([events, health.problem, health.isDatabaseUp], [events, problem, isUp]);
  }
});
