/** The roles of a fleet, with the grants that the page has: what each of them can do, and what not. @module */

import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
// @ts-types="npm:@types/pg@8.23.1"
import pg from "pg";
import { openFleet } from "../../src/fleet/mod.ts";
import { openSnapshot } from "../../src/sync/mod.ts";
import { HAS_POSTGRES, startPostgres } from "../support/postgres.ts";
import { FLEET_SQL } from "../sync/schema_3.ts";
import { codeBlocks, readText, section } from "./markdown.ts";

const [CREATE, EXISTING, CONSUMER, OPTIONS] = codeBlocks(
  section(readText("docs/fleet-sql.md"), "Roles"),
).map(({ code }) => code) as [string, string, string, string];

const DENIED = "42501";
const VIEWS = ["site", "run", "sitemap", "page", "change"];

const fetch = (address: string): Promise<Response> => {
  const { origin, pathname } = new URL(address);
  const body = pathname === "/robots.txt" ? `Sitemap: ${origin}/s.txt` : `${origin}/a\n${origin}/b`;
  return Promise.resolve(new Response(body));
};

const WALK = { fetch, retries: 0, useKnownPaths: false, useHomepage: false } as const;

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return [await client.query(sql)].flat().at(-1)!.rows;
  } finally {
    await client.end();
  }
}

async function assertDenied(url: string, statements: readonly string[]): Promise<void> {
  for (const sql of statements) {
    const error = await assertRejects(() => query(url, sql), Error, undefined, sql);
    assertEquals((error as Error & { code?: string }).code, DENIED, sql);
  }
}

async function tablesOf(url: string): Promise<string[]> {
  const rows = await query(url, "select tablename from pg_tables where schemaname = 'sitetree'");
  return rows.map(({ tablename }) => `sitetree.${tablename}`);
}

/** Returns the connection strings of a database for each role. */
function urlsOf(url: string): { owner: string; worker: string; reader: string } {
  const of = (role: string) => url.replace("postgres@", `sitetree_${role}@`);
  return { owner: of("owner"), worker: of("worker"), reader: of("reader") };
}

/** What each role can do, and what not, once the owner has created the tables. */
async function checkRoles(url: string): Promise<void> {
  const { owner, worker, reader } = urlsOf(url);
  const tables = await tablesOf(url);
  assert(tables.length > 15);
  {
    await using fleet = await openFleet(worker, { walk: WALK });
    await fleet.enqueue("nightly", ["https://a.test/", "https://b.test/"]);
    await fleet.work({ drain: true });
    await fleet.retry("nightly", { verdict: "complete" });
    await fleet.work({ drain: true });
    await fleet.snapshot.ack("worker", 1);
    await fleet.snapshot.forget("https://b.test/");
    await fleet.snapshot.prune({ keepChanges: 1, keepQuietRuns: 0 });
    await fleet.enqueue("other", ["https://c.test/"]);
    await fleet.drop("other");
  }
  await assertDenied(worker, [
    "create table sitetree.more (id int)",
    "create function sitetree.more() returns int language sql as 'select 1'",
    "create schema more",
    "alter table sitetree.setting add column more int",
    "drop schema sitetree cascade",
    ...tables.flatMap((name) => [`drop table ${name} cascade`, `truncate ${name}`]),
  ]);
  {
    await using snapshot = await openSnapshot(reader, { readOnly: true });
    const all = [snapshot.sites(), snapshot.runs(), snapshot.pages(), snapshot.changes()];
    for (const rows of all) assert((await Array.fromAsync<unknown>(rows)).length > 0);
    assertEquals((await Array.fromAsync(snapshot.sitemaps("https://a.test/"))).length, 2);
    assertEquals(await snapshot.head(), 6);
    assert((await snapshot.migrations()).every(({ applied }) => applied !== undefined));
    await using fleet = await openFleet(reader);
    const [run] = await fleet.runs();
    assertEquals([run!.id, run!.total], ["nightly", 2]);
    assertEquals((await Array.fromAsync(fleet.sites("nightly"))).length, 2);
    for await (const { done } of fleet.progress("nightly")) assertEquals(done, 2);
  }
  for (const view of VIEWS) {
    assert((await query(reader, `select * from sitetree.${view}`)).length > 0, view);
  }
  await assertDenied(reader, [
    "create table sitetree.more (id int)",
    "drop schema sitetree cascade",
    "select nextval('sitetree.run_number')",
    "select setval('sitetree.change_number', 0)",
    "select sitetree.take_numbers(1)",
    ...tables.flatMap((name) => [
      `insert into ${name} default values`,
      `delete from ${name}`,
      `drop table ${name} cascade`,
      `truncate ${name}`,
    ]),
    "update sitetree.setting set value = 0",
  ]);
  await query(owner, "create table sitetree.more (id int); drop table sitetree.more");
}

