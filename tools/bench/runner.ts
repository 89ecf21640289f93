/**
 * Process in which contenders read documents: all of them alternately, or one alone.
 *
 * Started by `bench.ts` with a {@linkcode RunnerTask} as JSON; prints a {@linkcode RunnerResult}.
 *
 * @module
 */

import { documentFile } from "./bench_data.ts";
import { threadTime } from "./cpu_time.ts";
import { CHUNK_SIZE, type Contender, inChunks, type PageSink } from "./contender.ts";
import type { DocumentKind } from "./generate.ts";
import { PageTally, readFields } from "./page_tally.ts";
import { peakRss } from "../../tests/support/peak_rss.ts";

/** Documents to read, and their readers. */
export interface RunnerTask {
  readonly kind: DocumentKind;
  readonly pages: number;
  /** Modules of this folder that export a `contender`. */
  readonly modules: readonly string[];
  /** Rounds to time; none to read once from the file and report the peak memory. */
  readonly rounds: number;
}

/** Result of one contender. */
export interface Measured {
  readonly name: string;
  /** Whether its pages are not those of the others, see {@linkcode Contender}. */
  readonly isBound: boolean;
  readonly pages: number;
  readonly checksum: number;
  /** One for each round. */
  readonly seconds: readonly number[];
}

/** Result of a run. */
export interface RunnerResult {
  readonly bytes: number;
  readonly contenders: readonly Measured[];
  /** Peak of the whole process in MiB. */
  readonly peakRss: number;
}

/** Seconds after which a slow contender stops, after at least one round. */
const SECONDS_PER_CONTENDER = 5;

/**
 * Runs a minor garbage collection. A full one would discard optimized code, and the next contender
 * would be timed while it warms up again.
 */
const { gc: sweep } = globalThis as { gc?: (options: { type: "minor" }) => void };

async function load(module: string): Promise<Contender> {
  const { contender } = await import(new URL(module, import.meta.url).href) as {
    contender: Contender;
  };
  return contender;
}

/** Reads a file in chunks with separate buffers, as from a socket. */
function* fileChunks(file: URL): Generator<Uint8Array> {
  using handle = Deno.openSync(file);
  while (true) {
    const chunk = new Uint8Array(CHUNK_SIZE);
    const length = handle.readSync(chunk);
    if (length === null) return;
    yield chunk.subarray(0, length);
  }
}

async function secondsOf(contender: Contender, kind: DocumentKind, bytes: Uint8Array) {
  let pages = 0, fields = 0;
  const sink: PageSink = kind === "read"
    ? (page) => {
      pages++;
      fields += readFields(page);
    }
    : () => void pages++;
  sweep?.({ type: "minor" });
  const start = threadTime();
  await contender.read(kind, inChunks(bytes), sink);
  return { pages, fields, seconds: threadTime() - start };
}

async function timed(task: RunnerTask, bytes: Uint8Array): Promise<Measured[]> {
  const measured: (Measured & { contender: Contender; tally: PageTally; seconds: number[] })[] = [];
  for (const module of task.modules) {
    const contender = await load(module);
    // warms up, and checks that all contenders make the same pages
    const tally = new PageTally();
    await contender.read(task.kind, inChunks(bytes), (page) => tally.add(page));
    const { name, isBound = false } = contender, { pages, checksum } = tally;
    measured.push({ contender, tally, name, isBound, pages, checksum, seconds: [] });
  }
  for (let round = 0; round < task.rounds; round++) {
    for (const { contender, tally, name, pages, seconds } of measured) {
      const spent = seconds.reduce((sum, value) => sum + value, 0);
      if (spent > SECONDS_PER_CONTENDER) continue;
      const run = await secondsOf(contender, task.kind, bytes);
      if (run.pages !== pages) throw new Error(`"${name}" made ${run.pages} pages, then ${pages}`);
      if (task.kind === "read" && run.fields !== tally.fields) {
        throw new Error(`"${name}" made other values than in the round before`);
      }
      seconds.push(run.seconds);
    }
  }
  return measured.map(({ contender: _, tally: __, ...result }) => result);
}

async function readOnce(task: RunnerTask, file: URL): Promise<Measured[]> {
  const measured: Measured[] = [];
  for (const module of task.modules) {
    const contender = await load(module);
    const tally = new PageTally();
    await contender.read(task.kind, fileChunks(file), (page) => tally.add(page));
    const { name, isBound = false } = contender, { pages, checksum } = tally;
    measured.push({ name, isBound, pages, checksum, seconds: [] });
  }
  return measured;
}

if (import.meta.main) {
  const task = JSON.parse(Deno.args[0]!) as RunnerTask;
  const file = await documentFile(task.kind, task.pages);
  const contenders = task.rounds === 0
    ? await readOnce(task, file)
    : await timed(task, await Deno.readFile(file));
  const bytes = (await Deno.stat(file)).size;
  const result: RunnerResult = { bytes, contenders, peakRss: peakRss() };
  console.log(JSON.stringify(result));
}
