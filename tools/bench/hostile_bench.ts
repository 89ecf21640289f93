/**
 * Reads hostile documents at two sizes: ten times the input may take ten times as long.
 *
 *     deno run -A tools/bench/hostile_bench.ts [--quick] [--only NAME]
 *
 * @module
 */

import { parseArgs } from "node:util";
import { DocumentReader, ReaderPool } from "../../src/formats/document.ts";
import type { ReaderLimits } from "../../src/data/limits.ts";
import { CHUNK_SIZE } from "./contender.ts";
import { HOSTILE_SHAPES, type HostileShape } from "./hostile.ts";
import { count, figure, table } from "./table.ts";

/** Most time for ten times the input, with a margin for caches and noise. */
const MAX_RATIO = 12;

/** Limits are lifted, or documents would be cut off. */
const NO_CEILINGS: ReaderLimits = {
  maxBytes: 1e9,
  maxEntries: 1e9,
  maxValueLength: 1e9,
  maxAttributes: 1e9,
  maxElementDepth: 1e9,
};

/** Runs a minor garbage collection; a full one would discard optimized code. */
const { gc: sweep } = globalThis as { gc?: (options: { type: "minor" }) => void };

function* chunksOf(bytes: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

function bytesOf(shape: HostileShape, size: number): Uint8Array {
  const content = shape.make(size);
  return typeof content === "string" ? new TextEncoder().encode(content) : content;
}

function secondsOf(shape: HostileShape, bytes: Uint8Array, expected: number) {
  let pages = 0;
  const start = performance.now();
  const readers = new ReaderPool(NO_CEILINGS);
  const reader = new DocumentReader({ url: "", isRobots: false, readers }, {
    page: () => pages++,
    child() {},
    childDropped() {},
    warning() {},
  });
  for (const chunk of chunksOf(bytes, shape.chunkSize ?? CHUNK_SIZE)) reader.write(chunk);
  reader.end();
  const seconds = (performance.now() - start) / 1000;
  if (pages !== expected) {
    throw new Error(`"${shape.name}" gave ${pages} pages, ${expected} are in it`);
  }
  return seconds;
}

/** How much larger the large document is, and how many small ones are read in its place. */
const FACTOR = 10;

/** Short documents are read more often. */
const MIN_ROUNDS = 5;
const MIN_MILLISECONDS = 3000;

/** The shortest times for a small and the large document, in seconds. */
interface BestTimes {
  readonly small: number;
  readonly large: number;
}

/**
 * Returns the shortest times, which load on the machine affects least. Ten small documents and the
 * large one are read alternately, each after a garbage collection.
 */
function bestTimes(shape: HostileShape): BestTimes {
  const smallBytes = bytesOf(shape, shape.size);
  const largeBytes = bytesOf(shape, shape.size * FACTOR);
  let small = Infinity, large = Infinity;
  const begun = performance.now();
  const isEnough = (round: number) =>
    round > MIN_ROUNDS && performance.now() - begun >= MIN_MILLISECONDS;
  // the first round only warms up
  for (let round = 0; !isEnough(round); round++) {
    let sum = 0;
    sweep?.({ type: "minor" });
    for (let reading = 0; reading < FACTOR; reading++) {
      sum += secondsOf(shape, smallBytes, shape.pages(shape.size));
    }
    sweep?.({ type: "minor" });
    const seconds = secondsOf(shape, largeBytes, shape.pages(shape.size * FACTOR));
    if (round === 0) continue;
    small = Math.min(small, sum / FACTOR);
    large = Math.min(large, seconds);
  }
  return { small, large };
}

function sizeText(size: number, unit: HostileShape["unit"]): string {
  return unit === "MB" ? `${figure(size / 1e6)} MB` : count(size);
}

function rowOf(shape: HostileShape, quick: boolean): string[] {
  if (quick) {
    const size = shape.size / 100;
    secondsOf(shape, bytesOf(shape, size), shape.pages(size));
    return [shape.name, sizeText(size, shape.unit), count(shape.pages(size))];
  }
  const { small, large } = bestTimes(shape);
  const ratio = large / small;
  return [
    shape.name,
    sizeText(shape.size, shape.unit),
    `${figure(small * 1000)} ms`,
    sizeText(shape.size * FACTOR, shape.unit),
    `${figure(large * 1000)} ms`,
    `×${figure(ratio)}`,
    ratio < MAX_RATIO ? "yes" : "NO",
  ];
}

/** Prints the table of all shapes, or of those with `only` in their name. */
export function benchHostile(quick: boolean, only = ""): void {
  const rows: string[][] = [];
  for (const shape of HOSTILE_SHAPES) {
    if (shape.name.includes(only)) rows.push(rowOf(shape, quick));
  }
  console.log("\n## Hostile documents: ten times the input, and how much more time\n");
  const head = quick
    ? ["", "size", "pages"]
    : ["", "small", "time", "large", "time", "ratio", `under ${MAX_RATIO}`];
  console.log(table(head, rows));
}

if (import.meta.main) {
  const { values } = parseArgs({
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string", default: "" },
    },
  });
  benchHostile(values.quick, values.only);
}
