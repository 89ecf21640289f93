/** Runs commands of the documentation in bash; `sitetree` is that of this repository. @module */

import { ROOT } from "./markdown.ts";

export const CONFIG_PATH: string = new URL("deno.json", ROOT).pathname;

export interface ShellOptions {
  /** Working directory. */
  readonly folder: string;
  readonly env?: Readonly<Record<string, string>>;
  /** Module that is loaded before the command line. */
  readonly preload?: string;
}

export interface ShellOutput {
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

export async function runShell(script: string, options: ShellOptions): Promise<ShellOutput> {
  const { folder, env = {}, preload } = options;
  const words = [
    ...[Deno.execPath(), "run", "--quiet", "--no-prompt", "--allow-all"],
    `--config=${CONFIG_PATH}`,
    ...(preload === undefined ? [] : [`--preload=${preload}`]),
    new URL("src/cli/main.ts", ROOT).pathname,
  ];
  const sitetree = `sitetree() { ${words.map((word) => `'${word}'`).join(" ")} "$@"; }`;
  const output = await new Deno.Command("bash", {
    args: ["-c", `${sitetree}\n${script}`],
    cwd: folder,
    env: { NO_COLOR: "1", ...env },
    stdin: "null",
  }).output();
  return decoded(output);
}

export function decoded({ code, stdout, stderr }: Deno.CommandOutput): ShellOutput {
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}
