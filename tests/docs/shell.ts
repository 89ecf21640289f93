/** Runs commands of the documentation in bash; `sitetree` is that of this repository. @module */

import type { FixtureServer } from "../support/fixture_server.ts";
import { decoded, type ProcessOutput } from "../support/process_output.ts";
import { ROOT } from "./markdown.ts";

export const CONFIG_PATH: string = new URL("deno.json", ROOT).pathname;

/** Serves `https://example.com` from the server that {@linkcode exampleEnv} names. */
export const PRELOAD: string = `--preload=${
  new URL("tests/support/example_fetch.ts", ROOT).pathname
}`;

export function exampleEnv(server: FixtureServer): Record<string, string> {
  // the proxy is not used: with one, names are not resolved
  return { SITETREE_EXAMPLE_SERVER: server.url, HTTPS_PROXY: "http://127.0.0.1:1" };
}

export interface RunOptions {
  /** Working directory. */
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
}

export interface ShellOptions extends RunOptions {
  /** Options of Deno for the command line. */
  readonly flags?: readonly string[];
}

export function runShell(script: string, options: ShellOptions): Promise<ProcessOutput> {
  const words = [
    ...[Deno.execPath(), "run", "--quiet", "--no-prompt", "--allow-all"],
    ...[`--config=${CONFIG_PATH}`, ...options.flags ?? []],
    new URL("src/cli/main.ts", ROOT).pathname,
  ];
  const sitetree = `sitetree() { ${words.map((word) => `'${word}'`).join(" ")} "$@"; }`;
  return run("bash", ["-c", `${sitetree}\n${script}`], options);
}

export function runDeno(args: readonly string[], options: RunOptions): Promise<ProcessOutput> {
  return run(Deno.execPath(), args, options);
}

async function run(
  program: string,
  args: readonly string[],
  { folder, env }: RunOptions,
): Promise<ProcessOutput> {
  const output = await new Deno.Command(program, {
    args: [...args],
    cwd: folder,
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
  }).output();
  return decoded(output);
}
