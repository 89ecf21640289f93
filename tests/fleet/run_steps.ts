/**
 * Steps about progress, pausing, repeating and removing runs.
 *
 * @module
 */

import { assertEquals, assertRejects } from "@std/assert";
import type { Database } from "../../src/fleet/database.ts";
import { enqueue } from "../../src/fleet/enqueue.ts";
import { FleetError } from "../../src/fleet/errors.ts";
import { openFleetOn } from "../../src/fleet/fleet.ts";
import { readProgress } from "../../src/fleet/progress.ts";
import { type Job, JobQueue, type RunKey } from "../../src/fleet/queue.ts";
import { activeHosts, deadSites, fleetSites, requireRun } from "../../src/fleet/reports.ts";
import { dropRun, redrive, setPaused } from "../../src/fleet/runs.ts";
import { addRows, addRun, all } from "./with_database.ts";

const HOUR = 3_600_000;

/** Runs the steps about progress. */
export async function progressSteps(t: Deno.TestContext, database: Database): Promise<void> {
  await t.step("readProgress() adds the counters of all workers", async () => {
    const run = "counted";
    await addRun(database, run, 5_000_000_000);
    await addRun(database, "uncounted", 3);
    const empty = { sites: 0, complete: 0, partial: 0, none: 0, dead: 0, failed: 0, pages: 0 };
    await addRows(database, "tally", [
      { ...empty, run, worker: "a", sites: 6, complete: 3, partial: 2, none: 1, pages: 7e9 },
      { ...empty, run, worker: "b", sites: 1, complete: 1, dead: 5, failed: 4, pages: 1 },
      { ...empty, run, worker: "redrive", dead: -2, failed: -1 },
    ]);
    const until = (milliseconds: number) => new Date(Date.now() + milliseconds);
    await addRows(database, "lease", [
      { host: "x.test", slot: 0, run, site: 1, fence: 1, owner: "a", until: until(HOUR) },
      { host: "x.test", slot: 1, run, site: 2, fence: 1, owner: "a", until: until(HOUR) },
      { host: "y.test", slot: 0, run, site: 3, fence: 1, owner: "a", until: until(-HOUR) },
    ]);
    assertEquals(await readProgress(database, run), {
      ...{ run, paused: false, total: 5_000_000_000, done: 7, failed: 3, dead: 3, active: 2 },
      ...{ pages: 7_000_000_001, verdicts: { complete: 4, partial: 2, none: 1, dead: 3 } },
    });
    assertEquals(await readProgress(database, "uncounted"), {
      ...{ run: "uncounted", paused: false, total: 3, done: 0, failed: 0, dead: 0, active: 0 },
      ...{ pages: 0, verdicts: { complete: 0, partial: 0, none: 0, dead: 0 } },
    });
    await assertRejects(() => readProgress(database, "x"), FleetError, 'Unknown run "x"');
  });
}

/** Runs the steps about changing runs. */
export async function runSteps(t: Deno.TestContext, database: Database): Promise<void> {
  const queue = await JobQueue.open(database, { heartbeatSeconds: 10, onWarning: () => {} });
  try {
    await pauseSteps(t, database);
    await redriveSteps(t, database, queue);
    await dropSteps(t, database, queue);
  } finally {
    await queue.close();
  }
}

async function pauseSteps(t: Deno.TestContext, database: Database): Promise<void> {
  await t.step("setPaused() pauses and resumes a run", async () => {
    await addRun(database, "paused");
    for (const paused of [true, true, false]) {
      await setPaused(database, "paused", paused);
      assertEquals((await requireRun(database, "paused")).paused, paused);
    }
    const error = await assertRejects(() => setPaused(database, "x", true), FleetError);
    assertEquals([error.code, error.message], ["unknown-run", 'Unknown run "x"']);
  });
}

/** Adds a run of sites, and gives some of them up as a worker does. */
async function runWithDead(
  database: Database,
  queue: JobQueue,
  run: string,
  { sites, dead }: { readonly sites: number; readonly dead: number },
): Promise<RunKey> {
  await enqueue(
    database,
    queue,
    run,
    Array.from({ length: sites }, (_, n) => `https://${n}.test/`),
  );
  const key = { id: run, key: (await requireRun(database, run)).key };
  for (const { data } of (await takeAll(database, queue, key)).slice(0, dead)) {
    await database.transaction(async (session) => {
      await session.query(
        `update sitetree.site set verdict = 'dead', failures = 3, crashes = 2, error = 'broken',
          finished = now() where run = $1 and id = $2`,
        [run, data.site],
      );
      await session.query(
        `insert into sitetree.tally as t(run, worker, dead) values ($1, 'w', 1)
        on conflict (run, worker) do update set dead = t.dead + 1`,
        [run],
      );
      await queue.bury(session, key, data, "broken");
    });
  }
  return key;
}

