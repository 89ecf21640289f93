/**
 * Walks 300 sites by three workers that are killed and stopped at random, with a database that
 * crashes: `deno task chaos [--seed N] [--minutes M]`. Fails unless every site has its verdict, every
 * page is there once, and no host was ever visited by two workers at once.
 *
 * @module
 */

import { parseArgs } from "node:util";
import { runRound } from "./round.ts";

/** Violations that are printed. */
const MAX_SHOWN = 30;
const WORKER = new URL("worker.ts", import.meta.url);

const { values } = parseArgs({
  args: Deno.args,
  options: {
    seed: { type: "string", default: "1" },
    minutes: { type: "string", default: "2" },
  },
});

/** Runs a round and prints its report. Returns the number of violations. */
async function chaos(seed: number, minutes: number): Promise<number> {
  console.log(`Chaos for ${minutes} minutes, seed ${seed}`);
  const onProgress = (message: string) => console.log(message);
  const { faults, figures } = await runRound({ seed, minutes, program: WORKER, onProgress });
  console.log(Object.entries(figures).map(([name, value]) => `${name} ${value}`).join(", "));
  for (const fault of faults.slice(0, MAX_SHOWN)) console.error(`Failed: ${fault}`);
  if (faults.length > MAX_SHOWN) console.error(`… and ${faults.length - MAX_SHOWN} more`);
  return faults.length;
}

const failures = await chaos(Number(values.seed), Number(values.minutes));
Deno.exit(failures === 0 ? 0 : 1);
