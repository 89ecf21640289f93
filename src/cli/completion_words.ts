/**
 * What the completions of all shells are made of.
 *
 * @module
 */

import { type CommandName, COMMANDS, type OptionSpec } from "./option_table.ts";

/** The names of all commands. */
export const COMMAND_NAMES: readonly CommandName[] = Object.keys(COMMANDS) as CommandName[];

/** What stands in the place of a command. */
export const GLOBAL_OPTIONS: readonly Pick<OptionSpec, "name" | "short" | "about">[] = [
  { name: "help", short: "h", about: "print help" },
  { name: "version", short: "V", about: "print the version" },
];

const FILES: ReadonlySet<string> = new Set(["FILE", "LOG_FILE", "DIR"]);

/** Whether the value of an option is the name of a file. */
export function takesFile({ value }: OptionSpec): boolean {
  return FILES.has(value ?? "");
}

/** What an option is written as, with its letter. */
export function spellings({ name, short }: Pick<OptionSpec, "name" | "short">): string[] {
  return short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`];
}

/** Text between single quotes, as all three shells take it. */
export function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
