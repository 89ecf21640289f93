/**
 * The command line: `sitetree ls`, `check`, `report`, `explain`, `diff`, `sync`, `changes`,
 * `snapshot`, `fleet`, `demo` and `completions`; see `sitetree --help`.
 *
 * It runs on Deno, Node and Bun. On Deno, walking needs `--allow-net`, reading files `--allow-read`,
 * writing them `--allow-write` too, and proxies of the environment `--allow-env`.
 *
 * @module
 */

import { VERSION } from "../data/version.ts";
import { commandArguments, exit, runtimeName } from "../platform/process.ts";
import { printText } from "./run/print.ts";

const VERSION_WORDS = ["--version", "-V", "-v"];

async function run(words: readonly string[]): Promise<number> {
  if (VERSION_WORDS.includes(words[0] ?? "")) {
    await printText(`sitetree ${VERSION} (${runtimeName()})\n`);
    return 0;
  }
  const { dispatch } = await import("./dispatch.ts");
  return await dispatch(words);
}

/** Runs the command line with the arguments of the process, and exits. */
export async function main(): Promise<never> {
  let exitCode: number;
  try {
    exitCode = await run(commandArguments());
  } catch (error) {
    const { report } = await import("./dispatch.ts");
    exitCode = await report(error);
  }
  // signal listeners would keep the process alive
  exit(exitCode);
}

if (import.meta.main) await main();
