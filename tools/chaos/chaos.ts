/**
 * Walks 300 sites round after round by three workers, on Deno and on Node, that are killed and stopped at
 * random, with a database that crashes:
 *
 *     deno task chaos [--seed N] [--minutes M] [--tarball FILE]
 *
 * Fails unless every site has its verdict, every page and every change is there once, and no host was
 * ever visited by more workers than allowed. `--tarball` is the package for Node, which is built
 * otherwise.
 *
 * With `--mutations [NAME]`, takes the protections of the fleet away instead, one by one, and fails if
 * that goes unnoticed by tests and by chaos.
 *
 * @module
 */

import { parseArgs } from "node:util";
import { MUTATIONS } from "./mutations.ts";
import { isNoticed } from "./mutation_run.ts";
import { denoCommand, moduleOf, nodeCommand } from "./programs.ts";
import { ACTIONS, runChaos } from "./rounds.ts";

/** Violations that are printed. */
const MAX_SHOWN = 30;
const ROOT = new URL("../../", import.meta.url);

const { values, positionals } = parseArgs({
  args: Deno.args,
  allowPositionals: true,
  options: {
    seed: { type: "string", default: "1" },
    minutes: { type: "string", default: "2" },
    tarball: { type: "string" },
    mutations: { type: "boolean", default: false },
  },
});

/** Runs the fleet. Returns whether nothing is wrong. */
async function testFleet(seed: number, minutes: number): Promise<boolean> {
  const folder = await Deno.makeTempDir({ prefix: "chaos-" });
  try {
    const node = await nodeCommand(folder, values.tarball);
    const deno = denoCommand(ROOT);
    console.log(`Chaos for ${minutes} minutes, seed ${seed}`);
    const { faults: found, failedWorkers, figures } = await runChaos({
      ...{ seed, minutes, actions: ACTIONS, isFaultExpected: false },
      programs: { module: moduleOf(ROOT), commands: [deno, node, deno] },
      onProgress: (message) => console.log(message),
    });
    console.log(Object.entries(figures).map(([name, value]) => `${name} ${value}`).join(", "));
    const faults = [...found, ...failedWorkers];
    for (const fault of faults.slice(0, MAX_SHOWN)) console.error(`Failed: ${fault}`);
    if (faults.length > MAX_SHOWN) console.error(`… and ${faults.length - MAX_SHOWN} more`);
    return faults.length === 0;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Returns whether all is as it should be. */
async function test(): Promise<boolean> {
  const [seed, minutes] = [Number(values.seed), Number(values.minutes)];
  if (!values.mutations) return await testFleet(seed, minutes);
  let areNoticed = true;
  for (const mutation of MUTATIONS) {
    if (positionals.length > 0 && !positionals.includes(mutation.name)) continue;
    if (!await isNoticed(mutation, seed, minutes)) areNoticed = false;
  }
  return areNoticed;
}

Deno.exit(await test() ? 0 : 1);
