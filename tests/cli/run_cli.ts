/**
 * Runs the command line as a process: on Deno from its source, or by the command in
 * `SITETREE_COMMAND`, a JSON array such as `["node", "dist/bin.js"]`.
 *
 * @module
 */

/** The main module. */
export const MAIN: string = new URL("../../src/cli/main.ts", import.meta.url).pathname;

/** Options of a run. */
export interface CliOptions {
  /** Permissions. Default: `--allow-net`. */
  readonly permissions?: readonly string[];
  /** Standard input. Default: none. */
  readonly stdin?: string | Uint8Array;
  /** Environment variables. */
  readonly env?: Record<string, string>;
  /** Working directory. Default: that of the test. */
  readonly cwd?: string;
}

/** The result of a run. */
export interface CliResult {
  /** Exit code. */
  readonly code: number;
  /** Standard output. */
  readonly stdout: string;
  /** Standard error. */
  readonly stderr: string;
}

/** The permissions that all options together need. */
export const ALL_PERMISSIONS: readonly string[] = ["--allow-net", "--allow-read", "--allow-write"];

const COMMAND: readonly string[] | undefined = JSON.parse(
  Deno.env.get("SITETREE_COMMAND") ?? "null",
) ?? undefined;

/** Whether the source is run, so that permissions apply. */
export const HAS_PERMISSIONS: boolean = COMMAND === undefined;

/** Whether the command line runs on Deno. */
export const IS_DENO: boolean = COMMAND === undefined || /\bdeno$/.test(COMMAND[0] ?? "");

/** Returns the program and its arguments. */
export function commandWords(
  args: readonly string[],
  permissions: readonly string[] = ["--allow-net"],
): [program: string, ...args: string[]] {
  const [program, ...more] = COMMAND ??
    [Deno.execPath(), "run", "--quiet", "--no-prompt", ...permissions, MAIN];
  return [program!, ...more, ...args];
}

/** Starts the command line with all streams piped. */
export function startCli(args: readonly string[], options: CliOptions = {}): Deno.ChildProcess {
  const [program, ...words] = commandWords(args, options.permissions);
  return new Deno.Command(program, {
    args: words,
    env: { ...options.env },
    ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    stdin: options.stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** Runs the command line. */
export async function runCli(
  args: readonly string[],
  options: CliOptions = {},
): Promise<CliResult> {
  const child = startCli(args, options);
  if (options.stdin !== undefined) {
    const { stdin } = options;
    const writer = child.stdin.getWriter();
    await writer.write(typeof stdin === "string" ? new TextEncoder().encode(stdin) : stdin);
    await writer.close();
  }
  const { code, stdout, stderr } = await child.output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** Runs the command that a message prints after `run: ` in a shell. */
export async function runPrinted(stderr: string, cwd?: string): Promise<CliResult> {
  const [, command] = /\brun: (deno run .*)\n/.exec(stderr) ?? [];
  if (command === undefined) throw new Error(`No command in ${JSON.stringify(stderr)}`);
  const output = await new Deno.Command("sh", {
    args: ["-c", command.replace(/^deno/, `'${Deno.execPath()}'`)],
    ...(cwd === undefined ? {} : { cwd }),
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  const [stdout, errors] = [decoder.decode(output.stdout), decoder.decode(output.stderr)];
  return { code: output.code, stdout, stderr: errors };
}
