/**
 * Runs command lines one after the other in a process, so that modules are loaded once: each line of
 * standard input is a {@linkcode Run} as JSON. Standard output and standard error of a run end with
 * {@linkcode END}, on standard output followed by the exit code, and a line end.
 *
 * @module
 */

import process from "node:process";
import { main } from "../../src/cli/main.ts";

export interface Run {
  readonly args: readonly string[];
  /** Working directory; absent to stay in the current one. */
  readonly cwd?: string;
  /** Environment variables, which are removed after the run. */
  readonly env: Readonly<Record<string, string>>;
  /** Standard input as base64. Default: none. */
  readonly stdin?: string;
}

/** What follows the output of a run, and is in no output. */
export const END = "\0end of run ";

/** Thrown in place of the end of the process. */
class Exit extends Error {
  override readonly name = "Exit";
  readonly exitCode: number;

  constructor(exitCode: number) {
    super(`exit ${exitCode}`);
    this.exitCode = exitCode;
  }
}

function exit(exitCode: number): never {
  throw new Exit(exitCode);
}

/** Runs a command line. Returns its exit code. */
async function run({ args, cwd, env, stdin = "" }: Run): Promise<number> {
  if (cwd !== undefined) process.chdir(cwd);
  for (const [name, value] of Object.entries(env)) process.env[name] = value;
  process.argv.splice(2, Infinity, ...args);
  const input = new Blob([Uint8Array.from(atob(stdin), (unit) => unit.charCodeAt(0))]);
  Object.defineProperty(Deno, "stdin", {
    configurable: true,
    get: () => ({ readable: input.stream() }),
  });
  try {
    return await main();
  } catch (error) {
    if (error instanceof Exit) return error.exitCode;
    throw error;
  } finally {
    for (const name of Object.keys(env)) delete process.env[name];
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.removeAllListeners(signal);
  }
}

async function runAll(lines: ReadableStream<Uint8Array<ArrayBuffer>>): Promise<void> {
  const encoder = new TextEncoder();
  let rest = "";
  for await (const text of lines.pipeThrough(new TextDecoderStream())) {
    const complete = (rest + text).split("\n");
    rest = complete.pop()!;
    for (const line of complete) {
      const code = await run(JSON.parse(line));
      Deno.stdout.writeSync(encoder.encode(`${END}${code}\n`));
      Deno.stderr.writeSync(encoder.encode(`${END}\n`));
    }
  }
}

if (import.meta.main) {
  process.exit = exit as typeof process.exit;
  await runAll(Deno.stdin.readable);
}
