/**
 * Runs an example of `docs/examples` as a process: on Deno with the permissions that its first comment
 * names, or by the command in `SITETREE_RUNTIME`, a JSON array such as `["node"]`, from a copy in the
 * folder `SITETREE_EXAMPLES`.
 *
 * @module
 */

import { assertEquals } from "@std/assert";
import { decoded, type ProcessOutput } from "../support/process_output.ts";

export const EXAMPLES: URL = new URL("../../docs/examples/", import.meta.url);

const COMMAND_REGEXP = /^ \* +deno run ((?:--[\w-]+ )*)(\w+\.ts) /m;

/** Returns the arguments of the command in the first comment of an example. */
export function commandOf(name: string): string[] {
  const source = Deno.readTextFileSync(new URL(name, EXAMPLES));
  const [, permissions = "", file] = COMMAND_REGEXP.exec(source) ?? [];
  if (file !== name) throw new SyntaxError(`No command in the first comment of "${name}"`);
  return ["run", ...permissions.trim().split(" "), new URL(name, EXAMPLES).pathname];
}

const RUNTIME: readonly string[] | undefined = JSON.parse(
  Deno.env.get("SITETREE_RUNTIME") ?? "null",
) ?? undefined;

/** Starts an example with piped output. */
export function startExample(name: string, args: readonly string[]): Deno.ChildProcess {
  const [program, ...words] = RUNTIME === undefined
    ? [Deno.execPath(), ...commandOf(name)]
    : [...RUNTIME, `${Deno.env.get("SITETREE_EXAMPLES")}/${name}`];
  return new Deno.Command(program!, {
    args: [...words, ...args],
    // that SQLite or type stripping is experimental
    env: { NO_COLOR: "1", NODE_NO_WARNINGS: "1" },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

export async function runExample(name: string, args: readonly string[]): Promise<ProcessOutput> {
  return decoded(await startExample(name, args).output());
}

/** Returns what an example prints that works. */
export async function printed(name: string, ...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runExample(name, args);
  assertEquals({ code, stderr }, { code: 0, stderr: "" });
  return stdout;
}
