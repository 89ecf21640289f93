/**
 * Times sitetree and saxes on shapes, on any runtime with `node:` modules.
 *
 * Started by `runtimes_bench.ts` with {@linkcode ShapeTimesTask} as JSON; prints an array of
 * {@linkcode ShapeTime}.
 *
 * @module
 */

import process from "node:process";
import { readOurs, readSaxes, timeReaders } from "./head_to_head.ts";
import { checkShape, type ShapesOptions, shapesWith, TIMING } from "./shapes_bench.ts";

/** Seconds of one reading of a shape. */
export interface ShapeTime {
  readonly name: string;
  readonly bytes: number;
  readonly saxes: number;
  readonly ours: number;
}

/** Times shapes after all of them were read once, see {@linkcode checkShape}. */
async function shapeTimes({ only, pages, quick }: ShapesOptions): Promise<ShapeTime[]> {
  const shapes = shapesWith(only);
  const times: ShapeTime[] = [];
  for (const shape of shapes) await checkShape(shape, pages);
  for (const shape of quick ? [] : shapes) {
    const bytes = await checkShape(shape, pages);
    const seconds = await timeReaders({ saxes: readSaxes, ours: readOurs }, bytes, TIMING);
    times.push({ name: shape.name, bytes: bytes.length, ...seconds });
  }
  return times;
}

console.log(JSON.stringify(await shapeTimes(JSON.parse(process.argv[2]!))));
