/**
 * Numbers of changes in PostgreSQL: in the order of commits for every reader, whatever the order is in
 * which transactions take them and end.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import { openSnapshot, type Snapshot, sync } from "../../src/sync/mod.ts";
import { delay, within } from "../fleet/with_fleets.ts";
import { HAS_POSTGRES, startPostgres } from "../support/postgres.ts";
import { PostgresProxy } from "../support/postgres_proxy.ts";
import { execute } from "./stores.ts";
// @ts-types="npm:@types/pg@8.23.1"
import pg from "pg";

/** Milliseconds after which something hangs. */
const TIME_LIMIT = 30_000;
/** Statements of the two messages of a commit with changes. */
const FIRST = /sitetree\.take_numbers/, SECOND = /insert into sitetree\.stored_page/;
const PROGRAM = new URL("crash_process.ts", import.meta.url);

/** Defines a test with a server, which fails if it hangs. */
function testNumbers(name: string, body: (url: string) => Promise<void>): void {
  Deno.test({
    name,
    ignore: !HAS_POSTGRES,
    async fn() {
      await using server = await startPostgres();
      await within(TIME_LIMIT, name, () => body(server.url));
    },
  });
}

function siteOf(count: number): (url: string) => Promise<Response> {
  return (address) => {
    const { origin, pathname } = new URL(address);
    const pages = Array.from({ length: count }, (_, at) => `${origin}/${at}`);
    const body = pathname === "/robots.txt" ? `Sitemap: ${origin}/s` : pages.join("\n");
    return Promise.resolve(new Response(body));
  };
}

async function syncSite(snapshot: Snapshot, host: string, count: number): Promise<void> {
  const options = { snapshot, useKnownPaths: false, retries: 0, fetch: siteOf(count) };
  await Array.fromAsync(sync(`http://${host}/`, options));
}

/** Returns the hosts of the changes after a number, and the last number. */
async function readAfter(snapshot: Snapshot, after: number): Promise<[string[], number]> {
  const changes = await Array.fromAsync(snapshot.changes({ after }));
  const numbers = changes.map(({ sequence }) => sequence);
  assertEquals(numbers, numbers.toSorted((one, other) => one - other));
  return [changes.map(({ page }) => new URL(page.url).hostname), numbers.at(-1) ?? after];
}

testNumbers("changes that are committed in reverse order are read in order", async (url) => {
  const held = Promise.withResolvers<void>();
  const isHeld = Promise.withResolvers<void>();
  await using proxy = new PostgresProxy(url, {
    onMessage: async (_number, text) => {
      if (!SECOND.test(text)) return;
      isHeld.resolve();
      await held.promise;
    },
  });
  await using slow = await openSnapshot(proxy.url);
  await using fast = await openSnapshot(url);
  await syncSite(fast, "before.test", 2);
  const [before, last] = await readAfter(fast, 0);
  assertEquals(before, ["before.test", "before.test"]);
  const syncing = syncSite(slow, "slow.test", 3);
  await isHeld.promise;
  await syncSite(fast, "fast.test", 2);
  // committed, but later in order than what may still come
  assertEquals(await readAfter(fast, last), [[], last]);
  assertEquals(await readAfter(slow, 0), [before, last]);
  assertEquals(await fast.head(), last);
  await fast.ack("consumer", last);
  held.resolve();
  await syncing;
  const slowHosts = ["slow.test", "slow.test", "slow.test"];
  const [hosts, end] = await readAfter(fast, last);
  assertEquals(hosts, [...slowHosts, "fast.test", "fast.test"]);
  assertEquals(await fast.head(), end);
  const consumed = await Array.fromAsync(fast.changes({ consumer: "consumer" }));
  assertEquals(consumed.map(({ page }) => new URL(page.url).hostname), hosts);
});

