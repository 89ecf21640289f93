/**
 * A database of an earlier version, with a fleet in the middle of a round: what is said of it, and how
 * it is brought up to date.
 *
 * @module
 */

import { assert, assertEquals, assertRejects } from "@std/assert";
import { openFleet } from "../../src/fleet/mod.ts";
import { OLDEST_VERSION, SCHEMA_VERSION, STEPS } from "../../src/sync/migrations.ts";
import { openSnapshot } from "../../src/sync/mod.ts";
import { pendingSteps } from "../../src/sync/schema.ts";
import { HAS_POSTGRES, startPostgres, type TestPostgres } from "../support/postgres.ts";
import { contentOf, FLEET_SQL, readAll, type StoredContent } from "../sync/schema_3.ts";
// @ts-types="npm:@types/pg@8.23.1"
import pg from "pg";

const NAMES = STEPS.map(({ name }) => name);
const RETRY_DELAYS = [0, 0, 0];
/** Options of its walks. */
const WALK = { useKnownPaths: false, useHomepage: false, retries: 0 } as const;

const CONTENT: StoredContent = await contentOf("fleet");
const SQL = await Deno.readTextFile(FLEET_SQL);

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const results = [await client.query(sql)].flat();
    return results.at(-1)!.rows;
  } finally {
    await client.end();
  }
}

Deno.test({
  name: "a database of schema 3",
  ignore: !HAS_POSTGRES,
  async fn(t) {
    await using server = await startPostgres();
    let count = 0;
    for (const [name, body] of TESTS) {
      await t.step(name, async () => {
        const database = `old_${++count}`;
        await query(server.url, `create database ${database}`);
        const url = server.urlOf(database);
        await query(url, SQL);
        await body(url, server);
      });
    }
  },
});

type Body = (url: string, server: TestPostgres) => Promise<void>;

