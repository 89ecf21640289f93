/** Runs that are killed at any time lose nothing, and end as runs that are not killed. @module */

import { assert, assertEquals } from "@std/assert";
import { openSnapshot, type Snapshot, sync, type SyncEvent } from "../../src/sync/mod.ts";
import { inFolder } from "../support/in_folder.ts";
import { Random } from "../support/random.ts";
import { HAS_POSTGRES, startPostgres } from "../support/postgres.ts";
import { changingSite, VERSIONS } from "./changing_site.ts";
import { HOME, RUN_AFTER, ScriptedSite, START_TIME } from "./scripted_site.ts";
import { readContent, readCopy, type SnapshotContent } from "./snapshot_content.ts";
import { execute } from "./stores.ts";
import { changesOf, pagesOf, replayChanges, type RunOptions } from "./sync_history.ts";

/** Processes at a time. */
const LANES = 3;
const SIZE = 16;
const OPTIONS = { useKnownPaths: false, retries: 0, retryDelay: 0, concurrency: 2 };
const PROGRAM = new URL("crash_process.ts", import.meta.url);

/** Runs of the last version after which nothing is left to be confirmed. */
const SETTLING = 3;

/** Where the snapshots of one test are. */
interface Place {
  /** Kills that are left. */
  kills: number;
  /** Factor of the time that attempts take. */
  readonly slowness: number;
  /** Returns where a new snapshot may be. */
  create(): Promise<string>;
  /** Reads a snapshot; `undefined` if there is none yet. */
  read<T>(path: string, read: (snapshot: Snapshot) => Promise<T>): Promise<T | undefined>;
}

function timeOf(run: number): number {
  return START_TIME + run * RUN_AFTER;
}

/** Runs the last version until everything is confirmed; returns what is then known of the site. */
async function settled(path: string, homepage: string, options: RunOptions) {
  for (let run = VERSIONS; run < VERSIONS + SETTLING; run++) {
    await using snapshot = await openSnapshot(path, { now: () => timeOf(run) });
    await Array.fromAsync(sync(homepage, { ...options, snapshot }));
  }
  await using snapshot = await openSnapshot(path, { readOnly: true });
  const { pages, sitemaps } = await readContent(snapshot, homepage);
  return { pages, sitemaps };
}

/** Returns what is known of a site after all versions without interruption. */
async function undisturbed(
  scripted: ScriptedSite,
  path: string,
  homepage: string,
  size: number,
  options: RunOptions,
) {
  for (let version = 0; version < VERSIONS; version++) {
    scripted.site = changingSite(version, size);
    await using snapshot = await openSnapshot(path, { now: () => timeOf(version) });
    await Array.fromAsync(sync(homepage, { ...options, snapshot }));
  }
  return await settled(path, homepage, options);
}

/** Checks that a snapshot is consistent, and that it has all changes that were delivered. */
function checkDelivered(content: SnapshotContent, events: readonly SyncEvent[]): void {
  const { changes, count = 0 } = content;
  assertEquals(replayChanges(changes), pagesOf(content), "changes add up to the pages");
  assertEquals(count, content.pages.length);
  const durable = new Set(changes.map(({ type, page }) => `${type} ${JSON.stringify(page)}`));
  for (const { type, page } of Object.values(changesOf(events))) {
    assert(durable.has(`${type} ${JSON.stringify(page)}`), `${type} ${page.url} is durable`);
  }
}

Deno.test({
  name: "sync() loses nothing by 200 kills",
  ignore: Deno.build.os === "windows",
  fn: () =>
    inFolder(async (folder) => {
      let count = 0;
      const create = () => Promise.resolve(`${folder}/${++count}.db`);
      await crash({ kills: 200, slowness: 1, create, read: readCopy });
    }),
});

Deno.test({
  name: "sync() loses nothing by 30 kills, in PostgreSQL",
  ignore: !HAS_POSTGRES,
  async fn() {
    await using server = await startPostgres();
    let count = 0;
    await crash({
      kills: 30,
      slowness: 5,
      async create() {
        const name = `crash_${++count}`;
        await execute(server.url, `create database ${name}`);
        return server.urlOf(name);
      },
      async read(url, read) {
        // statements of a process that was killed are executed all the same
        await execute(url, ALONE);
        if (!await hasSnapshot(url)) return undefined;
        await using snapshot = await openSnapshot(url, { readOnly: true });
        return await read(snapshot);
      },
    });
  },
});

/** Waits until a database has no other connection. */
const ALONE = `do $$ begin
  while exists (select from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid())
  loop
    perform pg_sleep(0.01), pg_stat_clear_snapshot();
  end loop;
end $$`;

async function hasSnapshot(url: string): Promise<boolean> {
  try {
    await execute(url, "select from sitetree.setting");
    return true;
  } catch (error) {
    const isMissing = error instanceof Error && /does not exist/.test(error.message);
    if (!isMissing) throw error;
    return false;
  }
}

/** Kills runs in several lanes until there were enough. */
async function crash(place: Place): Promise<void> {
  const lanes = Array.from({ length: LANES }, async (_, lane) => {
    try {
      await crashLane(lane, place);
    } catch (error) {
      // the other lanes end as well
      place.kills = 0;
      throw error;
    }
  });
  for (const result of await Promise.allSettled(lanes)) {
    if (result.status === "rejected") throw result.reason;
  }
  assert(place.kills <= 0);
}

