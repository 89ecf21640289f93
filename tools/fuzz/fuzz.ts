/**
 * Runs the property tests from a seed, then fuzzes the parsers for a given time:
 * `deno task fuzz [seconds] [seed]`.
 *
 * Each round of fuzzing has the next seed. `deno task fuzz 1 <seed>` repeats a failure;
 * `SITETREE_SEED=<seed> deno test -A FILE` that of a property test.
 *
 * @module
 */

import { filesOf } from "../test.ts";
import { fuzz } from "./watch.ts";

/** Cases of one round: a second or two. */
const ROUND = 2000;

const ROOT = new URL("../../", import.meta.url);

/** Returns the files of tests that take their cases from the seed, without those in PostgreSQL. */
function propertyTests(): string[] {
  return [...filesOf("fast"), ...filesOf("slow")].filter((path, at, all) =>
    all.indexOf(path) === at &&
    Deno.readTextFileSync(new URL(path, ROOT)).includes("/fast_check.ts")
  );
}

/** Runs the property tests. Returns whether all pass. */
async function runPropertyTests(seed: number): Promise<boolean> {
  const { success } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "--no-check", "--parallel", "--allow-all", "--reporter=dot", ...propertyTests()],
    cwd: ROOT,
    env: { SITETREE_SEED: `${seed}`, SITETREE_SHRINK: "0", SITETREE_LANE: "fast" },
  }).spawn().status;
  return success;
}

/** Fuzzes the parsers for so many seconds. Returns whether all rounds pass. */
async function fuzzParsers(seconds: number, firstSeed: number): Promise<boolean> {
  const until = Date.now() + seconds * 1000;
  let seed = firstSeed, cases = 0;
  do {
    const { runs, failure } = await fuzz(seed, ROUND);
    cases += runs;
    if (failure !== undefined) {
      console.error(`Seed ${seed} fails after ${cases} cases: ${failure}`);
      return false;
    }
    seed++;
  } while (Date.now() < until);
  console.log(`${cases} cases passed, up to seed ${seed - 1}`);
  return true;
}

async function main(args: readonly string[]): Promise<number> {
  const [seconds, seed] = [args[0] ?? 60, args[1] ?? Date.now() % 2 ** 31].map(Number);
  if (!(seconds! > 0) || !Number.isInteger(seed)) {
    console.error("Usage: deno task fuzz [seconds] [seed]");
    return 2;
  }
  console.log(`Property tests, then fuzzing for ${seconds} s, from seed ${seed}`);
  return await runPropertyTests(seed!) && await fuzzParsers(seconds!, seed!) ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main(Deno.args));
