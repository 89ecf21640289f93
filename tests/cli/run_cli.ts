/**
 * Runs the command line as the process that people run: on Deno from its source, or by the command
 * in `SITETREE_COMMAND`, a JSON array such as `["node", "dist/bin.js"]`.
 *
 * @module
 */

/** The file that is run. */
export const MAIN: string = new URL("../../src/cli/main.ts", import.meta.url).pathname;

/** How to run it. */
export interface CliOptions {
  /** Permissions. Default: `--allow-net` alone. */
  readonly permissions?: readonly string[];
  /** Standard input. Default: none. */
  readonly stdin?: string | Uint8Array;
  /** More of the environment. */
  readonly env?: Record<string, string>;
  /** Working directory. Default: that of the tests. */
  readonly cwd?: string;
}

/** What came of it. */
export interface CliResult {
  /** What the process exited with. */
  readonly code: number;
  /** What it wrote to standard output. */
  readonly stdout: string;
  /** What it wrote to standard error. */
  readonly stderr: string;
}

/** All permissions that any option needs. */
export const ALL_PERMISSIONS: readonly string[] = ["--allow-net", "--allow-read", "--allow-write"];

const COMMAND: readonly string[] | undefined = JSON.parse(
  Deno.env.get("SITETREE_COMMAND") ?? "null",
) ?? undefined;

/** Whether the source is run, with permissions that tests choose. */
export const HAS_PERMISSIONS: boolean = COMMAND === undefined;

/** Whether it is run on Deno. */
export const IS_DENO: boolean = COMMAND === undefined || /\bdeno$/.test(COMMAND[0] ?? "");

/** Returns the words of a run of the command line, the program first. */
export function commandWords(
  args: readonly string[],
  permissions: readonly string[] = ["--allow-net"],
): [program: string, ...args: string[]] {
  const [program, ...more] = COMMAND ??
    [Deno.execPath(), "run", "--quiet", "--no-prompt", ...permissions, MAIN];
  return [program!, ...more, ...args];
}

/** Starts it with pipes on all sides. */
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

/** Runs it to its end. */
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

/** Runs the command that a message prints after `run: `, as a user does who copies it to a shell. */
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
