/**
 * Writes the pages of a site to a file in several formats, by the command line and by the library, and
 * compares the time of the whole process with that of a walk in the same round.
 *
 * @module
 */

import { endedTime } from "./cpu_time.ts";
import { denoCommand, resultOf } from "./launch.ts";
import type { WalkResult } from "./site_client.ts";
import type { SiteShape } from "./site_server.ts";
import { count, figure, median, table } from "./table.ts";
import { withSite } from "./with_site.ts";

/** A way of writing pages. */
interface Writer {
  readonly name: string;
  /** Returns the arguments of its process. */
  readonly args: (path: string, origin: string) => readonly string[];
  /** Lines of its output that are not pages. */
  readonly heading: number;
}

/** A run of a writer. */
interface WriterResult {
  readonly seconds: number;
  /** Seconds of a core. */
  readonly cpu: number;
  /** Ratio to the time that the walk of the round reports. */
  readonly ratio: number;
  /** Ratio to the CPU time of its process. */
  readonly cpuRatio: number;
  /** In MiB. */
  readonly peakRss: number;
  readonly bytes: number;
}

/** A walk without a writer. */
interface WalkTimes {
  /** Seconds that it reports itself. */
  readonly seconds: number;
  /** Seconds of a core, of the whole process. */
  readonly cpu: number;
  /** In MiB. */
  readonly peakRss: number;
}

/** Formats, with the writers of the library. */
const FORMATS = { pages: "toText()", ndjson: "toNdjson()", csv: "toCsv()" } as const;

const WRITERS: readonly Writer[] = Object.entries(FORMATS).flatMap(([format, method]) => {
  const heading = format === "csv" ? 1 : 0;
  return [
    {
      name: `ls -f ${format} -o FILE`,
      args: (path, origin) => ["ls", "-f", format, "-o", path, origin],
      heading,
    },
    { name: method, args: (path, origin) => ["library", format, path, origin], heading },
  ] satisfies Writer[];
});

/** Runs a process to its end. */
async function timed<T>(script: string, args: readonly string[]) {
  const cpuBefore = await cpuTime(), start = performance.now();
  const result = await resultOf<T>(denoCommand(script, args));
  const seconds = (performance.now() - start) / 1000;
  return { result, seconds, cpu: await cpuTime() - cpuBefore };
}

async function cpuTime(): Promise<number> {
  return Deno.build.os === "linux" ? await endedTime() : NaN;
}

async function runWriter(
  { name, args, heading }: Writer,
  { origin, pages, walk }: { origin: string; pages: number; walk: WalkTimes },
): Promise<WriterResult> {
  console.error(`  ${name} …`);
  const path = await Deno.makeTempFile({ prefix: "sitetree-" });
  try {
    const { result: { peakRss }, seconds, cpu } = await timed<{ peakRss: number }>(
      "writer_client.ts",
      args(path, origin),
    );
    const { lines, bytes } = await sizeOf(path);
    if (lines !== pages + heading) throw new Error(`"${name}" wrote ${lines} lines of ${pages}`);
    const ratios = { ratio: seconds / walk.seconds, cpuRatio: cpu / walk.cpu };
    return { seconds, cpu, ...ratios, peakRss, bytes };
  } finally {
    await Deno.remove(path);
  }
}

async function sizeOf(path: string): Promise<{ lines: number; bytes: number }> {
  let lines = 0, bytes = 0;
  for await (const chunk of (await Deno.open(path)).readable) {
    bytes += chunk.length;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++;
  }
  return { lines, bytes };
}

/** Runs a walk and all writers in turns, and prints their times. */
export async function benchWriters(shape: SiteShape, rounds: number): Promise<void> {
  const pages = shape.sitemaps * shape.pages;
  const walks: WalkTimes[] = [];
  const all: WriterResult[][] = WRITERS.map(() => []);
  await withSite(shape, async (origin) => {
    for (let round = 0; round < rounds; round++) {
      console.error("  walk …");
      const { result, cpu } = await timed<WalkResult>("site_client.ts", ["walk", origin]);
      const walk = { seconds: result.seconds, cpu, peakRss: result.peakRss };
      walks.push(walk);
      for (const [at, writer] of WRITERS.entries()) {
        all[at]!.push(await runWriter(writer, { origin, pages, walk }));
      }
    }
  });
  const middle = <T>(results: readonly T[], read: (result: T) => number) =>
    median(results.map(read));
  const rows = WRITERS.map(({ name }, at) => {
    const results = all[at]!;
    return [
      name,
      `${figure(middle(results, ({ seconds }) => seconds))} s`,
      `×${figure(middle(results, ({ ratio }) => ratio))}`,
      `${figure(middle(results, ({ cpu }) => cpu))} s`,
      `×${figure(middle(results, ({ cpuRatio }) => cpuRatio))}`,
      figure(results[0]!.bytes / 1e6),
      `${figure(middle(results, ({ peakRss }) => peakRss))} MiB`,
    ];
  });
  rows.unshift([
    "walk, as it reports itself",
    `${figure(middle(walks, ({ seconds }) => seconds))} s`,
    "",
    `${figure(middle(walks, ({ cpu }) => cpu))} s`,
    "",
    "",
    `${figure(middle(walks, ({ peakRss }) => peakRss))} MiB`,
  ]);
  console.log(`\n## Writers: ${count(pages)} pages into a file, the whole process\n`);
  console.log(table(["", "time", "× walk", "CPU", "× walk", "MB", "peak RSS"], rows));
}
