/**
 * Finds the command and its arguments by the tables, and runs its module; prints help, and errors.
 *
 * @module
 */

import { messageOf } from "../data/errors.ts";
import { withoutPasswords } from "../data/url.ts";
import { commandArguments, isTerminal } from "../platform/process.ts";
import { paint } from "../write/ansi.ts";
import { escapeControls } from "../write/escape.ts";
import { type Arguments, commandOf, parseArguments } from "./arguments.ts";
import { type CommandName, isParent, type ParentName } from "./commands.ts";
import { completions, proposals } from "./completions.ts";
import { refuseConflicts } from "./conflicts.ts";
import { helpText, itemsHelp } from "./help.ts";
import { optionsOf } from "./options.ts";
import { EXIT_CODES, Failure, Interrupted, OutputClosed } from "./failure.ts";
import { printText } from "./run/print.ts";
import { type ColorName, Messages, outputColumns, terminalColumns } from "./run/terminal.ts";

type Runner = (args: Arguments) => Promise<number>;

const snapshot = () => import("./commands/snapshot.ts");
const fleet = () => import("./commands/fleet/fleet.ts");

/** Functions of the commands, whose modules are loaded for their commands only. */
const RUNNERS: Readonly<Record<CommandName, () => Promise<Runner>>> = {
  "ls": async () => (await import("./commands/ls.ts")).ls,
  "check": async () => (await import("./commands/check.ts")).check,
  "report": async () => (await import("./commands/report.ts")).report,
  "explain": async () => (await import("./commands/explain.ts")).explain,
  "diff": async () => (await import("./commands/diff.ts")).diff,
  "sync": async () => (await import("./commands/sync/sync.ts")).sync,
  "changes": async () => (await import("./commands/changes.ts")).changes,
  "snapshot sites": async () => (await snapshot()).sites,
  "snapshot runs": async () => (await snapshot()).runs,
  "snapshot forget": async () => (await snapshot()).forget,
  "snapshot prune": async () => (await snapshot()).prune,
  "fleet enqueue": async () => (await fleet()).enqueue,
  "fleet work": async () => (await import("./commands/fleet/work.ts")).work,
  "fleet status": async () => (await import("./commands/fleet/status.ts")).status,
  "fleet sites": async () => (await fleet()).sites,
  "fleet retry": async () => (await fleet()).retry,
  "fleet pause": async () => (await fleet()).pause,
  "fleet resume": async () => (await fleet()).resume,
  "fleet drop": async () => (await fleet()).drop,
  "demo": async () => (await import("./commands/demo.ts")).demo,
  "completions": () => Promise.resolve(completions),
};

const HELP_WORDS = ["help", "--help", "-h"];
/** Characters of an error at most. */
const MAX_LENGTH = 2000;

/** Runs a command, or prints what is asked for in place of one. Returns the exit code. */
export async function dispatch([first, ...rest]: readonly string[]): Promise<number> {
  if (first === undefined) return printUsage();
  if (first === "__complete") {
    return await print(proposals(rest).map((line) => `${line}\n`).join(""));
  }
  if (first === "--man") {
    const { manualPage } = await import("./man.ts");
    return await print(manualPage());
  }
  if (HELP_WORDS.includes(first)) return await print(helpText(namedCommand(rest), outputColumns()));
  const name = commandOf(first);
  if (!isParent(name)) return await runCommand(name, rest);
  const [second, ...words] = rest;
  if (second === undefined) return printUsage(name);
  if (HELP_WORDS.includes(second)) {
    return await print(helpText(namedCommand([name, ...words]), outputColumns()));
  }
  return await runCommand(commandOf(second, name) as CommandName, words);
}

function printUsage(parent?: ParentName): number {
  const messages = new Messages();
  messages.printLine(
    helpText(parent, messages.isTerminal ? terminalColumns() : Infinity).trimEnd(),
  );
  return EXIT_CODES.usage;
}

function namedCommand([first, second]: readonly string[]): CommandName | ParentName | undefined {
  if (first === undefined) return undefined;
  const name = commandOf(first);
  return isParent(name) && second !== undefined ? commandOf(second, name) : name;
}

async function runCommand(command: CommandName, words: readonly string[]): Promise<number> {
  const args = parseArguments(command, words);
  if (args.has("help")) return await print(helpText(command, outputColumns()));
  const listed = optionsOf(command).find(({ name, items }) =>
    items !== undefined && args.all<unknown>(name).includes("help")
  );
  if (listed !== undefined) return await print(itemsHelp(listed, outputColumns()));
  refuseConflicts(args);
  const run = await RUNNERS[command]();
  return await run(args);
}

async function print(text: string): Promise<number> {
  await printText(text);
  return EXIT_CODES.complete;
}

/** Leaves out the middle: the end has the reason. */
function shortened(text: string): string {
  if (text.length <= MAX_LENGTH) return text;
  return `${text.slice(0, MAX_LENGTH / 2)}…${text.slice(-MAX_LENGTH / 2)}`.toWellFormed();
}

/** Prints an error that ends the command. Returns the exit code. */
export async function report(cause: unknown): Promise<number> {
  // the reader closed the pipe, as `head` does
  if (cause instanceof OutputClosed) return EXIT_CODES.complete;
  if (cause instanceof Interrupted) return cause.exitCode;
  const error = cause instanceof Failure
    ? cause
    : (await import("./run/failures.ts")).failureOf(cause);
  // the arguments may be what failed
  const words = commandArguments().join(" ");
  const [, when = "auto"] = /--color[ =](always|never)\b/.exec(words) ?? [];
  const message = withoutPasswords(messageOf(error));
  const hint = error instanceof Failure ? error.hint : undefined;
  const exitCode = error instanceof Failure ? error.exitCode : EXIT_CODES.failure;
  if (/(?:^| )--log[ =]json\b/.test(words) && !isTerminal("stderr")) {
    const { printJsonError } = await import("./run/log.ts");
    printJsonError(shortened(message), hint);
    return exitCode;
  }
  const messages = new Messages(false, when as ColorName);
  messages.report(
    shortened(escapeControls(`error: ${message}`)),
    (line) => line.replace(/^error:/, paint("red", "error:")),
  );
  if (hint !== undefined) messages.report(shortened(escapeControls(`  ${hint}`)));
  return exitCode;
}
