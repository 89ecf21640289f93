/** Runs the command line in a pseudo terminal, by util-linux `script` or Python's `pty`. @module */

import { withoutCacheWarning } from "../support/process_output.ts";
import { commandWords } from "./run_cli.ts";

export interface TerminalResult {
  readonly code: number;
  /** Output with its escape sequences. */
  readonly output: string;
}

const PYTHON = `
import os, pty, sys
status = pty.spawn(["sh", "-c", sys.argv[1]])
sys.exit(os.waitstatus_to_exitcode(status))
`;

const PIPES = { stdin: "piped", stdout: "piped", stderr: "inherit" } as const;

type Launcher = (script: string, cwd: { cwd?: string }) => Deno.Command;

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}

function succeeds(command: string, args: string[], wanted: RegExp): boolean {
  try {
    const { success, stdout } = new Deno.Command(command, { args, stderr: "null" }).outputSync();
    return success && wanted.test(new TextDecoder().decode(stdout));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

function findLauncher(): Launcher | undefined {
  if (succeeds("script", ["--version"], /util-linux/)) {
    return (script, cwd) =>
      new Deno.Command("script", { args: ["-qec", script, "/dev/null"], ...PIPES, ...cwd });
  }
  if (succeeds("python3", ["-c", "import pty; print('pty')"], /pty/)) {
    return (script, cwd) =>
      new Deno.Command("python3", { args: ["-c", PYTHON, script], ...PIPES, ...cwd });
  }
  return undefined;
}

const LAUNCHER: Launcher | undefined = findLauncher();

/** Whether a pseudo terminal is available; warns if not. */
export function hasTerminal(): boolean {
  if (LAUNCHER === undefined) {
    console.log("skipped: neither `script` of util-linux nor Python is installed");
  }
  return LAUNCHER !== undefined;
}

export interface TerminalOptions {
  readonly columns: number;
  /** Environment variables, such as `NO_COLOR=1`. */
  readonly env?: readonly string[];
  /** Redirection, such as `> /dev/null`. */
  readonly redirect?: string;
  /** Permissions. Default: `--allow-net` alone. */
  readonly permissions?: readonly string[];
  /** Working directory. Default: that of the test. */
  readonly cwd?: string;
  /**
   * Called with the output so far on each chunk. `type` sends keys to the terminal, such as `\x03` for Ctrl-C.
   */
  readonly onOutput?: (output: string, type: (text: string) => void) => void;
}

export async function runInTerminal(
  args: readonly string[],
  { columns, env = [], redirect = "", permissions, cwd, onOutput }: TerminalOptions,
): Promise<TerminalResult> {
  const command = commandWords(args, permissions).map(quoted).join(" ");
  const prefix = ["env", "-u", "NO_COLOR", ...env.map(quoted)].join(" ");
  const script = `stty cols ${columns} rows 24; exec ${prefix} ${command} ${redirect}`;
  const child = LAUNCHER!(script, { ...(cwd !== undefined && { cwd }) }).spawn();
  const keyboard = child.stdin.getWriter();
  // input after the end is lost
  const type = (text: string) =>
    void keyboard.write(new TextEncoder().encode(text)).catch(() => {});
  let output = "";
  for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
    output += text;
    onOutput?.(output, type);
  }
  const { code } = await child.status;
  await keyboard.close().catch(() => {});
  return { code, output: withoutCacheWarning(output.replaceAll("\r\n", "\n")) };
}
