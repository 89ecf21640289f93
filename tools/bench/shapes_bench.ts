/**
 * Reads one document of each shape with sitetree and with saxes, and prints the ratios.
 *
 * @module
 */

import {
  checkPages,
  geometricMean,
  hasBatches,
  readBatches,
  readOurs,
  readSaxes,
  timeReaders,
  type TimingOptions,
} from "./head_to_head.ts";
import { generateShape, type Shape, SHAPES } from "./shapes.ts";
import { count, figure, table } from "./table.ts";

/** Lowest ratios to saxes that count as good; some shapes have a goal of their own. */
const MIN_RATIO = 2.5;
const MIN_RATIOS: Readonly<Record<string, number>> = { "plain": 5 };
const MIN_MEAN = 4;

/** Duration of the measurement of a shape. */
export const TIMING: TimingOptions = { minRounds: 5, seconds: 2, secondsPerRound: 0.02 };

/**
 * Pages of each shape that are read before anything is timed: code that has met one shape only is
 * faster than code that has met them all, and the first rows of the table would gain from it.
 */
const WARM_UP_PAGES = 1000;

/** Options of the table of shapes. */
export interface ShapesOptions {
  /** Entries of each document; fewer if they are large. */
  readonly pages: number;
  /** Texts of which one must be in the name of a shape; none for all shapes. */
  readonly only: readonly string[];
  /** Whether to compare the pages and measure nothing. */
  readonly quick: boolean;
}

/** The shapes that have one of the texts in their name, or all. */
export function shapesWith(only: readonly string[]): readonly Shape[] {
  if (only.length === 0) return SHAPES;
  const texts = only.map((text) => text.toLowerCase());
  return SHAPES.filter(({ name }) => texts.some((text) => name.toLowerCase().includes(text)));
}

/** Makes the document of a shape; throws unless both readers make the same pages of it. */
export async function checkShape(shape: Shape, maxPages: number): Promise<Uint8Array> {
  const { bytes, pages: expected } = generateShape(shape, maxPages);
  const { pages, difference } = await checkPages(bytes);
  if (difference !== undefined) {
    const { at, ours, saxes } = difference;
    throw new Error(
      `Pages of "${shape.name}" differ at page ${at}:\n  sitetree ${ours}\n  saxes    ${saxes}`,
    );
  }
  if (pages !== expected) {
    throw new Error(`"${shape.name}" has ${expected} entries, but ${pages} pages were read`);
  }
  return bytes;
}

interface Times {
  readonly saxes: number;
  readonly ours: number;
  readonly batches?: number;
}

function rowOf(name: string, bytes: number, times: Times): string[] {
  const speed = (seconds: number) => figure(bytes / 1e6 / seconds);
  const { ours, saxes, batches } = times;
  const ratio = saxes / ours;
  const goal = MIN_RATIOS[name] ?? MIN_RATIO;
  return [
    name,
    figure(bytes / 1e6),
    speed(saxes),
    speed(ours),
    `×${figure(ratio)}`,
    ...(batches === undefined ? [] : [speed(batches), `×${figure(saxes / batches)}`]),
    ratio < goal ? `under ${goal}` : "",
  ];
}

/** Prints the table of all shapes, or of those with a text of `only` in their name. */
export async function benchShapes({ pages, only, quick }: ShapesOptions): Promise<void> {
  const shapes = shapesWith(only);
  if (shapes.length === 0) return;
  console.log(`\n## Shapes: up to ${count(pages)} pages each, ratio to saxes without namespaces\n`);
  const readers = { saxes: readSaxes, ours: readOurs };
  const rows: string[][] = [];
  const ratios: number[] = [];
  for (const shape of quick ? shapes : SHAPES) {
    await checkShape(shape, Math.min(pages, WARM_UP_PAGES));
  }
  if (quick) return console.log(`The pages of all ${shapes.length} shapes are identical`);
  for (const shape of shapes) {
    const bytes = await checkShape(shape, pages);
    const times: Times = hasBatches()
      ? await timeReaders({ ...readers, batches: readBatches }, bytes, TIMING)
      : await timeReaders(readers, bytes, TIMING);
    ratios.push(times.saxes / times.ours);
    rows.push(rowOf(shape.name, bytes.length, times));
  }
  const batchColumns = hasBatches() ? ["batches() MB/s", "ratio"] : [];
  console.log(
    table(["", "MB", "saxes MB/s", "sitetree MB/s", "ratio", ...batchColumns, "goal"], rows),
  );
  const mean = geometricMean(ratios);
  const urlsets = ratios.filter((_, at) => /urlset/i.test(shapes[at]!.head));
  const lowest = ratios.indexOf(Math.min(...ratios));
  console.log(
    `\nGeometric mean ×${figure(mean)}${mean < MIN_MEAN ? ` (under ${MIN_MEAN})` : ""}, ` +
      `of ${urlsets.length} urlsets ×${figure(geometricMean(urlsets))}, ` +
      `lowest ×${figure(ratios[lowest]!)} ("${shapes[lowest]!.name}")`,
  );
}
