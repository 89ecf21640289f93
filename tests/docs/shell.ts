/**
 * Runs commands of the documentation in bash, where `sitetree` is the command line of this repository.
 *
 * @module
 */

import { ROOT } from "./markdown.ts";

/** Path of the configuration by which code of the documentation runs. */
export const CONFIG_PATH: string = new URL("deno.json", ROOT).pathname;

/** How a script runs. */
export interface ShellOptions {
  /** Working directory. */
  readonly folder: string;
  /** Variables. */
  readonly env?: Readonly<Record<string, string>>;
  /** Module that is loaded before the command line. */
  readonly preload?: string;
}

/** Outcome of a script. */
export interface ShellOutput {
  /** Exit code. */
  readonly code: number;
  /** Its standard output. */
  readonly stdout: string;
  /** Its standard error. */
  readonly stderr: string;
}

/** Runs a script to its end. */
export async function runShell(script: string, options: ShellOptions): Promise<ShellOutput> {
  const { folder, env = {}, preload } = options;
  const words = [
    ...[Deno.execPath(), "run", "--quiet", "--no-prompt", "--allow-all"],
    `--config=${CONFIG_PATH}`,
    ...(preload === undefined ? [] : [`--preload=${preload}`]),
    new URL("src/cli/main.ts", ROOT).pathname,
  ];
  const sitetree = `sitetree() { ${words.map((word) => `'${word}'`).join(" ")} "$@"; }`;
  const { code, stdout, stderr } = await new Deno.Command("bash", {
    args: ["-c", `${sitetree}\n${script}`],
    cwd: folder,
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}
