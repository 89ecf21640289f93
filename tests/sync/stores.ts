/** Tests of snapshots in every place where they can be. @module */

// @ts-types="npm:@types/pg@8.23.1"
import pg from "pg";
import { HAS_POSTGRES, startPostgres } from "../support/postgres.ts";

/** Returns where a new snapshot may be. The one before it may go. */
export type NewLocation = () => Promise<string>;

export type DefineTest = (name: string, test: (location: NewLocation) => Promise<void>) => void;

/** Lane of `tools/test.ts`; all tests run without one. */
const LANE = Deno.env.get("SITETREE_LANE");

/** Defines a test that needs no store, in the lane of SQLite. */
export function withoutStore(name: string, test: () => void | Promise<void>): void {
  if (LANE !== "slow") Deno.test(name, test);
}

/**
 * Returns a function that defines a test in SQLite, and in PostgreSQL the same one as a step of a test
 * with a name, so that all of them share a server. SQLite is in the fast lane, PostgreSQL in the slow
 * one.
 */
export function inEachStore(name: string): DefineTest {
  const steps: Parameters<DefineTest>[] = [];
  if (LANE !== "fast") {
    Deno.test({
      name: `${name}, in PostgreSQL`,
      ignore: !HAS_POSTGRES,
      async fn(t) {
        await using server = await startPostgres();
        const location = async () => {
          await execute(server.url, EMPTY);
          return server.url;
        };
        for (const [step, test] of steps) await t.step(step, () => test(location));
      },
    });
  }
  return (step, test) => {
    if (LANE !== "slow") Deno.test(step, () => withFiles(test));
    steps.push([step, test]);
  };
}

/** Empties a snapshot, if there is one, which takes a tenth of the time of dropping it. */
const EMPTY = `do $$ begin
  if to_regclass('sitetree.setting') is null then return; end if;
  truncate sitetree.stored_site, sitetree.stored_run, sitetree.stored_sitemap,
    sitetree.stored_listing, sitetree.stored_page, sitetree.other_listing, sitetree.lost_listing,
    sitetree.stored_change, sitetree.stored_commit, sitetree.consumer cascade;
  perform setval('sitetree.change_number', 0), setval('sitetree.run_number', 1, false),
    setval('sitetree.site_number', 1, false);
  update sitetree.setting set value = 0 where name like 'pruned%';
end $$`;

async function withFiles(test: (location: NewLocation) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir(await memoryFolder());
  let count = 0;
  try {
    await test(() => Promise.resolve(`${folder}/${++count}.db`));
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Where files need no disk, since thousands of commits wait for one. */
async function memoryFolder(): Promise<Deno.MakeTempOptions> {
  const dir = "/dev/shm";
  const info = await Deno.stat(dir).catch(() => undefined);
  return info?.isDirectory ? { dir } : {};
}

export async function execute(url: string, sql: string): Promise<void> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    await client.query(sql);
  } finally {
    await client.end();
  }
}
