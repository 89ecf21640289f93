/**
 * Arguments as they come, sorted into a command, its options and its operands.
 *
 * @module
 */

import { parseArgs } from "@std/cli/parse-args";
import { closestString } from "@std/text/closest-string";
import { UsageError } from "./failure.ts";
import { type CommandName, COMMANDS, OPTIONS, optionsOf, type OptionSpec } from "./option_table.ts";

/** The options and operands of a command, checked only for being known. */
export class Arguments {
  /** The command. */
  readonly command: CommandName;
  /** What is no option. */
  readonly operands: readonly string[];
  readonly #values: Readonly<Record<string, unknown>>;

  /** Takes what the parser made of the arguments. */
  constructor(
    command: CommandName,
    operands: readonly string[],
    values: Readonly<Record<string, unknown>>,
  ) {
    this.command = command;
    this.operands = operands;
    this.#values = values;
  }

  /** Whether a flag is there. */
  has(name: string): boolean {
    return this.#values[name] === true;
  }

  /** How often a flag is there. */
  count(name: string): number {
    return this.all(name).length;
  }

  /** The value of an option, the last one where it is given several times. */
  value(name: string): string | undefined {
    const value = this.#values[name];
    return typeof value === "string" ? value : undefined;
  }

  /** All values of an option that may be given several times. */
  all(name: string): readonly string[] {
    const values = this.#values[name];
    return Array.isArray(values) ? values : [];
  }
}

/** The command that a word names. */
export function commandOf(word: string): CommandName {
  if (Object.hasOwn(COMMANDS, word)) return word as CommandName;
  if (/^https?:/i.test(word)) {
    throw new UsageError(`No command before "${word}"`, `try "sitetree ls ${word}"`);
  }
  throw new UsageError(
    `There is no command "${word}"`,
    `the nearest is "${closest(word, Object.keys(COMMANDS))}"`,
  );
}

/** Sorts the arguments of a command. */
export function parseArguments(command: CommandName, args: readonly string[]): Arguments {
  const specs = optionsOf(command);
  const names = (wanted: (spec: OptionSpec) => boolean) =>
    specs.filter(wanted).map(({ name }) => name);
  const parsed: Record<string, unknown> & { _: string[] } = parseArgs(separated(args, specs), {
    boolean: names(({ value }) => value === undefined),
    string: [...names(({ value }) => value !== undefined), "_"],
    collect: names(({ many }) => many === true),
    alias: Object.fromEntries(specs.flatMap(({ name, short }) => short ? [[name, short]] : [])),
    unknown(arg: string, key: string | undefined) {
      if (key !== undefined) throw unknownOption(command, arg, specs);
      return true;
    },
  });
  for (const { name, value } of specs) {
    if (value !== undefined && [parsed[name]].flat().includes("")) {
      throw new UsageError(`Option "--${name}" has no value`, `write --${name}=${value}`);
    }
  }
  return new Arguments(command, parsed._, parsed);
}

/**
 * Parts a value from the letter it is glued to, as in `-fpages` and `-ofile.csv`, which the parser
 * would take for many letters.
 */
function separated(args: readonly string[], specs: readonly OptionSpec[]): string[] {
  const withValue = specs.flatMap(({ short, value }) => short && value ? [short] : []).join("");
  const flags = specs.flatMap(({ short, value }) => short && !value ? [short] : []).join("");
  const glued = new RegExp(`^(-[${flags}]*[${withValue}])([^=].*)$`, "s");
  const end = args.indexOf("--");
  return args.flatMap((arg, at) => {
    const match = end >= 0 && at > end ? null : glued.exec(arg);
    return match === null ? [arg] : [match[1]!, match[2]!];
  });
}

function unknownOption(
  command: CommandName,
  arg: string,
  specs: readonly OptionSpec[],
): UsageError {
  const given = arg.replace(/=.*$/s, "");
  const name = given.replace(/^-+/, "");
  const elsewhere = OPTIONS.find((spec) => spec.name === name || spec.short === name);
  if (elsewhere !== undefined) {
    return new UsageError(
      `Command "${command}" has no option "${given}"`,
      `it belongs to "${elsewhere.commands.join('", "')}"`,
    );
  }
  const hint = name.length < 2
    ? `"sitetree ${command} --help" has them all`
    : `the nearest is "--${closest(name, specs.map((spec) => spec.name))}"`;
  return new UsageError(`There is no option "${given}"`, hint);
}

/** The word of a list that another is the beginning of, or that is most like it. */
export function closest(word: string, words: readonly string[]): string {
  return words.find((other) => other.startsWith(word)) ?? closestString(word, words);
}
