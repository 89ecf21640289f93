/**
 * The process of the command line: arguments, exit, signals, terminal, and standard output and standard
 * error where what is written is short. It loads little, since every command begins with it.
 *
 * @module
 */

import process from "node:process";
import { writeSync } from "node:fs";
import { isatty } from "node:tty";
import { DENO } from "./environment.ts";

export const IS_WINDOWS: boolean = process.platform === "win32";

export function commandArguments(): readonly string[] {
  return process.argv.slice(2);
}

/** Returns the names of the runtime and the system, such as `Node.js 24.1.0, linux arm64`. */
export function runtimeName(): string {
  const { deno, bun, node }: Readonly<Record<string, string | undefined>> = process.versions;
  const runtime = deno ? `Deno ${deno}` : bun ? `Bun ${bun}` : `Node.js ${node}`;
  return `${runtime}, ${process.platform} ${process.arch}`;
}

export function noColor(): boolean {
  return DENO?.noColor ?? Boolean(process.env["NO_COLOR"]);
}

/** Returns the code of a system error, such as `ENOENT`; `undefined` for other errors. */
export function codeOf(error: unknown): string | undefined {
  const { code } = Object(error);
  return typeof code === "string" ? code : undefined;
}

export function isTerminal(stream: "stdin" | "stdout" | "stderr"): boolean {
  return isatty(["stdin", "stdout", "stderr"].indexOf(stream));
}

export function terminalWidth(): number | undefined {
  // Node makes a pipe non-blocking when its stream is used
  if (isatty(2)) return process.stderr.columns;
  return isatty(1) ? process.stdout.columns : undefined;
}

const FULL_PIPE_DELAY = 5;

/** Writes a text to standard output or standard error. */
export function printSync(stream: "stdout" | "stderr", text: string): void {
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length;) {
    try {
      at += writeSync(stream === "stdout" ? 1 : 2, bytes, at);
    } catch (error) {
      // the pipe is full, and a process has made it non-blocking
      if (codeOf(error) !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FULL_PIPE_DELAY);
    }
  }
}

const SIGNALS: readonly (readonly [signal: NodeJS.Signals, exitCode: number])[] = IS_WINDOWS
  ? [["SIGINT", 130]]
  : [["SIGINT", 130], ["SIGTERM", 143], ["SIGHUP", 129]];

export function onSignal(callback: (exitCode: number) => void): void {
  for (const [signal, exitCode] of SIGNALS) process.on(signal, () => callback(exitCode));
}

export function exit(exitCode: number): never {
  const [signal] = SIGNALS.find(([, code]) => code === exitCode) ?? [];
  // `process.exit()` of Node waits for a pending read of a pipe
  if (signal !== undefined && DENO === undefined && !IS_WINDOWS) {
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
  }
  process.exit(exitCode);
}

/** Node 22 reports that its SQLite is experimental when it is loaded. */
export function withoutWarnings<T>(callback: () => T): T {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return callback();
  } finally {
    process.emitWarning = emitWarning;
  }
}

export function isPermissionError(error: unknown): boolean {
  return error instanceof Error && error.name === "NotCapable";
}
