/**
 * Runs the command line: on Deno from its source, or by the command in `SITETREE_COMMAND`, a JSON
 * array such as `["node", "dist/bin.js"]`.
 *
 * Starting a runtime takes longer than most runs, so that {@linkcode runCli} has processes that run
 * one command line after the other, one for each set of permissions. {@linkcode startCli}, and
 * `isolated`, start a process.
 *
 * @module
 */

import { decoded, type ProcessOutput, withoutCacheWarning } from "../support/process_output.ts";

export const MAIN: string = new URL("../../src/cli/main.ts", import.meta.url).pathname;

export interface CliOptions {
  /** Permissions. Default: `--allow-net`. */
  readonly permissions?: readonly string[];
  /** Standard input. Default: none. */
  readonly stdin?: string | Uint8Array;
  readonly env?: Record<string, string>;
  /** Working directory. Default: that of the test. */
  readonly cwd?: string;
  /** Whether to start a process for this run only. Default: false. */
  readonly isolated?: boolean;
}

export type CliResult = ProcessOutput;

/** The permissions that all options together need. */
export const ALL_PERMISSIONS: readonly string[] = ["--allow-net", "--allow-read", "--allow-write"];

const COMMAND: readonly string[] | undefined = JSON.parse(
  Deno.env.get("SITETREE_COMMAND") ?? "null",
) ?? undefined;

/** Whether the source is run, so that permissions apply. */
export const HAS_PERMISSIONS: boolean = COMMAND === undefined;

export const IS_DENO: boolean = COMMAND === undefined || /\bdeno$/.test(COMMAND[0] ?? "");

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

/** A run of `repeated_process.mjs`. */
interface Run extends Pick<CliOptions, "cwd"> {
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

/** What follows the output of a run there. */
const END = "\0end of run ";

/** Returns the command that runs `repeated_process.mjs` with the command line. */
function repeatedWords(permissions: readonly string[]): string[] {
  const scriptOf = (name: string) => new URL(name, import.meta.url).pathname;
  if (COMMAND === undefined) {
    const deno = [Deno.execPath(), "run", "--quiet", "--no-prompt", "--no-check", ...permissions];
    return [...deno, scriptOf("repeated_source.ts")];
  }
  const script = scriptOf("repeated_process.mjs");
  return [...COMMAND.slice(0, -1), script, new URL("cli.js", `file://${COMMAND.at(-1)}`).href];
}

/** Number of permission sets that a test module can have processes for. */
const MAX_PROCESSES = 4;

function shellQuoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

class RepeatedProcess {
  readonly #child: Deno.ChildProcess;
  readonly #stdin: WritableStreamDefaultWriter<Uint8Array>;
  readonly #stdout: ReadableStreamDefaultReader<Uint8Array>;
  readonly #stderr: ReadableStreamDefaultReader<Uint8Array>;
  #last: Promise<unknown> = Promise.resolve();

  /** Starts a shell, which {@linkcode RepeatedProcess.become} replaces when it is needed. */
  constructor() {
    this.#child = new Deno.Command("sh", {
      args: ["-c", 'read -r line && eval "$line"'],
      stdin: "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    this.#stdin = this.#child.stdin.getWriter();
    this.#stdout = this.#child.stdout.getReader();
    this.#stderr = this.#child.stderr.getReader();
  }

  /** Loads the command line with permissions. */
  async become(permissions: readonly string[], { cwd = Deno.cwd(), env = {} }: CliOptions) {
    const settings = Object.entries(env).map(([name, value]) => `${name}=${shellQuoted(value)} `);
    const words = repeatedWords(permissions).map(shellQuoted).join(" ");
    await this.#write(`cd ${shellQuoted(cwd)} && ${settings.join("")}exec ${words}`);
  }

  /** Runs a command line once all those before have ended. */
  run(run: Run): Promise<CliResult> {
    const result = this.#last.then(() => this.#run(run));
    this.#last = result.catch(() => {});
    return result;
  }

