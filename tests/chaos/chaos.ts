/**
 * Walks 300 sites by three workers that are killed and stopped at random, with a database that
 * crashes: `deno task chaos [--seed N] [--minutes M]`. Fails unless every site has its verdict,
 * every page is there once, and no host was ever visited by two workers at once.
 *
 * With `--mutations`, takes each protection of the fleet away instead, and fails if that goes
 * unnoticed. With `--failpoints`, breaks the connection at each point of each transaction, one by
 * one.
 *
 * @module
 */

import { parseArgs } from "node:util";
import { enumerateFailpoints } from "../fleet/failpoint_run.ts";
import { copyWithFault, type Mutation, MUTATIONS } from "./mutations.ts";
import { ACTIONS, type RoundOptions, type RoundResult, runRound } from "./round.ts";

/** Violations that are printed. */
const MAX_SHOWN = 30;
/** Rounds in which a mutation must be noticed. */
const MAX_ROUNDS = 3;
const WORKER = new URL("worker.ts", import.meta.url);

const { values } = parseArgs({
  args: Deno.args,
  options: {
    seed: { type: "string", default: "1" },
    minutes: { type: "string", default: "2" },
    mutations: { type: "boolean", default: false },
    failpoints: { type: "boolean", default: false },
  },
});

/** Runs a round and prints its report. */
async function report(options: Omit<RoundOptions, "onProgress">): Promise<RoundResult> {
  console.log(`Chaos for ${options.minutes} minutes, seed ${options.seed}`);
  const result = await runRound({ ...options, onProgress: (message) => console.log(message) });
  const { figures } = result;
  console.log(Object.entries(figures).map(([name, value]) => `${name} ${value}`).join(", "));
  return result;
}

/** Runs the fleet. Returns whether nothing is wrong. */
async function testFleet(seed: number, minutes: number): Promise<boolean> {
  const options = { seed, minutes, program: WORKER, actions: ACTIONS, isFaultExpected: false };
  const { faults: found, failedWorkers } = await report(options);
  const faults = [...found, ...failedWorkers];
  for (const fault of faults.slice(0, MAX_SHOWN)) console.error(`Failed: ${fault}`);
  if (faults.length > MAX_SHOWN) console.error(`… and ${faults.length - MAX_SHOWN} more`);
  return faults.length === 0;
}

/** Runs the fleet with a fault, several times if necessary. Returns whether it was noticed. */
async function testMutation(mutation: Mutation, seed: number, minutes: number): Promise<boolean> {
  const directory = await Deno.makeTempDir({ prefix: "chaos-" });
  try {
    const program = await copyWithFault(directory, mutation);
    for (let round = 0; round < MAX_ROUNDS; round++) {
      console.log(`Mutation "${mutation.name}"`);
      const { actions } = mutation;
      const options = { seed: seed + round, minutes, program, actions, isFaultExpected: true };
      const { faults: [fault], failedWorkers } = await report(options);
      if (failedWorkers.length > 0) {
        console.error(`Failed: ${failedWorkers[0]}`);
        return false;
      }
      if (fault === undefined) continue;
      console.log(`Noticed: ${fault}`);
      return true;
    }
    console.error(`Failed: mutation "${mutation.name}" was not noticed in ${MAX_ROUNDS} rounds`);
    return false;
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

/** Returns whether all is as it should be. */
async function test(): Promise<boolean> {
  const [seed, minutes] = [Number(values.seed), Number(values.minutes)];
  if (values.failpoints) {
    await enumerateFailpoints((message) => console.log(message));
    return true;
  }
  if (!values.mutations) return await testFleet(seed, minutes);
  let isNoticed = true;
  for (const mutation of MUTATIONS) {
    if (!await testMutation(mutation, seed, minutes)) isNoticed = false;
  }
  return isNoticed;
}

Deno.exit(await test() ? 0 : 1);
