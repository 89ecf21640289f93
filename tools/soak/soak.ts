/**
 * Walks ten thousand small sites with random faults from one process, and watches memory and open
 * handles: `deno task soak [walks] [seed]`. Fails if memory grows after the thousandth walk, anything
 * stays open, or a slow consumer loses a page.
 *
 * @module
 */

import { TextLineStream } from "@std/streams";
import { walk, type WalkOptions } from "../../mod.ts";
import { Random } from "../../tests/support/random.ts";
import { assertSound } from "../../tests/faults/summary.ts";
import type { TreeEvent } from "../../mod.ts";
import { soakSlowConsumers } from "./slow_consumers.ts";

/** Concurrent walks. */
const LANES = 12;
/** One in this many walks has a consumer that pauses. */
const WALKS_PER_SLOW_WALK = 1000;
/** Walks between two measurements. */
const INTERVAL = 500;
/** Tolerated growth of the live heap and of the process. */
const MAX_HEAP_GROWTH = 1.1;
const MAX_RSS_GROWTH = 1.2;

const MEBIBYTE = 1024 * 1024;
const { gc } = globalThis as unknown as { readonly gc: () => void };

/** Measurement of the process. */
interface Sample {
  readonly walks: number;
  /** Live heap after garbage collection, in MiB. */
  readonly heap: number;
  /** In MiB. */
  readonly rss: number;
  /** Open file descriptors; undefined if the system does not report them. */
  readonly handles: number | undefined;
}

/** Totals of all walks. */
class Figures {
  readonly verdicts: Record<string, number> = {};
  pages = 0;
  requests = 0;
  retries = 0;
  invalid = 0;
  warnings = 0;
  /** Walks ended on purpose: by `break`, abort or deadline. */
  left = 0;
  aborted = 0;

  add(event: TreeEvent): void {
    if (event.type !== "finished") return;
    const { verdict, stats } = event;
    this.verdicts[verdict] = (this.verdicts[verdict] ?? 0) + 1;
    this.pages += stats.pages;
    this.requests += stats.requests;
    this.retries += stats.retries;
    this.invalid += stats.invalid;
    this.warnings += stats.warnings;
  }
}

/** Walks one site to its end, or to a random point. */
async function walkOne(
  origin: string,
  site: number,
  seed: number,
  figures: Figures,
): Promise<void> {
  const random = new Random(Math.imul(seed, 1_000_003) + site);
  const options: WalkOptions = {
    normalizeHomepageUrl: false,
    useKnownPaths: random.fraction() < 0.15,
    concurrency: 1 + random.below(5),
    timeout: 200,
    maxRequestTime: 1000,
    retries: random.below(2),
    retryDelay: 1,
    maxRetryDelay: 20,
    respectRobots: random.fraction() < 0.2,
    ...(random.fraction() < 0.05 ? { deadline: random.below(50) } : {}),
  };
  const stopAt = random.fraction() < 0.15 ? random.below(30) : Infinity;
  const aborts = random.fraction() < 0.5;
  const controller = new AbortController();
  const events: TreeEvent[] = [];
  const reason = new Error("enough");
  try {
    const homepage = `${origin}site/${site}/`;
    for await (const event of walk(homepage, { ...options, signal: controller.signal })) {
      events.push(event);
      figures.add(event);
      if (events.length <= stopAt) continue;
      if (aborts) controller.abort(reason);
      else break;
    }
    if (events.at(-1)?.type === "finished") assertSound(events);
    else figures.left++;
  } catch (error) {
    if (error !== reason) throw error;
    figures.aborted++;
  }
}

function handles(): number | undefined {
  try {
    return [...Deno.readDirSync("/proc/self/fd")].length;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return undefined;
    throw error;
  }
}

async function look(walks: number): Promise<Sample> {
  // released handles are closed in the next turns of the event loop
  await new Promise((resolve) => setTimeout(resolve, 20));
  gc();
  const { heapUsed, rss } = Deno.memoryUsage();
  const sample = { walks, heap: heapUsed / MEBIBYTE, rss: rss / MEBIBYTE, handles: handles() };
  const { heap } = sample;
  console.log(
    `${String(walks).padStart(6)} walks  heap ${heap.toFixed(1).padStart(5)} MiB  ` +
      `RSS ${sample.rss.toFixed(0).padStart(4)} MiB  handles ${sample.handles ?? "?"}`,
  );
  return sample;
}

/** Walks sites `from` up to, not including, `to`, several at once. */
async function walkSome(
  origin: string,
  from: number,
  to: number,
  seed: number,
  figures: Figures,
): Promise<void> {
  let next = from;
  const lane = async () => {
    while (next < to) await walkOne(origin, next++, seed, figures);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}

/** Returns the failures. */
function faultsIn(samples: readonly Sample[], open: number): string[] {
  const faults: string[] = [];
  const warm = samples.filter(({ walks }) => walks >= 1000);
  const half = warm.slice(0, Math.ceil(warm.length / 3));
  const late = warm.slice(-half.length);
  const heaps = [half, late].map((some) => Math.max(...some.map(({ heap }) => heap)));
  const peaks = [half, late].map((some) => Math.max(...some.map(({ rss }) => rss)));
  if (heaps[1]! > heaps[0]! * MAX_HEAP_GROWTH) faults.push("the live heap grew");
  if (peaks[1]! > peaks[0]! * MAX_RSS_GROWTH) faults.push("the process grew");
  const counts = [half[0]?.handles ?? 0, late.at(-1)?.handles ?? 0];
  if (counts[1]! > counts[0]!) faults.push(`${counts[1]! - counts[0]!} handles stayed open`);
  if (open > 0) faults.push(`${open} connections stayed open`);
  return faults;
}

async function soak(walks: number, seed: number): Promise<number> {
  console.log(`${walks} walks, seed ${seed}`);
  const server = new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "--no-check",
      "--allow-net",
      new URL("soak_server.ts", import.meta.url).href,
      String(seed),
    ],
    stdin: "piped",
    stdout: "piped",
  }).spawn();
  const lines = server.stdout.pipeThrough(new TextDecoderStream())
    .pipeThrough(new TextLineStream() as TransformStream<string, string>).getReader();
  const { value: origin = "" } = await lines.read();
  const figures = new Figures();
  const samples: Sample[] = [];
  const started = Date.now();
  for (let from = 0; from < walks; from += INTERVAL) {
    const to = Math.min(walks, from + INTERVAL);
    await walkSome(origin, from, to, seed, figures);
    samples.push(await look(to));
  }
  const seconds = (Date.now() - started) / 1000;
  const open = Number(await (await fetch(`${origin}open`)).text());
  await server.stdin.close();
  await lines.cancel();
  await server.status;
  console.log({ seconds, ...figures, connectionsLeftOpen: open });
  const faults = [
    ...faultsIn(samples, open),
    ...await soakSlowConsumers(Math.ceil(walks / WALKS_PER_SLOW_WALK), seed),
  ];
  for (const fault of faults) console.error(`Failed: ${fault}`);
  return faults.length;
}

const [walks = "10000", seed = "1"] = Deno.args;
Deno.exit(await soak(Number(walks), Number(seed)) === 0 ? 0 : 1);
