import { assert, assertEquals, assertMatch, assertRejects } from "@std/assert";
import { openFleet, type WorkEvent } from "../../src/fleet/mod.ts";
import { openSnapshot, PostgresError, sync } from "../../src/sync/mod.ts";
import { ScriptedFetch } from "../http/scripted_fetch.ts";
import { HAS_PGBOUNCER, startPgBouncer } from "../support/pgbouncer.ts";
import { PostgresProxy } from "../support/postgres_proxy.ts";
import { siteOf, urlset } from "./documents.ts";
import {
  checkRun,
  delay,
  type FleetTests,
  pagesOf,
  type TestDatabase,
  testFleets,
  until,
  verdictsOf,
} from "./with_fleets.ts";
import { WorkerChild } from "./worker_child.ts";

const HOMES = Array.from({ length: 10 }, (_, at) => `http://site${at}.test/`);
/** Seconds that a worker may take to extend a lease, and others wait for one that was lost. */
const LEASE = 5;
const COMPLETE = Object.fromEntries(HOMES.map((home) => [home, "complete"]));

/** Returns a `fetch` for sites of three sitemaps, which takes some time for each. */
function sites(latency = 0): (url: string) => Promise<Response> {
  return async (address) => {
    await delay(latency);
    const { origin, pathname } = new URL(address);
    const paths = ["a", "b", "c"].map((name) => `${origin}/${name}`);
    const body = pathname === "/robots.txt"
      ? paths.map((path) => `Sitemap: ${path}`).join("\n")
      : `${origin}${pathname}/page`;
    return new Response(body);
  };
}

/** Checks that all sites are walked and have their pages, each once. */
async function checkAll(database: TestDatabase): Promise<void> {
  const fleet = await database.open();
  assertEquals(await verdictsOf(fleet), COMPLETE);
  assertEquals((await pagesOf(fleet)).length, 3 * HOMES.length);
  const changes = await Array.fromAsync(fleet.snapshot.changes());
  assertEquals(changes.map(({ type }) => type), changes.map(() => "added"));
  assertEquals(changes.length, 3 * HOMES.length);
  await checkRun(database);
}

/** Ends all connections of a database but the one that asks. */
const TERMINATE = `select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`;

testFleets("a worker lives on", {
  "when an error follows the first answer of each connection": async (database) => {
    // every other connection, so that there are some that work
    await using proxy = new PostgresProxy(database.url, { fatal: (number) => number % 2 === 0 });
    const fleet = await database.open();
    await fleet.enqueue("run", ["http://site0.test/", "http://site1.test/"]);
    await using child = new WorkerChild(proxy.url, { leaseSeconds: LEASE, connections: 4 });
    const { status, stderr } = await child.ended();
    assertEquals(status.code, 0, stderr);
    assertMatch(child.stdout, /done/);
    assertEquals(Object.values(await verdictsOf(fleet)), ["complete", "complete"]);
    assert(proxy.connections > 1, `${proxy.connections} connections`);
    await checkRun(database);
  },

  "when its connections are cut while it claims sites": async (database) => {
    const fleet = await database.open();
    await fleet.enqueue("run", HOMES);
    let cuts = 0;
    await using proxy = new PostgresProxy(database.url, {
      onMessage: (_number, text) =>
        /sitetree\.claim/.test(text) && ++cuts < 4 ? "before" : undefined,
    });
    const events: WorkEvent[] = [];
    const walk = { useKnownPaths: false, fetch: sites() };
    await using worker = await openFleet(proxy.url, {
      walk,
      onEvent: (event) => events.push(event),
    });
    await worker.work({ drain: true });
    const types = events.map(({ type }) => type).filter((type) => /^database|fault/.test(type));
    assertEquals(types, new Array(3).fill(["database-lost", "database-found"]).flat());
    await checkAll(database);
  },

  "but not if it cannot claim sites for a reason that lasts": async (database) => {
    const fleet = await database.open();
    await fleet.enqueue("run", HOMES);
    await database.query(`create role reader login;
      grant usage on schema sitetree to reader;
      grant all on all tables in schema sitetree to reader`);
    await using reader = await openFleet(database.url.replace("postgres@", "reader@"));
    await assertRejects(() => reader.work({ drain: true }), Error, "permission denied");
  },

  "when all its connections are ended again and again": async (database) => {
    const fleet = await database.open();
    let requests = 0;
    await using site = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen: () => {} },
      async (request) => {
        requests++;
        await delay(30);
        const { origin, pathname } = new URL(request.url);
        const paths = Array.from({ length: 40 }, (_, at) => `Sitemap: ${origin}/${at}`);
        return new Response(
          pathname === "/robots.txt" ? paths.join("\n") : `${origin}${pathname}/p`,
        );
      },
    );
    await fleet.enqueue("run", [`http://127.0.0.1:${site.addr.port}/`, ...HOMES]);
    const options = { leaseSeconds: LEASE, connections: 4, walk: { concurrency: 1 } };
    await using child = new WorkerChild(database.url, options);
    for (const count of [1, 6, 11, 16, 21]) {
      await until(() => requests >= count || child.hasEnded);
      await database.query(TERMINATE);
    }
    const { status, stderr } = await child.ended();
    assertEquals(status.code, 0, stderr);
    assertEquals((await pagesOf(fleet)).length, 40 + HOMES.length);
    await checkRun(database);
  },

  "when connections are cut at any message": async (database) => {
    let cuts = 0;
    await using proxy = new PostgresProxy(database.url, {
      onMessage: (number) => {
        if (number < 40 || number % 23 !== 0) return;
        cuts++;
        return number % 2 === 0 ? "before" : "after";
      },
    });
    const fleet = await database.open();
    await fleet.enqueue("run", HOMES);
    await using cut = await openFleet(proxy.url, {
      leaseSeconds: LEASE,
      walk: { useKnownPaths: false, retries: 0, fetch: sites() },
    });
    await cut.work({ drain: true });
    assert(cuts > 2, `${cuts} cuts`);
    await checkAll(database);
  },

  "when the database does not answer, but not its walks": async (database) => {
    await using proxy = new PostgresProxy(database.url);
    let isAborted = false;
    const script = new ScriptedFetch({
      ...siteOf("http://a.test/", { "1": ["1/page"], "2": ["2/page"] }),
      "http://a.test/1": [
        (_url, { signal }) =>
          new Promise((_resolve, reject) => {
            proxy.isFrozen = true;
            signal!.addEventListener("abort", () => {
              isAborted = true;
              reject(signal!.reason);
            });
          }),
        urlset("http://a.test/1/page"),
      ],
    });
    const walk = { useKnownPaths: false, retries: 0, concurrency: 1, fetch: script.fetch };
    await using fleet = await openFleet(proxy.url, { leaseSeconds: LEASE, walk });
    await fleet.enqueue("run", ["http://a.test/"]);
    const working = fleet.work({ drain: true });
    await until(() => isAborted);
    proxy.isFrozen = false;
    await working;
    assertEquals((await pagesOf(fleet)).length, 2);
    await checkRun(database);
  },
});