/** Takes all jobs of a run from its queue. */
async function takeAll(database: Database, queue: JobQueue, key: RunKey): Promise<Job[]> {
  const jobs: Job[] = [];
  for (;;) {
    const job = await database.transaction(async (session) => {
      const job = await queue.fetch(session, key, 100);
      if (job !== undefined) await queue.complete(session, key, job);
      return job;
    });
    if (job === undefined) return jobs;
    jobs.push(job);
  }
}

async function deadJobs(database: Database, { key }: RunKey): Promise<number> {
  const { rows: [row] } = await database.query<{ count: number }>(
    "select count(*) from sitetree_queue.job where name = $1",
    [`dead_${key}`],
  );
  return row!.count;
}

async function redriveSteps(
  t: Deno.TestContext,
  database: Database,
  queue: JobQueue,
): Promise<void> {
  await t.step("redrive() queues the sites that were given up again", async () => {
    const key = await runWithDead(database, queue, "again", { sites: 5, dead: 3 });
    const dead = (await all(deadSites(database, "again"))).map(({ homepage }) => homepage);
    assertEquals(dead.length, 3);
    assertEquals(await deadJobs(database, key), 3);
    assertEquals((await readProgress(database, "again")).dead, 3);

    assertEquals(await redrive(database, queue, "again"), 3);

    assertEquals(await all(deadSites(database, "again")), []);
    assertEquals(await deadJobs(database, key), 0);
    assertEquals((await readProgress(database, "again")).dead, 0);
    const { rows } = await database.query(
      `select verdict, failures, crashes, error, finished from sitetree.site
      where run = 'again' and error is not null`,
    );
    const clean = { verdict: null, failures: 0, crashes: 0, error: "broken", finished: null };
    assertEquals(rows, [clean, clean, clean]);
    const jobs = await takeAll(database, queue, key);
    assertEquals(jobs.map(({ data }) => data.unit), [0, 0, 0]);
    const sites = await all(fleetSites(database, "again"));
    assertEquals(sites.filter(({ error }) => error !== undefined).length, 3);

    assertEquals(await redrive(database, queue, "again"), 0);
    assertEquals(await takeAll(database, queue, key), []);
  });

  await t.step("redrive() continues huge sites with the units that are left", async () => {
    const run = "split";
    const key = await runWithDead(database, queue, run, { sites: 1, dead: 1 });
    const { rows: [site] } = await database.query(
      "update sitetree.site set units = 3, outcome = 'complete' where run = 'split' returning id",
    );
    const unit = { run, site: site!.id, level: 1, crashes: 5, failures: 2, verdict: null };
    const units = await addRows(database, "unit", [
      { ...unit, sitemap_url: "a", state: "done", verdict: "complete" },
      { ...unit, sitemap_url: "b", state: "queued", verdict: null },
      { ...unit, sitemap_url: "c", state: "waiting", verdict: null },
      { ...unit, sitemap_url: "d", state: "queued", verdict: null },
    ]);
    assertEquals(await redrive(database, queue, run, 2), 1);
    const jobs = await takeAll(database, queue, key);
    assertEquals(jobs.map(({ data }) => data), [
      { site: site!.id, unit: units[1].id },
      { site: site!.id, unit: units[2].id },
    ]);
    const { rows } = await database.query(
      "select state, crashes, failures from sitetree.unit where run = 'split' order by id",
    );
    assertEquals(rows, [
      { state: "done", crashes: 5, failures: 2 },
      { state: "queued", crashes: 0, failures: 0 },
      { state: "queued", crashes: 0, failures: 0 },
      { state: "waiting", crashes: 0, failures: 0 },
    ]);
  });

  await t.step("redrive() queues each site once if it is called twice at a time", async () => {
    const key = await runWithDead(database, queue, "twice", { sites: 4, dead: 4 });
    const counts = await Promise.all([
      redrive(database, queue, "twice"),
      redrive(database, queue, "twice"),
    ]);
    assertEquals(counts.sort(), [0, 4]);
    assertEquals((await takeAll(database, queue, key)).length, 4);
    assertEquals((await readProgress(database, "twice")).dead, 0);
  });

  await t.step("redrive() and dropRun() fail for a run that does not exist", async () => {
    await assertRejects(() => redrive(database, queue, "x"), FleetError, 'Unknown run "x"');
    await assertRejects(() => dropRun(database, queue, "x"), FleetError, 'Unknown run "x"');
  });
}

/** Returns what is left of a run, by table. */
async function remains(database: Database, { id, key }: RunKey): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of ["run", "site", "unit", "sitemap", "page", "tally"]) {
    const column = table === "run" ? "id" : "run";
    const { rows: [row] } = await database.query(
      `select count(*) from sitetree.${table} where ${column} = $1`,
      [id],
    );
    counts[table] = row!.count;
  }
  const { rows: [tables] } = await database.query(
    "select count(*) from pg_tables where schemaname = 'sitetree' and tablename like $1",
    [`%\\_${key}`],
  );
  const { rows: [queues] } = await database.query(
    "select count(*) from sitetree_queue.queue where name in ($1, $2)",
    [`site_${key}`, `dead_${key}`],
  );
  return { ...counts, tables: tables!.count, queues: queues!.count };
}

