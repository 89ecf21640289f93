/**
 * Fuzzes the parsers for a given time: `deno task fuzz [seconds] [seed]`.
 *
 * Each round has the next seed; repeat a failed round with `deno task fuzz 1 <seed>`.
 *
 * @module
 */

import { fuzz } from "./watch.ts";

/** Cases of one round: a second or two. */
const ROUND = 2000;

const [seconds = "60", firstSeed = String(Date.now() % 2 ** 31)] = Deno.args;
const until = Date.now() + Number(seconds) * 1000;
let seed = Number(firstSeed);
if (!(Number(seconds) > 0) || !Number.isInteger(seed)) {
  console.error("Usage: deno task fuzz [seconds] [seed]");
  Deno.exit(2);
}
console.log(`Fuzzing for ${seconds} s from seed ${seed}`);
let cases = 0;
do {
  const { runs, failure } = await fuzz(seed, ROUND);
  cases += runs;
  if (failure !== undefined) {
    console.error(`Seed ${seed} fails after ${cases} cases: ${failure}`);
    Deno.exit(1);
  }
  seed++;
} while (Date.now() < until);
console.log(`${cases} cases passed, up to seed ${seed - 1}`);