Deno.test({
  name: "the roles of the page on SQL do their job, and nothing else",
  ignore: !HAS_POSTGRES,
  async fn(t) {
    await using server = await startPostgres();
    await query(server.url, "create database fresh");
    const fresh = server.urlOf("fresh");
    await query(fresh, CREATE);

    await t.step("a worker cannot create the tables, and says who can", async () => {
      for (const url of [urlsOf(fresh).worker, urlsOf(fresh).reader]) {
        const error = await assertRejects(() => openFleet(url), Error);
        const reason = "its owner has to create its tables, or bring them up to date";
        assertEquals(error.message, `Cannot use "${url}": ${reason}`);
      }
    });
    await t.step("in a new database", async () => {
      await (await openFleet(urlsOf(fresh).owner)).close();
      await checkRoles(fresh);
    });
    const existing = CREATE.replace(/^create (?:role|schema) .*\n/gm, "") + EXISTING;
    /** Creates a database whose tables the owner has created, before there were other roles. */
    const withTables = async (name: string, create: (owner: string) => Promise<unknown>) => {
      await query(server.url, `create database ${name}`);
      await query(server.url, `grant create on database ${name} to sitetree_owner`);
      const url = server.urlOf(name);
      await create(urlsOf(url).owner);
      await query(urlsOf(url).owner, existing);
      return url;
    };
    await t.step("in a database that has the tables", async () => {
      await checkRoles(
        await withTables("old", async (owner) => await (await openFleet(owner)).close()),
      );
    });
    await t.step("after the tables of an earlier version were brought up to date", async () => {
      const sql = await Deno.readTextFile(FLEET_SQL);
      const url = await withTables("earlier", (owner) => query(owner, sql));
      const { owner, worker, reader } = urlsOf(url);
      for (const early of [worker, reader]) {
        const error = await assertRejects(() => openFleet(early), Error);
        assertMatch(error.message, /its owner has to create its tables, or bring them up to date$/);
      }
      await (await openFleet(owner)).close();
      for (const view of VIEWS) {
        assert((await query(reader, `select * from sitetree.${view}`)).length > 0, view);
      }
      await using fleet = await openFleet(worker, { walk: WALK });
      await fleet.enqueue("more", ["https://more.test/"]);
      await fleet.work({ drain: true });
      await using snapshot = await openSnapshot(reader, { readOnly: true });
      assertEquals((await Array.fromAsync(snapshot.pages("https://more.test/"))).length, 2);
    });
    await t.step("a reader that is a consumer", async () => {
      const { owner, reader } = urlsOf(fresh);
      await assertDenied(reader, ["insert into sitetree.consumer values ('indexer', 1)"]);
      await query(owner, CONSUMER);
      await using snapshot = await openSnapshot(reader, { readOnly: true });
      await snapshot.ack("indexer", 5);
      assertEquals((await Array.fromAsync(snapshot.changes({ consumer: "indexer" }))).length, 1);
    });
    await t.step("a reader without the options of sites", async () => {
      const { owner, reader } = urlsOf(fresh);
      await query(owner, OPTIONS);
      await assertDenied(reader, ["select options from sitetree.fleet_site"]);
      await using fleet = await openFleet(reader);
      assertEquals((await Array.fromAsync(fleet.sites("nightly"))).length, 2);
    });
  },
});