const NOTHING = {
  ...{ run: 0, site: 0, unit: 0, sitemap: 0, page: 0, tally: 0, tables: 0, queues: 0 },
};

/** Adds a row to each table of a run. */
async function fill(database: Database, key: RunKey): Promise<void> {
  const run = key.id;
  const { rows: [site] } = await database.query(
    "select id from sitetree.site where run = $1 limit 1",
    [run],
  );
  const [sitemap] = await addRows(database, "sitemap", [
    { run, site: site!.id, url: "s", type: "PagesXmlSitemap", fence: 1 },
  ]);
  await addRows(database, "page", [{ run, sitemap: sitemap.id, seq: 0, url: "p" }]);
  await addRows(database, "unit", [{ run, site: site!.id, sitemap_url: "u", level: 1 }]);
}

async function dropSteps(t: Deno.TestContext, database: Database, queue: JobQueue): Promise<void> {
  await t.step("dropRun() removes a run and nothing else", async () => {
    const key = await runWithDead(database, queue, "gone", { sites: 3, dead: 1 });
    const other = await runWithDead(database, queue, "kept", { sites: 3, dead: 1 });
    await fill(database, key);
    await fill(database, other);
    const before = await remains(database, other);
    assertEquals(before, {
      ...{ run: 1, site: 3, unit: 1, sitemap: 1, page: 1, tally: 1, tables: 3, queues: 2 },
    });
    await dropRun(database, queue, "gone");
    assertEquals(await remains(database, key), NOTHING);
    assertEquals(await remains(database, other), before);
    await assertRejects(() => requireRun(database, "gone"), FleetError);
    // its name can be used again
    await enqueue(database, queue, "gone", ["https://a.test/"]);
    assertEquals((await all(fleetSites(database, "gone"))).length, 1);
  });

  await t.step("dropRun() can be repeated after an interruption", async () => {
    const key = await runWithDead(database, queue, "halfway", { sites: 2, dead: 0 });
    await fill(database, key);
    const broken = { dropFor: () => Promise.reject(new Error("killed")) } as unknown as JobQueue;
    await assertRejects(() => dropRun(database, broken, "halfway"), Error, "killed");
    assertEquals((await requireRun(database, "halfway")).paused, true);
    await dropRun(database, queue, "halfway");
    assertEquals(await remains(database, key), NOTHING);
  });

  await t.step("dropRun() ends the work on a run, and the worker goes on with others", async () => {
    const requested = Promise.withResolvers<void>();
    const dropped = Promise.withResolvers<void>();
    // of the first run, all requests wait until it is removed
    const fetch = async (url: string) => {
      if (url.startsWith("https://busy.test/")) {
        requested.resolve();
        await dropped.promise;
      }
      if (!url.endsWith("/sitemap.xml")) return new Response(null, { status: 404 });
      const page = new URL("/page", url);
      return new Response(`<urlset><url><loc>${page}</loc></url></urlset>`);
    };
    const keptOpen = { ...database, close: () => Promise.resolve() };
    await using fleet = await openFleetOn(keptOpen, { slots: 2, walk: { fetch } });
    await fleet.enqueue("busy", ["https://busy.test/"]);
    const key = { id: "busy", key: (await requireRun(database, "busy")).key };
    await database.query("update sitetree.run set paused = true where id <> 'busy'");
    const controller = new AbortController();
    const work = fleet.work({ signal: controller.signal });
    await requested.promise;
    assertEquals((await activeHosts(database, "busy")).map(({ host }) => host), ["busy.test"]);

    await fleet.drop("busy");
    dropped.resolve();
    await fleet.enqueue("after", ["https://after.test/"]);
    for await (const { done, total } of fleet.progress("after", { interval: 50 })) {
      if (done === total) break;
    }
    assertEquals((await all(fleet.pages("after"))).map(({ url }) => url), [
      "https://after.test/page",
    ]);
    controller.abort();
    await work;
    assertEquals(await remains(database, key), NOTHING);
  });

  await t.step({
    name: "dropRun() lets others work while it waits for a lock",
    async fn() {
      const key = await runWithDead(database, queue, "locked", { sites: 1, dead: 0 });
      const isWaiting = async () => {
        const { rows: [row] } = await database.query(
          "select count(*) from pg_locks where not granted and mode = 'AccessExclusiveLock'",
        );
        return row!.count > 0;
      };
      let drop: Promise<void> | undefined;
      await database.transaction(async (session) => {
        await session.query("select id from sitetree.site where run = 'locked' for update");
        drop = dropRun(database, queue, "locked");
        while (!await isWaiting());
        // waits behind the lock, longer than that is wanted at a time
        await database.transaction(async (other) => {
          await other.query("set local lock_timeout = '6s'");
          await other.query("select id from sitetree.site where run = 'kept'");
        });
      });
      await drop;
      assertEquals(await remains(database, key), NOTHING);
    },
  });
}