const TESTS: (readonly [name: string, body: Body])[] = [
  ["that is opened to be read says what is pending", async (url) => {
    await using snapshot = await openSnapshot(url, { readOnly: true });
    assertEquals(await snapshot.migrations(), NAMES.map((name) => ({ name })));
    const error = await assertRejects(() => Array.fromAsync(snapshot.pages()), Error);
    assert(
      error.message.includes(
        `schema version 3 is older than ${SCHEMA_VERSION}; open it for writing`,
      ),
    );
    const [row] = await query(
      url,
      "select value::int from sitetree.setting where name = 'version'",
    );
    assertEquals(row, { value: 3 });
  }],
  ["has all it had after it was brought up to date", async (url) => {
    const { fleetRuns, fleetSites, ...content } = CONTENT;
    await using fleet = await openFleet(url);
    assertEquals(await readAll(fleet.snapshot), content);
    const steps = await fleet.snapshot.migrations();
    assertEquals(steps.map(({ name }) => name), NAMES);
    assert(steps.every(({ applied }) => applied !== undefined));
    const stored = [await fleet.runs(), await Array.fromAsync(fleet.sites("nightly"))];
    assertEquals(JSON.parse(JSON.stringify(stored)), [fleetRuns, fleetSites]);
  }],
  ["goes on with its round: what was left, waited or was being walked", async (url) => {
    const walked: string[] = [];
    const fetch = (address: string) => {
      const { hostname, origin, pathname } = new URL(address);
      if (pathname === "/robots.txt") {
        walked.push(hostname);
        return Promise.resolve(new Response(`Sitemap: ${origin}/sitemap.xml`));
      }
      return Promise.resolve(new Response(`${origin}/1\n${origin}/2\n${origin}/3`));
    };
    await using fleet = await openFleet(url, {
      walk: { ...WALK, fetch },
      retryDelays: RETRY_DELAYS,
    });
    const sites = CONTENT["fleetSites"] as { homepage: string; verdict?: string; tries: number }[];
    const due = sites.filter(({ verdict }) => verdict === undefined);
    assert(due.some(({ tries }) => tries > 0) && due.length < sites.length);
    // the leases of the worker that was killed have ended long ago
    await fleet.work({ drain: true });
    const hosts = due.map(({ homepage }) => new URL(homepage).hostname);
    assertEquals(walked.toSorted(), hosts.toSorted());
    const ended = await Array.fromAsync(fleet.sites("nightly"));
    assertEquals(ended.filter(({ verdict }) => verdict === undefined), []);
    const [paused] = await Array.fromAsync(fleet.sites("weekly"));
    assertEquals(paused!.verdict, undefined, "its run is paused");
    for (const [at, { homepage, verdict }] of ended.entries()) {
      const before = sites[at]!;
      assertEquals(verdict, before.verdict ?? "complete", homepage);
    }
    const options = await query(
      url,
      "select options from sitetree.fleet_site where options is not null",
    );
    assertEquals(options, [{ options: { wait: 1, headers: { "x-a": "b" } } }]);
  }],
  ["has the tables of a new one after it was brought up to date", async (url, server) => {
    await query(server.url, "create database fresh");
    const fresh = server.urlOf("fresh");
    for (const each of [url, fresh]) await (await openFleet(each)).close();
    assertEquals(await definitionsOf(url), await definitionsOf(fresh));
    assertEquals(await query(url, "select nspname from pg_namespace where nspname ~ 'queue'"), []);
  }],
  ["without a fleet is brought up to date by a snapshot", async (url, server) => {
    await query(url, DROP_FLEET);
    const { fleetRuns: _, fleetSites: _sites, ...content } = CONTENT;
    {
      await using snapshot = await openSnapshot(url);
      assertEquals(await readAll(snapshot), content);
    }
    await (await openFleet(url)).close();
    assertEquals(await definitionsOf(url), await definitionsOf(server.urlOf("fresh")));
  }],
  ["is brought up to date once by six that open it at the same time", async (url) => {
    const fleets = await Promise.all(Array.from({ length: 6 }, () => openFleet(url)));
    const { fleetRuns: _, fleetSites: _sites, ...content } = CONTENT;
    assertEquals(await readAll(fleets[5]!.snapshot), content);
    await Promise.all(fleets.map((fleet) => fleet.close()));
    const rows = await query(url, "select name from sitetree.migration order by applied, name");
    assertEquals(rows.map(({ name }) => name).toSorted(), NAMES.toSorted());
  }],
  ...STEPS.map((_, count): readonly [string, Body] => [
    `is brought up to date after a process that was stopped after ${count} steps`,
    async (url) => {
      for (const statements of pendingSteps("postgres", OLDEST_VERSION).slice(0, count)) {
        await query(url, `begin; ${statements}; commit`);
      }
      {
        await using snapshot = await openSnapshot(url, { readOnly: true });
        const all = await snapshot.migrations();
        const pending = all.filter(({ applied }) => applied === undefined);
        assertEquals(pending.map(({ name }) => name), NAMES.slice(count));
      }
      const { fleetRuns: _, fleetSites: _sites, ...content } = CONTENT;
      await using fleet = await openFleet(url);
      assertEquals(await readAll(fleet.snapshot), content);
    },
  ]),
  ...([
    [1, "schema version 1 is older than 3; move it away to start anew"],
    [2, "schema version 2 is older than 3; move it away to start anew"],
    [
      SCHEMA_VERSION + 1,
      `schema version ${SCHEMA_VERSION + 1} is newer than ${SCHEMA_VERSION}; update sitetree`,
    ],
  ] as const).map(([version, reason]): readonly [string, Body] => [
    `that has version ${version} is refused in one line`,
    async (url) => {
      await query(url, `update sitetree.setting set value = ${version} where name = 'version'`);
      const name = url.replace(/:[^:@/]*@/, "@");
      for (
        const open of [
          () => openFleet(url),
          () => openSnapshot(url),
          () => openSnapshot(url, { readOnly: true }),
        ]
      ) {
        const error = await assertRejects(open, Error);
        assertEquals(error.message, `Cannot use "${name}": ${reason}`);
      }
    },
  ]),
];

/** Leaves the tables of the snapshot alone. */
const DROP_FLEET = `do $$ declare f regprocedure; begin
  for f in select oid from pg_proc where pronamespace = 'sitetree'::regnamespace and proname not in
    ('take_numbers', 'return_numbers', 'head', 'hold')
  loop execute 'drop function ' || f; end loop;
  drop table sitetree.fleet_run, sitetree.fleet_site, sitetree.lease, sitetree.host, sitetree.tally;
  drop schema sitetree_queue cascade;
end $$`;

/** Returns columns, indexes, functions and views of the tables of a fleet. */
async function definitionsOf(url: string): Promise<unknown> {
  const space = "'sitetree'::regnamespace";
  const columns = await query(
    url,
    `select table_name, column_name, data_type, is_nullable, column_default
     from information_schema.columns where table_schema = 'sitetree' order by 1, 2`,
  );
  const others = await query(
    url,
    `select 'index' as kind, indexdef as text from pg_indexes where schemaname = 'sitetree'
     union all select 'function', pg_get_functiondef(oid) from pg_proc where pronamespace = ${space}
     union all select 'view', viewname || definition from pg_views where schemaname = 'sitetree'
     union all select 'options', relname || reloptions::text from pg_class
     where relnamespace = ${space} and reloptions is not null
     union all select 'constraint', conrelid::regclass || pg_get_constraintdef(oid)
     from pg_constraint where connamespace = ${space}
     order by 1, 2`,
  );
  return [columns, others];
}
