/**
 * The command line: `sitetree ls`, `stats`, `parse`, `replay`, `demo` and `completions`;
 * `sitetree --help` has more.
 *
 * It runs on Deno, Node and Bun. On Deno, walking needs `--allow-net`, reading files `--allow-read`,
 * writing them `--allow-write` too, and proxies of the environment `--allow-env`.
 *
 * @module
 */

import { red } from "@std/fmt/colors";
import { commandArguments, exit, noColor } from "../platform/host.ts";
import { escapeControls } from "../write/escape.ts";
import { type Arguments, commandOf, parseArguments } from "./arguments.ts";
import { completions } from "./completions.ts";
import { EXIT_CODES, Failure } from "./failure.ts";
import { helpText, versionText } from "./help.ts";
import { ls } from "./commands/ls.ts";
import type { CommandName } from "./options.ts";
import { Screen } from "./terminal.ts";
import { printText } from "./output.ts";
import { stats } from "./commands/stats.ts";
import { cutMiddle } from "./terminal.ts";

const RUNNERS: Readonly<Record<CommandName, (args: Arguments) => Promise<number>>> = {
  ls,
  stats,
  parse: ls,
  replay: ls,
  // loaded when it is wanted
  demo: async (args) => await (await import("./commands/demo.ts")).demo(args),
  completions,
};

const HELP_WORDS = ["help", "--help", "-h"];
const VERSION_WORDS = ["--version", "-V", "-v"];

async function run(args: readonly string[]): Promise<number> {
  const [first, ...rest] = args;
  if (first === undefined) {
    new Screen().print(helpText().trimEnd());
    return EXIT_CODES.usage;
  }
  if (VERSION_WORDS.includes(first)) {
    await printText(versionText());
    return EXIT_CODES.complete;
  }
  if (HELP_WORDS.includes(first)) {
    await printText(helpText(rest[0] === undefined ? undefined : commandOf(rest[0])));
    return EXIT_CODES.complete;
  }
  const command = commandOf(first);
  const parsed = parseArguments(command, rest);
  if (parsed.has("help")) {
    await printText(helpText(command));
    return EXIT_CODES.complete;
  }
  return await RUNNERS[command](parsed);
}

/** Columns of a line that reports an error. */
const MAX_WIDTH = 2000;

/** Prints an error and what to do next. Returns the exit code. */
function report(error: unknown): number {
  const screen = new Screen();
  const isColored = screen.isTerminal && !noColor() &&
    !/--color[ =]never/.test(commandArguments().join(" "));
  const label = isColored ? red("error:") : "error:";
  const message = error instanceof Error ? error.message : String(error);
  const line = (text: string) => cutMiddle(escapeControls(text), MAX_WIDTH);
  screen.print(`${label} ${line(message)}`);
  if (!(error instanceof Failure)) return EXIT_CODES.failure;
  if (error.hint !== undefined) screen.print(`  ${line(error.hint)}`);
  return error.exitCode;
}

/** Runs the command line with the arguments of the process, and ends the process. */
export async function main(): Promise<never> {
  let exitCode: number;
  try {
    exitCode = await run(commandArguments());
  } catch (error) {
    exitCode = report(error);
  }
  // signal listeners would keep the process alive
  exit(exitCode);
}

if (import.meta.main) await main();
