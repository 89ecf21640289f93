/**
 * Runs programs.
 *
 * @module
 */

/**
 * Option of Deno for programs with large packages, such as bundlers. These are not in `deno.json`, as
 * every `deno task` installs what is there.
 */
export const LOCK: string = `--lock=${new URL("deno.lock", import.meta.url).pathname}`;

/** A program and its arguments. */
export type Command = readonly [program: string, ...args: string[]];

/** Options of a run. */
export interface CommandOptions {
  readonly cwd?: string;
  /** More of the environment. */
  readonly env?: Readonly<Record<string, string>>;
  /** Milliseconds after which the program is killed. Default: five minutes. */
  readonly timeout?: number;
}

/** Lines at the end of the output that a failure repeats. */
const SHOWN_LINES = 40;

/** Characters of an argument that a failure repeats. */
const MAX_WORD = 200;

/** Runs a program to its end; returns its standard output, throws if it fails. */
export async function run(
  [program, ...args]: Command,
  { cwd, env, timeout = 300_000 }: CommandOptions = {},
): Promise<string> {
  const child = new Deno.Command(program, {
    args,
    ...(cwd !== undefined && { cwd }),
    ...(env !== undefined && { env: { ...env } }),
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  let isLate = false;
  const timer = setTimeout(() => {
    isLate = true;
    child.kill("SIGKILL");
  }, timeout);
  try {
    const output = await child.output();
    const [stdout, stderr] = [output.stdout, output.stderr].map((b) => new TextDecoder().decode(b));
    if (!isLate && output.success) return stdout!;
    const end = isLate ? `killed after ${timeout / 1000} s` : `exit code ${output.code}`;
    const lines = `${stdout}\n${stderr}`.trim().split("\n").slice(-SHOWN_LINES);
    const words = [program, ...args].map((word) => word.slice(0, MAX_WORD)).join(" ");
    throw new Error(`${words}: ${end}\n${lines.join("\n")}`);
  } finally {
    clearTimeout(timer);
  }
}
