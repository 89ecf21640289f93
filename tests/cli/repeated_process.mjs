/**
 * Runs command lines one after the other in a process of any runtime, so that modules are loaded once:
 * those of the module with `main()` whose URL is the first argument. Each line of standard input is a
 * run as JSON:
 *
 * | member  | meaning                                              |
 * | ------- | ---------------------------------------------------- |
 * | `args`  | arguments                                            |
 * | `cwd`   | working directory; absent to stay in the current one |
 * | `env`   | environment variables, which are removed afterwards  |
 * | `stdin` | standard input as base64; default: none              |
 *
 * Standard output and standard error of a run end with {@linkcode END}, on standard output followed by
 * the exit code, and a line end.
 *
 * @module
 */

import { Buffer } from "node:buffer";
import { writeSync } from "node:fs";
import process from "node:process";
import { Readable } from "node:stream";

/** What follows the output of a run, and is in no output. */
const END = "\0end of run ";

/** Thrown in place of the end of the process. */
class Exit extends Error {
  constructor(exitCode) {
    super(`exit ${exitCode}`);
    this.exitCode = exitCode;
  }
}

/** Makes bytes the standard input of all that reads it from now on. */
function setInput(bytes) {
  if (globalThis.Deno === undefined) {
    const value = Readable.from(bytes.length === 0 ? [] : [bytes]);
    Object.defineProperty(process, "stdin", { configurable: true, value });
  } else {
    const get = () => ({ readable: new Blob([bytes]).stream() });
    Object.defineProperty(globalThis.Deno, "stdin", { configurable: true, get });
  }
}

/** Runs a command line. Returns its exit code. */
async function run(main, { args, cwd, env, stdin = "" }) {
  if (cwd !== undefined) process.chdir(cwd);
  for (const [name, value] of Object.entries(env)) process.env[name] = value;
  process.argv.splice(2, Infinity, ...args);
  setInput(Buffer.from(stdin, "base64"));
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

/** Yields the lines of standard input. */
async function* inputLines() {
  const chunks = globalThis.Deno?.stdin.readable ?? process.stdin;
  const decoder = new TextDecoder();
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + decoder.decode(chunk, { stream: true })).split("\n");
    rest = lines.pop();
    yield* lines;
  }
}

/** Runs what standard input asks for. */
export async function runAll(main) {
  process.exit = (exitCode) => {
    throw new Exit(exitCode);
  };
  for await (const line of inputLines()) {
    const code = await run(main, JSON.parse(line));
    await new Promise((resolve) => process.stdout.write(`${END}${code}\n`, resolve));
    writeSync(2, `${END}\n`);
  }
}

const [, , url] = process.argv;
if (url !== undefined) await runAll((await import(url)).main);