testNumbers("head() stops at the first transaction that may still commit", async (url) => {
  await using snapshot = await openSnapshot(url);
  const clients = [new pg.Client(url), new pg.Client(url)] as const;
  await Promise.all(clients.map((client) => client.connect()));
  const [one, other] = clients;
  try {
    assertEquals(await snapshot.head(), 0);
    for (const client of clients) {
      await client.query("begin");
      await client.query("select sitetree.take_numbers(5)");
      assertEquals(await snapshot.head(), 0);
    }
    await other.query("commit");
    assertEquals(await snapshot.head(), 0, "the first is still open");
    await one.query("rollback");
    assertEquals(await snapshot.head(), 10, "numbers that are not used any more are passed over");
    await one.query("begin");
    await one.query("select sitetree.take_numbers(5)");
    assertEquals(await snapshot.head(), 10);
    await one.query("select sitetree.return_numbers(15, 12)");
    await one.query("commit");
    assertEquals(await snapshot.head(), 12, "numbers that were taken last are given back");
  } finally {
    await Promise.all(clients.map((client) => client.end()));
  }
});

testNumbers("changes of other databases of the server are not waited for", async (url) => {
  await execute(url, "create database other");
  const otherUrl = url.replace(/postgres$/, "other");
  await using snapshot = await openSnapshot(url);
  await using other = await openSnapshot(otherUrl);
  await syncSite(snapshot, "a.test", 2);
  const client = new pg.Client(otherUrl);
  await client.connect();
  try {
    await client.query("begin");
    await client.query("select sitetree.take_numbers(5)");
    assertEquals([await snapshot.head(), await other.head()], [2, 0]);
  } finally {
    await client.end();
  }
});

const COMMITS_OF_STOPPED = [
  { name: "a process that is stopped in a commit repeats it", stops: 1, success: true },
  { name: "a process that is stopped in each commit gives up", stops: 4, success: false },
];

for (const { name, stops, success } of COMMITS_OF_STOPPED) {
  testNumbers(`${name}, and does not hold up readers`, async (url) => {
    const process = Promise.withResolvers<Deno.ChildProcess>();
    let stopped = 0;
    await using proxy = new PostgresProxy(url, {
      onMessage: async (_number, text) => {
        if (!FIRST.test(text) || stopped === stops) return;
        // the answer comes to a process that is stopped
        (await process.promise).kill("SIGSTOP");
        stopped++;
      },
    });
    await using snapshot = await openSnapshot(url);
    await using site = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      (request) => siteOf(3)(request.url),
    );
    const home = `http://127.0.0.1:${site.addr.port}/`;
    const options = JSON.stringify({ useKnownPaths: false, retries: 0 });
    const child = new Deno.Command(Deno.execPath(), {
      args: ["run", "--no-check", "--allow-all", PROGRAM.href, proxy.url, home, options],
      stdout: "null",
      stderr: "piped",
    }).spawn();
    process.resolve(child);
    const stderr = new Response(child.stderr).text();
    const client = new pg.Client(url);
    await client.connect();
    for (let stop = 1; stop <= stops; stop++) {
      while (await countIdle(client) === 0 || stopped < stop);
      await syncSite(snapshot, `other${stop}.test`, 2);
      const start = performance.now();
      const [before] = await readAfter(snapshot, 0);
      // its transaction is ended after 2 s
      while (await countIdle(client) > 0) await delay(50);
      const waited = performance.now() - start;
      assert(waited < 10_000, `${waited} ms`);
      assertEquals((await readAfter(snapshot, 0))[0].length, before.length + 2);
      child.kill("SIGCONT");
    }
    await client.end();
    assertEquals((await child.status).success, success, await stderr);
    // what it had to do is done by the next one
    if (!success) await Array.fromAsync(sync(home, { snapshot, useKnownPaths: false }));
    assertEquals((await Array.fromAsync(snapshot.pages(home))).length, 3);
    const [hosts] = await readAfter(snapshot, 0);
    assertEquals(hosts.filter((host) => host === "127.0.0.1").length, 3);
    assertEquals(hosts.length, 3 + 2 * stops);
  });
}

/** Returns the number of transactions that wait for their next statement. */
async function countIdle(client: pg.Client): Promise<number> {
  const { rowCount } = await client.query(
    "select from pg_stat_activity where state = 'idle in transaction'",
  );
  return rowCount!;
}