/** Tests through PgBouncer in transaction mode. */
const POOLED: FleetTests = {
  "a fleet works": async (database) => {
    await using pool = await startPgBouncer(database.server);
    const url = pool.urlOf(new URL(database.url).pathname.slice(1));
    const options = { pooled: true, walk: { useKnownPaths: false, fetch: sites() } };
    await using fleet = await openFleet(url, options);
    await using other = await openFleet(url, options);
    for (const round of [1, 2]) {
      await fleet.enqueue("run", HOMES);
      await Promise.all([fleet, other].map((worker) => worker.work({ slots: 4, drain: true })));
      assertEquals((await fleet.runs())[0]!.round, round);
      await checkAll(database);
    }
    await fleet.drop("run");
  },

  "a snapshot works": async (database) => {
    await using pool = await startPgBouncer(database.server);
    const url = pool.urlOf(new URL(database.url).pathname.slice(1));
    await using snapshot = await openSnapshot(url, { pooled: true });
    const options = { snapshot, useKnownPaths: false, fetch: sites() };
    for (const dryRun of [true, false, false]) {
      await Array.fromAsync(sync("http://a.test/", { ...options, dryRun }));
    }
    assertEquals((await Array.fromAsync(snapshot.pages())).length, 3);
    const changes = await Array.fromAsync(snapshot.changes());
    assertEquals(await snapshot.head(), changes.at(-1)!.sequence);
    await snapshot.ack("consumer", changes[0]!.sequence);
    assertEquals((await Array.fromAsync(snapshot.changes({ consumer: "consumer" }))).length, 2);
  },

  "nothing is opened without the option, and the error names it": async (database) => {
    await using pool = await startPgBouncer(database.server);
    const url = pool.urlOf(new URL(database.url).pathname.slice(1));
    for (const open of [() => openFleet(url), () => openSnapshot(url)]) {
      const error = await assertRejects(open, PostgresError, 'use the option "pooled"');
      assertEquals(error.message.split("\n").length, 1);
    }
  },
};

if (HAS_PGBOUNCER) testFleets("through PgBouncer", POOLED);

testFleets("a connection string", {
  "with sslmode causes no warning": async () => {
    const modes = ["prefer", "require", "verify-ca", "verify-full", "no-verify", "disable"];
    // warnings come before the connection
    const urls = modes.map((mode) => `postgres://postgres@127.0.0.1:1/x?sslmode=${mode}`);
    const program = `
      import { openSnapshot } from "${new URL("../../src/sync/mod.ts", import.meta.url)}";
      for (const url of Deno.args) {
        await openSnapshot(url).catch(({ code }) => console.log(code));
      }`;
    const { stdout, stderr } = await new Deno.Command(Deno.execPath(), {
      args: ["eval", "--quiet", "--no-check", "--ext=ts", program, ...urls],
    }).output();
    assertEquals(new TextDecoder().decode(stderr), "");
    assertEquals(new TextDecoder().decode(stdout), "unreachable\n".repeat(modes.length));
  },

  "of a server that cannot be used is an error of one line": async (database) => {
    const { pathname } = new URL(database.url);
    for (
      const [url, code] of [
        ["postgres://postgres@127.0.0.1:1/x", "unreachable"],
        [database.url.replace(pathname, "/missing"), "unreachable"],
        [database.url.replace("postgres@", "stranger@"), "credentials"],
        ["postgres://user:secret@127.0.0.1:1/x", "unreachable"],
      ] as const
    ) {
      const error = await assertRejects(() => openFleet(url), PostgresError);
      assertEquals(error.code, code, error.message);
      assertMatch(error.message, /^Cannot connect to "[^"]+": .+$/);
      assert(!error.message.includes("secret"));
    }
  },
});
