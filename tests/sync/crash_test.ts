/**
 * Runs that are killed at any time and continued give the same database as runs that are not.
 *
 * @module
 */

import { assert, assertEquals } from "@std/assert";
import type { SyncEvent } from "../../src/sync/events.ts";
import { openSnapshot, sync, type SyncOptions } from "../../src/sync/mod.ts";
import { Random } from "../bench/random.ts";
import { changingSite, VERSIONS } from "./changing_site.ts";
import { type LoopbackSite, ScriptedSite } from "./scripted_site.ts";
import { readSnapshot, type SnapshotContent } from "./snapshot_content.ts";
import { type Change, changesOf, changesOfRun } from "./sync_history.ts";

const KILLS = 200;
/** Processes at a time. */
const LANES = 3;
const SIZE = 16;
const OPTIONS = { useKnownPaths: false, retries: 0, retryDelay: 0, concurrency: 2 };
const PROGRAM = new URL("crash_process.ts", import.meta.url);

/** Kills that hit a process before its end. */
let kills = 0;

Deno.test({
  name: `sync() gives the same database after ${KILLS} kills`,
  ignore: Deno.build.os === "windows",
  async fn() {
    kills = 0;
    const lanes = Array.from({ length: LANES }, async (_, lane) => {
      try {
        await crashLane(lane);
      } catch (error) {
        // the other lanes end as well
        kills = KILLS;
        throw error;
      }
    });
    for (const result of await Promise.allSettled(lanes)) {
      if (result.status === "rejected") throw result.reason;
    }
    assert(kills >= KILLS);
  },
});

/** Kills runs of one site until there were enough. */
async function crashLane(lane: number): Promise<void> {
  const folder = await Deno.makeTempDir();
  const random = new Random(lane + 1);
  const scripted = new ScriptedSite();
  const server = scripted.listen();
  try {
    const expected = await undisturbed(scripted, server, `${folder}/undisturbed.db`);
    for (let round = 0; kills < KILLS; round++) {
      const path = `${folder}/${round}.db`;
      for (let version = 0; version < VERSIONS; version++) {
        scripted.site = changingSite(version, SIZE);
        await crashUntilFinished(new CrashedRun(scripted, server, path, version + 1), random);
        assertEquals(readSnapshot(path, server.url), expected[version], `version ${version}`);
      }
    }
  } finally {
    await server[Symbol.asyncDispose]();
    await Deno.remove(folder, { recursive: true });
  }
}

/** Returns the content after each version without interruption. */
async function undisturbed(
  scripted: ScriptedSite,
  server: LoopbackSite,
  path: string,
): Promise<SnapshotContent[]> {
  const contents: SnapshotContent[] = [];
  for (let version = 0; version < VERSIONS; version++) {
    scripted.site = changingSite(version, SIZE);
    using snapshot = openSnapshot(path);
    await Array.fromAsync(sync(server.url, { ...OPTIONS, snapshot }));
    contents.push(readSnapshot(path, server.url));
  }
  return contents;
}

async function crashUntilFinished(run: CrashedRun, random: Random): Promise<void> {
  for (let attempt = 0; !run.isFinished; attempt++) {
    // later attempts get further, on slow machines as well
    if (random.fraction() < 0.5) {
      await run.attempt({ killAfter: run.passed + random.below(40) + 1 });
    } else await run.attempt({ killAt: random.below(60 + 30 * attempt) });
  }
  const changes = changesOfRun(run.content, run.id);
  assertEquals(run.delivered, changes, "every change was delivered, and nothing else");
}

/** When a process is killed: after so many events, or milliseconds after its start. */
interface Kill {
  readonly killAfter?: number;
  readonly killAt?: number;
}