async function crashLane(lane: number, place: Place): Promise<void> {
  const random = new Random(lane + 1);
  const scripted = new ScriptedSite();
  await using server = scripted.listen();
  const { url } = server;
  const expected = await undisturbed(scripted, await place.create(), url, SIZE, OPTIONS);
  while (place.kills > 0) {
    const path = await place.create();
    for (let version = 0; version < VERSIONS; version++) {
      scripted.site = changingSite(version, SIZE);
      let isFinished = false;
      for (let attempts = 0; !isFinished; attempts++) {
        // later attempts get further, on slow machines as well
        const reach = (60 + 30 * attempts) * place.slowness;
        const isCounted = random.fraction() < 0.5;
        const time = random.below(reach);
        const kill = isCounted ? { killAfter: time + 1 } : { killAt: time };
        isFinished = await attempt(place, { path, homepage: url, version, ...kill });
      }
    }
    assertEquals(await settled(path, url, OPTIONS), expected);
  }
}

/** A run in a process that is killed, after so many events or milliseconds after its start. */
interface Attempt {
  readonly path: string;
  readonly homepage: string;
  readonly version: number;
  readonly killAfter?: number;
  readonly killAt?: number;
}

/** Starts a run. Returns whether it has finished. */
async function attempt(
  place: Place,
  { path, homepage, version, killAfter = 0, killAt }: Attempt,
): Promise<boolean> {
  const args = [path, homepage, JSON.stringify(OPTIONS), `${killAfter}`, `${timeOf(version)}`];
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "--no-check", "--allow-all", PROGRAM.href, ...args],
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let output = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    if (output === "" && killAt !== undefined) timer = setTimeout(() => kill(child), killAt);
    output += text;
  }
  const stderr = await new Response(child.stderr).text();
  const { success, signal } = await child.status;
  clearTimeout(timer);
  if (signal === "SIGKILL") place.kills--;
  else assert(success, stderr);
  const lines = output.split("\n").slice(1, -1);
  const events = lines.map((line): SyncEvent => JSON.parse(line));
  const content = await place.read(path, (snapshot) => readContent(snapshot, homepage));
  if (content === undefined) return false;
  checkDelivered(content, events);
  return finishedRuns(content) === version + 1;
}

/** Each version has one. */
function finishedRuns({ runs }: SnapshotContent): number {
  return runs.filter(({ isFinished }) => isFinished).length;
}

function kill(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch (error) {
    // it has ended meanwhile
    if (!(error instanceof TypeError)) throw error;
  }
}

// ------------------------------------------------------------------------------ within a process

/** Ends a run of which so many events were taken, and leaves it unfinished. Returns the events. */
type Interruption = (
  events: AsyncGenerator<SyncEvent, void, void>,
  count: number,
  abort: AbortController,
) => Promise<SyncEvent[]>;

const INTERRUPTIONS: Readonly<Record<string, Interruption>> = {
  "return()": async (events, count) => {
    const taken = await take(events, count);
    await events.return();
    return taken;
  },
  "an exception of the consumer": async (events, count) => {
    const taken: SyncEvent[] = [];
    try {
      for await (const event of events) {
        taken.push(event);
        if (taken.length === count) throw new RangeError("consumer");
      }
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
    return taken;
  },
  "a signal": async (events, count, abort) => {
    const taken = await take(events, count);
    abort.abort(new RangeError("signal"));
    try {
      return [...taken, ...await take(events, 1)];
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      return taken;
    }
  },
};

async function take(
  events: AsyncGenerator<SyncEvent, void, void>,
  count: number,
): Promise<SyncEvent[]> {
  const taken: SyncEvent[] = [];
  while (taken.length < count) {
    const { done, value } = await events.next();
    if (done) break;
    taken.push(value);
  }
  return taken;
}

for (const [name, interrupt] of Object.entries(INTERRUPTIONS)) {
  Deno.test(`sync() loses nothing by ${name}`, () =>
    inFolder(async (folder) => {
      const scripted = new ScriptedSite();
      const options = { ...OPTIONS, fetch: scripted.fetch };
      const path = `${folder}/undisturbed.db`;
      const expected = await undisturbed(scripted, path, HOME, 12, options);
      for (const step of [3, 7, 11, 17]) {
        const path = `${folder}/${step}.db`;
        for (let version = 0; version < VERSIONS; version++) {
          scripted.site = changingSite(version, 12);
          let isFinished = false;
          for (let attempt = 0; !isFinished; attempt++) {
            assert(attempt < 100, "each attempt gets further");
            await using snapshot = await openSnapshot(path, { now: () => timeOf(version) });
            const abort = new AbortController();
            const events = sync(HOME, { ...options, snapshot, signal: abort.signal });
            const taken = await interrupt(events, step + attempt * 5, abort);
            const content = await readContent(snapshot, HOME);
            checkDelivered(content, JSON.parse(JSON.stringify(taken)));
            isFinished = finishedRuns(content) === version + 1;
          }
        }
        assertEquals(await settled(path, HOME, options), expected);
      }
    }));
}
