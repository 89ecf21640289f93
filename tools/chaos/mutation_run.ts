/**
 * Looks for the fault of a mutation by tests and by chaos.
 *
 * @module
 */

import { copyWithFault, type Mutation } from "./mutations.ts";
import { denoCommand, moduleOf, WORKER } from "./programs.ts";
import { runChaos } from "./rounds.ts";

/** Runs of the chaos test in which a mutation must be noticed. */
const MAX_RUNS = 3;

/** Returns whether a mutation is noticed. */
export async function isNoticed(
  mutation: Mutation,
  seed: number,
  minutes: number,
): Promise<boolean> {
  const folder = await Deno.makeTempDir({ prefix: "chaos-" });
  const start = performance.now();
  const report = (how: string) => {
    const seconds = Math.round((performance.now() - start) / 1000);
    console.log(`"${mutation.name}": ${how} after ${seconds} s`);
  };
  try {
    const root = await copyWithFault(folder, mutation);
    const failed = await failedTest(root, mutation.tests);
    if (failed !== undefined) {
      report(`test "${failed}"`);
      return true;
    }
    for (let run = 0; run < (mutation.actions === undefined ? 0 : MAX_RUNS); run++) {
      const fault = await chaosFault(root, mutation, seed + run, minutes);
      if (fault === undefined) continue;
      report(`chaos: ${fault}`);
      return true;
    }
    report("not noticed");
    return false;
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
}

/** Throws unless all programs exist: one that is missing would fail as well. */
async function assertExist(root: URL, paths: readonly string[]): Promise<void> {
  for (const path of paths) await Deno.stat(new URL(path, root));
}

/** Returns the name of a test that fails, if there is one. */
async function failedTest(root: URL, tests: readonly string[]): Promise<string | undefined> {
  await assertExist(root, tests);
  const { success, stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["test", "--no-check", "--frozen", "--allow-all", "--fail-fast", ...tests],
    cwd: root,
    env: { NO_COLOR: "1" },
    stderr: "null",
  }).output();
  if (success) return undefined;
  const output = new TextDecoder().decode(stdout);
  return /^(.+) \.\.\. .*FAILED/m.exec(output)?.[1] ?? output.slice(-1000);
}

/** Returns a fault that chaos finds. */
async function chaosFault(
  root: URL,
  { actions }: Mutation,
  seed: number,
  minutes: number,
): Promise<string | undefined> {
  await assertExist(root, [WORKER]);
  const { faults, failedWorkers } = await runChaos({
    ...{ seed, minutes, actions: actions!, isFaultExpected: true },
    programs: { module: moduleOf(root), commands: Array(3).fill(denoCommand(root)) },
    onProgress: () => {},
  });
  return faults[0] ?? failedWorkers[0];
}