/** A run that is killed and continued. */
class CrashedRun {
  readonly id: number;
  /** Changes that were delivered. */
  readonly delivered: Record<string, Change> = {};
  isFinished = false;
  content!: SnapshotContent;
  readonly #scripted: ScriptedSite;
  readonly #server: LoopbackSite;
  readonly #path: string;
  /** Paths of sitemaps that are read or unchanged in this run. */
  #settled: ReadonlySet<string> = new Set();

  constructor(scripted: ScriptedSite, server: LoopbackSite, path: string, id: number) {
    this.#scripted = scripted;
    this.#server = server;
    this.#path = path;
    this.id = id;
  }

  /** Number of events of sitemaps that were finished before, each of which is entered and left. */
  get passed(): number {
    return this.#settled.size * 2;
  }

  /** Starts or continues it in a process that is killed. */
  async attempt({ killAfter = 0, killAt }: Kill): Promise<void> {
    this.#scripted.take();
    const args = [this.#path, this.#server.url, JSON.stringify(OPTIONS), String(killAfter)];
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
    if (signal === "SIGKILL") kills++;
    else assert(success, stderr);
    this.#check(output);
  }

  /** Checks what one process has done. */
  #check(output: string): void {
    const requested = this.#scripted.take().map(({ path }) => path);
    assertEquals(
      requested.filter((path) => this.#settled.has(path)),
      [],
      "sitemaps that were finished before are not requested again",
    );
    const lines = output.split("\n").slice(1, -1);
    const events = lines.map((line): SyncEvent => JSON.parse(line));
    for (const [url, change] of Object.entries(changesOf(events))) {
      if (url in this.delivered) assertEquals(change, this.delivered[url], "delivered again");
      this.delivered[url] = change;
    }
    const content = copiedContent(this.#path, this.#server.url);
    const run = content?.runs.at(-1);
    if (content === undefined || run?.id !== this.id) return;
    this.content = content;
    this.isFinished = run.is_finished === 1;
    this.#settled = new Set(
      content.sitemaps.filter(({ run, state }) =>
        run === this.id && (state === "read" || state === "unchanged")
      ).map(({ url }) => new URL(String(url)).pathname),
    );
  }
}

function kill(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch (error) {
    // it has ended meanwhile
    if (!(error instanceof TypeError)) throw error;
  }
}

/** Returns the content of a copy, so that the next process finds the files as they were left. */
function copiedContent(path: string, homepage: string): SnapshotContent | undefined {
  const folder = Deno.makeTempDirSync();
  try {
    for (const suffix of ["", "-wal"]) {
      try {
        Deno.copyFileSync(path + suffix, `${folder}/copy.db${suffix}`);
      } catch (error) {
        if (!(error instanceof Deno.errors.NotFound)) throw error;
      }
    }
    return readSnapshot(`${folder}/copy.db`, homepage);
  } catch (error) {
    // killed before the schema was written
    if (error instanceof Error && /no such table/.test(error.message)) return undefined;
    throw error;
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

// ------------------------------------------------------------------------------ within a process

/** Ends a run of which so many events were taken, and leaves it unfinished. */
type Interruption = (
  events: AsyncGenerator<SyncEvent, void, void>,
  count: number,
  abort: AbortController,
) => Promise<void>;

const INTERRUPTIONS: Readonly<Record<string, Interruption>> = {
  "return()": async (events, count) => {
    await take(events, count);
    await events.return();
  },
  "an exception of the consumer": async (events, count) => {
    let left = count;
    try {
      for await (const _ of events) if (--left === 0) throw new RangeError("consumer");
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  },
  "a signal": async (events, count, abort) => {
    await take(events, count);
    abort.abort(new RangeError("signal"));
    try {
      await take(events, 1);
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  },
};

async function take(events: AsyncGenerator<SyncEvent, void, void>, count: number): Promise<void> {
  for (let left = count; left > 0; left--) if ((await events.next()).done) return;
}

for (const [name, interrupt] of Object.entries(INTERRUPTIONS)) {
  Deno.test(`sync() continues a run after ${name}`, async () => {
    const folder = await Deno.makeTempDir();
    const scripted = new ScriptedSite();
    const homepage = "https://site.test/";
    const options = { ...OPTIONS, fetch: scripted.fetch };
    try {
      const expected: SnapshotContent[] = [];
      for (let version = 0; version < VERSIONS; version++) {
        scripted.site = changingSite(version, 12);
        using snapshot = openSnapshot(`${folder}/undisturbed.db`);
        await Array.fromAsync(sync(homepage, { ...options, snapshot }));
        expected.push(readSnapshot(`${folder}/undisturbed.db`, homepage));
      }
      for (const step of [3, 7, 11, 17]) {
        const path = `${folder}/${step}.db`;
        for (let version = 0; version < VERSIONS; version++) {
          scripted.site = changingSite(version, 12);
          let isFinished = false;
          for (let attempt = 0; !isFinished; attempt++) {
            assert(attempt < 100, "each attempt gets further");
            using snapshot = openSnapshot(path);
            const abort = new AbortController();
            const events = sync(homepage, { ...options, snapshot, signal: abort.signal });
            await interrupt(events, step + attempt * 5, abort);
            const run = readSnapshot(path, homepage).runs.at(-1);
            isFinished = run?.id === version + 1 && run.is_finished === 1;
          }
          assertEquals(readSnapshot(path, homepage), expected[version], `version ${version}`);
        }
      }
    } finally {
      await Deno.remove(folder, { recursive: true });
    }
  });
}

/** A site whose first run was left after 40 events. */
interface InterruptedRun {
  readonly scripted: ScriptedSite;
  readonly homepage: string;
  readonly path: string;
  readonly options: SyncOptions;
}

async function withInterruptedRun(use: (run: InterruptedRun) => Promise<void>): Promise<void> {
  const scripted = new ScriptedSite(changingSite(0, 12));
  const homepage = "https://site.test/";
  const folder = await Deno.makeTempDir();
  const path = `${folder}/site.db`;
  try {
    using snapshot = openSnapshot(path);
    const options = { ...OPTIONS, fetch: scripted.fetch, snapshot };
    const events = sync(homepage, options);
    await take(events, 40);
    await events.return();
    await use({ scripted, homepage, path, options });
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

Deno.test("sync() begins anew if a run was interrupted longer ago than resumeWithin", async () => {
  await withInterruptedRun(async ({ scripted, homepage, path, options }) => {
    const before = readSnapshot(path, homepage);
    assertEquals(before.runs.map((run) => run.is_finished), [0]);
    assert(before.pages.length > 0);
    scripted.take();
    await Array.fromAsync(sync(homepage, { ...options, resumeWithin: 0 }));
    const content = readSnapshot(path, homepage);
    assertEquals(content.runs.map((run) => run.is_finished), [0, 1]);
    const requested = new Set(scripted.take().map(({ path }) => path));
    assertEquals(requested, new Set(Object.keys(scripted.site)), "everything is requested again");
    assertEquals(content.runs[1]!.known, before.pages.length);
    assertEquals(content.runs[1]!.added, content.pages.length - before.pages.length);
  });
});

Deno.test("sync() does not read again what it has read before an interruption", async () => {
  await withInterruptedRun(async ({ scripted, homepage, path, options }) => {
    const before = readSnapshot(path, homepage);
    const read = before.sitemaps.filter(({ state }) => state === "read");
    assert(read.length > 2);
    scripted.take();
    const refs: string[] = [];
    for await (const event of sync(homepage, options)) {
      if (event.type === "sitemap-entered") refs.push(event.sitemap.url);
      assert(event.type !== "sitemap-unchanged", "what was read is not reported as unchanged");
    }
    const requested = scripted.take().map(({ path }) => `https://site.test${path}`);
    for (const { url } of read) {
      assert(!requested.includes(String(url)), `${url} is not requested again`);
      assert(refs.includes(String(url)), `${url} is entered`);
    }
  });
});