  end(): void {
    try {
      this.#child.kill("SIGKILL");
    } catch (error) {
      // it failed
      if (!(error instanceof TypeError)) throw error;
    }
  }

  async #run(run: Run): Promise<CliResult> {
    await this.#write(JSON.stringify(run));
    const [[stdout, code], [stderr]] = await Promise.all([
      readRun(this.#stdout),
      readRun(this.#stderr),
    ]);
    return { code: Number(code), stdout, stderr: withoutCacheWarning(stderr) };
  }

  async #write(line: string): Promise<void> {
    await this.#stdin.write(new TextEncoder().encode(`${line}\n`));
  }
}

/** Reads the output of a run. Returns it and what follows its end. */
async function readRun(
  reader: ReadableStreamDefaultReader<Uint8Array>,
): Promise<[output: string, rest: string]> {
  const decoder = new TextDecoder();
  for (let text = "";;) {
    const { done, value } = await reader.read();
    if (done) throw new Error(`The process ended: ${text}`);
    text += decoder.decode(value, { stream: true });
    if (!text.endsWith("\n")) continue;
    const at = text.lastIndexOf(END);
    if (at >= 0) return [text.slice(0, at), text.slice(at + END.length)];
  }
}

/** Shells, started with the module since the sanitizers report what a test leaves behind. */
const WAITING: RepeatedProcess[] = Array.from(
  // Deno would read the configuration of the tests for a package
  { length: COMMAND !== undefined && IS_DENO ? 0 : MAX_PROCESSES },
  () => new RepeatedProcess(),
);
const RUNNING = new Map<string, Promise<RepeatedProcess>>();

globalThis.addEventListener("unload", async () => {
  for (const process of WAITING) process.end();
  for (const process of RUNNING.values()) (await process).end();
});

/** Returns the process that runs command lines with these options; `undefined` if none can. */
function repeatedProcess(options: CliOptions): Promise<RepeatedProcess> | undefined {
  const { permissions = ["--allow-net"], cwd, isolated = false } = options;
  if (isolated) return undefined;
  const [env = {}] = environmentOf(options);
  const key = JSON.stringify([
    HAS_PERMISSIONS ? permissions : [],
    env,
    canChangeDirectory(permissions) ? "" : cwd,
  ]);
  let process = RUNNING.get(key);
  const shell = process === undefined ? WAITING.pop() : undefined;
  if (shell !== undefined) {
    process = shell.become(permissions, { ...options, env }).then(() => shell);
    RUNNING.set(key, process);
  }
  return process;
}

/** Returns the variables that a runtime reads when it starts, and those that a command reads. */
function environmentOf({ env = {} }: CliOptions): Record<string, string>[] {
  const isOfCommand = ([name]: [string, string]) =>
    name.startsWith("SITETREE_") && name !== "SITETREE_EXAMPLE_SERVER";
  const all = Object.entries(env);
  return [all.filter((entry) => !isOfCommand(entry)), all.filter(isOfCommand)]
    .map((entries) => Object.fromEntries(entries));
}

function canChangeDirectory(permissions: readonly string[]): boolean {
  return COMMAND !== undefined || permissions.includes("--allow-read") ||
    permissions.includes("--allow-all");
}

export async function runCli(
  args: readonly string[],
  options: CliOptions = {},
): Promise<CliResult> {
  const { permissions = ["--allow-net"], cwd = Deno.cwd(), stdin } = options;
  const bytes = typeof stdin === "string" ? new TextEncoder().encode(stdin) : stdin;
  const repeated = await repeatedProcess(options);
  if (repeated !== undefined) {
    return await repeated.run({
      args,
      env: environmentOf(options)[1]!,
      ...(canChangeDirectory(permissions) ? { cwd } : {}),
      ...(bytes === undefined ? {} : { stdin: bytes.toBase64() }),
    });
  }
  const child = startCli(args, options);
  if (bytes !== undefined) {
    const writer = child.stdin.getWriter();
    await writer.write(bytes);
    await writer.close();
  }
  return decoded(await child.output());
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
  return decoded(output);
}
